"""Calls and acts: one answer each, sent once, never kept for later. Fake clock, no sockets."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from robby_client.client import NotConnected, Refused
from robby_client.events import Connected, Ended, Lost, Received
from robby_games.robby_solo import Lay
from robby_protocol import errors
from robby_protocol.messages import (
    Act,
    Decision,
    Error,
    Goodbye,
    LobbyTables,
    LobbyWatch,
    Message,
    Ok,
    TableJoin,
    TableLeave,
)
from tests.client.fakes import FakeServer, connected, next_event, table_state, update

LAY = [{"type": "lay", "bank": bank} for bank in range(4)]


async def test_a_call_returns_the_result_or_raises_the_refusal(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    results: list[Any] = []

    async def ask() -> None:
        results.append(await client.call(TableJoin, table="t1"))
        with pytest.raises(Refused) as refused:
            await client.call(TableJoin, table="t2")
        results.append((refused.value.code, refused.value.details))
        done.set()

    done = trio.Event()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        nursery.start_soon(ask)
        first = await peer.answer(TableJoin, {"table": "t1", "seat": 2})
        second = await peer.expect(TableJoin)
        assert first.id != second.id
        await peer.send(Error(re=second.id, code=errors.TABLE_FULL, text="full", details={"seats": 6}))
        await done.wait()
        assert results == [{"table": "t1", "seat": 2}, (errors.TABLE_FULL, {"seats": 6})]
        client.stop()


async def test_answers_find_their_calls_in_any_order(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    results: dict[str, Any] = {}

    async def ask(name: str) -> None:
        results[name] = (await client.call(TableJoin, table=name))["table"]

    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        async with trio.open_nursery() as calls:
            for name in ("a", "b", "c"):
                calls.start_soon(ask, name)
            commands = [await peer.expect(TableJoin) for _name in "abc"]
            for command in reversed(commands):
                await peer.send(Ok(re=command.id, result={"table": command.table}))
        assert results == {"a": "a", "b": "b", "c": "c"}
        client.stop()


async def test_a_call_without_a_connection_is_not_kept_for_later(autojump_clock: MockClock) -> None:
    server = FakeServer()
    server.up = False
    client = server.client()
    with pytest.raises(NotConnected) as early:
        await client.call(LobbyWatch, on=True)
    assert not early.value.unsure
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        await next_event(client, Lost)
        with pytest.raises(NotConnected):
            await client.call(TableJoin, table="t1")
        server.up = True
        peer = await server.accept()
        await peer.welcome()
        with trio.move_on_after(20):
            message = await peer.expect(TableJoin)
            pytest.fail(f"sent by surprise: {message}")
        client.stop()


async def test_a_call_whose_connection_is_lost_is_unsure_and_never_sent_again(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    unsure: list[bool] = []

    async def ask() -> None:
        with pytest.raises(NotConnected) as lost:
            await client.call(TableJoin, table="t1")
        unsure.append(lost.value.unsure)

    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        nursery.start_soon(ask)
        await peer.expect(TableJoin)
        await peer.close()
        await next_event(client, Lost)
        again = await server.accept()
        await again.welcome()
        await next_event(client, Connected)
        assert unsure == [True]
        with trio.move_on_after(20):
            message = await again.expect(TableJoin)
            pytest.fail(f"sent again: {message}")
        client.stop()


async def test_a_call_that_never_left_is_known_not_to_be_done(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    unsure: list[bool] = []

    async def ask() -> None:
        with pytest.raises(NotConnected) as lost:
            await client.call(TableJoin, table="t1")
        unsure.append(lost.value.unsure)

    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.close()
        # The end has not been seen yet: the call is taken, but its bytes find a closed stream.
        await ask()
        assert unsure in ([True], [False])
        client.stop()


async def test_a_call_too_long_for_the_protocol_is_refused_here(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        await connected(server, client, nursery)
        with pytest.raises(Refused) as refused:
            await client.call(TableJoin, table="x" * 100_000)
        assert refused.value.code == errors.FRAME_TOO_LARGE
        assert client.connected
        client.stop()


async def test_a_call_after_the_servers_last_word_is_not_connected(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    outcomes: list[type[Exception]] = []

    async def call() -> None:
        try:
            await client.call(TableJoin, table="t1")
        except (Refused, NotConnected) as error:
            outcomes.append(type(error))

    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        apply = client.world.apply

        def apply_and_call(message: Message) -> None:
            apply(message)
            nursery.start_soon(call)

        client.world.apply = apply_and_call  # type: ignore[method-assign]
        await peer.send(Goodbye(code=errors.SERVER_STOPPING, text="", reconnect=False))
        assert isinstance((await next_event(client, Received)).message, Goodbye)
        await next_event(client, Ended)
    assert outcomes == [NotConnected]


async def test_an_answer_that_cannot_be_read_ends_the_call(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)

        async def answer_badly() -> None:
            command = await peer.expect(TableJoin)
            body = b"\x83\xa4type\xa2ok\xa2re" + bytes([command.id]) + b"\xa6result\x07"
            await peer.stream.send(len(body).to_bytes(4, "big") + body)

        nursery.start_soon(answer_badly)
        with pytest.raises(Refused) as refused:
            await client.call(TableJoin, table="t1")
        assert refused.value.code == errors.INVALID_MESSAGE
        client.stop()


async def test_a_caller_that_gives_up_leaves_nothing_behind(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        with trio.move_on_after(1):
            await client.call(TableJoin, table="t1")
        command = await peer.expect(TableJoin)
        await peer.send(Ok(re=command.id))
        await peer.send(LobbyTables(tables=[], people=1))
        assert isinstance((await next_event(client, Received)).message, LobbyTables)
        client.stop()


async def test_act_answers_the_open_decision_once(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery, table="t1")
        await peer.send(table_state())
        await peer.send(update(1, decision=Decision(id=7, legal=LAY)))
        await next_event(client, Received)
        await next_event(client, Received)
        game = client.world.game
        assert game is not None
        with pytest.raises(Refused) as stale:
            await client.act(Lay(bank=2), decision=6)
        assert stale.value.code == errors.STALE_DECISION

        async def take() -> None:
            act = await peer.answer(Act, {"decision": 7})
            assert (act.table, act.decision, act.action) == ("t1", 7, {"type": "lay", "bank": 2})

        nursery.start_soon(take)
        await client.act(Lay(bank=2), decision=7)
        assert game.decision is None
        with pytest.raises(Refused) as nothing:
            await client.act(Lay(bank=2))
        assert nothing.value.code == errors.NO_DECISION
        client.stop()


async def test_a_refused_act_leaves_the_decision_open(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery, table="t1")
        await peer.send(table_state())
        await peer.send(update(1, decision=Decision(id=7, legal=LAY)))
        await next_event(client, Received)
        await next_event(client, Received)

        async def refuse() -> None:
            act = await peer.expect(Act)
            await peer.send(Error(re=act.id, code=errors.ILLEGAL_ACTION, text=""))

        nursery.start_soon(refuse)
        with pytest.raises(Refused):
            await client.act(Lay(bank=6))
        assert client.world.game is not None
        assert client.world.game.decision is not None
        client.stop()


async def test_after_a_resume_the_view_tells_whether_the_act_was_taken(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    outcome: list[bool] = []

    async def act() -> None:
        with pytest.raises(NotConnected) as lost:
            await client.act(Lay(bank=2))
        outcome.append(lost.value.unsure)

    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery, table="t1")
        await peer.send(table_state())
        await peer.send(update(1, decision=Decision(id=7, legal=LAY)))
        await next_event(client, Received)
        await next_event(client, Received)
        nursery.start_soon(act)
        await peer.expect(Act)
        await peer.close()
        await next_event(client, Lost)
        assert client.world.game is not None
        assert client.world.game.decision is None, "nothing can be answered without a connection"
        with pytest.raises(NotConnected):
            await client.act(Lay(bank=1))
        again = await server.accept()
        await again.welcome(table="t1")
        await again.send(table_state())
        await again.send(update(2, own={"seat": 0, "card": 2, "stack": []}))
        await next_event(client, Connected)
        await next_event(client, Received)
        await next_event(client, Received)
        assert outcome == [True]
        assert client.world.game.decision is None
        assert client.world.game.own.card == 2
        client.stop()


async def test_leaving_clears_the_table_the_moment_the_server_agrees(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery, table="t1")
        await peer.send(table_state())
        await next_event(client, Received)
        nursery.start_soon(peer.answer, TableLeave)
        await client.call(TableLeave)
        assert client.world.table is None
        client.stop()
