"""Wild Wild Pattern's vocabulary: cards, attributes, options, actions, events and views, and the scoring arithmetic.

A pattern card is an integer 0 … 39, colour × 8 + object; its suit is given by the table of the rules. Challenge cards
are 40 … 46, all alike. A target card is 0 … 4 for a colour, 5 and 6 for a suit.
An *attribute* is an integer 0 … 14: the eight objects, then the five colours, then the two suits.
A place of the Wheel is its index clockwise, 0 at the top; *after* is clockwise, *before* counter-clockwise.
All times are milliseconds. What patterns lie on a Wheel is in `wild_wild_patterns`.

All types are values that cannot refer to themselves, so the garbage collector need not look at them (`gc=False`).
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from robby_protocol.i18n import N_

NAME = "wild-wild-pattern"

OBJECTS: tuple[str, ...] = ("gun", "loot", "star", "bottle", "horseshoe", "dynamite", "barrel", "wanted")
COLOURS: tuple[str, ...] = ("red", "blue", "yellow", "grey", "white")
SUITS: tuple[str, ...] = ("coin", "bullets")

ATTRIBUTE_NAMES: tuple[str, ...] = (
    N_("gun"),
    N_("loot"),
    N_("star"),
    N_("bottle"),
    N_("horseshoe"),
    N_("dynamite"),
    N_("barrel"),
    N_("wanted"),
    N_("red"),
    N_("blue"),
    N_("yellow"),
    N_("grey"),
    N_("white"),
    N_("coin"),
    N_("bullets"),
)
"""For people, to be translated."""
ATTRIBUTE_LETTERS = "GLSOHDANRBYXWCU"
"""One letter for each attribute, the key to press too. Where the first is another's: bOttle, bArrel, waNted, bUllets;
X for grey, since G is another's."""
COLOUR_SHAPES = "■◆●✖○"
"""One shape for each colour, so that none is told by colour alone."""
SUIT_SHAPES = "$!"
"""One sign for each suit."""

FIRST_COLOUR = len(OBJECTS)
FIRST_SUIT = FIRST_COLOUR + len(COLOURS)
ATTRIBUTES = FIRST_SUIT + len(SUITS)

PATTERN_CARDS = len(COLOURS) * len(OBJECTS)
CHALLENGE_CARDS = 7
CARDS = PATTERN_CARDS + CHALLENGE_CARDS
TARGETS = len(COLOURS) + len(SUITS)
PLACES = 8
"""Of the Wheel."""
BANK = 35
"""Coins of 1 $ at the beginning."""
FEWEST_SEATS, MOST_SEATS = 2, 4
MOST_ROUNDS = 5

_COIN: dict[str, tuple[str, ...]] = {
    "red": ("gun", "bottle", "horseshoe", "barrel"),
    "blue": ("loot", "star", "dynamite", "wanted"),
    "yellow": ("gun", "star", "horseshoe", "wanted"),
    "grey": ("loot", "bottle", "dynamite", "barrel"),
    "white": ("gun", "bottle", "dynamite", "wanted"),
}
"""The objects with the suit *coin*, by colour; the others have *bullets*. Four of them are known, the rest ours."""

SUIT_OF: tuple[int, ...] = tuple(0 if thing in _COIN[colour] else 1 for colour in COLOURS for thing in OBJECTS)
"""The suit of each pattern card."""

SET_WORTH: tuple[int, ...] = (0, 0, 1, 2, 3, 5)
"""What n cards of one object are worth at the end of a round, in $."""
COLOUR_TARGET_EVERY = 2
SUIT_TARGET_EVERY = 4
"""A target card pays 1 $ for so many cards of its kind."""

HANDICAP_MS = 2_000
"""So long a seat whose grab was in vain may not cover in the next shoot-out."""

Seat = Annotated[int, Meta(ge=0, le=MOST_SEATS - 1)]
Place = Annotated[int, Meta(ge=0, le=PLACES - 1)]
Attribute = Annotated[int, Meta(ge=0, le=ATTRIBUTES - 1)]
Card = Annotated[int, Meta(ge=0, le=PATTERN_CARDS - 1)]
Side = Literal["before", "after"]


class Limits(Struct, frozen=True, gc=False, kw_only=True):
    """Time limits in milliseconds.

    ready: until all look. shoot: for the shoot-out. declare: for the shooter's pattern. take: for each choice of a
    card. grab: for Clementine. name: for whoever has grabbed her.
    """

    ready: int
    shoot: int
    declare: int
    take: int
    grab: int
    name: int


