"""The store on disk: one SQLite file, one writer, commits grouped.

Everything that is asked while the last transaction is being written goes into the next one; each caller returns once
its own is committed. Commits run in a thread, one at a time, so that games never wait for the disk of others.

While the disk cannot be written (`trouble`) nothing is refused: the writes are kept in memory, in order, and written
in one transaction as soon as that works. Their number has no limit but the games that go on: new tables and matches
are refused meanwhile, and of a clock or a snapshot the newest alone is kept. Each later call tries again, at most every
`retry_seconds`; the server's clock, recorded each second, sees to it that there is one.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog
import trio

from robby_protocol.i18n import _
from robby_rules.journal import Entry, JournalError, decode_entry, encode_entry
from robby_server.store import writes
from robby_server.store.base import Ban, Kept, KeptIdentity
from robby_server.store.files import OpenFiles, reopened
from robby_server.store.lock import FolderLock
from robby_server.store.opening import STORE_FILE, Durability, open_database, refusal, unwritable
from robby_server.store.writes import Write

log = structlog.get_logger("robby.store")

KEEP = 1_000
"""Ended matches whose entries stay, where nothing else is said; see `Settings.ended_matches`."""
RETRY_SECONDS = 2.0
"""See `Settings.store_retry_seconds`."""

_OUR_FAULT = (sqlite3.ProgrammingError, sqlite3.IntegrityError, sqlite3.DataError, sqlite3.NotSupportedError)
"""No trouble of the disk's: these are raised, since trying again would not help."""


@dataclass(eq=False)
class _Batch:
    """Writes that go into one transaction. done: it is over. fault: what it ended with, if that is a bug."""

    writes: list[Write] = field(default_factory=list)
    done: trio.Event = field(default_factory=trio.Event)
    fault: sqlite3.Error | None = None


