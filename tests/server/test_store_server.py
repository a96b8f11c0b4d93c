"""A whole server on the store on disk: what a restart brings back, and what trouble with the disk does to people."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trio

from robby_client import exit_codes
from robby_protocol import errors
from robby_protocol.messages import TableCreate
from robby_rules.journal import replay
from robby_server.settings import Settings
from robby_server.store import STORE_FILE, SqliteStore
from robby_server.store.opening import connect
from tests.server.kit import running, settled
from tests.server.test_store_trouble import disk_error, failing


async def test_farewells_longer_than_the_clocks_beat(tmp_path: Path, autojump_clock: Any) -> None:
    """The store is closed before the last client has gone; nothing writes to it any more."""
    store = SqliteStore(tmp_path, inline=True)
    async with running(Settings(clock_seconds=0.1), journal=store) as host:
        await host.guest("Ana")  # never closes by itself
        await trio.sleep(10.05)
    again = SqliteStore(tmp_path, inline=True)
    assert 9_900 <= (await again.load()).clock_ms <= 10_100
    await again.close()


async def test_a_full_disk_stops_no_game_and_what_was_played_meanwhile_is_written(
    tmp_path: Path, autojump_clock: Any
) -> None:
    store = SqliteStore(tmp_path / "data", inline=True)
    async with running(journal=store) as host:
        ana, ben, cleo = await host.playing(3)
        disk = failing(store)
        disk.broken = lambda statement: disk_error(sqlite3.SQLITE_FULL) if statement == "COMMIT" else None
        stranger = await host.guest("Dora")  # people still come
        acted = 0
        for peer in (ana, ben, cleo):
            if peer.update.decision is not None:
                await peer.act(peer.update.decision.legal[0])
                acted += 1
        assert acted
        await settled()
        assert "kept" not in ben.codes
        assert "not_kept" in ben.codes
        assert (await stranger.refused(TableCreate, game="robby-solo")).code == errors.NOT_KEPT
        shutil.copytree(tmp_path / "data", tmp_path / "killed")
        written = len(await store.read(ana.update.match))
        disk.broken = lambda statement: None
        await trio.sleep(Settings().store_retry_seconds + 1)
        await settled()
        assert store.trouble is None
        assert ana.state.table.kept is True
        assert "kept" in ben.codes
        await stranger.call(TableCreate, game="robby-solo")
        shutil.copytree(tmp_path / "data", tmp_path / "healed")
    killed, healed = (SqliteStore(tmp_path / name, inline=True) for name in ("killed", "healed"))
    assert len(await killed.read(ana.update.match)) == 1, "killed while the disk was full: what was there before"
    entries = await healed.read(ana.update.match)
    assert len(entries) >= written == 1 + acted
    replay(entries)
    assert {one.name for one in (await healed.load()).identities} == {"Ana", "Ben", "Cleo", "Dora"}
    await killed.close()
    await healed.close()


@pytest.mark.parametrize("what", ["damaged", "newer", "foreign", "in use"])
def test_a_server_says_in_one_line_why_it_cannot_use_its_store(what: str, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, inline=True)
    path = tmp_path / STORE_FILE
    if what != "in use":
        store.abandon()
        if what == "newer":
            with closing(connect(path)) as raw:
                raw.execute("PRAGMA user_version = 1000")
        elif what == "damaged":
            path.write_bytes(path.read_bytes()[:5_000])
        else:
            path.write_bytes(b"Dear diary, \n" * 1_000)
    before = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "-m", "robby_cli", "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    store.abandon()
    assert done.returncode == exit_codes.BAD_STORE, done.stderr
    (line,) = done.stderr.splitlines()
    assert str(tmp_path) in line
    assert path.read_bytes() == before
