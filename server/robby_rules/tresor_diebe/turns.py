"""A turn: passing, throwing, stopping, and what that does to the round."""

import msgspec
from msgspec import Struct

from robby_games.tresor_diebe import (
    DICE,
    FIRST_SAFE,
    LAST_FIELD,
    NOBODY,
    SIDES,
    THROWS,
    Failed,
    Opened,
    Passed,
    Thrown,
    TurnBegan,
    field_after,
    most_idle,
    owner_of,
    value_of,
)
from robby_rules.chance import Chance
from robby_rules.tresor_diebe.rounds import end_round
from robby_rules.tresor_diebe.state import State, markers_left

ALL_PLACES = tuple(range(DICE))


def throw(state: State, places: tuple[int, ...], at: int, chance: Chance, told: list[Struct]) -> State:
    """The dice in these places, from the left, are thrown; the third throw ends the turn."""
    dice = list(state.dice) or [0] * DICE
    for place in places:
        dice[place] = 1 + chance.below(SIDES)
    number = state.throws + 1
    told.append(Thrown(state.turn, number, tuple(dice), places))
    state = msgspec.structs.replace(state, serial=state.serial + 1, began=at, dice=tuple(dice), throws=number, passes=0)
    return state if number < THROWS else stop(state, False, at, chance, told)


def stop(state: State, auto: bool, at: int, chance: Chance, told: list[Struct]) -> State:
    """The dice name a safe: it is opened, or the thief goes back."""
    seat, safe = state.turn, sum(state.dice)
    before, owner = state.fields[seat], owner_of(state.owners, safe)
    field = field_after(before, safe, owner == NOBODY)
    fields = (*state.fields[:seat], field, *state.fields[seat + 1 :])
    if owner != NOBODY:
        told.append(Failed(seat, safe, owner, before, field, auto))
        state = msgspec.structs.replace(state, fields=fields, idle=state.idle + 1)
        return _go_on(state, at, chance, told)
    told.append(Opened(seat, safe, value_of(safe), before, field, auto))
    place = safe - FIRST_SAFE
    owners = (*state.owners[:place], seat, *state.owners[place + 1 :])
    return _go_on(msgspec.structs.replace(state, fields=fields, owners=owners, idle=0), at, chance, told)


def pass_turn(state: State, auto: bool, at: int, chance: Chance, told: list[Struct]) -> State:
    """The player whose turn it is does not throw."""
    told.append(Passed(state.turn, auto))
    return _go_on(_passed(state), at, chance, told)


def _passed(state: State) -> State:
    return msgspec.structs.replace(state, passes=state.passes + 1, idle=state.idle + 1)


def _go_on(state: State, at: int, chance: Chance, told: list[Struct]) -> State:
    """The turn is over: the round's end, or the next player who has a marker; those who have none pass unasked."""
    while (why := _ended(state)) is None:
        state = msgspec.structs.replace(
            state,
            turn=(state.turn + 1) % state.setting.seats,
            serial=state.serial + 1,
            began=at,
            dice=(),
            throws=0,
        )
        told.append(TurnBegan(state.turn))
        if markers_left(state, state.turn):
            return state
        told.append(Passed(state.turn, no_markers=True))
        state = _passed(state)
    return end_round(state, why, at, chance, told)


def _ended(state: State) -> str | None:
    """Why the round is over after this turn; None if it is not."""
    if max(state.fields) >= LAST_FIELD:
        return "field"
    if NOBODY not in state.owners:
        return "open"
    seats = state.setting.seats
    if state.passes >= seats:
        return "passes"
    return "idle" if state.idle >= most_idle(seats) else None
