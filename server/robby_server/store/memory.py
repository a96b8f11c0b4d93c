"""A store that lasts as long as the process: for tests, and for a table that is played at once and forgotten."""

from collections.abc import Callable, Sequence

import trio

from robby_rules.journal import Entry
from robby_server.store.base import Ban, Kept, KeptIdentity


class MemoryStore:
    """Keeps everything in memory; of ended matches the newest `keep`. A new server may load from it like a restart."""

    def __init__(self, keep: int = 1_000) -> None:
        self._keep = keep
        self._entries: dict[str, list[Entry]] = {}
        self._ended: dict[str, None] = {}
        self._tables: dict[str, bytes] = {}
        self._identities: dict[str, KeptIdentity] = {}
        self._bans: dict[tuple[str, str], Ban] = {}
        self._clock_ms = 0
        self._closed = False

    async def load(self) -> Kept:
        self._closed = False
        return Kept(self._clock_ms, dict(self._tables), tuple(self._identities.values()), tuple(self._bans.values()))

    @property
    def trouble(self) -> str | None:
        return None

    def watch(self, listener: Callable[[str | None], None]) -> None:
        return  # there is never any trouble

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

    async def save_table(self, table: str, snapshot: bytes) -> None:
        self._tables[table] = snapshot

    async def drop_table(self, table: str) -> None:
        self._tables.pop(table, None)

    async def save_identity(self, identity: KeptIdentity) -> None:
        self._identities[identity.id] = identity

    async def forget_identity(self, identity: str) -> None:
        self._identities.pop(identity, None)

    async def save_ban(self, ban: Ban) -> None:
        self._bans[ban.kind, ban.value] = ban

    async def lift_ban(self, kind: str, value: str) -> None:
        self._bans.pop((kind, value), None)

    async def tick(self, clock_ms: int) -> None:
        self._clock_ms = clock_ms

    async def close(self) -> None:
        self._closed = True
