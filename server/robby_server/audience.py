"""Who watches a table, and the one way by which anything reaches them: a queue that the table's delay holds back.

Whatever spectators are shown (moves, the table's state with seats, counters and results, chat, the closing) is put in
the queue when it happens and leaves it `delay_s` later, in order. What has left makes up the picture that somebody who
comes in the middle is shown first; nothing here looks at the table as it is now. While a match is played, and until its
end has been shown, the lobby's line of a delayed table is part of that picture too.

What is held back is bounded in bytes. Beyond that, which takes players who do nothing but change their minds, steps in
between are left out: spectators then see the newest of them, and the whole story once more.

Spectators get the public part alone, in the very bytes that the players were sent. Knows nothing of access and
commands (`table_social`).
"""

import math
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import structlog
import trio
from msgspec.structs import replace

from robby_protocol import codec
from robby_protocol.errors import text_for
from robby_protocol.messages import (
    ChatSaid,
    Clock,
    GameHistory,
    Message,
    PublicPart,
    TableClosed,
    TableInfo,
    TableState,
)
from robby_server.chat import ChatLog
from robby_server.play import HISTORY_EVENTS, Play
from robby_server.session import Session

if TYPE_CHECKING:
    from robby_server.table import Table

log = structlog.get_logger("robby.table")

_LAST_SENT = 100
"""Messages besides states and changes of the match that stay when too much is held back: chat most of all."""

_SHARE = 8
"""By how much a table's bound is smaller while all together hold back too much. What a quarter of an hour of play takes
still goes into it."""

COUNT_SECONDS = 1.0
"""The number of spectators is told at most so often: fifty who come and go must not keep a table busy."""


@dataclass
class HeldBack:
    """How many bytes are held back for the spectators of all tables together."""

    total: int = 0


@dataclass(frozen=True)
class _State:
    """What the table is like, with news. serial: counts the states, for the lobby's line."""

    serial: int
    message: TableState


@dataclass(frozen=True)
class _Update:
    """A change of a match. fields: of the `game.update`. events: how many public events there were with it.

    whole: nobody has been shown what was before it.
    """

    play: Play
    fields: dict[str, Any]
    events: int
    whole: bool = False


@dataclass(frozen=True)
class _Sent:
    """Any other message. upto: the last for all who came with this number or an earlier one: they watch no longer."""

    message: Message
    upto: float | None = None


_Item = _State | _Update | _Sent


class _Held(NamedTuple):
    """What waits in the queue. moment: when it is shown, on trio's clock. size: about how many bytes it takes."""

    moment: float
    item: _Item
    size: int


