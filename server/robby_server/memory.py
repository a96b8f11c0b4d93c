"""A bounded two-way byte stream inside the process, for bots that fill seats and for tests.

It behaves as a TCP connection does: what one side sends arrives in pieces of any size, a full buffer makes the sender
wait, closing one side is the end of file for the other.
"""

from collections import deque
from operator import index

import trio

BUFFER_BYTES = 64 * 1024
"""What one direction holds before its sender waits; about what a kernel gives a socket."""


class _Pipe:
    """One direction: bytes from one writer to one reader."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._ended = False  # the writer will send no more
        self._broken = False  # the reader will read no more
        self._readable = trio.lowlevel.ParkingLot()
        self._writable = trio.lowlevel.ParkingLot()

    async def write(self, data: bytes) -> None:
        view = memoryview(data)
        await trio.lowlevel.checkpoint()
        while True:
            if self._ended:
                raise trio.ClosedResourceError
            if self._broken:
                raise trio.BrokenResourceError
            room = self._limit - self._size
            if room > 0 and view:
                piece = bytes(view[:room])
                view = view[room:]
                self._chunks.append(piece)
                self._size += len(piece)
                self._readable.unpark_all()
            if not view:
                return
            await self._writable.park()

    async def wait_writable(self) -> None:
        await trio.lowlevel.checkpoint()
        while not (self._ended or self._broken) and self._size >= self._limit:
            await self._writable.park()
        if self._ended:
            raise trio.ClosedResourceError
        if self._broken:
            raise trio.BrokenResourceError

    async def read(self, most: int) -> bytes:
        await trio.lowlevel.checkpoint()
        while not self._chunks:
            if self._broken:
                raise trio.ClosedResourceError
            if self._ended:
                return b""
            await self._readable.park()
        if self._broken:
            raise trio.ClosedResourceError
        chunk = self._chunks.popleft()
        if len(chunk) > most:
            self._chunks.appendleft(chunk[most:])
            chunk = chunk[:most]
        self._size -= len(chunk)
        self._writable.unpark_all()
        return chunk

    def end(self) -> None:
        self._ended = True
        self._wake()

    def break_(self) -> None:
        self._broken = True
        self._chunks.clear()
        self._size = 0
        self._wake()

    def _wake(self) -> None:
        self._readable.unpark_all()
        self._writable.unpark_all()


class MemoryStream(trio.abc.HalfCloseableStream):
    """One end of a pair made by `memory_stream_pair`."""

    def __init__(self, incoming: _Pipe, outgoing: _Pipe) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._sending = False
        self._receiving = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send all, waiting while the other side does not read. Raises as trio.abc.SendStream does."""
        if self._sending:
            raise trio.BusyResourceError("another task sends already")
        self._sending = True
        try:
            await self._outgoing.write(bytes(data))
        finally:
            self._sending = False

    async def wait_send_all_might_not_block(self) -> None:
        if self._sending:
            raise trio.BusyResourceError("another task sends already")
        self._sending = True
        try:
            await self._outgoing.wait_writable()
        finally:
            self._sending = False

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Some bytes, at least one; none at the end. Raises as trio.abc.ReceiveStream does."""
        if self._receiving:
            raise trio.BusyResourceError("another task receives already")
        most = BUFFER_BYTES if max_bytes is None else index(max_bytes)
        if most < 1:
            raise ValueError("max_bytes must be at least 1")
        self._receiving = True
        try:
            return await self._incoming.read(most)
        finally:
            self._receiving = False

    async def send_eof(self) -> None:
        if self._sending:
            raise trio.BusyResourceError("another task sends already")
        self._outgoing.end()
        await trio.lowlevel.checkpoint()

    def close(self) -> None:
        """Close at once, without waiting for anything."""
        self._outgoing.end()
        self._incoming.break_()

    async def aclose(self) -> None:
        self.close()
        await trio.lowlevel.checkpoint()


def memory_stream_pair(limit: int = BUFFER_BYTES) -> tuple[MemoryStream, MemoryStream]:
    """Two connected ends. limit: how many bytes each direction holds."""
    one, other = _Pipe(limit), _Pipe(limit)
    return MemoryStream(one, other), MemoryStream(other, one)
