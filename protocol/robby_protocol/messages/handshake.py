"""The handshake: hello → greeting → login → welcome, or *refused* at any step. Frozen for ever: it never changes.

The client speaks first. `hello` and its versions can be read by any server of any age; everything new goes into
`extensions`. After *refused* the server closes the connection.
"""

from typing import Annotated

from msgspec import Meta, Struct

from robby_protocol.messages.base import Code, Extensions, Message, Name, Natural, Text

Version = tuple[Natural, Natural]
"""(major, minor). Equal majors understand each other; the minor in use is the smaller of both."""
Digest = Annotated[bytes, Meta(min_length=32, max_length=32)]
Signature = Annotated[bytes, Meta(max_length=64)]
"""64 bytes of Ed25519, or none."""


class Hello(Message, tag="hello", kw_only=True, frozen=True):
    """First frame of a connection.

    versions: for each major the client speaks, the highest minor; best first.
    client: name and version of the program, for people.
    nonce: 32 random bytes that the server signs to prove its id, or none.
    """

    versions: Annotated[list[Version], Meta(min_length=1, max_length=16)]
    client: Annotated[str, Meta(max_length=100)] = ""
    nonce: Annotated[bytes, Meta(max_length=32)] = b""
    extensions: Extensions = {}


class GameOffer(Struct, kw_only=True, frozen=True):
    """A game that this server plays. version: of its rules and wire types. bots: the bots the server can seat."""

    name: Code
    version: Natural
    bots: list[Code] = []


class Greeting(Message, tag="greeting", kw_only=True, frozen=True):
    """The server's answer to hello.

    version: the version both will speak from here on.
    server_id: the server's Ed25519 public key; clients remember it and warn when it changes.
    challenge: 32 fresh random bytes for this connection; a key login signs them.
    proof: the server's signature over the greeting's proof payload (see `identity`), if hello had a nonce.
    methods: login methods offered: `guest`, `key`.
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


class Login(Message, tag="login", kw_only=True, frozen=True):
    """Who the client is.

    method: `guest` (a name, nothing to prove it) or `key` (an Ed25519 key kept by the client for this server).
    key: the public key, 32 bytes (method key).
    proof: signature over the login's proof payload (method key).
    resume: the token from an earlier welcome, by which a guest is the same guest again; none otherwise.
    """

    method: Code
    name: Name
    key: Annotated[bytes, Meta(max_length=32)] = b""
    proof: Signature = b""
    resume: Annotated[bytes, Meta(max_length=64)] = b""
    password: Annotated[str, Meta(max_length=200)] | None = None
    extensions: Extensions = {}


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
