"""The client's picture of the world: messages in, state out. Pure: no input or output; the clock is handed in.

`World.apply` takes every message in the order of arrival. It is safe against repeats: events are told apart by their
number, and an older view never replaces a newer one.
"""

import time
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Struct, structs

from robby_client.chat import Chat, ChatLine, look_of
from robby_client.deal import Deal, Deals
from robby_games.registry import GAMES, GameTypes
from robby_protocol.errors import CLIENT_TOO_OLD, DRAINING, NOT_KEPT
from robby_protocol.fair import EventsDigest
from robby_protocol.messages import (
    ChatSaid,
    Clock,
    DealCommitted,
    DealOpened,
    DealRevealed,
    Decision,
    GameHistory,
    GameUpdate,
    Goodbye,
    Greeting,
    LobbyTables,
    Message,
    Notice,
    TableClosed,
    TableInfo,
    TableState,
    Welcome,
)

_PAST_MATCHES = 8
"""How many finished matches' ids are kept, so that a straggler of theirs is known; one would do."""
_MOST_SEATS = 16
"""Seats of a table; more than any game has."""
_LONGEST_MS = 24 * 3_600_000
"""A day: more than any limit, and what a countdown has room for."""
_MOST_EVENTS = 100_000
"""Events kept of one match; the longest game that can be set up has about a third of it."""
_MOST_AHEAD = 10_000
"""Events held back because earlier ones are missing; far more than any match has."""
_MOST_NOTICES = 20
"""Notices kept; an operator says little, and only the newest matter."""
KEPT = "kept"
UNDRAINED = "undrained"
"""Codes of notices that take back what an earlier one said."""


@dataclass(frozen=True)
class OpenDecision:
    """What is asked of the own seat. legal: the actions that would be accepted, typed, in the server's order."""

    id: int
    legal: tuple[Any, ...]


@dataclass(frozen=True)
class RunningClock:
    """A limit that runs. Times are seconds of `time.monotonic`, so a wrong or stepped wall clock changes nothing.

    total: the phase's whole length. ends, opens: moments on the monotonic clock; opens: when something more becomes
    allowed, None if nothing is to come. paused_at: the moment at which the time stands still; None: it runs.
    """

    total: float
    ends: float
    opens: float | None = None
    paused_at: float | None = None

    @classmethod
    def from_message(cls, clock: Clock, now: float) -> "RunningClock":
        opens = None if clock.opens_ms is None else now + min(clock.opens_ms, _LONGEST_MS) / 1_000
        ends = now + min(clock.remaining_ms, _LONGEST_MS) / 1_000
        total = min(clock.total_ms, _LONGEST_MS) / 1_000
        return cls(total=total, ends=ends, opens=opens, paused_at=now if clock.paused else None)

    @property
    def paused(self) -> bool:
        """Whether the time stands still, because the server waits for people to come back."""
        return self.paused_at is not None

    def remaining(self, now: float) -> float:
        """Seconds until the phase ends by itself; never negative, never more than the whole."""
        return min(max(0.0, self.ends - self._at(now)), self.total)

    def opens_in(self, now: float) -> float:
        """Seconds until something more becomes allowed; 0 if it is already, or if nothing is to come."""
        return 0.0 if self.opens is None else max(0.0, self.opens - self._at(now))

    def _at(self, now: float) -> float:
        return now if self.paused_at is None else self.paused_at


class UnknownEvent(Struct, frozen=True):
    """Stands in the list for an event that a newer server told and this client does not know."""

    payload: dict[str, Any]


@dataclass
class GameState:
    """One match as far as this client knows it.

    public, own: the newest views, of the game's types; own: None for a spectator. phase_start: the public view when the
    running phase began (or the first one seen of it). decision: None if nothing is asked. events: all public events,
    without gaps, in order. digest: of the same events, as they were sent. own_events: the private ones seen by this
    client. names: who sits where in this match, as sent; a table's own seats may move up once the match is over.
    """

    name: str
    match: str
    seq: int = -1
    public: Any = None
    own: Any = None
    phase_start: Any = None
    decision: OpenDecision | None = None
    clock: RunningClock | None = None
    events: list[Any] = field(default_factory=list)
    digest: EventsDigest = field(default_factory=EventsDigest)
    own_events: list[Any] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    ahead: dict[int, dict[str, Any]] = field(default_factory=dict)


