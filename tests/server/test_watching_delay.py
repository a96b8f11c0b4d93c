"""Spectators of a table with a delay: it covers every channel, in order and whole, the lobby and the deal too."""

import math
import random
from functools import partial
from typing import Any

import pytest
import trio

from robby_protocol import errors, fair
from robby_protocol.messages import (
    ChatSend,
    DealCommitted,
    DealOpen,
    DealOpened,
    DealRevealed,
    GameUpdate,
    LobbyTables,
    LobbyWatch,
    TableClose,
    TableClosed,
    TableConfigure,
    TableCreate,
    TableHandOver,
    TableInfo,
    TableJoin,
    TableLeave,
    TableMute,
    TableReady,
    TableStart,
    TableState,
    TableUnwatch,
    TableWatch,
)
from robby_server.settings import Settings
from tests.server.kit import begin, play, play_all, running, settled
from tests.server.test_match import to_plays
from tests.server.watchers import DELAY, SHORT, line, shown, watching


async def test_pr17_the_delay_covers_every_channel(autojump_clock: Any) -> None:
    """Moves, seats' states, counters, chat, results and the closing reach spectators and the lobby after the delay."""
    async with running(Settings(ping_seconds=3600, silence_seconds=7200)) as host:
        peers = await host.seated(3, options={"max_rounds": 4}, delay_s=DELAY)
        table = peers[0].table
        xenia, lobby = await watching(host, table), await host.guest("Yan")
        await lobby.do(LobbyWatch, on=True)
        await trio.sleep(2 * DELAY)  # everything before the match has been shown
        start = trio.current_time()
        from_here = len(xenia.got), len(peers[0].got), len(lobby.got)
        await begin(peers)
        async with trio.open_nursery() as nursery:
            for number, peer in enumerate(peers):
                nursery.start_soon(partial(play, peer, random.Random(number), delay=1.3 + number / 10))
            for text in ("one", "two", "three"):
                await trio.sleep(2.5)
                await peers[0].call(ChatSend, table=table, text=text)
            zoe = await watching(host, table, "Zoe")
            await xenia.call(ChatSend, table=table, text="from a spectator")
        ended = trio.current_time()
        assert ended - start > 5
        await peers[0].call(TableClose)
        await settled()
        told = [each for each in shown(peers[0]) if each[0] >= start]
        assert not [each for each in shown(xenia) if start <= each[0] < start + DELAY]
        await trio.sleep(2 * DELAY)
        seen = [each for each in shown(xenia) if each[0] >= start]
        assert [what for _moment, what in seen] == [what for _moment, what in told]
        for (moment, what), (earlier, _same) in zip(seen, told, strict=True):
            assert moment == pytest.approx(earlier + DELAY, abs=0.01), what
        counters = [message.table.watchers for message in xenia.all(TableState)]
        assert 2 in counters
        # Clocks show what remained then.
        clocks = [(update.seq, update.clock) for update in xenia.all(GameUpdate)]
        live = [(update.seq, update.clock) for update in peers[0].all(GameUpdate)]
        assert [(seq, clock) for seq, clock in clocks if clock] == [(seq, clock) for seq, clock in live if clock]
        # Who came in the middle was shown the picture of then, and the same from then on.
        later = [each for each in shown(zoe) if each[0] >= start + DELAY]
        assert [what for _moment, what in later] == [what for _moment, what in seen]
        # The lobby: nothing new before the delay, then line by line, at last none.
        pushes = [
            (moment, message.tables[0] if message.tables else None)
            for moment, message in list(zip(lobby.times, lobby.got, strict=True))[from_here[2] :]
            if isinstance(message, LobbyTables)
        ]
        before = [info for moment, info in pushes if moment < start + DELAY]
        assert all(info is not None and info.phase == "waiting" for info in before)
        states = [what[1] for _moment, what in told if isinstance(what, tuple) and what[0] == "state"]
        for moment, info in pushes:
            assert info is None or info in states or moment < start + DELAY
        phases = [None if info is None else info.phase for moment, info in pushes if moment >= start + DELAY]
        assert set(phases) >= {"playing", None}
        gone = [moment for moment, info in pushes if info is None]
        assert gone[0] == pytest.approx(ended + DELAY, abs=1)
        assert not xenia.closed


