"""After a start: the tables that were kept, as they were; those that cannot be played now are parked.

Nothing that could not be read is ever deleted or written over: a parked table stays in the store as it is, and is
tried again at each start.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog
import trio

from robby_rules.journal import JournalError, replay
from robby_rules.match import Match
from robby_server import offers
from robby_server.identities import Identity, new_identity_id
from robby_server.kept import KeptSeat, KeptTable, SnapshotError, State, decode_table
from robby_server.play import Play
from robby_server.rejected import Rejected
from robby_server.seats import Seat
from robby_server.table import Restored, Services, Table

log = structlog.get_logger("robby.restore")


@dataclass(frozen=True)
class Parked:
    """A table that is kept and cannot be played now. people: identity ids of those who sit there."""

    table: str
    reason: str
    people: frozenset[str] = field(default=frozenset())


class CannotRestoreError(Exception):
    """Why a table is to be parked, for the operator."""


async def restore(services: Services, kept: Mapping[str, bytes], clock_ms: int) -> tuple[list[Table], list[Parked]]:
    """The tables of these snapshots, ready to run, and those that are parked.

    Matches stand still at the time at which the server went: its own clock showed clock_ms when it was last recorded.
    What is so now is kept before anything else happens, so another crash changes nothing.
    """
    tables: list[Table] = []
    parked: list[Parked] = []
    # The newest first: whoever sat at a table while it was parked, and sits at a newer one by now, has left the older.
    for name, data in reversed(list(kept.items())):
        people: frozenset[str] = frozenset()
        try:
            snapshot = decode_table(data)
            people = frozenset(seat.owner for seat in snapshot.seats if seat.owner)
            tables.append(await _table(services, snapshot, clock_ms))
        except (CannotRestoreError, SnapshotError) as problem:
            parked.append(Parked(name, str(problem), people))
        except Exception as problem:  # whatever is wrong with one table must not keep the others away
            log.exception("table_not_restored", table=name)
            parked.append(Parked(name, f"{type(problem).__name__}: {problem}", people))
        await trio.lowlevel.checkpoint()
    tables.reverse()
    parked.reverse()
    for one in parked:
        log.error("table_parked", table=one.table, reason=one.reason)
    orphans = await _orphans(services, tables, parked)
    for table in tables:
        await table.save()  # where matches stand still, before the clock is recorded anew
        services.directory.add(table)
        table.audience.restored()
        table.post(Restored(trio.current_time()))
    for match in orphans:
        await services.store.end(match)
    if kept:
        log.info("tables_restored", tables=len(tables), parked=len(parked), orphans=len(orphans))
    return tables, parked


async def _orphans(services: Services, tables: Iterable[Table], parked: Iterable[Parked]) -> list[str]:
    """Matches that no table names: the server went before anybody was told of them."""
    named = {table.play.id for table in tables if table.play is not None}
    untouched = {one.table for one in parked}
    matches = await services.store.matches()
    return [match for match in matches if match not in named and match.rpartition("-")[0] not in untouched]


async def _table(services: Services, kept: KeptTable, clock_ms: int) -> Table:
    """One table. Raises CannotRestoreError."""
    options = _options(kept)
    match = await _match(services, kept)
    playing = match is not None and kept.phase == "playing"
    table = Table(
        services,
        kept.table,
        game=kept.game,
        title=kept.title,
        options=options,
        capacity=kept.capacity,
        origin=kept.origin,
    )
    table.phase = kept.phase if playing or kept.phase != "playing" else "waiting"
    seats = [_seat(table, one, playing=playing) for one in kept.seats]
    table.take_back([seat for seat in seats if seat is not None])
    table.host = None if kept.host is None else seats[kept.host]
    # What commits the server to its secret for the next match is new, so the match has a new number; see `fair`.
    # The old one may be used up besides, by a start that nobody was told of.
    table.matches = kept.attempt - 1 if playing else kept.attempt
    table.result = list(kept.result)
    table.kicked = _known(services, kept.kicked)
    table.muted = _known(services, kept.muted)
    table.private, table.invite, table.password_key = kept.private, kept.invite, kept.password_key
    table.spectators, table.delay_s = kept.spectators, kept.delay_s
    table.aborted = kept.aborted + kept.opening
    if match is not None:
        owners = [seat.owner for seat in table.seats] if playing else [_owner(services, *one) for one in kept.owners]
        table.play = Play(match, services.store, table.id, owners, names=[name for _id, name in kept.owners])
        if playing:
            went = clock_ms - kept.began_ms if kept.paused_ms is None else kept.paused_ms
            table.play.pause(max(went, match.now))
    return table


def _options(kept: KeptTable) -> dict[str, Any]:
    """Its options, with the defaults of those that the game has got since. Raises CannotRestoreError for a table that
    this server could not have."""
    try:
        offers.check_game(kept.game)
        options = offers.full_options(kept.game, kept.options)
    except Rejected as problem:
        raise CannotRestoreError(f"{problem.code}: {problem.text or problem.details}") from problem
    if kept.host is not None and not 0 <= kept.host < len(kept.seats):
        raise CannotRestoreError("the host has no seat")
    return options


async def _match(services: Services, kept: KeptTable) -> Match | None:
    """The match that is played, or just over; None if there is none, or of one that is over nothing to show."""
    if kept.match is None:
        return None
    try:
        match = replay(await services.store.read(kept.match))
    except KeyError:
        return None
    except JournalError as problem:
        if kept.phase != "playing":
            log.warning("finished_match_unreadable", table=kept.table, match=kept.match, reason=str(problem))
            return None
        raise CannotRestoreError(str(problem)) from problem
    seats = len(kept.seats) if kept.phase == "playing" else len(kept.owners)
    if match.start_entry.game != kept.game or match.seats != seats or len(kept.owners) != seats:
        raise CannotRestoreError("its journal is of another table")
    return match


def _seat(table: Table, kept: KeptSeat, *, playing: bool) -> Seat | None:
    """A seat; None between matches for somebody whom the server does not know any more.

    In a match the seat of such a person is played on like one that was given up.
    """
    now = trio.current_time()
    if kept.bot is not None:
        owner = Identity(id=new_identity_id(), name=kept.name, kind="bot")
        return Seat(owner=owner, bot=kept.bot, joined=kept.joined, since=now, state=kept.state if playing else "here")
    who = table.services.identities.by_id(kept.owner)
    if who is None or (kept.state != "left" and who.table is not None):
        if not playing:
            return None
        owner = Identity(id=kept.owner, name=kept.name, kind="person")
        return Seat(owner=owner, joined=kept.joined, since=now, state="left")
    if kept.state == "left":
        return Seat(owner=who, joined=kept.joined, since=now, state="left")
    who.table = table.id
    state: State = kept.state if playing and kept.state != "here" else "away"
    seat = Seat(owner=who, joined=kept.joined, since=now, state=state)
    if kept.state == "here":
        table.returning.add(seat)
    return seat


def _owner(services: Services, identity: str, name: str) -> Identity:
    """Whose seat it was in a match that is over."""
    who = services.identities.by_id(identity) if identity else None
    return who or Identity(id=identity, name=name, kind="person" if identity else "bot")


def _known(services: Services, identities: Iterable[str]) -> set[Identity]:
    """Those of them whom the server still knows; nobody else can come back as one of them."""
    found = (services.identities.by_id(identity) for identity in identities)
    return {who for who in found if who is not None}
