"""A consumer that is behind: the network never waits, memory is bounded, and the world has the whole story."""

import pytest
import trio
from trio.testing import MockClock

from robby_client.events import Connected, Ended, Lost, Received
from robby_client.inbox import NEWS_LIMIT, QUEUE_LIMIT, Inbox
from robby_client.signal import Signal
from robby_games.robby_solo import Laid
from robby_protocol.messages import GameUpdate, LobbyTables, TableClosed, TableNews, TableState, Welcome
from tests.client.fakes import FakeServer, table, table_state, update

WELCOME = Welcome(identity="me", name="Ana", ping_ms=5_000, silence_ms=25_000)


def news(number: int, table_id: str = "t1") -> TableState:
    return TableState(table=table(table=table_id), you=0, news=[TableNews(code="ready", seat=0, name=str(number))])


async def drain(inbox: Inbox) -> list[object]:
    inbox.put(Ended("stopped", ""))
    return [event async for event in inbox]


async def test_up_to_the_limit_nothing_is_dropped_and_the_order_stays() -> None:
    inbox = Inbox()
    sent = [Received(LobbyTables(tables=[], people=number)) for number in range(QUEUE_LIMIT - 1)]
    for event in sent:
        inbox.put(event)
    assert await drain(inbox) == [*sent, Ended("stopped", "")]


async def test_beyond_the_limit_the_newest_of_each_kind_stays_with_all_news() -> None:
    inbox = Inbox()
    inbox.put(Connected(WELCOME, resumed=False))
    inbox.put(Received(TableClosed(table="t0", code="kicked", text="")))
    for number in range(QUEUE_LIMIT * 3):
        inbox.put(Received(update(number)))
        inbox.put(Received(LobbyTables(tables=[], people=number)))
        inbox.put(Received(news(number)))
        inbox.put(Lost("connection_lost", "", number, 1.0))
        assert len(inbox._queue) <= QUEUE_LIMIT
    events = await drain(inbox)
    assert len(events) <= QUEUE_LIMIT + 1
    newest = {type(event.message): event.message for event in events if isinstance(event, Received)}
    closed, last_update, lobby, state = (newest[k] for k in (TableClosed, GameUpdate, LobbyTables, TableState))
    assert isinstance(closed, TableClosed)
    assert isinstance(last_update, GameUpdate)
    assert isinstance(lobby, LobbyTables)
    assert isinstance(state, TableState)
    assert last_update.seq == lobby.people == QUEUE_LIMIT * 3 - 1
    told = [
        int(one.name)
        for event in events
        if isinstance(event, Received) and isinstance(event.message, TableState)
        for one in event.message.news
    ]
    assert told == list(range(told[0], QUEUE_LIMIT * 3)), "the newest news, without a gap"
    assert len(told) >= NEWS_LIMIT
    assert isinstance(events[-1], Ended)


async def test_news_of_another_table_are_not_mixed_in() -> None:
    inbox = Inbox()
    for number in range(QUEUE_LIMIT):
        inbox.put(Received(news(number, "old")))
    inbox.put(Received(news(7, "new")))
    for _more in range(QUEUE_LIMIT):
        inbox.put(Received(update(1)))
    events = await drain(inbox)
    (state,) = [
        event.message for event in events if isinstance(event, Received) and isinstance(event.message, TableState)
    ]
    assert state.table.table == "new"
    assert [one.name for one in state.news] == ["7"]


async def test_after_the_end_nothing_is_added() -> None:
    inbox = Inbox()
    inbox.put(Ended("replaced", ""))
    inbox.put(Ended("stopped", ""))
    assert await inbox.__anext__() == Ended("replaced", "")
    for _again in range(2):
        with pytest.raises(StopAsyncIteration):
            await inbox.__anext__()


async def test_a_cancelled_consumer_loses_no_event(autojump_clock: MockClock) -> None:
    inbox = Inbox()
    for number in range(20):
        with trio.move_on_after(1):
            await inbox.__anext__()
            pytest.fail("there was nothing")
        inbox.put(Received(LobbyTables(tables=[], people=number)))
        event = await inbox.__anext__()
        assert event == Received(LobbyTables(tables=[], people=number))


async def test_a_consumer_that_sleeps_does_not_hold_up_the_network(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    total = 700
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        peer = await server.accept()
        await peer.welcome(table="t1")
        await peer.send(table_state())
        for number in range(total):
            await peer.send(update(number, first=number, events=[{"type": "laid", "seat": 0}]))
        await trio.testing.wait_all_tasks_blocked()
        game = client.world.game
        assert game is not None
        assert game.seq == total - 1
        assert game.events == [Laid(0)] * total, "the world has the whole story"
        client.stop()
    events = [event async for event in client.events]
    assert len(events) <= QUEUE_LIMIT + 1
    updates = [event.message for event in events if isinstance(event, Received)]
    assert isinstance(updates[-1], GameUpdate)
    assert updates[-1].seq == total - 1


async def test_a_signal_wakes_once_however_often_it_was_set(autojump_clock: MockClock) -> None:
    signal = Signal()
    signal.set()
    signal.set()
    await signal.wait()
    with trio.move_on_after(1):
        await signal.wait()
        pytest.fail("it was set once")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(signal.wait)
        await trio.testing.wait_all_tasks_blocked()
        signal.set()
