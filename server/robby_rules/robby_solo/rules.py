"""Robby Solo behind the interface that all games share."""

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from robby_games.robby_solo import (
    JUNIOR_NAME,
    NAME,
    Action,
    Confirm,
    Declare,
    Give,
    Lay,
    Options,
    Reveal,
    Supply,
    TakeBack,
)
from robby_rules.chance import Chance
from robby_rules.interface import IllegalActionError, Result, Stamp, Timer
from robby_rules.robby_solo import clock
from robby_rules.robby_solo.plays import gentleman_acts, lay_secretly, supply
from robby_rules.robby_solo.police import choose
from robby_rules.robby_solo.revision import revise
from robby_rules.robby_solo.rounds import MOST_PARTICIPANTS, check, set_up
from robby_rules.robby_solo.state import (
    GENTLEMAN,
    NO_BANK,
    OVER,
    PLAYS,
    PRESENT,
    REVISION,
    SUPPLY,
    TAKEN_BACK,
    SoloStep,
    State,
    Tale,
    new_tale,
)
from robby_rules.robby_solo.views import own_view, public_view

_MOST_BANKS = MOST_PARTICIPANTS + 1
_SUPPLY: tuple[Action, ...] = (Supply("left"), Supply("right"))
_REVISION: tuple[Action, ...] = (Confirm(), TakeBack())
_REVEAL: tuple[Action, ...] = (Reveal(),)
# By the number of banks in the row.
_LAY: tuple[tuple[Action, ...], ...] = tuple(
    tuple(Lay(bank) for bank in range(banks)) for banks in range(_MOST_BANKS + 1)
)
# By the number of banks in the row, then by the bank on the card.
_DECLARE: tuple[tuple[tuple[Action, ...], ...], ...] = tuple(
    tuple(
        (Declare(True, card), *(Declare(False, bank) for bank in range(banks) if bank != card)) for card in range(banks)
    )
    for banks in range(_MOST_BANKS + 1)
)


class RobbySolo:
    """The rules of Robby Solo. Stateless; see `interface.Rules` for what each method means."""

    name: ClassVar[str] = NAME
    version: ClassVar[int] = 1
    races: ClassVar[bool] = False

    def check(self, options: Options, seats: int) -> None:
        """Raise BadOptionsError where this number of seats cannot play with these options."""
        check(options, seats)

    def setup(self, options: Options, seats: int, chance: Chance) -> SoloStep:
        """The first round's supply is asked for."""
        return set_up(options, seats, chance)

    def pending(self, state: State) -> tuple[int, ...]:
        """The seats that owe or may make a decision now."""
        return state.pending

    def legal(self, state: State, seat: int) -> Sequence[Action]:
        """All actions open to the seat, banks from left to right, items from the oldest."""
        if seat not in state.pending:
            return ()
        phase = state.phase
        banks = state.setting.banks
        if phase == REVISION:
            if seat == state.loot.gentleman:
                return _REVEAL
            return _LAY[banks] if state.marks[seat] == TAKEN_BACK else _REVISION
        if phase == PLAYS:
            return _LAY[banks]
        if phase == GENTLEMAN:
            card = state.cards[seat]
            return _LAY[banks] if card == NO_BANK else _DECLARE[banks][card]
        if phase == SUPPLY:
            return _SUPPLY
        return tuple([Give(card) for card in state.loot.stacks[seat]])

    def apply(self, state: State, seat: int, action: Any, stamp: Stamp, chance: Chance) -> SoloStep:
        """Take an action. Raises IllegalActionError."""
        if seat not in state.pending:
            raise IllegalActionError
        if state.phase == REVISION:
            return revise(state, seat, action, stamp.at)
        tale = new_tale()
        return tale.step(_take(state, seat, action, stamp.at, tale))

    def phase(self, state: State) -> int:
        """Counts the phases since the beginning; each visit of the police that asks for an item is one."""
        return state.serial

    def deadline(self, state: State) -> int | None:
        """The phase's end, a seat's own end, or the reveal's opening, whichever comes first."""
        return clock.deadline(state)

    def expire(self, state: State, stamp: Stamp, chance: Chance) -> SoloStep:
        """What the clock decides."""
        tale = new_tale()
        return tale.step(clock.expire(state, stamp, chance, tale))

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
        """The phase's limit, and when the reveal opens."""
        return clock.timer(state, seat)

    def view(self, state: State, seat: int | None) -> tuple[Struct, Struct | None]:
        """(public, own)."""
        return public_view(state), None if seat is None else own_view(state, seat)

    def outcome(self, state: State) -> tuple[Result, ...] | None:
        """By participant; Junior, last, has no seat."""
        if state.scores is None:
            return None
        seats = state.setting.seats
        return tuple(
            Result(line.seat, line.total, line.winner)
            if line.seat < seats
            else Result(None, line.total, line.winner, JUNIOR_NAME)
            for line in sorted(state.scores, key=lambda line: line.seat)
        )


def _take(state: State, seat: int, action: Any, at: int, tale: Tale) -> State:
    phase = state.phase
    if phase == PLAYS:
        if type(action) is Lay and 0 <= action.bank < state.setting.banks:
            return lay_secretly(state, ((seat, action.bank),), at, False, tale)
    elif phase == GENTLEMAN:
        return gentleman_acts(state, action, at, tale)
    elif phase == SUPPLY:
        if type(action) is Supply and action.side in ("left", "right"):
            return supply(state, action.side, at, False, tale)
    elif type(action) is Give and action.card in state.loot.stacks[seat]:
        return choose(state, ((seat, action.card),), at, False, tale)
    raise IllegalActionError