class SqliteStore:
    """The store in a folder of its own.

    Args:
        folder: is made if it is not there. Its one file is `store.sqlite`, with SQLite's own beside it.
        durability: `process`: what was committed survives the end of the process, however it ends; `power`: also a
            crash of the machine or a loss of power, at the price of waiting for the disk at each commit.
        inline: commit in the calling task, without any thread: for fake clocks.
        keep: how many ended matches stay readable.
        retry_seconds: how often a store in trouble tries again.

    Raises StoreError if the store cannot be opened; nothing was changed then.

    on_commit: if set, is called with the seconds that each commit took.
    """

    def __init__(
        self,
        folder: Path,
        *,
        durability: Durability = "process",
        inline: bool = False,
        keep: int = KEEP,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        self.path = folder / STORE_FILE
        self.on_commit: Callable[[float], None] | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as problem:
            raise unwritable(folder, problem.strerror or str(problem)) from problem
        self._folder_lock = FolderLock(folder)
        try:
            self._connection = open_database(self.path, durability)
        except BaseException:
            self._folder_lock.release()
            raise
        self._durability = durability
        self._files: OpenFiles | None = OpenFiles(self.path)
        self._anew = False  # deleted files were written anew, and nobody has been told yet
        self._inline = inline
        self._keep_matches = keep
        self._retry_seconds = retry_seconds
        self._closed = False
        self._turn = trio.Lock()
        self._limiter = trio.CapacityLimiter(1)
        self._gathering = _Batch()
        self._shields: set[trio.CancelScope] = set()
        self._backlog: dict[object, Write] = {}
        self._trouble: str | None = None
        self._retry_at = 0.0
        self._watchers: list[Callable[[str | None], None]] = []

    # How it is.

    @property
    def trouble(self) -> str | None:
        """Why nothing can be written now, for the operator; None: all is well."""
        return self._trouble

    @property
    def backlog(self) -> int:
        """How many writes wait in memory for the end of the trouble."""
        return 0 if self._trouble is None else len(self._backlog)

    def watch(self, listener: Callable[[str | None], None]) -> None:
        """Have a function called with the new `trouble` whenever it changes, in the server's own thread."""
        self._watchers.append(listener)

    # Reading.

    async def load(self) -> Kept:
        """What is kept, once, before anything else. Raises StoreError."""
        try:
            kept: Kept = await self._run(self._load)
        except sqlite3.Error as problem:
            raise refusal(self.path, problem) from problem
        return kept

    async def read(self, match: str) -> Sequence[Entry]:
        """All entries of a match. Raises KeyError for an unknown one, JournalError where they cannot be read."""
        query = "SELECT bytes FROM entries WHERE match = ? ORDER BY number"
        try:
            rows = await self._run(lambda: self._connection.execute(query, (match,)).fetchall())
        except sqlite3.Error as problem:
            raise JournalError(f"{self.path.name}: {problem}") from problem
        data = [row[0] for row in rows]
        data += [write.entry[1] for write in self._backlog.values() if write.entry and write.entry[0] == match]
        if not data:
            raise KeyError(match)
        return tuple(map(decode_entry, data))

    async def matches(self) -> Sequence[str]:
        """Ids of the matches that have begun and not ended. Raises StoreError."""
        query = "SELECT id FROM matches WHERE ended_at IS NULL ORDER BY position"
        try:
            rows = await self._run(lambda: self._connection.execute(query).fetchall())
        except sqlite3.Error as problem:
            raise refusal(self.path, problem) from problem
        running = dict.fromkeys(row[0] for row in rows)
        for write in self._backlog.values():
            if write.entry:
                running.setdefault(write.entry[0])
            elif write.ended:
                running.pop(write.ended, None)
        return tuple(running)

    def _load(self) -> Kept:
        ask = self._connection.execute
        (clock,) = ask("SELECT ms FROM clock").fetchone() or (0,)
        people = ask("SELECT id, name, key, token_digest, origin, seen, bound FROM identities ORDER BY position")
        bans = ask("SELECT kind, value, reason, since FROM bans ORDER BY position")
        return Kept(
            clock_ms=clock,
            tables=dict(ask("SELECT id, snapshot FROM tables ORDER BY position").fetchall()),
            identities=tuple(
                KeptIdentity(who, name, key, token_digest, origin, seen, bool(bound))
                for who, name, key, token_digest, origin, seen, bound in people
            ),
            bans=tuple(Ban(*row) for row in bans),
        )

    # Writing.

    async def append(self, match: str, entry: Entry) -> None:
        await self._keep(writes.append(match, encode_entry(entry)))

    async def end(self, match: str) -> None:
        await self._keep(writes.end(match, self._keep_matches))

    async def save_table(self, table: str, snapshot: bytes) -> None:
        await self._keep(writes.save_table(table, snapshot))

    async def drop_table(self, table: str) -> None:
        await self._keep(writes.drop_table(table))

    async def save_identity(self, identity: KeptIdentity) -> None:
        await self._keep(writes.save_identity(identity))

    async def forget_identity(self, identity: str) -> None:
        await self._keep(writes.forget_identity(identity))

    async def save_ban(self, ban: Ban) -> None:
        await self._keep(writes.save_ban(ban))

    async def lift_ban(self, kind: str, value: str) -> None:
        await self._keep(writes.lift_ban(kind, value))

    async def tick(self, clock_ms: int) -> None:
        await self._keep(writes.tick(clock_ms))

    async def close(self) -> None:
        """Write everything, what waits because of trouble too if that works now, and let go of the file."""
        if self._closed:
            return
        self._closed = True
        try:
            async with self._turn:  # whoever asked before is done then
                if self._backlog:
                    self._done(*(await self._in_thread(self._commit, list(self._backlog.values()))))
                if self._backlog:
                    log.error("not_kept", writes=len(self._backlog), file=str(self.path), reason=self._trouble)
                await self._in_thread(self._connection.close)
        except trio.Cancelled:
            # A disk that hangs must not keep the server from ending: nobody waits for it any more.
            for scope in self._shields:
                scope.shield = False
            raise
        self._folder_lock.release()

    def abandon(self) -> None:
        """Let go of everything as if the process had been killed; for tests and simulations without threads."""
        self._closed = True
        self._connection.close()
        self._folder_lock.release()

    async def _keep(self, write: Write) -> None:
        """Return once this is committed, or put off because of trouble. A cancelled caller's write is kept too."""
        if self._closed:
            raise trio.ClosedResourceError
        if self._inline:
            before = dict(self._backlog)
            self._put(write)
            if self._may_try():
                try:
                    self._done(*self._commit(list(self._backlog.values())))
                except sqlite3.Error:
                    self._backlog = before
                    raise
            return
        batch = self._gathering
        batch.writes.append(write)
        with self._shielded():
            if len(batch.writes) > 1:  # the first of a batch brings it home
                await batch.done.wait()
            else:
                await self._bring_home(batch)
        if batch.fault is not None:
            raise batch.fault

    async def _bring_home(self, batch: _Batch) -> None:
        try:
            async with self._turn:
                self._gathering = _Batch()
                before = dict(self._backlog)
                for write in batch.writes:
                    self._put(write)
                if self._may_try():
                    try:
                        self._done(*(await self._in_thread(self._commit, list(self._backlog.values()))))
                    except sqlite3.Error as fault:  # a bug in a write: its callers hear of it, nobody else suffers
                        self._backlog = before
                        batch.fault = fault
        finally:
            batch.done.set()

    def _put(self, write: Write) -> None:
        key = object() if write.key is None else write.key
        self._backlog[key] = write

    def _may_try(self) -> bool:
        return self._trouble is None or trio.current_time() >= self._retry_at

    def _commit(self, waiting: Sequence[Write]) -> tuple[sqlite3.Error | None, float]:
        """Write all in one transaction. Returns what was wrong, if anything, and the seconds it took."""
        began = time.perf_counter()
        try:
            self._roll_back()  # if that failed last time
            files = self._hold_files()
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            for write in waiting:
                for statement, values in write.statements:
                    connection.execute(statement, values)
            connection.execute("COMMIT")
            files.committed()
        except sqlite3.Error as problem:
            try:
                self._roll_back()
            except sqlite3.Error as worse:
                problem.add_note(f"rolling back failed too: {worse}")
            if isinstance(problem, _OUR_FAULT):
                raise
            return problem, time.perf_counter() - began
        return None, time.perf_counter() - began

    def _hold_files(self) -> OpenFiles:
        """The files of the right names, into which the connection writes. Raises sqlite3.Error."""
        if self._files is not None and not self._files.held(self._connection):
            self._files = None
        if self._files is None:
            self._connection = reopened(self.path, self._durability)
            self._files = OpenFiles(self.path)
            self._anew = True
        return self._files

    def _roll_back(self) -> None:
        if self._files is not None and self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _done(self, problem: sqlite3.Error | None, seconds: float) -> None:
        """The writes that waited are committed, or there is trouble."""
        if problem is None:
            self._backlog.clear()
            if self.on_commit is not None:
                self.on_commit(seconds)
        else:
            self._retry_at = trio.current_time() + self._retry_seconds
        if self._anew:
            self._anew = False
            log.warning("store_written_anew", file=str(self.path))
        trouble = None if problem is None else self._sentence(problem)
        if trouble != self._trouble:
            if trouble is None:
                log.info("store_writes_again")
            else:
                log.error("store_trouble", reason=trouble)
            self._trouble = trouble
            for listener in self._watchers:
                listener(trouble)

    def _sentence(self, problem: sqlite3.Error) -> str:
        code = getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            return _("There is no space left for {path}. Make some.").format(path=self.path)
        if code == sqlite3.SQLITE_READONLY:
            return _("{path} has become read-only. Make it writable again.").format(path=self.path)
        return _("{path} cannot be written: {cause}.").format(path=self.path, cause=problem)

    # Threads.

    async def _run(self, read: Callable[[], Any]) -> Any:
        if self._closed:
            raise trio.ClosedResourceError

        def clean_read() -> Any:
            self._roll_back()  # what is half written is not there
            return read()

        if self._inline:
            return clean_read()
        with self._shielded():
            async with self._turn:
                return await self._in_thread(clean_read)

    async def _in_thread(self, function: Callable[..., Any], *args: Any) -> Any:
        if self._inline:
            return function(*args)
        return await trio.to_thread.run_sync(function, *args, limiter=self._limiter, abandon_on_cancel=True)

    @contextmanager
    def _shielded(self) -> Iterator[None]:
        """What has begun is finished, whatever happens to the caller; but see `close`."""
        with trio.CancelScope(shield=True) as scope:
            self._shields.add(scope)
            try:
                yield
            finally:
                self._shields.discard(scope)
