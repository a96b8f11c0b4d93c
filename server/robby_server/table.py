"""One table: its task, its inbox, its timers, and telling everybody at it what has changed.

One task takes everything that concerns the table in the order in which it was received, so nothing at a table happens
at the same time as anything else. What the commands do is in `table_commands`, coming and going in `table_people`,
the match in `table_match`; this module knows when each is called and nothing of games.

Rules (docs/architecture.md has them for people): an input stamped before a deadline is taken before the deadline; what
is accepted is in the journal, and the table's snapshot kept, before anybody is told; the sender is answered before
anybody sees the effect.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import structlog
import trio
from msgspec.structs import replace

from robby_protocol import errors
from robby_protocol.errors import text_for
from robby_protocol.messages import Command, ScoreLine, TableClosed, TableInfo, TableNews, TableState
from robby_rules.match import Change
from robby_server import table_commands, table_match, table_pause, table_people, table_social
from robby_server.attempts import Attempts
from robby_server.audience import Audience, HeldBack
from robby_server.bots import Bots
from robby_server.chat import ChatLog
from robby_server.clock import ServerClock
from robby_server.dealing import Dealing
from robby_server.directory import Directory
from robby_server.gate import Gate
from robby_server.identities import Identities, Identity
from robby_server.kept import KeptTable, Phase, encode_table
from robby_server.play import Play
from robby_server.records import Facts, Recorder
from robby_server.rejected import Rejected
from robby_server.seats import Player, Seat, seat_index
from robby_server.session import Session
from robby_server.settings import Settings
from robby_server.snapshots import snapshot
from robby_server.store import Store
from robby_server.tally import Tally

if TYPE_CHECKING:
    from robby_server.restore import Parked

log = structlog.get_logger("robby.table")


@dataclass(frozen=True)
class Services:
    """What every table needs of its server.

    attempts: wrong secrets by address. match_seed: 32 secret bytes, new for each match; none: the fair deal gives them.
    recorder: keeps the records. clock: the server's own. gate: whether anything new may begin.
    parked: tables that are kept and cannot be played now. held: for spectators, who are shown it later.
    """

    settings: Settings
    directory: Directory
    identities: Identities
    bots: Bots
    store: Store
    clock: ServerClock
    gate: Gate
    attempts: Attempts
    match_seed: Callable[[], bytes] | None
    recorder: Recorder
    tally: Tally = field(default_factory=Tally)
    parked: "list[Parked]" = field(default_factory=list)
    held: HeldBack = field(default_factory=HeldBack)


class Asked(NamedTuple):
    """A command for the table. at: when it was received, on trio's clock. done: set once it is answered."""

    at: float
    session: Session
    command: Command
    done: trio.Event | None = None


class Came(NamedTuple):
    """An identity with a seat here, or on its way to one, has logged in."""

    at: float
    session: Session


class Went(NamedTuple):
    """A connection that counted has ended. on_purpose: the client said bye."""

    at: float
    session: Session
    on_purpose: bool


class Restored(NamedTuple):
    """The first item of a table that was kept when the server went."""

    at: float


class KeptChanged(NamedTuple):
    """Whether the table would survive a crash has changed."""

    at: float


class Shut(NamedTuple):
    """The operator closes the table. code: what everybody here is told. done: set once the table is kept no more."""

    at: float
    code: str
    done: trio.Event


Item = Asked | Came | Went | Restored | KeptChanged | Shut
Timer = tuple[float, Callable[[], Awaitable[None]]]


