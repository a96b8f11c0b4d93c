"""What the events tell beyond the view: the Wheel on which a pattern was judged, and who was dealt a challenge card.

The next turn begins in the same moment, so the view no longer shows it; people still want to see it. The Wheel is
followed from the match's first event, so it is right after a reconnect too. Knows no widgets and no rules.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from robby_games.wild_wild_pattern import (
    PLACES,
    Covered,
    Discarded,
    DuelOver,
    Filled,
    Judged,
    Judgement,
    Looked,
    PlaceView,
    RoundOver,
    RoundStarted,
    Taken,
)

Wheel = tuple[PlaceView, ...]


@dataclass(frozen=True)
class Scene:
    """A judgement, and the Wheel as it lay then. played: the place that was covered; None in a duel."""

    wheel: Wheel
    judgement: Judgement
    played: int | None


@dataclass(frozen=True)
class Told:
    """What was told so far.

    wheel: as it lies now. judged: this turn's judgement, and the turn's before until all look again. duel: the seats
    that were dealt a challenge card in this turn. laid: the places that the end of the last turn filled. paid: the
    round that has just ended, until all look again.
    """

    wheel: Wheel = (PlaceView(None),) * PLACES
    judged: Scene | None = None
    duel: tuple[int, ...] = ()
    played: int | None = None
    laid: frozenset[int] = frozenset()
    paid: RoundOver | None = None


def gather(told: Told, events: Iterable[Any]) -> Told:
    """What was told once these events have happened too."""
    for event in events:
        told = _after(told, event)
    return told


def _after(told: Told, event: Any) -> Told:
    match event:
        case RoundStarted():
            return Told(tuple(map(PlaceView, event.wheel)), told.judged, paid=told.paid)
        case RoundOver():
            return replace(told, paid=event)
        case Looked():
            return Told(told.wheel, duel=event.duel, laid=told.laid)
        case Covered():
            return Told(_with(told.wheel, event.place, PlaceView(event.card, event.covered)), played=event.place)
        case Judged():
            return Told(told.wheel, Scene(told.wheel, event.judgement, told.played), played=told.played)
        case DuelOver():
            scene = None if event.judgement is None else Scene(told.wheel, event.judgement, None)
            return Told(told.wheel, scene)
        case Taken() | Discarded():
            left = _without(told.wheel[event.place], event.card)
            return Told(_with(told.wheel, event.place, left), told.judged, played=told.played)
        case Filled():
            wheel = told.wheel
            for one in event.laid:
                wheel = _with(wheel, one.place, PlaceView(one.card))
            return Told(wheel, told.judged, laid=frozenset(one.place for one in event.laid))
        case _other:
            return told


def _with(wheel: Wheel, place: int, view: PlaceView) -> Wheel:
    return (*wheel[:place], view, *wheel[place + 1 :])


def _without(view: PlaceView, card: int) -> PlaceView:
    """A place from which this card has gone: the top one, or the one under it."""
    return PlaceView(view.covered if card == view.card else view.card)
