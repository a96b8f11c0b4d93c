"""`robby backup`: a copy that opens, taken while games are played; and what stands in its way."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import trio

from robby_cli.backup import backup
from robby_cli.exits import CommandError
from robby_client import exit_codes
from robby_rules.journal import Expire, Start, replay
from robby_server.kept import decode_table
from robby_server.store import STORE_FILE, KeptIdentity, SqliteStore
from tests.server.kit import begin, play_all, running, sit_down


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "robby_cli", "backup", *map(str, arguments)]


def run(*arguments: object) -> tuple[int, str]:
    """Exit code and all that was printed."""
    done = subprocess.run(command(*arguments), capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr


def stored(folder: Path, count: int = 20) -> None:
    """A data folder as a server leaves it."""

    async def fill() -> None:
        store = SqliteStore(folder, inline=True)
        for number in range(count):
            await store.append("m", Expire(at=number))
        await store.save_identity(KeptIdentity("i", "Ana", key=bytes(32)))
        await store.close()

    trio.run(fill)
    (folder / "server-key").write_text("ab" * 32 + "\n", encoding="ascii")
    (folder / "records").mkdir()
    (folder / "records" / "one.robby").write_bytes(b"one")
    (folder / "records" / "half.part").write_bytes(b"ha")


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def entries(folder: Path, match: str = "m") -> Sequence[object]:
    store = SqliteStore(folder, inline=True)
    try:
        return await store.read(match)
    finally:
        await store.close()


@pytest.mark.slow
async def test_a_backup_taken_while_games_are_played_opens_and_goes_on(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "data")
    target = tmp_path / "backups" / "monday"
    async with running(journal=store) as host, trio.open_nursery() as games:
        tables = []
        for letter in "ABC":
            people = [await host.guest(f"{name} {letter}") for name in ("Ana", "Ben", "Cleo")]
            tables.append(await sit_down(people))
            await begin(people)
            games.start_soon(play_all, people)
        with trio.fail_after(60):
            done = await trio.run_process(command(target, "--data", tmp_path / "data"), capture_stdout=True)
        assert str(target).encode() in done.stdout
        games.cancel_scope.cancel()
    assert not list(target.parent.glob("*.part"))
    copy = SqliteStore(target)
    kept = await copy.load()
    assert list(kept.tables) == tables
    assert {one.name for one in kept.identities} == {f"{name} {c}" for name in ("Ana", "Ben", "Cleo") for c in "ABC"}
    matches = {decode_table(snapshot).match for snapshot in kept.tables.values()}
    assert None not in matches
    assert matches >= set(await copy.matches())
    for match in matches:
        assert match is not None
        inputs = await copy.read(match)
        assert isinstance(inputs[0], Start)
        assert replay(inputs).start_entry == inputs[0]
        assert inputs == (await entries(tmp_path / "data", match))[: len(inputs)]
    await copy.close()


def test_everything_is_in_it_and_nothing_in_the_folder_changes(tmp_path: Path) -> None:
    stored(tmp_path / "data")
    before = everything(tmp_path / "data")
    (tmp_path / "copy").mkdir()
    code, told = run(tmp_path / "copy", "--data", tmp_path / "data")
    assert (code, "Traceback" in told) == (exit_codes.WELL, False), told
    assert everything(tmp_path / "data") == before
    copied = everything(tmp_path / "copy")
    assert sorted(copied) == ["records/one.robby", "server-key", STORE_FILE]
    assert copied["server-key"] == before["server-key"]
    assert copied["records/one.robby"] == b"one"
    assert trio.run(entries, tmp_path / "copy") == trio.run(entries, tmp_path / "data")


def test_of_a_server_that_was_killed(tmp_path: Path) -> None:
    """What it had committed is in its write-ahead log alone."""
    store_folder = tmp_path / "data"
    stored(store_folder)
    store = SqliteStore(store_folder, inline=True)
    trio.run(store.append, "m", Expire(at=20))
    shutil.copytree(store_folder, tmp_path / "killed", ignore=shutil.ignore_patterns("*-shm"))
    store.abandon()
    assert backup(tmp_path / "copy", tmp_path / "killed") == exit_codes.WELL
    assert trio.run(entries, tmp_path / "copy") == tuple(Expire(at=at) for at in range(21))


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("nothing there", exit_codes.USAGE),
        ("target not empty", exit_codes.USAGE),
        ("target is a file", exit_codes.USAGE),
        ("target in the data", exit_codes.USAGE),
        ("damaged", exit_codes.BAD_STORE),
        ("no store", exit_codes.BAD_STORE),
        ("target cannot be made", exit_codes.BAD_STORE),
    ],
)
def test_what_stands_in_its_way_is_said_and_nothing_is_left_behind(what: str, code: int, tmp_path: Path) -> None:
    data, target = tmp_path / "data", tmp_path / "copies" / "copy"
    target.parent.mkdir()
    stored(data)
    if what == "nothing there":
        shutil.rmtree(data)
    elif what == "target not empty":
        target.mkdir()
        (target / "diary").write_text("x", encoding="ascii")
    elif what == "target is a file":
        target.write_text("x", encoding="ascii")
    elif what == "target in the data":
        target = data / "records" / "copy"
    elif what == "damaged":
        whole = (data / STORE_FILE).read_bytes()
        (data / STORE_FILE).write_bytes(whole[: len(whole) // 2])
    elif what == "no store":
        (data / STORE_FILE).write_bytes(b"Dear diary" * 20)
    else:
        target.parent.rmdir()
        target.parent.write_text("x", encoding="ascii")
    before = everything(tmp_path)
    with pytest.raises(CommandError) as caught:
        backup(target, data)
    assert caught.value.code == code
    assert everything(tmp_path) == before
