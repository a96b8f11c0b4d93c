"""The police: banks with four cards are emptied, and those who hold most return a card."""

from robby_games.robby_solo import FIRST_MONEY, POLICE_AT, Chose, Given, Police
from robby_rules.robby_solo.rounds import end_round
from robby_rules.robby_solo.state import NO_CARD, POLICE, Loot, State, Tale, Visit


def patrol(state: State, loot: Loot, marks: tuple[str, ...], first: int, serial: int, at: int, tale: Tale) -> State:
    """Visit the banks that call for it, from this one to the right, until somebody must choose or the round is over.

    Each visit counts anew, after the one before was paid.
    """
    setting = state.setting
    for bank in range(first, setting.banks):
        cards = loot.banks[bank]
        if len(cards) != POLICE_AT:
            continue
        banks = (*loot.banks[:bank], (), *loot.banks[bank + 1 :])
        loot = Loot(loot.round, loot.gentleman, loot.deck + cards, banks, loot.stacks, loot.junior)
        most = max([len(stack) for stack in loot.stacks])
        payers = _payers(loot, most)
        choosing = tuple([payer for payer in payers if payer < setting.seats and has_items_alone(loot.stacks[payer])])
        tale.public.append(Police(bank, cards, most, payers, choosing))
        visit = Visit(bank, payers, (NO_CARD,) * setting.participants)
        if choosing:
            return State(
                setting,
                loot,
                POLICE,
                serial + 1,
                at,
                state.cards,
                marks,
                tuple(sorted(choosing)),
                state.absent,
                state.declaration,
                state.reveal_open,
                True,
                visit,
            )
        loot = _pay(loot, visit, tale)
    return end_round(state, loot, at, tale)


def choose(state: State, choices: tuple[tuple[int, int], ...], at: int, auto: bool, tale: Tale) -> State:
    """These (seat, item) are chosen. When the last has chosen all pay, and the patrol goes on."""
    visit = state.visit
    assert visit is not None, "there is a visit in this phase"
    chosen, pending = list(visit.chosen), list(state.pending)
    for seat, card in choices:
        chosen[seat] = card
        pending.remove(seat)
        tale.public.append(Chose(seat, auto))
    visit = Visit(visit.bank, visit.payers, tuple(chosen))
    if pending:
        return State(
            state.setting,
            state.loot,
            POLICE,
            state.serial,
            state.began,
            state.cards,
            state.marks,
            tuple(pending),
            state.absent,
            state.declaration,
            state.reveal_open,
            True,
            visit,
        )
    loot = _pay(state.loot, visit, tale)
    return patrol(state, loot, state.marks, visit.bank + 1, state.serial, at, tale)


def has_items_alone(stack: tuple[int, ...]) -> bool:
    """Whether somebody holds loot, but no money."""
    return bool(stack) and max(stack) < FIRST_MONEY


def _payers(loot: Loot, most: int) -> tuple[int, ...]:
    """Who holds so many, clockwise from the Gentleman; nobody where nobody holds anything [ours]."""
    if most == 0:
        return ()
    stacks = loot.stacks
    count = len(stacks)
    around = [(loot.gentleman + step) % count for step in range(count)]
    return tuple([who for who in around if len(stacks[who]) == most])


def _pay(loot: Loot, visit: Visit, tale: Tale) -> Loot:
    """Each payer's card goes under the deck, clockwise from the Gentleman.

    That is the item chosen, else the dearest money card (of equal ones the oldest [ours]), else, for Junior, the
    oldest item [ours].
    """
    deck, stacks = list(loot.deck), list(loot.stacks)
    for payer in visit.payers:
        stack = stacks[payer]
        card = visit.chosen[payer]
        if card == NO_CARD:
            dearest = max(stack)
            card = dearest if dearest >= FIRST_MONEY else stack[0]
        place = stack.index(card)
        stacks[payer] = stack[:place] + stack[place + 1 :]
        deck.append(card)
        tale.public.append(Given(payer, card))
    return Loot(loot.round, loot.gentleman, tuple(deck), loot.banks, tuple(stacks), loot.junior)
