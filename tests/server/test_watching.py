"""Spectators: the public part alone, who may watch what, and a delay that covers every channel."""

import math
import random
from functools import partial
from typing import Any

import msgspec
import pytest
import trio

from robby_protocol import codec, errors, fair
from robby_protocol.messages import (
    Act,
    ChatSaid,
    ChatSend,
    Command,
    DealCommitted,
    DealOpen,
    DealOpened,
    DealRevealed,
    GameHistory,
    GameUpdate,
    LobbyList,
    LobbyTables,
    LobbyWatch,
    Message,
    TableAddBot,
    TableClose,
    TableClosed,
    TableConfigure,
    TableCreate,
    TableHandOver,
    TableInfo,
    TableJoin,
    TableKick,
    TableLeave,
    TableMute,
    TableReady,
    TableStart,
    TableState,
    TableUnwatch,
    TableWatch,
)
from robby_server.settings import Settings
from robby_server.table import Table
from tests.server.kit import Host, Peer, begin, play, play_all, running, settled, sit_down
from tests.server.lives import Lives, back, people, person
from tests.server.lives import playing as lives_playing
from tests.server.test_match import to_plays, to_revision

SHORT = {"max_rounds": 2}
DELAY = 30


async def watching(host: Host, table: str, name: str = "Xenia") -> Peer:
    peer = await host.guest(name)
    await peer.do(TableWatch, table=table)
    return peer


async def line(peer: Peer, table: str) -> dict[str, Any] | None:
    """The lobby's line of a table as it is asked for now."""
    tables: list[dict[str, Any]] = (await peer.call(LobbyList))["tables"]
    return next((info for info in tables if info["table"] == table), None)


def publics(peer: Peer) -> list[bytes]:
    """The public parts of all updates, as bytes."""
    return [codec.encode_public(update.public) for update in peer.all(GameUpdate)]


# What a spectator is shown.