class World:
    """Server, lobby, own table and game.

    now: the monotonic clock in seconds. games: the names of those that this client can show.
    trouble: a code if the running game cannot be shown by this client (`client_too_old`), else None.
    table, seat: where one sits or, without a seat, what one watches. invite: the own private table's code.
    next_match, commitment: the table's next match, and what commits the server to its secret for it.
    muted: whose lines this person does not want to see, by the look of their names.
    draining, not_kept: whether the server is about to stop; whether it cannot write now.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic, games: Collection[str] = GAMES) -> None:
        self.now = now
        self.games = games
        self.greeting: Greeting | None = None
        self.welcome: Welcome | None = None
        self.lobby: LobbyTables | None = None
        self.table: TableInfo | None = None
        self.seat: int | None = None
        self.game: GameState | None = None
        self.goodbye: Goodbye | None = None
        self.trouble: str | None = None
        self.invite: str | None = None
        self.next_match: str | None = None
        self.commitment = b""
        self.deals = Deals()
        self.deal_trouble: str | None = None
        """What the last message showed to be wrong with the deal."""
        self.ended_table: TableInfo | None = None
        """The table that was closed last, as it was then, if its match had ended: its result is still worth showing."""
        self.lobby_chat = Chat()
        self.table_chat = Chat()
        self.muted: dict[str, str] = {}
        self.notices: deque[Notice] = deque(maxlen=_MOST_NOTICES)
        self.draining = False
        self.not_kept = False
        self._past: deque[str] = deque(maxlen=_PAST_MATCHES)
        self._fresh = False
        """The next view is the first of a connection: it is the truth whatever its number."""

    def connected(self, greeting: Greeting, welcome: Welcome) -> None:
        """A login succeeded, the first or a later one."""
        self.greeting = greeting
        self.welcome = welcome
        self.goodbye = None
        self._fresh = True
        self.draining = False
        self.not_kept = False
        self.lobby_chat.begin_anew()
        self.table_chat.begin_anew()
        if self.table is not None and welcome.table != self.table.table and not (self.watching and not welcome.table):
            self.leave_table()

    def disconnected(self) -> None:
        """The connection is gone: what was asked cannot be answered now; the rest stays to be shown."""
        self.lobby = None
        if self.game is not None:
            self.game.decision = None

    @property
    def watching(self) -> bool:
        """Whether the table is one where this person has no seat, and only watches."""
        return self.table is not None and self.seat is None

    @property
    def deal(self) -> Deal | None:
        """The fair deal of the match that begins, is played or was just finished; None: there is none."""
        return self.deals.deal

    def heard(self, line: ChatLine) -> bool:
        """Whether this line is to be shown: its speaker is not muted here. What the operator says always is."""
        return line.kind == "operator" or look_of(line.name) not in self.muted

    def leave_table(self) -> None:
        """The own seat was given up, or the table has gone, or is watched no longer."""
        self.table = None
        self.seat = None
        self.game = None
        self.trouble = None
        self.invite = None
        self.next_match = None
        self.commitment = b""
        self.deals.leave()
        self.table_chat = Chat()

    def answered(self, decision: int) -> None:
        """The server took the answer to this decision: nothing is asked until it asks again."""
        game = self.game
        if game is not None and game.decision is not None and game.decision.id == decision:
            game.decision = None

    def knows(self, game: str) -> bool:
        """Whether this client can play the server's version of a game (one that it does not offer: any version)."""
        types = GAMES.get(game)
        offered = {} if self.greeting is None else {offer.name: offer.version for offer in self.greeting.games}
        return types is not None and game in self.games and offered.get(game, types.version) == types.version

    def apply(self, message: Message) -> None:
        """Take a message from the server."""
        self.deal_trouble = None
        if isinstance(message, GameUpdate):
            self._update(message)
        elif isinstance(message, GameHistory):
            self._history(message)
        elif isinstance(message, LobbyTables):
            self.lobby = structs.replace(message, tables=[_tame(table) for table in message.tables])
        elif isinstance(message, TableState):
            self._table_state(message)
        elif isinstance(message, TableClosed):
            if self.table is not None and self.table.table == message.table:
                self.ended_table = self.table if self.table.phase == "finished" else None
                self.leave_table()
        elif isinstance(message, ChatSaid):
            self._said(message)
        elif isinstance(message, Notice):
            self._notice(message)
        elif isinstance(message, DealCommitted | DealOpened | DealRevealed):
            self._deal(message)
        elif isinstance(message, Goodbye):
            self.goodbye = message

    def _said(self, said: ChatSaid) -> None:
        if said.table is None:
            self.lobby_chat.add(said)
        elif self.table is not None and said.table == self.table.table:
            self.table_chat.add(said)

    def _notice(self, notice: Notice) -> None:
        self.notices.append(notice)
        if notice.code == DRAINING:
            self.draining = True
        elif notice.code == UNDRAINED:
            self.draining = False
        elif notice.code in (NOT_KEPT, KEPT):
            self.not_kept = notice.code == NOT_KEPT

    def _deal(self, message: DealCommitted | DealOpened | DealRevealed) -> None:
        if self.table is None or self.table.table != message.table:
            return
        if isinstance(message, DealCommitted):
            names = [seat.name for seat in self.table.seats]
            self.deal_trouble = self.deals.committed(message, self.seat, names)
        elif isinstance(message, DealOpened):
            self.deal_trouble = self.deals.opened(message)
        else:
            self.deal_trouble = self.deals.revealed(message)

    def _table_state(self, message: TableState) -> None:
        if self.table is not None and self.table.table != message.table.table:
            self.leave_table()
        self.table = _tame(message.table)
        self.seat = _within(message.you, len(self.table.seats))
        self.invite = message.invite
        self.next_match = message.next_match
        self.commitment = message.commitment
        self.deals.shown(message.next_match, message.commitment)
        if self.game is not None and self.game.match == message.table.match:
            self.game.names = _names(self.table) or self.game.names

    def _game_of(self, table: str, match: str) -> tuple[GameState, GameTypes] | None:
        """The state that a message of this match belongs to; a new match begins a new one. None: not ours to show."""
        if self.table is None or self.table.table != table or match in self._past:
            return None
        types = GAMES.get(self.table.game)
        if types is None or not self.knows(types.name):
            self.trouble = CLIENT_TOO_OLD
            return None
        if self.game is None or self.game.match != match:
            if self.game is not None:
                self._past.append(self.game.match)
            self.game = GameState(name=types.name, match=match, names=_names(self.table))
            self.trouble = None
        return self.game, types

    def _history(self, message: GameHistory) -> None:
        found = self._game_of(message.table, message.match)
        if found is not None:
            game, types = found
            _take_events(game, types, message.first, message.events)

    def _update(self, message: GameUpdate) -> None:
        found = self._game_of(message.table, message.match)
        if found is None:
            return
        game, types = found
        _take_events(game, types, message.public.first, message.public.events)
        if message.seq < game.seq and not self._fresh:
            return
        try:
            public = _typed(message.public.view, types.public)
            own = None if message.own is None else _typed(message.own, types.own)
            if not types.sound_view(public, own):
                raise msgspec.ValidationError("the view names what there cannot be")
        except msgspec.ValidationError:
            # A view of a newer version, or nonsense: better to show nothing than something wrong.
            self.trouble = CLIENT_TOO_OLD
            game.decision = None
            return
        self.trouble = None
        if message.seq > game.seq:
            # A view that is sent again brings its private events again.
            room = _MOST_EVENTS - len(game.own_events)
            game.own_events.extend(_event(payload, types) for payload in message.own_events[:room])
        if game.public is None or _phase_of(public) != _phase_of(game.public):
            game.phase_start = public
        self._fresh = False
        game.seq = message.seq
        game.public = public
        game.own = own
        game.decision = None if message.decision is None else _decision(message.decision, types, public)
        game.clock = None if message.clock is None else RunningClock.from_message(message.clock, self.now())


