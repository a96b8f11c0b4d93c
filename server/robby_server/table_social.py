"""Being at a table without playing: watching it, talking at it, and what the host decides about both.

Each function does one command and returns its `ok`'s result, or raises Rejected. Who may do it at all has been checked
where that follows from the seat (`table_commands`). What is told goes through the table, so after the answer.
"""

from functools import partial
from typing import TYPE_CHECKING, Any

import trio

from robby_protocol import errors
from robby_protocol.i18n import _
from robby_protocol.messages import ChatSaid, ChatSend, TableConfigure, TableMute, TableWatch
from robby_server import access
from robby_server.rejected import Rejected
from robby_server.seats import Seat
from robby_server.session import Session

if TYPE_CHECKING:
    from robby_server.identities import Identity
    from robby_server.table import Table, Timer


def timers(table: "Table") -> "list[Timer]":
    """What will happen by time alone, and when, on trio's clock. Doing it takes it off the list."""
    found: list[Timer] = table.audience.timers()
    if table.phase == "playing":
        table.active_at = trio.current_time()  # a match however long is not idle, nor is its table right after it
    else:
        found.append((table.active_at + table.settings.idle_table_seconds, partial(_idle, table)))
    return found


async def _idle(table: "Table") -> None:
    table.close(errors.TABLE_CLOSED)


# Watching.


def watch(table: "Table", session: Session, command: TableWatch) -> dict[str, Any]:
    """Let somebody watch. `Audience.come` is to follow, once this is answered."""
    who = session.who
    assert who is not None, "commands come after the login"
    if who.session is not session:
        raise Rejected(errors.NOT_WATCHING)  # the connection ended while this waited
    if any(seat.owner is who for seat in table.seats):
        raise Rejected(errors.OWN_TABLE)  # also of the running match's seat that its owner gave up
    if who.table is not None:
        raise Rejected(errors.ALREADY_SEATED, table=who.table)
    result = {"table": table.id, "delay_s": table.audience.listed().delay_s}
    if session in table.audience:
        return result
    if who in table.kicked:
        raise Rejected(errors.KICKED)
    if not table.audience.allowed:
        raise Rejected(errors.SPECTATORS_FORBIDDEN)
    access.admit(table, session, command.invite, command.password_proof)
    if len(table.audience) >= table.settings.spectators:
        raise Rejected(errors.TOO_MANY_WATCHERS)
    session.stop_watching()
    session.watching = table.audience
    return result


def admit(table: "Table", session: Session, invite: str, proof: bytes) -> None:
    """Let somebody in who wants to sit down and has no seat here. Raises Rejected."""
    access.admit(table, session, invite, proof)
    if table.audience.hides:
        raise Rejected(errors.TABLE_PLAYING)  # by the lobby's line, which may not know yet that it is over


# Talking.


def say(table: "Table", session: Session, command: ChatSend) -> dict[str, Any]:
    """Say a line that was checked. Those who sit here hear it now, spectators when the delay has passed."""
    who = session.who
    assert who is not None, "commands come after the login"
    index = next((index for index, seat in enumerate(table.seats) if seat.session is session), None)
    if index is None and session not in table.audience:
        raise Rejected(errors.NOT_WATCHING)
    if who in table.muted:
        raise Rejected(errors.MUTED)
    said = ChatSaid(
        table=table.id,
        name=who.name,
        kind="spectator" if index is None else "person",
        seat=index,
        text=command.text,
    )
    for seat in table.seats:
        if seat.session is not None:
            table.tell(partial(seat.session.send, said))
    table.chat.add(said)
    table.audience.tell(said)
    return {}


def tell_past(table: "Table", session: Session) -> None:
    """Show somebody who comes to sit here, or comes back, what was said last."""
    for said in table.chat.past():
        table.tell(partial(session.send, said))


def mute(table: "Table", host: Seat, command: TableMute) -> dict[str, Any]:
    """The host lets nobody hear somebody any more, or again. It is kept by identity, whatever seat that has."""
    seat = next((seat for seat in table.seats if seat.person and seat.owner.name == command.name), None)
    viewer = table.audience.named(command.name)
    who: Identity | None = viewer.who if seat is None and viewer is not None else None if seat is None else seat.owner
    if who is None or seat is host:
        raise Rejected(errors.NO_SUCH_SEAT)
    if command.on == (who in table.muted):
        return {}
    if command.on:
        table.shut_out(table.muted, who)
    else:
        table.muted.discard(who)
    table.news("muted" if command.on else "unmuted", seat, who.name)
    return {}


# The host's settings.


def configure(table: "Table", command: TableConfigure) -> None:
    """Check and make the changes of access and audience that a `table.configure` asks for. Raises Rejected."""
    before = access.Access(table.private, table.invite, table.password_key)
    after = access.changed(
        before, private=command.private, password_key=command.password_key, new_code=command.new_invite
    )
    if command.delay_s is not None:
        check_delay(table.settings.spectator_delay_most, command.delay_s)
        table.delay_s = command.delay_s
    if command.spectators is not None and command.spectators != table.spectators:
        table.spectators = command.spectators
        if not table.spectators:
            table.audience.dismiss(errors.SPECTATORS_FORBIDDEN)
    if after.private and not before.private:
        table.audience.dismiss(errors.TABLE_PRIVATE, newer=False)  # whoever comes now has brought code or password
    table.private, table.invite, table.password_key = after


def check_delay(most: float, delay_s: int) -> None:
    """Raise Rejected for a delay that a table may not have. Both in seconds."""
    if delay_s > most:
        text = _("Spectators can be shown the table at most {most} seconds late. Choose fewer.")
        raise Rejected(errors.BAD_OPTIONS, text.format(most=int(most)), field="delay_s", most=int(most))
