"""Records of matches that are over: made, signed, kept as files, given to those who were there.

A record is written whole or not at all. That it cannot be written stops nobody's play: it waits in memory, is tried
again, and the log says so once. What a record holds is in `robby_rules.record`. Knows nothing of sessions.
"""

import os
import re
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import structlog
import trio

from robby_protocol import fair
from robby_protocol.messages import ScoreLine
from robby_rules.entries import Deal
from robby_rules.journal import JournalError, encode_entry
from robby_rules.match import Match
from robby_rules.record import (
    BROKEN_OFF,
    FINISHED,
    Record,
    RecordDeal,
    RecordError,
    RecordSeat,
    decode_record,
    encode_record,
    reader_hash,
    readers_of,
)
from robby_rules.record_check import digest_of
from robby_server.settings import Settings
from robby_server.store import Store
from robby_server.store.opening import sync_folder
from robby_server.wall import wall_now

log = structlog.get_logger("robby.records")

SUFFIX = ".robby"
_PART = ".part"
_MATCH = re.compile(r"[0-9A-Za-z]{1,32}-[0-9]{1,12}")
"""What a match's id looks like: nothing else becomes a file's name."""

SENDABLE_BYTES = 1024 * 1024 - 1024
"""A record that fits into a frame from the server. A longer one, if there ever is one, stays on the server's disk."""

WAITING = 200
"""Records that wait in memory while none can be written; beyond them the oldest are given up, and the log says so."""


class Records(Protocol):
    """Where record files are kept. Both methods may wait for a disk."""

    async def save(self, match: str, data: bytes) -> None:
        """Keep a record, whole or not at all. Raises OSError."""
        ...

    async def load(self, match: str) -> bytes | None:
        """A record that is kept; None if there is none that can be read."""
        ...


class MemoryRecords:
    """The newest `keep` records, as long as the process lives."""

    def __init__(self, keep: int = 1_000) -> None:
        self._keep = keep
        self.kept: dict[str, bytes] = {}

    async def save(self, match: str, data: bytes) -> None:
        self.kept.pop(match, None)
        self.kept[match] = data
        while len(self.kept) > self._keep:
            del self.kept[next(iter(self.kept))]

    async def load(self, match: str) -> bytes | None:
        return self.kept.get(match)


class FileRecords:
    """One file a record in one folder, the newest `keep` of them.

    inline: do without threads, for tests under a fake clock. Raises OSError if the folder cannot be made or listed.
    """

    def __init__(self, folder: Path, keep: int, *, inline: bool = False) -> None:
        self._folder = folder
        self._keep = keep
        self._inline = inline
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = []
        for path in folder.iterdir():
            if path.suffix == _PART:
                with suppress(OSError):  # half a record of a server that was killed: of no use, and in nobody's way
                    path.unlink()
            elif path.suffix == SUFFIX:
                found.append((path.stat().st_mtime_ns, path.name))
        self._names = deque(name for _time, name in sorted(found))

    async def save(self, match: str, data: bytes) -> None:
        name = match + SUFFIX
        if name not in self._names:
            self._names.append(name)
        gone = [self._names.popleft() for _ in range(len(self._names) - self._keep)]
        try:
            if self._inline:
                self._write(name, data, gone)
            else:
                await trio.to_thread.run_sync(self._write, name, data, gone, abandon_on_cancel=True)
        except BaseException:
            self._names.extendleft(reversed(gone))
            raise

    async def load(self, match: str) -> bytes | None:
        if not _MATCH.fullmatch(match):
            return None
        try:
            if self._inline:
                return (self._folder / (match + SUFFIX)).read_bytes()
            return await trio.to_thread.run_sync((self._folder / (match + SUFFIX)).read_bytes, abandon_on_cancel=True)
        except OSError:
            return None

    def _write(self, name: str, data: bytes, gone: Sequence[str]) -> None:
        part = self._folder / (name + _PART)
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)  # somebody may have moved it away
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._folder / name)
        except OSError:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise
        sync_folder(self._folder)
        for old in gone:
            with suppress(OSError):  # it is in nobody's way, and the new one is kept
                (self._folder / old).unlink()


@dataclass(frozen=True)
class Facts:
    """What a record says besides the match itself, as it was at the end.

    seats: who played. results: as they were told. readers, watchers: identity ids of those who had a seat or watch.
    """

    table: str
    title: str
    seats: Sequence[RecordSeat]
    aborted: int
    results: Sequence[ScoreLine] = ()
    delay_s: int = 0
    readers: Sequence[str] = field(default=(), repr=False)
    watchers: Sequence[str] = field(default=(), repr=False)