PRESETS: dict[str, Limits] = {
    "standard": Limits(ready=10_000, shoot=90_000, declare=8_000, take=15_000, grab=30_000, name=8_000),
    # For people who need longer to press keys: the same game, everything twice as long.
    "relaxed": Limits(ready=20_000, shoot=180_000, declare=16_000, take=30_000, grab=60_000, name=16_000),
}
"""The rules' own limits are `standard`. There is no game without limits: in a race somebody must be last."""


class Options(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A table's options.

    time: the preset of the limits. rounds: how many; None: two with two players, three otherwise.
    """

    time: Literal["standard", "relaxed"] = "standard"
    rounds: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] | None = None


class Pattern(Struct, frozen=True, gc=False):
    """*Immediately `side` every card with `a` there is always a card with `b`.*

    One of the two attributes is an object, the other a colour or a suit.
    """

    side: Side
    a: Attribute
    b: Attribute


# Actions: what a seat may answer.


class Ready(Struct, frozen=True, gc=False, tag="ready"):
    """The cards may be looked at."""


class Cover(Struct, frozen=True, gc=False, tag="cover"):
    """Shoot-out: cover the card at this place of the Wheel with the own one. Whoever was first, has to declare."""

    place: Place


class Click(Struct, frozen=True, gc=False, tag="click"):
    """Shoot-out: the gun is empty. Final."""


class Declare(Struct, frozen=True, gc=False, tag="declare"):
    """Name a pattern: a new one after covering, one that is present after grabbing. The fields are `Pattern`'s."""

    side: Side
    a: Attribute
    b: Attribute


class NoPattern(Struct, frozen=True, gc=False, tag="no_pattern"):
    """Duel: there is no pattern on the Wheel."""


class Take(Struct, frozen=True, gc=False, tag="take"):
    """Take the top card of this place."""

    place: Place


class Grab(Struct, frozen=True, gc=False, tag="grab"):
    """Duel: grab Clementine. Whoever was first, has to name a pattern."""


Action = Ready | Cover | Click | Declare | NoPattern | Take | Grab


# Parts of events and views.


class Entrant(Struct, frozen=True, gc=False):
    """One who raced, in milliseconds since the cards were shown.

    arrival: when the server got it. credit: what was taken off for the way. moment: what counts, arrival less credit,
    but never before the seat was allowed to.
    """

    seat: Seat
    arrival: int
    credit: int
    moment: int


class Race(Struct, frozen=True, gc=False):
    """How it was decided who was first. entrants: by moment, then seat. drawn: several were equal, and it was drawn."""

    winner: Seat
    drawn: bool
    entrants: tuple[Entrant, ...]


class Judgement(Struct, frozen=True, gc=False):
    """What became of a declaration, or of its absence.

    pattern: as declared; with `some` one that is present; else None. verdict:
        `valid`;
        `too_few`: fewer than two cards with A;
        `not_always`: some card with A has no such neighbour;
        `not_new`: it was present before the card was played;
        `silent`: nothing was said in time;
        `none`: in a duel it was rightly said that there is none;
        `some`: in a duel it was said that there is none, and there is.
    count: cards with A. involved: places of the cards with A that have such a neighbour, and of these neighbours.
    lacking: places of the cards with A that have none. wild: all eight places are involved in a valid pattern.
    """

    seat: Seat
    pattern: Pattern | None
    verdict: str
    count: int = 0
    involved: tuple[int, ...] = ()
    lacking: tuple[int, ...] = ()
    wild: bool = False

    @property
    def right(self) -> bool:
        """Whether it holds."""
        return self.verdict in ("valid", "none")


class Laid(Struct, frozen=True, gc=False):
    """A card that came to lie at a place. seat: from whose hand; None: from the deck."""

    place: Place
    card: Card
    seat: Seat | None = None


class Payment(Struct, frozen=True, gc=False):
    """What a seat was paid at the end of a round, in $.

    objects: for its objects. target: for its target card. challenges: for its challenge cards. due: all together.
    paid: less, if the bank ran out. coins: what the seat has now.
    """

    seat: Seat
    objects: int
    target: int
    challenges: int
    due: int
    paid: int
    coins: int


class Score(Struct, frozen=True, gc=False):
    """A seat's result. place: 1 for the best; equals share it, and a Wild Wild Pattern is better than any money."""

    seat: Seat
    coins: int
    place: int
    winner: bool


# Events: what happened. `auto` means that the clock decided, not the person.


class GameStarted(Struct, frozen=True, gc=False, tag="game_started"):
    """seats: how many play. rounds: at most so many are played. bank: coins in it."""

    seats: int
    rounds: int
    bank: int


class RoundStarted(Struct, frozen=True, gc=False, tag="round_started"):
    """round counts from 1. wheel: its cards clockwise. removed: challenge cards that were met. targets: by seat."""

    round: int
    wheel: tuple[int, ...]
    removed: int
    targets: tuple[int, ...]
    deck: int


class Dealt(Struct, frozen=True, gc=False, tag="dealt"):
    """Everybody has a card, face down. turn counts from 1 in each round. deck: cards left."""

    turn: int
    deck: int


class SaidReady(Struct, frozen=True, gc=False, tag="said_ready"):
    seat: Seat


class Looked(Struct, frozen=True, gc=False, tag="looked"):
    """All look at their cards. duel: the seats with a challenge card, which all see; empty: it is a shoot-out."""

    duel: tuple[int, ...] = ()
    auto: bool = False


class YouLook(Struct, frozen=True, gc=False, tag="you_look"):
    """Private: the own card. None: a challenge card."""

    card: Card | None


class Clicked(Struct, frozen=True, gc=False, tag="clicked"):
    seat: Seat


class YouShot(Struct, frozen=True, gc=False, tag="you_shot"):
    """Private: one's own shot has arrived. Whether it was the first shows in a moment."""

    place: Place


class YouGrabbed(Struct, frozen=True, gc=False, tag="you_grabbed"):
    """Private: one's own grab has arrived. Whether it was the first shows in a moment."""


class Covered(Struct, frozen=True, gc=False, tag="covered"):
    """The shooter's card lies over another. covered: that other card."""

    seat: Seat
    place: Place
    card: Card
    covered: Card
    race: Race


class NobodyShot(Struct, frozen=True, gc=False, tag="nobody_shot"):
    """auto: time ran out; else all have clicked."""

    auto: bool = False


class Judged(Struct, frozen=True, gc=False, tag="judged"):
    """The shooter's pattern was looked at."""

    judgement: Judgement


class Taken(Struct, frozen=True, gc=False, tag="taken"):
    """A card of the Wheel was won. chosen: it could have been another."""

    seat: Seat
    place: Place
    card: Card
    chosen: bool = False
    auto: bool = False


class Discarded(Struct, frozen=True, gc=False, tag="discarded"):
    """A card left the Wheel. reason: `invalid` (the card of an invalid play) or `covered` (left under another)."""

    place: Place
    card: Card
    reason: str


class Filled(Struct, frozen=True, gc=False, tag="filled"):
    """The end of a shoot-out: the Wheel is full again, unless the deck was too small.

    laid: in the order in which they were laid. left: cards from hands that found no place, now on the discard.
    removed: challenge cards that were met. deck: cards left.
    """

    laid: tuple[Laid, ...]
    left: tuple[int, ...]
    removed: int
    deck: int


class Grabbed(Struct, frozen=True, gc=False, tag="grabbed"):
    """Somebody has Clementine."""

    seat: Seat
    race: Race


class DuelOver(Struct, frozen=True, gc=False, tag="duel_over"):
    """judgement: of what was named; None: nobody grabbed. winner: who has the challenge card; None: it is removed.

    slowed: who may not cover in the first moments of the next shoot-out. removed: challenge cards out of the round.
    deck: with the pattern cards that had been dealt under it.
    """

    judgement: Judgement | None
    winner: Seat | None
    slowed: Seat | None
    removed: int
    deck: int


class RoundOver(Struct, frozen=True, gc=False, tag="round_over"):
    """reason: `deck` (it cannot deal a card to each) or `wheel` (it cannot fill the Wheel).

    payments: in the order of paying. bank: coins left in it.
    """

    reason: str
    payments: tuple[Payment, ...]
    bank: int


class GameOver(Struct, frozen=True, gc=False, tag="game_over"):
    """reason: `rounds` (all are played), `bank` (it is empty) or `wild` (a Wild Wild Pattern). scores: best first."""

    reason: str
    scores: tuple[Score, ...]


Event = (
    GameStarted
    | RoundStarted
    | Dealt
    | SaidReady
    | Looked
    | YouLook
    | Clicked
    | YouShot
    | YouGrabbed
    | Covered
    | NobodyShot
    | Judged
    | Taken
    | Discarded
    | Filled
    | Grabbed
    | DuelOver
    | RoundOver
    | GameOver
)


# Views.


class PlaceView(Struct, frozen=True, gc=False):
    """A place of the Wheel. card: on top, None if it is empty. covered: the card under it, if there is one."""

    card: Card | None
    covered: Card | None = None


class ParticipantView(Struct, frozen=True, gc=False):
    """What all see of one seat.

    target: its target card. won: pattern cards, oldest first. challenges: challenge cards won.
    ready: has said so. clicked: this turn. slowed: may not cover in the next shoot-out's first moments.
    """

    coins: int
    target: int
    won: tuple[int, ...]
    challenges: int
    ready: bool = False
    clicked: bool = False
    slowed: bool = False


class PublicView(Struct, frozen=True, gc=False):
    """What everybody sees.

    phase: `ready`, `shootout`, `declare`, `take`, `grab`, `name` or `over`.
    wheel: eight places, clockwise. deck: cards in it. discard: open, oldest first. removed: challenge cards out of
        this round. bank: coins in it. duel: this turn is one; one challenge card is played for.
    active: who has to declare, take or name. takes: how many cards the active seat has still to take.
    shooter: who has covered in this turn, or grabbed. played: the place that was covered.
    forbidden: a place from which nothing may be taken now. race: this turn's. judgement: of this turn's declaration.
    scores: once over, best first.
    """

    round: int
    rounds: int
    turn: int
    phase: str
    wheel: tuple[PlaceView, ...]
    deck: int
    discard: tuple[int, ...]
    removed: int
    bank: int
    participants: tuple[ParticipantView, ...]
    duel: bool = False
    active: Seat | None = None
    takes: int = 0
    shooter: Seat | None = None
    played: Place | None = None
    forbidden: Place | None = None
    race: Race | None = None
    judgement: Judgement | None = None
    scores: tuple[Score, ...] | None = None


class OwnView(Struct, frozen=True, gc=False):
    """What one's own seat sees besides.

    card: the own card, once all have looked and as long as it is in the hand.
    shot: the place that one's own shot is for, while the race is undecided. grabbed: likewise, the own hand is out.
    """

    seat: Seat
    card: Card | None = None
    shot: Place | None = None
    grabbed: bool = False


# Arithmetic.


def object_of(card: int) -> int:
    """A pattern card's object, as an attribute."""
    return card % len(OBJECTS)


def colour_of(card: int) -> int:
    """A pattern card's colour, as an attribute."""
    return FIRST_COLOUR + card // len(OBJECTS)


def suit_of(card: int) -> int:
    """A pattern card's suit, as an attribute."""
    return FIRST_SUIT + SUIT_OF[card]


def attributes_of(card: int) -> tuple[int, int, int]:
    """A pattern card's (object, colour, suit)."""
    return object_of(card), colour_of(card), suit_of(card)


def is_object(attribute: int) -> bool:
    """Whether an attribute is an object (else a colour or a suit)."""
    return attribute < FIRST_COLOUR


def is_suit(attribute: int) -> bool:
    """Whether an attribute is a suit."""
    return attribute >= FIRST_SUIT


def is_challenge(card: int) -> bool:
    """Whether a card is a challenge card."""
    return card >= PATTERN_CARDS


def target_attribute(target: int) -> int:
    """The colour or suit that a target card pays for, as an attribute."""
    return FIRST_COLOUR + target


def rounds_of(options: Options, seats: int) -> int:
    """How many rounds a game has at most."""
    if options.rounds is not None:
        return options.rounds
    return 2 if seats == FEWEST_SEATS else 3


def worth_of_objects(won: Sequence[int]) -> int:
    """What the objects on won cards are worth at the end of a round, in $."""
    counts = [0] * len(OBJECTS)
    for card in won:
        counts[object_of(card)] += 1
    return sum(SET_WORTH[count] for count in counts)


def worth_of_target(target: int, won: Sequence[int]) -> int:
    """What a target card pays for won cards, in $."""
    wanted = target_attribute(target)
    count = sum(1 for card in won if wanted in attributes_of(card))
    return count // (SUIT_TARGET_EVERY if is_suit(wanted) else COLOUR_TARGET_EVERY)
