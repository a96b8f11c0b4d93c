"""The handshake: hello → greeting → login → welcome, or *refused* at any step. Frozen for ever: it never changes.

The client speaks first. `hello` and its versions can be read by any server of any age; everything new goes into
`extensions`. After *refused* the server closes the connection.
"""

from typing import Annotated

from msgspec import Meta, Struct

from robby_protocol.messages.base import (
    Code,
    Digest,
    DigestOrNone,
    Extensions,
    Message,
    Name,
    Natural,
    Signature,
    Text,
    none_or_whole,
)

Version = tuple[Natural, Natural]
"""(major, minor). Equal majors understand each other; the minor in use is the smaller of both."""


class Hello(Message, tag="hello", kw_only=True, frozen=True):
    """First frame of a connection.

    versions: for each major the client speaks, the highest minor, in any order.
    client: name and version of the program, for people.
    nonce: 32 random bytes, fresh for this connection, that the server signs to prove its id, or none (0 bytes).
    """

    versions: Annotated[list[Version], Meta(min_length=1, max_length=16)]
    client: Annotated[str, Meta(max_length=100)] = ""
    nonce: DigestOrNone = b""
    extensions: Extensions = {}

    def __post_init__(self) -> None:
        none_or_whole("nonce", self.nonce, 32)


class GameOffer(Struct, kw_only=True, frozen=True):
    """A game that this server plays. version: of its rules and wire types. bots: the bots the server can seat."""

    name: Code
    version: Natural
    bots: list[Code] = []


class Greeting(Message, tag="greeting", kw_only=True, frozen=True):
    """The server's answer to hello.

    version: the version both will speak from here on: of the highest major that both know, the smaller minor.
    server_id: the server's Ed25519 public key; clients remember it and warn when it changes.
    challenge: 32 fresh random bytes for this connection; a key login signs them.
    proof: the server's signature over the greeting's proof payload (see `identity`), if hello had a nonce, else none.
    password_required: login must carry a proof that one knows the server's password.
    methods: login methods offered: `guest`, `key`. games: what can be played here.
    """

    version: Version
    server_id: Digest
    server_name: Text
    software: Text
    challenge: Digest
    proof: Signature = b""
    password_required: bool = False
    methods: list[Code]
    games: list[GameOffer]
    extensions: Extensions = {}

    def __post_init__(self) -> None:
        none_or_whole("proof", self.proof, 64)


class Login(Message, tag="login", kw_only=True, frozen=True):
    """Who the client is.

    method: `guest` (a name, nothing to prove it) or `key` (an Ed25519 key kept by the client for this server).
    key: the public key, 32 bytes (method key).
    proof: signature over the login's proof payload, 64 bytes (method key).
    resume: the token from an earlier welcome, by which a guest is the same guest again; none otherwise.
    password_proof: HMAC over the login's password payload, 32 bytes, where the server requires a password; else none.
        The password itself is never sent.
    """

    method: Code
    name: Name
    key: DigestOrNone = b""
    proof: Signature = b""
    resume: Annotated[bytes, Meta(max_length=64)] = b""
    password_proof: DigestOrNone = b""
    extensions: Extensions = {}

    def __post_init__(self) -> None:
        none_or_whole("key", self.key, 32)
        none_or_whole("proof", self.proof, 64)
        none_or_whole("password_proof", self.password_proof, 32)


class Welcome(Message, tag="welcome", kw_only=True, frozen=True):
    """The login was accepted.

    identity: an opaque id of who this is, the same at each login with the same key or resume token.
    name: as the server shows it (normalised).
    resume: a guest's token for coming back; none for a key login, whose key does that.
    table: the table where this identity has a seat, if any; its `table.state` and, in a game, `game.history` and
        `game.update` follow by themselves.
    ping_ms: how often the server pings. silence_ms: how long a silent peer is kept; the client should do the same.
    """

    identity: Code
    name: Name
    resume: Annotated[bytes, Meta(max_length=64)] = b""
    table: Code | None = None
    ping_ms: Natural
    silence_ms: Natural
    extensions: Extensions = {}


class Refused(Message, tag="refused", kw_only=True, frozen=True):
    """The handshake ends here. `code` says why, `text` says it to a person, `accepts` says what would be accepted."""

    code: Code
    text: Text
    accepts: Extensions = {}
