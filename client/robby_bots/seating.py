"""A headless bot's manners at tables: find one, say that it is ready, start as host when all are ready."""

import logging

import anyio

from robby_client.client import Client, NotConnected, Refused
from robby_client.signal import Signal
from robby_protocol.messages import LobbyWatch, SeatInfo, TableClosed, TableInfo, TableJoin, TableReady, TableStart

REFUSED_PAUSE = 3.0
"""Seconds before the next try after the server refused something: nobody is hammered."""

_log = logging.getLogger(__name__)


class Seating:
    """Keeps a bot at a table. changed: something happened that may call for a step.

    start: as host, start only once so many seats are taken; None: whenever all who are there are ready.
    table: where to sit down; None with seek: at any table of this game that waits and has a free seat.
    Seats of kind `bot` are the server's own affair: nothing is said for them.
    """

    def __init__(self, client: Client, game: str, *, table: str | None, seek: bool, start: int | None = None) -> None:
        self.changed = Signal()
        self._client = client
        self._game = game
        self._table = table
        self._seek = seek
        self._start = start
        self._unwanted: set[str] = set()

    def closed(self, message: TableClosed) -> None:
        """The seat is gone: not back to that table."""
        self._unwanted.add(message.table)
        if message.table == self._table:
            self._table = None

    async def keep(self) -> None:
        while True:
            try:
                await self._step()
            except NotConnected:
                pass  # the next connection is a change
            except Refused as refused:
                _log.warning("refused %s", refused.code)
                await anyio.sleep(REFUSED_PAUSE)
            await self.changed.wait()

    async def _step(self) -> None:
        client, world = self._client, self._client.world
        if not client.connected or world.welcome is None:
            return
        if world.table is None:
            if self._table is not None:
                await client.call(TableJoin, table=self._table)
            elif self._seek:
                await self._look_for_table()
            return
        seat = self._own_seat(world.table)
        if seat is None or seat.kind != "person" or world.table.phase == "playing":
            return
        if not seat.ready and world.table.host != world.seat:
            await client.call(TableReady, ready=True)
        elif world.table.host == world.seat and self._all_ready(world.table):
            await client.call(TableStart)

    async def _look_for_table(self) -> None:
        client, world = self._client, self._client.world
        if world.lobby is None:
            await client.call(LobbyWatch, on=True)
            return
        for table in world.lobby.tables:
            free = len(table.seats) < table.capacity
            if table.game == self._game and table.phase != "playing" and free and table.table not in self._unwanted:
                await client.call(TableJoin, table=table.table)
                return

    def _own_seat(self, table: TableInfo) -> SeatInfo | None:
        seat = self._client.world.seat
        return table.seats[seat] if seat is not None and seat < len(table.seats) else None

    def _all_ready(self, table: TableInfo) -> bool:
        if self._start is not None and len(table.seats) < self._start:
            return False
        others = [seat for number, seat in enumerate(table.seats) if number != self._client.world.seat]
        return bool(others) and all(seat.ready or seat.kind == "bot" for seat in others)
