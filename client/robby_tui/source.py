"""Where the screens get their world from: the shape of a client, and how one is made. Knows no widgets.

Tests feed the app from a scripted client of the same shape.
"""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from robby_client.address import Address
from robby_client.client import LoginPlan
from robby_client.dial import TlsPlan
from robby_client.events import ClientEvent
from robby_client.world import World
from robby_protocol.messages import Command


class ClientLike(Protocol):
    """What the app needs of a client; `robby_client.client.Client` is one."""

    world: World

    async def run(self) -> None: ...

    @property
    def events(self) -> AsyncIterator[ClientEvent]: ...

    async def call(self, command: type[Command], /, **fields: Any) -> dict[str, Any]: ...

    async def act(self, action: Struct, *, decision: int | None = None) -> None: ...

    async def join(self, table: str, *, invite: str = "", password: str | None = None) -> dict[str, Any]: ...

    async def watch(self, table: str, *, invite: str = "", password: str | None = None) -> dict[str, Any]: ...

    async def unwatch(self) -> object: ...

    async def create(self, *, password: str | None = None, **fields: Any) -> dict[str, Any]: ...

    async def configure(self, *, password: str | None = None, **fields: Any) -> dict[str, Any]: ...

    async def say(self, text: str, *, lobby: bool = False) -> object: ...

    async def save_record(self, match: str, folder: Path | None = None) -> Path: ...

    def mute(self, name: str) -> None: ...

    def unmute(self, name: str) -> None: ...

    def stop(self) -> None: ...


class MakeClient(Protocol):
    """Makes the client for a server. Its first failed try ends it; later losses do not.

    tls: how to connect by TLS; None: without. kept: what makes it remember (`robby_client.session.kept_by`).
    """

    def __call__(
        self, address: Address, login: LoginPlan, *, tls: TlsPlan | None, kept: Mapping[str, Any]
    ) -> ClientLike: ...
