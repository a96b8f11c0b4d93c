"""Composing a declaration by three keys: the side, then A, then B.

Only what can still become one of the declarations that were offered has a key, so none that is malformed can be made.
Knows no rules and no screen: what is well-formed the server's offer says.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from robby_games.wild_wild_pattern import ATTRIBUTE_LETTERS, Declare

SIDE_KEYS = {"left": "before", "right": "after"}
"""Letters are the attributes' own (A is the barrel, B blue), and a digit has just covered a place: pressed again at
once it would be taken for a key that is still held."""


@dataclass(frozen=True)
class Composing:
    """What has been chosen so far: nothing, the side, or the side and A."""

    side: str | None = None
    a: int | None = None

    def keys(self, offered: Sequence[Declare]) -> dict[str, "Composing | Declare"]:
        """The keys that lead on, in the order of the offer, each with where it leads."""
        steps: dict[str, Composing | Declare] = {}
        for action in offered:
            if self.side is None:
                for key, side in SIDE_KEYS.items():
                    if side == action.side:
                        steps[key] = Composing(side)
            elif action.side == self.side and self.a is None:
                steps[ATTRIBUTE_LETTERS[action.a].lower()] = Composing(self.side, action.a)
            elif action.side == self.side and action.a == self.a:
                steps[ATTRIBUTE_LETTERS[action.b].lower()] = action
        return steps

    def back(self) -> "Composing":
        """One step back."""
        return Composing(self.side) if self.a is not None else Composing()
