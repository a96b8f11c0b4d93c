"""What cards and plays of Wild Wild Pattern are worth to a seat, in hundredths of a dollar, all in whole numbers."""

from collections.abc import Sequence
from typing import NamedTuple

from robby_games.wild_wild_pattern import (
    PLACES,
    Pattern,
    PublicView,
    attributes_of,
    is_suit,
    object_of,
    target_attribute,
    worth_of_objects,
    worth_of_target,
)
from robby_games.wild_wild_patterns import FEWEST, all_plays, covering, listed, look_for, present

DOLLAR = 100
HOPE = 30
"""What a card counts for where it pays nothing yet, but one more like it will."""
GAME = 1_000_000
"""A Wild Wild Pattern."""

Wheel = Sequence[int | None]


class Play(NamedTuple):
    """A way to play a card: cover this place, declare this pattern."""

    worth: int
    place: int
    pattern: Pattern


def wheel_of(public: PublicView) -> tuple[int | None, ...]:
    """The cards on top."""
    return tuple(place.card for place in public.wheel)


def wheel_before(public: PublicView) -> tuple[int | None, ...]:
    """The Wheel as it was before a card was covered in this turn."""
    return tuple(place.card if place.covered is None else place.covered for place in public.wheel)


def worth_of_card(card: int, won: Sequence[int], target: int) -> int:
    """What one more card adds to those that were won."""
    more = (*won, card)
    objects = worth_of_objects(more) - worth_of_objects(won)
    colours = worth_of_target(target, more) - worth_of_target(target, won)
    first_of_its_kind = all(object_of(other) != object_of(card) for other in won)
    towards_target = target_attribute(target) in attributes_of(card) and not colours
    return (objects + colours) * DOLLAR + (first_of_its_kind + towards_target) * HOPE


class Valuer:
    """Values the plays of one seat on one Wheel, the one before the card is played."""

    def __init__(self, wheel: Wheel, public: PublicView, seat: int) -> None:
        own = public.participants[seat]
        self._wheel, self._won, self._target = wheel, own.won, own.target
        worths = [(0 if card is None else self._card(card), place) for place, card in enumerate(wheel)]
        self._by_worth = sorted(worths, reverse=True)

    def play(self, place: int, card: int, pattern: Pattern) -> Play:
        """What a new pattern made by covering this place brings."""
        found = look_for(covering(self._wheel, place, card), pattern)
        if found.wild:
            return Play(GAME, place, pattern)
        twice, covered = found.count > FEWEST, self._wheel[place]
        if covered is not None and (is_suit(pattern.a) or is_suit(pattern.b)):
            worth = self._card(covered) + (self._card(card) if twice else 0)
        else:
            others = [worth for worth, other in self._by_worth if other != place]
            worth = sum(others[: 2 if twice else 1])
        return Play(worth, place, pattern)

    def _card(self, card: int) -> int:
        return worth_of_card(card, self._won, self._target)


def ways_of(public: PublicView, card: int) -> int:
    """In how many ways a new pattern can be made with this card."""
    return sum(made.bit_count() for made in all_plays(wheel_of(public), card))


def plays_of(public: PublicView, seat: int, card: int) -> list[Play]:
    """Every way to make a new pattern with this card, the best first."""
    wheel = wheel_of(public)
    valuer = Valuer(wheel, public, seat)
    plays = [
        valuer.play(place, card, pattern)
        for place, made in enumerate(all_plays(wheel, card))
        for pattern in listed(made)
    ]
    return sorted(plays, key=lambda play: -play.worth)


def declarations_of(public: PublicView, seat: int) -> list[Play]:
    """Every new pattern on the Wheel once the seat has covered a card, the best first."""
    place = public.played
    card = None if place is None else public.wheel[place].card
    if place is None or card is None:
        return []
    before = wheel_before(public)
    valuer = Valuer(before, public, seat)
    made = present(wheel_of(public)) & ~present(before)
    return sorted((valuer.play(place, card, pattern) for pattern in listed(made)), key=lambda play: -play.worth)


def best_place(public: PublicView, seat: int, places: Sequence[int]) -> int:
    """From which of these places to take a card; of equals the first clockwise from the one played."""
    own, after = public.participants[seat], (public.played or 0) + 1

    def rank(place: int) -> tuple[int, int]:
        card = public.wheel[place].card
        worth = 0 if card is None else worth_of_card(card, own.won, own.target)
        return -worth, (place - after) % PLACES

    return min(places, key=rank)
