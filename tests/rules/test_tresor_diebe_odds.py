"""Tresor Diebe's odds against an independent reckoning, and against the dice that the server throws."""

import random
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

from robby_games.tresor_diebe import Again, Opened, Options, Stop, Throw
from robby_games.tresor_diebe_odds import aiming_at, chance_of, outlook
from robby_rules.interface import Stamp
from tests.rules.games import new_chance
from tests.rules.tresor_diebe_kit import DIEBE, Heist, reckoning

SAFES = range(5, 31)
ALL_DICE = tuple(combinations_with_replacement(range(1, 7), 5))
PUBLISHED = {5: 0.013, 9: 0.159, 12: 0.280, 17: 0.369}
"""From the rules page."""


def independent(safes: tuple[int, ...]) -> dict[tuple[tuple[int, ...], int], Fraction]:
    """The chance to hit one of these sums, by dice lying and throws left; () and 3: before a turn."""
    worth, keeping = reckoning(tuple(int(safe in safes) for safe in SAFES))
    asked: list[tuple[tuple[int, ...], int]] = [(dice, left) for left in range(3) for dice in ALL_DICE]
    return {(dice, left): worth(dice, left) for dice, left in asked} | {((), 3): keeping((), 3)}


@pytest.mark.parametrize("safes", [(5,), (9,), (12,), (17,), (6, 29), tuple(range(13, 23))])
def test_chances_equal_an_independent_reckoning_in_fractions(safes: tuple[int, ...]) -> None:
    for (dice, left), chance in independent(safes).items():
        assert chance_of(safes, dice, left) == chance, (dice, left)


def test_the_chance_for_five_is_all_ones_die_by_die() -> None:
    assert chance_of((5,)) == (1 - Fraction(5, 6) ** 3) ** 5
    for left in (1, 2, 3):
        assert chance_of((30,), left=left) == (1 - Fraction(5, 6) ** left) ** 5


def test_the_published_chances() -> None:
    for safe, chance in PUBLISHED.items():
        assert float(chance_of((safe,))) == pytest.approx(chance, abs=0.0005)
    assert float(chance_of((5,))) == pytest.approx(0.01327, abs=0.000005)


@pytest.mark.parametrize("safe", SAFES)
def test_high_and_low_are_alike(safe: int) -> None:
    assert chance_of((safe,)) == chance_of((35 - safe,))


def test_hitting_any_safe_is_certain_and_hitting_none_impossible() -> None:
    assert chance_of(tuple(SAFES)) == 1
    assert chance_of(()) == 0
    assert aiming_at(tuple(SAFES)).best((1, 2, 3, 4, 5), 2) == ()
    assert aiming_at(()).best((1, 2, 3, 4, 5), 2) == ()


def test_dice_that_hit_already_are_left_and_one_throw_is_plain_counting() -> None:
    assert chance_of((26,), (6, 6, 5, 5, 4), 2) == 1
    assert aiming_at((26,)).best((6, 6, 5, 5, 4), 2) == ()
    assert chance_of((26,), (6, 6, 5, 5, 3), 0) == 0
    assert chance_of((26,), (6, 6, 5, 5, 3), 1) == Fraction(1, 6)
    assert chance_of((30,), (6, 6, 6, 1, 1), 1) == Fraction(1, 36)
    assert chance_of((12,), left=1) == Fraction(305, 7776)


@pytest.mark.parametrize("left", [1, 2])
def test_the_best_choice_reaches_the_chance_it_promises(left: int) -> None:
    rng = random.Random(left)
    for _trial in range(60):
        aim = aiming_at(tuple(rng.sample(SAFES, 3)))
        dice = tuple(rng.randint(1, 6) for _die in range(5))
        again = aim.best(dice, left)
        assert list(again) == sorted(set(again))
        total = Fraction(0)
        for fall in product(range(1, 7), repeat=len(again)):
            new = list(dice)
            for place, die in zip(again, fall, strict=True):
                new[place] = die
            total += aim.worth(new, left - 1)
        assert total / 6 ** len(again) == aim.worth(dice, left)


