"""Slowing down those who guess: so many wrong secrets from one address within some time, and no more are looked at.

Knows addresses (households, as the limits of connections count them) and nothing of what was guessed.
"""

from collections import deque

import trio

from robby_server.addresses import SITE_TIMES, site_of

ADDRESSES = 10_000
"""Remembered at a time; beyond them the one whose last wrong attempt is oldest is forgotten. A megabyte or two."""


class Attempts:
    """Wrong attempts by address, within a sliding window.

    limit: so many may be wrong; what comes after them is refused without looking, right or wrong, so that refusals
    tell nothing; from all networks that one subscriber may have, `SITE_TIMES` times as many. seconds: how long each
    counts.
    """

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._wrong: dict[str, deque[float]] = {}  # in the order of the last wrong attempts

    def __len__(self) -> int:
        return len(self._wrong)

    def blocked(self, address: str) -> bool:
        """Whether nothing from this address is to be looked at now. Between this and `wrong` nothing may wait."""
        return any(self._blocked(key, limit) for key, limit in self._counted(address))

    def wrong(self, address: str) -> None:
        """Something from this address was wrong."""
        for key, limit in self._counted(address):
            times = self._wrong.pop(key, None) or deque(maxlen=limit)
            times.append(trio.current_time())
            self._wrong[key] = times
        while len(self._wrong) > ADDRESSES:
            del self._wrong[next(iter(self._wrong))]

    def _counted(self, address: str) -> list[tuple[str, int]]:
        """What counts together, and how much of it may be wrong."""
        site = site_of(address)
        return (
            [(address, self._limit)] if site == address else [(address, self._limit), (site, self._limit * SITE_TIMES)]
        )

    def _blocked(self, key: str, limit: int) -> bool:
        times = self._wrong.get(key)
        if times is None:
            return False
        since = trio.current_time() - self._seconds
        while times and times[0] <= since:
            times.popleft()
        if not times:
            del self._wrong[key]
        return len(times) >= limit
