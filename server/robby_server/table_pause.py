"""A match that was being played when the server went: it stands still until those who were here are back.

Everybody keeps exactly the time that was left. What is sent meanwhile is taken; only time does not pass. In a game that
races nothing is asked meanwhile.
"""

import math
from functools import partial
from typing import TYPE_CHECKING

import structlog
import trio

from robby_server import table_match, table_people
from robby_server.seats import Seat

if TYPE_CHECKING:
    from robby_server.table import Table, Timer

log = structlog.get_logger("robby.table")


async def begin(table: "Table") -> None:
    """The first thing at a table that was kept: send its bots; a match whose end nobody was told of is finished."""
    play = table.play
    if play is None or table.phase != "playing":
        return
    if play.match.result() is not None:
        await table_match.finish(table)
        return
    table.paused_until = trio.current_time() + table.settings.resume_seconds
    for seat in table.seats:
        if seat.bot is not None:
            _send_bot_again(table, seat, seat.bot)
        elif seat.state in ("stand_in", "left"):
            table_people.stand_in(table, seat)
    log.info("match_paused", table=table.id, match=play.id, at_ms=play.paused_ms, awaited=len(table.returning))


def timer(table: "Table") -> "Timer":
    """When the match goes on. Nobody to wait for: already due, whatever the time was when the table looked at it (a
    moment taken now would be later than that, always)."""
    moment = table.paused_until if table.returning else -math.inf
    return moment, partial(_go_on, table)


async def _go_on(table: "Table") -> None:
    """All are back, or have had time enough. Whoever is not is away from now on, like anybody whose connection is lost
    now."""
    assert table.play is not None, "a match stands still"
    table.play.go_on()
    log.info("match_goes_on", table=table.id, match=table.play.id, missing=len(table.returning))
    now = trio.current_time()
    table.empty_since = None
    for seat in table.seats:
        seat.asked = 0
        if seat.state != "here":
            seat.since = now
        if seat in table.returning:
            table.news("away", seat)
    table.returning.clear()
    table.push_state()
    for index, seat in enumerate(table.seats):
        if seat.state == "away":
            await table_match.mark_presence(table, index, absent=True)
    table.push_time()


def _send_bot_again(table: "Table", seat: Seat, bot: str) -> None:
    """The bot of a seat, or another where the server does not have it any more; with none the seat counts as absent."""
    bots = table.services.bots
    known = bot if bot in bots.names(table.game) else bots.stand_in(table.game, table.settings.stand_in)
    if known is None:
        seat.enter("away", trio.current_time())
    else:
        table_match.send_bot(table, seat, known)
