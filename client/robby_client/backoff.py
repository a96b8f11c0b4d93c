"""Waits between tries to come back: they double up to a limit, with jitter, so many clients do not come at once."""

import random

_LEAST_SHARE = 0.5
"""A wait is between this share of the nominal one and the whole of it, so doubling never makes a wait shorter."""


class Backoff:
    """Gives one wait after the other. first, longest: the nominal waits, in seconds."""

    def __init__(self, first: float, longest: float, rng: random.Random) -> None:
        self._first = first
        self._longest = longest
        self._rng = rng
        self._nominal = first

    def next(self) -> float:
        """The next wait in seconds."""
        wait = self._nominal * self._rng.uniform(_LEAST_SHARE, 1.0)
        self._nominal = min(self._nominal * 2, self._longest)
        return min(wait, self._longest)

    def reset(self) -> None:
        """Begin anew with the first wait."""
        self._nominal = self._first
