"""Opening a store: older ones are brought up, all others that cannot be used are refused and left as they are."""

import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import trio

from robby_rules.journal import Expire, JournalError
from robby_server.store import STORE_FILE, Ban, Durability, Kept, KeptIdentity, SqliteStore, StoreError, opening, schema
from robby_server.store import errors as codes
from robby_server.store.opening import connect

VERSION_1 = (Path(__file__).parent / "data" / "store-1.sql").read_text(encoding="utf-8")


def old_store(folder: Path) -> Path:
    path = folder / STORE_FILE
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(VERSION_1)
    return path


def filled(folder: Path) -> Path:
    """A store with some hundred kilobytes in it, closed."""

    async def fill() -> None:
        store = SqliteStore(folder, inline=True)
        for number in range(50):
            await store.append(f"m{number % 5}", Expire(at=number))
            await store.save_table(f"t{number}", bytes([number]) * 5_000)
            await store.save_identity(KeptIdentity(f"i{number}", f"Name {number}", key=bytes([number]) * 32))
        await store.close()

    trio.run(fill)
    return folder / STORE_FILE


def refused(folder: Path, code: str) -> str:
    """Opening is refused with this code, and nothing in the folder has changed but the lock's file."""

    def contents() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.suffix != ".lock"}

    before = contents()
    with pytest.raises(StoreError) as caught:
        SqliteStore(folder, inline=True)
    assert caught.value.code == code
    assert code in codes.CODES
    assert contents() == before
    return caught.value.sentence


async def test_a_new_store_is_empty_and_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "data"
    store = SqliteStore(folder, inline=True)
    assert await store.load() == Kept()
    await store.append("m", Expire(at=1))
    if os.name == "posix":
        for path in folder.iterdir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name
    await store.close()
    assert sorted(path.name for path in folder.iterdir()) == ["store.lock", STORE_FILE]


@pytest.mark.parametrize(("durability", "synchronous"), [("process", 1), ("power", 2)])
async def test_durability_says_whether_a_commit_waits_for_the_disk(
    durability: Durability, synchronous: int, tmp_path: Path
) -> None:
    for _life in ("made", "opened"):
        store = SqliteStore(tmp_path, durability=durability, inline=True)
        assert store._connection.execute("PRAGMA synchronous").fetchone() == (synchronous,)
        assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        await store.close()


def test_an_sqlite_that_is_too_old_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    refused(tmp_path, codes.STORE_UNWRITABLE)


async def test_an_old_store_is_brought_up(tmp_path: Path) -> None:
    path = old_store(tmp_path)
    for _life in range(2):
        store = SqliteStore(tmp_path, inline=True, keep=1)
        assert await store.load() == Kept(
            clock_ms=90_061_001,
            tables={"RUNS": b"\0\xff"},
            identities=(
                KeptIdentity("aa", "Ana", key=b"\1" * 32, origin="192.0.2.1", seen=1_700_000_000, bound=True),
                KeptIdentity("bb", "Ben", token_digest=b"\2", seen=1_700_000_001, bound=True),
            ),
            bans=(Ban("name", "Eve", "She cheats.", 1_700_000_002),),
        )
        assert await store.matches() == ("RUNS-1",)
        assert await store.read("RUNS-1") == (Expire(at=2), Expire(at=3))
        assert await store.read("OLD-2") == (Expire(at=4),)
        await store.close()
    store = SqliteStore(tmp_path, inline=True, keep=2)
    await store.end("RUNS-1")
    with pytest.raises(KeyError):
        await store.read("OLD-1")  # the one that ended first goes first
    assert await store.read("OLD-2") == (Expire(at=4),)
    await store.close()
    with closing(connect(path)) as raw:
        assert raw.execute("PRAGMA user_version").fetchone()[0] == schema.VERSION


