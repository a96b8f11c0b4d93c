"""A network that delays, cuts, merges, stalls, breaks and swallows, as its seed says.

Bytes are put straight into the other end's inbox, each with the moment at which it arrives: hundreds of games a minute
must fit, and a task for each piece on its way would cost more than the server does.
"""

import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

import trio

from robby_server.transport import Transport
from tests.sim.deterministic import at, moment, nap

WINDOW = 16 * 1024
"""Bytes that are on their way in one direction; less than a long history, so that readers make senders wait."""


STEPS = 4
"""Different delays of a piece."""


class Down(Exception):  # noqa: N818 - what a dialling client finds
    """Nobody listens there now."""


@dataclass(frozen=True)
class Weather:
    """How bad it is. Chances are per piece of bytes that travels.

    delay: up to so many seconds. cut: into pieces. stall: nothing passes for up to `stall_seconds`. reset: the
    connection breaks. swallow: from now on nothing passes in this direction, and nobody is told.
    """

    delay: float = 0.4
    cut: float = 0.1
    stall: float = 0.004
    stall_seconds: float = 20.0
    reset: float = 0.002
    swallow: float = 0.001


CALM = Weather(cut=0, stall=0, reset=0, swallow=0)


class Network:
    """All connections to one server. accept: takes the server's end of a new one; None while nobody listens."""

    def __init__(self, rng: random.Random) -> None:
        self.weather = Weather()
        self.faults: Counter[str] = Counter()
        self.accept: Callable[[Transport], None] | None = None
        self.rng = rng
        self._wires: dict[Wire, None] = {}

    async def dial(self, address: str) -> "End":
        """A client's end of a new connection. Raises Down."""
        await nap(self.rng.uniform(0, self.weather.delay))
        if self.accept is None:
            raise Down
        wire = Wire(self, address)
        self._wires[wire] = None
        self.accept(wire.far)
        return wire.near

    def cut_all(self) -> None:
        """The machine at the other end is gone: every connection breaks."""
        for wire in tuple(self._wires):
            wire.reset()

    def over(self, wire: "Wire") -> None:
        """Forget a connection."""
        self._wires.pop(wire, None)


class Wire:
    """One connection: what either end sends comes out at the other, sooner or later, or never."""

    def __init__(self, network: Network, address: str) -> None:
        self._network = network
        there, back = _Lane(network), _Lane(network)
        there.wire = back.wire = self
        self.near = End(self, back, there, address)
        self.far = End(self, there, back, address)
        self._lanes = there, back

    def reset(self) -> None:
        """Break it now."""
        for lane in self._lanes:
            lane.broken = True
            lane.came()
            lane.left()
        self._network.over(self)


class _Lane:
    """One direction. ended: the sender will send no more. broken: nothing comes out any more."""

    wire: Wire

    def __init__(self, network: Network) -> None:
        self.ended = False
        self.broken = False
        self.closed = False
        self._network = network
        self._pieces: deque[tuple[float, bytes]] = deque()
        self._size = 0
        self._due = 0.0
        self._swallows = False
        self._news = trio.Event()
        self._room = trio.Event()

    def came(self) -> None:
        """There is something for who receives."""
        self._news.set()

    def left(self) -> None:
        """There is something for who sends."""
        self._room.set()

    def put(self, data: bytes) -> int:
        """Send what there is room for; how many bytes that was."""
        if self.broken:
            raise trio.BrokenResourceError
        data = data[: max(0, WINDOW - self._size)]
        weather, rng, faults = self._network.weather, self._network.rng, self._network.faults
        step = len(data)
        if data and rng.random() < weather.cut:
            faults["cut"] += 1
            step = rng.randint(1, max(1, len(data) // 2))
        for start in range(0, len(data), step or 1):
            draw, delay = rng.random(), rng.randrange(STEPS) * weather.delay / STEPS
            if draw < weather.reset:
                faults["reset"] += 1
                self.wire.reset()
                raise trio.BrokenResourceError
            if draw < weather.reset + weather.swallow:
                faults["swallow"] += 1
                self._swallows = True
            elif draw < weather.reset + weather.swallow + weather.stall:
                faults["stall"] += 1
                delay = rng.uniform(0, weather.stall_seconds)
            if not self._swallows:
                self._due = max(self._due, moment(delay))
                self._pieces.append((self._due, data[start : start + step]))
                self._size += min(step, len(data) - start)
                at(self._due, self.came)
        return len(data)

    async def send(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()
        while data:
            data = data[self.put(data) :]
            if data:
                self._room = trio.Event()
                await self._room.wait()

    async def receive(self) -> bytes:
        while True:
            if self.closed:
                raise trio.ClosedResourceError
            if self.broken:
                raise trio.BrokenResourceError
            now = trio.current_time()
            if self._pieces and self._pieces[0][0] <= now:
                found = b""
                while self._pieces and self._pieces[0][0] <= now:
                    found += self._pieces.popleft()[1]
                self._size -= len(found)
                self.left()
                return found
            if self.ended and not self._pieces:
                return b""
            self._news = trio.Event()
            await self._news.wait()


class End(Transport):
    """One end of a connection: a server's transport, and just as well a client's."""

    def __init__(self, wire: Wire, incoming: _Lane, outgoing: _Lane, address: str) -> None:
        self.address = address
        self._wire = wire
        self._incoming = incoming
        self._outgoing = outgoing
        self._closed = False

    def try_send(self, data: bytes) -> int:
        return self._outgoing.put(data)

    async def send_all(self, data: bytes) -> None:
        if self._closed:
            raise trio.ClosedResourceError
        await self._outgoing.send(data)

    async def receive_some(self) -> bytes:
        if self._closed:
            raise trio.ClosedResourceError
        return await self._incoming.receive()

    async def send_eof(self) -> None:
        await trio.lowlevel.checkpoint()
        self._outgoing.ended = True
        self._outgoing.came()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._outgoing.ended = True
        self._outgoing.came()
        self._incoming.closed = True
        self._incoming.came()
        self._incoming.left()
        if self._outgoing.closed:
            self._wire.reset()
