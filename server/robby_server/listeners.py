"""Opening the listening sockets, and taking connections from them whatever goes wrong. Knows nothing of sessions."""

import errno
import os
import socket
import sys
from collections.abc import Callable, Sequence

import structlog
import trio

from robby_protocol.i18n import _
from robby_server.log import Throttle

BACKLOG = 512
"""Connections that the kernel keeps until they are accepted: all players of a full server, who come back at once."""
ACCEPT_GAP = 0.004
"""Seconds between two connections that are taken: each costs about a millisecond now and another at its end, and
hundreds that come in the same moment must not hold up the games."""
ACCEPT_PAUSE = 0.25
"""Seconds to wait when descriptors or memory have run out; others give theirs back meanwhile."""
PORT_TRIES = 20
"""How often a free port is looked for that is free for IPv4 and IPv6 alike."""

PORT_IN_USE = "port_in_use"
BAD_ADDRESS = "bad_address"
NO_PERMISSION = "no_permission"
CANNOT_LISTEN = "cannot_listen"

_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_NO_FAMILY = frozenset({errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT})

log = structlog.get_logger("robby.listener")


class CannotListen(OSError):  # noqa: N818 - reads as the sentence that it is
    """The server cannot listen there. code: one of the constants of this module; sentence: for a person."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


async def open_listeners(host: str | None, port: int) -> list[socket.socket]:
    """Listening sockets for a host name or address; None or "" for all addresses, IPv4 and IPv6 as there are.

    Port 0: a free port, the same for both families. Raises CannotListen.
    """
    if not 0 <= port <= 65535:
        raise CannotListen(BAD_ADDRESS, _("{port} is not a port. Use a number from 1 to 65535.").format(port=port))
    addresses = await _addresses(host, port)
    for attempt in range(PORT_TRIES):
        try:
            return _open_all(addresses, port, everywhere=not host)
        except OSError as error:
            if port == 0 and error.errno == errno.EADDRINUSE and attempt + 1 < PORT_TRIES:
                continue  # the free port of one family was taken in the other
            raise _explained(error, host, port) from error
    raise AssertionError("unreachable")


def address_of(sock: socket.socket) -> tuple[str, int]:
    """(address, port) that a socket is bound to."""
    name = sock.getsockname()
    return str(name[0]), int(name[1])


async def _addresses(host: str | None, port: int) -> list[tuple[socket.AddressFamily, str]]:
    if not host:
        return [(socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")]
    try:
        found = await trio.socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        sentence = _("{host} is not an address of this machine. Use one that is, or leave it out.").format(host=host)
        raise CannotListen(BAD_ADDRESS, sentence) from error
    unique: dict[tuple[socket.AddressFamily, str], None] = {}
    for family, _kind, _proto, _name, address in found:
        if family in (socket.AF_INET, socket.AF_INET6):
            unique[(family, str(address[0]))] = None
    return list(unique)


def _open_all(
    addresses: Sequence[tuple[socket.AddressFamily, str]], port: int, *, everywhere: bool
) -> list[socket.socket]:
    """All or none. Where the host was left out, or a name stands for several, a family that is missing is left out."""
    opened: list[socket.socket] = []
    missing: OSError | None = None
    try:
        for family, address in addresses:
            try:
                sock = _open(family, address, address_of(opened[0])[1] if opened else port)
            except OSError as error:
                if error.errno in _NO_FAMILY and (everywhere or len(addresses) > 1):
                    missing = error
                    continue
                raise
            opened.append(sock)
    except BaseException:  # also when cancelled: no socket may stay open
        for sock in opened:
            sock.close()
        raise
    if not opened:
        raise missing if missing is not None else OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
    return opened


def _open(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            # There SO_REUSEADDR would let two servers share the port.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # restart at once after a crash
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.setblocking(False)
        sock.bind((address, port))
        sock.listen(BACKLOG)
    except BaseException:  # whatever it was, it is raised again
        sock.close()
        raise
    return sock


def _explained(error: OSError, host: str | None, port: int) -> CannotListen:
    if error.errno == errno.EADDRINUSE:
        sentence = _("Port {port} is in use. Stop the other program, or choose another port.").format(port=port)
        return CannotListen(PORT_IN_USE, sentence)
    if error.errno in (errno.EACCES, errno.EPERM):
        sentence = _("Port {port} needs more rights than this user has. Choose a port above 1023.").format(port=port)
        return CannotListen(NO_PERMISSION, sentence)
    if error.errno in _NO_FAMILY or error.errno == errno.EINVAL:
        sentence = _("{host} is not an address of this machine. Use one that is, or leave it out.").format(host=host)
        return CannotListen(BAD_ADDRESS, sentence)
    return CannotListen(
        CANNOT_LISTEN, _("The server cannot listen on port {port}: {cause}.").format(port=port, cause=error.strerror)
    )


async def accept_forever(listener: socket.socket, take: Callable[[socket.socket, str], None]) -> None:
    """Hand each connection and its peer's address to `take`, until cancelled. Errors of accept never end it."""
    throttle = Throttle()
    while True:
        await trio.lowlevel.wait_readable(listener)
        try:
            sock, address = listener.accept()
        except (BlockingIOError, InterruptedError):
            continue
        except OSError as error:
            held = throttle.let("accept")
            if held is not None:
                log.warning("accept_failed", error=error.strerror, repeated=held)
            if error.errno in _EXHAUSTED:
                await trio.sleep(ACCEPT_PAUSE)
            else:
                await trio.lowlevel.checkpoint()  # the peer was gone before it was accepted
            continue
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a move is one small frame: send it now
        except OSError:
            sock.close()  # gone already
            continue
        take(sock, str(address[0]))
        await trio.sleep(ACCEPT_GAP)
