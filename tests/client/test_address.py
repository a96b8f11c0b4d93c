"""Addresses as people write them, and the plain codes of connections that do not come about."""

import socket
from typing import Any

import anyio
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from robby_client import dial
from robby_client.address import DEFAULT_PORT, Address, AddressError
from robby_client.codes import CONNECTION_REFUSED, HOST_NOT_FOUND, TIMED_OUT, UNREACHABLE
from robby_client.dial import DialError, tcp


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("localhost", "localhost", DEFAULT_PORT),
        (" example.org:7000 ", "example.org", 7_000),
        ("192.168.1.5", "192.168.1.5", DEFAULT_PORT),
        ("my-pi_2.local", "my-pi_2.local", DEFAULT_PORT),
        ("example.org.", "example.org.", DEFAULT_PORT),
        ("::1", "::1", DEFAULT_PORT),
        ("[::1]", "::1", DEFAULT_PORT),
        ("[::1]:65535", "::1", 65_535),
        ("fe80::1%eth0", "fe80::1%eth0", DEFAULT_PORT),
        ("bücher.example", "xn--bcher-kva.example", DEFAULT_PORT),
    ],
)
def test_an_address_is_read_and_written_again(text: str, host: str, port: int) -> None:
    address = Address.parse(text)
    assert address == Address(host, port)
    assert Address.parse(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "host:",
        "host:0",
        "host:65536",
        "host:x",
        "host:７６２２",
        "[::1",
        "[::1]7622",
        "[host]:1",
        "1:2:3",
        "::1%",
        "::1%a b",
        "ho st",
        "a..b",
        "-x",
        "x-",
        "a" * 64,
        "a." * 130,
        "host\x1b[2J",
        "host\nhost",
        "http://x",
        "\u200b",
        "é" * 300,
    ],
)
def test_what_is_no_address_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(AddressError) as refused:
        Address.parse(text)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("text", ["http://example.org", "https://example.org:7622/", "tcp://[::1]"])
def test_an_address_of_the_web_is_told_to_leave_its_beginning_out(text: str) -> None:
    with pytest.raises(AddressError, match="://"):
        Address.parse(text)


@given(st.text(max_size=30))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        address = Address.parse(text)
    except AddressError:
        return
    assert Address.parse(str(address)) == address


async def test_connects_over_tcp() -> None:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listener.socket.getsockname()[1]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_echo, listener)
        stream = await tcp(Address("127.0.0.1", port))()
        await stream.send(b"hello")
        assert await stream.receive() == b"hello"
        await stream.aclose()
    await listener.aclose()


async def _echo(listener: trio.SocketListener) -> None:
    async with await listener.accept() as stream:
        await stream.send_all(await stream.receive_some())


async def test_a_port_where_nobody_listens_is_refused() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        with pytest.raises(DialError) as failed:
            await tcp(Address("127.0.0.1", held.getsockname()[1]))()
    assert failed.value.code == CONNECTION_REFUSED
    assert failed.value.text


class Resolver(trio.abc.HostnameResolver):
    """Knows these addresses for every name; none: the name does not exist."""

    def __init__(self, *addresses: tuple[socket.AddressFamily, str]) -> None:
        self.addresses = addresses

    async def getaddrinfo(
        self,
        host: Any,
        port: Any,
        family: int = 0,
        type: int = 0,  # noqa: A002
        proto: int = 0,
        flags: int = 0,
    ) -> Any:
        if not self.addresses:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(family, socket.SOCK_STREAM, 6, "", (address, port)) for family, address in self.addresses]

    async def getnameinfo(self, sockaddr: Any, flags: int) -> Any:
        raise NotImplementedError


class DeadSocket:
    """A socket to an address that swallows everything."""

    state = "new"

    def setsockopt(self, *args: object) -> None:
        pass

    async def connect(self, address: object) -> None:
        self.state = "connecting"
        await trio.sleep_forever()

    def close(self) -> None:
        self.state = "closed"


async def test_a_name_that_does_not_exist() -> None:
    trio.socket.set_custom_hostname_resolver(Resolver())
    with pytest.raises(DialError) as failed:
        await tcp(Address("nowhere.invalid"))()
    assert failed.value.code == HOST_NOT_FOUND


async def test_a_name_with_a_dead_ipv6_address_is_in_over_ipv4_within_two_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The IPv6 address swallows everything; real sockets, so no fake clock."""
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listener.socket.getsockname()[1]
    addresses = [(socket.AF_INET6, "2001:db8::1"), (socket.AF_INET, "127.0.0.1")]
    trio.socket.set_custom_hostname_resolver(Resolver(*addresses))
    real = trio.socket.socket
    dead: list[DeadSocket] = []

    def make(family: int = socket.AF_INET, *args: Any) -> Any:
        if family != socket.AF_INET6:
            return real(family, *args)
        dead.append(DeadSocket())
        return dead[-1]

    monkeypatch.setattr(trio.socket, "socket", make)
    began = trio.current_time()
    stream = await tcp(Address("both.example", port))()
    assert trio.current_time() - began < 2
    assert [one.state for one in dead] == ["closed"], "IPv6 was tried first, and given up"
    await stream.aclose()
    await listener.aclose()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (socket.gaierror(socket.EAI_NONAME, ""), HOST_NOT_FOUND),
        (ConnectionRefusedError(111, ""), CONNECTION_REFUSED),
        (TimeoutError(110, ""), TIMED_OUT),
        (OSError(101, "Network is unreachable"), UNREACHABLE),
        (OSError("without a number"), UNREACHABLE),
        (UnicodeError("label too long"), HOST_NOT_FOUND),
    ],
)
async def test_every_failure_has_a_code(error: Exception, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(anyio, "connect_tcp", fail)
    with pytest.raises(DialError) as failed:
        await tcp(Address("example.org"))()
    assert failed.value.code == code


async def test_of_several_addresses_failures_the_one_that_says_most_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*args: object, **kwargs: object) -> None:
        causes = [OSError(101, "Network is unreachable"), ConnectionRefusedError(111, "refused")]
        raise OSError("All connection attempts failed") from ExceptionGroup("several", causes)

    monkeypatch.setattr(anyio, "connect_tcp", fail)
    with pytest.raises(DialError) as failed:
        await tcp(Address("example.org"))()
    assert failed.value.code == CONNECTION_REFUSED


async def test_nobody_waits_for_the_systems_own_limit(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    async def hang(*args: object, **kwargs: object) -> None:
        await trio.sleep_forever()

    monkeypatch.setattr(anyio, "connect_tcp", hang)
    with pytest.raises(DialError) as failed:
        await tcp(Address("example.org"))()
    assert failed.value.code == TIMED_OUT
    assert trio.current_time() == dial.DIAL_TIMEOUT
