"""Tresor Diebe's odds, exactly: what a turn is worth if the dice to throw again are chosen best.

A *reward* for each safe says what its sum is worth: 1 for the safe aimed at and 0 else makes the worth a chance. All
is counted in whole numbers: a worth with n throws left is a sum over 6⁵ⁿ equally likely ways to fall.
Knows dice and rewards, nothing of turns. The first use takes some hundredths of a second, each new reward table after
it some thousandths; a table once reckoned is kept.
"""

from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

from robby_games.tresor_diebe import DICE, FIRST_SAFE, LAST_SAFE, SIDES, THROWS

_WAYS = SIDES**DICE
"""How many ways there are for five dice to fall."""
_KEPT = 64
"""Reward tables kept: each safe alone, and some of what players ask for in their turns."""

Dice = tuple[int, ...]
"""Sorted."""


class Outlook:
    """What a turn is worth under one reward for each safe, from safe 5 on. Get one by `outlook`."""

    def __init__(self, rewards: tuple[int, ...]) -> None:
        if len(rewards) != LAST_SAFE - FIRST_SAFE + 1:
            raise ValueError("there is one reward for each safe")
        # By throws left: the worth of each set of dice that lies, and of each that is kept while the rest is thrown.
        self._lying: list[dict[Dice, int]] = [{dice: rewards[sum(dice) - FIRST_SAFE] for dice in _shape().full}]
        self._kept: list[dict[Dice, int]] = [self._lying[0]]

    def worth(self, dice: Sequence[int], left: int) -> Fraction:
        """The best expected reward with these five dice lying and so many throws left (0 … 3)."""
        self._reckon(left)
        return Fraction(self._lying[left][tuple(sorted(dice))], _WAYS**left)

    def at_start(self, left: int = THROWS) -> Fraction:
        """The best expected reward before the first of so many throws (1 … 3)."""
        self._reckon(left)
        return Fraction(self._kept[left][()], _WAYS**left)

    def throwing(self, dice: Sequence[int], again: Collection[int], left: int) -> Fraction:
        """The best expected reward if the dice in these places are thrown now, with so many throws left (1 … 3)."""
        self._reckon(left)
        kept = tuple(sorted(die for place, die in enumerate(dice) if place not in again))
        return Fraction(self._kept[left][kept], _WAYS**left)

    def best(self, dice: Sequence[int], left: int) -> tuple[int, ...]:
        """The places to throw again for the best expected reward; empty: let them lie.

        Of equally good choices the one that throws the fewest dice, then the one that keeps the lowest.
        """
        self._reckon(left)
        if left == 0:
            return ()
        kept = self._kept[left]
        lying = tuple(sorted(dice))
        wanted = self._lying[left][lying]
        keep = list(next(keep for keep in _shape().keeps[lying] if kept[keep] == wanted))
        again = []
        for place, die in enumerate(dice):
            if die in keep:
                keep.remove(die)
            else:
                again.append(place)
        return tuple(again)

    def _reckon(self, left: int) -> None:
        shape = _shape()
        while len(self._lying) <= left:
            lying = self._lying[-1]
            # Scaled as if five dice were thrown whatever is kept, so that all can be compared.
            kept = {dice: worth * _WAYS for dice, worth in lying.items()}
            for keep in shape.parts:
                kept[keep] = sum([kept[more] for more in shape.more[keep]]) // SIDES
            self._kept.append(kept)
            self._lying.append({dice: max([kept[keep] for keep in shape.keeps[dice]]) for dice in shape.full})


class _Shape:
    """How sets of dice hang together.

    full: all sets of five. parts: all smaller ones, larger before smaller. more: each part with one die of each side
    added. keeps: what can be kept of five, most dice first.
    """

    def __init__(self) -> None:
        sides = range(1, SIDES + 1)
        self.full: tuple[Dice, ...] = tuple(combinations_with_replacement(sides, DICE))
        self.parts: tuple[Dice, ...] = tuple(
            part for size in range(DICE - 1, -1, -1) for part in combinations_with_replacement(sides, size)
        )
        self.more = {part: [tuple(sorted((*part, die))) for die in sides] for part in self.parts}
        self.keeps = {
            dice: tuple(dict.fromkeys(keep for size in range(DICE, -1, -1) for keep in combinations(dice, size)))
            for dice in self.full
        }


@lru_cache(maxsize=1)
def _shape() -> _Shape:
    return _Shape()


@lru_cache(maxsize=_KEPT)
def outlook(rewards: tuple[int, ...]) -> Outlook:
    """What turns are worth under one whole reward for each safe, from safe 5 on."""
    return Outlook(rewards)


def aiming_at(safes: Sequence[int]) -> Outlook:
    """The chance to hit any of these safes."""
    return outlook(tuple(int(safe in safes) for safe in range(FIRST_SAFE, LAST_SAFE + 1)))


def chance_of(safes: Sequence[int], dice: Sequence[int] = (), left: int = THROWS) -> Fraction:
    """The chance to hit any of these safes with these dice lying (none: nothing thrown yet) and so many throws left."""
    aim = aiming_at(safes)
    return aim.worth(dice, left) if dice else aim.at_start(left)
