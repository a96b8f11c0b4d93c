"""What groups of people want to play: a game, how many they are, and its options, as their seed says."""

import random
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS = (1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 5, 100)
"""After which games of Robby Solo end: many short ones, since what goes wrong at a beginning or an end needs many of
these; and some whole ones."""
PEOPLE = (3, 3, 3, 3, 4, 4, 5)
"""At a table of Robby Solo: with a junior one fewer."""
TIMES = ("untimed", "untimed", "blitz", "blitz", "standard", "relaxed")
"""How much time there is: few wait long for nothing, as waiting alone costs most."""


@dataclass(frozen=True)
class Wish:
    """people: at the table. participants: with those who have no seat. length: in games of one round of Robby Solo."""

    game: str
    people: int
    participants: int
    options: dict[str, object]
    length: int


def _robby_solo(rng: random.Random) -> Wish:
    junior = rng.random() < 0.3
    count = rng.choice(PEOPLE)
    time, rounds = rng.choice(TIMES), rng.choice(ROUNDS)
    options: dict[str, object] = {"time": time, "junior": junior, "max_rounds": rounds}
    return Wish("robby-solo", count - junior, count, options, min(rounds, 20))


def _tresor_diebe(rng: random.Random) -> Wish:
    count = rng.choice((2, 2, 3, 4))
    return Wish("tresor-diebe", count, count, {"time": rng.choice(TIMES), "rounds": 1}, 10)


def _wild_wild_pattern(rng: random.Random) -> Wish:
    count = rng.choice((2, 2, 3, 4))
    return Wish("wild-wild-pattern", count, count, {"rounds": 1}, 10)


GAMES: tuple[Callable[[random.Random], Wish], ...] = (
    _robby_solo,
    _robby_solo,
    _wild_wild_pattern,
    _robby_solo,
    _tresor_diebe,
)


def wish(seed: int, number: int, rng: random.Random) -> Wish:
    """What group `number` of a seed's evening wants: in turn, so that small evenings have all games too."""
    return GAMES[(seed + number) % len(GAMES)](rng)
