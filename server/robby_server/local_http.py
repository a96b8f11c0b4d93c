"""A small, strict HTTP/1.1 server for a collector and a health check on this machine: GET and HEAD, one request a
connection, nothing read beyond its head. Knows nothing of what it serves.
"""

import socket
from collections.abc import Callable, Sequence
from typing import NamedTuple

import h11
import structlog
import trio

from robby_server.listeners import accept_forever
from robby_server.log import Throttle

log = structlog.get_logger("robby.http")

HEAD_BYTES = 8 * 1024
"""Of a request; a collector sends a few hundred."""
REQUEST_SECONDS = 5.0
"""For a request to come and its answer to leave."""
CLIENTS = 16
"""At a time; more are closed without a word."""


class Page(NamedTuple):
    """An answer."""

    status: int
    body: bytes
    content_type: str = "text/plain; charset=utf-8"


Pages = Callable[[str], Page | None]
"""The page at a path, made when it is asked for; None: there is none."""


async def serve_http(listeners: Sequence[socket.socket], pages: Pages) -> None:
    """Serve until cancelled; then close the listeners."""
    server = HttpServer(pages)
    try:
        async with trio.open_nursery() as nursery:
            server.nursery = nursery
            for listener in listeners:
                nursery.start_soon(accept_forever, listener, server.accepted)
    finally:
        for listener in listeners:
            listener.close()


class HttpServer:
    """Takes connections and answers them. nursery: where, once it serves."""

    def __init__(self, pages: Pages) -> None:
        self.nursery: trio.Nursery | None = None
        self._pages = pages
        self._clients = 0
        self._throttle = Throttle()

    def accepted(self, sock: socket.socket, _address: str) -> None:
        """A new connection."""
        if self.nursery is None or self._clients >= CLIENTS:
            sock.close()
            return
        self._clients += 1
        sock.setblocking(False)
        self.nursery.start_soon(self._attend, trio.SocketStream(trio.socket.from_stdlib_socket(sock)))

    async def _attend(self, stream: trio.SocketStream) -> None:
        try:
            async with stream:
                with trio.move_on_after(REQUEST_SECONDS):
                    await self.talk(stream)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return  # whoever asked has gone
        except Exception:  # a fault of ours in one page must not end the others
            if self._throttle.let("http") is not None:
                log.exception("http_failed")
        finally:
            self._clients -= 1

    async def talk(self, stream: trio.abc.HalfCloseableStream) -> None:
        """Answer the one request of a connection."""
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_BYTES)
        try:
            while (event := connection.next_event()) is h11.NEED_DATA:
                connection.receive_data(bytes(await stream.receive_some(HEAD_BYTES)))
            if not isinstance(event, h11.Request):
                return  # closed without a request
            page = self._page(event)
        except h11.RemoteProtocolError as error:
            event, page = None, Page(error.error_status_hint, b"This is not a request that can be answered here.\n")
        if connection.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        headers = [
            ("Content-Type", page.content_type),
            ("Content-Length", str(len(page.body))),
            ("Cache-Control", "no-store"),
            ("Connection", "close"),
        ]
        if page.status == 405:
            headers.append(("Allow", "GET, HEAD"))
        data = connection.send(h11.Response(status_code=page.status, headers=headers)) or b""
        if event is None or event.method != b"HEAD":
            data += connection.send(h11.Data(data=page.body)) or b""
        await stream.send_all(data)
        await stream.send_eof()
        while await stream.receive_some(HEAD_BYTES):  # until it has read: closing first could throw that away
            pass

    def _page(self, request: h11.Request) -> Page:
        if request.method not in (b"GET", b"HEAD"):
            return Page(405, b"Only GET and HEAD.\n")
        path = request.target.partition(b"?")[0].decode("ascii", "replace")
        return self._pages(path) or Page(404, b"There is /metrics and /healthz.\n")
