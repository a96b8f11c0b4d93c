"""Bots on seats and in absent people's places: they come, play, fail and go without harm to anybody."""

import random
from functools import partial
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from robby_protocol import errors
from robby_protocol.messages import (
    Act,
    Bye,
    GameUpdate,
    Goodbye,
    LobbyList,
    TableCreate,
    TableJoin,
    TableLeave,
    TableReady,
    TableStart,
    TableState,
)
from robby_rules.journal import replay
from robby_server.bots import BotTicket
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.server.kit import Gone, Peer, begin, bot_of, play, play_all, running, settled

SHORT: dict[str, Any] = {"max_rounds": 3}


def tasks() -> int:
    return trio.lowlevel.current_statistics().tasks_living


async def test_a_person_among_bots(autojump_clock: Any) -> None:
    seen: list[tuple[BotTicket, Peer]] = []
    async with running(spawn_bot=bot_of(seen=seen)) as host:
        ana = await host.guest("Ana")
        await settled()
        before = tasks()
        await ana.do(TableCreate, game="robby-solo", bots=["greedy", "random", "greedy"], options=SHORT)
        assert seen == []
        for number in (1, 2):
            await begin([ana])
            assert sorted(ticket.bot for ticket, _ in seen[-3:]) == ["greedy", "greedy", "random"]
            await play_all([ana], seed=number)
            assert len(ana.state.table.result) == 4
            await trio.sleep(5)
            assert len(seen) == 3 * number
            assert all(peer.closed and peer.last(Goodbye).code == errors.TABLE_CLOSED for _, peer in seen)
            assert not any(peer.last(Goodbye).reconnect for _, peer in seen)
        await ana.do(TableLeave)
        await trio.sleep(5)
        assert tasks() == before


async def test_a_bot_sees_what_its_seat_may_see_and_does_nothing_but_play(autojump_clock: Any) -> None:
    seen: list[tuple[BotTicket, Peer]] = []
    async with running(spawn_bot=bot_of(lambda update, rng: None, seen)) as host:
        ana, _ben = await host.seated(2, bots=["greedy"])
        await _ben.do(TableReady, ready=True)
        await ana.do(TableStart)
        (_ticket, bot) = seen[0]
        await bot.expect(GameUpdate)
        assert bot.seat == 1
        assert bot.update.own is not None
        assert bot.update.own["seat"] == 1
        for kind, fields in (
            (TableLeave, {}),
            (TableReady, {"ready": True}),
            (TableStart, {}),
            (TableCreate, {"game": "robby-solo"}),
            (TableJoin, {"table": ana.table}),
        ):
            assert (await bot.refused(kind, **fields)).code == errors.NOT_HOST
        assert await bot.call(LobbyList)


async def test_a_bots_token_is_worth_nothing_once_it_is_dismissed(autojump_clock: Any) -> None:
    seen: list[tuple[BotTicket, Peer]] = []
    async with running(spawn_bot=bot_of(seen=seen)) as host:
        ana, ben = await host.seated(2, bots=["greedy"], options=SHORT)
        await begin([ana, ben])
        await play_all([ana, ben])
        ticket = seen[0][0]
        thief = host.peer()
        await thief.hello()
        with pytest.raises(Exception, match=errors.RESUME_UNKNOWN):
            await thief.login("Eve", resume=ticket.resume)


async def raises(ticket: BotTicket, stream: trio.abc.Stream) -> None:
    raise RuntimeError("a bot's own fault")


async def raises_later(ticket: BotTicket, stream: trio.abc.Stream) -> None:
    with trio.move_on_after(60):
        await bot_of()(ticket, stream)
    raise ValueError("a bot's own fault")


async def hangs(ticket: BotTicket, stream: trio.abc.Stream) -> None:
    await trio.sleep_forever()


async def hangs_logged_in(ticket: BotTicket, stream: trio.abc.Stream) -> None:
    await bot_of(lambda update, rng: None)(ticket, stream)


async def does_not_end(ticket: BotTicket, stream: trio.abc.Stream) -> None:
    await bot_of()(ticket, stream)
    await trio.sleep_forever()


async def answers_wrongly(ticket: BotTicket, stream: trio.abc.Stream) -> None:
    """Illegal actions, a thousand at a time, and long ones."""
    peer = Peer(stream)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.read)
        await peer.hello()
        await peer.login(ticket.name, resume=ticket.resume)
        await peer.expect(GameUpdate)
        while not peer.closed:
            decision = peer.update.decision
            if decision is not None:
                wrong: list[dict[str, Any]] = [{"type": "lay", "bank": 6}, {"type": "x" * 60_000}]
                wrong.append({"type": "declare", "robs": True, "bank": 5})
                for action in wrong:
                    try:
                        refused = await peer.refused(Act, table=ticket.table, decision=decision.id, action=action)
                    except Gone:
                        return
                    assert refused.code in (
                        *(errors.ILLEGAL_ACTION, errors.MALFORMED_ACTION, errors.FALSE_DECLARATION),
                        *(errors.TOO_LATE, errors.STALE_DECISION, errors.NO_DECISION),
                    )
            await trio.sleep(1)


async def leaves_at_once(ticket: BotTicket, stream: trio.abc.Stream) -> None:
    peer = Peer(stream)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.read)
        await peer.hello()
        await peer.login(ticket.name, resume=ticket.resume)
        await peer.send(Bye())
        await peer.until_closed()


