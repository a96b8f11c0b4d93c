"""The one interface behind which every game's rules stand.

A `Rules` object has no state of its own. A state is an immutable value: `apply` and its kin return a new one and never
change the old, so a refused action leaves everything as it was. What a seat may see is made by `view` alone.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from robby_protocol.errors import ILLEGAL_ACTION
from robby_rules.chance import Chance

StateT = TypeVar("StateT")


class Stamp(NamedTuple):
    """When an input was received, in milliseconds since the match began.

    credit: what a race takes off for the way of this seat's connection. rival: the largest credit that an input of
    any other seat, still on its way, could have. Both in milliseconds, 0 outside races.
    """

    at: int
    credit: int = 0
    rival: int = 0


class Step(Struct, Generic[StateT], frozen=True, gc=False):
    """What an input led to.

    public: events that all may see, in order. private: (seat, event) pairs for one seat each.
    only: the one seat that may notice; then there are no public events, and all views, timers and decisions but that
    seat's own are as before. Nobody else is told that anything has happened: who races must not hear the rivals.
    """

    state: StateT
    public: tuple[Struct, ...]
    private: tuple[tuple[int, Struct], ...] = ()
    only: int | None = None


class Timer(NamedTuple):
    """The phase's limit as people see it. ends_at, opens_at: match time. total: the whole length, milliseconds.

    opens_at: when something more becomes allowed in the same phase, if that is still to come.
    """

    ends_at: int
    total: int
    opens_at: int | None = None


class Result(NamedTuple):
    """One participant's result. seat: None for a participant without a seat, who then has a name of its own."""

    seat: int | None
    score: int
    winner: bool
    name: str = ""


class IllegalActionError(Exception):
    """The rules refuse an action. code: one of robby_protocol.errors; details: of it. The state is as it was."""

    def __init__(self, code: str = ILLEGAL_ACTION, **details: int) -> None:
        super().__init__(code)
        self.code = code
        self.details = details


class BadOptionsError(Exception):
    """Options and number of seats do not fit. field: which option; reason: a translated sentence with the remedy."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class Rules(Protocol[StateT]):
    """A game's rules. Seats are 0 … n−1. Actions, events and views are the game's types in `robby_games`."""

    name: ClassVar[str]
    version: ClassVar[int]
    races: ClassVar[bool]
    """Whether being first ever counts; if not, no stamp carries credit."""

    def check(self, options: Any, seats: int) -> None:
        """Raise BadOptionsError where this number of seats cannot play with these options."""
        ...

    def setup(self, options: Any, seats: int, chance: Chance) -> Step[StateT]:
        """The state at match time 0, and the first events."""
        ...

    def pending(self, state: StateT) -> tuple[int, ...]:
        """The seats that owe or may make a decision now, sorted. Empty only once `outcome` is known."""
        ...

    def legal(self, state: StateT, seat: int) -> Sequence[Any]:
        """All actions this seat may take now, in a fixed order; empty if it is not pending."""
        ...

    def apply(self, state: StateT, seat: int, action: Any, stamp: Stamp, chance: Chance) -> Step[StateT]:
        """Take an action. Raises IllegalActionError."""
        ...

    def phase(self, state: StateT) -> int:
        """A number that grows whenever the question changes for everyone; answers to an earlier phase are stale."""
        ...

    def deadline(self, state: StateT) -> int | None:
        """The next moment of match time at which `expire` must be called; None if no limit runs."""
        ...

    def expire(self, state: StateT, stamp: Stamp, chance: Chance) -> Step[StateT]:
        """What happens when the deadline is reached. Always makes progress."""
        ...

    def late_by(self, state: StateT, action: Any, stamp: Stamp) -> int | None:
        """By how many milliseconds an action that comes after a race lost it; None: there was none that it is for."""
        ...

    def presence(self, state: StateT, seat: int, absent: bool, stamp: Stamp) -> StateT:
        """Nobody plays this seat any more, or somebody does again. Changes time limits at most."""
        ...

    def timer(self, state: StateT, seat: int | None) -> Timer | None:
        """The running limit as this seat (None: a spectator) is to be shown it."""
        ...

    def view(self, state: StateT, seat: int | None) -> tuple[Struct, Struct | None]:
        """(public, own): what all see, the same for every seat, and what this seat sees besides (a spectator: None)."""
        ...

    def outcome(self, state: StateT) -> tuple[Result, ...] | None:
        """The results by participant once the game has ended."""
        ...
