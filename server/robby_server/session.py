"""One connection, from accept to the last word: reader, outbox and writer, heartbeat, time and rate limits.

What the commands mean is not known here (`commands`), nor who may log in (`handshake`). A session never makes anybody
else wait: what its peer does not read fast enough is dropped together with the connection, and it comes back later.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import structlog
import trio

from robby_protocol import errors
from robby_protocol.connection import (
    NEED_DATA,
    Connection,
    ConnectionClosed,
    InvalidMessage,
    Role,
    UnknownMessage,
)
from robby_protocol.errors import LocalProtocolError, RemoteProtocolError, text_for
from robby_protocol.messages import Bye, Command, Error, Message, Ok, Ping, Pong
from robby_server.log import Throttle
from robby_server.round_trip import RoundTrip
from robby_server.settings import Settings
from robby_server.tally import Tally
from robby_server.transport import PlainPeer, Transport

if TYPE_CHECKING:
    from robby_server.identities import Identity

log = structlog.get_logger("robby.session")

Incoming = Message | UnknownMessage | InvalidMessage
WATCH_SECONDS = 1.0
"""How often the time limits of a connection are looked at, at most: the grain of what the settings promise."""


class Watched(Protocol):
    """What a connection watches besides."""

    def leave(self, session: "Session") -> None:
        """It does so no longer."""
        ...


class Session:
    """One connection.

    who: the identity, from login on. trusted: from inside the process, so needs no password.
    """

    def __init__(
        self,
        transport: Transport,
        settings: Settings,
        throttle: Throttle,
        *,
        trusted: bool = False,
        tally: Tally | None = None,
    ) -> None:
        self.connection = Connection(Role.SERVER)
        self.address = transport.address
        self.trusted = trusted
        self.who: Identity | None = None
        self.on_purpose = False
        self.moving: trio.Event | None = None  # set while a command that may change the seat waits for its answer
        self.watching: Watched | None = None  # a table's audience
        self._racing = False
        self._look = trio.Event()
        self._transport = transport
        self._settings = settings
        self._throttle = throttle
        self._tally = Tally() if tally is None else tally
        self._asked: dict[int, float] = {}  # when each command that waits for its answer was received
        self._scope = trio.CancelScope()
        self._outbox: deque[tuple[bytes, int | None]] = deque()  # frames, or their ends; with the number of a ping
        self._outbox_bytes = 0
        self._wake_writer = trio.Event()
        self._sending = False
        self._written = trio.Event()  # the writer has ended
        self._closing = False  # last words are in the outbox: nothing may follow them
        self._heard = trio.current_time()
        self._wished = self._heard  # the last time that it asked for anything
        self._partial_since: float | None = None
        self._tokens = float(settings.message_burst)
        self._tokens_at = self._heard
        self._warned = False
        self._ping = 0
        self._received = self._heard  # when the bytes that are being taken were received
        self._round_trip = RoundTrip(settings.round_trip_seconds, settings.race_credit_ms / 1000)

    def stop_watching(self) -> None:
        """Whatever this connection watches, it does so no longer."""
        watched, self.watching = self.watching, None
        if watched is not None:
            watched.leave(self)

    # Sending. Nothing here waits.

    @property
    def waiting_bytes(self) -> int:
        """What waits in the outbox."""
        return self._outbox_bytes

    @property
    def ended(self) -> bool:
        """Whether the connection is over or saying its last words."""
        return self._closing

    def send(self, message: Message) -> None:
        """Send a message as soon as the peer takes it; nothing if the connection is ending."""
        if self._closing:
            return
        try:
            frame = self.connection.send(message)
        except LocalProtocolError:
            log.exception("message_not_sent", message=type(message).__name__)
            self.end(errors.INTERNAL, reconnect=True)
            return
        self._send(frame, message.n if isinstance(message, Ping) else None)

    def send_update(self, fields: Mapping[str, Any]) -> None:
        """Send a `game.update` whose public part was encoded already, for several receivers alike."""
        if not self._closing:
            self.send_frame(self.connection.send_update(**fields))

    @property
    def credit(self) -> float:
        """How many seconds a race takes off the arrival of this connection's answers: its round trip, bounded."""
        return self._round_trip.credit(trio.current_time(), self._transport.least_round_trip())

    def send_frame(self, frame: bytes) -> None:
        """Send a whole frame that was encoded already, for several receivers alike."""
        self._send(frame)

    def _send(self, frame: bytes, ping: int | None = None) -> None:
        """ping: the number of the ping that the frame is."""
        if self._closing:
            return
        self._tally.messages_out += 1
        self._tally.bytes_out += len(frame)
        if not self._outbox and not self._sending:
            try:
                sent = self._transport.try_send(frame)
            except trio.BrokenResourceError:
                self._close()
                return
            if sent == len(frame):
                if ping is not None:
                    self._round_trip.left(ping, trio.current_time())
                return
            frame = frame[sent:]
        elif self._outbox_bytes + len(frame) > self._settings.outbox_bytes:
            self._too_slow()
            return
        self._put(frame, ping)

    def answer(self, to: Command, result: dict[str, Any] | None = None) -> None:
        """Say that a command was done."""
        self._answered(to.id)
        self.send(Ok(re=to.id, result=result or {}))

    def answer_packed(self, to: Command, result: bytes) -> None:
        """The same, with a result that was packed already, for all who ask for it."""
        self._answered(to.id)
        if not self._closing:
            self.send_frame(self.connection.send_answer(to.id, result))

    def refuse(self, re: int | None, code: str, text: str | None = None, details: dict[str, Any] | None = None) -> None:
        """Say that a command was refused."""
        self._tally.refused[code] += 1
        if re is not None:
            self._answered(re)
        self.send(Error(re=re, code=code, text=text_for(code) if text is None else text, details=details or {}))

    def end(
        self, code: str, *, reconnect: bool, text: str | None = None, accepts: dict[str, Any] | None = None
    ) -> None:
        """End the connection with last words; returns at once."""
        if self._closing:
            return
        self._tally.ended[code] += 1
        last = self.connection.close_with(code, accepts=accepts, reconnect=reconnect, text=text)
        if last:
            self._put(last)
        self._close()

    def _answered(self, request: int) -> None:
        asked = self._asked.pop(request, None)
        if asked is not None:
            self._tally.answers.add(trio.current_time() - asked)

    def _put(self, frame: bytes, ping: int | None = None) -> None:
        self._outbox.append((frame, ping))
        self._outbox_bytes += len(frame)
        self._wake_writer.set()

    def _close(self) -> None:
        self._closing = True
        self._wake_writer.set()
        self._scope.cancel()

    def _too_slow(self) -> None:
        # A frame that has begun must be finished, or the last words could not be read; the others go.
        first = self._outbox.popleft() if self._outbox and not self._sending else None
        self._outbox.clear()
        self._outbox_bytes = 0
        if first is not None:
            self._put(*first)
        self.end(errors.TOO_SLOW, reconnect=True)

    # Living.

    async def run(
        self,
        handshake: Callable[["Session"], Awaitable[bool]],
        handle: Callable[["Session", Command], Awaitable[None]],
        parted: Callable[["Session"], None],
    ) -> None:
        """Live until the connection ends.

        handshake: returns whether the peer is logged in. handle: takes each command. parted: called once when the
        connection no longer counts, before the last words are out.
        """
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                nursery.start_soon(self._watch)
                try:
                    with self._scope:
                        await self._live(handshake, handle)
                finally:
                    self._closing = True
                    parted(self)
                await self._farewell()
                nursery.cancel_scope.cancel()
        finally:
            self._closing = True
            self._transport.close()

    async def _live(
        self,
        handshake: Callable[["Session"], Awaitable[bool]],
        handle: Callable[["Session", Command], Awaitable[None]],
    ) -> None:
        try:
            with trio.move_on_after(self._settings.handshake_seconds) as limit:
                await self._transport.open()
                if not await handshake(self):
                    return
            if limit.cancelled_caught:
                self.end(errors.HANDSHAKE_TIMEOUT, reconnect=False)
                return
            while (event := await self.receive()) is not None:
                await self._slow_down()
                await self._take(event, handle)
        except RemoteProtocolError as error:
            held = self._throttle.let(error.code)
            if held is not None:
                log.info("protocol_error", code=error.code, detail=error.detail, peer=self.address, repeated=held)
            self.end(error.code, reconnect=False)
        except PlainPeer as peer:
            self.end(errors.TLS_REQUIRED if peer.robby else errors.NOT_ROBBY, reconnect=False)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return  # the peer is gone; there is nobody left to tell
        except Exception:  # a fault of ours in one command ends this session alone, with last words
            log.exception("session_failed", peer=self.address)
            self.end(errors.INTERNAL, reconnect=True)

    async def receive(self) -> Incoming | None:
        """The next event from the peer; None once it has closed. Raises RemoteProtocolError and trio's errors."""
        while True:
            event = self.connection.next_event()
            if isinstance(event, ConnectionClosed):
                return None
            if event is not NEED_DATA:
                self._tally.messages_in += 1
                self._partial_since = None
                return event
            if self.connection.held and self._partial_since is None:
                self._partial_since = trio.current_time()
            data = await self._transport.receive_some()
            self._heard = self._received = trio.current_time()
            self._tally.bytes_in += len(data)
            self.connection.receive_data(data)

    async def _take(self, event: Incoming, handle: Callable[["Session", Command], Awaitable[None]]) -> None:
        if isinstance(event, Command):
            self._wished = trio.current_time()
            self._asked[event.id] = trio.current_time()
            await handle(self, event)
        elif isinstance(event, Ping):
            self.send(Pong(n=event.n))
        elif isinstance(event, Pong):
            self._round_trip.answered(event.n, self._received)
        elif isinstance(event, Bye):
            self.on_purpose = True
            self._close()
        elif isinstance(event, InvalidMessage):
            self.refuse(event.id, errors.INVALID_MESSAGE, details={"type": event.type, "detail": event.detail})
        elif isinstance(event, UnknownMessage):
            self.refuse(event.id, errors.UNKNOWN_COMMAND, details={"type": event.type})

    async def _slow_down(self) -> None:
        """Make a peer that sends too much wait for its own turn; it is told once each time that it happens."""
        now = trio.current_time()
        rate, burst = self._settings.message_rate, float(self._settings.message_burst)
        cost = 1 + self.connection.taken // self._settings.message_bytes
        self._tokens = min(burst, self._tokens + (now - self._tokens_at) * rate) - cost
        self._tokens_at = now
        if self._tokens >= 0:
            self._warned = self._warned and self._tokens < burst / 2
            return
        if not self._warned:
            self._warned = True
            self.refuse(None, errors.TOO_MANY_MESSAGES)
        await trio.sleep(-self._tokens / rate)
        self._heard = trio.current_time()

    async def _write(self) -> None:
        """Send what could not be sent at once, until the last words are out."""
        try:
            while self._outbox or not self._closing:
                while self._outbox:
                    frame, ping = self._outbox.popleft()
                    self._sending = True
                    await self._transport.send_all(frame)
                    self._sending = False
                    if ping is not None:
                        # Not sooner: what waited behind long frames was not under way.
                        self._round_trip.left(ping, trio.current_time())
                    self._outbox_bytes = max(0, self._outbox_bytes - len(frame))
                if not self._closing:
                    self._wake_writer = trio.Event()
                    await self._wake_writer.wait()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._close()  # the peer is gone, and with it whoever would read the rest
        finally:
            self._written.set()

    async def _watch(self) -> None:
        """Ping, and end a connection that is silent or does not finish its frame."""
        settings = self._settings
        pinged = trio.current_time()
        while not self._closing:
            due = self._next_look(pinged)
            self._look = trio.Event()
            with trio.move_on_at(due):
                await self._look.wait()
            now = trio.current_time()
            # While this process itself stood still nobody could be heard: that is not the peer's silence.
            late = max(0.0, now - due)
            self._heard += late
            if self._partial_since is not None:
                self._partial_since += late
            if self._partial_since is not None and now - self._partial_since >= settings.partial_frame_seconds:
                self.end(errors.FRAME_TIMEOUT, reconnect=True)
            elif now - self._heard >= settings.silence_seconds:
                self.end(errors.SILENT, reconnect=True)
            elif self._idle(now) >= settings.idle_seconds:
                self.end(errors.IDLE, reconnect=False)
            elif self.who is not None and now >= pinged + self._ping_seconds():
                pinged = now
                self._ping += 1
                self.send(Ping(n=self._ping))

    def _next_look(self, pinged: float) -> float:
        """When something may be due: of hundreds of connections each look costs, and most find nothing."""
        settings, now = self._settings, trio.current_time()
        least = min(WATCH_SECONDS, settings.ping_seconds, settings.race_ping_seconds)
        moments = [
            pinged + self._ping_seconds(),
            self._heard + settings.silence_seconds,
            self._wished + settings.idle_seconds,
            # A frame that begins only after this look.
            (now if self._partial_since is None else self._partial_since) + settings.partial_frame_seconds,
        ]
        return max(now + least, min(moments))

    @property
    def racing(self) -> bool:
        """Whether it plays a game in which being first counts, so that the round trip must be known as it is now."""
        return self._racing

    @racing.setter
    def racing(self, racing: bool) -> None:
        if racing and not self._racing:
            self._look.set()  # pings come more often from now on
        self._racing = racing

    def _ping_seconds(self) -> float:
        settings = self._settings
        return min(settings.ping_seconds, settings.race_ping_seconds) if self.racing else settings.ping_seconds

    def _idle(self, now: float) -> float:
        """For how many seconds a person without a seat has asked for nothing; with a seat this does not count."""
        who = self.who
        if who is None or who.kind != "person" or who.table is not None:
            self._wished = now
        return now - self._wished

    async def _farewell(self) -> None:
        """Let the last words leave, then wait a moment for the peer to close: closing first would let the kernel throw
        away what the peer has not read yet."""
        with trio.move_on_after(self._settings.farewell_seconds):
            try:
                self._wake_writer.set()
                await self._written.wait()
                await self._transport.send_eof()
                while await self._transport.receive_some():
                    pass
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return  # the peer is gone
