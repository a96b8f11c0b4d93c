"""Where each command goes: the lobby's are done here, a table's are stamped and put in its inbox in the same step."""

import structlog
import trio
from msgspec.structs import replace

from robby_protocol import errors
from robby_protocol.errors import text_for
from robby_protocol.messages import (
    Act,
    ChatSaid,
    ChatSend,
    Command,
    LobbyList,
    LobbyWatch,
    Notice,
    RecordGet,
    TableClosed,
    TableCreate,
    TableJoin,
    TableLeave,
    TableUnwatch,
    TableWatch,
)
from robby_server import access, offers, table_commands, table_social
from robby_server.addresses import site_of
from robby_server.audience import Audience
from robby_server.chat import ChatLog, Pace, check_line
from robby_server.directory import read_table_id
from robby_server.identities import Identity
from robby_server.rejected import Rejected
from robby_server.session import Session
from robby_server.table import Asked, Came, Services, Table, Went

log = structlog.get_logger("robby.lobby")


_MOVES = (TableJoin, TableLeave, TableWatch, TableUnwatch)
"""Commands that decide what those after them mean."""


class Commands:
    """Takes the commands of all connections of one server. nursery: the tables' tasks run in it."""

    def __init__(self, services: Services, nursery: trio.Nursery) -> None:
        self._services = services
        self._nursery = nursery
        self._pace = Pace(services.settings, trio.current_time)
        self._chat = ChatLog(services.settings)  # of the lobby

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
                # It has closed since the welcome named it.
                code = errors.TABLE_CLOSED
                session.send(TableClosed(table=who.table, code=code, text=text_for(code)))
                who.table = None
        self._services.directory.changed()

    def went(self, session: Session) -> None:
        """A connection is over, after its login or before."""
        self._services.directory.unwatch(session)
        session.stop_watching()
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
            session.answer_packed(command, directory.listing())
        elif isinstance(command, LobbyWatch):
            session.answer(command)
            if command.on:
                directory.watch(session)
                for said in self._chat.past():
                    session.send(said)
            else:
                directory.unwatch(session)
        elif isinstance(command, TableCreate):
            if who.kind != "person":
                raise Rejected(errors.NOT_HOST)
            self._create(session, command)
        elif isinstance(command, TableJoin):
            if who.kind != "person":
                raise Rejected(errors.NOT_HOST)
            self._join(session, command)
        elif isinstance(command, TableWatch):
            if who.kind != "person":
                raise Rejected(errors.NOT_HOST)
            self._watch(session, command)
        elif isinstance(command, TableUnwatch):
            self._unwatch(session, command)
        elif isinstance(command, ChatSend):
            self._say(session, who, command)
        elif isinstance(command, Act) and read_table_id(command.table) != who.table:
            raise Rejected(errors.NOT_SEATED)
        else:
            self._post(session, command, self._table(who.table), errors.NOT_SEATED)

    def _post(self, session: Session, command: Command, table: Table | None, otherwise: str) -> None:
        if table is None or table.ended:
            raise Rejected(otherwise)
        done = trio.Event() if isinstance(command, _MOVES) else None
        if not table.post(Asked(trio.current_time(), session, command, done)):
            raise Rejected(errors.TOO_MANY_MESSAGES)
        session.moving = done

    def _join(self, session: Session, command: TableJoin) -> None:
        table = self._table(command.table)
        # The lobby still shows a table whose end it may not know yet.
        over = table is not None and table.ended and table.audience.hides
        self._post(session, command, table, errors.TABLE_PLAYING if over else self._missing(command.table))

    def _watch(self, session: Session, command: TableWatch) -> None:
        table = self._table(command.table)
        if table is None or not (table.ended and table.audience.hides):
            self._post(session, command, table, self._missing(command.table))
            return
        # Its task takes nothing more and only shows the rest.
        session.answer(command, table_social.watch(table, session, command))
        table.audience.come(session)

    def _missing(self, text: str) -> str:
        """Why a table cannot be found: code of the refusal."""
        parked = read_table_id(text) in {parked.table for parked in self._services.parked}
        return errors.TABLE_PARKED if parked else errors.NO_SUCH_TABLE

    def _unwatch(self, session: Session, command: TableUnwatch) -> None:
        audience = session.watching
        if not isinstance(audience, Audience):
            raise Rejected(errors.NOT_WATCHING)
        if audience.table.ended:
            session.stop_watching()
            session.answer(command)
        else:
            self._post(session, command, audience.table, errors.NOT_WATCHING)

    def _say(self, session: Session, who: Identity, command: ChatSend) -> None:
        if who.kind != "person":
            raise Rejected(errors.NOT_WATCHING)  # a bot plays, and does nothing else
        command = replace(command, text=check_line(command.text, self._services.settings))
        table = None
        if command.table is not None:
            table = self._table(command.table)
            if table is None or table.ended:
                raise Rejected(errors.NOT_WATCHING)
        self._pace.take(who.id, site_of(session.address))
        if table is not None:
            self._post(session, command, table, errors.NOT_WATCHING)
            return
        session.answer(command)
        said = ChatSaid(name=who.name, text=command.text)
        self._chat.add(said)
        self._services.directory.tell(said)
        if not self._services.directory.watches(session):
            session.send(said)

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
        allowed = access.changed(access.Access(), private=command.private, password_key=command.password_key)
        table_social.check_delay(self._services.settings.spectator_delay_most, command.delay_s)
        table = Table(
            self._services,
            self._services.directory.new_id(session.address),
            game=command.game,
            title=title,
            options=options,
            capacity=capacity,
            origin=session.address,
        )
        table.private, table.invite, table.password_key = allowed
        table.spectators, table.delay_s = command.spectators, command.delay_s
        session.stop_watching()
        table.host = table.sit(who, session=session)
        for bot in command.bots:
            table_commands.add_bot(table, bot)
        self._services.directory.add(table)
        table.open(session, command)
        self._nursery.start_soon(table.run)
        log.info("table_created", table=table.id, game=table.game)
