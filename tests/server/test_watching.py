"""Spectators: the public part alone, and who may watch what."""

import random
from functools import partial
from typing import Any

import trio

from robby_protocol import codec, errors
from robby_protocol.messages import (
    Act,
    ChatSaid,
    ChatSend,
    Command,
    GameHistory,
    GameUpdate,
    Message,
    TableAddBot,
    TableClose,
    TableClosed,
    TableConfigure,
    TableCreate,
    TableHandOver,
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
from tests.server.kit import begin, play, play_all, running, settled, sit_down
from tests.server.test_match import to_plays
from tests.server.watchers import DELAY, SHORT, line, publics, watching

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
