"""A scripted client over a trio stream, and the sniff: a decoded copy of every frame that one connection receives.

Frames are decoded by msgpack alone into plain maps, so that nothing which the product's own types would drop stays
unseen. Nothing of Robby is used here.
"""

import contextlib
import struct
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import msgpack  # type: ignore[import-untyped]
import trio

from tests.protocol.raw_client import Frame, frame

LIMIT = 30.0
"""Seconds that any wait may take."""


class Refused(Exception):  # noqa: N818 - an outcome that scripts wait for
    """A command was answered with an error, or the handshake was refused. frame: the whole answer."""

    def __init__(self, answer: Frame) -> None:
        super().__init__(answer["code"], answer.get("details"))
        self.code: str = answer["code"]
        self.frame = answer


class Gone(Exception):  # noqa: N818 - as above
    """The connection ended while something was waited for."""


@dataclass(frozen=True)
class Sniffed:
    """One frame as received. at: trio's clock. size: bytes on the wire."""

    at: float
    size: int
    frame: Frame


class Wire:
    """One connection. Everything received is kept in `sniffed`; pings are answered while `pongs` is set."""

    def __init__(self, stream: trio.abc.Stream, *, keep: bool = True) -> None:
        self.stream = stream
        self.keep = keep
        self.sniffed: list[Sniffed] = []
        self.newest: dict[str, Frame] = {}
        self.answers: dict[int, Frame] = {}
        self.answer_at: dict[int, float] = {}
        self.answered_twice: list[int] = []
        self.on_frame: Callable[[Frame], None] | None = None
        self.received_at = 0.0
        self.update_at = 0.0
        self.pongs = True
        self.closed = False
        self.welcome: Frame = {}
        self.name = ""
        self._next_id = 0
        self._news = trio.Event()
        self._lock = trio.Lock()
        self._scope = trio.CancelScope()

    # Bytes.

    async def read(self) -> None:
        """Take everything in until the end; to be run as a task."""
        held = bytearray()
        try:
            with self._scope:
                while data := await self.stream.receive_some(65536):
                    held += data
                    await self._cut(held)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # reset: it ends like an orderly close
        finally:
            if not self._scope.cancelled_caught:
                self.closed = True
                with trio.CancelScope(shield=True):
                    await trio.aclose_forcefully(self.stream)
            self._tell()

    async def _cut(self, held: bytearray) -> None:
        while len(held) >= 4:
            (length,) = struct.unpack(">I", held[:4])
            if len(held) < 4 + length:
                return
            body = bytes(held[4 : 4 + length])
            del held[: 4 + length]
            await self._took(msgpack.unpackb(body), 4 + length)

    async def _took(self, found: Frame, size: int) -> None:
        now = self.received_at = trio.current_time()
        kind = found["type"]
        if self.keep:
            self.sniffed.append(Sniffed(now, size, found))
        self.newest[kind] = found
        if kind == "game.update":
            self.update_at = now
        elif kind == "table.closed":
            self.newest.pop("table.state", None)
            self.newest.pop("game.update", None)
        elif kind in ("ok", "error") and found.get("re") is not None:
            if found["re"] in self.answers:
                self.answered_twice.append(found["re"])
            self.answers[found["re"]] = found
            self.answer_at[found["re"]] = now
        if self.on_frame is not None:
            self.on_frame(found)
        if kind == "ping" and self.pongs:
            with contextlib.suppress(
                trio.BrokenResourceError, trio.ClosedResourceError
            ):  # the reader finds the end by itself
                await self.send("pong", n=found["n"])
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = trio.Event()

    async def send_bytes(self, data: bytes) -> None:
        """Write exactly these bytes."""
        async with self._lock:
            await self.stream.send_all(data)

    async def send(self, kind: str, **fields: Any) -> None:
        """Write one message."""
        await self.send_bytes(frame({"type": kind, **fields}))

    def stop_reading(self) -> None:
        """Take in nothing more: a client that hangs. Whoever does this must `drop` it in the end."""
        self._scope.cancel()

    async def drop(self) -> None:
        """Lose the connection."""
        await trio.aclose_forcefully(self.stream)

    async def reset(self) -> None:
        """Lose the connection with RST."""
        assert isinstance(self.stream, trio.SocketStream)
        self.stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_LINGER, struct.pack("ii", 1, 0))
        await self.drop()

    @property
    def port(self) -> int:
        """The local port of the socket."""
        assert isinstance(self.stream, trio.SocketStream)
        port: int = self.stream.socket.getsockname()[1]
        return port

    # Waiting.

    @property
    def news(self) -> trio.Event:
        """Set when the next thing is received. To be fetched in the same step in which one has looked."""
        return self._news

    async def until(self, holds: Callable[[], bool], limit: float = LIMIT) -> None:
        """Wait until something holds, looking after everything received. Raises Gone, trio.TooSlowError."""
        with trio.fail_after(limit):
            while not holds():
                if self.closed:
                    raise Gone(self.last(3))
                await self._news.wait()

    async def until_closed(self, limit: float = LIMIT) -> None:
        """Wait for the end of the connection."""
        with trio.fail_after(limit):
            while not self.closed:
                await self._news.wait()

    def last(self, count: int) -> list[Frame]:
        """The newest frames, for messages of failures."""
        return [sniffed.frame for sniffed in self.sniffed[-count:]]

    def all(self, kind: str) -> list[Frame]:
        """All frames of a type."""
        return [sniffed.frame for sniffed in self.sniffed if sniffed.frame["type"] == kind]

    async def expect(self, kind: str, fits: Callable[[Frame], bool] = lambda _: True, limit: float = LIMIT) -> Frame:
        """The newest frame of a type that fits, waiting until it does. Raises Gone, trio.TooSlowError."""
        await self.until(lambda: kind in self.newest and fits(self.newest[kind]), limit)
        return self.newest[kind]

    # Talking.

    async def log_in(self, name: str, resume: bytes = b"") -> Frame:
        """The handshake, as a guest. Raises Refused."""
        await self.send("hello", versions=[[1, 0]], client="trial")
        await self.until(lambda: "greeting" in self.newest or "refused" in self.newest)
        self._check_refused()
        await self.send("login", method="guest", name=name, resume=resume)
        await self.until(lambda: "welcome" in self.newest or "refused" in self.newest)
        self._check_refused()
        self.welcome = self.newest["welcome"]
        self.name = self.welcome["name"]
        return self.welcome

    def _check_refused(self) -> None:
        if "refused" in self.newest:
            raise Refused(self.newest["refused"])

    def new_id(self) -> int:
        """An id for a request."""
        self._next_id += 1
        return self._next_id

    def count_on_from(self, old: "Wire") -> None:
        """Use no id of a request that another connection has used already."""
        self._next_id = old._next_id

    async def ask(self, command: str, **fields: Any) -> int:
        """Send a command without waiting for its answer. Returns its id."""
        request = self.new_id()
        await self.send(command, id=request, **fields)
        return request

    async def answer(self, request: int) -> dict[str, Any]:
        """Wait for the answer to a command. Raises Refused, Gone."""
        await self.until(lambda: request in self.answers)
        answer = self.answers[request]
        if answer["type"] == "error":
            raise Refused(answer)
        return dict(answer["result"])

    async def code(self, request: int) -> str:
        """The code with which a command is refused; `ok` where it is done."""
        try:
            await self.answer(request)
        except Refused as refused:
            return refused.code
        return "ok"

    async def call(self, command: str, **fields: Any) -> dict[str, Any]:
        """Send a command and wait for its answer. Raises Refused, Gone."""
        return await self.answer(await self.ask(command, **fields))

    async def code_of(self, command: str, **fields: Any) -> str:
        """Send a command; the code with which it is refused, or `ok`."""
        return await self.code(await self.ask(command, **fields))

    # The table.

    @property
    def state(self) -> Frame:
        """The newest state of the table."""
        return dict(self.newest["table.state"]["table"])

    @property
    def seat(self) -> int:
        """The own seat."""
        seat: int = self.newest["table.state"]["you"]
        return seat

    @property
    def update(self) -> Frame:
        """The newest update of the game."""
        return self.newest["game.update"]

    @property
    def view(self) -> Frame:
        """The newest public view of the game."""
        return dict(self.update["public"]["view"])

    @property
    def decision(self) -> Frame | None:
        """What is asked, as far as this client knows."""
        found: Frame | None = self.newest.get("game.update", {}).get("decision")
        return found

    def legal(self, *kinds: str) -> list[Frame]:
        """The legal actions, of these types only if any are given."""
        decision = self.decision
        found = [] if decision is None else decision["legal"]
        return [action for action in found if not kinds or action["type"] in kinds]

    def act_fields(self, action: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of `game.act` for the open decision."""
        decision = self.decision
        assert decision is not None, "nothing is asked"
        return {"table": self.update["table"], "decision": decision["id"], "action": dict(action)}

    async def act(self, action: Mapping[str, Any]) -> dict[str, Any]:
        """Answer the open decision."""
        return await self.call("game.act", **self.act_fields(action))


async def connect(nursery: trio.Nursery, port: int, *, keep: bool = True) -> Wire:
    """A connection that has said nothing yet."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
    wire = Wire(stream, keep=keep)
    nursery.start_soon(wire.read)
    return wire


async def guest(nursery: trio.Nursery, port: int, name: str, *, resume: bytes = b"", keep: bool = True) -> Wire:
    """A client that is logged in. Raises Refused."""
    wire = await connect(nursery, port, keep=keep)
    await wire.log_in(name, resume)
    return wire


async def again(nursery: trio.Nursery, port: int, old: Wire) -> Wire:
    """The same guest once more, over a new connection; ids of requests are counted on."""
    wire = await guest(nursery, port, old.name, resume=old.welcome["resume"], keep=old.keep)
    wire.count_on_from(old)
    return wire


@asynccontextmanager
async def clients() -> AsyncIterator[trio.Nursery]:
    """A nursery for clients, all of which end with the block."""
    async with trio.open_nursery() as nursery:
        yield nursery
        nursery.cancel_scope.cancel()
