"""Slowing down those who guess: so many wrong secrets from one address within some time, and no more are looked at.

Knows addresses (households, as the limits of connections count them) and nothing of what was guessed.
"""

from collections import deque

import trio

ADDRESSES = 10_000
"""Remembered at a time; beyond them the one whose last wrong attempt is oldest is forgotten. A megabyte or two."""


class Attempts:
    """Wrong attempts by address, within a sliding window.

    limit: so many may be wrong; what comes after them is refused without looking, right or wrong, so that refusals
    tell nothing. seconds: how long each counts.
    """

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._wrong: dict[str, deque[float]] = {}  # in the order of the last wrong attempts

    def __len__(self) -> int:
        return len(self._wrong)

    def blocked(self, address: str) -> bool:
        """Whether nothing from this address is to be looked at now. Between this and `wrong` nothing may wait."""
        times = self._wrong.get(address)
        if times is None:
            return False
        since = trio.current_time() - self._seconds
        while times and times[0] <= since:
            times.popleft()
        if not times:
            del self._wrong[address]
        return len(times) >= self._limit

    def wrong(self, address: str) -> None:
        """Something from this address was wrong."""
        times = self._wrong.pop(address, None) or deque(maxlen=self._limit)
        times.append(trio.current_time())
        self._wrong[address] = times
        while len(self._wrong) > ADDRESSES:
            del self._wrong[next(iter(self._wrong))]
