"""Where the screens get their world from: the shape of a client, and how one is made. Knows no widgets.

Tests feed the app from a scripted client of the same shape.
"""

from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

from msgspec import Struct

from robby_client.address import Address
from robby_client.client import LoginPlan
from robby_client.events import ClientEvent
from robby_client.world import World
from robby_protocol.messages import Command, Greeting, Welcome


class ClientLike(Protocol):
    """What the app needs of a client; `robby_client.client.Client` is one."""

    world: World

    async def run(self) -> None: ...

    @property
    def events(self) -> AsyncIterator[ClientEvent]: ...

    async def call(self, command: type[Command], /, **fields: Any) -> dict[str, Any]: ...

    async def act(self, action: Struct, *, decision: int | None = None) -> None: ...

    def stop(self) -> None: ...


class MakeClient(Protocol):
    """Makes the client for a server. Its first failed try ends it; later losses do not.

    on_welcome: told of each login, for remembering. accept_server_id: asked with (known, new) on a changed server.
    """

    def __call__(
        self,
        address: Address,
        login: LoginPlan,
        *,
        on_welcome: Callable[[Greeting, Welcome], None],
        accept_server_id: Callable[[bytes, bytes], bool],
    ) -> ClientLike: ...
