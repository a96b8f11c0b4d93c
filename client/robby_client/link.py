"""One connection from the hello to its end: handshake, heartbeats, a reader and a writer.

It never comes back by itself; `client` makes another one.

The protocol's own state is in `robby_protocol.connection`; here bytes are moved and time is kept.
"""

import contextlib
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import anyio
from anyio.abc import ByteStream

from robby_client.codes import (
    CONNECTION_LOST,
    NO_ROBBY_SERVER,
    PASSWORD_NEEDED,
    SERVER_PROOF_WRONG,
    SERVER_SILENT,
    refusal,
    text_for,
)
from robby_client.login import LoginPlan, Timings
from robby_protocol import identity
from robby_protocol.connection import NEED_DATA, Connection, ConnectionClosed, InvalidMessage, Role
from robby_protocol.errors import (
    BANNED,
    CLIENT_TOO_OLD,
    FRAME_TIMEOUT,
    HANDSHAKE_TIMEOUT,
    IDLE,
    INTERNAL,
    NAME_INVALID,
    REMOVED,
    REPLACED,
    SERVER_FULL,
    SERVER_STOPPING,
    SERVER_TOO_OLD,
    SILENT,
    TLS_REQUIRED,
    TOO_MANY_ATTEMPTS,
    TOO_MANY_MESSAGES,
    TOO_SLOW,
    LocalProtocolError,
    RemoteProtocolError,
)
from robby_protocol.handshake import PROTOCOL_VERSIONS
from robby_protocol.messages import Bye, Goodbye, Greeting, Hello, Login, Message, Ping, Pong, Refused, Welcome

CLIENT_NAME = "robby"
MAX_WAITING = 256
"""Frames waiting to be sent; a person or a bot never has more than a few, so more means that nobody reads."""

HEALING: frozenset[str] = frozenset(
    {
        FRAME_TIMEOUT,
        HANDSHAKE_TIMEOUT,
        INTERNAL,
        SERVER_FULL,
        SERVER_STOPPING,
        SILENT,
        TOO_MANY_MESSAGES,
        TOO_SLOW,
    }
)
"""Refusals that may be gone at the next try. All others stay as they are until a person changes something."""

FINAL: frozenset[str] = frozenset({BANNED, IDLE, REMOVED, REPLACED, TLS_REQUIRED, TOO_MANY_ATTEMPTS})
"""Farewells after which nobody comes back by itself, whatever the server says: a person has to wish it anew."""

_BYE = Bye()
MessageT = TypeVar("MessageT", bound=Message)

_NETWORK_ERRORS = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)


@dataclass
class LinkError(Exception):
    """The connection has ended. code, text: why. heals: whether another try may go better.

    server_id: of a server that is not to be trusted without asking.
    """

    code: str
    text: str
    heals: bool
    server_id: bytes | None = None

    def __str__(self) -> str:
        return f"{self.code}: {self.text}"


def lost(code: str = CONNECTION_LOST) -> LinkError:
    """A loss that may heal."""
    return LinkError(code, text_for(code), heals=True)


def ended(code: str, text: str | None = None) -> LinkError:
    """An end that does not heal by trying again."""
    return LinkError(code, text_for(code) if text is None else text, heals=False)


@dataclass(frozen=True)
class _Frame:
    data: bytes
    on_sent: Callable[[], None] | None


