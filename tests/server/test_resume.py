"""Losing the connection and coming back, in every phase, with nothing lost, doubled or gained."""

import random
from typing import Any

import pytest
import trio

from robby_protocol import errors
from robby_protocol.messages import (
    GameHistory,
    GameUpdate,
    Goodbye,
    TableHandOver,
    TableJoin,
    TableLeave,
    TableReady,
    TableState,
    Welcome,
)
from robby_rules.journal import Presence, replay
from robby_server.play import HISTORY_EVENTS
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.server.kit import Answered, Host, Peer, choose, play, play_all, running, settled

FAST = Settings(message_burst=100_000, grace_seconds=1e6)


def picture(peer: Peer) -> tuple[Any, ...]:
    """What a player has on the screen, but for the time."""
    update = peer.update
    return update.seq, update.public.view, update.own, update.decision


async def test_a_resume_brings_everything_again(autojump_clock: Any) -> None:
    async with running(FAST) as host:
        peers = await host.playing(3)
        for _ in range(12):
            for number, peer in enumerate(peers):
                before, told = picture(peer), peer.told()
                await peer.drop()
                await settled()
                again = peers[number] = await host.again(peer)
                await settled()
                assert again.welcome is not None
                assert again.welcome.table == again.table
                kinds = [type(message) for message in again.got if not isinstance(message, GameHistory)]
                assert kinds[1:4] == [Welcome, TableState, GameUpdate]
                assert again.update.public.events == []
                assert again.update.public.first == len(told)
                assert picture(again)[1:] == before[1:]
                assert again.told() == told
            acting = next(peer for peer in peers if peer.update.decision is not None)
            action = choose(acting.update, random.Random(_))
            assert action is not None
            await acting.act(action)
            await settled()


