"""What the screens hold of the network: the client, whether it is there, and commands sent without waiting.

Every command runs in a worker of the app, never inside a handler, and ends in one of two callbacks; a fault of the
network is a text for the person, never an exception.
"""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from robby_client.address import Address
from robby_client.client import NotConnected, Refused
from robby_client.dial import TlsPlan
from robby_client.files import NotWritable
from robby_client.world import World
from robby_protocol.messages import Command
from robby_tui.notices import Notices
from robby_tui.presses import Presses
from robby_tui.source import ClientLike
from robby_tui.talk import Talk

OnDone = Callable[[dict[str, Any]], None]
OnRefused = Callable[[str, str], None]
"""Called with code and text."""


@dataclass(frozen=True)
class Offline:
    """The server is away. text: why. retry_at: when the next try is, on the monotonic clock."""

    code: str
    text: str
    attempt: int
    retry_at: float


class Link:
    """The one connection, as the screens see it.

    run: starts a coroutine as a worker of the app.
    """

    def __init__(self, run: Callable[[Coroutine[Any, Any, None]], object]) -> None:
        self._run = run
        self.client: ClientLike | None = None
        self.offline: Offline | None = None
        self.logged_in = False
        self.presses = Presses()
        self.talk = Talk()
        self.notices = Notices()
        self.address: Address | None = None
        """Where the server is, as the person wrote it."""
        self.own_server = False
        """Whether the server is there for this person's game alone, so that nobody is asked to come."""
        self.tls: TlsPlan | None = None
        self._empty = World()

    @property
    def world(self) -> World:
        """The client's picture of the world; an empty one without a client."""
        return self._empty if self.client is None else self.client.world

    @property
    def here(self) -> bool:
        """Whether something could be sent now."""
        return self.client is not None and self.logged_in and self.offline is None

    def call(
        self, command: type[Command], /, *, done: OnDone | None = None, refused: OnRefused | None = None, **fields: Any
    ) -> None:
        """Send a command; its answer comes to `done` or `refused`."""
        client = self.client
        if client is not None:
            self._run(_await(client.call(command, **fields), done, refused))

    def ask(
        self,
        what: Callable[[ClientLike], Awaitable[Any]],
        *,
        done: Callable[[Any], None] | None = None,
        refused: OnRefused | None = None,
    ) -> None:
        """Let the client do this; its answer comes to `done` or `refused`."""
        client = self.client
        if client is not None:
            self._run(_await(what(client), done, refused))

    def act(self, action: Struct, decision: int, *, refused: OnRefused) -> None:
        """Answer this very decision."""
        client = self.client
        if client is not None:
            self._run(_await(client.act(action, decision=decision), None, refused))


async def _await(answer: Awaitable[Any], done: Callable[[Any], None] | None, refused: OnRefused | None) -> None:
    try:
        result = await answer
    except (Refused, NotConnected) as error:
        if refused is not None:
            refused(error.code, error.text)
        return
    except NotWritable as error:
        if refused is not None:
            refused("not_writable", error.reason)
        return
    if done is not None:
        done({} if result is None else result)