class Table:
    """One table. Everything here is done by its own task but `post`, `stop` and `info`."""

    def __init__(
        self,
        services: Services,
        table: str,
        *,
        game: str,
        title: str,
        options: dict[str, Any],
        capacity: int,
        origin: str = "",
    ) -> None:
        self.id = table
        self.origin = origin  # the address that it was made from
        self.services = services
        self.game = game
        self.title = title
        self.options = options
        self.capacity = capacity
        self.seats: list[Seat] = []
        self.host: Seat | None = None
        self.phase: Phase = "waiting"
        self.play: Play | None = None
        self.result: list[ScoreLine] = []
        self.matches = 0
        self.kicked: set[Identity] = set()
        self.muted: set[Identity] = set()
        self.private = False
        self.invite = ""
        self.password_key = b""
        self.spectators = True
        self.delay_s = 0
        self.aborted = 0
        self.dealing = Dealing(self)
        self.facts: Facts | None = None  # of a match that is broken off, for its record
        self.audience = Audience(self)
        self.chat = ChatLog(services.settings)
        self.active_at = trio.current_time()  # when somebody did something here last
        self.moment = self.active_at  # when what is done now came to be done: received, or due
        self.paused_until = 0.0
        self.returning: set[Seat] = set()  # of people who were here when the server went, and are not back yet
        self.empty_since: float | None = None
        self.stopped = trio.Event()
        self._arrivals = 0
        self._inbox: deque[Item] = deque()
        self._wake = trio.Event()
        self._ended = False
        self._stopping = False
        self._kept: KeptTable | None = None  # as the store has it
        self._gone = False
        self._racing: list[Session] = []
        self._news: list[TableNews] = []
        self._mail: list[Callable[[], None]] = []

    @property
    def settings(self) -> Settings:
        """The server's settings."""
        return self.services.settings

    def info(self) -> TableInfo:
        """What is public about the table."""
        return TableInfo(
            table=self.id,
            title=self.title,
            game=self.game,
            options=self.options,
            phase=self.phase,
            host=self.index(self.host),
            capacity=self.capacity,
            seats=[seat.info() for seat in self.seats],
            match=None if self.play is None else self.play.id,
            result=self.result if self.phase == "finished" else [],
            private=self.private,
            spectators=self.spectators,
            delay_s=self.delay_s,
            kept=self.services.gate.kept,
            aborted=self.aborted,
            watchers=len(self.audience),
        )

    def listed(self) -> TableInfo:
        """What the lobby may know: of a table with a delay nothing newer, while a match is played."""
        return self.audience.listed()

    @property
    def busy(self) -> bool:
        """Whether a match is played, or commitments are opened for one: nothing of the table can be changed then."""
        return self.phase == "playing" or self.dealing.opening is not None

    # The inbox.

    def post(self, item: Item) -> bool:
        """Put something in the inbox. Returns False for a command that cannot be taken: too many wait, or it is over.

        Comings and goings are always taken; there are no more of them than connections.
        """
        if self._ended:
            return False
        if isinstance(item, Asked) and len(self._inbox) >= self.settings.inbox:
            return False
        self._inbox.append(item)
        self._wake.set()
        return True

    @property
    def ended(self) -> bool:
        """Whether the table has closed."""
        return self._ended

    def wake(self) -> None:
        """Look again at what is due by time."""
        self._wake.set()

    def stop(self) -> None:
        """Take nothing more; `stopped` is set once what is being done is done."""
        self._stopping = True
        self.audience.stop()
        self._wake.set()

    # The task.

    async def run(self) -> None:
        """Live until the table closes or is stopped. A fault of ours ends this table and nothing else."""
        try:
            await self._live()
            if self._ended:
                await self._play_out()
        finally:
            self.stopped.set()

    async def _play_out(self) -> None:
        """Show spectators the rest, as late as all before it; until then the lobby does not know of the end either."""
        try:
            await self.audience.play_out()
        except Exception:  # a fault of ours that concerns spectators alone
            log.exception("audience_failed", table=self.id)
        self.services.directory.remove(self)

    async def _live(self) -> None:
        current: Item | None = None
        try:
            await self.flush()
            while not (self._ended or self._stopping):
                current = self._inbox[0] if self._inbox else None
                await self._turn(current)
        except Exception:
            log.exception("table_failed", table=self.id, match=None if self.play is None else self.play.id)
            self._mail.clear()
            if isinstance(current, Asked):
                current.session.refuse(current.command.id, errors.INTERNAL)
                self._answered(current)
                if self._inbox and self._inbox[0] is current:
                    self._inbox.popleft()
            self.close(errors.INTERNAL)
            try:
                await self.flush()
            except Exception:  # what failed above may well fail here again
                log.exception("table_not_dropped", table=self.id)
                self._send()

    async def _turn(self, item: Item | None) -> None:
        """Do the one thing that comes first: a deadline, the oldest item, a timer; else wait."""
        now = trio.current_time()
        due = self.play.due() if self.play is not None and self.phase == "playing" else None
        self.moment = now if item is None else item.at
        if due is not None and self.moment >= due:
            await table_match.expire(self, self.moment)
        elif item is not None:
            self._inbox.popleft()
            await self._take(item)
        else:
            timers = [*table_people.timers(self), *table_social.timers(self)]
            timer = min(timers, key=lambda timer: timer[0], default=None)
            if timer is None or timer[0] > now:
                moments = [moment for moment in (due, None if timer is None else timer[0]) if moment is not None]
                self._wake = trio.Event()
                with trio.move_on_at(min(moments, default=float("inf"))):
                    await self._wake.wait()
                return
            await timer[1]()
        if not self._ended:
            table_people.settle(self)
            table_match.note_questions(self)
        await self.flush()

    async def _take(self, item: Item) -> None:
        if isinstance(item, Came):
            await table_people.come(self, item.session)
        elif isinstance(item, Went):
            await table_people.go(self, item.session, on_purpose=item.on_purpose)
        elif isinstance(item, Restored):
            await table_pause.begin(self)
        elif isinstance(item, KeptChanged):
            self.news("kept" if self.services.gate.kept else "not_kept")
        elif isinstance(item, Shut):
            self.close(item.code)
            self.tell(item.done.set)
        else:
            self.active_at = item.at
            try:
                result = await table_commands.obey(self, item.session, item.command, item.at)
            except Rejected as refusal:
                answer = partial(item.session.refuse, item.command.id, refusal.code, refusal.text, refusal.details)
            else:
                answer = partial(item.session.answer, item.command, result)
            # Before everything that it led to, and like that not before it is kept.
            self._mail[:0] = [answer, partial(self._answered, item)]

    def _answered(self, item: Asked) -> None:
        if item.done is not None:
            item.done.set()

    # Seats.

    def index(self, seat: Seat | None) -> int | None:
        """The number of a seat."""
        return self.seats.index(seat) if seat in self.seats else None

    def seat_of(self, session: Session) -> int | None:
        """The seat that this connection plays."""
        return seat_index(self.seats, session)

    def sit(self, owner: Identity, *, bot: str | None = None, session: Session | None = None) -> Seat:
        """A new seat at the end."""
        self._arrivals += 1
        seat = Seat(owner=owner, bot=bot, session=session, joined=self._arrivals, since=trio.current_time())
        self.seats.append(seat)
        if bot is None:
            owner.table = self.id
        return seat

    def shut_out(self, out: set[Identity], who: Identity) -> None:
        """Remember somebody among those kicked or muted, and forget those who cannot come back: there is no end to the
        guests whom a host may throw out."""
        identities = self.services.identities
        out.intersection_update([one for one in out if identities.by_id(one.id) is one])
        out.add(who)

    def take_back(self, seats: list[Seat]) -> None:
        """The seats of a table that was kept."""
        self.seats = seats
        self._arrivals = max((seat.joined for seat in seats), default=0)

    def unsit(self, seat: Seat) -> None:
        """Take a seat away; those behind move up. Not while a match is played."""
        self.seats.remove(seat)
        self.returning.discard(seat)
        seat.session = None
        if seat.owner.table == self.id:
            seat.owner.table = None

    def dismiss(self, seat: Seat, code: str) -> None:
        """Send away the bot that plays a seat."""
        player, seat.player = seat.player, None
        if player is not None:
            self.services.identities.forget(player.who)
            self.tell(partial(self._dismissed, player, code))

    def _dismissed(self, player: Player, code: str) -> None:
        if player.session is not None:
            player.session.end(code, reconnect=False)
        player.task.dismiss(self.settings.bot_farewell_seconds)

    # Telling. Everything is told in order, after the answer to the command that caused it, and once it is kept.

    def tell(self, send: Callable[[], None]) -> None:
        """Send something once what is so now is kept."""
        self._mail.append(send)

    def open(self, session: Session, command: Command) -> None:
        """Answer whoever made the table; its task does it, once the table is kept."""
        self.tell(partial(session.answer, command, {"table": self.id, "seat": 0}))
        self.push_state()

    def news(self, code: str, seat: Seat | None = None, name: str | None = None) -> None:
        """Remember something for the log of everybody, to go out with the next `push_state`."""
        if name is None:
            name = "" if seat is None else seat.owner.name
        self._news.append(TableNews(code=code, seat=self.index(seat), name=name))

    def push_state(self) -> None:
        """Tell everybody what the table is like now, with the news since the last time."""
        info, news = self.info(), self._news
        next_match, commitment = self.dealing.offer()
        self._news = []
        for index, seat in enumerate(self.seats):
            message = TableState(
                table=info,
                you=index,
                news=self._own_news(seat) + news,
                invite=self.invite or None,
                next_match=next_match,
                commitment=commitment,
            )
            for session in seat.sessions():
                # A bot that plays needs no invite code, so it is not told.
                told = message if session is seat.session else replace(message, invite=None)
                self.tell(partial(session.send, told))
        self.audience.state(TableState(table=info, you=None, news=news, next_match=next_match, commitment=commitment))

    def _own_news(self, seat: Seat) -> list[TableNews]:
        """What one person alone is to be told: that the server was away."""
        if seat.session is None or seat not in self.returning:
            return []
        self.returning.discard(seat)
        return [TableNews(code="server_back")]

    def push_update(self, change: Change | None) -> None:
        """Tell everybody who may notice it a change of the match; without one, its start."""
        assert self.play is not None, "there is a match to tell of"
        only = None if change is None else change.only
        for index, seat in enumerate(self.seats):
            if only not in (None, index):
                continue
            sessions = tuple(seat.sessions())
            if sessions:
                fields = self.play.started(index) if change is None else self.play.update(index, change)
                for session in sessions:
                    self.tell(partial(session.send_update, fields))
        if only is None:
            self.audience.update(self.play.started(None) if change is None else self.play.update(None, change))

    def push_time(self) -> None:
        """Tell everybody how the match stands, where nothing but its time has changed."""
        assert self.play is not None, "there is a match to tell of"
        for index, seat in enumerate(self.seats):
            for session in seat.sessions():
                self.tell(partial(session.send_update, self.play.update(index)))
        self.audience.update(self.play.update(None))

    def push_match(self, session: Session, index: int) -> None:
        """Tell one connection the whole match so far as one of its seats sees it."""
        assert self.play is not None, "there is a match to tell of"
        for history in self.play.history():
            self.tell(partial(session.send, history))
        self.tell(partial(session.send_update, self.play.update(index)))

    def push_closed(self, session: Session, code: str) -> None:
        """Tell one connection that it is not at this table any more."""
        self.tell(partial(session.send, TableClosed(table=self.id, code=code, text=text_for(code))))

    async def flush(self) -> None:
        """Keep what is so now, then send what was pushed."""
        if self._news and not self._ended:
            self.push_state()
        await self.save()
        self._measure()
        self._send()

    def _measure(self) -> None:
        """Let the round trips be known well of those who play a game that races, and of nobody else."""
        plays = self.play is not None and self.play.races and self.phase == "playing" and not self._ended
        racing = [session for seat in self.seats for session in seat.sessions()] if plays else []
        if racing != self._racing:
            for session in self._racing:
                session.racing = False
            for session in racing:
                session.racing = True
            self._racing = racing

    async def save(self) -> None:
        """Keep the table as it is now, or that it is no more; the store hears of it only if it has changed."""
        store = self.services.store
        if not self._ended:
            now = snapshot(self)
            if now != self._kept:
                await store.save_table(self.id, encode_table(now))
                self._kept = now
        elif not self._gone:
            await store.drop_table(self.id)
            self._gone = True
            if self.play is not None and self.phase == "playing":
                await table_match.end(self, self.play)

    def _send(self) -> None:
        mail, self._mail = self._mail, []
        for send in mail:
            send()

    # The end.

    def close(self, code: str) -> None:
        """Close the table: tell whoever is here, free the seats, answer what still waits."""
        if self._ended:
            return
        self._ended = True
        self._news = []
        if self.phase == "playing":
            table_match.broken_off(self)
        for seat in self.seats:
            if seat.session is not None:
                self.push_closed(seat.session, code)
            if seat.owner.table == self.id:
                seat.owner.table = None
            self.dismiss(seat, errors.TABLE_CLOSED)
        self.seats = []
        self.host = None
        self.audience.dismiss(code)
        if not self.audience.hides:
            self.services.directory.remove(self)
        log.info("table_closed", table=self.id, code=code)
        while self._inbox:
            item = self._inbox.popleft()
            if isinstance(item, Asked):
                self.tell(partial(item.session.refuse, item.command.id, errors.TABLE_CLOSED))
                self.tell(partial(self._answered, item))
            elif isinstance(item, Came):
                self.push_closed(item.session, code)
            elif isinstance(item, Shut):
                self.tell(item.done.set)
