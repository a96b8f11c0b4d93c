"""What the commands at a table do and when they are refused. Each returns its `ok`'s result, or raises Rejected."""

from functools import partial
from typing import TYPE_CHECKING, Any

from robby_protocol import errors
from robby_protocol.messages import (
    Act,
    ChatSend,
    Command,
    DealOpen,
    TableAddBot,
    TableClose,
    TableConfigure,
    TableHandOver,
    TableJoin,
    TableKick,
    TableLeave,
    TableMute,
    TableReady,
    TableStart,
    TableUnwatch,
    TableWatch,
)
from robby_server import offers, table_match, table_people, table_social
from robby_server.bot_names import bot_name
from robby_server.identities import Identity, new_identity_id
from robby_server.names import skeletons
from robby_server.rejected import Rejected
from robby_server.seats import Seat
from robby_server.session import Session

if TYPE_CHECKING:
    from robby_server.table import Table


async def obey(table: "Table", session: Session, command: Command, at: float) -> dict[str, Any]:
    """Do a command. at: when it was received, on trio's clock."""
    if isinstance(command, TableJoin):
        return await _join(table, session, command)
    if isinstance(command, TableWatch):
        watched = table_social.watch(table, session, command)
        table.tell(partial(table.audience.come, session))
        return watched
    if isinstance(command, TableUnwatch):
        session.stop_watching()
        return {}
    if isinstance(command, ChatSend):
        return table_social.say(table, session, command)
    index = table.seat_of(session)
    if index is None:
        raise Rejected(errors.NOT_SEATED)
    if isinstance(command, Act):
        return await table_match.act(table, index, session, command, at)
    seat = table.seats[index]
    if seat.session is not session:
        raise Rejected(errors.NOT_HOST)  # a bot plays, and does nothing else
    if isinstance(command, TableLeave):
        await table_people.leave(table, index)
        return {}
    if isinstance(command, TableReady):
        return _ready(table, seat, command)
    if isinstance(command, DealOpen):
        return await table_match.open_commitment(table, index, command)
    if table.host is not seat:
        raise Rejected(errors.NOT_HOST)
    return await _obey_host(table, seat, command)


async def _obey_host(table: "Table", seat: Seat, command: Command) -> dict[str, Any]:
    if isinstance(command, TableHandOver):
        return _hand_over(table, command)
    if isinstance(command, TableMute):
        return table_social.mute(table, seat, command)
    if table.busy:
        raise Rejected(errors.TABLE_PLAYING)
    if isinstance(command, TableStart):
        return await _start(table, seat, command)
    if isinstance(command, TableConfigure):
        return _configure(table, command)
    if isinstance(command, TableAddBot):
        return {"seat": table.index(add_bot(table, command.bot))}
    if isinstance(command, TableKick):
        return _kick(table, seat, command)
    if isinstance(command, TableClose):
        table.close(errors.TABLE_CLOSED)
        return {}
    raise Rejected(errors.UNKNOWN_COMMAND)


async def _join(table: "Table", session: Session, command: TableJoin) -> dict[str, Any]:
    who = session.who
    assert who is not None, "commands come after the login"
    if who.session is not session:
        # The connection ended while this waited, and the table was not told, as no seat was kept here then. Sitting
        # down now would leave a seat that looks taken and that nobody ever leaves.
        raise Rejected(errors.NOT_SEATED)
    own = next((seat for seat in table.seats if seat.owner is who), None)
    if who.table is not None and who.table != table.id:
        raise Rejected(errors.ALREADY_SEATED, table=who.table)
    if own is not None:
        index = table.seats.index(own)
        if own.session is not session:
            session.stop_watching()
            await table_people.take_seat(table, index, session)
        return {"table": table.id, "seat": index}
    if who in table.kicked:
        raise Rejected(errors.KICKED)
    table_social.admit(table, session, command.invite, command.password_proof)
    if table.busy:
        raise Rejected(errors.TABLE_PLAYING)
    if len(table.seats) >= table.capacity:
        raise Rejected(errors.TABLE_FULL)
    for bot in table.seats:
        if bot.bot is not None and skeletons(bot.owner.name) & skeletons(who.name):
            # Two at a table must not look alike, and people keep their names.
            bot.owner.name = bot_name([seat.owner.name for seat in table.seats] + [who.name])
    session.stop_watching()
    seat = table.sit(who, session=session)
    table.news("joined", seat)
    table.push_state()
    table_social.tell_past(table, session)
    return {"table": table.id, "seat": table.index(seat)}


def _ready(table: "Table", seat: Seat, command: TableReady) -> dict[str, Any]:
    if table.busy:
        raise Rejected(errors.TABLE_PLAYING)
    changed = seat.ready != command.ready
    seat.ready = command.ready
    seat.commitment = command.commitment if command.ready else b""
    if changed:
        table.news("ready" if command.ready else "not_ready", seat)
        table.push_state()
    return {}


async def _start(table: "Table", host: Seat, command: TableStart) -> dict[str, Any]:
    waiting = [seat.owner.name for seat in table.seats if seat.person and seat is not host and not seat.ready]
    if waiting:
        raise Rejected(errors.NOT_READY, names=waiting)
    host.commitment = command.commitment
    return await table_match.start(table)


def _configure(table: "Table", command: TableConfigure) -> dict[str, Any]:
    options, title, capacity = table.options, table.title, table.capacity
    if command.options is not None:
        options = offers.full_options(table.game, command.options)
    if command.title is not None:
        title = offers.check_title(command.title, table.settings)
    if command.capacity is not None:
        capacity = offers.full_capacity(table.game, options, command.capacity)
    elif offers.seats_problem(table.game, options, capacity) is not None:
        capacity = offers.full_capacity(table.game, options, None)
    if capacity < len(table.seats):
        raise Rejected(errors.BAD_OPTIONS, field="capacity", fewest=len(table.seats))
    table_social.configure(table, command)
    table.options, table.title, table.capacity = options, title, capacity
    for seat in table.seats:
        seat.unready()
    table.news("configured")
    table.push_state()
    return {}


def add_bot(table: "Table", bot: str) -> Seat:
    """Seat a bot. Raises Rejected."""
    names = table.services.bots.names(table.game)
    if bot not in names:
        raise Rejected(errors.UNKNOWN_BOT, bots=list(names))
    if len(table.seats) >= table.capacity:
        raise Rejected(errors.TABLE_FULL)
    name = bot_name([seat.owner.name for seat in table.seats])
    seat = table.sit(Identity(id=new_identity_id(), name=name, kind="bot"), bot=bot)
    table.news("bot_added", seat)
    return seat


def _named(table: "Table", index: int, name: str) -> Seat:
    """The seat that the host means. Raises Rejected where somebody else sits there by now."""
    if index >= len(table.seats) or table.seats[index].owner.name != name:
        raise Rejected(errors.NO_SUCH_SEAT)
    return table.seats[index]


def _kick(table: "Table", host: Seat, command: TableKick) -> dict[str, Any]:
    seat = _named(table, command.seat, command.name)
    if seat is host:
        raise Rejected(errors.NO_SUCH_SEAT)
    if seat.person:
        table.shut_out(table.kicked, seat.owner)
    if seat.session is not None:
        table.push_closed(seat.session, errors.KICKED)
    table_people.remove(table, seat, "kicked")
    return {}


def _hand_over(table: "Table", command: TableHandOver) -> dict[str, Any]:
    seat = _named(table, command.seat, command.name)
    if not seat.attended:
        raise Rejected(errors.NO_SUCH_SEAT)
    if seat is not table.host:
        table.host = seat
        table.news("host", seat)
    return {}
