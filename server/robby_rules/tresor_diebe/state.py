"""A game of Tresor Diebe at one moment, as an immutable value. Whatever is kept by player is a tuple by seat."""

from typing import Final

from msgspec import Struct

from robby_games.tresor_diebe import MARKERS, Score
from robby_rules.interface import Step

TURN: Final = "turn"
THROWN: Final = "thrown"
OVER: Final = "over"

PRESENT: Final = -1


class Setting(Struct, frozen=True, gc=False):
    """What stays the same for the whole game.

    limit: of each decision, None for none. absent_limit: for a seat that nobody plays, where the table is untimed.
    """

    seats: int
    rounds: int
    odds: bool
    limit: int | None
    absent_limit: int | None


class State(Struct, frozen=True, gc=False, kw_only=True):
    """Everything.

    round: counts from 1. serial: how many decisions there have been. began: match time at which this one began.
    owners: of each safe from safe 5 on, NOBODY for a free one. throws: made in this turn; dice: empty before the first.
    passes: one after another until now. idle: turns one after another in which no safe was opened.
    absent: since when nobody plays a seat, PRESENT if somebody does.
    points: of each round that is over, by seat. scores: once over, best first.
    """

    setting: Setting
    round: int
    starter: int
    turn: int
    serial: int
    began: int
    owners: tuple[int, ...]
    fields: tuple[int, ...]
    absent: tuple[int, ...]
    dice: tuple[int, ...] = ()
    throws: int = 0
    passes: int = 0
    idle: int = 0
    points: tuple[tuple[int, ...], ...] = ()
    scores: tuple[Score, ...] | None = None

    @property
    def phase(self) -> str:
        """One of the names above."""
        if self.scores is not None:
            return OVER
        return THROWN if self.throws else TURN

    @property
    def totals(self) -> tuple[int, ...]:
        """The points of the rounds that are over, by seat."""
        return tuple(sum(points[seat] for points in self.points) for seat in range(self.setting.seats))


DiebeStep = Step[State]


def markers_left(state: State, seat: int) -> int:
    """How many markers the player has not used in this round."""
    return MARKERS - state.owners.count(seat)
