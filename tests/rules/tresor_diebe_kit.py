"""What the tests of Tresor Diebe share: a driver that lays out cases and loads the dice, and what is never lost."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import msgspec
from msgspec import Struct

from robby_games.tresor_diebe import (
    BOARD,
    FIRST_SAFE,
    LAST_FIELD,
    MARKERS,
    NOBODY,
    Again,
    Options,
    Pass,
    Stop,
    Throw,
    most_idle,
)
from robby_rules.chance import Chance
from robby_rules.interface import IllegalActionError, Stamp, Step
from robby_rules.tresor_diebe import TresorDiebe
from robby_rules.tresor_diebe.state import State
from tests.rules.game_kit import Stepped

DIEBE = TresorDiebe()


class Loaded(Chance):
    """Dice that fall as a case wants them; unwanted ones come from the stream."""

    def __init__(self, key: bytes = bytes(range(32))) -> None:
        super().__init__(key)
        self.wanted: list[int] = []

    def below(self, n: int) -> int:
        if n == 6 and self.wanted:
            return self.wanted.pop(0) - 1
        return super().below(n)


class Heist(Stepped):
    """A game that a test plays by hand, straight on the rules. Seat 0 begins unless it is said otherwise."""

    def __init__(self, seats: int = 2, *, turn: int = 0, **options: Any) -> None:
        self.chance = Loaded()
        self.at = 0
        self.step: Step[State] = DIEBE.setup(Options(**options), seats, self.chance)
        self.rig(starter=turn, turn=turn)

    @property
    def state(self) -> State:
        return self.step.state

    def rig(self, *, opened: Mapping[int, int] | None = None, **changes: Any) -> "Heist":
        """Lay the table as the case needs it. opened: the owner by safe; all others are free then."""
        if opened is not None:
            owners = [NOBODY] * len(BOARD)
            for safe, owner in opened.items():
                owners[safe - FIRST_SAFE] = owner
            changes["owners"] = tuple(owners)
        self.step = Step(msgspec.structs.replace(self.state, **changes), self.public)
        return self

    def act(self, action: Struct) -> "Heist":
        """By whoever is on turn."""
        self.step = DIEBE.apply(self.state, self.state.turn, action, Stamp(self.at), self.chance)
        return self

    def throw(self, *dice: int) -> "Heist":
        self.chance.wanted = list(dice)
        return self.act(Throw())

    def again(self, places: Sequence[int], *dice: int) -> "Heist":
        self.chance.wanted = list(dice)
        return self.act(Again(tuple(places)))

    def stop(self) -> "Heist":
        return self.act(Stop())

    def passes(self, count: int = 1) -> "Heist":
        for _turn in range(count):
            self.act(Pass())
        return self

    def turn(self, *dice: int) -> "Heist":
        """Throw these once, and stop."""
        return self.throw(*dice).stop()

    def expire(self, at: int | None = None) -> "Heist":
        due = DIEBE.deadline(self.state)
        assert due is not None
        self.at = due if at is None else at
        self.step = DIEBE.expire(self.state, Stamp(self.at), self.chance)
        return self

    def absent(self, seat: int, absent: bool = True) -> "Heist":
        self.step = Step(DIEBE.presence(self.state, seat, absent, Stamp(self.at)), ())
        return self

    def refused(self, action: Struct, seat: int | None = None) -> str:
        """The code with which an action is refused; the state and the dice to come must stay as they are."""
        before, position = self.state, self.chance.position
        who = self.state.turn if seat is None else seat
        try:
            DIEBE.apply(self.state, who, action, Stamp(self.at), self.chance)
        except IllegalActionError as error:
            assert self.state == before
            assert self.chance.position == position
            return error.code
        raise AssertionError("the action was accepted")


def diebe_conserved(options: Options, state: State) -> None:
    """Eleven markers each, on the board or not; thieves on the track; nothing counted beyond where a round ends."""
    seats = state.setting.seats
    public: Any = DIEBE.view(state, None)[0]
    for seat in range(seats):
        assert public.markers[seat] >= 0
        assert public.markers[seat] + state.owners.count(seat) == MARKERS
    assert len(state.owners) == len(BOARD)
    assert set(state.owners) <= {NOBODY, *range(seats)}
    assert all(0 <= field <= LAST_FIELD for field in state.fields)
    assert all(1 <= die <= 6 for die in state.dice)
    assert len(state.dice) == (5 if state.throws else 0)
    assert 0 <= state.throws <= 2
    assert len(state.points) == (options.rounds if state.scores else state.round - 1)
    if state.scores is None:
        assert max(state.fields) < LAST_FIELD
        assert NOBODY in state.owners
        assert state.passes < seats
        assert state.idle < most_idle(seats)
        assert public.markers[state.turn] > 0


FALLS = [Counter(tuple(sorted(fall)) for fall in product(range(1, 7), repeat=count)) for count in range(6)]
"""By number of dice: how many of the 6ⁿ falls give each set."""

Worth = Callable[[tuple[int, ...], int], Fraction]


def reckoning(rewards: tuple[int, ...]) -> tuple[Worth, Worth]:
    """What dice are worth, straight from the definition, in fractions; slow, and independent of what is tested.

    rewards: of each sum from 5 on. Two functions: of sorted dice that lie and the throws left, the best over all that
    can be kept; and of sorted dice that are kept, the mean over all falls of the rest, the next throw counted in left.
    """

    @cache
    def keeping(kept: tuple[int, ...], left: int) -> Fraction:
        falls = FALLS[5 - len(kept)]
        ways = sum(count * worth(tuple(sorted(kept + fall)), left - 1) for fall, count in falls.items())
        return Fraction(ways, 6 ** (5 - len(kept)))

    @cache
    def worth(dice: tuple[int, ...], left: int) -> Fraction:
        if left == 0:
            return Fraction(rewards[sum(dice) - FIRST_SAFE])
        return max(keeping(kept, left) for count in range(6) for kept in set(combinations(dice, count)))

    return worth, keeping
