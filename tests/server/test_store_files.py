"""A store whose files are deleted, moved or replaced while it is open: nothing goes into files that nobody finds."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import structlog
import trio
from trio.testing import MockClock

from robby_server.store import STORE_FILE, SqliteStore
from robby_server.store.opening import connect
from tests.server.test_store_trouble import trouble

RETRY = 2.0
BESIDE = ("", "-wal", "-shm")


def after_kill(folder: Path, beside: Path) -> dict[str, bytes]:
    """The tables that the next start would find if the process were killed now."""
    shutil.copytree(folder, beside)
    (beside / "store.lock").unlink(missing_ok=True)

    store = SqliteStore(beside, inline=True)
    try:
        return dict(store._load().tables)
    finally:
        store.abandon()


def delete(*suffixes: str) -> Callable[[Path], None]:
    def do(folder: Path) -> None:
        for suffix in suffixes:
            (folder / (STORE_FILE + suffix)).unlink()

    return do


@pytest.mark.parametrize("gone", [BESIDE, ("",), ("-wal",), ("-wal", "-shm"), ("", "-wal")], ids="+".join)
@pytest.mark.parametrize("times", [1, 2])
async def test_deleted_files_are_written_anew(
    tmp_path: Path, autojump_clock: MockClock, gone: tuple[str, ...], times: int
) -> None:
    folder = tmp_path / "data"
    store = SqliteStore(folder, inline=True)
    await store.save_table("A", b"first")
    for _time in range(times):
        delete(*gone)(folder)
        await store.save_table("B", b"second")
        assert trouble(store) is None
    assert after_kill(folder, tmp_path / "killed") == {"A": b"first", "B": b"second"}
    assert dict((await store.load()).tables) == {"A": b"first", "B": b"second"}
    await store.save_table("C", b"third")
    await store.close()
    again = SqliteStore(folder, inline=True)
    assert set((await again.load()).tables) == {"A", "B", "C"}
    await again.close()
    assert not list(folder.glob("*.new"))


async def test_a_folder_that_was_moved_is_trouble_until_it_is_back(tmp_path: Path, autojump_clock: MockClock) -> None:
    folder = tmp_path / "data"
    store = SqliteStore(folder, inline=True, retry_seconds=RETRY)
    await store.save_table("A", b"first")
    folder.rename(tmp_path / "moved")
    await store.save_table("B", b"second")
    assert str(folder) in str(trouble(store))
    assert not folder.exists()
    (tmp_path / "moved").rename(folder)
    await trio.sleep(RETRY)
    await store.save_table("C", b"third")
    assert trouble(store) is None
    assert set(after_kill(folder, tmp_path / "killed")) == {"A", "B", "C"}
    await store.close()


async def test_a_file_that_took_the_name_is_not_touched(tmp_path: Path, autojump_clock: MockClock) -> None:
    folder = tmp_path / "data"
    store = SqliteStore(folder, inline=True, retry_seconds=RETRY)
    await store.save_table("A", b"first")
    path = folder / STORE_FILE
    path.rename(folder / "kept")
    path.write_bytes(b"something else")
    await store.save_table("B", b"second")
    assert str(path) in str(trouble(store))
    assert path.read_bytes() == b"something else"
    path.unlink()
    await trio.sleep(RETRY)
    await store.save_table("C", b"third")
    assert trouble(store) is None
    assert set(after_kill(folder, tmp_path / "killed")) == {"A", "B", "C"}
    await store.close()


async def test_a_log_that_cannot_be_brought_home_is_trouble(tmp_path: Path, autojump_clock: MockClock) -> None:
    folder = tmp_path / "data"
    store = SqliteStore(folder, inline=True, retry_seconds=RETRY)
    await store.save_table("A", b"first")
    reader = connect(folder / STORE_FILE)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM tables").fetchone() == (1,)
    store._connection.execute("PRAGMA busy_timeout = 1")
    delete("-wal")(folder)
    await store.save_table("B", b"second")
    assert trouble(store) is not None
    reader.close()
    await trio.sleep(RETRY)
    await store.save_table("C", b"third")
    assert trouble(store) is None
    assert set(after_kill(folder, tmp_path / "killed")) == {"A", "B", "C"}
    await store.close()


async def test_the_log_says_what_happened_to_the_files(tmp_path: Path, autojump_clock: MockClock) -> None:
    folder = tmp_path / "data"
    store = SqliteStore(folder, inline=True, retry_seconds=RETRY)
    await store.save_table("A", b"first")
    with structlog.testing.capture_logs() as told:
        delete(*BESIDE)(folder)
        await store.save_table("B", b"second")
        folder.rename(tmp_path / "moved")
        await store.save_table("C", b"third")
        (tmp_path / "moved").rename(folder)
        await trio.sleep(RETRY)
        await store.save_table("D", b"fourth")
    await store.close()
    assert [entry["event"] for entry in told] == ["store_written_anew", "store_trouble", "store_writes_again"]
