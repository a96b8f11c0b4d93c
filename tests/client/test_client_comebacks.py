"""A client that loses its server: resume, growing waits, silence, farewells. Fake clock, no sockets."""

import itertools
import random

import pytest
import trio
from trio.testing import MockClock

from robby_client.codes import (
    CONNECTION_LOST,
    CONNECTION_REFUSED,
    SERVER_SILENT,
)
from robby_client.events import Connected, Ended, Lost, Received
from robby_protocol import errors
from robby_protocol.messages import (
    Goodbye,
    Ping,
    Pong,
)
from tests.client.fakes import FakeServer, connected, next_event


async def _refused_text() -> str:
    from robby_client.codes import text_for

    return text_for(CONNECTION_REFUSED)


async def test_first_try_fatal_ends_it_and_otherwise_it_goes_on(autojump_clock: MockClock) -> None:
    server = FakeServer()
    server.up = False
    client = server.client(first_try_fatal=True)
    await client.run()
    assert await next_event(client, Ended) == Ended(CONNECTION_REFUSED, (await _refused_text()))
    patient = server.client()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(patient.run)
        for attempt in range(1, 6):
            lost = await next_event(patient, Lost)
            assert (lost.code, lost.attempt) == (CONNECTION_REFUSED, attempt)
        server.up = True
        await (await server.accept()).welcome()
        await next_event(patient, Connected)
        patient.stop()


async def test_five_minutes_away_the_waits_grow_stay_below_thirty_seconds_and_it_comes_back(
    autojump_clock: MockClock,
) -> None:
    server = FakeServer()
    client = server.client(rng=random.Random(1))
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        server.up = False
        await peer.close()
        began = trio.current_time()
        waits = []
        while trio.current_time() < began + 300:
            lost = await next_event(client, Lost)
            waits.append(lost.retry_in)
            await trio.sleep(lost.retry_in)
        assert waits[0] <= 0.5
        assert all(wait <= 30 for wait in waits)
        growing = [wait for wait in waits if wait < 15]
        assert growing == sorted(growing)
        assert max(waits) > 15
        assert len(set(waits)) == len(waits), "jittered"
        gaps = [later - earlier for earlier, later in itertools.pairwise(server.dials[1:])]
        assert gaps == pytest.approx(waits[1 : len(gaps) + 1])
        server.up = True
        again = await server.accept()
        assert trio.current_time() < began + 300 + 61
        await again.welcome()
        while not isinstance(event := await client.events.__anext__(), Connected):
            assert isinstance(event, Lost)
        assert event.resumed
        assert again.login.resume == b"token"
        client.stop()


async def test_two_clients_do_not_come_back_in_the_same_moment() -> None:
    from robby_client.backoff import Backoff

    one, two = Backoff(0.5, 30, random.Random(1)), Backoff(0.5, 30, random.Random(2))
    assert [one.next() for _try in range(8)] != [two.next() for _try in range(8)]


async def test_a_server_that_lets_in_and_drops_at_once_is_not_hammered(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        for _try in range(8):
            peer = await server.accept()
            await peer.welcome()
            await next_event(client, Connected)
            await peer.close()
            await next_event(client, Lost)
        assert server.dials[-1] - server.dials[-2] > 10
        peer = await server.accept()
        await peer.welcome()
        await next_event(client, Connected)
        for _second in range(4):
            await trio.sleep(5)
            await peer.send(Ping(n=1))
        await peer.close()
        assert (await next_event(client, Lost)).retry_in <= 0.5, "a connection that held makes the waits begin anew"
        client.stop()


async def test_a_silent_server_is_noticed_within_thirty_seconds(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        peer.stream.stalled = True
        began = trio.current_time()
        lost = await next_event(client, Lost)
        assert lost.code == SERVER_SILENT
        assert 24 <= trio.current_time() - began <= 30
        await (await server.accept()).welcome()
        assert (await next_event(client, Connected)).resumed
        client.stop()


async def test_heartbeats_go_both_ways_and_keep_a_quiet_connection(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        for number in range(30):
            ping = await peer.expect(Ping)
            await peer.send(Pong(n=ping.n))
            await peer.send(Ping(n=number))
            assert (await peer.expect(Pong)).n == number
        assert trio.current_time() >= 100
        assert client.connected
        client.stop()


async def test_replaced_ends_it_even_if_it_says_to_come_back(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.send(Goodbye(code=errors.REPLACED, text="elsewhere", reconnect=True))
        assert isinstance((await next_event(client, Received)).message, Goodbye)
        assert (await next_event(client, Ended)).code == errors.REPLACED
    assert len(server.dials) == 1


@pytest.mark.parametrize("reconnect", [True, False])
async def test_goodbye_says_whether_to_come_back(reconnect: bool, autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.send(Goodbye(code=errors.SERVER_STOPPING, text="", reconnect=reconnect))
        await next_event(client, Received)
        event = await client.events.__anext__()
        assert isinstance(event, Lost if reconnect else Ended)
        assert event.code == errors.SERVER_STOPPING
        client.stop()


async def test_without_reconnect_any_loss_ends_it(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client(reconnect=False)
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.close()
        assert (await next_event(client, Ended)).code == CONNECTION_LOST
