"""What a game has to tell the conformance suite, as types."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from msgspec import Struct

from robby_rules.chance import Chance
from robby_rules.interface import Step


class Setting(NamedTuple):
    """Options and a number of seats."""

    options: dict[str, Any]
    seats: int


class Twin(NamedTuple):
    """A state that differs from another in hidden things alone.

    entitled: the seats that may see the difference. until: types of public events that show it by right.
    """

    what: str
    state: Any
    entitled: frozenset[int]
    until: frozenset[str]


def _nobody(_state: Any) -> int | None:
    return None


@dataclass(frozen=True)
class GameKit:
    """One game's part in the suite.

    settings: what to play. silent: what to play with nobody there. conserved: raises AssertionError if pieces were
    lost or made. rare: states to begin from, with their settings, of moments that random play hardly finds. twins: of
    a state. phases: the names (by `phase_of`) in which twins must have been found; empty: nothing is ever hidden.
    simultaneous: several seats are asked at once. races: being first counts, and who races is hidden for a moment.
    at_once: the seat that has won whatever the scores say, in a state that is over.
    """

    settings: tuple[Setting, ...]
    silent: tuple[Setting, ...]
    conserved: Callable[[Any, Any], None]
    rare: Callable[[random.Random], Iterator[tuple[Any, Setting]]]
    twins: Callable[[Any, random.Random], Iterator[Twin]]
    phase_of: Callable[[Any], str]
    phases: frozenset[str]
    simultaneous: bool = True
    races: bool = False
    at_once: Callable[[Any], int | None] = _nobody


def new_chance(rng: random.Random) -> Chance:
    """A random source for one game."""
    return Chance(rng.randbytes(32))


def phase_of(state: Any) -> str:
    """The phase's name, where a state keeps it as such."""
    phase: str = state.phase
    return phase


class Stepped:
    """A game that a test plays step by step. step: the last one."""

    step: Step[Any]

    @property
    def public(self) -> tuple[Any, ...]:
        """The events of the last step."""
        return self.step.public

    def told(self, kind: type[Struct]) -> list[Any]:
        """The last step's public events of a kind."""
        return [event for event in self.step.public if isinstance(event, kind)]