class Audience:
    """The spectators of a table. All is done in the table's task but `leave`, which does not touch the table."""

    def __init__(self, table: "Table") -> None:
        self.table = table
        self._viewers: dict[Session, int] = {}  # each with its number, in the order of coming
        self._arrivals = 0
        self._queue: deque[_Held] = deque()
        self._held_bytes = 0
        self._serial = 0
        # What has left the queue.
        self._state: TableState | None = None
        self._update: _Update | None = None
        self._updated_at = 0.0
        self._replay: list[bytes] | None = None  # the frames of the match so far, without the clock; made when needed
        self._chat = ChatLog(table.settings)
        # The lobby's line.
        self._told: TableInfo | None = None  # what those at the table were told last
        self._line: TableInfo | None = None  # what the lobby shows instead, while it may not know that
        self._line_from = 0  # states with a lower serial are older than the line
        # The counter.
        self._counted = 0
        self._counted_at = -COUNT_SECONDS
        self._scope = trio.CancelScope()

    def __len__(self) -> int:
        return len(self._viewers)

    def __contains__(self, session: Session) -> bool:
        return session in self._viewers

    def identities(self) -> list[str]:
        """Ids of those who watch."""
        return [session.who.id for session in self._viewers if session.who is not None]

    def named(self, name: str) -> Session | None:
        """The spectator of this name."""
        for session in self._viewers:
            if session.who is not None and session.who.name == name:
                return session
        return None

    # The lobby.

    def listed(self) -> TableInfo:
        """What the lobby may know of the table."""
        return self._line or self._told or self.table.info()

    @property
    def hides(self) -> bool:
        """Whether the lobby is shown an earlier moment than the present."""
        return self._line is not None

    @property
    def allowed(self) -> bool:
        """Whether anybody may watch. While the lobby is shown an earlier moment, as it was then: a refusal would tell
        that the host could change it, so that the match is over."""
        return self.listed().spectators

    # What happens, told by the table. It is put in the queue with the table's mail, so once it is kept.

    def state(self, message: TableState) -> None:
        """What the table is like has changed. message: as for a spectator."""
        self._serial += 1
        self._counted = message.table.watchers
        self._counted_at = trio.current_time()
        self.table.tell(partial(self._put, _State(self._serial, message)))

    def update(self, fields: dict[str, Any]) -> None:
        """The match has changed. fields: of the `game.update` for nobody's seat."""
        self.table.tell(partial(self._put, self._change(fields)))

    def _change(self, fields: dict[str, Any], *, whole: bool = False) -> _Update:
        play = self.table.play
        assert play is not None, "there is a match to tell of"
        return _Update(play, fields, len(play.match.events), whole)

    def tell(self, message: Message) -> None:
        """Anything else that spectators are sent as well."""
        self.table.tell(partial(self._put, _Sent(message)))

    def dismiss(self, code: str, *, newer: bool = True) -> None:
        """Those who watch do so no longer, once they have been shown what came before. code: why, for `table.closed`.

        The table's end is told so, too. newer: also those who come before that is shown.
        """
        closed = TableClosed(table=self.table.id, code=code, text=text_for(code))
        self.table.tell(partial(self._put, _Sent(closed, upto=math.inf if newer else self._arrivals)))

    def restored(self) -> None:
        """The table is back after a restart. What was in the queue is lost: all of it is younger than the delay, and
        nothing that the table knows is shown before the delay has passed again."""
        table = self.table
        state = TableState(table=table.info(), you=None)
        self._told = state.table
        shown = state
        if table.play is not None and table.delay_s:
            shown = TableState(table=replace(state.table, phase="playing", result=[]), you=None)
            self._line, self._line_from = shown.table, self._serial
        self._state = shown
        if table.play is not None:
            self._put(self._change(table.play.update(None), whole=True))
            self._put(_State(self._serial, state))

    # The queue.

    def _put(self, item: _Item) -> None:
        now, held = trio.current_time(), bool(self._queue) or self.table.delay_s > 0
        if isinstance(item, _State):
            info = item.message.table
            if self._line is None:
                if held and info.phase == "playing":
                    self._line, self._line_from = self._told or info, item.serial
                else:
                    self.table.services.directory.changed()
            self._told = info
        if not held:
            self._deliver(item, now)
            return
        moment = now + self.table.delay_s
        if self._queue:
            moment = max(moment, self._queue[-1].moment)  # a shorter delay holds for what comes later
        self._queue.append(_Held(moment, item, _size(item)))
        self._hold(self._queue[-1].size)
        settings = self.table.settings
        crowded = self.table.services.held.total > settings.spectator_bytes_all
        if self._held_bytes > settings.spectator_bytes // (_SHARE if crowded else 1):
            self._thin()

    def _hold(self, change: int) -> None:
        """So many bytes more are held back, or less."""
        self._held_bytes += change
        self.table.services.held.total += change

    def timers(self) -> list[tuple[float, Callable[[], Awaitable[None]]]]:
        """What is to be done by time alone, and when, on trio's clock."""
        found: list[tuple[float, Callable[[], Awaitable[None]]]] = []
        if self._queue:
            found.append((self._queue[0].moment, self._deliver_due))
        if self._counted != len(self._viewers):
            found.append((self._counted_at + COUNT_SECONDS, self._count))
        return found

    async def play_out(self) -> None:
        """After the table's end: show what was held back. Ends early on `stop`."""
        with self._scope:
            while self._queue:
                await trio.sleep_until(self._queue[0].moment)
                await self._deliver_due()
        for session in tuple(self._viewers):
            self.leave(session)
        self._queue.clear()
        self._hold(-self._held_bytes)
        self._line = None

    def stop(self) -> None:
        """The server stops: nothing more is shown."""
        self._scope.cancel()

    async def _count(self) -> None:
        self.table.push_state()

    async def _deliver_due(self) -> None:
        now = trio.current_time()
        while self._queue and self._queue[0].moment <= now:
            held = self._queue.popleft()
            self._hold(-held.size)
            self._deliver(held.item, held.moment)

    def _thin(self) -> None:
        """Too much is held back. Of what the next of its kind shows anew the newest stays, of the rest the last."""
        log.warning("spectators_skip", table=self.table.id, held=len(self._queue), bytes=self._held_bytes)
        newest = {
            (type(held.item), isinstance(held.item, _Sent) and held.item.upto is not None): held for held in self._queue
        }
        sent = deque((held for held in self._queue if isinstance(held.item, _Sent)), maxlen=_LAST_SENT)
        stay = {id(held) for held in (*newest.values(), *sent)}
        self._queue = deque(_as_whole(held) for held in self._queue if id(held) in stay)
        self._hold(sum(held.size for held in self._queue) - self._held_bytes)

    def _deliver(self, item: _Item, moment: float) -> None:
        if isinstance(item, _State):
            self._state = item.message
            self._send(item.message)
            self._move_line(item)
        elif isinstance(item, _Update):
            self._update, self._updated_at, self._replay = item, moment, None
            if self._viewers:
                for frame in self._match(item) if item.whole else [codec.encode_update(**item.fields)]:
                    self._send_frame(frame)
        else:
            if isinstance(item.message, ChatSaid):
                self._chat.add(item.message)
            if item.upto is None:
                self._send(item.message)
            else:
                self._send_away(item.message, item.upto)

    def _send(self, message: Message) -> None:
        if self._viewers:
            self._send_frame(codec.encode(message))

    def _send_frame(self, frame: bytes) -> None:
        for session in tuple(self._viewers):
            session.send_frame(frame)

    def _send_away(self, message: Message, upto: float) -> None:
        for session, number in tuple(self._viewers.items()):
            if number <= upto:
                session.send(message)
                self.leave(session)

    def _move_line(self, item: _State) -> None:
        """The lobby follows what spectators were shown, until the match's end has been shown."""
        if self._line is None or item.serial < self._line_from:
            return
        states = (held.item.message for held in self._queue if isinstance(held.item, _State))
        # A whole match more may have been played meanwhile.
        to_come = any(message.table.phase == "playing" for message in (item.message, *states))
        self._line = item.message.table if to_come else None
        self.table.services.directory.changed()

    # The spectators.

    def come(self, session: Session) -> None:
        """Show the picture to somebody who comes to watch, and all that follows."""
        if session.watching is not self or session in self._viewers:
            return  # gone again, or here already
        self._arrivals += 1
        self._viewers[session] = self._arrivals
        session.send(replace(self._state or TableState(table=self.listed(), you=None), news=[]))
        if self._update is not None:
            for frame in self._match(self._update):
                session.send_frame(frame)
        for said in self._chat.past():
            session.send(said)

    def leave(self, session: Session) -> None:
        """Somebody does not watch any more."""
        if session in self._viewers:
            del self._viewers[session]
            self.table.wake()  # the counter
        if session.watching is self:
            session.watching = None

    def _match(self, update: _Update) -> list[bytes]:
        """The frames that show the match as far as spectators have seen it."""
        fields = update.fields
        if self._replay is None:
            events = update.play.match.events[: update.events]
            self._replay = [_history(fields, events, first) for first in range(0, len(events), HISTORY_EVENTS)]
        view = msgspec.msgpack.decode(fields["public"], type=PublicPart).view
        public = codec.encode_public(PublicPart(view=view, first=update.events, events=[]))
        clock = _later(fields["clock"], trio.current_time() - self._updated_at)
        return [*self._replay, codec.encode_update(**{**fields, "public": public, "clock": clock})]


def _as_whole(held: _Held) -> _Held:
    """What is shown with all that was before it, as that was left out."""
    return held._replace(item=changed(held.item, whole=True)) if isinstance(held.item, _Update) else held


def _size(item: _Item) -> int:
    return len(item.fields["public"]) if isinstance(item, _Update) else len(codec.pack(item.message))


def _history(fields: dict[str, Any], events: Sequence[Any], first: int) -> bytes:
    pieces = [codec.plain(event) for event in events[first : first + HISTORY_EVENTS]]
    return codec.encode(GameHistory(table=fields["table"], match=fields["match"], first=first, events=pieces))


def _later(clock: Clock | None, seconds: float) -> Clock | None:
    """What a clock shows some time later."""
    if clock is None or clock.paused:
        return clock
    passed = int(seconds * 1000)
    opens = None if clock.opens_ms is None or clock.opens_ms <= passed else clock.opens_ms - passed
    return replace(clock, remaining_ms=max(0, clock.remaining_ms - passed), opens_ms=opens)
