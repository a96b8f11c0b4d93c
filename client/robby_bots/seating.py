"""A headless bot's manners at tables: find one, say that it is ready, start as host when all are ready."""

import logging
from collections.abc import Callable

import anyio

from robby_client.client import Client, NotConnected, Refused
from robby_client.signal import Signal
from robby_games.registry import GAMES
from robby_protocol.errors import NOT_READY, TABLE_FULL, TABLE_PLAYING, TOO_FEW_PLAYERS
from robby_protocol.messages import (
    LobbyWatch,
    SeatInfo,
    TableClosed,
    TableInfo,
    TableJoin,
    TableReady,
    TableStart,
    Welcome,
)

REFUSED_PAUSE = 3.0
"""Seconds before the next try after the server refused something: nobody is hammered."""

REMATCH_PAUSE = 5.0
"""Seconds that a bot host leaves the results on the screens before it starts the next match."""

_PASSING = frozenset({NOT_READY, TABLE_FULL, TABLE_PLAYING, TOO_FEW_PLAYERS})
"""Refusals that are nothing but somebody having been quicker, or not there yet."""

_log = logging.getLogger(__name__)


class Seating:
    """Keeps a bot at a table. changed: something happened that may call for a step.

    start: as host, start only once so many seats are taken; None: whenever all who are there are ready, if there is
    any person among them (a bot alone with the server's bots would play for ever).
    table: where to sit down; None with seek: at any table of this game (None: of any that is known here) that
    waits and has a free seat.
    refused: told of every refusal, instead of the log. waiting: told once that no table is there to sit down at.
    Seats of kind `bot` are the server's own affair: nothing is said for them.
    """

    def __init__(
        self,
        client: Client,
        game: str | None,
        *,
        table: str | None,
        seek: bool,
        start: int | None = None,
        refused: Callable[[Refused], None] | None = None,
        waiting: Callable[[], None] | None = None,
    ) -> None:
        self.changed = Signal()
        self._refused = refused or _log_refusal
        self._waiting = waiting
        self._client = client
        self._game = game
        self._table = table
        self._seek = seek
        self._start = start
        self._unwanted: set[str] = set()
        # The logins in which the lobby is watched, and a seat was taken: each holds as long as its connection.
        self._watched: Welcome | None = None
        self._joined: Welcome | None = None

    def closed(self, message: TableClosed) -> None:
        """The seat is gone: not back to that table."""
        self._unwanted.add(message.table)
        self._joined = None
        if message.table == self._table:
            self._table = None

    async def keep(self) -> None:
        while True:
            try:
                await self._step()
            except NotConnected:
                pass  # the next connection is a change
            except Refused as refused:
                self._refused(refused)
                await anyio.sleep(REFUSED_PAUSE)
                if refused.code in (TABLE_FULL, TABLE_PLAYING) and self._table is not None:
                    continue  # nobody tells when that one table has a seat again
            await self.changed.wait()

    async def _step(self) -> None:
        client, world = self._client, self._client.world
        if not client.connected or world.welcome is None:
            return
        if world.table is None:
            if self._joined is not world.welcome:  # else the table's state is on its way
                await self._join(world.welcome)
            return
        seat = self._own_seat(world.table)
        if seat is None or seat.kind != "person" or world.table.phase == "playing":
            return
        if not seat.ready and world.table.host != world.seat:
            await client.call(TableReady, ready=True)
        elif world.table.host == world.seat and self._all_ready(world.table):
            if world.table.phase == "finished":
                await anyio.sleep(REMATCH_PAUSE)
                if world.table is None or world.table.phase != "finished" or not self._all_ready(world.table):
                    return
            try:
                await client.call(TableStart)
            except Refused as refused:
                if refused.code != TABLE_PLAYING:
                    raise
                # It is about to begin: the deal's secrets are being opened. If nothing comes of it, that is a change.
                await anyio.sleep(REFUSED_PAUSE)

    async def _join(self, login: Welcome) -> None:
        client, lobby = self._client, self._client.world.lobby
        if self._table is None and not self._seek:
            return
        wanted = self._table
        if wanted is None and self._watched is not login:
            await client.call(LobbyWatch, on=True)
            self._watched = login
        elif wanted is None and lobby is not None:
            wanted = next((table.table for table in lobby.tables if self._fits(table)), None)
            if wanted is None and self._waiting is not None:
                waiting, self._waiting = self._waiting, None
                waiting()
        if wanted is not None:
            await client.call(TableJoin, table=wanted)
            self._joined = login

    def _fits(self, table: TableInfo) -> bool:
        free = len(table.seats) < table.capacity
        fits = table.game in GAMES if self._game is None else table.game == self._game
        return fits and table.phase != "playing" and free and table.table not in self._unwanted

    def _own_seat(self, table: TableInfo) -> SeatInfo | None:
        seat = self._client.world.seat
        return table.seats[seat] if seat is not None and seat < len(table.seats) else None

    def _all_ready(self, table: TableInfo) -> bool:
        others = [seat for number, seat in enumerate(table.seats) if number != self._client.world.seat]
        if self._start is None:
            enough = any(seat.kind == "person" for seat in others)
        else:
            enough = len(table.seats) >= self._start
        return enough and all(seat.ready or seat.kind == "bot" for seat in others)


def _log_refusal(refused: Refused) -> None:
    level = logging.DEBUG if refused.code in _PASSING else logging.WARNING
    _log.log(level, "seating: refused %s", refused.code)
