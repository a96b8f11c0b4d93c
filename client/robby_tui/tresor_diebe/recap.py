"""What happened last at the table, gathered from the events: the last turn's end and a round's. Knows no widgets.

After a turn the view shows the next player, without dice, already; people still want to see what came of the last one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from robby_games.tresor_diebe import Failed, GameOver, Opened, Passed, RoundEnded, Thrown


@dataclass(frozen=True)
class Turn:
    """A turn that is over. dice: as they lay at its end, empty after a pass. throws: how many were made."""

    end: Opened | Failed | Passed
    dice: tuple[int, ...] = ()
    throws: int = 0


@dataclass(frozen=True)
class Recap:
    """What is kept.

    last: the newest turn that is over. ended: the round that it ended. fields: what each ended round brought, by seat.
    thrown: the newest throw of the running turn. over: the end of the game.
    """

    last: Turn | None = None
    ended: RoundEnded | None = None
    fields: tuple[tuple[int, ...], ...] = ()
    thrown: Thrown | None = None
    over: GameOver | None = None


def newest_throw(events: Iterable[Any]) -> Thrown | None:
    """The last throw among these events; None if there is none."""
    return next((event for event in reversed(list(events)) if isinstance(event, Thrown)), None)


def gather(recap: Recap, events: Iterable[Any]) -> Recap:
    """The recap once these events have happened too."""
    for event in events:
        match event:
            case Thrown():
                recap = replace(recap, thrown=event)
            case Passed():
                recap = replace(recap, last=Turn(event), ended=None, thrown=None)
            case Opened() | Failed():
                thrown = recap.thrown
                turn = Turn(event) if thrown is None else Turn(event, thrown.dice, thrown.throw)
                recap = replace(recap, last=turn, ended=None, thrown=None)
            case RoundEnded():
                recap = replace(recap, ended=event, fields=(*recap.fields, event.fields))
            case GameOver():
                recap = replace(recap, over=event)
            case _:
                pass
    return recap
