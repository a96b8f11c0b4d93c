"""The definition of a pattern in the rules' own words, as plainly as can be, to judge the fast arithmetic by.

Shares nothing with it: cards are told by words here, and every card is looked at.
"""

import random
from collections.abc import Sequence

from robby_games.wild_wild_pattern import PATTERN_CARDS
from robby_games.wild_wild_patterns import ALL, number_of, present

OBJECTS = ["gun", "loot", "star", "bottle", "horseshoe", "dynamite", "barrel", "wanted"]
COLOURS = ["red", "blue", "yellow", "grey", "white"]
SUITS = ["coin", "bullets"]
WORDS = [*OBJECTS, *COLOURS, *SUITS]
COINS = {
    "red": "gun bottle horseshoe barrel",
    "blue": "loot star dynamite wanted",
    "yellow": "gun star horseshoe wanted",
    "grey": "loot bottle dynamite barrel",
    "white": "gun bottle dynamite wanted",
}


def words_on(card: int) -> list[str]:
    """A pattern card's object, colour and suit."""
    colour, thing = COLOURS[card // 8], OBJECTS[card % 8]
    return [thing, colour, "coin" if thing in COINS[colour].split() else "bullets"]


def holds(wheel: Sequence[int], side: str, a: str, b: str) -> bool:
    """Whether there are at least two cards with A, and immediately `side` every one of them a card with B."""
    cards = [CARDS[card] for card in wheel]
    return _always(cards, [place for place, words in enumerate(cards) if a in words], side, b)


def _always(cards: Sequence[Sequence[str]], places: Sequence[int], side: str, b: str) -> bool:
    """The same, once the places of the cards with A are known."""
    step = 1 if side == "after" else 7
    return len(places) >= 2 and all(b in cards[(place + step) % 8] for place in places)


CARDS = [words_on(card) for card in range(PATTERN_CARDS)]
ASKED = [(pattern, number_of(pattern), WORDS[pattern.a], WORDS[pattern.b]) for pattern in ALL]


def disagreements(wheel: Sequence[int]) -> list[str]:
    """Every declaration about which the fast arithmetic and the plain definition differ on this Wheel."""
    bits, wrong = present(wheel), []
    cards = [CARDS[card] for card in wheel]
    having = {word: [place for place, words in enumerate(cards) if word in words] for word in WORDS}
    for pattern, number, a, b in ASKED:
        if bool(bits >> number & 1) != _always(cards, having[a], pattern.side, b):
            wrong.append(f"{wheel}: {pattern}")
    return wrong


def random_wheel(rng: random.Random) -> list[int]:
    """Eight cards. Every other time of few kinds, so that patterns are frequent."""
    if rng.random() < 0.5:
        return rng.sample(range(PATTERN_CARDS), 8)
    kinds = rng.sample(range(8), 3)
    return rng.sample([card for card in range(PATTERN_CARDS) if card % 8 in kinds], 8)
