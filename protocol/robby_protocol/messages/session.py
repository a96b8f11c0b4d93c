"""Life of a connection after the handshake: heartbeats, answers, farewells."""

from typing import Any

from robby_protocol.messages.base import Code, Message, Natural, RequestId, Text


class Ping(Message, tag="ping", kw_only=True, frozen=True):
    """Either side may ask; the other answers with a pong of the same number."""

    n: Natural


class Pong(Message, tag="pong", kw_only=True, frozen=True):
    """The answer to a ping."""

    n: Natural


class Ok(Message, tag="ok", kw_only=True, frozen=True):
    """The one answer to a command that was done. `result` is described at each command."""

    re: RequestId
    result: dict[str, Any] = {}


class Error(Message, tag="error", kw_only=True, frozen=True):
    """The one answer to a command that was refused; nothing has changed.

    re: the command's id, or none where the server could not tell which command it was.
    code: stable, for programs. text: for people, with a remedy. details: what a program may want besides.
    """

    re: RequestId | None = None
    code: Code
    text: Text
    details: dict[str, Any] = {}


class Goodbye(Message, tag="goodbye", kw_only=True, frozen=True):
    """The server's last word before it closes. reconnect: whether the client should come back by itself."""

    code: Code
    text: Text
    reconnect: bool


class Notice(Message, tag="notice", kw_only=True, frozen=True):
    """Something that everybody on the server should know. code: `operator` (text is the operator's own),
    `draining` (no new tables, the server stops when the last ends), `not_kept`, `kept`.
    """

    code: Code
    text: Text


class Bye(Message, tag="bye", kw_only=True, frozen=True):
    """The client's last word: it closes on purpose. A seat in a running game is kept, as after a loss; a seat at a
    table that waits is given up."""
