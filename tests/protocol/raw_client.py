"""A client of its own, written from docs/protocol.md alone: sockets, struct and msgpack, nothing of Robby's.

It proves that the page says enough, and it is the scripted peer of other tests: it can send any bytes at any time.
Blocking; every read has a time limit.
"""

import socket
import struct
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

import msgpack  # type: ignore[import-untyped]

Frame = dict[str, Any]


class Closed(Exception):  # noqa: N818 - an outcome that scripts wait for, not a fault
    """The server closed the connection, in the middle of a frame or between two."""


class Answered(Exception):  # noqa: N818 - as above
    """A command was answered with an error. frame: the whole answer."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame["code"])
        self.frame = frame


def frame(message: Mapping[str, Any]) -> bytes:
    """The bytes of one frame: length, then the map."""
    body = msgpack.packb(message)
    return struct.pack(">I", len(body)) + bytes(body)


class RawClient:
    """One connection.

    log: every frame that was received, in order. timeout: seconds that a read may take.
    """

    def __init__(self, host: str, port: int, timeout: float = 10.0) -> None:
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.log: list[Frame] = []
        self.welcome: Frame = {}
        self._unread: list[Frame] = []
        self._next_id = 1

    def __enter__(self) -> "RawClient":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()

    # Bytes.

    def send_bytes(self, data: bytes) -> None:
        """Write exactly these bytes."""
        self.socket.sendall(data)

    def send(self, kind: str, **fields: Any) -> None:
        """Write one message."""
        self.send_bytes(frame({"type": kind, **fields}))

    def receive(self) -> Frame:
        """The next frame, pings answered and left out. Raises Closed at the end, TimeoutError."""
        while True:
            (length,) = struct.unpack(">I", self._exactly(4))
            found: Frame = msgpack.unpackb(self._exactly(length))
            self.log.append(found)
            if found["type"] != "ping":
                return found
            self.send("pong", n=found["n"])

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            try:
                piece = self.socket.recv(size - len(data))
            except ConnectionError as error:
                raise Closed from error
            if not piece:
                raise Closed
            data += piece
        return data

    # Messages.

    def hello(self, versions: list[list[int]] | None = None, **fields: Any) -> Frame:
        """Say hello; the answer, *greeting* or *refused*."""
        self.send("hello", versions=[[1, 0]] if versions is None else versions, client="raw", **fields)
        return self.receive()

    def login_guest(self, name: str, **fields: Any) -> Frame:
        """Log in as a guest; the answer, *welcome* or *refused*."""
        self.send("login", method="guest", name=name, **fields)
        self.welcome = self.receive()
        return self.welcome

    def call(self, command: str, **fields: Any) -> Frame:
        """Send a command; the result of its *ok*. Raises Answered for its *error*. Other frames wait for `expect`."""
        request = self._next_id
        self._next_id += 1
        self.send(command, id=request, **fields)
        while True:
            found = self.receive()
            if found.get("re") != request:
                self._unread.append(found)
            elif found["type"] == "ok":
                return dict(found["result"])
            else:
                raise Answered(found)

    def expect(self, kind: str, fits: Callable[[Frame], bool] = lambda _: True) -> Frame:
        """The next frame of this type that fits, those before it dropped. Raises Closed, TimeoutError."""
        while True:
            found = self.expect_any()
            if found["type"] == kind and fits(found):
                return found

    def expect_any(self) -> Frame:
        """The next frame, one that `call` has passed over before one that is still to come."""
        return self._unread.pop(0) if self._unread else self.receive()

    def until_closed(self) -> list[Frame]:
        """All frames up to the end of the connection."""
        found = self._unread
        self._unread = []
        try:
            while True:
                found.append(self.receive())
        except Closed:
            return found


def guest(host: str, port: int, name: str, timeout: float = 10.0) -> RawClient:
    """A connected client, logged in as a guest."""
    client = RawClient(host, port, timeout)
    try:
        greeting = client.hello()
        if greeting["type"] != "greeting":
            raise Closed(greeting["code"])
        welcome = client.login_guest(name)
        if welcome["type"] != "welcome":
            raise Closed(welcome["code"])
    except BaseException:
        client.socket.close()
        raise
    return client