@pytest.mark.parametrize("version", range(1, schema.VERSION))
def test_a_step_that_fails_leaves_the_old_store(version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = old_store(tmp_path)
    broken = (*schema.STEPS[version], "INSERT INTO matches (no_such_column) VALUES (1)")
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS[:version], broken))
    with pytest.raises(StoreError):
        SqliteStore(tmp_path, inline=True)
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA user_version").fetchone()[0] == version
        with closing(sqlite3.connect(":memory:")) as pristine:
            pristine.executescript(VERSION_1)
            assert list(raw.iterdump()) == list(pristine.iterdump())
    monkeypatch.undo()
    SqliteStore(tmp_path, inline=True).abandon()


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    path = filled(tmp_path)
    with closing(connect(path)) as raw:
        raw.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    sentence = refused(tmp_path, codes.STORE_NEWER)
    assert str(path) in sentence


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", codes.STORE_DAMAGED),
        (b"SQLite for", codes.STORE_DAMAGED),
        (b"SQLite format 3\0" + bytes(20), codes.STORE_DAMAGED),
        (b"SQLite format 3\0" + bytes(2_000), codes.STORE_FOREIGN),
        (b"Dear diary, \n" * 50, codes.STORE_FOREIGN),
        (b"\xff", codes.STORE_FOREIGN),
    ],
)
def test_what_is_no_store_is_refused(content: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / STORE_FILE
    path.write_bytes(content)
    assert str(path) in refused(tmp_path, code)


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / STORE_FILE)) as raw:
        raw.execute("PRAGMA application_id = 1")
        raw.execute("CREATE TABLE recipes (name TEXT)")
    refused(tmp_path, codes.STORE_FOREIGN)


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / STORE_FILE).mkdir()
    refused(tmp_path, codes.STORE_UNWRITABLE)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x", encoding="ascii")
    with pytest.raises(StoreError) as caught:
        SqliteStore(tmp_path / "data")
    assert caught.value.code == codes.STORE_UNWRITABLE


