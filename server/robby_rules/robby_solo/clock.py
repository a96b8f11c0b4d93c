"""What time does: limits, deadlines, and what is decided for those who did not.

All times are milliseconds of match time; nothing here reads a clock. What must be drawn is drawn from the match's own
chance, in seat order, and told as `auto`.
"""

from robby_games.robby_solo import Declare, Limits
from robby_rules.chance import Chance
from robby_rules.interface import Stamp, Timer
from robby_rules.robby_solo.plays import declare, gentleman_lays, lay_secretly, supply
from robby_rules.robby_solo.police import choose
from robby_rules.robby_solo.revision import confirm, open_reveal, time_is_up
from robby_rules.robby_solo.state import (
    GENTLEMAN,
    NO_BANK,
    OVER,
    PLAYS,
    PRESENT,
    REVISION,
    SUPPLY,
    State,
    Tale,
)


def phase_ends(state: State) -> int | None:
    """When the phase ends for everyone; None where no limit runs."""
    limit = _limit(state.setting.limits, state.phase)
    return None if limit is None else state.began + limit


def seat_ends(state: State, seat: int) -> int | None:
    """When the seat's own decision ends: with the phase, or earlier where nobody plays it and the table is untimed.

    Counted from the phase's beginning or from when the seat was left, whichever is later.
    """
    ends = phase_ends(state)
    absent, limits = state.absent[seat], state.setting.absent_limits
    if limits is None or absent == PRESENT or not _owes(state, seat):
        return ends
    limit = _limit(limits, state.phase)
    if limit is None:
        return ends
    own = max(state.began, absent) + limit
    return own if ends is None else min(own, ends)


def deadline(state: State) -> int | None:
    """The next moment at which something happens by itself."""
    ends = phase_ends(state)
    moments = [] if ends is None else [ends]
    if state.phase == REVISION and not state.reveal_open:
        moments.append(_opens(state))
    if state.setting.absent_limits is not None:
        moments += [own for seat in state.pending if (own := seat_ends(state, seat)) is not None]
    return min(moments, default=None)


def timer(state: State, seat: int | None) -> Timer | None:
    """The running limit as the seat is to be shown it."""
    ends = phase_ends(state) if seat is None else seat_ends(state, seat)
    if ends is None:
        return None
    opens = _opens(state) if state.phase == REVISION and not state.reveal_open else None
    return Timer(ends, ends - state.began, opens)


def expire(state: State, stamp: Stamp, chance: Chance, tale: Tale) -> State:
    """Carry out the deadline that is due: the phase's end, else seats that nobody plays, else the reveal's opening."""
    at = stamp.at
    ends = phase_ends(state)
    if ends is not None and at >= ends:
        if state.phase == REVISION:
            return time_is_up(state, at, tale)
        return _decide(state, state.pending, at, chance, tale)
    late = tuple([seat for seat in state.pending if (own := seat_ends(state, seat)) is not None and at >= own])
    if late:
        return _decide(state, late, at, chance, tale)
    if state.phase == REVISION and not state.reveal_open and at >= _opens(state):
        return open_reveal(state)
    raise ValueError(f"no deadline is due at {at}")


def _decide(state: State, seats: tuple[int, ...], at: int, chance: Chance, tale: Tale) -> State:
    """What the clock decides for these pending seats, in seat order."""
    banks = state.setting.banks
    if state.phase == SUPPLY:
        return supply(state, "left", at, True, tale)
    if state.phase == PLAYS:
        return lay_secretly(state, [(seat, chance.below(banks)) for seat in seats], at, True, tale)
    if state.phase == GENTLEMAN:
        gentleman = state.loot.gentleman
        if state.cards[gentleman] == NO_BANK:
            state = gentleman_lays(state, chance.below(banks), True, tale)
        others = [bank for bank in range(banks) if bank != state.cards[gentleman]]
        return declare(state, Declare(False, chance.choice(others)), at, True, tale)
    if state.phase == REVISION:
        return confirm(state, seats, at, True, tale)
    # Items alone are asked for, so the oldest card is the oldest item.
    return choose(state, tuple([(seat, state.loot.stacks[seat][0]) for seat in seats]), at, True, tale)


def _owes(state: State, seat: int) -> bool:
    """Whether others wait for the seat; for the Gentleman in the revision nobody does."""
    return state.phase != REVISION or seat != state.loot.gentleman


def _opens(state: State) -> int:
    return state.began + state.setting.limits.revision_min


def _limit(limits: Limits, phase: str) -> int | None:
    if phase == SUPPLY:
        return limits.supply
    if phase == PLAYS:
        return limits.play
    if phase == GENTLEMAN:
        return limits.gentleman
    if phase == REVISION:
        return limits.revision_max
    return None if phase == OVER else limits.item
