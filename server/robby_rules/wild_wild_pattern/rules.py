"""Wild Wild Pattern behind the interface that all games share."""

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from robby_games.wild_wild_pattern import (
    NAME,
    PLACES,
    Action,
    Click,
    Cover,
    Declare,
    Grab,
    NoPattern,
    Options,
    Pattern,
    Ready,
    Take,
)
from robby_games.wild_wild_patterns import ALL, well_formed
from robby_protocol.errors import MALFORMED_ACTION
from robby_rules.chance import Chance
from robby_rules.interface import IllegalActionError, Result, Stamp, Timer
from robby_rules.wild_wild_pattern import clock, house
from robby_rules.wild_wild_pattern.race import late_by
from robby_rules.wild_wild_pattern.shootout import declare, end_race, permitted, say_ready, shoot, take
from robby_rules.wild_wild_pattern.state import (
    DECLARE,
    GRAB,
    NAMING,
    READY,
    SHOOTOUT,
    TAKE,
    Run,
    State,
    WildStep,
    new_run,
)
from robby_rules.wild_wild_pattern.views import own_view, public_view

_READY: tuple[Action, ...] = (Ready(),)
_CLICK: tuple[Action, ...] = (Click(),)
_SHOOT: tuple[Action, ...] = (*[Cover(place) for place in range(PLACES)], Click())
_GRAB: tuple[Action, ...] = (Grab(),)
_DECLARE: tuple[Action, ...] = tuple(Declare(one.side, one.a, one.b) for one in ALL)
_NAMING: tuple[Action, ...] = (*_DECLARE, NoPattern())


class WildWildPattern:
    """The rules of Wild Wild Pattern. Stateless; see `interface.Rules` for what each method means."""

    name: ClassVar[str] = NAME
    version: ClassVar[int] = 1
    races: ClassVar[bool] = True

    def check(self, options: Options, seats: int) -> None:
        """Raise BadOptionsError where so many cannot play."""
        house.check(seats)

    def setup(self, options: Options, seats: int, chance: Chance) -> WildStep:
        """The first round's first cards are dealt, face down."""
        return house.set_up(options, seats, chance)

    def pending(self, state: State) -> tuple[int, ...]:
        """The seats that owe or may make a decision now. Whoever has shot or clicked is not among them."""
        return state.pending

    def legal(self, state: State, seat: int) -> Sequence[Action]:
        """All actions open to the seat: places clockwise from the top; all 224 declarations that are well-formed."""
        if seat not in state.pending:
            return ()
        phase = state.phase
        if phase == READY:
            return _READY
        if phase == SHOOTOUT:
            return _SHOOT if _may_cover(state, seat) else _CLICK
        if phase == GRAB:
            return _GRAB
        if phase == TAKE:
            return tuple([Take(place) for place in permitted(state)])
        return _DECLARE if phase == DECLARE else _NAMING

    def apply(self, state: State, seat: int, action: Any, stamp: Stamp, chance: Chance) -> WildStep:
        """Take an action. Raises IllegalActionError."""
        if seat not in state.pending:
            raise IllegalActionError
        run = new_run(stamp.at, chance)
        phase, kind = state.phase, type(action)
        if phase == SHOOTOUT and kind is Cover and 0 <= action.place < PLACES and _may_cover(state, seat):
            return shoot(state, seat, action.place, stamp, run)
        if phase == GRAB and kind is Grab:
            return house.grab(state, seat, stamp, run)
        return run.step(_take_action(state, seat, action, run))

    def phase(self, state: State) -> int:
        """Counts the phases since the beginning; each card that is taken is one."""
        return state.serial

    def deadline(self, state: State) -> int | None:
        """The phase's end, the decision of an open race, or the end of a handicap, whichever comes first."""
        return clock.deadline(state)

    def expire(self, state: State, stamp: Stamp, chance: Chance) -> WildStep:
        """What the clock decides."""
        run = new_run(stamp.at, chance, auto=True)
        return run.step(clock.expire(state, run))

    def late_by(self, state: State, action: Any, stamp: Stamp) -> int | None:
        """Behind whoever covered or grabbed first in this turn."""
        return late_by(state, stamp) if type(action) in (Cover, Grab) else None

    def presence(self, state: State, seat: int, absent: bool, stamp: Stamp) -> State:
        """Whether somebody plays the seat. All limits run anyway, so nothing depends on it."""
        if not state.pending or absent == state.absent[seat]:
            return state
        return msgspec.structs.replace(state, absent=(*state.absent[:seat], absent, *state.absent[seat + 1 :]))

    def timer(self, state: State, seat: int | None) -> Timer | None:
        """The phase's limit, and to whoever is slowed, when covering opens."""
        return clock.timer(state, seat)

    def view(self, state: State, seat: int | None) -> tuple[Struct, Struct | None]:
        """(public, own)."""
        return public_view(state), None if seat is None else own_view(state, seat)

    def outcome(self, state: State) -> tuple[Result, ...] | None:
        """By seat; a Wild Wild Pattern wins whatever the others have."""
        if state.scores is None:
            return None
        return tuple(
            Result(line.seat, line.coins, line.winner) for line in sorted(state.scores, key=lambda line: line.seat)
        )


def _may_cover(state: State, seat: int) -> bool:
    return state.opened or not state.slowed[seat]


def _take_action(state: State, seat: int, action: Any, run: Run) -> State:
    phase = state.phase
    match action:
        case Ready() if phase == READY:
            return say_ready(state, seat, run)
        case Click() if phase == SHOOTOUT:
            return _click(state, seat, run)
        case Take() if phase == TAKE and action.place in permitted(state):
            return take(state, action.place, run)
        case NoPattern() if phase == NAMING:
            return house.name_none(state, run)
        case Declare() if phase in (DECLARE, NAMING):
            pattern = Pattern(action.side, action.a, action.b)
            if action.side not in ("before", "after") or not well_formed(pattern):
                raise IllegalActionError(MALFORMED_ACTION)
            return declare(state, pattern, run) if phase == DECLARE else house.name_pattern(state, pattern, run)
        case _:
            raise IllegalActionError


def _click(state: State, seat: int, run: Run) -> State:
    """Nobody is left who could still shoot: whoever has shot was first, or nobody has."""
    state = house.click(state, seat, run)
    if state.pending:
        return state
    return end_race(state, run) if state.entries else house.nobody_shot(state, run)