@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
def test_half_a_store_is_refused(share: float, tmp_path: Path) -> None:
    path = filled(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    assert str(path) in refused(tmp_path, codes.STORE_DAMAGED)


def test_a_log_without_its_store_is_refused(tmp_path: Path) -> None:
    """SQLite would take it for a part of the new one."""
    rest = tmp_path / (STORE_FILE + "-wal")
    rest.write_bytes(b"something")
    assert str(rest) in refused(tmp_path, codes.STORE_DAMAGED)


def test_wrong_bytes_anywhere_are_refused_or_harmless(tmp_path: Path) -> None:
    """Never an exception of another kind, and never a change to what was refused."""
    path = filled(tmp_path)
    data = path.read_bytes()
    rng = random.Random(1)
    found: set[str] = set()

    async def read_all() -> None:
        try:
            store = SqliteStore(tmp_path, inline=True)
        except StoreError as error:
            found.add(error.code)
            return
        try:
            kept = await store.load()
            assert all(isinstance(snapshot, bytes) for snapshot in kept.tables.values())
            assert all(isinstance(one.name, str) for one in kept.identities)
            for match in await store.matches():
                await store.read(match)
            found.add("")
        except (StoreError, JournalError, KeyError) as error:
            found.add(type(error).__name__)
        finally:
            store.abandon()

    for _try in range(60):
        wrong = bytearray(data)
        for _byte in range(rng.choice([1, 1, 20])):
            wrong[rng.choice([rng.randrange(100), rng.randrange(len(data))])] = rng.randrange(256)
        path.write_bytes(wrong)
        trio.run(read_all)
        for rest in tmp_path.glob(STORE_FILE + "-*"):
            rest.unlink()
    assert {"", codes.STORE_DAMAGED, codes.STORE_FOREIGN} <= found


HOLDER = """
import sys, time
from pathlib import Path
from robby_server.store import SqliteStore
store = SqliteStore(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be deleted elsewhere")
def test_a_store_in_use_is_refused_without_its_lock_file_too(tmp_path: Path) -> None:
    first = SqliteStore(tmp_path, inline=True)
    (tmp_path / "store.lock").unlink()
    for _time in range(2):  # being refused does not free it
        with pytest.raises(StoreError) as caught:
            SqliteStore(tmp_path, inline=True)
        assert caught.value.code == codes.STORE_IN_USE
        assert str(tmp_path) in caught.value.sentence
    first.abandon()
    SqliteStore(tmp_path, inline=True).abandon()


def test_a_store_in_use_is_refused_and_free_after_a_kill(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(StoreError) as caught:
            SqliteStore(tmp_path)
        assert caught.value.code == codes.STORE_IN_USE
        assert str(other.pid) in caught.value.sentence
        other.kill()
    store = SqliteStore(tmp_path, inline=True)
    with pytest.raises(StoreError) as caught:  # by the same process just as well
        SqliteStore(tmp_path)
    assert caught.value.code == codes.STORE_IN_USE
    store.abandon()
    SqliteStore(tmp_path).abandon()


def test_a_file_that_another_program_writes_to_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.05)
    path = filled(tmp_path)
    with closing(connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError) as caught:
            SqliteStore(tmp_path, inline=True)
        assert caught.value.code == codes.STORE_IN_USE
        other.execute("ROLLBACK")
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM tables").fetchone()
        SqliteStore(tmp_path, inline=True).abandon()  # who only reads is in nobody's way


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, of one megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root may mount a disk")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False)
    if made.returncode:
        pytest.skip(f"no disk can be mounted here: {made.stderr.decode(errors='replace').strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_read_only_disk_is_refused(small_disk: Path) -> None:
    filled(small_disk / "data")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    try:
        assert str(small_disk / "data") in refused(small_disk / "data", codes.STORE_UNWRITABLE)
        with pytest.raises(StoreError) as caught:
            SqliteStore(small_disk / "new")
        assert caught.value.code == codes.STORE_UNWRITABLE
    finally:
        subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)


READ_ONLY = """
import os, sys, tempfile, trio
from pathlib import Path
from robby_server.store import STORE_FILE, SqliteStore, StoreError

async def fill(folder):
    store = SqliteStore(folder, inline=True)
    await store.save_table("t", b"1")
    await store.close()

def attempt(folder):
    try:
        SqliteStore(folder, inline=True).abandon()
        print("opened")
    except StoreError as error:
        print(error.code, str(folder) in error.sentence)

top = Path(tempfile.mkdtemp())
trio.run(fill, top / "first")  # all that is needed is imported then: below it could not be
(top / "first" / STORE_FILE).write_bytes(b"")
attempt(top / "first")
folder = top / "data"
if os.geteuid() == 0:  # root may write everywhere
    os.chown(top, 65534, 65534)
    os.setgid(65534)
    os.setuid(65534)
trio.run(fill, folder)
attempt(folder)
(folder / STORE_FILE).chmod(0o400)
attempt(folder)
folder.chmod(0o500)
attempt(folder)
folder.chmod(0o700)
(folder / STORE_FILE).chmod(0o600)
folder.chmod(0o500)
attempt(folder)
folder.chmod(0o700)
(folder / "store.lock").chmod(0o400)
attempt(folder)
print(top)
"""


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_read_only_folder_or_file_is_refused() -> None:
    done = subprocess.run([sys.executable, "-c", READ_ONLY], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    *told, top = done.stdout.splitlines()
    shutil.rmtree(top)
    assert told == [f"{codes.STORE_DAMAGED} True", "opened"] + [f"{codes.STORE_UNWRITABLE} True"] * 4


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_a_link_to_a_store_that_is_not_there_is_not_replaced(tmp_path: Path) -> None:
    """The disk that it leads to is not mounted, say: with an empty store in its place the games would be lost."""
    link = tmp_path / STORE_FILE
    link.symlink_to(tmp_path / "elsewhere" / STORE_FILE)
    sentence = refused(tmp_path, codes.STORE_UNWRITABLE)
    assert str(link) in sentence
    assert link.is_symlink()
