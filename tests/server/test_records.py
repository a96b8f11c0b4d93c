"""Keeping records: whole files or none, a disk that refuses, and to whom a record is given."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from robby_protocol.messages import GameUpdate, RecordGet, TableConfigure, TableWatch
from robby_rules.record import FINISHED, RecordSeat
from robby_rules.record_check import examine
from robby_server.records import Facts, FileRecords, MemoryRecords, Recorder
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.rules.record_kit import SERVER_ID, play, sign
from tests.rules.record_kit import record_of as true_record
from tests.server.kit import SERVER_KEY, begin, bot_of, play_all, running

PLAYED = play(max_rounds=1)


def folder_of(tmp_path: Path) -> Path:
    return tmp_path / "records"


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_record_is_a_file_of_its_own(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    records = FileRecords(folder, 10)
    await records.save("T-1", b"one")
    await records.save("T-2", b"two")
    await records.save("T-1", b"anew")
    assert files(folder) == ["T-1.robby", "T-2.robby"]
    assert (await records.load("T-1"), await records.load("T-2")) == (b"anew", b"two")
    assert await FileRecords(folder, 10).load("T-2") == b"two"
    assert (folder / "T-1.robby").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "match", ["", "T", "T-3", "../secret", "T-1/../../x", "T-1.robby", "T-1\0", "/etc/passwd", "é-1"]
)
async def test_what_is_no_match_is_no_file(match: str, tmp_path: Path) -> None:
    (tmp_path / "secret.robby").write_bytes(b"no")
    assert await FileRecords(folder_of(tmp_path), 10, inline=True).load(match) is None


async def test_the_oldest_go(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    records = FileRecords(folder, 3, inline=True)
    for number in range(1, 6):
        await records.save(f"T-{number}", b"x")
        os.utime(folder / f"T-{number}.robby", ns=(number, number))
    assert files(folder) == ["T-3.robby", "T-4.robby", "T-5.robby"]
    again = FileRecords(folder, 3, inline=True)
    await again.save("A-1", b"x")
    assert files(folder) == ["A-1.robby", "T-4.robby", "T-5.robby"]


async def test_a_folder_that_was_moved_away_is_made_anew(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    records = FileRecords(folder, 2, inline=True)
    await records.save("T-1", b"x")
    folder.rename(tmp_path / "elsewhere")
    await records.save("T-2", b"x")
    await records.save("T-3", b"x")
    assert files(folder) == ["T-2.robby", "T-3.robby"]
    assert folder.stat().st_mode & 0o777 == 0o700


async def test_an_old_one_that_cannot_go_is_in_nobodys_way(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    records = FileRecords(folder, 1, inline=True)
    await records.save("T-1", b"x")
    (folder / "T-1.robby").unlink()
    (folder / "T-1.robby").mkdir()
    for number in range(2, 5):
        await records.save(f"T-{number}", b"x")
    assert files(folder) == ["T-1.robby", "T-4.robby"]


async def test_half_a_record_of_a_killed_server_goes(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    folder.mkdir()
    (folder / "T-1.robby.part").write_bytes(b"ha")
    (folder / "notes.txt").write_text("mine")
    FileRecords(folder, 1, inline=True)
    assert files(folder) == ["notes.txt"]


async def test_a_write_that_fails_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path)
    records = FileRecords(folder, 10, inline=True)
    await records.save("T-1", b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        await records.save("T-1", b"new")
    assert files(folder) == ["T-1.robby"]
    assert await records.load("T-1") == b"old"


class Refusing(MemoryRecords):
    """Refuses to save while `full`."""

    def __init__(self) -> None:
        super().__init__()
        self.full = True
        self.tries = 0

    async def save(self, match: str, data: bytes) -> None:
        self.tries += 1
        if self.full:
            raise OSError(28, "No space left on device")
        await super().save(match, data)


async def recorder_of(records: MemoryRecords, now: Callable[[], float] = lambda: 5.9) -> Recorder:
    store = MemoryStore()
    for entry in PLAYED.entries:
        await store.append(PLAYED.match.start_entry.match, entry)
    return Recorder(records, store, Settings(), server_id=SERVER_ID, sign=sign, now=now)


def facts_of(**more: Any) -> Facts:
    record = true_record(PLAYED)
    return Facts(table=record.table, title=record.title, seats=record.seats, aborted=0, results=record.results, **more)


async def test_a_record_that_cannot_be_written_waits_and_stops_nobody(autojump_clock: Any) -> None:
    records = Refusing()
    recorder = await recorder_of(records)
    match = PLAYED.match.start_entry.match
    with capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(recorder.keep_trying)
            await recorder.keep(PLAYED.match, facts_of(readers=["a"]))
            assert recorder.waiting == 1
            waiting = await recorder.get(match, "a")
            assert waiting is not None
            assert examine(waiting).holds
            await trio.sleep(7)
            assert records.tries == 4
            records.full = False
            await trio.sleep(2)
            assert recorder.waiting == 0
            assert records.kept == {match: waiting}
            nursery.cancel_scope.cancel()
    told = [entry["event"] for entry in logs]
    assert told == ["record_not_kept", "records_kept_again"]


async def test_a_server_that_stops_tries_once_more(autojump_clock: Any) -> None:
    records = Refusing()
    settings = Settings(store_retry_seconds=1e6)
    async with running(settings, records=records) as host:
        peers = await host.seated(3, options={"max_rounds": 1})
        match = await begin(peers)
        await play_all(peers)
        assert host.server.recorder.waiting == 1
        records.full = False
    assert list(records.kept) == [match]


async def test_what_cannot_be_written_at_the_end_is_said(autojump_clock: Any) -> None:
    recorder = await recorder_of(Refusing())
    await recorder.keep(PLAYED.match, facts_of())
    with capture_logs() as logs:
        await recorder.close()
    assert [entry["event"] for entry in logs] == ["record_lost"]


async def test_a_record_that_cannot_be_made_stops_nobody(autojump_clock: Any) -> None:
    records = MemoryRecords()
    recorder = Recorder(records, MemoryStore(), Settings(), server_id=SERVER_ID, sign=sign)
    with capture_logs() as logs:
        await recorder.keep(PLAYED.match, facts_of())
    assert [entry["event"] for entry in logs] == ["record_not_made"]
    assert records.kept == {}


async def test_spectators_get_it_after_the_delay(autojump_clock: Any) -> None:
    now = [1_000.9]
    recorder = await recorder_of(MemoryRecords(), now=lambda: now[0])
    match = PLAYED.match.start_entry.match
    await recorder.keep(PLAYED.match, facts_of(readers=["seat"], watchers=["watcher"], delay_s=30))
    assert await recorder.get(match, "seat") is not None
    assert await recorder.get(match, "nobody") is None
    assert await recorder.get(match, "watcher") is None
    now[0] = 1_030.95
    assert await recorder.get(match, "watcher") is None
    now[0] = 1_031.1
    assert await recorder.get(match, "watcher") is not None


async def test_a_damaged_record_is_given_to_nobody(autojump_clock: Any) -> None:
    records = MemoryRecords()
    recorder = await recorder_of(records)
    match = PLAYED.match.start_entry.match
    await recorder.keep(PLAYED.match, facts_of(readers=["a"]))
    records.kept[match] = records.kept[match][:-1]
    assert await recorder.get(match, "a") is None


async def test_a_server_records_what_was_played(autojump_clock: Any) -> None:
    records = MemoryRecords()
    async with running(records=records, spawn_bot=bot_of()) as host:
        peers = await host.seated(2, options={"max_rounds": 2}, title="Friday", bots=["greedy"])
        match = await begin(peers)
        assert records.kept == {}
        await play_all(peers)
        found = examine(records.kept[match])
        record = found.record
        assert found.holds
        assert (record.match, record.table, record.title, record.ending) == (match, peers[0].table, "Friday", FINISHED)
        assert [seat.kind for seat in record.seats] == ["person", "bot", "person"]
        assert record.seats[1] == RecordSeat(name=record.seats[1].name, kind="bot", bot="greedy")
        assert list(record.results) == peers[0].state.table.result
        assert record.server_id == host.server.server_id
        assert record.deal is None
        assert 0 < record.began <= record.ended
        assert record.events == len(peers[0].told())
        assert SERVER_KEY not in records.kept[match]


async def test_who_watches_to_the_end_gets_the_record(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.seated(3, options={"max_rounds": 1})
        watcher = await host.guest("Xenia")
        await watcher.do(TableWatch, table=peers[0].table)
        match = await begin(peers)
        await watcher.expect(GameUpdate)
        await play_all(peers)
        host.server.recorder._now = lambda: 1e12  # much later
        assert examine((await watcher.call(RecordGet, match=match))["record"]).holds
        stranger = await host.guest("Yann")
        assert (await stranger.refused(RecordGet, match=match)).code == "no_such_record"
        await peers[0].do(TableConfigure, spectators=False)
        assert examine((await watcher.call(RecordGet, match=match))["record"]).holds
