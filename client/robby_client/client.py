"""The client: keeps one connection to a server, comes back when it is lost, and answers calls. Knows no screens."""

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from anyio.abc import ByteStream
from msgspec import Struct

from robby_client.codes import MAYBE_DONE, NOT_CONNECTED, text_for
from robby_client.events import ClientEvent
from robby_client.world import World
from robby_protocol.messages import Command, Greeting, Welcome

Dial = Callable[[], Awaitable[ByteStream]]


@dataclass(frozen=True)
class Timings:
    """All waits of a client, in seconds.

    ping: between our pings. silence: after this long without a frame the server counts as gone; with the waits below
    a dead server is noticed within 30 s. handshake: from the dial to the welcome.
    first_wait, longest_wait: before the first and between later tries to come back; they double, with jitter.
    steady: a connection that held this long makes the waits begin anew. farewell: for the last bytes of `stop`.
    """

    ping: float = 5.0
    silence: float = 25.0
    handshake: float = 10.0
    first_wait: float = 0.5
    longest_wait: float = 30.0
    steady: float = 10.0
    farewell: float = 1.0


@dataclass(frozen=True)
class LoginPlan:
    """Who to be, and what is known of the server.

    key: the private seed, 32 bytes; None: see key_for. key_for: asked with the server's id for the key to use there;
    None from it, or no key and no key_for: a guest. resume: a guest's token from earlier; resume_for likewise by
    server id. known_server_id: what the server must be; None: whoever answers.
    """

    name: str
    key: bytes | None = None
    password: str | None = None
    resume: bytes = b""
    known_server_id: bytes | None = None
    key_for: Callable[[bytes], bytes | None] | None = None
    resume_for: Callable[[bytes], bytes] | None = None


class Refused(Exception):  # noqa: N818 - the server's answer, not a fault
    """The server refused a command; nothing has changed. code: stable. text: for people, with a remedy."""

    def __init__(self, code: str, text: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text
        self.details = details or {}


class NotConnected(Exception):  # noqa: N818 - a state of the network, not a fault
    """A command was not sent (unsure: False), or its connection was lost before the answer came (unsure: True).

    It is never sent again by itself. After a resume the world tells whether it was done.
    """

    def __init__(self, *, unsure: bool = False) -> None:
        self.code = MAYBE_DONE if unsure else NOT_CONNECTED
        self.text = text_for(self.code)
        self.unsure = unsure
        super().__init__(f"{self.code}: {self.text}")


class Client:
    """One identity on one server.

    dial: makes a new connection, or raises DialError. first_try_fatal: a first try that fails ends the client,
    instead of being tried again. reconnect: False: any loss ends it. accept_server_id: asked with (known, new) when
    the server's id is not the known one; without it, or if it says False, the client ends.
    on_welcome: told of each login, with the greeting, before the event is seen; for remembering keys and tokens.
    """

    def __init__(
        self,
        dial: Dial,
        login: LoginPlan,
        *,
        timings: Timings = Timings(),
        rng: random.Random | None = None,
        first_try_fatal: bool = False,
        reconnect: bool = True,
        accept_server_id: Callable[[bytes, bytes], bool] | None = None,
        on_welcome: Callable[[Greeting, Welcome], None] | None = None,
    ) -> None:
        self.world = World()
        raise NotImplementedError

    @property
    def connected(self) -> bool:
        """Whether a command could be sent now."""
        raise NotImplementedError

    async def run(self) -> None:
        """Own the connection until the client is ended. Call it once."""
        raise NotImplementedError

    @property
    def events(self) -> AsyncIterator[ClientEvent]:
        """All events, for one consumer; ends after Ended."""
        raise NotImplementedError

    async def call(self, command: type[Command], /, **fields: Any) -> dict[str, Any]:
        """Send a command and wait for its one answer. Returns its result; raises Refused or NotConnected."""
        raise NotImplementedError

    async def act(self, action: Struct, *, decision: int | None = None) -> None:
        """Answer the open decision of `world.game`.

        decision: the id of the decision that the person saw; if another is open by now, nothing is sent and Refused
        (`stale_decision`) is raised. Raises Refused (`no_decision` if nothing is asked) or NotConnected.
        Once taken, `world.game.decision` is None until the server asks again.
        """
        raise NotImplementedError

    def stop(self) -> None:
        """Say bye and end `run`. May be called at any time, more than once."""
        raise NotImplementedError
