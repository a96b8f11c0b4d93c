"""A store that cannot write: nothing is refused, everything is kept in order, and written when that works again."""

import itertools
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import structlog
import trio
import trio.testing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robby_rules.journal import Expire
from robby_server.store import KeptIdentity, MemoryStore, SqliteStore
from tests.server.test_store import CALLS, Picture, picture
from tests.server.test_store_opening import small_disk

__all__ = ["small_disk"]

RETRY = 2.0


class Failing:
    """A connection whose statements fail while `broken` says so."""

    def __init__(self, real: sqlite3.Connection) -> None:
        self.real = real
        self.broken: Callable[[str], sqlite3.Error | None] = lambda statement: None
        self.tried = 0
        self.busy = False

    @property
    def in_transaction(self) -> bool:
        return self.real.in_transaction

    def execute(self, statement: str, values: Any = ()) -> sqlite3.Cursor:
        self.tried += statement.startswith("BEGIN")
        problem = self.broken(statement)  # may wait
        if problem is not None:
            raise problem
        self.busy = True
        try:
            return self.real.execute(statement, values)
        finally:
            self.busy = False

    def close(self) -> None:
        self.real.close()


def disk_error(code: int, name: str = "disk I/O error") -> sqlite3.OperationalError:
    problem = sqlite3.OperationalError(name)
    problem.sqlite_errorcode = code
    return problem


def fill_up(path: Path) -> None:
    """Take all the space that is left."""
    with path.open("wb", buffering=0) as file, pytest.raises(OSError, match="space"):
        file.writelines(itertools.repeat(bytes(4096)))


def trouble(store: SqliteStore) -> str | None:
    """As it is now: a type checker takes the property's value for settled."""
    return store.trouble


def failing(store: SqliteStore) -> Failing:
    connection = Failing(store._connection)
    store._connection = connection  # type: ignore[assignment]
    return connection


@pytest.mark.parametrize("at", ["BEGIN", "INSERT INTO entries", "COMMIT", "ROLLBACK"])
@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CORRUPT])
async def test_everything_is_written_in_order_when_the_disk_is_well_again(
    at: str, code: int, tmp_path: Path, autojump_clock: Any
) -> None:
    store = SqliteStore(tmp_path, inline=True, retry_seconds=RETRY)
    told: list[str | None] = []
    store.watch(told.append)
    disk = failing(store)
    await store.append("m", Expire(at=0))
    await store.save_table("old", b"0")

    def broken(statement: str) -> sqlite3.Error | None:
        first = "INSERT INTO entries" if at == "ROLLBACK" else at
        return disk_error(code) if statement.startswith((at, first)) else None

    disk.broken = broken
    for number in range(1, 5):
        await store.append("m", Expire(at=number))
    assert store.trouble
    assert str(store.path) in store.trouble
    assert told == [store.trouble]
    await store.append("n", Expire(at=7))
    await store.save_table("new", b"1")
    await store.save_table("new", b"2")
    await store.drop_table("old")
    await store.end("m")
    for clock in range(10):
        await store.tick(clock)
    assert store.backlog == 4 + 1 + 1 + 1 + 1 + 1, "of a snapshot or the clock only the newest waits"
    if at != "ROLLBACK":  # what is half written must not be read
        # What waits can be read as if it were written.
        assert await store.read("m") == tuple(Expire(at=at) for at in range(5))
        assert await store.read("n") == (Expire(at=7),)
        assert await store.matches() == ("n",)
    disk.broken = lambda statement: None
    await store.tick(11)
    assert store.trouble, "it does not try again at once"
    await trio.sleep(RETRY)
    await store.tick(12)
    assert trouble(store) is None
    assert told[1:] == [None]
    assert store.backlog == 0
    await store.append("m", Expire(at=5))
    await store.close()
    again = SqliteStore(tmp_path, inline=True)
    kept = await again.load()
    assert kept.clock_ms == 12
    assert kept.tables == {"new": b"2"}
    assert await again.read("m") == tuple(Expire(at=at) for at in range(6))
    assert await again.read("n") == (Expire(at=7),)
    assert await again.matches() == ("n",)
    await again.close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(calls=st.lists(CALLS, max_size=30), failures=st.lists(st.integers(0, 8)), more=st.lists(CALLS, max_size=5))
