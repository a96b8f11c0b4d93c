"""Setting up, the beginning of a round, and the end of the game."""

from robby_games.robby_solo import (
    PRESETS,
    GameOver,
    GameStarted,
    Options,
    RoundStarted,
    Score,
    items_of,
    limits_of,
    loot_deck,
    money_of,
    total_of,
    worth_of_items,
)
from robby_protocol.i18n import _
from robby_rules.chance import Chance
from robby_rules.interface import BadOptionsError
from robby_rules.robby_solo.state import (
    NO_BANK,
    NONE,
    OVER,
    PRESENT,
    SUPPLY,
    Loot,
    Setting,
    SoloStep,
    State,
    Tale,
    new_tale,
)

FEWEST_PARTICIPANTS = 3
MOST_PARTICIPANTS = 6
"""The game has heist cards for six."""
FEWEST_SEATS = 2
"""[ours] Two people and Junior are three participants."""


def check(options: Options, seats: int) -> None:
    """Raise BadOptionsError where this number of seats cannot play with these options."""
    if seats > MOST_PARTICIPANTS:
        raise BadOptionsError("seats", _("Robby Solo is for at most six players."))
    if options.junior and seats == MOST_PARTICIPANTS:
        raise BadOptionsError("junior", _("Robby Junior needs a free place: play with fewer than six, or without him."))
    if seats < FEWEST_SEATS or seats + options.junior < FEWEST_PARTICIPANTS:
        raise BadOptionsError("seats", _("Robby Solo needs three players, or two and Robby Junior."))
    if options.revision_min_ms is not None and options.revision_min_ms > limits_of(options).revision_max:
        raise BadOptionsError(
            "revision_min_ms", _("The shortest revision is longer than the longest. Make it shorter.")
        )


def set_up(options: Options, seats: int, chance: Chance) -> SoloStep:
    """The game at match time 0. Chance shuffles the loot, picks the first Gentleman, then shuffles Junior's cards."""
    check(options, seats)
    participants = seats + options.junior
    banks = participants + 1
    setting = Setting(
        seats=seats,
        participants=participants,
        banks=banks,
        junior=options.junior,
        open_loot=options.open_loot,
        max_rounds=options.max_rounds,
        limits=limits_of(options),
        absent_limits=PRESETS["standard"] if options.time == "untimed" else None,
    )
    deck = chance.shuffled(loot_deck(options))
    gentleman = chance.below(seats)
    loot = Loot(
        round=0,
        gentleman=gentleman,
        deck=deck,
        banks=((),) * banks,
        stacks=((),) * participants,
        junior=chance.shuffled(range(banks)) if options.junior else (),
    )
    before = State(
        setting=setting,
        loot=loot,
        phase=SUPPLY,
        serial=0,
        began=0,
        cards=(NO_BANK,) * participants,
        marks=(NONE,) * participants,
        pending=(),
        absent=(PRESENT,) * seats,
    )
    tale = new_tale()
    tale.public.append(GameStarted(participants, options.junior, banks, gentleman, len(deck)))
    return tale.step(begin_round(before, loot, 0, tale))


def begin_round(state: State, loot: Loot, at: int, tale: Tale) -> State:
    """The next round's supply, or the end. `loot.gentleman` is already the new round's, `loot.round` still the old's.

    Fewer cards in the deck than banks in the row: nothing is dealt and the game is scored.
    """
    setting = state.setting
    if len(loot.deck) < setting.banks:
        return _end(state, loot, "deck", tale)
    if loot.round >= setting.max_rounds:
        return _end(state, loot, "rounds", tale)
    number = loot.round + 1
    gentleman = loot.gentleman
    tale.public.append(RoundStarted(number, gentleman, len(loot.deck)))
    participants = setting.participants
    return State(
        setting,
        Loot(number, gentleman, loot.deck, loot.banks, loot.stacks, loot.junior),
        SUPPLY,
        state.serial + 1,
        at,
        (NO_BANK,) * participants,
        (NONE,) * participants,
        (gentleman,),
        state.absent,
    )


def end_round(state: State, loot: Loot, at: int, tale: Tale) -> State:
    """The heist cards come back, Junior's goes under his others, and the deck passes clockwise, past Junior."""
    following = Loot(
        loot.round,
        (loot.gentleman + 1) % state.setting.seats,
        loot.deck,
        loot.banks,
        loot.stacks,
        loot.junior[1:] + loot.junior[:1],
    )
    return begin_round(state, following, at, tale)


def _end(state: State, loot: Loot, reason: str, tale: Tale) -> State:
    scores = score(loot.stacks)
    tale.public.append(GameOver(reason, scores))
    participants = state.setting.participants
    return State(
        state.setting,
        # Who was the Gentleman of the last round stays so: no other round begins.
        Loot(loot.round, state.loot.gentleman, loot.deck, loot.banks, loot.stacks, loot.junior),
        OVER,
        state.serial + 1,
        state.began,
        (NO_BANK,) * participants,
        (NONE,) * participants,
        (),
        state.absent,
        scores=scores,
    )


def score(stacks: tuple[tuple[int, ...], ...]) -> tuple[Score, ...]:
    """Everybody's result, best first; equal totals share the place, and the first place wins."""
    totals = [total_of(stack) for stack in stacks]
    scores = [
        Score(
            seat=seat,
            stack=stack,
            money=money_of(stack),
            items=items_of(stack),
            items_worth=worth_of_items(items_of(stack)),
            total=totals[seat],
            place=1 + sum(1 for other in totals if other > totals[seat]),
            winner=totals[seat] == max(totals),
        )
        for seat, stack in enumerate(stacks)
    ]
    return tuple(sorted(scores, key=lambda line: line.place))
