"""What survives a killed server: a store whose commits take time, and which a dead server cannot reach any more."""

import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import trio

from robby_rules.journal import Entry
from robby_server.store import Ban, Kept, KeptIdentity, MemoryStore
from tests.sim.deterministic import nap


class Disk:
    """Outlives the servers that write to it. commits: how long one takes, in seconds, at most."""

    def __init__(self, rng: random.Random, commits: float = 0.01) -> None:
        self.kept = MemoryStore(keep=100_000)
        self.entries: dict[str, list[Entry]] = {}
        self._rng = rng
        self._commits = commits

    def open(self) -> "Handle":
        """For a server that begins."""
        return Handle(self)

    def pause(self) -> float:
        """How long the next half of a commit takes."""
        return self._rng.uniform(0, self._commits)


class Handle:
    """One server's way to the disk. After `kill` nothing that it does arrives."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._alive = True

    def kill(self) -> None:
        """The process is gone."""
        self._alive = False

    async def _commit(self, work: Callable[[], Awaitable[Any]]) -> Any:
        # A kill may come before the bytes are written, or after them but before anybody knows.
        await nap(self._disk.pause())
        if not self._alive:
            await trio.sleep_forever()
        result = await work()
        await nap(self._disk.pause())
        return result

    async def load(self) -> Kept:
        return await self._disk.kept.load()

    @property
    def trouble(self) -> str | None:
        return None

    def watch(self, listener: Callable[[str | None], None]) -> None:
        """There is never any trouble to tell of."""

    async def append(self, match: str, entry: Entry) -> None:
        async def work() -> None:
            await self._disk.kept.append(match, entry)
            self._disk.entries.setdefault(match, []).append(entry)

        await self._commit(work)

    async def read(self, match: str) -> Sequence[Entry]:
        return await self._disk.kept.read(match)

    async def matches(self) -> Sequence[str]:
        return await self._disk.kept.matches()

    async def end(self, match: str) -> None:
        await self._commit(lambda: self._disk.kept.end(match))

    async def save_table(self, table: str, snapshot: bytes) -> None:
        await self._commit(lambda: self._disk.kept.save_table(table, snapshot))

    async def drop_table(self, table: str) -> None:
        await self._commit(lambda: self._disk.kept.drop_table(table))

    async def save_identity(self, identity: KeptIdentity) -> None:
        await self._commit(lambda: self._disk.kept.save_identity(identity))

    async def forget_identity(self, identity: str) -> None:
        await self._commit(lambda: self._disk.kept.forget_identity(identity))

    async def save_ban(self, ban: Ban) -> None:
        await self._commit(lambda: self._disk.kept.save_ban(ban))

    async def lift_ban(self, kind: str, value: str) -> None:
        await self._commit(lambda: self._disk.kept.lift_ban(kind, value))

    async def tick(self, clock_ms: int) -> None:
        await self._commit(lambda: self._disk.kept.tick(clock_ms))

    async def close(self) -> None:
        """A stop in good order; the disk stays for the next."""
