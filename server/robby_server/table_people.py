"""Coming and going at a table: presence, kept seats, stand-ins, who is host, and what happens by time alone."""

from functools import partial
from typing import TYPE_CHECKING

import structlog
import trio

from robby_protocol import errors
from robby_server import table_match, table_pause, table_social
from robby_server.seats import Seat
from robby_server.session import Session

if TYPE_CHECKING:
    from robby_server.table import Table, Timer

log = structlog.get_logger("robby.table")


async def come(table: "Table", session: Session) -> None:
    """Somebody with a seat here has connected: show the table and the match, and give the seat back."""
    for index, seat in enumerate(table.seats):
        if seat.player is not None and seat.player.who is session.who:
            if seat.bot is not None and seat.state == "away" and table.phase == "playing":
                seat.enter("here", trio.current_time())
                table.news("back", seat)
                await table_match.mark_presence(table, index, absent=False)
            seat.player.session = session
            table.push_state()
            table.push_match(session, index)
            return
        if seat.owner is session.who and seat.person and seat.state != "left":
            await take_seat(table, index, session)
            return
    who = session.who
    if who is not None and who.kind == "person":
        # The seat was taken away while the person logged in and was told that it is kept.
        table.push_closed(session, errors.KICKED if who in table.kicked else errors.TABLE_CLOSED)
    else:
        session.end(errors.TABLE_CLOSED, reconnect=False)


async def take_seat(table: "Table", index: int, session: Session) -> None:
    """A person is back in the own seat; a stand-in goes. What the seat was asked is still asked."""
    seat = table.seats[index]
    table.dismiss(seat, errors.REPLACED)
    seat.session = None  # an older connection is not told any more, the new one only once it has the whole picture
    seat.owner.table = table.id
    if seat.state != "here":
        seat.enter("here", trio.current_time())
        if seat not in table.returning:
            table.news("back", seat)
        if table.phase == "playing":
            await table_match.mark_presence(table, index, absent=False)
    seat.session = session
    table.push_state()
    if table.play is not None:
        played = index if table.phase == "playing" else table.play.seat_of(seat.owner)
        if played is not None:
            table.push_match(session, played)
    table.dealing.tell_again(session)
    table_social.tell_past(table, session)


async def go(table: "Table", session: Session, *, on_purpose: bool) -> None:
    """A connection has ended. In a match the seat is kept, and at a waiting table too unless the person said bye."""
    now = trio.current_time()
    for index, seat in enumerate(table.seats):
        if seat.player is not None and seat.player.session is session:
            seat.player.session = None
            if seat.bot is not None and table.phase == "playing":
                seat.enter("away", now)
                table.news("away", seat)
                await table_match.mark_presence(table, index, absent=True)
            return
        if seat.session is session:
            seat.session = None
            if table.phase == "playing":
                seat.enter("away", now)
                table.news("quit" if on_purpose else "away", seat)
                await table_match.mark_presence(table, index, absent=True)
            elif on_purpose:
                remove(table, seat)
            else:
                table.dealing.lost(seat)
                seat.unready()
                seat.enter("away", now)
                table.news("away", seat)
            return


async def leave(table: "Table", index: int) -> None:
    """A person gives the seat up. In a match a bot plays on at once."""
    seat = table.seats[index]
    if table.phase != "playing":
        remove(table, seat)
        return
    seat.session = None
    seat.owner.table = None
    seat.enter("left", trio.current_time())
    table.news("left", seat)
    await table_match.mark_presence(table, index, absent=True)
    stand_in(table, seat)


def remove(table: "Table", seat: Seat, code: str = "left") -> None:
    """Take a seat away between matches. code: of the news."""
    seat.session = None  # whoever has left hears no more of the table
    table.dealing.abort([seat])
    table.news(code, seat)
    table.unsit(seat)


def settle(table: "Table") -> None:
    """After every change: close a table without people, see to it that there is a host."""
    if not any(seat.person for seat in table.seats):
        # In a match there is always a person's seat, if only one that was given up.
        table.close(errors.TABLE_CLOSED)
        return
    attended = [seat for seat in table.seats if seat.attended]
    if table.phase == "playing":
        if attended:
            table.empty_since = None
        elif table.empty_since is None:
            table.empty_since = trio.current_time()
    host = table.host
    if host is None or host not in table.seats or host.state == "left":
        _new_host(table, attended)


def timers(table: "Table") -> "list[Timer]":
    """What will happen by time alone, and when, on trio's clock. Doing it takes it off the list."""
    if table.phase == "playing" and table.play is not None and table.play.paused_ms is not None:
        return [table_pause.timer(table)]
    settings = table.settings
    found: list[Timer] = []
    if table.dealing.opening is not None:
        found.append((table.dealing.opening.until, table.dealing.time_out))
    for seat in table.seats:
        if table.phase != "playing":
            if seat.person and seat.state == "away":
                found.append((seat.since + settings.waiting_seat_seconds, partial(_give_up, table, seat)))
        elif seat.person:
            if seat.state == "away" and table.services.bots.names(table.game):
                found.append((seat.since + settings.grace_seconds, partial(_grace_over, table, seat)))
        elif seat.state == "here" and seat.asked:
            found.append((seat.asked_since + settings.bot_patience_seconds, partial(_bot_hangs, table, seat)))
    host = table.host
    if host is not None and host.state in ("away", "stand_in") and any(seat.attended for seat in table.seats):
        found.append((host.since + settings.host_away_seconds, partial(_host_away, table)))
    if table.phase == "playing" and table.empty_since is not None:
        found.append((table.empty_since + settings.empty_playing_seconds, partial(_break_off, table)))
    return found


async def _give_up(table: "Table", seat: Seat) -> None:
    remove(table, seat)


async def _grace_over(table: "Table", seat: Seat) -> None:
    seat.state = "stand_in"
    table.news("stand_in", seat)
    stand_in(table, seat)


async def _bot_hangs(table: "Table", seat: Seat) -> None:
    index = table.seats.index(seat)
    log.warning("bot_hangs", table=table.id, bot=seat.bot)
    seat.enter("away", trio.current_time())
    table.news("away", seat)
    await table_match.mark_presence(table, index, absent=True)


async def _host_away(table: "Table") -> None:
    _new_host(table, [seat for seat in table.seats if seat.attended])


async def _break_off(table: "Table") -> None:
    table.close(errors.TABLE_CLOSED)


def stand_in(table: "Table", seat: Seat) -> None:
    """Send a bot to play an absent person's seat, if the server has bots."""
    bot = table.services.bots.stand_in(table.game, table.settings.stand_in)
    if bot is not None and table.phase == "playing":
        table_match.send_bot(table, seat, bot)


def _new_host(table: "Table", attended: list[Seat]) -> None:
    """Of the people who are here, the one longest at the table; while nobody is, of those who may come back."""
    candidates = attended or [seat for seat in table.seats if seat.person and seat.state != "left"]
    new = min(candidates, key=lambda seat: seat.joined, default=None)
    if new is not table.host:
        table.host = new
        if new is not None:
            table.news("host", new)