@pytest.mark.parametrize(
    "bot", [raises, raises_later, hangs, hangs_logged_in, does_not_end, answers_wrongly, leaves_at_once]
)
@pytest.mark.parametrize("preset", ["blitz", "untimed"])
async def test_a_bad_bot_harms_nobody(bot: Any, preset: str, autojump_clock: Any) -> None:
    journal = MemoryStore()
    with capture_logs() as logs:
        async with running(spawn_bot=bot, journal=journal) as host:
            ana, ben, cleo = peers = [await host.guest(name) for name in ("Ana", "Ben", "Cleo")]
            await settled()
            before = tasks()
            await ana.do(TableCreate, game="robby-solo", bots=["greedy"], options={**SHORT, "time": preset})
            for peer in (ben, cleo):
                await peer.do(TableJoin, table=ana.table)
            await begin(peers)
            await play_all(peers)
            assert len(ana.state.table.result) == 4
            match = replay(await journal.read(ana.update.match))
            assert match.result() is not None
            for peer in peers:
                await peer.do(TableLeave)
            await trio.sleep(5)
            assert tasks() == before
    failures = [entry for entry in logs if entry["event"] == "bot_failed"]
    assert len(failures) == (1 if bot in (raises, raises_later) else 0)
    assert not [entry for entry in logs if entry["log_level"] == "error" and entry["event"] != "bot_failed"]


async def test_a_stand_in_plays_after_the_grace_and_goes_when_the_person_returns(autojump_clock: Any) -> None:
    settings = Settings()
    seen: list[tuple[BotTicket, Peer]] = []
    journal = MemoryStore()
    async with running(settings, spawn_bot=bot_of(seen=seen, delay=1), journal=journal) as host:
        ana, ben, cleo = await host.playing(3, options={"max_rounds": 12})
        for peer in (ana, cleo):
            host.nursery.start_soon(partial(play, peer, random.Random(1), delay=1))
        await ben.drop()
        await trio.sleep(settings.grace_seconds - 1)
        assert ana.state.table.seats[1].state == "away"
        assert seen == []
        await trio.sleep(2)
        assert ana.state.table.seats[1].state == "stand_in"
        ((ticket, stand_in),) = seen
        assert (ticket.bot, ticket.table) == ("greedy", ana.table)
        await stand_in.expect(GameUpdate)
        assert stand_in.state.you == 1
        await ana.until(lambda: any(_acts(stand_in)))
        told = len(ana.told())
        ben = await host.again(ben)
        await settled()
        assert ben.state.table.seats[1].state == "here"
        assert ben.told()[:told] == ana.told()[:told]
        assert stand_in.closed
        assert stand_in.last(Goodbye).code == errors.REPLACED
        assert not stand_in.last(Goodbye).reconnect
        await trio.sleep(5)
        assert [code for code in ana.codes if code in ("away", "stand_in", "back")] == ["away", "stand_in", "back"]
        host.nursery.start_soon(partial(play, ben, random.Random(2), delay=1))
        await ben.until(lambda: ben.over)
        laid: dict[int, list[int]] = {}
        number = 0
        for event in ben.told():
            if event["type"] == "round_started":
                number = event["round"]
            if event["type"] == "laid" and not event["again"]:
                laid.setdefault(number, []).append(event["seat"])
        assert all(len(seats) == len(set(seats)) for seats in laid.values())


def _acts(peer: Peer) -> list[Any]:
    return list(peer.answers)


async def test_a_person_who_leaves_is_replaced_at_once_and_may_return(autojump_clock: Any) -> None:
    seen: list[tuple[BotTicket, Peer]] = []
    async with running(spawn_bot=bot_of(seen=seen)) as host:
        ana, ben, _cleo = await host.playing(3)
        await ben.do(TableLeave)
        assert ana.state.table.seats[1].state == "left"
        (_, stand_in) = seen[0]
        await stand_in.expect(TableState)
        assert stand_in.state.you == 1
        await ben.do(TableJoin, table=ana.table)
        assert ana.state.table.seats[1].state == "here"
        assert stand_in.closed
        await ben.do(TableLeave)
        assert len(seen) == 2


async def test_all_people_left_and_the_bots_play_on_for_a_while(autojump_clock: Any) -> None:
    """A match that only bots attend ends by itself, or is broken off in time; nothing of it stays."""
    settings = Settings()
    async with running(settings, spawn_bot=hangs_logged_in) as host:
        ana, ben, cleo = peers = await host.playing(3)
        await settled()
        for peer in peers:
            await peer.do(TableLeave)
        assert len(host.server.directory) == 1
        await trio.sleep(settings.empty_playing_seconds + 5)
        assert len(host.server.directory) == 0
        for peer in (ana, ben, cleo):
            assert not peer.closed
        assert host.server.connections == 3


async def test_the_stand_in_is_the_first_bot_where_the_wanted_one_is_missing(autojump_clock: Any) -> None:
    seen: list[tuple[BotTicket, Peer]] = []
    async with running(
        Settings(stand_in="greedy", grace_seconds=1), spawn_bot=bot_of(seen=seen), bots={"robby-solo": ["random"]}
    ) as host:
        _ana, ben, _cleo = await host.playing(3)
        await ben.drop()
        await trio.sleep(3)
        assert [ticket.bot for ticket, _ in seen] == ["random"]