class Link:
    """One connection over a stream that it owns.

    First `handshake`, then `serve`. `send` and `close` may be called at any time from the same event loop.
    """

    def __init__(self, stream: ByteStream, timings: Timings) -> None:
        self._stream = stream
        self._timings = timings
        self._connection = Connection(Role.CLIENT)
        self._waiting: deque[_Frame] = deque()
        self._more: anyio.Event | None = None
        self._scope: anyio.CancelScope | None = None
        self._error: LinkError | None = None
        self._closing = False
        self._heard = 0.0
        self._pings = 0

    # Handshake.

    async def handshake(
        self,
        plan: LoginPlan,
        *,
        token_for: Callable[[bytes], bytes],
        trusted: Callable[[bytes, bool], str | None],
    ) -> tuple[Greeting, Welcome]:
        """Log in. The caller keeps the time limit. Raises LinkError.

        token_for: a guest's token for a server id. trusted: asked with the server's id and whether it proved it; gives
        the code for which not to go on, or None.
        """
        nonce = secrets.token_bytes(32)
        hello = Hello(versions=list(PROTOCOL_VERSIONS), client=CLIENT_NAME, nonce=nonce)
        greeting = await self._ask(hello, Greeting)
        if greeting.proof:
            payload = self._connection.server_proof_payload(greeting.server_id, greeting.challenge)
            if not identity.verify(greeting.server_id, payload, greeting.proof):
                raise ended(SERVER_PROOF_WRONG)
        doubt = trusted(greeting.server_id, bool(greeting.proof))
        if doubt is not None:
            raise LinkError(doubt, text_for(doubt), heals=False, server_id=greeting.server_id)
        return greeting, await self._ask(self._login(greeting, plan, token_for), Welcome)

    async def _ask(self, message: Message, wanted: type[MessageT]) -> MessageT:
        try:
            data = self._connection.send(message)
        except LocalProtocolError as error:
            # Nothing but a name can make these too long.
            raise ended(NAME_INVALID) from error
        # A server that refuses at once may have closed already; what it said is still there to be read.
        with contextlib.suppress(*_NETWORK_ERRORS):
            await self._stream.send(data)
        try:
            while True:
                event = self._connection.next_event()
                if event is NEED_DATA:
                    await self._feed()
                elif isinstance(event, wanted):
                    return event
                elif isinstance(event, Refused):
                    raise LinkError(event.code, refusal(event.code, event.text), heals=event.code in HEALING)
                elif isinstance(event, ConnectionClosed):
                    raise lost()
        except RemoteProtocolError as error:
            code = error.code if error.code in (CLIENT_TOO_OLD, SERVER_TOO_OLD) else NO_ROBBY_SERVER
            if error.detail == "tls":
                code = TLS_REQUIRED
            raise ended(code) from error

    def _login(self, greeting: Greeting, plan: LoginPlan, token_for: Callable[[bytes], bytes]) -> Login:
        server_id = greeting.server_id
        seed = plan.key
        if seed is None and plan.key_for is not None:
            seed = plan.key_for(server_id)
        proof = b""
        if greeting.password_required:
            if plan.password is None:
                raise ended(PASSWORD_NEEDED)
            secret = plan.password_secret(server_id)
            proof = identity.password_proof(secret, self._connection.password_proof_payload(plan.name))
        if seed is not None:
            key = identity.public_key(seed)
            signature = identity.sign(seed, self._connection.login_proof_payload(plan.name, key))
            return Login(method="key", name=plan.name, key=key, proof=signature, password_proof=proof)
        return Login(method="guest", name=plan.name, resume=token_for(server_id), password_proof=proof)

    # After the handshake.

    def send(self, message: Message, on_sent: Callable[[], None] | None = None) -> None:
        """Put a message in the queue. on_sent: called just before its bytes go out.

        Raises LocalProtocolError if it cannot be sent at all.
        """
        frame = _Frame(self._connection.send(message), on_sent)
        if len(self._waiting) >= MAX_WAITING:
            self._end(lost(SERVER_SILENT))
            return
        self._waiting.append(frame)
        self._wake()

    def table_password_payload(self, table: str) -> bytes:
        """What a private table's password is proven over on this connection. table: its id as the server spells it."""
        return self._connection.table_password_payload(table)

    def close(self) -> None:
        """Say bye, let out what waits, and end `serve`, within the time for farewells."""
        if not self._closing:
            self._closing = True
            if self._scope is not None:
                self._part(self._scope)

    def _part(self, scope: anyio.CancelScope) -> None:
        try:
            self.send(_BYE)
        except LocalProtocolError:
            scope.cancel()  # the server has parted already
        else:
            scope.deadline = anyio.current_time() + self._timings.farewell

    async def serve(self, on_message: Callable[[Message | InvalidMessage], None]) -> None:
        """Read and write until the end. Returns after `close`; raises LinkError for any other end."""
        self._heard = anyio.current_time()
        async with anyio.create_task_group() as group:
            self._scope = group.cancel_scope
            group.start_soon(self._read, on_message)
            group.start_soon(self._write)
            group.start_soon(self._beat)
            if self._closing:
                self._part(self._scope)
        self._scope = None
        if not self._closing:
            raise self._error or lost()

    async def aclose(self) -> None:
        """Close the stream, whatever happens."""
        with anyio.CancelScope(shield=True):
            await anyio.aclose_forcefully(self._stream)

    def _end(self, error: LinkError) -> None:
        if self._error is None:
            self._error = error
        if self._scope is not None:
            self._scope.cancel()

    def _wake(self) -> None:
        if self._more is not None:
            self._more.set()
            self._more = None

    async def _feed(self) -> None:
        try:
            data = await self._stream.receive()
        except _NETWORK_ERRORS:
            data = b""
        self._connection.receive_data(data)

    async def _read(self, on_message: Callable[[Message | InvalidMessage], None]) -> None:
        try:
            while True:
                event = self._connection.next_event()
                if event is NEED_DATA:
                    with anyio.CancelScope(deadline=self._heard + self._timings.silence) as scope:
                        await self._feed()
                    if scope.cancelled_caught:
                        raise lost(SERVER_SILENT)
                    self._heard = anyio.current_time()
                elif isinstance(event, ConnectionClosed):
                    raise lost()
                elif isinstance(event, Message):
                    self._took(event, on_message)
                elif isinstance(event, InvalidMessage):
                    on_message(event)
        except LinkError as error:
            self._end(error)
        except RemoteProtocolError as error:
            self._end(LinkError(error.code, text_for(error.code), heals=True))

    def _took(self, message: Message, on_message: Callable[[Message | InvalidMessage], None]) -> None:
        if isinstance(message, Ping):
            if not self._closing:
                self.send(Pong(n=message.n))
            return
        on_message(message)
        if isinstance(message, Goodbye):
            heals = message.reconnect and message.code not in FINAL
            raise LinkError(message.code, refusal(message.code, message.text), heals)

    async def _write(self) -> None:
        try:
            while True:
                while self._waiting:
                    frame = self._waiting.popleft()
                    if frame.on_sent is not None:
                        frame.on_sent()
                    await self._stream.send(frame.data)
                if self._closing:
                    # Bye is out. The server closes now; until then what it still says is read, for a close with
                    # unread data would reset the connection and could take the bye with it.
                    return
                self._more = anyio.Event()
                await self._more.wait()
        except _NETWORK_ERRORS:
            # What the server said last may still be unread: the reader finds the end, or the silence is noticed.
            return

    async def _beat(self) -> None:
        while not self._closing:
            await anyio.sleep(self._timings.ping)
            if not self._closing:
                self._pings += 1
                self.send(Ping(n=self._pings))
