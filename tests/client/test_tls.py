"""The client by TLS, over real TCP: every fault of a certificate or a connection has its own code within seconds."""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import trio

from robby_client import codes, dial
from robby_client.address import Address
from robby_client.client import Client, LoginPlan
from robby_client.dial import DialError, TlsPlan, tcp
from robby_client.events import Connected, Ended
from robby_protocol import errors
from robby_server.listeners import open_listeners
from robby_server.tls import Tls
from tests.certificates import DAY, Made, authority, server
from tests.client.fakes import next_event
from tests.server.kit import Host, running

LIMIT = 5.0
"""Seconds within which a person is told what is wrong."""
CA = authority()


@pytest.fixture
def ca(tmp_path: Path) -> Path:
    path = tmp_path / "ca.pem"
    path.write_bytes(CA.pem)
    return path


@asynccontextmanager
async def serving(folder: Path, made: Made | None) -> AsyncIterator[tuple[Host, Address]]:
    """A server with this certificate, or without TLS."""
    listeners = await open_listeners("127.0.0.1", 0)
    tls = None if made is None else Tls(*made.write(folder))
    async with running(listeners=listeners, tls=tls) as host:
        yield host, Address("127.0.0.1", listeners[0].getsockname()[1])


async def outcome(address: Address, tls: TlsPlan | None) -> str:
    """The code with which a first try ends; "" if it logs in."""
    client = Client(tcp(address, tls), LoginPlan(name="Ana"), first_try_fatal=True)
    with trio.fail_after(LIMIT):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.run)
            event = await anext(client.events)
            client.stop()
    assert isinstance(event, Connected | Ended)
    return event.code if isinstance(event, Ended) else ""


async def test_a_trusted_certificate_leads_to_a_welcome(tmp_path: Path, ca: Path) -> None:
    async with serving(tmp_path, server(by=CA)) as (_host, address):
        assert await outcome(address, TlsPlan(ca)) == ""
        assert await outcome(address, TlsPlan(ca, name="localhost")) == ""


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (lambda: server(by=CA, begins=-9 * DAY, ends=-DAY), codes.TLS_EXPIRED),
        (lambda: server(by=CA, begins=DAY, ends=9 * DAY), codes.TLS_NOT_YET_VALID),
        (lambda: server(), codes.TLS_SELF_SIGNED),
        (lambda: server(by=authority("Another")), codes.TLS_UNKNOWN_CA),
        (lambda: server("robby.example", by=CA), codes.TLS_WRONG_NAME),
        (lambda: server("127.0.0.2", by=CA), codes.TLS_WRONG_NAME),
        (lambda: server(by=server(by=CA)), codes.TLS_UNKNOWN_CA),
    ],
    ids=["expired", "not yet valid", "self-signed", "unknown authority", "name", "address", "by no authority"],
)
async def test_a_certificate_that_cannot_be_trusted_is_named(
    tmp_path: Path, ca: Path, made: Callable[[], Made], code: str
) -> None:
    async with serving(tmp_path, made()) as (host, address):
        assert await outcome(address, TlsPlan(ca)) == code
        assert host.server.tally.accepted == 1, "it was tried once, and never without TLS"


async def test_a_name_of_ones_own_is_looked_for_instead_of_the_host(tmp_path: Path, ca: Path) -> None:
    async with serving(tmp_path, server("robby.example", by=CA)) as (_host, address):
        assert await outcome(address, TlsPlan(ca, name="robby.example")) == ""
        assert await outcome(address, TlsPlan(ca, name="robby.test")) == codes.TLS_WRONG_NAME


async def test_the_dot_at_a_names_end_is_not_part_of_it(
    tmp_path: Path, ca: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, server("robby.example", by=CA)) as (_host, address):
        # No test asks the DNS.
        monkeypatch.setattr(dial.TcpDial, "_connect", partial(dial.TcpDial._connect, tcp(address)))
        assert await outcome(Address("robby.example.", address.port), TlsPlan(ca)) == ""
        assert await outcome(Address("robby.test", address.port), TlsPlan(ca)) == codes.TLS_WRONG_NAME


