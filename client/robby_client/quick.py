"""Sitting down at a table of one's own at once: create it with bots, get ready, start."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from robby_client.world import World
from robby_protocol.messages import Command, TableCreate, TableStart


@dataclass(frozen=True)
class QuickTable:
    """A table to be made at once. game: as in `robby_games`. options: by name. bots: names of bots to seat."""

    game: str = "robby-solo"
    options: dict[str, Any] = field(default_factory=dict)
    bots: list[str] = field(default_factory=list)
    title: str = ""


class Caller(Protocol):
    """What is needed of a client."""

    @property
    def world(self) -> World: ...

    async def call(self, command: type[Command], /, **fields: Any) -> dict[str, Any]: ...


async def sit_down(client: Caller, quick: QuickTable) -> None:
    """Once connected: make the table and start its match, unless this identity already has a seat.

    Raises Refused or NotConnected, as `Client.call`.
    """
    if client.world.table is not None or (client.world.welcome is not None and client.world.welcome.table is not None):
        return
    await client.call(
        TableCreate,
        game=quick.game,
        title=quick.title,
        capacity=len(quick.bots) + 1,
        options=quick.options,
        bots=quick.bots,
    )
    await client.call(TableStart)
