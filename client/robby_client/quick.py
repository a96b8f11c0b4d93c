"""Sitting down at a table of one's own at once: create it with bots, get ready, start."""

from dataclasses import dataclass, field
from typing import Any

from robby_client.client import Client
from robby_protocol.messages import TableCreate, TableStart


@dataclass(frozen=True)
class QuickTable:
    """A table to be made at once. game: as in `robby_games`. options: by name. bots: names of bots to seat."""

    game: str = "robby-solo"
    options: dict[str, Any] = field(default_factory=dict)
    bots: list[str] = field(default_factory=list)
    title: str = ""


async def sit_down(client: Client, quick: QuickTable) -> None:
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
