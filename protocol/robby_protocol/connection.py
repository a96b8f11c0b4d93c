"""One connection of the protocol, without input or output: bytes in, events out; messages in, bytes out.

Both sides walk through the same states, since the handshake strictly takes turns; `TRANSITIONS` is the whole of it.
The caller moves the bytes, keeps the time limits and answers the commands; this module knows no clock and no socket.

    connection.receive_data(data)                       # b"" at the end of the stream
    while (event := connection.next_event()) is not NEED_DATA: …
    await stream.send_all(connection.send(message))
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal

import msgspec

from robby_protocol import codec, errors, framing, handshake, identity
from robby_protocol.errors import LocalProtocolError, RemoteProtocolError, UnsendableError
from robby_protocol.framing import FrameReader
from robby_protocol.handshake import PROTOCOL_VERSIONS, Version
from robby_protocol.messages import (
    COMMANDS,
    FROM_CLIENT,
    FROM_SERVER,
    Bye,
    Clock,
    Decision,
    GameUpdate,
    Goodbye,
    Greeting,
    Hello,
    Login,
    Message,
    Ok,
    Ping,
    Pong,
    Refused,
    Welcome,
)
from robby_protocol.messages.base import MAX_REQUEST_ID


class Role(Enum):
    """Which side of the connection we are."""

    CLIENT = "client"
    SERVER = "server"

    __hash__ = object.__hash__  # there is one of each; Enum's own is a call of Python's for every message


class State(Enum):
    """How far the connection is; the same on both sides but for what is still on its way."""

    __hash__ = object.__hash__  # as for Role

    START = "start"
    """Nothing said; the client's hello is due."""
    GREETING = "greeting"
    """Hello said; the server's greeting is due."""
    LOGIN = "login"
    """Greeting said; the client's login is due."""
    WELCOME = "welcome"
    """Login said; the server's welcome is due."""
    OPEN = "open"
    """The handshake is done."""
    PARTING = "parting"
    """Bye said: the client says no more; what the server still says does no harm."""
    CLOSED = "closed"
    """Refused or goodbye said: nothing more in either direction."""


Moves = Mapping[type[Message], State]


def _stay(state: State, *kinds: type[Message]) -> dict[type[Message], State]:
    return dict.fromkeys(kinds, state)


_SERVER_TALK: tuple[type[Message], ...] = tuple(
    kind for kind in FROM_SERVER if kind not in (Greeting, Welcome, Refused, Goodbye)
)

TRANSITIONS: Mapping[State, Mapping[Role, Moves]] = {
    State.START: {
        Role.CLIENT: {Hello: State.GREETING},
        Role.SERVER: {Refused: State.CLOSED},
    },
    State.GREETING: {
        Role.CLIENT: {},
        Role.SERVER: {Greeting: State.LOGIN, Refused: State.CLOSED},
    },
    State.LOGIN: {
        Role.CLIENT: {Login: State.WELCOME},
        Role.SERVER: {Refused: State.CLOSED},
    },
    State.WELCOME: {
        Role.CLIENT: {},
        Role.SERVER: {Welcome: State.OPEN, Refused: State.CLOSED},
    },
    State.OPEN: {
        Role.CLIENT: {**_stay(State.OPEN, Ping, Pong, *COMMANDS), Bye: State.PARTING},
        Role.SERVER: {**_stay(State.OPEN, *_SERVER_TALK), Goodbye: State.CLOSED},
    },
    State.PARTING: {
        Role.CLIENT: {},
        Role.SERVER: {**_stay(State.PARTING, *_SERVER_TALK), Goodbye: State.CLOSED},
    },
    State.CLOSED: {
        Role.CLIENT: {},
        Role.SERVER: {},
    },
}
"""state → who speaks → message → next state. Whatever is not here is an error of whoever says it."""

_OWED_BY_SERVER = frozenset((State.GREETING, State.WELCOME))
_HANDSHAKE = frozenset((State.START, State.GREETING, State.LOGIN, State.WELCOME))