async def test_pr17_the_lobby_and_refusals_tell_nothing_newer(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.seated(3, options=SHORT, delay_s=DELAY)
        table = peers[0].table
        yan = await host.guest("Yan")
        before = await line(yan, table)
        assert before is not None
        assert [seat["name"] for seat in before["seats"]] == ["Ana", "Ben", "Cleo"]  # live between matches
        for peer in peers[1:]:
            await peer.do(TableReady, ready=True)
        ready = await line(yan, table)
        await peers[0].do(TableStart)
        assert await line(yan, table) == ready
        await trio.sleep(DELAY - 1)
        await peers[1].drop()
        await settled()
        assert await line(yan, table) == ready
        await trio.sleep(2)
        shown_then = await line(yan, table)
        assert shown_then is not None
        assert (shown_then["phase"], shown_then["seats"][1]["state"]) == ("playing", "here")
        peers[1] = await host.again(peers[1])
        await settled()
        await play_all(peers)
        finished = trio.current_time()
        assert peers[0].state.table.phase == "finished"
        # A seat is free, and yet nobody is told so, nor can sit down or learn of the host's changes.
        await peers[2].do(TableLeave)
        await peers[0].do(TableConfigure, spectators=False, title="Another")
        playing = await line(yan, table)
        assert playing is not None
        assert (playing["phase"], playing["result"], playing["title"]) == ("playing", [], "")
        assert (await yan.refused(TableJoin, table=table)).code == errors.TABLE_PLAYING
        xenia = await watching(host, table)
        assert xenia.state.table.phase == "playing"
        await trio.sleep_until(finished + DELAY + 0.1)
        now = await line(yan, table)
        assert now is not None
        assert (now["phase"], now["title"], len(now["seats"])) == ("finished", "Another", 2)
        assert now["result"]
        await yan.call(TableJoin, table=table)
        # The spectator saw the end, then that nobody may watch any more.
        assert xenia.over
        assert xenia.last(TableClosed).code == errors.SPECTATORS_FORBIDDEN
        assert xenia.told() == peers[0].told()


async def test_lobby_pushes_of_a_hidden_table_do_not_even_come(autojump_clock: Any) -> None:
    """When a frame comes tells something, too."""
    async with running(Settings(ping_seconds=3600, silence_seconds=7200)) as host:
        peers = await host.seated(3, delay_s=DELAY)
        yan = await host.guest("Yan")
        await yan.do(LobbyWatch, on=True)
        for peer in peers[1:]:
            await peer.do(TableReady, ready=True)
        await trio.sleep(1)
        before = len(yan.got)
        await peers[0].do(TableStart)
        await peers[0].do(TableMute, name="Ben", on=True)
        await peers[0].do(TableHandOver, seat=1, name="Ben")
        await trio.sleep(DELAY - 1)
        assert yan.got[before:] == []
        await trio.sleep(2)
        assert yan.last(LobbyTables).tables[0].phase == "playing"


async def test_a_closed_table_stays_in_the_lobby_until_its_end_was_shown(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3, options=SHORT, delay_s=DELAY)
        table = peers[0].table
        xenia, yan = await watching(host, table), await host.guest("Yan")
        await trio.sleep(DELAY + 1)
        await play_all(peers)
        ended = trio.current_time()
        for peer in peers:
            await peer.do(TableLeave)
        still = await line(yan, table)
        assert still is not None
        assert still["phase"] == "playing"
        assert (await yan.refused(TableJoin, table=table)).code == errors.TABLE_PLAYING
        await yan.do(TableWatch, table=table)
        assert yan.state.table.phase == "playing"
        assert (await yan.refused(ChatSend, table=table, text="x")).code == errors.NOT_WATCHING
        await peers[1].call(TableCreate, game="robby-solo")  # nobody is bound to it any more
        await xenia.drop()
        await yan.call(TableUnwatch)
        await yan.do(TableWatch, table=table)
        await trio.sleep_until(ended + DELAY + 0.1)
        assert yan.over
        assert yan.last(TableClosed).code == errors.TABLE_CLOSED
        assert yan.told() == peers[0].told()
        assert await line(yan, table) is None
        assert (await yan.refused(TableWatch, table=table)).code == errors.NO_SUCH_TABLE


async def test_a_rematch_before_the_end_was_shown(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3, options=SHORT, delay_s=DELAY)
        table = peers[0].table
        xenia, yan = await watching(host, table), await host.guest("Yan")
        await play_all(peers)
        first, ended = peers[0].update.match, trio.current_time()
        await trio.sleep(5)
        second = await begin(peers)
        await trio.sleep_until(ended + DELAY + 0.1)
        info = await line(yan, table)
        assert info is not None
        assert (info["phase"], info["match"]) == ("finished", first)
        assert xenia.update.match == first
        await trio.sleep(5)
        info = await line(yan, table)
        assert info is not None
        assert (info["phase"], info["match"]) == ("playing", second)
        assert xenia.update.match == second


async def test_a_newcomer_is_shown_the_picture_of_then_with_the_time_of_then(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3, delay_s=DELAY, options={"time": "standard"})
        began = trio.current_time()
        start = peers[0].update
        await trio.sleep(4)
        await to_plays(peers)
        xenia = await watching(host, peers[0].table)
        assert xenia.state.table.phase == "waiting"
        assert not xenia.all(GameUpdate)
        await trio.sleep_until(began + DELAY + 3)
        assert xenia.update.seq == start.seq
        zoe = await watching(host, peers[0].table, "Zoe")
        assert (zoe.update.seq, zoe.told()) == (start.seq, xenia.told())
        assert start.clock is not None
        assert zoe.update.clock is not None
        assert zoe.update.clock.remaining_ms == pytest.approx(start.clock.remaining_ms - 3_000, abs=10)
        await trio.sleep_until(began + DELAY + 4.1)
        assert xenia.update.seq == zoe.update.seq == peers[0].update.seq


async def test_a_shorter_delay_never_overtakes_a_longer_one(autojump_clock: Any) -> None:
    async with running() as host:
        ana, _ben = await host.seated(2, delay_s=DELAY)
        xenia = await watching(host, ana.table)
        await ana.do(TableConfigure, title="one")
        changed = trio.current_time()
        await trio.sleep(1)
        await ana.do(TableConfigure, title="two", delay_s=0)
        await ana.do(TableConfigure, title="three")
        assert "one" not in [state.table.title for state in xenia.all(TableState)]
        await trio.sleep_until(changed + DELAY + 0.1)
        titles = [state.table.title for state in xenia.all(TableState)]
        assert titles[-3:] == ["one", "two", "three"]
        await ana.do(TableConfigure, title="four")
        assert xenia.state.table.title == "four"


async def test_stopping_the_server_waits_for_no_delay(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3, options=SHORT, delay_s=DELAY)
        xenia = await watching(host, peers[0].table)
        await play_all(peers)
        await peers[0].do(TableClose)
        before = trio.current_time()
        await host.server.stop()
        assert trio.current_time() - before < 2
        assert not xenia.over


async def test_a_spectator_is_told_the_fair_deal_as_late_as_all_else(autojump_clock: Any) -> None:
    async with running(fair=True) as host:
        peers = await host.seated(3, options=SHORT, delay_s=DELAY)
        xenia = await watching(host, peers[0].table)
        await trio.sleep(DELAY + 1)
        nonces = {peer.seat: bytes([peer.seat + 1]) * 32 for peer in peers}
        for peer in peers[1:]:
            await peer.do(TableReady, ready=True, commitment=fair.seat_commitment(nonces[peer.seat]))
        match = (await peers[0].do(TableStart, commitment=fair.seat_commitment(nonces[0])))["match"]
        for peer in peers:
            await peer.do(DealOpen, match=match, nonce=nonces[peer.seat])
        await play_all(peers)
        kinds = (DealCommitted, DealOpened, DealRevealed)
        told = [message for message in peers[1].got if isinstance(message, kinds)]
        assert [type(message) for message in told] == list(kinds)
        assert not [message for message in xenia.got if isinstance(message, kinds)]
        await trio.sleep(DELAY + 0.1)
        assert [message for message in xenia.got if isinstance(message, kinds)] == told


@pytest.mark.parametrize("seed", range(8))
async def test_pr17_whatever_happens_is_shown_late_in_order_and_whole(seed: int, autojump_clock: Any) -> None:
    """Random evenings: what spectators were shown is what the host was told, later by the delay; the lobby likewise."""
    rng = random.Random(seed)
    delay = rng.choice((1, 7, 30))
    async with running(Settings(message_burst=10**6, chat_burst=10**6)) as host:
        peers = await host.seated(4, delay_s=delay, options={"max_rounds": 1, "time": "blitz"})
        ana, table = peers[0], peers[0].table
        xenia, lobby = await watching(host, table), await host.guest("Yan")
        lines: list[tuple[float, int, TableInfo]] = []  # how many states the host knew then

        async def look(number: int) -> None:
            for _ in range(number):
                await trio.sleep(rng.random() * 4)
                await settled()
                told_by_now = len(ana.all(TableState))
                lines.append((trio.current_time(), told_by_now, host.server.directory.infos()[0]))

        async def something() -> None:
            wish = rng.randrange(5)
            if wish == 0:
                await rng.choice((*peers[:2], xenia)).call(ChatSend, table=table, text=str(rng.random()))
            elif wish == 1:
                await ana.call(TableMute, name=rng.choice(("Cleo", "Dora")), on=rng.random() < 0.5)
            elif wish == 2:
                await peers[3].drop()
                await trio.sleep(rng.random() * 3)
                peers[3] = await host.again(peers[3])
            elif wish == 3:
                yan = await watching(host, table, f"Late {len(host.peers)}")
                await trio.sleep(rng.random() * 3)
                await yan.drop()
            await look(1)

        await trio.sleep(delay + 1.5)
        began = trio.current_time()
        for _evening in range(2):
            for _ in range(4):
                await something()
            if ana.state.table.phase != "playing":
                await ana.call(TableConfigure, title=f"Table {rng.random()}")
            await begin(peers)
            async with trio.open_nursery() as nursery:
                for number, peer in enumerate(peers):
                    nursery.start_soon(partial(play, peer, random.Random(seed + number), delay=0.5 + number))
                for _ in range(3):
                    await rng.choice(peers[:2]).call(ChatSend, table=table, text=str(rng.random()))
                    await ana.call(TableMute, name="Dora", on=rng.random() < 0.5)
                    await look(2)
        await look(int(delay) + 5)
        await trio.sleep(delay + 1.5)
        told = [each for each in shown(ana) if each[0] >= began]
        seen = [each for each in shown(xenia) if each[0] >= began]
        assert [what for _moment, what in seen] == [what for _moment, what in told]
        assert all(
            at == pytest.approx(earlier + delay, abs=0.01) for (at, _), (earlier, _same) in zip(seen, told, strict=True)
        )
        assert lobby.got
        states = [
            (at, message.table)
            for at, message in zip(ana.times, ana.got, strict=True)
            if isinstance(message, TableState)
        ]
        hidden = 0
        for moment, count, info in lines:
            start = max((number for number in range(count) if _begins(states, number)), default=None)
            known = [one for _at, one in states[:count]]
            if start is not None and moment < _end(states, start) + delay:
                hidden += 1
                start = _hidden_since(states, start, delay)
                known = [one for at, one in states[start:] if at <= moment - delay] or [states[start - 1][1]]
            assert info == known[-1]
        assert hidden > 5


def _begins(states: list[tuple[float, TableInfo]], number: int) -> bool:
    return states[number][1].phase == "playing" and (number == 0 or states[number - 1][1].phase != "playing")


def _end(states: list[tuple[float, TableInfo]], start: int) -> float:
    return next((at for at, one in states[start:] if one.phase != "playing"), math.inf)


def _hidden_since(states: list[tuple[float, TableInfo]], start: int, delay: float) -> int:
    """The start since which the lobby has not shown the present: an earlier one whose end was not shown at this one."""
    before = [number for number in range(start) if _begins(states, number)]
    if before and states[start][0] < _end(states, before[-1]) + delay:
        return _hidden_since(states, before[-1], delay)
    return start
