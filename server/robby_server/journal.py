"""Where the entries of matches are kept. An entry is committed here before anyone sees its effect.

The interface is asynchronous, since a disk is; the memory journal does not wait for anything, so that tests can run
under a fake clock. What entries are is the rules' business (`robby_rules.journal`).
"""

from collections.abc import Sequence
from typing import Protocol

import trio

from robby_rules.journal import Entry


class Journal(Protocol):
    """Entries by match, in order."""

    async def append(self, match: str, entry: Entry) -> None:
        """Commit an entry: once this returns it will be there after a crash."""
        ...

    async def read(self, match: str) -> Sequence[Entry]:
        """All entries of a match in order. Raises KeyError for one that is not known."""
        ...

    async def matches(self) -> Sequence[str]:
        """Ids of the matches that have begun and not ended."""
        ...

    async def end(self, match: str) -> None:
        """The match is over (or broken off) and needs not be taken up again. Its entries stay readable."""
        ...

    async def close(self) -> None:
        """Nothing more will be appended."""
        ...


class MemoryJournal:
    """Keeps entries as long as the process lives; of ended matches the newest `keep`."""

    def __init__(self, keep: int = 1_000) -> None:
        self._keep = keep
        self._entries: dict[str, list[Entry]] = {}
        self._ended: dict[str, None] = {}
        self._closed = False

    async def append(self, match: str, entry: Entry) -> None:
        if self._closed:
            raise trio.ClosedResourceError
        self._entries.setdefault(match, []).append(entry)

    async def read(self, match: str) -> Sequence[Entry]:
        return tuple(self._entries[match])

    async def matches(self) -> Sequence[str]:
        return tuple(match for match in self._entries if match not in self._ended)

    async def end(self, match: str) -> None:
        self._ended[match] = None
        while len(self._ended) > self._keep:
            oldest = next(iter(self._ended))
            del self._ended[oldest]
            self._entries.pop(oldest, None)

    async def close(self) -> None:
        self._closed = True