def test_whenever_the_disk_fails_it_ends_like_the_store_in_memory(
    calls: list[Any], failures: list[int], more: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """failures: how many statements each bad or good time lasts, in turn."""
    folder = tmp_path_factory.mktemp("store")
    store = SqliteStore(folder, inline=True, keep=2, retry_seconds=0.0)
    disk = failing(store)
    bad = itertools.chain.from_iterable(itertools.repeat(turn % 2, count) for turn, count in enumerate(failures))

    def broken(statement: str) -> sqlite3.Error | None:
        writes = not statement.startswith(("SELECT", "ROLLBACK"))
        return disk_error(sqlite3.SQLITE_IOERR_WRITE) if writes and next(bad, 0) else None

    disk.broken = broken

    async def both() -> None:
        memory = MemoryStore(keep=2)
        for name, *args in calls + more:
            if name in ("reopen", "kill"):
                continue
            await getattr(memory, name)(*args)
            await getattr(store, name)(*args)
            # In trouble or not, what was said is there.
            if name == "append":
                assert (await store.read(args[0]))[-1] == args[1]
        disk.broken = lambda statement: None
        await memory.tick(7)
        await store.tick(7)
        assert trouble(store) is None
        on_disk, in_memory = await picture(store), await picture(memory)
        assert in_any_order(on_disk) == in_any_order(in_memory)

    try:
        trio.run(both)
    finally:
        store.abandon()
        shutil.rmtree(folder)


def in_any_order(found: Picture) -> tuple[Any, ...]:
    """What was dropped and made again while the disk failed may stand in another place than it would have."""
    kept, tables, journals, running = found
    return kept.clock_ms, sorted(tables), set(kept.identities), set(kept.bans), journals, running


async def test_a_broken_disk_is_tried_rarely(tmp_path: Path, autojump_clock: Any) -> None:
    store = SqliteStore(tmp_path, inline=True, retry_seconds=RETRY)
    disk = failing(store)
    disk.broken = lambda statement: disk_error(sqlite3.SQLITE_FULL) if statement == "COMMIT" else None
    for number in range(100):
        await store.append("m", Expire(at=number))
        await trio.sleep(0.1)
    assert disk.tried <= 6
    with structlog.testing.capture_logs() as logs:
        await store.close()
    assert [(entry["event"], entry["writes"]) for entry in logs] == [("not_kept", 100)]
    again = SqliteStore(tmp_path, inline=True)
    with pytest.raises(KeyError):
        await again.read("m")
    await again.close()


async def test_closing_tries_once_more(tmp_path: Path, autojump_clock: Any) -> None:
    store = SqliteStore(tmp_path, inline=True, retry_seconds=RETRY)
    disk = failing(store)
    disk.broken = lambda statement: disk_error(sqlite3.SQLITE_FULL)
    await store.append("m", Expire(at=1))
    disk.broken = lambda statement: None
    await store.close()
    again = SqliteStore(tmp_path, inline=True)
    assert await again.read("m") == (Expire(at=1),)
    await again.close()


async def test_a_file_that_may_not_grow(tmp_path: Path, autojump_clock: Any) -> None:
    """SQLite's own words for a full disk."""
    store = SqliteStore(tmp_path, inline=True, retry_seconds=RETRY)
    (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {pages + 3}")
    for number in range(20):
        await store.save_table(f"t{number}", bytes([number]) * 3_000)
        await store.append("m", Expire(at=number))
    assert store.trouble
    store._connection.execute("PRAGMA max_page_count = 1000000")
    await trio.sleep(RETRY)
    await store.tick(1)
    assert trouble(store) is None
    assert (await store.load()).tables == {f"t{number}": bytes([number]) * 3_000 for number in range(20)}
    assert await store.read("m") == tuple(Expire(at=at) for at in range(20))
    await store.close()


async def test_a_bug_in_one_write_is_told_to_its_caller_alone(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    with pytest.raises(sqlite3.IntegrityError):
        await store.save_table("t", "no bytes")  # type: ignore[arg-type]
    assert trouble(store) is None
    await store.save_table("u", b"1")
    assert (await store.load()).tables == {"u": b"1"}
    await store.close()


async def test_a_full_disk_heals(small_disk: Path) -> None:
    """A real one, with the writer's thread."""
    store = SqliteStore(small_disk / "data", retry_seconds=0.0)
    told: list[str | None] = []
    store.watch(told.append)
    await store.append("m", Expire(at=0))
    ballast = small_disk / "ballast"
    fill_up(ballast)
    for number in range(1, 60):
        await store.append("m", Expire(at=number))
        await store.save_table("t", bytes([number]) * 20_000)
    assert store.trouble
    assert await store.read("m") == tuple(Expire(at=at) for at in range(60))
    ballast.unlink()
    await store.save_identity(KeptIdentity("i", "Ana"))
    assert trouble(store) is None
    assert told[-1] is None
    await store.close()
    again = SqliteStore(small_disk / "data", inline=True)
    kept = await again.load()
    assert kept.tables == {"t": bytes([59]) * 20_000}
    assert [one.name for one in kept.identities] == ["Ana"]
    assert await again.read("m") == tuple(Expire(at=at) for at in range(60))
    await again.close()


async def test_killed_while_the_disk_is_full_it_has_what_was_there_before(small_disk: Path) -> None:
    store = SqliteStore(small_disk / "data", inline=True)
    for number in range(10):
        await store.append("m", Expire(at=number))
    fill_up(small_disk / "ballast")
    for _again in range(50):
        await store.save_table("t", bytes(30_000))
    assert store.trouble
    (small_disk / "ballast").unlink()
    copy = small_disk / "copy"
    copy.mkdir()
    for path in (small_disk / "data").iterdir():
        if not path.name.endswith("-shm"):
            (copy / path.name).write_bytes(path.read_bytes())
    again = SqliteStore(copy, inline=True)
    assert await again.read("m") == tuple(Expire(at=at) for at in range(10))
    assert (await again.load()).tables == {}
    await again.close()
    store.abandon()


async def test_closing_does_not_wait_for_a_disk_that_hangs(tmp_path: Path) -> None:
    """The server must end in time; what hangs is in a thread that nobody waits for any more."""
    reading, writing = os.pipe()
    store = SqliteStore(tmp_path)
    disk = failing(store)

    def hang(statement: str) -> None:
        if statement == "COMMIT":
            os.read(reading, 1)

    disk.broken = hang
    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.append, "m", Expire(at=1))
            await trio.testing.wait_all_tasks_blocked()
            with trio.move_on_after(0.05) as limit:
                await store.close()
            assert limit.cancelled_caught
            nursery.cancel_scope.cancel()
    os.write(writing, b"x")
    while disk.in_transaction or disk.busy:  # noqa: ASYNC110 - a thread that nobody waits for gives no sign
        await trio.sleep(0.01)
    disk.close()
    store._folder_lock.release()
    os.close(reading)
    os.close(writing)
