"""Whether what somebody sent about Wild Wild Pattern makes sense: every card, seat and place named can be.

The types alone do not say it: a tuple of integers may name the 500th card. A client asks before it keeps anything, so
that whatever draws, tells or plays by it may rely on it. Knows no rules: whether it is true only the server knows.
"""

from collections.abc import Iterable
from typing import Any

from robby_games.wild_wild_pattern import (
    BANK,
    CARDS,
    CHALLENGE_CARDS,
    FEWEST_SEATS,
    MOST_ROUNDS,
    MOST_SEATS,
    PATTERN_CARDS,
    PLACES,
    TARGETS,
    Covered,
    Dealt,
    Declare,
    DuelOver,
    Filled,
    GameOver,
    GameStarted,
    Grabbed,
    Judged,
    Judgement,
    Looked,
    OwnView,
    Pattern,
    Payment,
    PublicView,
    Race,
    RoundOver,
    RoundStarted,
    Score,
)
from robby_games.wild_wild_patterns import well_formed

MOST_DOLLARS = BANK
"""Nobody can be paid more than there is."""
MOST_DUE = 100
"""$ for one seat after one round: far above what all the cards together are worth."""
MOST_MOMENT = 3_600_000
"""Milliseconds: no race lasts an hour."""
MOST_TURN = 100
"""A round has 23 turns at most."""


def _within(most: int, *numbers: int) -> bool:
    return all(0 <= number <= most for number in numbers)


def _cards(cards: Iterable[int]) -> bool:
    held = tuple(cards)
    return len(held) <= PATTERN_CARDS and _within(PATTERN_CARDS - 1, *held)


def _places(places: tuple[int, ...]) -> bool:
    return len(places) <= PLACES and _within(PLACES - 1, *places)


def _seats(seats: tuple[int, ...], most: int = MOST_SEATS) -> bool:
    return len(seats) <= most and _within(most - 1, *seats)


def _targets(targets: tuple[int, ...]) -> bool:
    return len(targets) <= MOST_SEATS and _within(TARGETS - 1, *targets)


def _race(race: Race, seats: int = MOST_SEATS) -> bool:
    times = [moment for one in race.entrants for moment in (one.arrival, one.credit, one.moment)]
    racing = tuple(one.seat for one in race.entrants)
    return _seats(racing, seats) and race.winner in racing and _within(MOST_MOMENT, *times)


def _pattern(pattern: Pattern | None) -> bool:
    return pattern is None or well_formed(pattern)


def _judgement(judgement: Judgement, seats: int = MOST_SEATS) -> bool:
    places = _places(judgement.involved) and _places(judgement.lacking)
    return places and judgement.seat < seats and _pattern(judgement.pattern) and _within(PLACES, judgement.count)


def _payment(payment: Payment) -> bool:
    due = (payment.objects, payment.target, payment.challenges, payment.due)
    return _within(MOST_DUE, *due) and _within(MOST_DOLLARS, payment.paid, payment.coins)


def _scores(scores: tuple[Score, ...], seats: int = MOST_SEATS) -> bool:
    return len(scores) <= seats and all(
        score.seat < seats and _within(MOST_DOLLARS, score.coins) and 1 <= score.place <= seats for score in scores
    )


def sound_view(public: PublicView, own: OwnView | None) -> bool:
    """Whether a view names nothing that there cannot be."""
    seats = len(public.participants)
    if not FEWEST_SEATS <= seats <= MOST_SEATS or len(public.wheel) != PLACES:
        return False
    named = [public.active, public.shooter, None if own is None else own.seat]
    return (
        all(seat is None or seat < seats for seat in named)
        and _within(MOST_ROUNDS, public.round, public.rounds)
        and _within(MOST_TURN, public.turn)
        and _within(CARDS, public.deck, public.takes)
        and _cards(public.discard)
        and _within(CHALLENGE_CARDS, public.removed, *[one.challenges for one in public.participants])
        and _within(MOST_DOLLARS, public.bank, *[one.coins for one in public.participants])
        and _targets(tuple(one.target for one in public.participants))
        and all(_cards(one.won) for one in public.participants)
        and (public.race is None or _race(public.race, seats))
        and (public.judgement is None or _judgement(public.judgement, seats))
        and _scores(public.scores or (), seats)
    )


def sound_event(event: Any) -> bool:
    """Whether an event names nothing that there cannot be. What its type says already is not asked again."""
    match event:
        case GameStarted():
            return (
                FEWEST_SEATS <= event.seats <= MOST_SEATS
                and 1 <= event.rounds <= MOST_ROUNDS
                and _within(MOST_DOLLARS, event.bank)
            )
        case RoundStarted():
            return (
                1 <= event.round <= MOST_ROUNDS
                and len(event.wheel) == PLACES
                and _cards(event.wheel)
                and _targets(event.targets)
                and _within(CARDS, event.removed, event.deck)
            )
        case Dealt():
            return _within(MOST_TURN, event.turn) and _within(CARDS, event.deck)
        case Looked():
            return _seats(event.duel)
        case Covered() | Grabbed():
            return _race(event.race)
        case Judged():
            return _judgement(event.judgement)
        case Filled():
            return len(event.laid) <= PLACES and _cards(event.left) and _within(CARDS, event.removed, event.deck)
        case DuelOver():
            judged = event.judgement is None or _judgement(event.judgement)
            return judged and _within(CARDS, event.removed, event.deck)
        case RoundOver():
            paid = len(event.payments) <= MOST_SEATS and all(map(_payment, event.payments))
            return paid and _within(MOST_DOLLARS, event.bank)
        case GameOver():
            return _scores(event.scores)
        case _:
            return True


def sound_action(action: Any, public: PublicView) -> bool:
    """Whether an action that is offered in this view names nothing that there cannot be."""
    return not isinstance(action, Declare) or well_formed(Pattern(action.side, action.a, action.b))
