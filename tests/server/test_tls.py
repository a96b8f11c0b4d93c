"""TLS at the server, over real TCP: the certificate and its faults, peers that stop or come without, replacing it."""

import os
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import trio
import trio.testing
from structlog.testing import capture_logs

from robby_protocol import errors
from robby_protocol.messages import Goodbye, Hello, LobbyList, Refused
from robby_server.listeners import open_listeners
from robby_server.settings import Settings
from robby_server.tls import Tls, TlsError
from tests.certificates import DAY, Made, authority, server
from tests.server.kit import Host, Peer, begin, play_all, running, sit_down

LIMIT = 20.0
"""Seconds that a real run may take; most take well below one."""
CA = authority()


def trusting(made: Made = CA) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=made.pem.decode())


async def by_tls(port: int, context: ssl.SSLContext | None = None) -> trio.SSLStream[trio.SocketStream]:
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    return trio.SSLStream(stream, context or trusting(), server_hostname="127.0.0.1", https_compatible=True)


class Place:
    """A serving server with TLS, and where."""

    def __init__(self, host: Host, port: int) -> None:
        self.host = host
        self.port = port

    async def guest(self, name: str) -> Peer:
        return await self.host.guest(name, stream=await by_tls(self.port))


@asynccontextmanager
async def serving(folder: Path, settings: Settings | None = None) -> AsyncIterator[Place]:
    tls = Tls(*server(by=CA).write(folder))
    listeners = await open_listeners("127.0.0.1", 0)
    with trio.fail_after(LIMIT):
        async with running(settings, listeners=listeners, tls=tls) as host:
            yield Place(host, listeners[0].getsockname()[1])


# Files.


def test_a_good_pair_is_taken_without_a_word(tmp_path: Path) -> None:
    made = server(by=CA)
    tls = Tls(*made.write(tmp_path))
    assert tls.warnings == []
    assert tls.until == made.certificate.not_valid_after_utc
    assert tls.context.minimum_version == ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize("which", ["certificate", "key"])
@pytest.mark.parametrize("content", [None, b"", b"\x00" * 99, b"-----BEGIN CERTIFICATE-----\nAAAA\n"])
def test_a_file_that_is_missing_or_something_else_is_named(tmp_path: Path, which: str, content: bytes | None) -> None:
    certificate, key = server().write(tmp_path)
    damaged = certificate if which == "certificate" else key
    damaged.unlink()
    if content is not None:
        damaged.write_bytes(content)
    with pytest.raises(TlsError) as refused:
        Tls(certificate, key)
    assert str(damaged) in str(refused.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_key_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    certificate, key = server().write(tmp_path)
    key.chmod(0)
    with pytest.raises(TlsError, match=r"server\.key"):
        Tls(certificate, key)


def test_a_folder_instead_of_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TlsError) as refused:
        Tls(tmp_path, tmp_path)
    assert str(tmp_path) in str(refused.value)


def test_a_key_of_another_certificate_is_refused_with_both_names(tmp_path: Path) -> None:
    certificate, _key = server().write(tmp_path, "one")
    _certificate, key = server().write(tmp_path, "two")
    with pytest.raises(TlsError) as refused:
        Tls(certificate, key)
    assert str(certificate) in str(refused.value)
    assert str(key) in str(refused.value)


def test_a_chain_in_the_wrong_order_is_told_apart(tmp_path: Path) -> None:
    made = server(by=CA)
    certificate, key = made.write(tmp_path)
    certificate.write_bytes(made.pem + CA.pem)
    Tls(certificate, key)
    certificate.write_bytes(CA.pem + made.pem)
    with pytest.raises(TlsError, match="first"):
        Tls(certificate, key)


def test_a_locked_key_is_refused_with_the_command_that_unlocks_it(tmp_path: Path) -> None:
    certificate, key = server().write(tmp_path, passphrase=b"secret")
    with pytest.raises(TlsError, match="openssl pkey"):
        Tls(certificate, key)


@pytest.mark.parametrize(
    ("begins", "ends", "warnings"),
    [
        (-9 * DAY, -DAY, 1),
        (DAY, 9 * DAY, 1),
        (-DAY, 13 * DAY, 1),
        (-DAY, 16 * DAY, 0),
    ],
    ids=["expired", "not yet valid", "expires soon", "fresh"],
)
def test_a_certificate_out_of_its_time_is_served_with_a_warning(
    tmp_path: Path, begins: timedelta, ends: timedelta, warnings: int
) -> None:
    certificate, key = server(begins=begins, ends=ends).write(tmp_path)
    found = Tls(certificate, key).warnings
    assert len(found) == warnings
    assert all(str(certificate) in sentence for sentence in found)


def test_a_key_that_everybody_can_read_is_warned_of(tmp_path: Path) -> None:
    certificate, key = server().write(tmp_path)
    key.chmod(0o644)
    assert len(Tls(certificate, key).warnings) == 1


def test_what_a_certificate_is_for(tmp_path: Path) -> None:
    assert Tls(*server("::1", "robby.example").write(tmp_path)).names == ["robby.example", "::1"]


# Connections.


async def test_a_whole_game_by_tls_and_a_farewell_at_the_end(tmp_path: Path) -> None:
    async with serving(tmp_path) as place:
        peers = [await place.guest(name) for name in ("Ana", "Ben", "Cleo")]
        await sit_down(peers)
        for peer in peers:
            assert isinstance(peer.stream, trio.SSLStream)
            assert peer.stream.version() == "TLSv1.3"
        await begin(peers)
        await play_all(peers)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(place.host.server.stop)
            for peer in peers:
                await peer.until_closed()
                assert peer.last(Goodbye).code == errors.SERVER_STOPPING


