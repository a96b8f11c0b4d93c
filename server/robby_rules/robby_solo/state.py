"""A game of Robby Solo at one moment, as an immutable value, and the small changes that all of its rules use.

Participants are 0 … n−1 by seat, then Robby Junior where he plays. Whatever is kept by participant is a tuple in that
order. Bots try out many games: positional construction, shared parts and ready-made answers keep a step at a few
microseconds.
"""

from typing import Final

from msgspec import Struct

from robby_games.robby_solo import Declaration, Limits, Score
from robby_rules.interface import Step

SUPPLY: Final = "supply"
PLAYS: Final = "plays"
GENTLEMAN: Final = "gentleman"
REVISION: Final = "revision"
POLICE: Final = "police"
OVER: Final = "over"

NONE: Final = "none"
LAID: Final = "laid"
TAKEN_BACK: Final = "taken_back"
LAID_AGAIN: Final = "laid_again"
CONFIRMED: Final = "confirmed"

NO_BANK: Final = -1
NO_CARD: Final = 0
PRESENT: Final = -1


class Setting(Struct, frozen=True, gc=False):
    """What stays the same for the whole game.

    absent_limits: the limits for a seat that nobody plays, where the table itself is untimed.
    """

    seats: int
    participants: int
    banks: int
    junior: bool
    open_loot: bool
    max_rounds: int
    limits: Limits
    absent_limits: Limits | None


class Loot(Struct, frozen=True, gc=False):
    """Where the loot cards are, and whose turn it is to be the Gentleman: what a round leaves to the next.

    deck: the top card first. banks, stacks: the oldest card first. junior: his heist cards (banks), the top one first.
    """

    round: int
    gentleman: int
    deck: tuple[int, ...]
    banks: tuple[tuple[int, ...], ...]
    stacks: tuple[tuple[int, ...], ...]
    junior: tuple[int, ...]


class Visit(Struct, frozen=True, gc=False):
    """The police at a bank, waiting for items to be chosen.

    payers: clockwise from the Gentleman. chosen: by participant, NO_CARD for none yet.
    """

    bank: int
    payers: tuple[int, ...]
    chosen: tuple[int, ...]


class State(Struct, frozen=True, gc=False):
    """Everything.

    phase: one of the names above. serial: how many phases there have been. began: match time of the phase's beginning.
    cards: the bank of each participant's heist card, NO_BANK for none; one taken back is still named here, as it
        would lie again at the deadline. marks: what all see of it.
    pending: the seats asked something, sorted. revealed: the cards have been turned.
    absent: since when nobody plays a seat, PRESENT if somebody does. scores: once over, best first.
    """

    setting: Setting
    loot: Loot
    phase: str
    serial: int
    began: int
    cards: tuple[int, ...]
    marks: tuple[str, ...]
    pending: tuple[int, ...]
    absent: tuple[int, ...]
    declaration: Declaration | None = None
    reveal_open: bool = False
    revealed: bool = False
    visit: Visit | None = None
    scores: tuple[Score, ...] | None = None


SoloStep = Step[State]


class Tale(Struct, gc=False):
    """The events of one step as they come together; the one thing here that is filled step by step."""

    public: list[Struct]
    private: list[tuple[int, Struct]]

    def step(self, state: State) -> SoloStep:
        """The step that led to this state with these events."""
        return Step(state, tuple(self.public), tuple(self.private))


def new_tale() -> Tale:
    """No events yet."""
    return Tale([], [])
