"""Robby Solo's vocabulary: banks, loot, options with time presets, actions, events, views, and the scoring arithmetic.

Participants are numbered 0 … n−1 by seat; Robby Junior, where he plays, is number n, after the last seat.
A bank is its index in the row, 0 at the left. A loot card is an integer: from 1,000 up it is money worth that much,
below it is item number 1 … 7. All times are milliseconds.

All types are values that cannot refer to themselves, so the garbage collector need not look at them (`gc=False`).
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from robby_protocol.i18n import N_

NAME = "robby-solo"

BANKS: tuple[str, ...] = ("yellow", "green", "red", "blue", "grey", "purple", "khaki")
BANK_NAMES: tuple[str, ...] = (
    N_("yellow"),
    N_("green"),
    N_("red"),
    N_("blue"),
    N_("grey"),
    N_("purple"),
    N_("khaki"),
)
BANK_LETTERS = "YGRBXPK"
"""One letter for each bank, the key to press too; X for grey, since G is green's."""
BANK_SHAPES = "●▲■◆✖★▼"
"""One shape for each bank, so that none is told by colour alone."""

ITEM_NAMES: tuple[str, ...] = (
    N_("pocket watch"),
    N_("pearl necklace"),
    N_("gold bar"),
    N_("diamond ring"),
    N_("old painting"),
    N_("stamp album"),
    N_("silver goblet"),
)
"""For flavour; items 1 … 7 count alike."""

ITEM_WORTH: tuple[int, ...] = (0, 1_000, 10_000, 20_000, 40_000, 60_000, 80_000, 100_000)
"""What n items are worth together; the rules' table."""
FIRST_MONEY = 1_000
JUNIOR_NAME = N_("Robby Junior")
POLICE_AT = 4
"""A bank with exactly this many loot cards is emptied by the police."""

Seat = Annotated[int, Meta(ge=0, le=6)]
Bank = Annotated[int, Meta(ge=0, le=6)]
Card = Annotated[int, Meta(ge=1, le=1_000_000)]
Millis = Annotated[int, Meta(ge=0, le=3_600_000)]


class Limits(Struct, frozen=True, gc=False, kw_only=True):
    """Time limits in milliseconds; None: no limit."""

    supply: Millis | None
    play: Millis | None
    gentleman: Millis | None
    revision_min: Millis
    revision_max: Millis
    item: Millis | None


PRESETS: dict[str, Limits] = {
    "blitz": Limits(supply=5_000, play=15_000, gentleman=15_000, revision_min=3_000, revision_max=12_000, item=8_000),
    "standard": Limits(
        supply=10_000, play=45_000, gentleman=45_000, revision_min=5_000, revision_max=30_000, item=15_000
    ),
    "relaxed": Limits(
        supply=30_000, play=150_000, gentleman=150_000, revision_min=10_000, revision_max=90_000, item=45_000
    ),
    "untimed": Limits(supply=None, play=None, gentleman=None, revision_min=0, revision_max=300_000, item=None),
}


