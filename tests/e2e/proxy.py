"""A local TCP proxy that can misbehave: delay, go silent without closing, reset, split and merge what passes through it."""

import socket
import struct
from dataclasses import dataclass, field

import trio

_PIECE = 65536


@dataclass(eq=False)
class Link:
    """One connection through the proxy: client side, server side, and its own scope for cutting it."""

    client: trio.SocketStream
    server: trio.SocketStream
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)

    async def reset(self) -> None:
        """End both sides with RST, as a crashed machine's peer or a firewall does."""
        for stream in (self.client, self.server):
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.scope.cancel()


class Proxy:
    """Stands between clients and one server on the loopback.

    delay: seconds each piece waits, each way. blackhole: swallow everything and close nothing, so that both sides
    believe in a living peer. chunk: largest piece passed on at once, to split frames.
    """

    def __init__(self, target_port: int, *, delay: float = 0.0, chunk: int = _PIECE) -> None:
        self.target_port = target_port
        self.delay = delay
        self.chunk = chunk
        self.blackhole = False
        self.links: list[Link] = []
        self.port = 0

    async def serve(self, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED) -> None:
        """Run until cancelled; reports the port."""
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listeners[0].socket.getsockname()[1]
        task_status.started(self.port)
        await trio.serve_listeners(self._accept, listeners)

    async def _accept(self, client: trio.SocketStream) -> None:
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
                    nursery.start_soon(self._pump, client, server)
                    nursery.start_soon(self._pump, server, client)
        finally:
            self.links.remove(link)
            with trio.CancelScope(shield=True, deadline=trio.current_time() + 1):
                await trio.aclose_forcefully(client)
                await trio.aclose_forcefully(server)

    async def _pump(self, source: trio.SocketStream, sink: trio.SocketStream) -> None:
        try:
            while data := await source.receive_some(_PIECE):
                if self.delay:
                    await trio.sleep(self.delay)
                while data and not self.blackhole:
                    piece, data = data[: self.chunk], data[self.chunk :]
                    await sink.send_all(piece)
            if not self.blackhole:
                await sink.send_eof()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    async def reset_all(self) -> None:
        """Reset every connection that runs through the proxy now."""
        for link in list(self.links):
            await link.reset()
