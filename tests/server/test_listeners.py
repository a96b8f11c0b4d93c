"""Listening: both families, port 0, what cannot be had, restart at once, and accepting whatever goes wrong."""

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import trio
import trio.lowlevel
from structlog.testing import capture_logs

from robby_server import listeners
from robby_server.addresses import household
from robby_server.listeners import (
    BAD_ADDRESS,
    CANNOT_LISTEN,
    NO_PERMISSION,
    PORT_IN_USE,
    CannotListen,
    accept_forever,
    address_of,
    open_listeners,
)


@contextmanager
def closing(sockets: list[socket.socket]) -> Iterator[list[socket.socket]]:
    try:
        yield sockets
    finally:
        for sock in sockets:
            sock.close()


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as sock:
            sock.bind(("::1", 0))
    except OSError:
        return False
    return True


async def test_port_0_is_one_port_for_all_families() -> None:
    with closing(await open_listeners("localhost", 0)) as opened:
        assert {address_of(sock)[1] for sock in opened} == {address_of(opened[0])[1]}
        assert address_of(opened[0])[1] > 0


async def test_one_family_alone() -> None:
    with closing(await open_listeners("127.0.0.1", 0)) as opened:
        assert [sock.family for sock in opened] == [socket.AF_INET]
    if has_ipv6():
        with closing(await open_listeners("::1", 0)) as opened:
            assert [sock.family for sock in opened] == [socket.AF_INET6]


async def test_all_addresses_without_ipv6(monkeypatch: pytest.MonkeyPatch) -> None:
    real = listeners._open

    def no_ipv6(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
        if family == socket.AF_INET6:
            raise OSError(errno.EAFNOSUPPORT, "no")
        return real(family, "127.0.0.1", port)

    monkeypatch.setattr(listeners, "_open", no_ipv6)
    with closing(await open_listeners(None, 0)) as opened:
        assert len(opened) == 1


async def test_a_port_that_one_family_has_taken_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    real = listeners._open
    asked: list[int] = []

    def taken_first(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
        if family == socket.AF_INET6:
            asked.append(port)
            raise OSError(errno.EADDRINUSE if len(asked) < 3 else errno.EAFNOSUPPORT, "no")
        return real(family, "127.0.0.1", port)

    monkeypatch.setattr(listeners, "_open", taken_first)
    with closing(await open_listeners("", 0)) as opened:
        assert len(asked) == 3
        assert address_of(opened[0])[1] == asked[-1]


async def refusal(host: str | None, port: int) -> CannotListen:
    with pytest.raises(CannotListen) as caught:
        await open_listeners(host, port)
    assert caught.value.sentence.endswith(".")
    return caught.value


async def test_a_port_in_use() -> None:
    with closing(await open_listeners("127.0.0.1", 0)) as opened:
        assert (await refusal("127.0.0.1", address_of(opened[0])[1])).code == PORT_IN_USE


async def test_addresses_that_are_not_ours() -> None:
    assert (await refusal("192.0.2.1", 0)).code == BAD_ADDRESS
    assert (await refusal("not an address", 0)).code == BAD_ADDRESS
    assert (await refusal("x" * 300, 0)).code == BAD_ADDRESS
    assert (await refusal("127.0.0.1", 70_000)).code == BAD_ADDRESS


@pytest.mark.parametrize(("number", "code"), [(errno.EACCES, NO_PERMISSION), (errno.EIO, CANNOT_LISTEN)])
async def test_other_causes(number: int, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> socket.socket:
        raise OSError(number, "no")

    monkeypatch.setattr(listeners, "_open", fail)
    assert (await refusal("127.0.0.1", 80)).code == code


async def test_restart_at_once() -> None:
    """A connection that the old server closed first stays in TIME_WAIT and must not keep the port."""
    with closing(await open_listeners("127.0.0.1", 0)) as opened:
        address = address_of(opened[0])
        with socket.create_connection(address) as client:
            await trio.lowlevel.wait_readable(opened[0])
            accepted, _address = opened[0].accept()
            accepted.close()
            assert client.recv(1) == b""
    with closing(await open_listeners(*address)) as opened:
        assert address_of(opened[0]) == address


class FailingListener:
    """A listener whose accept fails as told, then gives nothing."""

    def __init__(self, errors: list[OSError]) -> None:
        self.errors = errors
        self.accepts = 0

    def accept(self) -> tuple[socket.socket, Any]:
        self.accepts += 1
        if self.errors:
            raise self.errors.pop(0)
        raise BlockingIOError


async def test_accept_survives_and_does_not_spin(monkeypatch: pytest.MonkeyPatch, autojump_clock: Any) -> None:
    turns = 0

    async def always_readable(_: Any) -> None:
        nonlocal turns
        turns += 1
        if turns > 200:
            await trio.sleep(1_000)
        await trio.lowlevel.checkpoint()

    monkeypatch.setattr(trio.lowlevel, "wait_readable", always_readable)
    exhausted = [OSError(errno.EMFILE, "too many open files") for _ in range(40)]
    listener: Any = FailingListener([OSError(errno.ECONNABORTED, "gone"), *exhausted])
    began = trio.current_time()
    with capture_logs() as logs, trio.move_on_after(20):
        await accept_forever(listener, lambda sock, address: None)
    assert listener.errors == []
    waited = 40 * listeners.ACCEPT_PAUSE
    assert trio.current_time() - began >= waited
    assert 1 <= len(logs) <= waited + 2


async def test_accepted_sockets_send_at_once() -> None:
    taken: list[socket.socket] = []
    with closing(await open_listeners("127.0.0.1", 0)) as opened:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(accept_forever, opened[0], lambda sock, address: taken.append(sock))
            stream = await trio.open_tcp_stream(*address_of(opened[0]))
            with trio.fail_after(5):
                while not taken:
                    await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()
            await stream.aclose()
    assert taken[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    taken[0].close()


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("somewhere", "somewhere"),
    ],
)
def test_what_counts_as_one_address(address: str, counted: str) -> None:
    assert household(address) == counted