def _tame(table: TableInfo) -> TableInfo:
    """The table with nothing in it that has no end or leads nowhere: its seats are drawn one by one."""
    seats = table.seats[:_MOST_SEATS]
    return structs.replace(
        table,
        host=_within(table.host, len(seats)),
        capacity=min(table.capacity, _MOST_SEATS),
        seats=seats,
        result=table.result[:_MOST_SEATS],
    )


def _within(seat: int | None, seats: int) -> int | None:
    return seat if seat is not None and seat < seats else None


def _names(table: TableInfo) -> list[str]:
    """Who sits where in the table's match: its seats while it is played, its result's lines afterwards."""
    if table.phase != "finished":
        return [seat.name for seat in table.seats]
    seated = sorted((line.seat, line.name) for line in table.result if line.seat is not None)
    return [name for _seat, name in seated]


def _typed(payload: Any, wanted: Any) -> Any:
    return msgspec.convert(payload, wanted, strict=True, builtin_types=(bytes,))


def _event(payload: dict[str, Any], types: GameTypes) -> Any:
    try:
        event = _typed(payload, types.event)
    except msgspec.ValidationError:
        return UnknownEvent(payload)
    return event if types.sound_event(event) else UnknownEvent(payload)


def _decision(decision: Decision, types: GameTypes, public: Any) -> OpenDecision | None:
    """The actions that this client knows, each once; None if it knows none of them."""
    legal: dict[Any, None] = {}
    for payload in decision.legal:
        try:
            action = _typed(payload, types.action)
        except msgspec.ValidationError:
            # An action that only a newer client knows: the others can still be taken.
            continue
        if types.sound_action(action, public):
            legal[action] = None
    return OpenDecision(decision.id, tuple(legal)) if legal else None


def _phase_of(public: Any) -> tuple[Any, Any]:
    return getattr(public, "round", None), getattr(public, "phase", None)


def _take_events(game: GameState, types: GameTypes, first: int, payloads: list[dict[str, Any]]) -> None:
    """Add the events that are new. Those after a gap wait until it is filled, so that the story keeps its order."""
    for number, payload in enumerate(payloads, first):
        if number >= _MOST_EVENTS:
            break
        if number >= len(game.events) and number not in game.ahead and len(game.ahead) < _MOST_AHEAD:
            game.ahead[number] = payload
    while len(game.events) in game.ahead:
        payload = game.ahead.pop(len(game.events))
        game.events.append(_event(payload, types))
        game.digest.add(payload)
