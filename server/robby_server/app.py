"""The server as a whole: what runs in which nursery, taking connections, and stopping in order."""

import socket
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import structlog
import trio

from robby_protocol import errors, identity
from robby_protocol.connection import Connection, Role
from robby_protocol.errors import text_for
from robby_protocol.i18n import _
from robby_protocol.messages import Notice
from robby_server.addresses import SITE_TIMES, household, site_of
from robby_server.attempts import Attempts
from robby_server.bans import Bans, ban_text
from robby_server.bots import Bots, SpawnBot
from robby_server.clock import ServerClock
from robby_server.commands import Commands
from robby_server.directory import Directory
from robby_server.gate import Gate
from robby_server.handshake import Handshake
from robby_server.identities import Identities
from robby_server.listeners import accept_forever, address_of
from robby_server.log import Throttle
from robby_server.memory import MemoryStream, memory_stream_pair
from robby_server.records import MemoryRecords, Recorder, Records
from robby_server.restore import Parked, restore
from robby_server.session import Session
from robby_server.settings import Settings
from robby_server.store import Store
from robby_server.table import KeptChanged, Services, Table
from robby_server.tally import Tally
from robby_server.tls import Tls, TlsTransport
from robby_server.transport import PlainPeer, SocketTransport, StreamTransport, Transport

log = structlog.get_logger("robby.server")

TABLES_SHARE = 0.4
"""Of the stop time: what the tables may take to finish what they do; the rest is for the store and the farewells."""

STORE_SHARE = 0.3
"""Of the stop time: what the store may take to write the rest; it is committed already what anybody was told."""

RECORDS_SHARE = 0.1
"""Of the stop time: a last try for records that could not be written yet."""

DRAINED_SECONDS = 1.0
"""How often a draining server looks whether a match is still played."""


