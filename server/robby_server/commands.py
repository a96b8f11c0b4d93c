"""Where each command goes: the lobby's are done here, a table's are stamped and put in its inbox in the same step."""

import structlog
import trio

from robby_protocol import errors
from robby_protocol.errors import text_for
from robby_protocol.messages import (
    Act,
    Command,
    LobbyList,
    LobbyWatch,
    Notice,
    RecordGet,
    TableClosed,
    TableCreate,
    TableJoin,
    TableLeave,
)
from robby_server import offers, table_commands
from robby_server.directory import read_table_id
from robby_server.rejected import Rejected
from robby_server.session import Session
from robby_server.table import Asked, Came, Services, Table, Went

log = structlog.get_logger("robby.lobby")


class Commands:
    """Takes the commands of all connections of one server. nursery: the tables' tasks run in it."""

    def __init__(self, services: Services, nursery: trio.Nursery) -> None:
        self._services = services
        self._nursery = nursery

    async def handle(self, session: Session, command: Command) -> None:
        """Answer a command now, or see to it that its table does."""
        if session.moving is not None:
            # What comes after a join or leave depends on how that went.
            await session.moving.wait()
            session.moving = None
        if session.who is None or session.who.session is not session:
            return  # replaced by a newer connection meanwhile: what it asks for now would be done for nobody
        try:
            if isinstance(command, RecordGet):
                await self._record(session, session.who.id, command)
            else:
                self._direct(session, command)
        except Rejected as refusal:
            session.refuse(command.id, refusal.code, refusal.text, refusal.details)

    async def _record(self, session: Session, identity: str, command: RecordGet) -> None:
        data = await self._services.recorder.get(command.match, identity)
        if data is None:
            raise Rejected(errors.NO_SUCH_RECORD)
        session.answer(command, {"record": data})

    def came(self, session: Session) -> None:
        """Somebody has logged in: a table where a seat is kept hears of it."""
        who = session.who
        assert who is not None, "called after the login"
        for code in self._services.gate.notices:
            session.send(Notice(code=code, text=text_for(code)))
        for parked in self._services.parked:
            if who.id in parked.people:
                code = errors.TABLE_PARKED
                session.send(TableClosed(table=parked.table, code=code, text=text_for(code)))
        if who.table is not None:
            table = self._table(who.table)
            if table is None or not table.post(Came(trio.current_time(), session)):
                who.table = None
        self._services.directory.changed()

    def went(self, session: Session) -> None:
        """A connection is over, after its login or before."""
        self._services.directory.unwatch(session)
        who = session.who
        if who is None or not self._services.identities.disconnected(who, session):
            return  # never came, or was replaced by a newer one
        if who.table is not None:
            table = self._table(who.table)
            if table is not None:
                table.post(Went(trio.current_time(), session, session.on_purpose))
        self._services.directory.changed()

    def _direct(self, session: Session, command: Command) -> None:
        who = session.who
        assert who is not None, "commands come after the login"
        directory = self._services.directory
        if isinstance(command, LobbyList):
            session.answer(command, {"tables": directory.listing()})
        elif isinstance(command, LobbyWatch):
            session.answer(command)
            if command.on:
                directory.watch(session)
            else:
                directory.unwatch(session)
        elif isinstance(command, TableCreate):
            if who.kind != "person":
                raise Rejected(errors.NOT_HOST)
            self._create(session, command)
        elif isinstance(command, TableJoin):
            if who.kind != "person":
                raise Rejected(errors.NOT_HOST)
            self._post(session, command, self._table(command.table), errors.NO_SUCH_TABLE)
        elif isinstance(command, Act) and read_table_id(command.table) != who.table:
            raise Rejected(errors.NOT_SEATED)
        else:
            self._post(session, command, self._table(who.table), errors.NOT_SEATED)

    def _post(self, session: Session, command: Command, table: Table | None, otherwise: str) -> None:
        if table is None or table.ended:
            raise Rejected(otherwise)
        done = trio.Event() if isinstance(command, TableJoin | TableLeave) else None
        if not table.post(Asked(trio.current_time(), session, command, done)):
            raise Rejected(errors.TOO_MANY_MESSAGES)
        session.moving = done

    def _table(self, table: str | None) -> Table | None:
        found = None if table is None else self._services.directory.find(table)
        return found if isinstance(found, Table) else None

    def _create(self, session: Session, command: TableCreate) -> None:
        who = session.who
        assert who is not None, "commands come after the login"
        if who.table is not None:
            raise Rejected(errors.ALREADY_SEATED, table=who.table)
        self._services.gate.check()
        offers.check_game(command.game)
        options = offers.full_options(command.game, command.options)
        capacity = offers.full_capacity(command.game, options, command.capacity)
        title = offers.check_title(command.title, self._services.settings)
        offers.check_bots(self._services.bots.names(command.game), command.bots, capacity - 1)
        table = Table(
            self._services,
            self._services.directory.new_id(session.address),
            game=command.game,
            title=title,
            options=options,
            capacity=capacity,
            origin=session.address,
        )
        table.host = table.sit(who, session=session)
        for bot in command.bots:
            table_commands.add_bot(table, bot)
        self._services.directory.add(table)
        table.open(session, command)
        self._nursery.start_soon(table.run)
        log.info("table_created", table=table.id, game=table.game)
