"""The client: keeps one connection to a server, comes back when it is lost, and answers calls. Knows no screens."""

import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from anyio.abc import ByteStream
from msgspec import Struct

from robby_client.access import Access, Opened, table_id
from robby_client.backoff import Backoff
from robby_client.calls import Calls, NotConnected, Refused
from robby_client.chat import look_of
from robby_client.codes import (
    CLIENT_FAULT,
    GAME_UNKNOWN,
    SERVER_ID_CHANGED,
    SERVER_PROOF_WRONG,
    STOPPED,
    TIMED_OUT,
    refusal,
    text_for,
)
from robby_client.dial import DialError
from robby_client.events import ClientEvent, Connected, DealTrouble, Ended, Lost, Received
from robby_client.inbox import Inbox
from robby_client.keeper import Keeper
from robby_client.link import Link, LinkError, lost
from robby_client.login import DEFAULT_TIMINGS, LoginPlan, Timings
from robby_client.world import World
from robby_games.registry import GAMES
from robby_protocol import identity
from robby_protocol.codec import plain
from robby_protocol.connection import InvalidMessage
from robby_protocol.errors import (
    INVALID_MESSAGE,
    NO_DECISION,
    NO_SUCH_RECORD,
    RESUME_UNKNOWN,
    STALE_DECISION,
)
from robby_protocol.messages import (
    Act,
    ChatSend,
    Command,
    DealCommitted,
    DealOpen,
    DealOpened,
    DealRevealed,
    Error,
    Greeting,
    LobbyWatch,
    Message,
    Ok,
    Pong,
    RecordGet,
    TableClosed,
    TableConfigure,
    TableCreate,
    TableJoin,
    TableLeave,
    TableReady,
    TableStart,
    TableState,
    TableUnwatch,
    TableWatch,
    Welcome,
)

__all__ = ["Client", "Dial", "LoginPlan", "NotConnected", "Refused", "Timings"]

Dial = Callable[[], Awaitable[ByteStream]]

_log = logging.getLogger(__name__)


