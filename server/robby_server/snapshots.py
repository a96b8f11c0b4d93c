"""A table as it is to be kept. What a snapshot holds is in `kept`, how a table is made from it again in `restore`."""

from typing import TYPE_CHECKING

from robby_server.kept import KeptSeat, KeptTable

if TYPE_CHECKING:
    from robby_server.seats import Seat
    from robby_server.table import Table


def snapshot(table: "Table") -> KeptTable:
    """The table now. Equal to the one before where nothing has changed that must outlive the process."""
    play = table.play
    began_ms, paused_ms = 0, None
    if play is not None and table.phase == "playing":
        paused_ms = play.paused_ms
        if paused_ms is None:
            began_ms = table.services.clock.ms(play.began)
    return KeptTable(
        table=table.id,
        game=table.game,
        title=table.title,
        options=table.options,
        capacity=table.capacity,
        origin=table.origin,
        phase=table.phase,
        seats=tuple(_seat(table, seat) for seat in table.seats),
        host=table.index(table.host),
        attempt=table.matches + 1,
        match=None if play is None else play.id,
        began_ms=began_ms,
        paused_ms=paused_ms,
        owners=()
        if play is None
        else tuple((_owner(who.kind, who.id), name) for who, name in zip(play.owners, play.names, strict=True)),
        result=tuple(table.result) if table.phase == "finished" else (),
        kicked=tuple(sorted(who.id for who in table.kicked)),
        muted=tuple(sorted(who.id for who in table.muted)),
        private=table.private,
        invite=table.invite,
        password_key=table.password_key,
        spectators=table.spectators,
        delay_s=table.delay_s,
        aborted=table.aborted,
        opening=table.dealing.opening is not None,
    )


def _seat(table: "Table", seat: "Seat") -> KeptSeat:
    return KeptSeat(
        owner=_owner(seat.owner.kind, seat.owner.id),
        name=seat.owner.name,
        bot=seat.bot,
        # Whoever was here when the server went and is not back yet is waited for after another crash too.
        state="here" if seat in table.returning else seat.state,
        joined=seat.joined,
    )


def _owner(kind: str, identity: str) -> str:
    """Bots are made anew; of them the name alone is kept."""
    return identity if kind == "person" else ""
