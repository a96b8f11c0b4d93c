"""A local TCP proxy that can misbehave: delay, hold back, go silent without closing, reset, split and merge."""

import socket
import struct
from dataclasses import dataclass, field

import trio

_PIECE = 65536
_QUEUED = 1024
"""Pieces on their way in one direction; more than any test sends before it lets them through."""


@dataclass(eq=False)
class Link:
    """One connection through the proxy: client side, server side, and its own scope for cutting it.

    silent: swallow everything and close nothing, so that both sides believe in a living peer.
    """

    client: trio.SocketStream
    server: trio.SocketStream
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    silent: bool = False
    _open: trio.Event = field(default_factory=trio.Event)

    def __post_init__(self) -> None:
        self._open.set()

    def hold(self) -> None:
        """Keep back what the client sends from now on, in order, until `release`."""
        if self._open.is_set():
            self._open = trio.Event()

    def release(self) -> None:
        """Deliver what was held back."""
        self._open.set()

    async def wait_open(self) -> None:
        """Wait while the link is held."""
        await self._open.wait()

    def reset(self) -> None:
        """End both sides with RST, as a crashed machine's peer or a firewall does."""
        for stream in (self.client, self.server):
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.scope.cancel()


class Proxy:
    """Stands between clients and one server on the loopback.

    delay: seconds that each piece is on its way, each way. blackhole: every link is silent, new ones too.
    refuse: reset every new connection. chunk: largest piece passed on at once, to split frames.
    """

    def __init__(self, target_port: int, *, delay: float = 0.0, chunk: int = _PIECE) -> None:
        self.target_port = target_port
        self.delay = delay
        self.chunk = chunk
        self.blackhole = False
        self.refuse = False
        self.links: list[Link] = []
        self.port = 0

    async def serve(self, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED) -> None:
        """Run until cancelled; reports the port."""
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listeners[0].socket.getsockname()[1]
        task_status.started(self.port)
        await trio.serve_listeners(self._accept, listeners)

    def link_of(self, client_port: int) -> Link:
        """The link of the client whose socket has this local port."""
        return next(link for link in self.links if link.client.socket.getpeername()[1] == client_port)

    async def _accept(self, client: trio.SocketStream) -> None:
        if self.refuse:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            await trio.aclose_forcefully(client)
            return
        try:
            server = await trio.open_tcp_stream("127.0.0.1", self.target_port)
        except OSError:  # no server: to the client it looks as if it hung up
            await client.aclose()
            return
        link = Link(client, server)
        self.links.append(link)
        try:
            with link.scope:
                async with trio.open_nursery() as nursery:
                    for source, sink in ((client, server), (server, client)):
                        way_in, way_out = trio.open_memory_channel[tuple[float, bytes]](_QUEUED)
                        nursery.start_soon(self._take, link, source, way_in)
                        nursery.start_soon(self._pass_on, link, way_out, sink, sink is server)
        finally:
            self.links.remove(link)
            client.socket.close()
            server.socket.close()

    async def _take(
        self, link: Link, source: trio.SocketStream, way_in: trio.MemorySendChannel[tuple[float, bytes]]
    ) -> None:
        """Read without pause and note when each piece is to arrive, so that a delay does not add up."""
        async with way_in:
            try:
                while data := await source.receive_some(_PIECE):
                    if not (self.blackhole or link.silent):
                        await way_in.send((trio.current_time() + self.delay, bytes(data)))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return

    async def _pass_on(
        self,
        link: Link,
        way_out: trio.MemoryReceiveChannel[tuple[float, bytes]],
        sink: trio.SocketStream,
        upward: bool,
    ) -> None:
        try:
            async for due, data in way_out:
                await trio.sleep_until(due)
                if upward:
                    await link.wait_open()
                while data and not (self.blackhole or link.silent):
                    piece, data = data[: self.chunk], data[self.chunk :]
                    await sink.send_all(piece)
            if not (self.blackhole or link.silent):
                await sink.send_eof()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    def reset_all(self) -> None:
        """Reset every connection that runs through the proxy now."""
        for link in list(self.links):
            link.reset()