class Server:
    """One server. Make it, `serve`, `stop`.

    Args:
        settings: all limits.
        store: where everything is kept that outlives the process.
        spawn_bot: runs a bot over a stream; None: no bots can be seated.
        bots: per game, the names of the bots that spawn_bot knows.
        key: the server's private Ed25519 seed, 32 bytes; by it clients know the server again.
        match_seed: gives the 32 secret bytes of each new match; there is no fair deal then. None: there is.
        records: where records of matches are kept; None: in memory.
        tls: its certificate; then whoever comes over the network must speak TLS.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        *,
        spawn_bot: SpawnBot | None = None,
        bots: Mapping[str, Sequence[str]] | None = None,
        key: bytes,
        match_seed: Callable[[], bytes] | None = None,
        records: Records | None = None,
        tls: Tls | None = None,
    ) -> None:
        self.settings = settings
        self.store = store
        self._spawn_bot = spawn_bot
        self._bots = dict(bots or {}) if spawn_bot is not None else {}
        self.tls = tls
        self._match_seed = match_seed
        bot_names = sorted({name for names in self._bots.values() for name in names})
        self.identities = Identities(settings, bot_names=bot_names, store=store)
        self.gate = Gate(store)
        self.parked: list[Parked] = []
        self.directory = Directory(settings, lambda: self.identities.people)
        self.attempts = Attempts(settings.attempts, settings.attempts_seconds)
        self.bans = Bans(store, sessions=lambda: self._sessions)
        self._handshake = Handshake(settings, self.identities, key, self._bots, attempts=self.attempts, bans=self.bans)
        self.recorder = Recorder(
            MemoryRecords() if records is None else records,
            store,
            settings,
            server_id=self._handshake.server_id,
            sign=partial(identity.sign, key),
        )
        self._commands: Commands | None = None
        self._sessions: set[Session] = set()
        self._session_nursery: trio.Nursery | None = None
        self._per_address: Counter[str] = Counter()
        self._per_site: Counter[str] = Counter()
        self._refusing = 0
        self._throttle = Throttle()
        self.tally = Tally()
        self._clock: ServerClock | None = None
        self._ticking = trio.CancelScope()
        self._told_kept = True
        self._draining: trio.CancelScope | None = None
        self._serving: trio.Nursery | None = None
        self._listening: list[trio.CancelScope] = []
        self._stop = trio.Event()
        self._stopped = trio.Event()
        self._last_gone = trio.Event()

    @property
    def server_id(self) -> bytes:
        """The server's public key."""
        return self._handshake.server_id

    @property
    def connections(self) -> int:
        """How many connections there are, those inside the process included."""
        return len(self._sessions)

    @property
    def sessions(self) -> tuple[Session, ...]:
        """All connections, those inside the process included."""
        return tuple(self._sessions)

    async def serve(
        self,
        listeners: Sequence[socket.socket] = (),
        *,
        task_status: trio.TaskStatus[list[tuple[str, int]]] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve until `stop`, or until cancelled (then without farewells).

        listeners: from `open_listeners`; they are closed at the end. Reports the addresses and ports listened on.
        """
        self.store.watch(self._kept_changed)
        try:
            kept = await self.store.load()
            self.identities.load(kept.identities)
            self.bans.load(kept.bans)
            async with trio.open_nursery() as nursery:
                sessions = await nursery.start(_hold_nursery)
                tables = await nursery.start(_hold_nursery)
                bots = await nursery.start(_hold_nursery)
                self._session_nursery = sessions
                self._serving = nursery
                self._clock = ServerClock(kept.clock_ms)
                services = Services(
                    settings=self.settings,
                    directory=self.directory,
                    identities=self.identities,
                    bots=Bots(self._spawn_bot, self._bots, bots, self.connect_memory),
                    store=self.store,
                    clock=self._clock,
                    gate=self.gate,
                    parked=self.parked,
                    attempts=self.attempts,
                    match_seed=self._match_seed,
                    recorder=self.recorder,
                    tally=self.tally,
                )
                self._commands = Commands(services, tables)
                restored, parked = await restore(services, kept.tables, kept.clock_ms)
                self.parked.extend(parked)
                for table in restored:
                    tables.start_soon(table.run)
                nursery.start_soon(self._keep_clock, self._clock)
                nursery.start_soon(self.identities.keep_saving)
                nursery.start_soon(self.recorder.keep_trying)
                nursery.start_soon(self.directory.keep_telling)
                for listener in listeners:
                    nursery.start_soon(self._listen, listener)
                addresses = [address_of(listener) for listener in listeners]
                log.info("serving", addresses=", ".join(f"{address} port {port}" for address, port in addresses))
                task_status.started(addresses)
                await self._stop.wait()
                with trio.move_on_after(self.settings.stop_seconds) as limit:
                    await self._stop_in_order()
                if limit.cancelled_caught:
                    log.warning("stopped_late")
                nursery.cancel_scope.cancel()
        finally:
            for listener in listeners:
                listener.close()
            self._session_nursery = None
            self._serving = None
            self._stopped.set()
        log.info("stopped")

    def use(self, settings: Settings) -> None:
        """Other limits for connections, another name or password: for whoever connects from now on.

        What tables and identities were made with stays.
        """
        self.settings = settings
        self._handshake.use(settings)

    async def stop(self) -> None:
        """Stop in order, within `settings.stop_seconds`; returns once `serve` has ended. May be called again."""
        self._stop.set()
        await self._stopped.wait()

    @property
    def clock_ms(self) -> int:
        """The server's own clock: milliseconds that it has run in all its lives."""
        return 0 if self._clock is None else self._clock.now_ms()

    @property
    def draining(self) -> bool:
        """Whether nothing new begins and the server stops once no match is played."""
        return self.gate.draining

    def drain(self) -> None:
        """Let nothing new begin, tell everybody so, and stop by itself when the last match has ended."""
        if self._serving is None or self.gate.draining:
            return
        self.gate.draining = True
        log.info("draining")
        self._notify(errors.DRAINING)
        self._draining = trio.CancelScope()
        self._serving.start_soon(self._stop_when_empty, self._draining)

    def undrain(self) -> None:
        """Go on as usual after all."""
        if self._draining is None or not self.gate.draining:
            return
        self.gate.draining = False
        log.info("not_draining")
        self._draining.cancel()
        self._notify("undrained", _("The server goes on after all."))

    async def discard(self, table: str) -> bool:
        """Throw a parked table and what was played there away, for good. False: none is parked under this id."""
        found = next((one for one in self.parked if one.table == table), None)
        if found is None:
            return False
        self.parked.remove(found)
        await self.store.drop_table(table)  # first: a match that no table names is ended by the next start
        for match in await self.store.matches():
            if match.rpartition("-")[0] == table:
                await self.store.end(match)
        log.info("table_discarded", table=table, reason=found.reason)
        return True

    def _notify(self, code: str, text: str | None = None) -> None:
        """Tell everybody who is logged in."""
        notice = Notice(code=code, text=text_for(code) if text is None else text)
        for session in tuple(self._sessions):
            if session.who is not None:
                session.send(notice)

    def connect_memory(self) -> MemoryStream:
        """A new connection from inside the process; the server must be serving."""
        ours, theirs = memory_stream_pair()
        self._begin(StreamTransport(ours, inside=True), trusted=True)
        return theirs

    # Connections.

    async def _listen(self, listener: socket.socket) -> None:
        if self._stop.is_set():
            return
        scope = trio.CancelScope()  # one each: there are two where IPv4 and IPv6 have a socket of their own
        self._listening.append(scope)
        with scope:
            await accept_forever(listener, self._accepted)

    def _accepted(self, sock: socket.socket, address: str) -> None:
        transport: Transport
        if self.tls is None:
            transport = SocketTransport(sock, household(address))
        else:
            transport = TlsTransport(sock, household(address), self.tls)
        settings = self.settings
        # Bots inside the process take no descriptors, and many of them must not shut people out.
        full = sum(self._per_address.values()) >= settings.connections
        self.tally.accepted += 1
        each, site = settings.connections_per_address, site_of(transport.address)
        full = full or self._per_address[transport.address] >= each or self._per_site[site] >= each * SITE_TIMES
        if full:
            self.tally.turned_away += 1
            held = self._throttle.let("full")
            if held is not None:
                log.warning("connection_refused", peer=address, repeated=held)
            self._turn_away(transport, errors.SERVER_FULL)
            return
        ban = self.bans.of_address(transport.address)
        if ban is not None:
            self.tally.turned_away += 1
            self._turn_away(transport, errors.BANNED, ban_text(ban))
            return
        self._begin(transport)

    def _turn_away(self, transport: Transport, code: str, text: str | None = None) -> None:
        """Refuse a connection with a word, if not too many are being told so already."""
        if self._session_nursery is None or self._refusing >= self.settings.refusals:
            transport.close()
        else:
            self._refusing += 1
            self._session_nursery.start_soon(self._refuse, transport, code, text)

    def _begin(self, transport: Transport, *, trusted: bool = False) -> None:
        if self._session_nursery is None:
            transport.close()
            raise RuntimeError("the server is not serving")
        session = Session(transport, self.settings, self._throttle, trusted=trusted, tally=self.tally)
        self._sessions.add(session)
        if not trusted:
            self._count(session.address, 1)
        self._session_nursery.start_soon(self._attend, session)

    def _count(self, address: str, change: int) -> None:
        for counter, key in ((self._per_address, address), (self._per_site, site_of(address))):
            counter[key] += change
            if not counter[key]:
                del counter[key]

    async def _attend(self, session: Session) -> None:
        assert self._commands is not None, "the server is serving"
        try:
            await session.run(self._shake, self._commands.handle, self._commands.went)
        except Exception:  # a fault in one session must not end the others
            log.exception("session_failed", peer=session.address)
        finally:
            self._sessions.discard(session)
            if not self._sessions:
                self._last_gone.set()
            if not session.trusted:
                self._count(session.address, -1)

    async def _shake(self, session: Session) -> bool:
        if not await self._handshake.shake(session):
            return False
        assert self._commands is not None, "the server is serving"
        self._commands.came(session)
        return True

    async def _refuse(self, transport: Transport, code: str, text: str | None) -> None:
        """Tell a connection that it is not taken, and wait a moment until it has read it."""
        try:
            with trio.move_on_after(self.settings.farewell_seconds):
                await transport.open()
                await transport.send_all(Connection(Role.SERVER).close_with(code, text=text))
                await transport.send_eof()
                while await transport.receive_some():
                    pass
        except (trio.BrokenResourceError, trio.ClosedResourceError, PlainPeer):
            return  # the peer is gone, or would not be let in anyhow
        finally:
            self._refusing -= 1
            transport.close()

    # What is kept.

    async def _keep_clock(self, clock: ServerClock) -> None:
        """Record the server's own clock, again and again."""
        with self._ticking:
            while True:
                await self.store.tick(clock.now_ms())
                await trio.sleep(self.settings.clock_seconds)

    def _kept_changed(self, trouble: str | None) -> None:
        """The store cannot write any more, or can again: everybody is told, and every table marked."""
        if (trouble is None) == self._told_kept:
            return
        self._told_kept = trouble is None
        if self._told_kept:
            self._notify("kept", _("The server can write to its disk again; everything is kept."))
        else:
            self._notify(errors.NOT_KEPT)
        for table in self._tables():
            table.post(KeptChanged(trio.current_time()))

    def _tables(self) -> list[Table]:
        return [table for table in self.directory.all() if isinstance(table, Table)]

    # Stopping.

    async def _stop_when_empty(self, scope: trio.CancelScope) -> None:
        with scope:
            while any(table.busy and not table.ended for table in self._tables()):  # noqa: ASYNC110 - rare
                await trio.sleep(DRAINED_SECONDS)
            self._stop.set()

    async def _stop_in_order(self) -> None:
        # People are told at the end; until then whoever is quick must not begin what would not be kept.
        self.gate.draining = True
        for scope in self._listening:
            scope.cancel()
        # From here on no time passes for the matches.
        self._ticking.cancel()
        stopped_ms = self.clock_ms
        tables = self._tables()
        for table in tables:
            table.stop()
        with trio.move_on_after(self.settings.stop_seconds * TABLES_SHARE):
            for table in tables:
                await table.stopped.wait()
        with trio.move_on_after(self.settings.stop_seconds * RECORDS_SHARE):
            await self.recorder.close()
        with trio.move_on_after(self.settings.stop_seconds * STORE_SHARE) as limit:
            await self.store.tick(stopped_ms)
            await self.store.close()
        if limit.cancelled_caught:
            log.error("store_closed_late")
        for session in tuple(self._sessions):
            session.end(errors.SERVER_STOPPING, reconnect=True)
        if self._sessions:
            self._last_gone = trio.Event()
            await self._last_gone.wait()


async def _hold_nursery(*, task_status: trio.TaskStatus[trio.Nursery]) -> None:
    """A nursery of its own inside another, to start tasks in by kind."""
    async with trio.open_nursery() as nursery:
        task_status.started(nursery)
        await trio.sleep_forever()
