"""Which patterns there are on a Wheel of Wild Wild Pattern, fast enough to look at every way to play a card.

A Wheel is a sequence of eight pattern cards clockwise; None stands for an empty place, which is nobody's neighbour and
has no attributes. All well-formed patterns are numbered 0 … 449 (`number_of`; half of the numbers are no pattern), and
a set of patterns is one integer with a bit for each, so *new* is `after & ~before`.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from robby_games.wild_wild_pattern import (
    ATTRIBUTES,
    FIRST_COLOUR,
    PATTERN_CARDS,
    PLACES,
    Pattern,
    attributes_of,
    is_object,
)

Wheel = Sequence[int | None]

FEWEST: Final = 2
"""So many cards with A a pattern needs at least."""

_ON_CARD: Final = tuple(attributes_of(card) for card in range(PATTERN_CARDS))
_BITS: Final = tuple(sum(1 << attribute for attribute in attributes) for attributes in _ON_CARD)
"""Each card's attributes, and the same as bits."""
_OBJECTS: Final = (1 << FIRST_COLOUR) - 1
_OTHERS: Final = ((1 << ATTRIBUTES) - 1) & ~_OBJECTS
_PARTNERS: Final = tuple(_OTHERS if is_object(attribute) else _OBJECTS for attribute in range(ATTRIBUTES))
"""Which B fit each A, as bits."""
_SIDES: Final = ("before", "after")
_HALF: Final = ATTRIBUTES * ATTRIBUTES


class Finding(Struct, frozen=True, gc=False):
    """A pattern looked for on a Wheel.

    count: cards with A. involved: places of those that have the neighbour, and of these neighbours, in order.
    lacking: places of the cards with A that do not have it.
    """

    count: int
    involved: tuple[int, ...]
    lacking: tuple[int, ...]

    @property
    def present(self) -> bool:
        """Whether the pattern is on the Wheel."""
        return self.count >= FEWEST and not self.lacking

    @property
    def wild(self) -> bool:
        """Whether it is on the Wheel and involves all eight cards."""
        return self.present and len(self.involved) == PLACES


def well_formed(pattern: Pattern) -> bool:
    """Whether one of the two attributes is an object and the other is not."""
    return 0 <= pattern.a < ATTRIBUTES and 0 <= pattern.b < ATTRIBUTES and is_object(pattern.a) != is_object(pattern.b)


def number_of(pattern: Pattern) -> int:
    """A well-formed pattern's number."""
    return _SIDES.index(pattern.side) * _HALF + pattern.a * ATTRIBUTES + pattern.b


def pattern_of(number: int) -> Pattern:
    """The pattern of a number."""
    side, rest = divmod(number, _HALF)
    return Pattern("after" if side else "before", *divmod(rest, ATTRIBUTES))


ALL: Final = tuple(
    pattern
    for side in ("after", "before")
    for a in range(ATTRIBUTES)
    for b in range(ATTRIBUTES)
    if well_formed(pattern := Pattern(side, a, b))
)
"""Every well-formed pattern: 224."""


def present(wheel: Wheel) -> int:
    """All patterns on the Wheel, as the bits of one integer."""
    bits = [0 if card is None else _BITS[card] for card in wheel]
    counts = [0] * ATTRIBUTES
    # What all the neighbours of the cards with an attribute have in common, on either side.
    before = list(_PARTNERS)
    after = list(_PARTNERS)
    previous = bits[-1]
    for place, card in enumerate(wheel):
        if card is not None:
            following = bits[place + 1 - PLACES]
            for attribute in _ON_CARD[card]:
                counts[attribute] += 1
                before[attribute] &= previous
                after[attribute] &= following
        previous = bits[place]
    found = 0
    for attribute, count in enumerate(counts):
        if count >= FEWEST:
            common = before[attribute] | after[attribute] << _HALF
            if common:
                found |= common << attribute * ATTRIBUTES
    return found


def listed(found: int) -> Iterator[Pattern]:
    """The patterns of such an integer, by their numbers."""
    while found:
        lowest = found & -found
        yield pattern_of(lowest.bit_length() - 1)
        found ^= lowest


def patterns_on(wheel: Wheel) -> tuple[Pattern, ...]:
    """All patterns on the Wheel."""
    return tuple(listed(present(wheel)))


def covering(wheel: Wheel, place: int, card: int) -> tuple[int | None, ...]:
    """The Wheel with a card over the one at this place."""
    return (*wheel[:place], card, *wheel[place + 1 :])


def new_patterns(wheel: Wheel, place: int, card: int) -> int:
    """The patterns that covering this place with a card would make, as the bits of one integer."""
    return present(covering(wheel, place, card)) & ~present(wheel)


def all_plays(wheel: Wheel, card: int) -> tuple[int, ...]:
    """By place: the patterns that covering it with a card would make, as the bits of one integer each."""
    known = ~present(wheel)
    return tuple([present(covering(wheel, place, card)) & known for place in range(PLACES)])


def look_for(wheel: Wheel, pattern: Pattern) -> Finding:
    """Everything about one well-formed pattern on a Wheel, present or not."""
    step = 1 if pattern.side == "after" else -1
    involved: set[int] = set()
    lacking: list[int] = []
    count = 0
    for place, card in enumerate(wheel):
        if card is None or pattern.a not in _ON_CARD[card]:
            continue
        count += 1
        beside = (place + step) % PLACES
        neighbour = wheel[beside]
        if neighbour is not None and pattern.b in _ON_CARD[neighbour]:
            involved |= {place, beside}
        else:
            lacking.append(place)
    return Finding(count, tuple(sorted(involved)), tuple(lacking))