class Options(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A table's options.

    time: the preset; each limit below, where given, replaces the preset's.
    junior: Robby Junior plays (fewer than six players). open_loot: all stacks are open to all.
    max_rounds: after so many rounds the game is scored as if the deck had run out.
    money_copies, items: the loot deck: so many of each of 1,000 … 9,000, and so many items.
    """

    time: Literal["blitz", "standard", "relaxed", "untimed"] = "standard"
    supply_ms: Annotated[int, Meta(ge=1_000, le=3_600_000)] | None = None
    play_ms: Annotated[int, Meta(ge=1_000, le=3_600_000)] | None = None
    gentleman_ms: Annotated[int, Meta(ge=1_000, le=3_600_000)] | None = None
    revision_min_ms: Annotated[int, Meta(ge=0, le=3_600_000)] | None = None
    revision_max_ms: Annotated[int, Meta(ge=1_000, le=3_600_000)] | None = None
    item_ms: Annotated[int, Meta(ge=1_000, le=3_600_000)] | None = None
    junior: bool = False
    open_loot: bool = False
    max_rounds: Annotated[int, Meta(ge=1, le=1_000)] = 100
    money_copies: Annotated[int, Meta(ge=1, le=20)] = 6
    items: Annotated[int, Meta(ge=0, le=7)] = 7


# Actions: what a seat may answer.


class Supply(Struct, frozen=True, gc=False, tag="supply"):
    """Gentleman: deal the round's loot beginning at this end of the row."""

    side: Literal["left", "right"]


class Lay(Struct, frozen=True, gc=False, tag="lay"):
    """Lay the heist card of this bank face down; in the revision only after taking back."""

    bank: Bank


class Declare(Struct, frozen=True, gc=False, tag="declare"):
    """Gentleman: *I will rob* (robs) or *I will not rob* this bank."""

    robs: bool
    bank: Bank


class TakeBack(Struct, frozen=True, gc=False, tag="take_back"):
    """Revision: take the own card back into the hand."""


class Confirm(Struct, frozen=True, gc=False, tag="confirm"):
    """Revision: the card that lies shall count. Final."""


class Reveal(Struct, frozen=True, gc=False, tag="reveal"):
    """Gentleman: end the revision now."""


class Give(Struct, frozen=True, gc=False, tag="give"):
    """Police: return this item."""

    card: Card


Action = Supply | Lay | Declare | TakeBack | Confirm | Reveal | Give


# Events: what happened. `auto` means that the clock decided, not the person.


class GameStarted(Struct, frozen=True, gc=False, tag="game_started"):
    """participants: how many, Junior included. banks: in the row."""

    participants: int
    junior: bool
    banks: int
    gentleman: Seat
    deck: int


class RoundStarted(Struct, frozen=True, gc=False, tag="round_started"):
    """round counts from 1. deck: loot cards left before dealing."""

    round: int
    gentleman: Seat
    deck: int


class Supplied(Struct, frozen=True, gc=False, tag="supplied"):
    """cards: the new loot card of each bank, in row order whatever the side."""

    side: str
    cards: tuple[int, ...]
    deck: int
    auto: bool = False


class Laid(Struct, frozen=True, gc=False, tag="laid"):
    """A participant laid a card face down; again: after taking back in the revision."""

    seat: Seat
    again: bool = False
    auto: bool = False


class YouLaid(Struct, frozen=True, gc=False, tag="you_laid"):
    """Private: which card one's own seat laid."""

    bank: Bank
    auto: bool = False


class Declared(Struct, frozen=True, gc=False, tag="declared"):
    seat: Seat
    robs: bool
    bank: Bank
    auto: bool = False


class TakenBack(Struct, frozen=True, gc=False, tag="taken_back"):
    seat: Seat


class Returned(Struct, frozen=True, gc=False, tag="returned"):
    """Time ran out with the card in the hand: it lies again as it was."""

    seat: Seat


class Confirmed(Struct, frozen=True, gc=False, tag="confirmed"):
    """auto: nobody plays this seat at an untimed table, and its time was up."""

    seat: Seat
    auto: bool = False


class RevealCalled(Struct, frozen=True, gc=False, tag="reveal_called"):
    seat: Seat


class Revealed(Struct, frozen=True, gc=False, tag="revealed"):
    """banks: the bank each participant's card named, by participant."""

    banks: tuple[int, ...]


class Robbed(Struct, frozen=True, gc=False, tag="robbed"):
    """loot: in the order in which it lay; the last ends on top of the stack."""

    seat: Seat
    bank: Bank
    loot: tuple[int, ...]


class Clashed(Struct, frozen=True, gc=False, tag="clashed"):
    """Two or more named this bank: it keeps its loot."""

    bank: Bank
    seats: tuple[int, ...]
    loot: tuple[int, ...]


class Police(Struct, frozen=True, gc=False, tag="police"):
    """A bank with four cards was emptied and the police came.

    cards: the bank's four, now under the deck. most: the largest number of loot cards anybody holds.
    payers: who must return one, in order of paying. choosing: those of them who choose among items.
    """

    bank: Bank
    cards: tuple[int, ...]
    most: int
    payers: tuple[int, ...]
    choosing: tuple[int, ...]


class Chose(Struct, frozen=True, gc=False, tag="chose"):
    """A payer has chosen an item; which one is seen when all have."""

    seat: Seat
    auto: bool = False


class Given(Struct, frozen=True, gc=False, tag="given"):
    """A card went to the police, under the deck."""

    seat: Seat
    card: Card


class GameOver(Struct, frozen=True, gc=False, tag="game_over"):
    """reason: `deck` (too few cards to deal) or `rounds` (the option's limit)."""

    reason: str
    scores: tuple["Score", ...]


Event = (
    GameStarted
    | RoundStarted
    | Supplied
    | Laid
    | YouLaid
    | Declared
    | TakenBack
    | Returned
    | Confirmed
    | RevealCalled
    | Revealed
    | Robbed
    | Clashed
    | Police
    | Chose
    | Given
    | GameOver
)


# Views.


class Score(Struct, frozen=True, gc=False):
    """One participant's result. stack: all their loot, oldest first. place: 1 for the best; equals share it."""

    seat: Seat
    stack: tuple[int, ...]
    money: int
    items: int
    items_worth: int
    total: int
    place: int
    winner: bool


class Declaration(Struct, frozen=True, gc=False):
    robs: bool
    bank: Bank


class ParticipantView(Struct, frozen=True, gc=False):
    """What all see of one participant.

    card: `none`, `laid`, `taken_back`, `laid_again` or `confirmed` (the Gentleman's and Junior's stay `laid`).
    revealed: the bank of the card, while the police wait after the reveal; else the event `revealed` tells it.
    stack: number of loot cards. top: the newest. loot: the whole stack, where the table plays with open loot.
    paying: must return an item and has not chosen yet.
    """

    card: str
    revealed: int | None
    stack: int
    top: int | None
    loot: tuple[int, ...] | None = None
    paying: bool = False


class PublicView(Struct, frozen=True, gc=False):
    """What everybody sees.

    phase: `supply`, `plays`, `gentleman`, `revision`, `police` or `over`.
    banks: each bank's loot, oldest first. junior: Robby Junior is the last participant.
    reveal_open: the shortest revision is over. scores: once over, best first.
    """

    round: int
    phase: str
    gentleman: Seat
    deck: int
    banks: tuple[tuple[int, ...], ...]
    participants: tuple[ParticipantView, ...]
    junior: bool
    declaration: Declaration | None = None
    reveal_open: bool = False
    scores: tuple[Score, ...] | None = None


class OwnView(Struct, frozen=True, gc=False):
    """What one's own seat sees besides.

    card: bank of the own card that lies, or that was taken back and would lie again at the deadline; None: none yet.
    stack: all the own loot, oldest first.
    giving: the item chosen for the police while others still choose.
    """

    seat: Seat
    card: int | None
    stack: tuple[int, ...]
    giving: int | None = None


# Arithmetic.


def is_item(card: int) -> bool:
    """Whether a loot card is an item (else money)."""
    return card < FIRST_MONEY


def money_of(stack: Sequence[int]) -> int:
    """The worth of the money in a stack."""
    return sum(card for card in stack if card >= FIRST_MONEY)


def items_of(stack: Sequence[int]) -> int:
    """The number of items in a stack."""
    return sum(1 for card in stack if card < FIRST_MONEY)


def worth_of_items(count: int) -> int:
    """What so many items are worth together."""
    return ITEM_WORTH[count]


def total_of(stack: Sequence[int]) -> int:
    """What a stack is worth: money, and the items by the table."""
    return money_of(stack) + worth_of_items(items_of(stack))


def loot_deck(options: Options) -> tuple[int, ...]:
    """All loot cards of a game, unshuffled: 61 by default."""
    money = tuple(value * 1_000 for value in range(1, 10) for _copy in range(options.money_copies))
    return money + tuple(range(1, options.items + 1))


def limits_of(options: Options) -> Limits:
    """The limits a table plays with: the preset's, where the options give none of their own."""
    preset = PRESETS[options.time]

    def pick(own: int | None, default: int | None) -> int | None:
        return default if own is None else own

    revision_max = options.revision_max_ms or preset.revision_max
    revision_min = preset.revision_min if options.revision_min_ms is None else options.revision_min_ms
    return Limits(
        supply=pick(options.supply_ms, preset.supply),
        play=pick(options.play_ms, preset.play),
        gentleman=pick(options.gentleman_ms, preset.gentleman),
        revision_min=min(revision_min, revision_max),
        revision_max=revision_max,
        item=pick(options.item_ms, preset.item),
    )
