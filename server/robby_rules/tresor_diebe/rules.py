"""Tresor Diebe behind the interface that all games share."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from robby_games.tresor_diebe import DICE, NAME, Action, Again, Options, OwnView, Pass, Stop, Throw
from robby_rules.chance import Chance
from robby_rules.interface import IllegalActionError, Result, Stamp, Timer
from robby_rules.tresor_diebe import clock
from robby_rules.tresor_diebe.rounds import check, set_up
from robby_rules.tresor_diebe.state import OVER, PRESENT, TURN, DiebeStep, State
from robby_rules.tresor_diebe.turns import ALL_PLACES, pass_turn, stop, throw
from robby_rules.tresor_diebe.views import public_view

_TURN: tuple[Action, ...] = (Pass(), Throw())
_THROWN: tuple[Action, ...] = (
    Stop(),
    *(Again(places) for count in range(1, DICE + 1) for places in combinations(ALL_PLACES, count)),
)


class TresorDiebe:
    """The rules of Tresor Diebe. Stateless; see `interface.Rules` for what each method means."""

    name: ClassVar[str] = NAME
    version: ClassVar[int] = 1
    races: ClassVar[bool] = False

    def check(self, options: Options, seats: int) -> None:
        """Raise BadOptionsError where so many cannot play."""
        check(seats)

    def setup(self, options: Options, seats: int, chance: Chance) -> DiebeStep:
        """The first player of the first round is on turn."""
        return set_up(options, seats, chance)

    def pending(self, state: State) -> tuple[int, ...]:
        """Whose turn it is."""
        return () if state.phase == OVER else (state.turn,)

    def legal(self, state: State, seat: int) -> Sequence[Action]:
        """Pass or throw; then stop, or throw again, the fewest dice first and from the left."""
        if state.phase == OVER or seat != state.turn:
            return ()
        return _TURN if state.phase == TURN else _THROWN

    def apply(self, state: State, seat: int, action: Any, stamp: Stamp, chance: Chance) -> DiebeStep:
        """Take an action. Raises IllegalActionError."""
        if action not in self.legal(state, seat):
            raise IllegalActionError
        told: list[Struct] = []
        match action:
            case Pass():
                state = pass_turn(state, False, stamp.at, chance, told)
            case Throw():
                state = throw(state, ALL_PLACES, stamp.at, chance, told)
            case Again():
                state = throw(state, action.dice, stamp.at, chance, told)
            case _:
                state = stop(state, False, stamp.at, chance, told)
        return DiebeStep(state, tuple(told))

    def phase(self, state: State) -> int:
        """Counts the decisions: each one is asked anew, of one seat."""
        return state.serial

    def deadline(self, state: State) -> int | None:
        """When the running decision ends."""
        return clock.deadline(state)

    def expire(self, state: State, stamp: Stamp, chance: Chance) -> DiebeStep:
        """What the clock decides."""
        told: list[Struct] = []
        state = clock.expire(state, stamp.at, chance, told)
        return DiebeStep(state, tuple(told))

    def late_by(self, state: State, action: Any, stamp: Stamp) -> int | None:
        """Being first never counts."""
        return None

    def presence(self, state: State, seat: int, absent: bool, stamp: Stamp) -> State:
        """Whether somebody plays the seat; matters where the table is untimed."""
        if state.phase == OVER or absent == (state.absent[seat] != PRESENT):
            return state
        since = stamp.at if absent else PRESENT
        return msgspec.structs.replace(state, absent=(*state.absent[:seat], since, *state.absent[seat + 1 :]))

    def timer(self, state: State, seat: int | None) -> Timer | None:
        """The running limit."""
        return clock.timer(state, seat)

    def view(self, state: State, seat: int | None) -> tuple[Struct, Struct | None]:
        """(public, own)."""
        return public_view(state), None if seat is None else OwnView(seat)

    def outcome(self, state: State) -> tuple[Result, ...] | None:
        """By seat."""
        if state.scores is None:
            return None
        return tuple(
            Result(line.seat, line.total, line.winner) for line in sorted(state.scores, key=lambda line: line.seat)
        )