@pytest.mark.parametrize("left", [1, 2, 3])
def test_what_is_chosen_to_be_thrown_is_worth_the_mean_of_all_falls(left: int) -> None:
    rng = random.Random(left)
    for _trial in range(40):
        aim = aiming_at(tuple(rng.sample(SAFES, 3)))
        dice = tuple(rng.randint(1, 6) for _die in range(5))
        again = tuple(sorted(rng.sample(range(5), rng.randint(1, 3))))
        falls = [dict(zip(again, fall, strict=True)) for fall in product(range(1, 7), repeat=len(again))]
        lying = [[fall.get(place, die) for place, die in enumerate(dice)] for fall in falls]
        assert aim.throwing(dice, again, left) == sum(aim.worth(one, left - 1) for one in lying) / len(falls)
        assert aim.throwing(dice, again, left) <= aim.worth(dice, left)


def test_rewards_may_be_anything_whole() -> None:
    certain = outlook((-3,) * 26)
    assert certain.at_start() == certain.worth((1, 2, 3, 4, 5), 2) == -3
    # One throw is the mean of all falls; the sum of five dice is 17.5 on average.
    assert outlook(tuple(SAFES)).at_start(1) == Fraction(35, 2)
    assert outlook(tuple(SAFES)).at_start(2) > Fraction(35, 2)
    with pytest.raises(ValueError, match="one reward for each safe"):
        outlook((1, 2))


def quickest(work: Callable[[int], object]) -> float:
    """Processor seconds of the quickest of some runs; each has a number of its own."""

    def once(number: int) -> float:
        began = time.process_time()
        work(number)
        return time.process_time() - began

    return min(once(number) for number in range(5))


def test_a_new_reward_table_is_reckoned_quickly() -> None:
    """It costs half of looking at all throws of five dice with each way to keep some; with coverage some more."""
    chance_of((5,))

    def reckon(number: int) -> None:
        outlook(tuple(range(number, number + 26))).at_start()

    def look(_number: int) -> None:
        ways = range(32)
        for dice in product(range(1, 7), repeat=5):
            total = sum(dice)
            for way in ways:
                total ^= way

    assert quickest(reckon) < 4 * quickest(look)


def test_the_servers_dice_fall_alike() -> None:
    """Chi-square over the sides, with 5 degrees of freedom: 20.5 is beyond one in a thousand."""
    heist = Heist()
    heist.chance = type(heist.chance)(bytes(range(1, 33)))
    start = heist.state
    sides: Counter[int] = Counter()
    for _throw in range(2_000):
        heist.rig(**{name: getattr(start, name) for name in ("dice", "throws", "serial")}).throw()
        sides.update(heist.state.dice)
    assert sum((sides[side] - 2_000 * 5 / 6) ** 2 / (2_000 * 5 / 6) for side in range(1, 7)) < 20.5


def test_the_rules_pay_the_chance_that_the_odds_promise() -> None:
    """Aiming at safe 12 in 2,000 turns by the rules: 28 % within four standard deviations."""

    aim = aiming_at((12,))
    chance = new_chance(random.Random(12))
    start = DIEBE.setup(Options(), 2, chance).state
    hits = 0
    for _turn in range(2_000):
        step = DIEBE.apply(start, start.turn, Throw(), Stamp(0), chance)
        while step.state.turn == start.turn:
            again = aim.best(step.state.dice, 3 - step.state.throws)
            action = Again(again) if again else Stop()
            step = DIEBE.apply(step.state, start.turn, action, Stamp(0), chance)
        hits += any(isinstance(event, Opened) and event.safe == 12 for event in step.public)
    expected = float(chance_of((12,)))
    assert abs(hits / 2_000 - expected) < 4 * (expected * (1 - expected) / 2_000) ** 0.5