class Client:
    """One identity on one server.

    dial: makes a new connection, or raises DialError. first_try_fatal: a first try that fails ends the client,
    instead of being tried again. reconnect: False: any loss ends it.
    on_welcome: told of each login, with the greeting, before the event is seen; for remembering keys and tokens.
    keeper: keeps receipts and records; None: nothing is kept. mutes: names that this person has muted here.
    on_mutes: told all of them when they change. games: the names of those that can be shown here.

    All methods belong to the event loop in which `run` runs.
    """

    world: World

    def __init__(
        self,
        dial: Dial,
        login: LoginPlan,
        *,
        timings: Timings = DEFAULT_TIMINGS,
        rng: random.Random | None = None,
        first_try_fatal: bool = False,
        reconnect: bool = True,
        on_welcome: Callable[[Greeting, Welcome], None] | None = None,
        keeper: Keeper | None = None,
        mutes: Sequence[str] = (),
        on_mutes: Callable[[list[str]], None] | None = None,
        games: Collection[str] = GAMES,
    ) -> None:
        self.world = World(games=games)
        self.world.muted = {look_of(name): name for name in mutes}
        self._dial = dial
        self._plan = login
        self._timings = timings
        self._first_try_fatal = first_try_fatal
        self._reconnect = reconnect
        self._on_welcome = on_welcome
        self._keeper = keeper
        self._on_mutes = on_mutes
        self._opened = Opened()
        self._watched_table: str | None = None
        """The table that is watched, to be watched again after a reconnect."""
        self._backoff = Backoff(timings.first_wait, timings.longest_wait, rng or random.Random())
        self._inbox = Inbox()
        self._calls = Calls()
        self._server_id = login.known_server_id
        self._token = login.resume
        self._identity: str | None = None
        self._forgotten = False
        self._started = False
        self._scope: anyio.CancelScope | None = None

    @property
    def connected(self) -> bool:
        """Whether a command could be sent now."""
        return self._calls.open

    @property
    def events(self) -> AsyncIterator[ClientEvent]:
        """All events, for one consumer; ends after Ended."""
        return self._inbox

    async def run(self) -> None:
        """Own the connection until the client is ended. Call it once."""
        if self._started:
            raise RuntimeError("a client runs once")
        self._started = True
        ended = Ended(STOPPED, text_for(STOPPED))
        try:
            ended = await self._run()
        finally:
            # Also when cancelled: whoever waits for events must not wait for ever.
            self._inbox.put(ended)

    async def _run(self) -> Ended:
        attempt = 0
        while not self._told_to_stop():
            was_connected = False
            try:
                with anyio.CancelScope() as scope:
                    self._scope = scope
                    link = await self._connect()
                    was_connected = True
                    began = anyio.current_time()
                    try:
                        await self._serve(link)
                    finally:
                        if anyio.current_time() - began >= self._timings.steady:
                            self._backoff.reset()
                break  # stopped
            except (DialError, LinkError) as error:
                problem = error if isinstance(error, LinkError) else LinkError(error.code, error.text, heals=True)
            except Exception as error:  # noqa: BLE001 - a mistake of ours must not end the person's game
                _log.error("client fault: %s", repr(error).encode("unicode_escape").decode(), exc_info=_debugging())
                problem = LinkError(CLIENT_FAULT, text_for(CLIENT_FAULT), heals=True)
            if self._told_to_stop():
                break
            attempt = 0 if was_connected else attempt + 1
            first_failed = self._identity is None and self._first_try_fatal
            if not problem.heals or not self._reconnect or first_failed:
                known = None if problem.server_id is None else self._server_id
                return Ended(problem.code, problem.text, known_id=known, new_id=problem.server_id)
            wait = self._backoff.next()
            self._inbox.put(Lost(problem.code, problem.text, attempt, wait))
            with anyio.CancelScope() as scope:
                self._scope = scope
                await anyio.sleep(wait)
        return Ended(STOPPED, text_for(STOPPED))

    async def _connect(self) -> Link:
        """Dial and log in. Raises DialError or LinkError."""
        try:
            return await self._log_in()
        except LinkError as error:
            if error.code != RESUME_UNKNOWN or self._forgotten:
                raise
        # The server no longer knows this guest: be a new one of the same name.
        self._forgotten = True
        return await self._log_in()

    async def _log_in(self) -> Link:
        link: Link | None = None
        try:
            with anyio.fail_after(self._timings.handshake):
                stream = await self._dial()
                link = Link(stream, self._timings)
                greeting, welcome = await link.handshake(self._plan, token_for=self._token_for, trusted=self._trusted)
            if self._on_welcome is not None:
                self._on_welcome(greeting, welcome)
        except BaseException as error:
            if link is not None:
                await link.aclose()
            if isinstance(error, TimeoutError):
                raise lost(TIMED_OUT) from None
            raise
        resumed = welcome.identity == self._identity
        self._server_id = greeting.server_id
        self._identity = welcome.identity
        self._token = welcome.resume
        self._forgotten = False
        self._calls.link = link
        self.world.connected(greeting, welcome)
        self._inbox.put(Connected(welcome, resumed))
        self._watch_again()
        return link

    def _token_for(self, server_id: bytes) -> bytes:
        """The token by which a guest comes back to this server; never shown to another one."""
        if self._forgotten:
            return b""
        if self._token and self._server_id in (None, server_id):
            return self._token
        return self._plan.resume_for(server_id) if self._plan.resume_for is not None else b""

    def _trusted(self, server_id: bytes, proven: bool) -> str | None:
        """The code for which this server is not to be talked to; None if it is. A known one must prove its id."""
        if self._server_id is None:
            return None
        if not proven:
            return SERVER_PROOF_WRONG
        if server_id == self._server_id:
            return None
        return SERVER_ID_CHANGED

    async def _serve(self, link: Link) -> None:
        try:
            await link.serve(self._received)
        finally:
            self._calls.lost()
            self.world.disconnected()
            await link.aclose()

    def _received(self, message: Message | InvalidMessage) -> None:
        if isinstance(message, InvalidMessage):
            _log.warning("invalid message %s: %s", message.type, message.detail)
            if message.id is not None:
                # The answer came, but cannot be read: whoever waits for it must not wait for ever.
                text = text_for(INVALID_MESSAGE)
                self._calls.answered(Error(re=message.id, code=INVALID_MESSAGE, text=text))
        elif isinstance(message, Ok) or (isinstance(message, Error) and message.re is not None):
            self._calls.answered(message)
        elif not isinstance(message, Pong):
            self._take(message)

    def _take(self, message: Message) -> None:
        world = self.world
        if isinstance(message, TableClosed) and world.table is not None and world.table.table == message.table:
            self._keep()
            self._watched_table = None
        world.apply(message)
        if isinstance(message, TableState) and message.table.phase == "finished":
            self._keep()
        elif isinstance(message, DealCommitted | DealOpened | DealRevealed):
            self._deal(message)
        self._inbox.put(Received(message))

    def _deal(self, message: DealCommitted | DealOpened | DealRevealed) -> None:
        """The fair deal goes by itself: open what was committed to, keep what was seen, shout if it does not fit."""
        world = self.world
        if world.deal_trouble is not None:
            self._inbox.put(DealTrouble(message.match, world.deal_trouble, text_for(world.deal_trouble)))
        if isinstance(message, DealCommitted):
            nonce = world.deals.to_open(message.match)
            if nonce:
                self._calls.post(DealOpen, {"match": message.match, "nonce": nonce})
        elif self._keeper is not None:
            secret = message.secret if isinstance(message, DealRevealed) else b""
            self._keeper.keep(world, message.match, secret)

    def _keep(self) -> None:
        """Keep what was seen of the table's match so far."""
        world = self.world
        if self._keeper is not None and world.game is not None:
            self._keeper.keep(world, world.game.match)

    async def call(self, command: type[Command], /, **fields: Any) -> dict[str, Any]:
        """Send a command and wait for its one answer. Returns its result; raises Refused or NotConnected.

        With *ready* and with the start a commitment for the fair deal is sent by itself.
        """
        on_ok: Callable[[], None] | None = None
        if command in (TableLeave, TableUnwatch):
            on_ok = self._left
        elif command is LobbyWatch and fields.get("on"):
            on_ok = self.world.lobby_chat.begin_anew
        elif command is TableStart or (command is TableReady and fields.get("ready")):
            fields = {"commitment": self.world.deals.commit(), **fields}
        return await self._calls.ask(command, fields, on_ok)

    def _left(self) -> None:
        self._keep()
        self._watched_table = None
        self.world.leave_table()

    async def act(self, action: Struct, *, decision: int | None = None) -> None:
        """Answer the open decision of `world.game`.

        decision: the id of the decision that the person saw; if another is open by now, nothing is sent and Refused
        (`stale_decision`) is raised. Raises Refused (`no_decision` if nothing is asked) or NotConnected.
        Once taken, `world.game.decision` is None until the server asks again.
        """
        if not self.connected:
            raise NotConnected
        table, game = self.world.table, self.world.game
        if table is None or game is None or game.decision is None:
            raise Refused(NO_DECISION)
        number = game.decision.id
        if decision is not None and decision != number:
            raise Refused(STALE_DECISION)
        fields = {"table": table.table, "match": game.match, "decision": number, "action": plain(action)}
        await self._calls.ask(Act, fields, lambda: self.world.answered(number))

    # Tables: sitting down, watching, private ones.

    async def join(self, table: str, *, invite: str = "", password: str | None = None) -> dict[str, Any]:
        """Sit down. table: its id, as typed. invite, password: of a private one; what opened it before need not be
        given again in this run. Raises Refused (`table_private`, `access_denied`, …) or NotConnected."""
        return await self._enter(TableJoin, table, invite, password)

    async def watch(self, table: str, *, invite: str = "", password: str | None = None) -> dict[str, Any]:
        """Watch a table without a seat, also after a reconnect. As `join`."""
        return await self._enter(TableWatch, table, invite, password)

    async def unwatch(self) -> dict[str, Any]:
        """Watch no longer."""
        return await self.call(TableUnwatch)

    async def create(self, *, password: str | None = None, **fields: Any) -> dict[str, Any]:
        """Make a table. password: of a private one. fields: of `table.create`."""
        if password:
            fields["password_key"] = await self._table_key(password)
        return await self.call(TableCreate, **fields)

    async def configure(self, *, password: str | None = None, **fields: Any) -> dict[str, Any]:
        """Change the table. password: its new one; "" takes it away; None: as it is. fields: of `table.configure`."""
        if password is not None:
            fields["password_key"] = await self._table_key(password) if password else b""
        return await self.call(TableConfigure, **fields)

    async def _enter(
        self, command: type[TableJoin] | type[TableWatch], table: str, invite: str, password: str | None
    ) -> dict[str, Any]:
        table = table_id(table)
        listed = () if self.world.lobby is None else self.world.lobby.tables
        if any(one.table == table and not self.world.knows(one.game) for one in listed):
            raise Refused(GAME_UNKNOWN)
        access = self._opened.get(table)
        if invite or password:
            access = Access(invite.strip(), await self._table_key(password) if password else b"")

        def entered() -> None:
            self._opened.keep(table, access)
            self._watched_table = table if command is TableWatch else None

        return await self._calls.ask(command, self._to_enter(table, access), entered)

    def _to_enter(self, table: str, access: Access) -> dict[str, Any]:
        """The fields that open a table on this connection."""
        proof = b""
        if access.key and self._calls.link is not None:
            proof = identity.password_proof(access.key, self._calls.link.table_password_payload(table))
        return {"table": table, "invite": access.invite, "password_proof": proof}

    async def _table_key(self, password: str) -> bytes:
        greeting = self.world.greeting
        if greeting is None:
            raise NotConnected
        # Slow on purpose, some 50 ms: the screen and the heartbeats must not stand still for it.
        return await anyio.to_thread.run_sync(identity.table_password_key, password, greeting.server_id)

    def _watch_again(self) -> None:
        """After a login: watch on where one watched before. What is refused ends it, as if the table had closed."""
        table = self._watched_table
        if table is None or not self.world.watching:
            self._watched_table = None
            return

        def refused(error: Error) -> None:
            if self._watched_table == table and self.world.watching and self.world.table is not None:
                shown = self.world.table.table
                self._take(TableClosed(table=shown, code=error.code, text=refusal(error.code, error.text)))

        self._calls.post(TableWatch, self._to_enter(table, self._opened.get(table)), refused)

    # Chat and records.

    async def say(self, text: str, *, lobby: bool = False) -> dict[str, Any]:
        """Say a line at the own or watched table; without one, or with lobby, in the lobby."""
        table = None if lobby or self.world.table is None else self.world.table.table
        return await self.call(ChatSend, table=table, text=text)

    def mute(self, name: str) -> None:
        """Do not show any more what somebody of this name, or one that looks like it, says."""
        self.world.muted[look_of(name)] = name
        self._mutes_changed()

    def unmute(self, name: str) -> None:
        """Show it again."""
        self.world.muted.pop(look_of(name), None)
        self._mutes_changed()

    def _mutes_changed(self) -> None:
        if self._on_mutes is not None:
            self._on_mutes(list(self.world.muted.values()))

    async def save_record(self, match: str, folder: Path | None = None) -> Path:
        """Ask for the record of a match that is over and write it. Returns the file's path.

        folder: None: the keeper's own. Raises Refused, NotConnected, or NotWritable.
        """
        result = await self.call(RecordGet, match=match)
        record = result.get("record")
        if not isinstance(record, bytes) or not record:
            raise Refused(NO_SUCH_RECORD)
        keeper = self._keeper or Keeper(Path())
        return keeper.save_record(match, record, folder)

    def stop(self) -> None:
        """Say bye and end `run`. May be called at any time, more than once."""
        self._calls.closed = True
        if self._calls.link is not None:
            self._calls.link.close()
        elif self._scope is not None:
            self._scope.cancel()

    def _told_to_stop(self) -> bool:
        return self._calls.closed


def _debugging() -> bool:
    return _log.isEnabledFor(logging.DEBUG)
