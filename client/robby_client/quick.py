"""Sitting down at a table of one's own at once: create it with bots, get ready, start."""

from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio

from robby_client.world import World
from robby_protocol.messages import Command, TableCreate, TableStart

STATE_SECONDS = 2.0
"""A new table's state follows the answer at once; without it the start goes on all the same."""
_LOOK_SECONDS = 0.02


@dataclass(frozen=True)
class QuickTable:
    """A table to be made at once. game: as in `robby_games`. options: by name. bots: names of bots to seat."""

    game: str
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
    # The answer comes before the table's state, which shows what the start commits to for the fair deal.
    with anyio.move_on_after(STATE_SECONDS):
        while client.world.table is None:  # noqa: ASYNC110 - nobody else than the consumer of events is told of changes
            await anyio.sleep(_LOOK_SECONDS)
    await client.call(TableStart)
