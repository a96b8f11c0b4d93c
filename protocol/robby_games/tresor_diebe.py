"""Tresor Diebe's vocabulary: the board, options with time presets, actions, events, views, and where a thief goes.

Players are numbered 0 … n−1 by seat, clockwise. A safe is its number, 5 … 30, which is the sum of five dice that opens
it. Dice lie in five places, 0 … 4 from the left; a die is 1 … 6. All times are milliseconds, all money is euros.
Everything in this game is public. The odds are in `tresor_diebe_odds`.

All types are values that cannot refer to themselves, so the garbage collector need not look at them (`gc=False`).
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

NAME = "tresor-diebe"

DICE = 5
SIDES = 6
THROWS = 3
"""At most so many in a turn."""
FIRST_SAFE, LAST_SAFE = DICE, DICE * SIDES
BOARD: tuple[int, ...] = (
    *(500, 500, 400, 400, 300, 300, 200, 200),  # 5 … 12
    *(100,) * 10,  # 13 … 22
    *(200, 200, 300, 300, 400, 400, 500, 500),  # 23 … 30
)
"""What each safe holds, from safe 5 on [ours]: the published text names safe 26 alone."""
EURO_A_FIELD = 100
LAST_FIELD = 20
"""A thief who comes here ends the round; what goes beyond is lost."""
MARKERS = 11
"""Each player's; so many safes can one open in a round."""
IDLE_CIRCLES = 4
"""So many whole circles without an opened safe end the round [ours]."""
NOBODY = -1
"""The owner of a safe that is free."""

Seat = Annotated[int, Meta(ge=0, le=3)]
Place = Annotated[int, Meta(ge=0, le=4)]
Millis = Annotated[int, Meta(ge=1_000, le=3_600_000)]


class Limits(Struct, frozen=True, gc=False, kw_only=True):
    """Time limits in milliseconds; None: no limit."""

    decision: Millis | None


PRESETS: dict[str, Limits] = {
    "blitz": Limits(decision=10_000),
    "standard": Limits(decision=30_000),
    "relaxed": Limits(decision=90_000),
    "untimed": Limits(decision=None),
}


