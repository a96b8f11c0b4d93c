"""Who was first: entering a race, how long it stays open, and who wins it.

The first shot need not be the first to arrive. What counts is a *moment*: the arrival less the credit of that
connection, but never earlier than the seat was allowed to act. A race stays open as long as an input that is still on
its way could have an equal or earlier moment, and not longer. Meanwhile nobody is told that it has begun.
"""

import msgspec

from robby_games.wild_wild_pattern import HANDICAP_MS, Entrant, Race
from robby_rules.interface import Stamp
from robby_rules.wild_wild_pattern.state import SHOOTOUT, Entry, Run, State


def may_act_from(state: State, seat: int) -> int:
    """The match time from which the seat may be first in the running race."""
    slowed = state.phase == SHOOTOUT and state.slowed[seat]
    return state.began + HANDICAP_MS if slowed else state.began


def enter(state: State, seat: int, place: int, stamp: Stamp) -> State:
    """The seat has raced: it is asked nothing more, and the others do not notice."""
    moment = max(stamp.at - stamp.credit, may_act_from(state, seat))
    entries = sorted([*state.entries, Entry(seat, place, stamp.at, stamp.credit, moment)], key=lambda one: one.seat)
    return msgspec.structs.replace(
        state,
        entries=tuple(entries),
        rival=max(state.rival, stamp.rival),
        pending=tuple(other for other in state.pending if other != seat),
    )


def closes(state: State) -> int | None:
    """The match time at which the open race is decided: when nobody can equal its least moment any more.

    An input that arrives at t counts from t − rival at the earliest, and moments are whole milliseconds.
    None: nobody has entered.
    """
    if not state.entries:
        return None
    latest = max(one.at for one in state.entries)
    return max(latest, min(one.moment for one in state.entries) + state.rival + 1)


def decide(state: State, run: Run) -> tuple[Entry, State]:
    """The winner's entry, and the state with the race decided. Equal moments are drawn."""
    least = min(one.moment for one in state.entries)
    first = [one for one in state.entries if one.moment == least]
    winner = first[0] if len(first) == 1 else run.chance.choice(first)
    shown = sorted(state.entries, key=lambda one: (one.moment, one.seat))
    entrants = [Entrant(one.seat, one.at - state.began, one.credit, one.moment - state.began) for one in shown]
    race = Race(winner.seat, len(first) > 1, tuple(entrants))
    return winner, msgspec.structs.replace(state, entries=(), rival=0, race=race, shown=state.began)


def late_by(state: State, stamp: Stamp) -> int | None:
    """How much later than the winner's this moment would have been; None: nothing was decided in this turn."""
    if state.race is None:
        return None
    return max(0, stamp.at - stamp.credit - state.shown - state.race.entrants[0].moment)
