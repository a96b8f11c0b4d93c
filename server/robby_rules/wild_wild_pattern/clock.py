"""What time does: limits, when something opens, when a race is decided, and what is decided for those who did not.

All times are milliseconds of match time; nothing here reads a clock.
"""

from msgspec import structs

from robby_games.wild_wild_pattern import HANDICAP_MS, Limits
from robby_rules.interface import Timer
from robby_rules.wild_wild_pattern import house
from robby_rules.wild_wild_pattern.race import closes
from robby_rules.wild_wild_pattern.shootout import declare, end_race, look, permitted, take
from robby_rules.wild_wild_pattern.state import DECLARE, GRAB, NAMING, OVER, READY, SHOOTOUT, TAKE, Run, State


def deadline(state: State) -> int | None:
    """The next moment at which something happens by itself."""
    if state.phase == OVER:
        return None
    moments = [_ends(state)]
    decided = closes(state)
    if decided is not None:
        moments.append(decided)
    if _waits(state):
        moments.append(_opens(state))
    return min(moments)


def timer(state: State, seat: int | None) -> Timer | None:
    """The phase's limit; whoever is slowed sees when covering opens. Nothing of it tells of an open race."""
    if state.phase == OVER:
        return None
    ends = _ends(state)
    opens = _opens(state) if seat is not None and _waits(state) and state.slowed[seat] else None
    return Timer(ends, ends - state.began, opens)


def expire(state: State, run: Run) -> State:
    """Carry out the deadline that is due: an open race is decided, or the phase ends, or covering opens."""
    decided = closes(state)
    ended = run.at >= _ends(state)
    if decided is not None and (ended or run.at >= decided):
        # Whoever answers at the phase's end or later is too late, so nobody can be waited for any more.
        return house.end_grab(state, run) if state.phase == GRAB else end_race(state, run)
    if ended:
        return _time_is_up(state, run)
    if _waits(state) and run.at >= _opens(state):
        return structs.replace(state, opened=True)
    raise ValueError(f"no deadline is due at {run.at}")


def _time_is_up(state: State, run: Run) -> State:
    phase = state.phase
    if phase == READY:
        return look(state, run)
    if phase == SHOOTOUT:
        return house.nobody_shot(state, run)
    if phase == DECLARE:
        return declare(state, None, run)
    if phase == TAKE:
        return take(state, house.first_permitted(state.played, permitted(state)), run)
    return house.nobody_grabbed(state, run) if phase == GRAB else house.name_nothing(state, run)


def _waits(state: State) -> bool:
    """Whether covering is still to open to somebody."""
    return state.phase == SHOOTOUT and not state.opened


def _opens(state: State) -> int:
    return state.began + HANDICAP_MS


def _ends(state: State) -> int:
    return state.began + _limit(state.setting.limits, state.phase)


def _limit(limits: Limits, phase: str) -> int:
    return {
        READY: limits.ready,
        SHOOTOUT: limits.shoot,
        DECLARE: limits.declare,
        TAKE: limits.take,
        GRAB: limits.grab,
        NAMING: limits.name,
    }[phase]
