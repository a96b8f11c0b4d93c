"""What time does: the limit of each decision, and what is decided for those who did not. Nothing here reads a clock."""

from msgspec import Struct

from robby_rules.chance import Chance
from robby_rules.interface import Timer
from robby_rules.tresor_diebe.state import OVER, PRESENT, THROWN, State
from robby_rules.tresor_diebe.turns import pass_turn, stop


def deadline(state: State) -> int | None:
    """When the decision ends; at an untimed table only where nobody plays the seat whose turn it is.

    Then it is counted from the decision's beginning or from when the seat was left, whichever is later.
    """
    if state.phase == OVER:
        return None
    ends = _table_ends(state)
    absent, limit = state.absent[state.turn], state.setting.absent_limit
    if limit is None or absent == PRESENT:
        return ends
    own = max(state.began, absent) + limit
    return own if ends is None else min(own, ends)


def timer(state: State, seat: int | None) -> Timer | None:
    """The running limit: the table's as all see it, and what an absent seat has of it to that seat alone."""
    if state.phase == OVER:
        return None
    ends = deadline(state) if seat == state.turn else _table_ends(state)
    return None if ends is None else Timer(ends, ends - state.began)


def expire(state: State, at: int, chance: Chance, told: list[Struct]) -> State:
    """Not thrown yet: a pass. Thrown: stop with the dice as they lie [ours]."""
    ends = deadline(state)
    if ends is None or at < ends:
        raise ValueError(f"no deadline is due at {at}")
    decide = stop if state.phase == THROWN else pass_turn
    return decide(state, True, at, chance, told)


def _table_ends(state: State) -> int | None:
    limit = state.setting.limit
    return None if limit is None else state.began + limit
