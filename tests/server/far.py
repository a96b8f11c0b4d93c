"""A way to the server that takes its time: each direction delays all that goes through it, exactly, on trio's clock."""

from collections import deque

import trio

from robby_server.app import Server
from robby_server.transport import Transport


class Lane:
    """One direction. delay: seconds."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self._pieces: deque[tuple[float, bytes]] = deque()
        self._ended = False
        self._news = trio.Event()

    def put(self, data: bytes) -> None:
        """Send it on its way."""
        self._pieces.append((trio.current_time() + self.delay, bytes(data)))
        self._news.set()

    def end(self) -> None:
        """Nothing more comes."""
        self._ended = True
        self._news.set()

    async def get(self) -> bytes:
        """The next piece, once it has arrived; none at the end."""
        await trio.lowlevel.checkpoint()
        while not self._pieces:
            if self._ended:
                return b""
            self._news = trio.Event()
            await self._news.wait()
        await trio.sleep_until(self._pieces[0][0])
        return self._pieces.popleft()[1]


class FarTransport(Transport):
    """The server's end. kernel: what the kernel says that the least round trip is."""

    def __init__(self, incoming: Lane, outgoing: Lane, address: str) -> None:
        self.address = address
        self.kernel: float | None = None
        self._incoming = incoming
        self._outgoing = outgoing

    def try_send(self, data: bytes) -> int:
        self._outgoing.put(data)
        return len(data)

    async def send_all(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()
        self._outgoing.put(data)

    async def receive_some(self) -> bytes:
        return await self._incoming.get()

    async def send_eof(self) -> None:
        await trio.lowlevel.checkpoint()
        self._outgoing.end()

    def least_round_trip(self) -> float | None:
        return self.kernel

    def close(self) -> None:
        self._outgoing.end()
        self._incoming.end()


class FarStream(trio.abc.Stream):
    """The client's end."""

    def __init__(self, incoming: Lane, outgoing: Lane) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    def send(self, data: bytes) -> None:
        """Send at once: the way never makes anybody wait."""
        self._outgoing.put(data)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await trio.lowlevel.checkpoint()
        self.send(bytes(data))

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """A piece as it was sent, whatever its length."""
        return await self._incoming.get()

    async def aclose(self) -> None:
        self._outgoing.end()
        self._incoming.end()
        await trio.lowlevel.checkpoint()


def far_pair(round_trip: float, address: str = "192.0.2.1") -> tuple[FarTransport, FarStream]:
    """The server's and the client's end. round_trip: seconds there and back, half of it each way."""
    up, down = Lane(round_trip / 2), Lane(round_trip / 2)
    return FarTransport(up, down, address), FarStream(down, up)


def dial(server: Server, round_trip: float, *, kernel: float | None = None) -> FarStream:
    """A new connection to a serving server from so far away."""
    ours, theirs = far_pair(round_trip)
    ours.kernel = kernel
    server._begin(ours)
    return theirs
