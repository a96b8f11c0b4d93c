"""What the screens hold of the network: the client, whether it is there, and commands sent without waiting.

Every command runs in a worker of the app, never inside a handler, and ends in one of two callbacks; a fault of the
network is a text for the person, never an exception.
"""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from robby_client.client import NotConnected, Refused
from robby_client.world import World
from robby_protocol.messages import Command
from robby_tui.presses import Presses
from robby_tui.source import ClientLike

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

    def act(self, action: Struct, decision: int, *, refused: OnRefused) -> None:
        """Answer this very decision."""
        client = self.client
        if client is not None:
            self._run(_await(client.act(action, decision=decision), None, refused))


async def _await(answer: Awaitable[dict[str, Any] | None], done: OnDone | None, refused: OnRefused | None) -> None:
    try:
        result = await answer
    except (Refused, NotConnected) as error:
        if refused is not None:
            refused(error.code, error.text)
        return
    if done is not None:
        done(result or {})
