"""Spectators leave nothing behind: no tasks and tables, no memory without end, nothing too early after a crash."""

from typing import Any

import msgspec
import pytest
import trio

from robby_protocol.messages import (
    GameUpdate,
    TableClose,
    TableConfigure,
    TableInfo,
    TableLeave,
    TableMute,
    TableState,
    TableUnwatch,
    TableWatch,
)
from robby_server.settings import Settings
from robby_server.table import Table
from tests.server.kit import Host, begin, play_all, running, settled, sit_down
from tests.server.lives import Lives, back, people, person
from tests.server.lives import playing as lives_playing
from tests.server.test_match import to_plays, to_revision
from tests.server.watchers import DELAY, SHORT, line, watching

# PR-14: nothing stays behind.


async def test_pr14_200_tables_with_spectators_leave_nothing_behind(autojump_clock: Any) -> None:
    async with running(Settings(message_burst=10**6, guests=10**6)) as host:
        ana, ben, cleo = peers = [await host.guest(name) for name in ("Ana", "Ben", "Cleo")]
        xenia = await host.guest("Xenia")
        await trio.sleep(1)
        tasks = trio.lowlevel.current_statistics().tasks_living
        for cycle in range(200):
            table = await sit_down(peers, options={"max_rounds": 1}, delay_s=cycle % 2 * 3)
            await xenia.call(TableWatch, table=table)
            if cycle % 20 == 0:
                for _match in range(2):
                    await begin(peers)
                    await play_all(peers, seed=cycle)
            if cycle % 3 == 0:
                await ana.call(TableClose)
            elif cycle % 3 == 1:
                for peer in peers:
                    await peer.call(TableLeave)
            else:
                await xenia.call(TableUnwatch)
                await ana.call(TableClose)
            await settled()
            for peer in (*peers, xenia):
                peer.got.clear()
                peer.times.clear()
        await trio.sleep(10)
        assert len(host.server.directory) == 0
        assert host.server.connections == 4
        assert trio.lowlevel.current_statistics().tasks_living <= tasks
        for session in host.server._sessions:
            assert session.watching is None
        assert ben.welcome is not None
        assert not cleo.closed


def tables_of(host: Host) -> list[Table]:
    return [table for table in host.server.directory.all() if isinstance(table, Table)]


async def test_what_is_held_back_is_given_free_again(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3, delay_s=DELAY)
        (table,) = tables_of(host)
        await to_plays(peers)
        assert len(table.audience._queue) > 1
        await trio.sleep(DELAY + 0.1)
        live: TableInfo = table.info()
        assert [info.table for info in host.server.directory.infos()] == [live.table]
        assert msgspec.structs.asdict(table.audience.listed()) == msgspec.structs.asdict(live)


# After a restart of the server.


@pytest.mark.parametrize("delay_s", [0, DELAY])
async def test_after_a_crash_spectators_ask_anew_and_see_nothing_too_early(delay_s: int, autojump_clock: Any) -> None:
    lives = Lives(bots=False)
    async with lives.life() as host:
        peers = await lives_playing(host, "Ana", "Ben", "Cleo", delay_s=delay_s)
        xenia = await person(host, "Xenia")
        await xenia.do(TableWatch, table=peers[0].table)
        await trio.sleep(1)
        table = peers[0].table
    async with lives.life() as host:
        xenia = await person(host, "Xenia")
        await settled()
        assert not xenia.all(TableState)
        began = trio.current_time()
        await xenia.do(TableWatch, table=table)
        assert xenia.state.table.phase == "playing"
        assert len(xenia.all(GameUpdate)) == (0 if delay_s else 1)
        peers = await back(host, "Ana", "Ben", "Cleo")
        await trio.sleep(max(0, delay_s - 0.5))
        assert len(xenia.all(GameUpdate)) == 0 or not delay_s
        await xenia.expect(GameUpdate)
        assert trio.current_time() - began >= delay_s
        await play_all(peers)
        await trio.sleep(delay_s + 0.1)
        assert xenia.over
        assert xenia.told() == peers[0].told()


async def test_a_result_just_before_a_crash_is_not_told_too_early_after_it(autojump_clock: Any) -> None:
    lives = Lives(bots=False)
    async with lives.life() as host:
        peers = await lives_playing(host, "Ana", "Ben", "Cleo", delay_s=DELAY, options=SHORT)
        table = peers[0].table
        await play_all(peers)
    async with lives.life() as host:
        await people(host, "Ana", "Ben", "Cleo")
        xenia = await person(host, "Xenia")
        info = await line(xenia, table)
        assert info is not None
        assert (info["phase"], info["result"]) == ("playing", [])
        await xenia.do(TableWatch, table=table)
        assert (xenia.state.table.phase, xenia.state.table.result) == ("playing", [])
        assert not xenia.all(GameUpdate)
        await trio.sleep(DELAY + 0.1)
        info = await line(xenia, table)
        assert info is not None
        assert info["phase"] == "finished"
        assert info["result"]
        assert xenia.over


async def test_players_who_change_their_minds_without_end_fill_no_memory(autojump_clock: Any) -> None:
    settings = Settings(spectator_bytes=30_000, message_burst=10**6)
    async with running(settings) as host:
        peers = await host.playing(3, delay_s=DELAY, options={**SHORT, "time": "relaxed"})
        xenia = await watching(host, peers[0].table)
        (table,) = tables_of(host)
        _gentleman, others = await to_revision(peers)
        for number in range(200):
            await others[0].act({"type": "take_back"} if number % 2 == 0 else {"type": "lay", "bank": 2})
            await settled()
            if number % 10 == 0:
                await peers[0].do(TableMute, name="Cleo", on=True)
                await peers[0].do(TableMute, name="Cleo", on=False)
            assert table.audience._held_bytes <= settings.spectator_bytes
        assert len(table.audience._queue) < 60
        assert not xenia.all(GameUpdate)
        await trio.sleep(DELAY + 1)
        assert xenia.update.seq > 200
        assert xenia.told() == others[1].told()[: len(xenia.told())]
        await play_all(peers)
        await trio.sleep(DELAY + 1)
        assert xenia.over
        assert xenia.told() == peers[0].told()
        assert xenia.state.table == peers[0].state.table


async def test_many_tables_together_fill_no_memory(autojump_clock: Any) -> None:
    """Each may hold back much, and somebody can have many."""
    settings = Settings(spectator_bytes=80_000, spectator_bytes_all=100_000, message_burst=10**6)
    async with running(settings) as host:
        hosts = [(await host.seated(1, names=(name,), delay_s=DELAY))[0] for name in ("Ana", "Ben", "Cleo", "Dora")]
        tables = tables_of(host)
        held = tables[0].services.held

        def real() -> int:
            return sum(item.size for table in tables for item in table.audience._queue)

        for peer in hosts:
            for number in range(250):
                await peer.call(TableConfigure, title=f"Table {number}")
                assert held.total == real() < 115_000
        assert held.total > 80_000
        await hosts[0].do(TableLeave)
        await trio.sleep(DELAY + 1)
        assert held.total == real() == 0
