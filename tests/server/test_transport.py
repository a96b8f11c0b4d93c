"""Bytes over a real socket: sends that never wait, partial ones, peers that go, readers that stop."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import trio

from robby_protocol import errors
from robby_protocol.messages import Goodbye, LobbyList, TableConfigure
from robby_server.listeners import address_of, open_listeners
from robby_server.memory import memory_stream_pair
from robby_server.settings import Settings
from robby_server.transport import SocketTransport, StreamTransport
from tests.server.kit import Peer, running
from tests.server.test_tables import Big


@contextmanager
def pair() -> Iterator[tuple[SocketTransport, socket.socket]]:
    ours, theirs = socket.socketpair()
    for sock in (ours, theirs):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    transport = SocketTransport(ours, "test")
    try:
        yield transport, theirs
    finally:
        transport.close()
        theirs.close()


def read_all(sock: socket.socket) -> bytes:
    data = b""
    while piece := sock.recv(65536):
        data += piece
    return data


async def test_what_fits_is_sent_and_counted() -> None:
    with pair() as (transport, theirs):
        assert transport.try_send(b"hello") == 5
        assert theirs.recv(100) == b"hello"
        big = bytes(range(256)) * 4096
        sent = transport.try_send(big)
        assert 0 < sent < len(big)
        while more := transport.try_send(big[sent:]):
            sent += more
        assert transport.try_send(b"x") == 0
        transport.close()
        assert read_all(theirs) == big[:sent]


async def test_sending_all_waits_for_the_reader() -> None:
    with pair() as (transport, theirs):
        big = bytes(range(256)) * 4096
        async with trio.open_nursery() as nursery:
            nursery.start_soon(transport.send_all, big)
            received = b""
            with trio.fail_after(10):
                while len(received) < len(big):
                    await trio.lowlevel.wait_readable(theirs)
                    received += theirs.recv(65536)
        assert received == big


async def test_a_peer_that_has_gone() -> None:
    with pair() as (transport, theirs):
        theirs.close()
        with pytest.raises(trio.BrokenResourceError):
            transport.try_send(b"x")
        with pytest.raises(trio.BrokenResourceError):
            await transport.send_all(b"x")
        await transport.send_eof()
    with pair() as (transport, theirs):
        theirs.close()
        assert await transport.receive_some() == b""


async def test_a_closed_transport() -> None:
    with pair() as (transport, _theirs):
        transport.close()
        transport.close()
        with pytest.raises(trio.BrokenResourceError):
            transport.try_send(b"x")
        with pytest.raises(trio.ClosedResourceError):
            await transport.send_all(b"x")
        with pytest.raises(trio.ClosedResourceError):
            await transport.receive_some()
        await transport.send_eof()


async def test_closing_wakes_the_reader() -> None:
    with pair() as (transport, _theirs):
        async with trio.open_nursery() as nursery:

            async def read() -> None:
                with pytest.raises(trio.ClosedResourceError):
                    await transport.receive_some()

            nursery.start_soon(read)
            await trio.testing.wait_all_tasks_blocked()
            transport.close()


async def test_streams_always_take_the_writer() -> None:
    ours, theirs = memory_stream_pair()
    transport = StreamTransport(ours)
    assert transport.try_send(b"x") == 0
    await transport.send_all(b"x")
    assert await theirs.receive_some() == b"x"
    await transport.send_eof()
    assert await theirs.receive_some() == b""
    await transport.send_eof()
    transport.close()
    with pytest.raises(trio.ClosedResourceError):
        await transport.receive_some()


async def hanging(port: tuple[str, int], name: str) -> Peer:
    """A client over TCP with small buffers that reads nothing after its login."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(port)
    peer = Peer(trio.SocketStream(trio.socket.from_stdlib_socket(sock)))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.read)
        await peer.hello()
        await peer.login(name)
        peer.stop_reading()
    return peer


async def test_a_reader_that_stops_is_told_once_it_reads_again() -> None:
    """A frame was cut in the middle by the full socket: it is finished, and the last words can be read behind it."""
    listeners = await open_listeners("127.0.0.1", 0)
    settings = Settings(outbox_bytes=500_000, message_burst=10**6, farewell_seconds=5)
    async with running(settings, listeners=listeners) as host:
        for number in range(100):
            host.server.directory.add(Big(number, "waiting"))
        (ana,) = await host.seated(1)
        peer = await hanging(address_of(listeners[0]), "Ben")
        host.peers.append(peer)
        slow = next(session for session in host.server._sessions if session.who and session.who.name == "Ben")
        # It asks for much and takes nothing; meanwhile others are answered at once.
        with trio.fail_after(20):
            number = 0
            while not slow.ended:
                number += 1
                await peer.send(LobbyList(id=number))
                asked = trio.current_time()
                await ana.call(TableConfigure, title=f"{number}")
                assert trio.current_time() - asked < 2
        peer.read_on()
        host.nursery.start_soon(peer.read)
        with trio.fail_after(10):
            await peer.until_closed()
        assert peer.last(Goodbye).code == errors.TOO_SLOW
        assert peer.last(Goodbye).reconnect


async def test_a_stop_does_not_wait_for_a_reader_that_stopped() -> None:
    listeners = await open_listeners("127.0.0.1", 0)
    settings = Settings(stop_seconds=2, farewell_seconds=0.5)
    async with running(settings, listeners=listeners) as host:
        peers = await host.playing(3)
        stuck = await hanging(address_of(listeners[0]), "Stuck")
        began = trio.current_time()
        await host.server.stop()
        assert trio.current_time() - began <= settings.stop_seconds
        await peers[0].until_closed()
        assert peers[0].last(Goodbye).code == errors.SERVER_STOPPING
        await stuck.drop()


async def test_it_listens_again_at_once_after_a_stop() -> None:
    listeners = await open_listeners("127.0.0.1", 0)
    address = address_of(listeners[0])
    async with running(Settings(farewell_seconds=0.2), listeners=listeners) as host:
        ana = await host.guest("Ana", stream=await trio.open_tcp_stream(*address))
        await ana.call(LobbyList)
    again = await open_listeners(*address)
    async with running(listeners=again) as host:
        ben = await host.guest("Ben", stream=await trio.open_tcp_stream(*address))
        await ben.call(LobbyList)
        await ben.drop()
