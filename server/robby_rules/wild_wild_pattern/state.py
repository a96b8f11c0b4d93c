"""A game of Wild Wild Pattern at one moment, as an immutable value, and what a step gathers while it is made.

Whatever is kept by player is a tuple by seat; whatever by place of the Wheel, clockwise from the top.
"""

from typing import Final

from msgspec import Struct

from robby_games.wild_wild_pattern import Judgement, Limits, Race, Score
from robby_rules.chance import Chance
from robby_rules.interface import Step

READY: Final = "ready"
SHOOTOUT: Final = "shootout"
DECLARE: Final = "declare"
TAKE: Final = "take"
GRAB: Final = "grab"
NAMING: Final = "name"
OVER: Final = "over"

NOBODY: Final = -1
NO_PLACE: Final = -1


class Setting(Struct, frozen=True, gc=False):
    """What stays the same for the whole game."""

    seats: int
    rounds: int
    limits: Limits


class Cards(Struct, frozen=True, gc=False, kw_only=True):
    """Where the 47 cards are.

    deck: the top card first. wheel: the card on top of each place, None for an empty one. covered: the card under the
    one that was played, None if there is none. hands: each seat's card, None for none. won: pattern cards of each seat,
    oldest first; challenges: its challenge cards. discard: pattern cards. removed: challenge cards out of the round.
    prize: the challenge card that a duel is about.
    """

    deck: tuple[int, ...]
    wheel: tuple[int | None, ...]
    hands: tuple[int | None, ...]
    won: tuple[tuple[int, ...], ...]
    challenges: tuple[tuple[int, ...], ...]
    discard: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    covered: int | None = None
    prize: int | None = None


class Entry(Struct, frozen=True, gc=False):
    """One who has entered a race. place: what the shot covers, NO_PLACE for a grab. at, credit: of the stamp.

    moment: what counts, in match time. The state keeps entries in the order of seats.
    """

    seat: int
    place: int
    at: int
    credit: int
    moment: int


class State(Struct, frozen=True, gc=False, kw_only=True):
    """Everything.

    phase: one of the names above. serial: how many phases there have been. began: match time of the phase's beginning.
    pending: the seats asked something, sorted. absent: the seats that nobody plays; no limit depends on it.
    coins: what each seat has; bank: what is left. targets: each seat's target card.
    ready, clicked: who has said so in this turn. slowed: who may not cover in the first moments of the next shoot-out;
    opened: in this shoot-out these moments have passed.
    entries: of the race that is open. rival: the largest claim that an entrant's rival could still make, milliseconds.
    race: the last one decided in this turn. shown: match time from which its moments count.
    shooter, played: who has covered which place, NOBODY and NO_PLACE before; in a duel the shooter is who has grabbed.
    last_shooter: who has covered last in the round, NOBODY if nobody has.
    takers: who takes a card, one entry for each still to take. forbidden: a place that gives nothing, or NO_PLACE.
    scores: once over, best first.
    """

    setting: Setting
    cards: Cards
    phase: str
    serial: int
    began: int
    round: int
    turn: int
    pending: tuple[int, ...]
    absent: tuple[bool, ...]
    coins: tuple[int, ...]
    bank: int
    targets: tuple[int, ...]
    slowed: tuple[bool, ...]
    ready: tuple[bool, ...]
    clicked: tuple[bool, ...]
    opened: bool = False
    entries: tuple[Entry, ...] = ()
    rival: int = 0
    race: Race | None = None
    shown: int = 0
    shooter: int = NOBODY
    played: int = NO_PLACE
    last_shooter: int = NOBODY
    judgement: Judgement | None = None
    takers: tuple[int, ...] = ()
    forbidden: int = NO_PLACE
    scores: tuple[Score, ...] | None = None


WildStep = Step[State]


class Run(Struct, gc=False):
    """What one step is made with and gathers: its moment, its chance, and its events as they come together.

    auto: the clock decided.
    """

    at: int
    chance: Chance
    public: list[Struct]
    private: list[tuple[int, Struct]]
    auto: bool = False

    def step(self, state: State, only: int | None = None) -> WildStep:
        """The step that led to this state with these events."""
        return Step(state, tuple(self.public), tuple(self.private), only)


def new_run(at: int, chance: Chance, *, auto: bool = False) -> Run:
    """Nothing has happened yet."""
    return Run(at, chance, [], [], auto)


def with_seat(values: tuple[bool, ...], seat: int) -> tuple[bool, ...]:
    """The same with True for one seat."""
    return (*values[:seat], True, *values[seat + 1 :])
