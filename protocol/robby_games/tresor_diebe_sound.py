"""Whether what somebody sent about Tresor Diebe makes sense: every seat, safe, die and field is one that there can be.

The types alone do not say it: a tuple of integers may hold seven dice. A client asks before it keeps anything, so that
whatever draws, tells or plays by it may rely on it. Knows no rules: whether it is true only the server knows.
"""

from typing import Any

from robby_games.tresor_diebe import (
    BOARD,
    DICE,
    FIRST_SAFE,
    LAST_FIELD,
    LAST_SAFE,
    MARKERS,
    NOBODY,
    SIDES,
    THROWS,
    Again,
    Failed,
    GameOver,
    GameStarted,
    Opened,
    OwnView,
    PublicView,
    RoundBegan,
    RoundEnded,
    Score,
    Thrown,
    most_idle,
)

FEWEST, MOST = 2, 4
"""Players."""
MOST_ROUNDS = 5
MOST_TOTAL = MOST_ROUNDS * LAST_FIELD
PHASES = ("turn", "thrown", "over")


def _within(numbers: tuple[int, ...], least: int, most: int) -> bool:
    return all(least <= number <= most for number in numbers)


def _dice(dice: tuple[int, ...]) -> bool:
    return len(dice) == DICE and _within(dice, 1, SIDES)


def _places(places: tuple[int, ...]) -> bool:
    """Each once, from the left."""
    return bool(places) and _within(places, 0, DICE - 1) and list(places) == sorted(set(places))


def _safe(safe: int) -> bool:
    return FIRST_SAFE <= safe <= LAST_SAFE


def _by_seat(numbers: tuple[int, ...], most: int, players: int | None = None) -> bool:
    count = len(numbers)
    return (FEWEST <= count <= MOST if players is None else count == players) and _within(numbers, 0, most)


def _scores(scores: tuple[Score, ...], players: int = MOST) -> bool:
    return len(scores) <= players and all(
        score.seat < players
        and len(score.points) <= MOST_ROUNDS
        and _within(score.points, 0, LAST_FIELD)
        and 0 <= score.total <= MOST_TOTAL
        and 1 <= score.place <= players
        for score in scores
    )


def sound_view(public: PublicView, own: OwnView | None) -> bool:
    """Whether a view names nothing that there cannot be."""
    players = len(public.fields)
    lying = public.phase == "thrown"
    return (
        FEWEST <= players <= MOST
        and public.phase in PHASES
        and 1 <= public.round <= public.rounds <= MOST_ROUNDS
        and max(public.turn, public.starter, 0 if own is None else own.seat) < players
        and len(public.safes) == len(BOARD)
        and _within(public.safes, NOBODY, players - 1)
        and (_dice(public.dice) and 1 <= public.throws < THROWS if lying else not (public.dice or public.throws))
        and _by_seat(public.fields, LAST_FIELD, players)
        and _by_seat(public.totals, MOST_TOTAL, players)
        and _by_seat(public.markers, MARKERS, players)
        and 0 <= public.passes <= players
        and 0 <= public.idle <= most_idle(players)
        and _scores(public.scores or (), players)
    )


def sound_event(event: Any) -> bool:
    """Whether an event names nothing that there cannot be. What its type says already is not asked again."""
    match event:
        case GameStarted():
            return FEWEST <= event.players <= MOST and 1 <= event.rounds <= MOST_ROUNDS
        case RoundBegan():
            return 1 <= event.round <= MOST_ROUNDS and len(event.drawn) <= MOST and _within(event.drawn, 0, MOST - 1)
        case Thrown():
            return 1 <= event.throw <= THROWS and _dice(event.dice) and _places(event.again)
        case Opened():
            fields = (event.before, event.field)
            return _safe(event.safe) and event.value in BOARD and _within(fields, 0, LAST_FIELD)
        case Failed():
            return _safe(event.safe) and _within((event.before, event.field), 0, LAST_FIELD)
        case RoundEnded():
            players = len(event.fields)
            return (
                1 <= event.round <= MOST_ROUNDS
                and _by_seat(event.fields, LAST_FIELD)
                and _by_seat(event.totals, MOST_TOTAL, players)
            )
        case GameOver():
            return _scores(event.scores)
        case _:
            return True


def sound_action(action: Any, public: PublicView) -> bool:
    """Whether an action that is offered in this view names nothing that there cannot be."""
    return not isinstance(action, Again) or _places(action.dice)
