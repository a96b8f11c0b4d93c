"""Setting up, the beginning and the end of a round, and the end of the game."""

import msgspec
from msgspec import Struct

from robby_games.tresor_diebe import (
    BOARD,
    NOBODY,
    PRESETS,
    GameOver,
    GameStarted,
    Options,
    RoundBegan,
    RoundEnded,
    Score,
    TurnBegan,
    limits_of,
)
from robby_protocol.i18n import _
from robby_rules.chance import Chance
from robby_rules.interface import BadOptionsError
from robby_rules.tresor_diebe.state import PRESENT, DiebeStep, Setting, State

FEWEST, MOST = 2, 4
"""Players: the game has pieces of four colours."""


def check(seats: int) -> None:
    """Raise BadOptionsError where so many cannot play."""
    if not FEWEST <= seats <= MOST:
        raise BadOptionsError("seats", _("Tresor Diebe is for two to four players."))


def set_up(options: Options, seats: int, chance: Chance) -> DiebeStep:
    """The game at match time 0. Chance draws who begins."""
    check(seats)
    setting = Setting(
        seats=seats,
        rounds=options.rounds,
        odds=options.odds,
        limit=limits_of(options).decision,
        absent_limit=PRESETS["standard"].decision if options.time == "untimed" else None,
    )
    before = State(
        setting=setting,
        round=0,
        starter=0,
        turn=0,
        serial=0,
        began=0,
        owners=(NOBODY,) * len(BOARD),
        fields=(0,) * seats,
        absent=(PRESENT,) * seats,
    )
    told: list[Struct] = [GameStarted(seats, setting.rounds)]
    state = _begin_round(before, 0, chance, told)
    return DiebeStep(state, tuple(told))


def end_round(state: State, why: str, at: int, chance: Chance, told: list[Struct]) -> State:
    """Every player's field is added to their total; then the next round, or the end."""
    state = msgspec.structs.replace(state, points=(*state.points, state.fields))
    told.append(RoundEnded(state.round, why, state.fields, state.totals))
    if state.round < state.setting.rounds:
        return _begin_round(state, at, chance, told)
    scores = score(state.points)
    told.append(GameOver(scores))
    return msgspec.structs.replace(state, serial=state.serial + 1, dice=(), throws=0, scores=scores)


def _begin_round(state: State, at: int, chance: Chance, told: list[Struct]) -> State:
    """Begun by whoever has the fewest points; among equals, so in the first round too, it is drawn [ours]."""
    totals = state.totals
    last = [seat for seat, total in enumerate(totals) if total == min(totals)]
    starter = last[0] if len(last) == 1 else chance.choice(last)
    told.append(RoundBegan(state.round + 1, starter, tuple(last) if len(last) > 1 else ()))
    told.append(TurnBegan(starter))
    seats = state.setting.seats
    return State(
        setting=state.setting,
        round=state.round + 1,
        starter=starter,
        turn=starter,
        serial=state.serial + 1,
        began=at,
        owners=(NOBODY,) * len(BOARD),
        fields=(0,) * seats,
        absent=state.absent,
        points=state.points,
    )


def score(points: tuple[tuple[int, ...], ...]) -> tuple[Score, ...]:
    """Everybody's result by the points of each round, best first; equal totals share the place, the first wins."""
    by_seat = tuple(zip(*points, strict=True))
    totals = [sum(own) for own in by_seat]
    scores = [
        Score(
            seat=seat,
            points=own,
            total=totals[seat],
            place=1 + sum(1 for other in totals if other > totals[seat]),
            winner=totals[seat] == max(totals),
        )
        for seat, own in enumerate(by_seat)
    ]
    return tuple(sorted(scores, key=lambda line: line.place))