class _Signal(Enum):
    NEED_DATA = "need data"


NEED_DATA: Final = _Signal.NEED_DATA
"""No whole frame is there: feed more with `receive_data`."""


@dataclass(frozen=True)
class UnknownMessage:
    """Server only: the client sent what this version does not know, or what only a server says.

    type: as sent, cut and made printable. id: the command's, where it has one that can be echoed.
    """

    type: str
    id: int | None


@dataclass(frozen=True)
class InvalidMessage:
    """A message we know with a field missing or wrong. detail: which, for the log and the sender.

    id: the command's `id` (as a server) or the answer's `re` (as a client), where it can be read.
    """

    type: str
    id: int | None
    detail: str


@dataclass(frozen=True)
class ConnectionClosed:
    """Nothing more will come. mid_frame: the stream ended inside a frame."""

    mid_frame: bool = False


Event = Message | UnknownMessage | InvalidMessage | ConnectionClosed | Literal[_Signal.NEED_DATA]


class Connection:
    """The protocol's side of one connection.

    role: which side we are. versions: those that we speak (tests give others).
    """

    def __init__(self, role: Role, versions: Sequence[Version] = PROTOCOL_VERSIONS) -> None:
        self.role: Final = role
        self.versions: Final = tuple(versions)
        self.state = State.START
        self.version: Version | None = None
        """The version in use: at a server from the hello on, at a client from the greeting on."""
        self.taken = 0
        """Bytes of the newest event's body: what it cost to read depends on that."""
        self._peer = Role.SERVER if role is Role.CLIENT else Role.CLIENT
        self._kinds: Mapping[str, type[Message]] = _BY_TAG[self._peer]
        self._reader = FrameReader(_limit(self._peer, State.START))
        self._eof = False
        self._broken: RemoteProtocolError | None = None
        self._hello: Hello | None = None
        self._greeting: Greeting | None = None
        self._hello_digest = b""
        self._greeting_digest = b""

    # Receiving.

    @property
    def held(self) -> int:
        """How many bytes wait for the rest of their frame, once `next_event` has said NEED_DATA: for a time limit."""
        return self._reader.held

    def receive_data(self, data: bytes) -> None:
        """Hand over what was received; b"" means that the stream has ended.

        Take all events before handing over more: then no more than one frame is ever held.
        Raises LocalProtocolError for data after the end.
        """
        if not data:
            self._eof = True
        elif self._eof:
            raise LocalProtocolError("data after the end of the stream")
        elif self._broken is None and self.state is not State.CLOSED:
            self._reader.feed(data)

    def next_event(self) -> Event:
        """The next thing that the peer said.

        Raises RemoteProtocolError where the peer broke the protocol, again at each further call; `close_with` makes
        the farewell. Raises LocalProtocolError where a server owes an answer to a hello or login.
        """
        if self._broken is not None:
            raise self._broken
        while True:
            if self.state is State.CLOSED or (self.state is State.PARTING and self.role is Role.SERVER):
                self._reader.clear()
                return ConnectionClosed()
            if self.role is Role.SERVER and self.state in _OWED_BY_SERVER:
                raise LocalProtocolError(f"the {self.state.value} is still to be sent")
            try:
                body = self._reader.next_body()
                self.taken = 0 if body is None else len(body)
                event = None if body is None else self._understand(body)
            except RemoteProtocolError as error:
                self._broken = error
                self._reader.clear()
                raise
            if event is not None:
                return event
            if body is None:
                return ConnectionClosed(mid_frame=self._reader.held > 0) if self._eof else NEED_DATA

    def _understand(self, body: bytes) -> Event | None:
        """The event in a body, None for what is to be ignored. Moves the state."""
        values = codec.unpack(body, _MAX_VALUES[self._peer])
        kind = self._kinds.get(values["type"])
        moves = TRANSITIONS[self.state][self._peer]
        if kind not in moves:
            if kind is None and self.state not in _HANDSHAKE:
                return self._unknown(values)
            raise RemoteProtocolError(errors.HANDSHAKE_ORDER, codec.printable(values["type"]))
        if kind is Hello:
            self._choose_version(values)
        try:
            message: Message = msgspec.convert(values, kind, strict=True, builtin_types=(bytes,))
        except msgspec.ValidationError as error:
            detail = codec.printable(str(error))
            if self.state in _HANDSHAKE:
                raise RemoteProtocolError(errors.INVALID_MESSAGE, detail) from None
            return InvalidMessage(values["type"], self._request_id(values), detail)
        if isinstance(message, Greeting):
            self._accept_version(message)
        self._went(message, body)
        return message

    def _unknown(self, values: dict[str, Any]) -> UnknownMessage | None:
        if self.role is Role.CLIENT:
            return None
        return UnknownMessage(codec.printable(values["type"]), self._request_id(values))

    def _request_id(self, values: dict[str, Any]) -> int | None:
        found = values.get("id" if self.role is Role.SERVER else "re")
        return found if type(found) is int and 1 <= found <= MAX_REQUEST_ID else None

    def _choose_version(self, values: dict[str, Any]) -> None:
        offered = handshake.read_versions(values)
        if not offered:
            raise RemoteProtocolError(errors.INVALID_MESSAGE, "no versions")
        try:
            self.version = handshake.choose_version(offered, self.versions)
        except handshake.NoCommonVersionError as error:
            raise RemoteProtocolError(error.code, codec.printable(f"offered {offered}")) from None

    def _accept_version(self, greeting: Greeting) -> None:
        if not handshake.may_answer(greeting.version, self.versions):
            raise RemoteProtocolError(errors.INVALID_MESSAGE, f"version {greeting.version} was not offered")
        self.version = greeting.version

    # Sending.

    def send(self, message: Message) -> bytes:
        """The frame to be sent for a message. Raises LocalProtocolError where this may not be said now."""
        self._allowed(type(message))
        if isinstance(message, Greeting) and message.version != self.version:
            raise LocalProtocolError(f"the version for this client is {self.version}")
        body = codec.pack(message)
        self._fits(body)
        self._went(message, body)
        return framing.add_header(body)

    def send_answer(self, re: int, result: bytes) -> bytes:
        """The frame of an `ok` around a result that `codec.pack_result` packed once for everyone who asks the same."""
        self._allowed(Ok)
        body = codec.pack_answer(re, result)
        self._fits(body)
        return framing.add_header(body)

    def send_update(
        self,
        *,
        table: str,
        match: str,
        seq: int,
        public: bytes,
        own: Mapping[str, Any] | None = None,
        own_events: Sequence[Mapping[str, Any]] = (),
        decision: Decision | None = None,
        clock: Clock | None = None,
    ) -> bytes:
        """The frame of a `game.update` around a public part that `codec.encode_public` encoded once for everyone."""
        self._allowed(GameUpdate)
        body = codec.pack_update(
            table=table,
            match=match,
            seq=seq,
            public=public,
            own=own,
            own_events=own_events,
            decision=decision,
            clock=clock,
        )
        self._fits(body)
        return framing.add_header(body)

    def close_with(
        self, code: str, *, text: str | None = None, accepts: dict[str, Any] | None = None, reconnect: bool = False
    ) -> bytes:
        """The last frame, whatever the state: *refused*, *goodbye*, or a client's *bye*; b"" where none can be sent.

        text: for people, by default the code's. accepts: for *refused*, by default what the handshake knows.
        """
        if self.role is Role.CLIENT:
            return self.send(Bye()) if self.state is State.OPEN else b""
        if self.state is State.CLOSED:
            return b""
        words = errors.text_for(code) if text is None else text
        if self.state in _HANDSHAKE:
            known = handshake.accepted(code, self.versions) if accepts is None else accepts
            return self.send(Refused(code=code, text=words, accepts=known))
        return self.send(Goodbye(code=code, text=words, reconnect=reconnect))

    # Proofs: what is signed depends on the very bytes that were exchanged here.

    def server_proof_payload(self, server_id: bytes, challenge: bytes) -> bytes:
        """What the server signs for the greeting. Server: once hello was received. Client: once greeting was."""
        if self._hello is None or self.version is None:
            raise LocalProtocolError("hello has not been exchanged")
        return identity.server_proof_payload(
            hello_digest=self._hello_digest,
            nonce=self._hello.nonce,
            server_id=server_id,
            challenge=challenge,
            version=self.version,
        )

    def login_proof_payload(self, name: str, key: bytes) -> bytes:
        """What a client signs to log in with a key on this connection, once greeting was exchanged."""
        return identity.login_proof_payload(
            **self._exchanged(),
            name=name,
            key=key,
        )

    def password_proof_payload(self, name: str) -> bytes:
        """What the password's proof is made over on this connection, once greeting was exchanged."""
        return identity.password_proof_payload(
            **self._exchanged(),
            name=name,
        )

    def table_password_payload(self, table: str) -> bytes:
        """What a private table's password is proven over on this connection. table: its id as the server spells it."""
        return identity.table_password_payload(
            **self._exchanged(),
            table=table,
        )

    def _exchanged(self) -> dict[str, bytes]:
        """What every proof of a client is bound to: this connection, and this server."""
        greeting = self._greeted()
        return {
            "hello_digest": self._hello_digest,
            "greeting_digest": self._greeting_digest,
            "server_id": greeting.server_id,
            "challenge": greeting.challenge,
        }

    # Both ways.

    def _greeted(self) -> Greeting:
        if self._greeting is None:
            raise LocalProtocolError("greeting has not been exchanged")
        return self._greeting

    def _allowed(self, kind: type[Message]) -> None:
        if kind not in TRANSITIONS[self.state][self.role]:
            raise LocalProtocolError(f"a {self.role.value} may not send {kind.__name__} in state {self.state.value}")

    def _fits(self, body: bytes) -> None:
        limit = _limit(self.role, self.state)
        if len(body) > limit:
            raise UnsendableError(f"the message has {len(body)} bytes, {limit} are allowed")

    def _went(self, message: Message, body: bytes) -> None:
        """Follow a message that was sent or received."""
        sender = self.role if type(message) in TRANSITIONS[self.state][self.role] else self._peer
        if isinstance(message, Hello):
            self._hello, self._hello_digest = message, identity.digest(body)
        elif isinstance(message, Greeting):
            self._greeting, self._greeting_digest = message, identity.digest(body)
        self.state = TRANSITIONS[self.state][sender][type(message)]
        self._reader.limit = _limit(self._peer, self.state)


def _limit(sender: Role, state: State) -> int:
    """The most bytes of a body that this side may send in this state."""
    if sender is Role.CLIENT:
        return framing.LIMIT_HANDSHAKE_FROM_CLIENT if state in _HANDSHAKE else framing.LIMIT_FROM_CLIENT
    return framing.LIMIT_HANDSHAKE_FROM_SERVER if state in _HANDSHAKE else framing.LIMIT_FROM_SERVER


def _by_tag(kinds: Sequence[type[Message]]) -> dict[str, type[Message]]:
    return {str(kind.__struct_config__.tag): kind for kind in kinds}


_MAX_VALUES: Mapping[Role, int] = {
    Role.CLIENT: codec.MAX_VALUES_FROM_CLIENT,
    Role.SERVER: codec.MAX_VALUES_FROM_SERVER,
}
_BY_TAG: Mapping[Role, Mapping[str, type[Message]]] = {
    Role.CLIENT: _by_tag(FROM_CLIENT),
    Role.SERVER: _by_tag(FROM_SERVER),
}
