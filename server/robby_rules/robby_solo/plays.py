"""From the supply to the Gentleman's declaration."""

from collections.abc import Sequence

from robby_games.robby_solo import Declaration, Declare, Declared, Laid, Lay, Supplied, YouLaid
from robby_protocol.errors import FALSE_DECLARATION
from robby_rules.interface import IllegalActionError
from robby_rules.robby_solo.state import (
    GENTLEMAN,
    LAID,
    NO_BANK,
    NONE,
    PLAYS,
    REVISION,
    Loot,
    State,
    Tale,
)


def supply(state: State, side: str, at: int, auto: bool, tale: Tale) -> State:
    """Deal one card onto each bank, the top one onto the bank at this end; Junior's top card is laid."""
    setting, loot = state.setting, state.loot
    count = setting.banks
    dealt = loot.deck[:count] if side == "left" else loot.deck[count - 1 :: -1]
    deck = loot.deck[count:]
    banks = tuple([(*lying, card) for lying, card in zip(loot.banks, dealt, strict=True)])
    tale.public.append(Supplied(side, dealt, len(deck), auto))
    seats, gentleman = setting.seats, loot.gentleman
    cards: tuple[int, ...] = (NO_BANK,) * seats
    marks: tuple[str, ...] = (NONE,) * seats
    if setting.junior:
        cards += loot.junior[:1]
        marks += (LAID,)
        tale.public.append(Laid(seats))
    return State(
        setting,
        Loot(loot.round, gentleman, deck, banks, loot.stacks, loot.junior),
        PLAYS,
        state.serial + 1,
        at,
        cards,
        marks,
        tuple([seat for seat in range(seats) if seat != gentleman]),
        state.absent,
    )


def lay_secretly(state: State, plays: Sequence[tuple[int, int]], at: int, auto: bool, tale: Tale) -> State:
    """Lay these (seat, bank) cards. Once all the others lie it is the Gentleman's turn."""
    cards, marks, pending = list(state.cards), list(state.marks), list(state.pending)
    for seat, bank in plays:
        cards[seat] = bank
        marks[seat] = LAID
        pending.remove(seat)
        tale.public.append(Laid(seat, False, auto))
        tale.private.append((seat, YouLaid(bank, auto)))
    if pending:
        return State(
            state.setting,
            state.loot,
            PLAYS,
            state.serial,
            state.began,
            tuple(cards),
            tuple(marks),
            tuple(pending),
            state.absent,
        )
    return State(
        state.setting,
        state.loot,
        GENTLEMAN,
        state.serial + 1,
        at,
        tuple(cards),
        tuple(marks),
        (state.loot.gentleman,),
        state.absent,
    )


def gentleman_acts(state: State, action: object, at: int, tale: Tale) -> State:
    """The Gentleman lays, then declares. Raises IllegalActionError."""
    lies = state.cards[state.loot.gentleman] != NO_BANK
    if type(action) is Declare and lies:
        return declare(state, action, at, False, tale)
    if type(action) is Lay and not lies:
        return gentleman_lays(state, action.bank, False, tale)
    raise IllegalActionError


def gentleman_lays(state: State, bank: int, auto: bool, tale: Tale) -> State:
    """The Gentleman's card lies; the declaration is still owed, under the same limit. Raises IllegalActionError."""
    if not 0 <= bank < state.setting.banks:
        raise IllegalActionError
    seat = state.loot.gentleman
    cards, marks = list(state.cards), list(state.marks)
    cards[seat] = bank
    marks[seat] = LAID
    tale.public.append(Laid(seat, False, auto))
    tale.private.append((seat, YouLaid(bank, auto)))
    return State(
        state.setting,
        state.loot,
        GENTLEMAN,
        state.serial,
        state.began,
        tuple(cards),
        tuple(marks),
        state.pending,
        state.absent,
    )


def declare(state: State, action: Declare, at: int, auto: bool, tale: Tale) -> State:
    """The declaration stands and the revision begins. Raises IllegalActionError where it is false."""
    bank = action.bank
    gentleman = state.loot.gentleman
    setting = state.setting
    if not 0 <= bank < setting.banks:
        raise IllegalActionError
    if action.robs != (state.cards[gentleman] == bank):
        raise IllegalActionError(FALSE_DECLARATION)
    tale.public.append(Declared(gentleman, action.robs, bank, auto))
    return State(
        setting,
        state.loot,
        REVISION,
        state.serial + 1,
        at,
        state.cards,
        state.marks,
        # Nobody holds a card yet, so with no shortest time the Gentleman may call at once.
        tuple([seat for seat in range(setting.seats) if seat != gentleman])
        if setting.limits.revision_min
        else tuple(range(setting.seats)),
        state.absent,
        Declaration(action.robs, bank),
        setting.limits.revision_min == 0,
    )