async def test_a_self_signed_certificate_is_trusted_by_its_own_file(tmp_path: Path) -> None:
    made = server()
    own = tmp_path / "own.pem"
    own.write_bytes(made.pem)
    async with serving(tmp_path, made) as (_host, address):
        assert await outcome(address, TlsPlan(own)) == ""


async def test_the_systems_authorities_are_asked_without_a_file_of_ones_own(tmp_path: Path) -> None:
    async with serving(tmp_path, server(by=CA)) as (_host, address):
        assert await outcome(address, TlsPlan()) == codes.TLS_UNKNOWN_CA


async def test_with_tls_to_a_server_without(tmp_path: Path, ca: Path) -> None:
    async with serving(tmp_path, None) as (host, address):
        assert await outcome(address, TlsPlan(ca)) == codes.TLS_NOT_OFFERED
        assert host.server.tally.accepted == 1, "it was tried once, and never without TLS"


async def test_without_tls_to_a_server_with(tmp_path: Path) -> None:
    async with serving(tmp_path, server(by=CA)) as (_host, address):
        assert await outcome(address, None) == errors.TLS_REQUIRED


@asynccontextmanager
async def answering(handle: Callable[[trio.SocketStream], Awaitable[None]]) -> AsyncIterator[Address]:
    """Something that is no Robby server."""
    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, handle, [listener])
        yield Address("127.0.0.1", listener.socket.getsockname()[1])
        nursery.cancel_scope.cancel()


async def test_without_tls_to_another_tls_server(tmp_path: Path) -> None:
    async def alert(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        await stream.send_all(b"\x15\x03\x01\x00\x02\x02\x46")

    async with answering(alert) as address:
        assert await outcome(address, None) == errors.TLS_REQUIRED


async def test_a_server_that_stops_in_the_handshake(tmp_path: Path, ca: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert dial.TLS_TIMEOUT < LIMIT
    monkeypatch.setattr(dial, "TLS_TIMEOUT", 0.2)

    async def silent(stream: trio.SocketStream) -> None:
        while await stream.receive_some():
            pass

    async with answering(silent) as address:
        assert await outcome(address, TlsPlan(ca)) == codes.TLS_TIMED_OUT


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (b"", codes.TLS_NOT_OFFERED),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", codes.TLS_NOT_OFFERED),
        (b"SSH-2.0-x\r\n", codes.TLS_NOT_OFFERED),
        (b"\x15\x03\x01\x00\x02\x02\x46", codes.TLS_FAILED),
    ],
    ids=["closes", "HTTP", "SSH", "alert"],
)
async def test_what_is_no_tls_server_is_told_apart(ca: Path, said: bytes, code: str) -> None:
    async def answer(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        if said:
            await stream.send_all(said)
        await stream.send_eof()
        await stream.receive_some()

    async with answering(answer) as address:
        assert await outcome(address, TlsPlan(ca)) == code


@pytest.mark.parametrize("content", [None, b"", b"nothing", b"\xff\x00"])
async def test_a_file_of_authorities_that_cannot_be_used_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "authorities.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DialError) as refused:
        await tcp(Address("127.0.0.1", 1), TlsPlan(path))()
    assert refused.value.code == codes.TLS_CA_UNREADABLE
    assert path.name in refused.value.text


async def test_a_client_comes_back_by_tls_when_the_certificate_was_replaced(tmp_path: Path, ca: Path) -> None:
    async with serving(tmp_path, server(by=CA)) as (host, address), trio.open_nursery() as nursery:
        client = Client(tcp(address, TlsPlan(ca)), LoginPlan(name="Ana"))
        nursery.start_soon(client.run)
        with trio.fail_after(LIMIT):
            first = await next_event(client, Connected)
            host.server.tls = Tls(*server(by=CA).write(tmp_path, "new"))
            (session,) = host.server.sessions
            session.end(errors.TOO_SLOW, reconnect=True)
            async for again in client.events:
                if isinstance(again, Connected):
                    break
            assert isinstance(again, Connected)
            assert again.welcome.identity == first.welcome.identity
            client.stop()


def test_old_tls_is_never_spoken() -> None:
    assert dial.trust(None).minimum_version >= ssl.TLSVersion.TLSv1_2
    assert dial.trust(None).verify_mode is ssl.CERT_REQUIRED
    assert dial.trust(None).check_hostname
