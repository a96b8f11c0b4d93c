"""A whole server on the store on disk: what a restart brings back, and what trouble with the disk does to people."""

from pathlib import Path
from typing import Any

import trio

from robby_server.settings import Settings
from robby_server.store import SqliteStore
from tests.server.kit import running


async def test_farewells_longer_than_the_clocks_beat(tmp_path: Path, autojump_clock: Any) -> None:
    """The store is closed before the last client has gone; nothing writes to it any more."""
    store = SqliteStore(tmp_path, inline=True)
    async with running(Settings(clock_seconds=0.1), journal=store) as host:
        await host.guest("Ana")  # never closes by itself
        await trio.sleep(10.05)
    again = SqliteStore(tmp_path, inline=True)
    assert 9_900 <= (await again.load()).clock_ms <= 10_100
    await again.close()