class Options(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A table's options.

    time: the preset. decision_ms: where given, replaces the preset's limit of each decision.
    rounds: how many are played. odds: the table allows its players to be shown the odds.
    """

    time: Literal["blitz", "standard", "relaxed", "untimed"] = "standard"
    decision_ms: Millis | None = None
    rounds: Annotated[int, Meta(ge=1, le=5)] = 3
    odds: bool = True


# Actions: what a seat may answer. Nothing else may stand in them: a die is never sent by a client.


class Pass(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="pass"):
    """Do not throw in this turn."""


class Throw(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="throw"):
    """Throw all five dice: a turn's first throw."""


class Again(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="again"):
    """Throw the dice in these places again, at least one; each once, from the left."""

    dice: Annotated[tuple[Place, ...], Meta(min_length=1, max_length=5)]


class Stop(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="stop"):
    """Go to the safe that the dice name as they lie."""


Action = Pass | Throw | Again | Stop


# Events: what happened. `auto` means that the clock decided, not the person.


class GameStarted(Struct, frozen=True, gc=False, tag="game_started"):
    """players: how many. rounds: how many will be played."""

    players: int
    rounds: int


class RoundBegan(Struct, frozen=True, gc=False, tag="round_began"):
    """round counts from 1. starter: who begins. drawn: among whom that was drawn; empty if it was not."""

    round: int
    starter: Seat
    drawn: tuple[int, ...]


class TurnBegan(Struct, frozen=True, gc=False, tag="turn_began"):
    seat: Seat


class Passed(Struct, frozen=True, gc=False, tag="passed"):
    """no_markers: the player had no marker left and was not asked."""

    seat: Seat
    auto: bool = False
    no_markers: bool = False


class Thrown(Struct, frozen=True, gc=False, tag="thrown"):
    """throw: which of the turn, from 1. dice: all five as they lie now. again: the places that were thrown."""

    seat: Seat
    throw: int
    dice: tuple[int, ...]
    again: tuple[int, ...]


class Opened(Struct, frozen=True, gc=False, tag="opened"):
    """A marker was put on a free safe. before, field: where the thief was and is. auto: the clock stopped the turn."""

    seat: Seat
    safe: int
    value: int
    before: int
    field: int
    auto: bool = False


class Failed(Struct, frozen=True, gc=False, tag="failed"):
    """The safe was open already. owner: whose marker lies there. before, field: where the thief was and is."""

    seat: Seat
    safe: int
    owner: Seat
    before: int
    field: int
    auto: bool = False


class RoundEnded(Struct, frozen=True, gc=False, tag="round_ended"):
    """why: `field` (a thief reached the last field), `passes` (everybody passed one after another), `open` (all safes
    are), `idle` (too many circles without an opened safe). fields: what each gets for this round. totals: with it.
    """

    round: int
    why: str
    fields: tuple[int, ...]
    totals: tuple[int, ...]


class GameOver(Struct, frozen=True, gc=False, tag="game_over"):
    """scores: best first."""

    scores: tuple["Score", ...]


Event = GameStarted | RoundBegan | TurnBegan | Passed | Thrown | Opened | Failed | RoundEnded | GameOver


# Views.


class Score(Struct, frozen=True, gc=False):
    """One player's result. points: of each round. place: 1 for the best; equals share it."""

    seat: Seat
    points: tuple[int, ...]
    total: int
    place: int
    winner: bool


class PublicView(Struct, frozen=True, gc=False):
    """What everybody sees, which is all there is.

    round counts from 1, of `rounds`. phase: `turn` (nothing thrown yet), `thrown` (dice lie) or `over`.
    turn: whose; starter: who began the round. safes: the owner of each from safe 5 on, NOBODY for a free one.
    dice: as they lie, empty before the first throw. throws: how many were made in this turn.
    fields, totals, markers: by seat: the thief's field, the points of the rounds before, the markers not used.
    passes: how many one after another now. idle: turns one after another without an opened safe.
    odds: the table allows the odds to be shown. scores: once over, best first.
    """

    round: int
    rounds: int
    phase: str
    turn: Seat
    starter: Seat
    safes: tuple[int, ...]
    dice: tuple[int, ...]
    throws: int
    fields: tuple[int, ...]
    totals: tuple[int, ...]
    markers: tuple[int, ...]
    passes: int
    idle: int
    odds: bool
    scores: tuple[Score, ...] | None = None


class OwnView(Struct, frozen=True, gc=False):
    """Which seat is one's own; nothing is hidden from anybody."""

    seat: Seat


# Arithmetic.


def value_of(safe: int) -> int:
    """What a safe holds."""
    return BOARD[safe - FIRST_SAFE]


def owner_of(safes: Sequence[int], safe: int) -> int:
    """Whose marker lies on a safe, by a view's `safes`; NOBODY if it is free."""
    return safes[safe - FIRST_SAFE]


def free_safes(safes: Sequence[int]) -> tuple[int, ...]:
    """The safes that are free, by a view's `safes`."""
    return tuple(number for number, owner in enumerate(safes, FIRST_SAFE) if owner == NOBODY)


def field_after(field: int, safe: int, free: bool) -> int:
    """Where a thief on this field comes to: forward by what the safe holds if it is free, else one field back.

    Never below the start field [ours], never beyond the last.
    """
    if free:
        return min(field + value_of(safe) // EURO_A_FIELD, LAST_FIELD)
    return max(field - 1, 0)


def most_idle(players: int) -> int:
    """So many turns one after another without an opened safe end the round."""
    return IDLE_CIRCLES * players


def limits_of(options: Options) -> Limits:
    """The limits a table plays with: the preset's, where the options give none of their own."""
    return PRESETS[options.time] if options.decision_ms is None else Limits(decision=options.decision_ms)
