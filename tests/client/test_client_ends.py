"""How a client ends, and what our own mistakes and a server that breaks the protocol do to it."""

from typing import Any

import anyio
import pytest
import trio
from trio.testing import MockClock

from robby_client.client import Client, LoginPlan, NotConnected, Timings
from robby_client.codes import (
    CLIENT_FAULT,
    CONNECTION_LOST,
    SERVER_SILENT,
    STOPPED,
)
from robby_client.events import Connected, Ended, Lost, Received
from robby_client.link import MAX_WAITING
from robby_protocol import errors
from robby_protocol.messages import (
    Bye,
    Error,
    LobbyTables,
    LobbyWatch,
    Ok,
    TableJoin,
)
from tests.client.fakes import FakeServer, connected, next_event


async def test_stop_says_bye_after_what_was_asked_before(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)

        async def ask() -> None:
            with pytest.raises(NotConnected):
                await client.call(LobbyWatch, on=True)

        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        client.stop()
        client.stop()
        await peer.expect(LobbyWatch)
        await peer.expect(Bye)
        with pytest.raises(NotConnected):
            await client.call(LobbyWatch, on=True)
    assert trio.current_time() <= Timings().farewell, "a server that does not close is not waited for"


@pytest.mark.parametrize("moment", ["before", "dialling", "waiting", "handshake"])
async def test_stop_ends_it_at_any_moment(moment: str, autojump_clock: MockClock) -> None:
    server = FakeServer()
    server.up = moment == "handshake"

    async def dial_for_ever() -> Any:
        await trio.sleep_forever()

    client = Client(dial_for_ever, LoginPlan(name="Ana")) if moment == "dialling" else server.client()
    if moment == "before":
        client.stop()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        await trio.testing.wait_all_tasks_blocked()
        client.stop()
    events = [event async for event in client.events]
    assert isinstance(events[-1], Ended)
    assert events[-1].code == STOPPED
    assert trio.current_time() < 1


async def test_a_cancelled_run_still_ends_the_events(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        await connected(server, client, nursery)
        nursery.cancel_scope.cancel()
    assert isinstance(await next_event(client, Ended), Ended)
    with pytest.raises(StopAsyncIteration):
        await client.events.__anext__()


async def test_a_mistake_of_ours_is_a_loss_and_not_a_traceback(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)

        def broken(message: object) -> None:
            raise ZeroDivisionError("in\nthe world")

        with monkeypatch.context() as patch:
            patch.setattr(client.world, "apply", broken)
            await peer.send(LobbyTables(tables=[], people=1))
            assert (await next_event(client, Lost)).code == "client_fault"
        await (await server.accept()).welcome()
        await next_event(client, Connected)
        client.stop()
    assert len(caplog.records) == 1
    assert "\n" not in caplog.records[0].getMessage()


async def test_a_server_that_breaks_the_protocol_is_left_and_tried_again(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.stream.send(b"\xff\xff\xff\xff")
        assert (await next_event(client, Lost)).code == errors.FRAME_TOO_LARGE
        await (await server.accept()).welcome()
        await next_event(client, Connected)
        client.stop()


def test_the_same_under_asyncio() -> None:
    """The client runs in Textual's loop too: login, call, loss, resume and stop, on asyncio's own clock."""

    async def story() -> None:
        server = FakeServer()
        client = server.client(timings=Timings(first_wait=0.001))
        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                group.start_soon(client.run)
                peer = await server.accept()
                await peer.welcome()
                await next_event(client, Connected)
                group.start_soon(peer.answer, TableJoin, {"table": "t1", "seat": 0})
                assert (await client.call(TableJoin, table="t1"))["seat"] == 0
                await peer.close()
                assert (await next_event(client, Lost)).code == CONNECTION_LOST
                again = await server.accept()
                await again.welcome()
                assert (await next_event(client, Connected)).resumed
                client.stop()
                await again.expect(Bye)
                await again.close()
            assert (await next_event(client, Ended)).code == STOPPED

    anyio.run(story, backend="asyncio")


async def test_a_server_that_does_not_read_is_given_up(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        await connected(server, client, nursery)
        ours = server.streams[-1]

        async def never(item: bytes) -> None:
            await trio.sleep_forever()

        ours.send = never  # type: ignore[method-assign]

        async def ask() -> None:
            with pytest.raises(NotConnected) as lost:
                await client.call(TableJoin, table="t1")
            unsure.append(lost.value.unsure)

        unsure: list[bool] = []
        for _call in range(MAX_WAITING + 10):
            nursery.start_soon(ask)
        assert (await next_event(client, Lost)).code == SERVER_SILENT
        assert trio.current_time() < 25
        await trio.testing.wait_all_tasks_blocked()
        assert len(unsure) == MAX_WAITING + 10
        assert unsure.count(True) == 1, "only the first was given to the network"
        client.stop()


async def test_a_callback_that_fails_leaves_no_connection_behind(autojump_clock: MockClock) -> None:
    failures = [ZeroDivisionError()]

    def remember(greeting: object, welcome: object) -> None:
        if failures:
            raise failures.pop()

    server = FakeServer()
    client = server.client(on_welcome=remember)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        await (await server.accept()).welcome()
        assert (await next_event(client, Lost)).code == CLIENT_FAULT
        assert not client.connected
        assert server.streams[0].closed
        await (await server.accept()).welcome()
        await next_event(client, Connected)
        client.stop()


async def test_every_connection_is_closed_in_the_end(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.close()
        await next_event(client, Lost)
        await server.accept()  # says nothing: the handshake runs into its limit
        await next_event(client, Lost)
        await (await server.accept()).welcome()
        await next_event(client, Connected)
        client.stop()
    assert len(server.streams) == 3
    assert all(stream.closed for stream in server.streams)


async def test_a_client_runs_once(autojump_clock: MockClock) -> None:
    client = FakeServer().client()
    client.stop()
    await client.run()
    with pytest.raises(RuntimeError):
        await client.run()


async def test_what_is_no_answer_is_passed_on_and_a_stray_answer_ignored(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.send(Ok(re=4_711))
        await peer.send(Error(code=errors.INVALID_MESSAGE, text=""))
        assert isinstance((await next_event(client, Received)).message, Error)
        client.stop()


@pytest.mark.parametrize("moment", ["waiting", "connected"])
def test_stop_under_asyncio(moment: str) -> None:
    """Stopping from another task works there too, and a server that does not close is not waited for."""

    async def story() -> None:
        server = FakeServer()
        server.up = moment == "connected"
        client = server.client(timings=Timings(farewell=0.05))
        with anyio.fail_after(5):
            async with anyio.create_task_group() as group:
                group.start_soon(client.run)
                if moment == "connected":
                    await (await server.accept()).welcome()
                await client.events.__anext__()
                client.stop()
            events = [event async for event in client.events]
        assert isinstance(events[-1], Ended)
        assert events[-1].code == STOPPED

    anyio.run(story, backend="asyncio")
