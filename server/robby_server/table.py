"""One table: its task, its inbox, its timers, and telling everybody at it what has changed.

One task takes everything that concerns the table in the order in which it was received, so nothing at a table happens
at the same time as anything else. What the commands do is in `table_commands`, coming and going in `table_people`,
the match in `table_match`; this module knows when each is called and nothing of games.

Rules (docs/architecture.md has them for people): an input stamped before a deadline is taken before the deadline; what
is accepted is in the journal before anybody is told; the sender is answered before anybody sees the effect.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

import structlog
import trio

from robby_protocol import errors
from robby_protocol.errors import text_for
from robby_protocol.messages import Command, ScoreLine, TableClosed, TableInfo, TableNews, TableState
from robby_rules.match import Change
from robby_server import table_commands, table_match, table_people
from robby_server.bots import Bots
from robby_server.directory import Directory
from robby_server.identities import Identities, Identity
from robby_server.play import Play
from robby_server.rejected import Rejected
from robby_server.seats import Player, Seat, seat_index
from robby_server.session import Session
from robby_server.settings import Settings
from robby_server.store import Store
from robby_server.tally import Tally

log = structlog.get_logger("robby.table")

Phase = Literal["waiting", "playing", "finished"]


@dataclass(frozen=True)
class Services:
    """What every table needs of its server. match_seed: 32 secret bytes, new for each match."""

    settings: Settings
    directory: Directory
    identities: Identities
    bots: Bots
    store: Store
    match_seed: Callable[[], bytes]
    tally: Tally = field(default_factory=Tally)


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


Item = Asked | Came | Went
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
        self.empty_since: float | None = None
        self.stopped = trio.Event()
        self._arrivals = 0
        self._inbox: deque[Item] = deque()
        self._wake = trio.Event()
        self._ended = False
        self._stopping = False
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
        )

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

    def stop(self) -> None:
        """Take nothing more; `stopped` is set once what is being done is done."""
        self._stopping = True
        self._wake.set()

    # The task.

    async def run(self) -> None:
        """Live until the table closes or is stopped. A fault of ours ends this table and nothing else."""
        current: Item | None = None
        try:
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
            self.flush()
        finally:
            self.stopped.set()

    async def _turn(self, item: Item | None) -> None:
        """Do the one thing that comes first: a deadline, the oldest item, a timer; else wait."""
        now = trio.current_time()
        due = self.play.due() if self.play is not None and self.phase == "playing" else None
        if due is not None and (now if item is None else item.at) >= due:
            await table_match.expire(self, now if item is None else item.at)
        elif item is not None:
            self._inbox.popleft()
            await self._take(item)
        else:
            timer = min(table_people.timers(self), key=lambda timer: timer[0], default=None)
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
        self.flush()

    async def _take(self, item: Item) -> None:
        if isinstance(item, Came):
            await table_people.come(self, item.session)
        elif isinstance(item, Went):
            await table_people.go(self, item.session, on_purpose=item.on_purpose)
        else:
            try:
                result = await table_commands.obey(self, item.session, item.command, item.at)
            except Rejected as refusal:
                item.session.refuse(item.command.id, refusal.code, refusal.text, refusal.details)
            else:
                item.session.answer(item.command, result)
            self._answered(item)

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

    def unsit(self, seat: Seat) -> None:
        """Take a seat away; those behind move up. Not while a match is played."""
        self.seats.remove(seat)
        seat.session = None
        if seat.owner.table == self.id:
            seat.owner.table = None

    def dismiss(self, seat: Seat, code: str) -> None:
        """Send away the bot that plays a seat."""
        player, seat.player = seat.player, None
        if player is not None:
            self.services.identities.forget(player.who)
            self._mail.append(partial(self._dismissed, player, code))

    def _dismissed(self, player: Player, code: str) -> None:
        if player.session is not None:
            player.session.end(code, reconnect=False)
        player.task.dismiss(self.settings.bot_farewell_seconds)

    # Telling. Everything is told in order, after the answer to the command that caused it.

    def news(self, code: str, seat: Seat | None = None, name: str | None = None) -> None:
        """Remember something for the log of everybody, to go out with the next `push_state`."""
        if name is None:
            name = "" if seat is None else seat.owner.name
        self._news.append(TableNews(code=code, seat=self.index(seat), name=name))

    def push_state(self) -> None:
        """Tell everybody what the table is like now, with the news since the last time."""
        info, news = self.info(), self._news
        self._news = []
        for index, seat in enumerate(self.seats):
            message = TableState(table=info, you=index, news=news)
            for session in seat.sessions():
                self._mail.append(partial(session.send, message))
        self.services.directory.changed()

    def push_update(self, change: Change | None) -> None:
        """Tell everybody a change of the match; without one, its start."""
        assert self.play is not None, "there is a match to tell of"
        for index, seat in enumerate(self.seats):
            sessions = tuple(seat.sessions())
            if sessions:
                fields = self.play.started(index) if change is None else self.play.update(index, change)
                for session in sessions:
                    self._mail.append(partial(session.send_update, fields))

    def push_match(self, session: Session, index: int) -> None:
        """Tell one connection the whole match so far as one of its seats sees it."""
        assert self.play is not None, "there is a match to tell of"
        for history in self.play.history():
            self._mail.append(partial(session.send, history))
        self._mail.append(partial(session.send_update, self.play.update(index)))

    def push_closed(self, session: Session, code: str) -> None:
        """Tell one connection that it is not at this table any more."""
        self._mail.append(partial(session.send, TableClosed(table=self.id, code=code, text=text_for(code))))

    def flush(self) -> None:
        """Send what was pushed."""
        if self._news and not self._ended:
            self.push_state()
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
        for seat in self.seats:
            if seat.session is not None:
                self.push_closed(seat.session, code)
            if seat.owner.table == self.id:
                seat.owner.table = None
            self.dismiss(seat, errors.TABLE_CLOSED)
        self.seats = []
        self.host = None
        self.services.directory.remove(self)
        log.info("table_closed", table=self.id, code=code)
        while self._inbox:
            item = self._inbox.popleft()
            if isinstance(item, Asked):
                self._mail.append(partial(item.session.refuse, item.command.id, errors.TABLE_CLOSED))
                self._mail.append(partial(self._answered, item))