async def test_a_client_without_tls_is_told_at_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as place:
        began = trio.current_time()
        peer = place.host.peer(await trio.open_tcp_stream("127.0.0.1", place.port))
        await peer.send(Hello(versions=[(1, 0)], client="test"))
        await peer.until_closed()
        assert peer.last(Refused).code == errors.TLS_REQUIRED
        assert trio.current_time() - began < 1


@pytest.mark.parametrize("first", [b"GET / HTTP/1.1\r\n\r\n", b"SSH-2.0-x\r\n", b"\xff" * 64])
async def test_a_stranger_without_tls_is_told_what_this_is(tmp_path: Path, first: bytes) -> None:
    async with serving(tmp_path) as place:
        peer = place.host.peer(await trio.open_tcp_stream("127.0.0.1", place.port))
        await peer.stream.send_all(first)
        await peer.until_closed()
        assert peer.last(Refused).code == errors.NOT_ROBBY


async def test_a_hundred_that_stop_in_the_handshake_delay_nobody_and_go(tmp_path: Path) -> None:
    async with serving(tmp_path, Settings(handshake_seconds=4, connections_per_address=200)) as place:
        hello = client_hello()
        async with AsyncExitStack() as stalled:
            for number in range(100):
                stream = await stalled.enter_async_context(await trio.open_tcp_stream("127.0.0.1", place.port))
                await stream.send_all(hello[: number * len(hello) // 100])
            guest = await place.guest("Ana")
            assert place.host.server.connections > 90, "nobody had to go before Ana could come"
            while place.host.server.connections > 1:
                await trio.testing.wait_all_tasks_blocked(0.05)
        await guest.call(LobbyList)


def client_hello() -> bytes:
    """What a TLS client says first."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    talk = trusting().wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
    with pytest.raises(ssl.SSLWantReadError):
        talk.do_handshake()
    return outgoing.read()


async def until_closed(stream: trio.abc.ReceiveStream) -> None:
    try:
        while await stream.receive_some(4096):
            pass
    except trio.BrokenResourceError:
        return  # closed with something unread


async def test_garbage_after_a_tls_hello_ends_that_connection_alone(tmp_path: Path) -> None:
    async with serving(tmp_path) as place:
        guest = await place.guest("Ana")
        with capture_logs() as logs:
            async with await trio.open_tcp_stream("127.0.0.1", place.port) as stream:
                await stream.send_all(b"\x16\x03\x01\x00\x05" + b"\xee" * 5)
                await until_closed(stream)
        assert [entry["event"] for entry in logs] == ["tls_failed"]
        await guest.call(LobbyList)


async def test_over_the_limit_by_tls_is_told_so(tmp_path: Path) -> None:
    async with serving(tmp_path, Settings(connections_per_address=1)) as place:
        await place.guest("Ana")
        second = place.host.peer(await by_tls(place.port))
        await second.until_closed()
        assert second.last(Refused).code == errors.SERVER_FULL


async def test_a_peer_that_does_not_read_is_dropped_in_time(tmp_path: Path) -> None:
    settings = Settings(farewell_seconds=0.2)
    async with serving(tmp_path, settings) as place:
        guest = await place.guest("Ana")
        guest.stop_reading()
        began = trio.current_time()
        await place.host.server.stop()
        assert trio.current_time() - began < settings.farewell_seconds + 1


async def test_a_peer_that_vanishes_without_tls_s_own_farewell_has_gone(tmp_path: Path) -> None:
    async with serving(tmp_path) as place:
        guest = await place.guest("Ana")
        assert isinstance(guest.stream, trio.SSLStream)
        await trio.aclose_forcefully(guest.stream.transport_stream)
        while place.host.server.connections:
            await trio.testing.wait_all_tasks_blocked(0.01)


async def test_a_new_certificate_is_shown_to_new_connections_and_drops_none(tmp_path: Path) -> None:
    other_ca = authority("Another authority")
    async with serving(tmp_path) as place:
        guest = await place.guest("Ana")
        place.host.server.tls = Tls(*server(by=other_ca).write(tmp_path, "new"))
        await guest.call(LobbyList)
        newcomer = await place.host.guest("Ben", stream=await by_tls(place.port, trusting(other_ca)))
        assert newcomer.welcome is not None
        distrusting = await by_tls(place.port)
        with pytest.raises(trio.BrokenResourceError):
            await distrusting.do_handshake()
        await trio.aclose_forcefully(distrusting)


async def test_tls_1_1_is_not_spoken(tmp_path: Path) -> None:
    async with serving(tmp_path) as place:
        context = trusting()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        old = await by_tls(place.port, context)
        await old.do_handshake()
        assert old.version() == "TLSv1.2"
        await trio.aclose_forcefully(old)
        raw = bytearray(client_hello())
        # Without the extension of the versions the record says which: 1.1.
        raw[9:11] = b"\x03\x02"
        at = bytes(raw).find(b"\x00\x2b")
        raw[at : at + 2] = b"\xfa\xfa"
        with capture_logs() as logs:
            async with await trio.open_tcp_stream("127.0.0.1", place.port) as stream:
                await stream.send_all(raw)
                await until_closed(stream)
        assert [(entry["event"], entry.get("reason")) for entry in logs] == [("tls_failed", "UNSUPPORTED_PROTOCOL")]
