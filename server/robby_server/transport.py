"""Bytes to and from one peer, with a send that never waits.

Trio's streams have no public non-blocking send, and a writer task for every frame costs several times as much as the
send itself. So plain non-blocking sockets are driven through `trio.lowlevel` here. Streams (memory, TLS in `tls`) have
no `try_send`; for them everything goes through the session's writer. Knows nothing of frames or messages.
"""

import socket
import struct
import sys
from abc import ABC, abstractmethod

import trio

RECEIVE_BYTES = 64 * 1024
"""Read at most this much at once: one whole frame from a client."""

_MIN_RTT = struct.Struct("=148xI")
"""Where Linux's `struct tcp_info` has `tcpi_min_rtt`, the least round trip of the last minutes in microseconds."""
_UNMEASURED = frozenset({0, 0xFFFF_FFFF})


def kernel_round_trip(sock: socket.socket | trio.socket.SocketType) -> float | None:
    """The least round trip that the kernel itself has measured on a TCP connection, in seconds; None: not known.

    It is measured by the acknowledgements of the peer's kernel, which the peer's program cannot delay.
    """
    option = getattr(socket, "TCP_INFO", None) if sys.platform == "linux" else None
    if option is None:
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, option, _MIN_RTT.size)
    except OSError:
        return None  # closed, or no TCP connection
    if len(info) < _MIN_RTT.size:
        return None  # an older kernel
    (microseconds,) = _MIN_RTT.unpack(info)
    return None if microseconds in _UNMEASURED else microseconds / 1e6


class PlainPeer(Exception):  # noqa: N818 - what it says of the peer
    """The peer speaks without TLS where TLS is asked for. robby: it began as a Robby client does."""

    def __init__(self, *, robby: bool) -> None:
        super().__init__(robby)
        self.robby = robby


class Transport(ABC):
    """One connection. One task receives, one sends; `try_send` is for when none is sending."""

    address: str
    """The peer's address without its port; empty for peers inside the process."""

    async def open(self) -> None:
        """Do what has to be done before frames can be carried, however long the peer takes.

        Raises BrokenResourceError if that failed, and PlainPeer; then one answer can be sent without TLS.
        """
        await trio.lowlevel.checkpoint()

    @abstractmethod
    def try_send(self, data: bytes) -> int:
        """Send what can be sent at once. Returns how many bytes that was; 0 if none. Raises BrokenResourceError."""

    @abstractmethod
    async def send_all(self, data: bytes) -> None:
        """Send all, waiting as long as it takes. Raises BrokenResourceError or ClosedResourceError."""

    @abstractmethod
    async def receive_some(self) -> bytes:
        """At least one byte, or none at the peer's end of file. Raises BrokenResourceError or ClosedResourceError."""

    @abstractmethod
    async def send_eof(self) -> None:
        """Tell the peer that nothing more comes, where the transport can; errors are not raised."""

    def least_round_trip(self) -> float | None:
        """The least round trip that whoever carries the bytes has measured, in seconds; None: it has not."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Close at once. May be called again."""


class SocketTransport(Transport):
    """A TCP connection over a plain socket."""

    def __init__(self, sock: socket.socket, address: str) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._closed = False
        self.address = address

    def try_send(self, data: bytes) -> int:
        if self._closed:
            raise trio.BrokenResourceError
        try:
            return self._sock.send(data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as error:
            raise trio.BrokenResourceError from error

    async def send_all(self, data: bytes) -> None:
        view = memoryview(data)
        await trio.lowlevel.checkpoint()
        while view:
            if self._closed:
                raise trio.ClosedResourceError
            try:
                sent = self._sock.send(view)
            except (BlockingIOError, InterruptedError):
                await trio.lowlevel.wait_writable(self._sock)
            except OSError as error:
                raise trio.BrokenResourceError from error
            else:
                view = view[sent:]

    async def receive_some(self) -> bytes:
        await trio.lowlevel.checkpoint()
        while True:
            if self._closed:
                raise trio.ClosedResourceError
            try:
                return self._sock.recv(RECEIVE_BYTES)
            except (BlockingIOError, InterruptedError):
                await trio.lowlevel.wait_readable(self._sock)
            except OSError as error:
                raise trio.BrokenResourceError from error

    async def send_eof(self) -> None:
        await trio.lowlevel.checkpoint()
        if not self._closed:
            try:
                self._sock.shutdown(socket.SHUT_WR)
            except OSError:
                return  # the peer has gone already: nothing is left to tell

    def least_round_trip(self) -> float | None:
        return None if self._closed else kernel_round_trip(self._sock)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            trio.lowlevel.notify_closing(self._sock)
            self._sock.close()


class StreamTransport(Transport):
    """Any trio stream. inside: its peer is in this process, so there is no way to go."""

    def __init__(self, stream: trio.abc.Stream, address: str = "", *, inside: bool = False) -> None:
        self._stream = stream
        self._inside = inside
        self.address = address

    def try_send(self, data: bytes) -> int:
        return 0

    async def send_all(self, data: bytes) -> None:
        await self._stream.send_all(data)

    async def receive_some(self) -> bytes:
        return bytes(await self._stream.receive_some(RECEIVE_BYTES))

    async def send_eof(self) -> None:
        if isinstance(self._stream, trio.abc.HalfCloseableStream):
            try:
                await self._stream.send_eof()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return  # the peer has gone already: nothing is left to tell

    def least_round_trip(self) -> float | None:
        return 0.0 if self._inside else None

    def close(self) -> None:
        close = getattr(self._stream, "close", None)
        if close is not None:
            close()