class Recorder:
    """Makes the records of one server.

    Args:
        records: where they are kept.
        server_id: the server's public key. sign: signs a payload with it.
        software: name and version of the program, for people.
        now: seconds since 1970.
    """

    def __init__(
        self,
        records: Records,
        store: Store,
        settings: Settings,
        *,
        server_id: bytes,
        sign: Callable[[bytes], bytes],
        software: str = "robby",
        now: Callable[[], float] = wall_now,
    ) -> None:
        self._records = records
        self._store = store
        self._settings = settings
        self._server_id = server_id
        self._sign = sign
        self._software = software
        self._now = now
        self._waiting: dict[str, bytes] = {}
        self._writing = trio.Lock()  # two tasks writing the same record would spoil each other's file
        self._troubled = False

    @property
    def waiting(self) -> int:
        """How many records could not be written yet."""
        return len(self._waiting)

    async def keep(self, match: Match, facts: Facts) -> None:
        """Make and keep the record of a match that is over or broken off. A fault in that is logged, no more."""
        name = match.start_entry.match
        try:
            data = encode_record(await self._make(match, facts), self._sign)
        except (KeyError, JournalError, RecordError) as problem:
            log.error("record_not_made", match=name, reason=f"{type(problem).__name__}: {problem}")
            return
        except Exception:  # whatever is wrong with a record must not end the table that has just played
            log.exception("record_not_made", match=name)
            return
        self._waiting.pop(name, None)
        self._waiting[name] = data
        while len(self._waiting) > WAITING:
            oldest = next(iter(self._waiting))
            del self._waiting[oldest]
            log.error("record_lost", match=oldest)
        await self._write_waiting()

    async def keep_trying(self) -> None:
        """Write what could not be written, again and again, for as long as the server runs."""
        while True:
            await trio.sleep(self._settings.store_retry_seconds)
            await self._write_waiting()

    async def close(self) -> None:
        """The last try for what could not be written; what still cannot be is lost, and the log says so."""
        await self._write_waiting()
        for match in self._waiting:
            log.error("record_lost", match=match)

    async def get(self, match: str, identity: str) -> bytes | None:
        """The record of a match for somebody; None if there is none, or none for this person, or not yet."""
        data = self._waiting.get(match) or await self._records.load(match)
        if data is None or len(data) > SENDABLE_BYTES:
            return None
        try:
            record, _signed = decode_record(data)
        except RecordError as problem:
            log.warning("record_unreadable", match=match, reason=problem.code)
            return None
        known = reader_hash(match, identity)
        if known in record.readers:
            return data
        # `ended` is cut to whole seconds, and nothing of the match may be seen before its time.
        shown = self._now() >= record.ended + record.delay_s + 1
        return data if known in record.watchers and shown else None

    async def _write_waiting(self) -> None:
        async with self._writing:
            for match, data in tuple(self._waiting.items()):
                try:
                    await self._records.save(match, data)
                except OSError as problem:
                    if not self._troubled:
                        reason = f"{type(problem).__name__}: {problem.strerror}"
                        log.error("record_not_kept", match=match, reason=reason)
                    self._troubled = True
                    return
                if self._waiting.get(match) is data:
                    del self._waiting[match]
            if self._troubled:
                self._troubled = False
                log.info("records_kept_again")

    async def _make(self, match: Match, facts: Facts) -> Record:
        start = match.start_entry
        over = match.result() is not None
        events, digest = digest_of(match)
        return Record(
            match=start.match,
            table=facts.table,
            title=facts.title,
            game=start.game,
            rules_version=start.rules_version,
            options=start.options,
            server_id=self._server_id,
            server_name=self._settings.server_name,
            software=self._software,
            seats=tuple(facts.seats),
            began=start.began,
            ended=int(self._now()),
            ending=FINISHED if over else BROKEN_OFF,
            aborted=facts.aborted,
            deal=None if start.deal is None else _deal(start.match, start.deal),
            entries=tuple(encode_entry(entry) for entry in await self._store.read(start.match)),
            events=events,
            events_digest=digest,
            results=tuple(facts.results),
            delay_s=facts.delay_s,
            readers=readers_of(start.match, facts.readers),
            watchers=readers_of(start.match, facts.watchers),
        )


def _deal(match: str, deal: Deal) -> RecordDeal:
    return RecordDeal(
        commitment=fair.server_commitment(match, deal.secret),
        secret=deal.secret,
        commitments=deal.commitments,
        nonces=deal.nonces,
    )