async def test_history_comes_in_pieces(autojump_clock: Any) -> None:
    async with running(FAST) as host:
        peers = await host.playing(6)
        await play_all(peers)
        told = peers[0].told()
        assert len(told) > HISTORY_EVENTS
        await peers[0].drop()
        again = await host.again(peers[0])
        await settled()
        pieces = again.all(GameHistory)
        assert all(len(piece.events) <= HISTORY_EVENTS for piece in pieces)
        assert len(pieces) == -(-len(told) // HISTORY_EVENTS)
        assert again.told() == told
        assert again.update.public.view["phase"] == "over"
        assert again.state.table.result == peers[1].state.table.result


async def flaky(host: Host, peer: Peer, seed: int, peers: list[Peer]) -> None:
    """Play, and lose the connection at every other chance: before acting, with the answer on its way, after it."""
    rng = random.Random(seed)
    number = peers.index(peer)
    while not peer.over:
        update = peer.newest(GameUpdate)
        decision = None if update is None else update.decision
        if update is None or decision is None:
            await peer._news.wait()
            continue
        action = choose(update, rng)
        assert action is not None
        fate = rng.choice(("act", "drop first", "drop after sending", "drop after the answer", "rival"))
        if fate == "act":
            await act(peer, action, decision.id)
        elif fate == "rival":
            old, peer = peer, await host.again(peer)
            await old.until_closed()
            assert old.last(Goodbye).code == errors.REPLACED
        else:
            if fate == "drop after sending":
                with trio.move_on_after(0):
                    await act(peer, action, decision.id)
            elif fate == "drop after the answer":
                await act(peer, action, decision.id)
            await peer.drop()
            await trio.sleep(rng.random() * 5)
            peer = await host.again(peer)
            if fate != "drop first":
                await peer.expect(GameUpdate)
                await act(peer, action, decision.id)  # was it taken? asking again must never do it twice
        peers[number] = peer
        await settled()


async def act(peer: Peer, action: dict[str, Any], decision: int) -> None:
    try:
        await peer.act(action, decision)
    except Answered as answered:
        if answered.code not in (errors.STALE_DECISION, errors.TOO_LATE, errors.NO_DECISION, errors.NOT_PLAYING):
            raise


@pytest.mark.parametrize("people", [3, 6])
async def test_a_whole_game_of_people_who_drop_and_come_back(people: int, autojump_clock: Any) -> None:
    journal = MemoryStore()
    async with running(FAST, journal=journal) as host:
        peers = await host.playing(people, options={"max_rounds": 4})
        async with trio.open_nursery() as nursery:
            for number, peer in enumerate(tuple(peers)):
                nursery.start_soon(flaky, host, peer, number, peers)
        await settled()
        told = peers[0].told()
        assert all(peer.told() == told for peer in peers)
        assert told[-1]["type"] == "game_over"
        rounds: dict[int, list[dict[str, Any]]] = {}
        for event in told:
            if event["type"] == "round_started":
                now = rounds.setdefault(event["round"], [])
            elif rounds:
                now.append(event)
        for number, events in rounds.items():
            first = [event["seat"] for event in events if event["type"] == "laid" and not event["again"]]
            assert len(first) == len(set(first)), f"two plays in round {number}"
        match = replay(await journal.read(peers[0].update.match))
        assert match.seq == peers[0].update.seq


async def test_who_says_bye_in_a_match_is_told_apart_from_a_loss_and_keeps_the_seat(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben, _cleo = await host.playing(3, options={"time": "untimed"})
        await ben.bye()
        await settled()
        assert ana.state.table.seats[1].state == "away"
        await host.again(ben)
        await settled()
        assert ana.codes[-2:] == ["quit", "back"]


async def test_presence_is_told_and_journaled(autojump_clock: Any) -> None:
    journal = MemoryStore()
    async with running(journal=journal) as host:
        ana, ben, cleo = await host.playing(3, options={"time": "untimed"})
        await ben.drop()
        await settled()
        assert [seat.state for seat in ana.state.table.seats] == ["here", "away", "here"]
        ben = await host.again(ben)
        await settled()
        for peer in (ana, ben, cleo):
            assert [seat.state for seat in peer.state.table.seats] == ["here", "here", "here"]
        assert ana.codes[-2:] == ["away", "back"]
        presence = [entry for entry in await journal.read(ana.update.match) if isinstance(entry, Presence)]
        assert [(entry.seat, entry.absent) for entry in presence] == [(1, True), (1, False)]


async def test_bye_in_a_match_keeps_the_seat(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben, _cleo = await host.playing(3)
        await ben.bye()
        await settled()
        assert ana.state.table.seats[1].state == "away"
        again = await host.again(ben)
        assert again.welcome is not None
        assert again.welcome.table == ana.table


async def test_nobody_waits_for_an_absent_player_of_an_untimed_table(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3, options={"time": "untimed"})
        gentleman = peers[peers[0].update.public.view["gentleman"]]
        others = [peer for peer in peers if peer is not gentleman]
        assert gentleman.update.clock is None
        await gentleman.drop()
        began = trio.current_time()
        await others[0].asked("lay")
        assert trio.current_time() - began == pytest.approx(10, abs=0.1)
        assert others[0].update.clock is None


async def test_leaving_a_running_match_and_returning(autojump_clock: Any) -> None:
    """Without bots the clock plays the seat; by joining again one is back in it."""
    async with running() as host:
        ana, ben, _cleo = await host.playing(3)
        table = ana.table
        await ben.do(TableLeave)
        assert ana.state.table.seats[1].state == "left"
        assert (await ben.refused(TableReady, ready=True)).code == errors.NOT_SEATED
        other = (await ben.do(TableJoin, table=table))["seat"]
        assert other == 1
        assert ana.state.table.seats[1].state == "here"
        assert ana.codes[-2:] == ["left", "back"]
        assert ben.told() == ana.told()
        await ben.do(TableLeave)
        await ben.drop()
        again = await host.again(ben)
        assert again.welcome is not None
        assert again.welcome.table is None
        await again.do(TableJoin, table=table)
        assert again.update.own == ben.update.own


async def test_who_left_has_no_seat_after_the_match(autojump_clock: Any) -> None:
    async with running(FAST) as host:
        ana, ben, cleo = await host.playing(3, options={"max_rounds": 2})
        await ana.do(TableLeave)
        assert ben.state.table.host == 1
        await play_all([ben, cleo])
        assert [seat.name for seat in ben.state.table.seats] == ["Ben", "Cleo"]
        assert ben.state.you == 0
        assert ben.state.table.host == 0
        assert sorted(line.name for line in ben.state.table.result) == ["Ana", "Ben", "Cleo"]
        await ben.drop()
        again = await host.again(ben)
        await settled()
        assert again.update.own is not None
        assert again.update.own["seat"] == 1
        assert again.state.you == 0


async def test_the_host_is_lost_in_a_match(autojump_clock: Any) -> None:
    settings = Settings()
    async with running(settings) as host:
        ana, ben, cleo = await host.playing(3)
        await ana.drop()
        await trio.sleep(settings.host_away_seconds + 1)
        assert ben.state.table.host == 1
        ana = await host.again(ana)
        await ben.do(TableHandOver, seat=2, name="Cleo")
        assert ana.state.table.host == cleo.state.table.host == 2


async def test_a_match_without_people_is_broken_off_in_time(autojump_clock: Any) -> None:
    settings = Settings()
    journal = MemoryStore()
    async with running(settings, journal=journal) as host:
        peers = await host.playing(3, options={"time": "relaxed"})
        match = peers[0].update.match
        for peer in peers:
            await peer.drop()
        await trio.sleep(settings.empty_playing_seconds - 2)
        ana = await host.again(peers[0])
        await settled()
        assert ana.state.table.phase == "playing"
        await ana.drop()
        await trio.sleep(settings.empty_playing_seconds - 2)
        assert len(host.server.directory) == 1
        await trio.sleep(4)
        assert len(host.server.directory) == 0
        assert await journal.matches() == ()
        assert len(await journal.read(match)) > 1
        again = await host.again(peers[1])
        assert again.welcome is not None
        assert again.welcome.table is None


async def test_a_dropped_player_is_away_in_time_even_without_a_farewell(autojump_clock: Any) -> None:
    """Half-open: the peer is gone without closing, so it neither reads nor answers pings."""
    settings = Settings()
    async with running(settings) as host:
        ana, ben, _cleo = await host.playing(3, options={"time": "relaxed"})
        ben.pongs = False
        began = trio.current_time()
        await ana.until(lambda: ana.state.table.seats[1].state == "away")
        assert trio.current_time() - began <= 30
        await ben.until_closed()
        assert ben.last(Goodbye).code == errors.SILENT
        assert ben.last(Goodbye).reconnect


async def test_play_helper_ends_with_the_connection(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play, peers[0], random.Random(1))
            await settled()
            await peers[0].drop()