async def test_a_whole_match_from_the_first_to_the_last(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.seated(3, options=SHORT)
        table = peers[0].table
        xenia = await host.guest("Xenia")
        before = len(xenia.got)
        assert await xenia.do(TableWatch, table=table.lower()) == {"table": table, "delay_s": 0}
        assert [type(message).__name__ for message in xenia.got[before:]] == ["Ok", "TableState"]
        assert (xenia.state.you, xenia.state.invite) == (None, None)
        assert [seat.name for seat in xenia.state.table.seats] == ["Ana", "Ben", "Cleo"]
        await begin(peers)
        await play_all(peers)
        await settled()
        for update in xenia.all(GameUpdate):
            assert (update.own, update.own_events, update.decision) == (None, [], None)
        assert all(state.you is None for state in xenia.all(TableState))
        assert xenia.state.table == peers[0].state.table
        assert xenia.state.table.result
        assert publics(xenia) == publics(peers[1])
        assert xenia.told() == peers[1].told()


async def test_who_comes_in_the_middle_sees_the_story_and_the_time_that_is_left(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3)
        await to_plays(peers)
        await trio.sleep(4)
        xenia = await host.guest("Xenia")
        before = len(xenia.got)
        await xenia.do(TableWatch, table=peers[0].table)
        kinds = [type(message) for message in xenia.got[before + 1 :]]
        assert kinds[:3] == [TableState, GameHistory, GameUpdate]
        assert xenia.told() == peers[0].told()
        assert xenia.update.public.view == peers[0].update.public.view
        assert (xenia.update.own, xenia.update.decision) == (None, None)
        clock, earlier = xenia.update.clock, peers[0].update.clock
        assert clock is not None
        assert earlier is not None
        assert clock.remaining_ms == earlier.remaining_ms - 4_000
        async with trio.open_nursery() as nursery:
            for number, peer in enumerate(peers):
                nursery.start_soon(play, peer, random.Random(number))
        assert xenia.told() == peers[0].told()


async def test_who_comes_after_the_match_sees_its_end(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3, options=SHORT)
        await play_all(peers)
        xenia = await watching(host, peers[0].table)
        assert xenia.state.table.result
        assert xenia.told() == peers[0].told()


async def test_other_hidden_cards_give_spectators_the_same_bytes(autojump_clock: Any) -> None:
    """Two games that differ only in what is hidden until the reveal: whoever watches receives the same bytes."""

    async def received(banks: tuple[int, int], *, late: bool) -> bytes:
        async with running(match_seed=lambda: b"s" * 32) as host:
            peers = await host.playing(3)
            table, match = peers[0].table, peers[0].update.match
            xenia = await host.guest("Xenia")
            await xenia.do(TableWatch, table=table)
            gentleman, (ben, cleo) = await to_plays(peers)
            await ben.act({"type": "lay", "bank": banks[0]})
            await cleo.act({"type": "lay", "bank": 2})
            await settled()
            await gentleman.act({"type": "lay", "bank": 0})
            await settled()
            await gentleman.act({"type": "declare", "robs": True, "bank": 0})
            await settled()
            await ben.act({"type": "take_back"})
            await settled()
            await ben.act({"type": "lay", "bank": banks[1]})
            await settled()
            if late:
                xenia = await watching(host, table, "Yan")
            frames = [codec.pack(message) for message in xenia.got if isinstance(message, GameUpdate | GameHistory)]
            assert len(frames) > (1 if late else 7)
            return b"".join(frames).replace(match.encode(), b"M").replace(table.encode(), b"T")

    for late in (False, True):
        assert await received((1, 1), late=late) == await received((3, 0), late=late)


# Who may watch.


async def test_players_do_not_watch_their_own_table(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben, cleo = await host.playing(3)
        table = ana.table
        assert (await ben.refused(TableWatch, table=table)).code == errors.OWN_TABLE
        # A second connection is the same person, so the first one ends.
        again = await host.again(ben)
        assert (await again.refused(TableWatch, table=table)).code == errors.OWN_TABLE
        await cleo.do(TableLeave)
        assert (await cleo.refused(TableWatch, table=table)).code == errors.OWN_TABLE
        dora = await host.guest("Dora")
        other = (await dora.do(TableCreate, game="robby-solo"))["table"]
        assert (await dora.refused(TableWatch, table=table)).code == errors.ALREADY_SEATED
        assert (await ana.refused(TableWatch, table=other)).code == errors.ALREADY_SEATED
        await cleo.call(TableWatch, table=other)
        assert (await dora.refused(TableWatch, table="NOSUCH00")).code == errors.NO_SUCH_TABLE
        assert not again.all(GameHistory) or again.update.own is not None


async def test_a_spectator_does_nothing_that_players_do(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3)
        xenia = await watching(host, peers[0].table)
        told = len(peers[0].got)
        commands: list[tuple[type[Command], dict[str, Any]]] = [
            (Act, {"table": peers[0].table, "decision": 1, "action": {"type": "supply", "side": "left"}}),
            (TableLeave, {}),
            (TableReady, {"ready": True}),
            (TableStart, {}),
            (TableConfigure, {"title": "Mine"}),
            (TableAddBot, {"bot": "greedy"}),
            (TableKick, {"seat": 1, "name": "Ben"}),
            (TableHandOver, {"seat": 1, "name": "Ben"}),
            (TableClose, {}),
            (TableMute, {"name": "Ben", "on": True}),
        ]
        for kind, fields in commands:
            assert (await xenia.refused(kind, **fields)).code == errors.NOT_SEATED, kind
        assert len(peers[0].got) == told
        assert (await xenia.refused(TableJoin, table=peers[0].table)).code == errors.TABLE_PLAYING
        # A refused join ends nothing.
        (gentleman,) = [peer for peer in peers if peer.update.decision is not None]
        await gentleman.act({"type": "supply", "side": "left"})
        await settled()
        assert xenia.update.seq == gentleman.update.seq


async def test_a_table_that_nobody_may_watch(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        table = await sit_down([ana], spectators=False)
        xenia = await host.guest("Xenia")
        assert (await xenia.refused(TableWatch, table=table)).code == errors.SPECTATORS_FORBIDDEN
        assert not (await line(xenia, table) or {})["spectators"]
        await ana.do(TableConfigure, spectators=True)
        await xenia.do(TableWatch, table=table)
        await trio.sleep(1.1)
        assert ana.state.table.watchers == 1
        await ana.do(TableConfigure, spectators=False)
        assert xenia.last(TableClosed).code == errors.SPECTATORS_FORBIDDEN
        before = len(xenia.got)
        await ana.do(TableConfigure, title="Unseen")
        assert xenia.got[before:] == []
        assert (await xenia.refused(TableWatch, table=table)).code == errors.SPECTATORS_FORBIDDEN
        assert (await xenia.refused(ChatSend, table=table, text="x")).code == errors.NOT_WATCHING
        await trio.sleep(2)
        assert ana.state.table.watchers == 0


async def test_a_table_made_private_sends_its_spectators_away(autojump_clock: Any) -> None:
    async with running() as host:
        ana, _ben = await host.seated(2)
        xenia = await watching(host, ana.table)
        await ana.do(TableConfigure, private=True)
        assert xenia.last(TableClosed).code == errors.TABLE_PRIVATE
        assert (await xenia.refused(TableWatch, table=ana.table)).code == errors.TABLE_PRIVATE
        await xenia.do(TableWatch, table=ana.table, invite=ana.state.invite)
        # Who is in stays when code or password change.
        await ana.do(TableConfigure, new_invite=True, password_key=b"k" * 32)
        assert len(xenia.all(TableClosed)) == 1
        assert xenia.state.table == ana.state.table


async def test_who_comes_to_a_private_table_before_its_old_spectators_leave_it_stays(autojump_clock: Any) -> None:
    async with running() as host:
        ana, _ben = await host.seated(2, delay_s=DELAY)
        xenia = await watching(host, ana.table)
        await ana.do(TableConfigure, private=True)
        yan = await host.guest("Yan")
        await yan.do(TableWatch, table=ana.table, invite=ana.state.invite)
        assert not xenia.all(TableClosed)
        await trio.sleep(DELAY + 2)
        assert xenia.last(TableClosed).code == errors.TABLE_PRIVATE
        assert not yan.all(TableClosed)
        await ana.do(TableConfigure, title="Ours")
        await trio.sleep(DELAY + 2)
        assert yan.state.table.title == "Ours"
        assert xenia.state.table.title == ""


async def test_no_more_watch_than_may(autojump_clock: Any) -> None:
    async with running(Settings(spectators=2)) as host:
        ana, _ben = await host.seated(2)
        xenia, yan = await watching(host, ana.table), await watching(host, ana.table, "Yan")
        zoe = await host.guest("Zoe")
        assert (await zoe.refused(TableWatch, table=ana.table)).code == errors.TOO_MANY_WATCHERS
        await xenia.do(TableWatch, table=ana.table)  # again: nothing happens
        assert len(xenia.all(TableState)) <= 3
        await yan.drop()
        await settled()
        await zoe.call(TableWatch, table=ana.table)


async def test_one_watches_one_table_until_one_stops_or_sits_down(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        first, second = await sit_down([ana]), await sit_down([ben])
        xenia = await watching(host, first)
        await xenia.do(TableWatch, table=second)
        assert xenia.table == second
        await trio.sleep(2)
        assert (ana.state.table.watchers, ben.state.table.watchers) == (0, 1)
        before = len(xenia.got)
        await ana.do(TableConfigure, title="First")
        assert xenia.got[before:] == []
        assert await xenia.do(TableUnwatch) == {}
        assert (await xenia.refused(TableUnwatch)).code == errors.NOT_WATCHING
        await trio.sleep(2)
        assert ben.state.table.watchers == 0
        before = len(xenia.got)
        await ben.do(TableConfigure, title="Second")
        assert [type(message).__name__ for message in xenia.got[before:] if not _beat(message)] == []
        # Sitting down there, elsewhere, or at a table of one's own ends it.
        for sit in (
            partial(xenia.call, TableJoin, table=second),
            partial(xenia.call, TableJoin, table=first),
            partial(xenia.call, TableCreate, game="robby-solo"),
        ):
            await xenia.call(TableWatch, table=second)
            await sit()
            await settled()
            assert xenia.state.you is not None
            before = len(xenia.all(TableState))
            watched = ben.state.table
            await ben.do(TableConfigure, title=f"{watched.title}!")
            assert len(xenia.all(TableState)) - before == (1 if xenia.table == second else 0)
            await xenia.do(TableLeave)


def _beat(message: Message) -> bool:
    return type(message).__name__ in ("Ping", "Pong")


async def test_commands_right_after_a_watch_wait_for_it(autojump_clock: Any) -> None:
    async with running() as host:
        ana, _ben = await host.seated(2)
        xenia = await host.guest("Xenia")
        await xenia.send(
            TableWatch(id=101, table=ana.table),
            ChatSend(id=102, table=ana.table, text="hi"),
            TableUnwatch(id=103),
            ChatSend(id=104, table=ana.table, text="bye"),
        )
        for request in (101, 102, 103):
            await xenia.answer(request)
        await xenia.until(lambda: 104 in xenia.answers)
        assert getattr(xenia.answers[104][0], "code", None) == errors.NOT_WATCHING
        assert [said.text for said in ana.all(ChatSaid)] == ["hi"]


async def test_a_spectator_who_drops_is_gone_and_asks_anew(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3)
        table = peers[0].table
        xenia = await watching(host, table)
        await trio.sleep(2)
        assert peers[0].state.table.watchers == 1
        await xenia.drop()
        await trio.sleep(2)
        assert peers[0].state.table.watchers == 0
        again = await host.again(xenia)
        await settled()
        assert again.welcome is not None
        assert again.welcome.table is None
        assert not again.all(TableState)
        await again.do(TableWatch, table=table)
        assert (again.update.own, again.told()) == (None, peers[0].told())
        # Replaced by a newer connection: the older one watches no more, the newer one not by itself.
        newer = await host.again(again)
        await trio.sleep(2)
        assert peers[0].state.table.watchers == 0
        assert not newer.all(TableState)


async def test_comings_and_goings_are_told_once_a_second(autojump_clock: Any) -> None:
    async with running(Settings(message_burst=10**6)) as host:
        ana, _ben = await host.seated(2)
        xenia, yan = await host.guest("Xenia"), await host.guest("Yan")
        await yan.do(TableWatch, table=ana.table)
        await trio.sleep(2)
        before = len(ana.all(TableState))
        for _ in range(100):
            await xenia.call(TableWatch, table=ana.table)
            await xenia.call(TableUnwatch)
        await xenia.call(TableWatch, table=ana.table)
        await trio.sleep(2)
        assert len(ana.all(TableState)) - before <= 2
        assert ana.state.table.watchers == yan.state.table.watchers == 2


# A slow one.


async def test_a_spectator_who_does_not_read_holds_up_nobody(autojump_clock: Any) -> None:
    async with running(Settings(outbox_bytes=30_000)) as host:
        peers = await host.playing(4)
        xenia, yan = await watching(host, peers[0].table), await watching(host, peers[0].table, "Yan")
        xenia.stop_reading()
        async with trio.open_nursery() as nursery:
            for number, peer in enumerate(peers):
                nursery.start_soon(play, peer, random.Random(number))
        assert all(peer.over for peer in peers)
        assert yan.told() == peers[0].told()
        await trio.sleep(2)
        assert peers[0].state.table.watchers == 1


# The delay.


def shown(peer: Peer) -> list[tuple[float, object]]:
    """All that a client was told of its table, with the time; without what differs by receiver."""
    found: list[tuple[float, object]] = []
    for moment, message in zip(peer.times, peer.got, strict=True):
        if isinstance(message, TableState):
            found.append((moment, ("state", message.table, message.news)))
        elif isinstance(message, GameUpdate):
            found.append((moment, ("update", message.seq, codec.encode_public(message.public))))
        elif isinstance(message, ChatSaid):
            found.append((moment, ("said", message.name, message.text)))
        elif isinstance(message, TableClosed):
            found.append((moment, ("closed", message.code)))
    return found


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
        await settled()
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
