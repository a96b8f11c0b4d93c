"""One match at a table: game time, the journal before the effect, and what each seat is sent.

Wraps `robby_rules.match.Match`, which knows no clock. Match time is counted on trio's clock from the match's start;
wall clocks play no part. Knows nothing of sessions or of who sits where.
"""

import math
from collections.abc import Sequence
from typing import Any

import trio
from msgspec import Struct

from robby_protocol import codec
from robby_protocol.messages import Clock, GameHistory, PublicPart, ScoreLine
from robby_rules.interface import Stamp
from robby_rules.match import Change, Match
from robby_rules.record_check import scores
from robby_server.identities import Identity
from robby_server.store import Store

HISTORY_EVENTS = 200
"""Events in one `game.history`: about 20 KB, so that a heartbeat is never stuck behind a long one."""

_TOLERANCE_MS = 1e-3
"""What floating-point seconds may lose: a deadline that was reached must never look as if it were not."""


class Play:
    """A match being played, or the last one.

    owners: whose seats these are, by seat, from start to end. began: match time 0 on trio's clock. paused_ms: the match
    time at which the match stands still; None: it goes on.
    """

    def __init__(
        self, match: Match, store: Store, table: str, owners: Sequence[Identity], *, names: Sequence[str] = ()
    ) -> None:
        self.match = match
        self.id = match.start_entry.match
        self.owners = tuple(owners)
        self.names = tuple(names or (owner.name for owner in owners))
        self.began = trio.current_time()
        self.paused_ms: int | None = None
        self._resumed_ms = 0  # no moment is earlier than that at which the match went on
        self._store = store
        self._table = table
        self._public: tuple[int, int, bytes] | None = None

    async def keep_start(self) -> None:
        """Commit the match's first entry; before that nobody may see it."""
        await self._store.append(self.id, self.match.start_entry)

    async def take(self, change: Change) -> None:
        """Commit a change, then let it happen."""
        await self._store.append(self.id, change.entry)
        self.match.adopt(change)

    async def end(self) -> None:
        """The match needs not be taken up again."""
        await self._store.end(self.id)

    @property
    def races(self) -> bool:
        """Whether the game has moments at which being first counts."""
        return self.match.rules.races

    @property
    def asks(self) -> bool:
        """Whether anything is asked now. Where being first counts nothing is while the match stands still: whoever is
        back sooner would have all that time for it."""
        return self.paused_ms is None or not self.races

    def stamp(self, at: float, credit: float = 0.0, rival: float = 0.0) -> Stamp:
        """The match time of a moment on trio's clock.

        credit, rival: seconds, for races. While the match stands still nobody has any: all comes at one moment; and
        none reaches back before that moment, since nothing that was sent before it can still be on its way.
        The credit is the whole number that makes *at less credit* the moment it would be without rounding either.
        """
        if self.paused_ms is not None:
            return Stamp(self.paused_ms)
        ms = max(self._resumed_ms, self._milliseconds(at))
        owed = ms - max(self._resumed_ms, self._milliseconds(at - credit))
        return Stamp(ms, owed, math.ceil(rival * 1000 - _TOLERANCE_MS))

    def _milliseconds(self, at: float) -> int:
        return math.floor((at - self.began) * 1000 + _TOLERANCE_MS)

    def due(self) -> float | None:
        """When the next deadline is, on trio's clock."""
        deadline = self.match.deadline()
        if deadline is None:
            return None
        if self.paused_ms is not None:
            # None is reached while the match stands still; one that had passed before is only to be carried out.
            return -math.inf if deadline <= self.paused_ms else None
        return self.began + deadline / 1000

    def pause(self, at_ms: int) -> None:
        """Stand still at this match time."""
        self.paused_ms = at_ms

    def go_on(self) -> None:
        """Go on with exactly the time that was left."""
        if self.paused_ms is not None:
            self.began = trio.current_time() - self.paused_ms / 1000
            self._resumed_ms, self.paused_ms = self.paused_ms, None

    def seat_of(self, who: Identity) -> int | None:
        """The seat that this identity played, or plays."""
        for seat, owner in enumerate(self.owners):
            if owner is who:
                return seat
        return None

    # What is sent.

    def update(self, seat: int | None, change: Change | None = None) -> dict[str, Any]:
        """The fields of a `game.update` for one seat after a change; without one, as it stands."""
        private = change.private.get(seat, ()) if change is not None and seat is not None else ()
        return self._update(seat, len(self.match.events) if change is None else change.first, private)

    def started(self, seat: int | None) -> dict[str, Any]:
        """The fields of the first `game.update` of a match: all its events so far."""
        return self._update(seat, 0, () if seat is None else self.match.start_private.get(seat, ()))

    def _update(self, seat: int | None, first: int, private: Sequence[Struct]) -> dict[str, Any]:
        own = self.match.view(seat)[1]
        return {
            "table": self._table,
            "match": self.id,
            "seq": self.match.told_seq(seat),
            "public": self._public_part(first),
            "own": None if own is None else codec.plain(own),
            "own_events": [codec.plain(event) for event in private],
            "decision": None if seat is None or not self.asks else self.match.decision(seat),
            "clock": self._clock(seat),
        }

    def history(self) -> list[GameHistory]:
        """All public events told so far, in pieces."""
        events = self.match.events
        return [
            GameHistory(
                table=self._table,
                match=self.id,
                first=first,
                events=[codec.plain(event) for event in events[first : first + HISTORY_EVENTS]],
            )
            for first in range(0, len(events), HISTORY_EVENTS)
        ]

    def scores(self) -> list[ScoreLine]:
        """The results, best first; none while it is played."""
        return list(scores(self.match, self.names))

    def _public_part(self, first: int) -> bytes:
        """View and events from number `first` on, encoded once for all who are told of the same change."""
        if self._public is None or self._public[:2] != (self.match.seq, first):
            view = codec.plain(self.match.view(None)[0])
            events = [codec.plain(event) for event in self.match.events[first:]]
            encoded = codec.encode_public(PublicPart(view=view, first=first, events=events))
            self._public = (self.match.seq, first, encoded)
        return self._public[2]

    def _clock(self, seat: int | None) -> Clock | None:
        timer = self.match.timer(seat)
        if timer is None:
            return None
        now = self.stamp(trio.current_time()).at
        opens = None if timer.opens_at is None or timer.opens_at <= now else timer.opens_at - now
        return Clock(
            remaining_ms=max(0, timer.ends_at - now),
            total_ms=timer.total,
            opens_ms=opens,
            paused=self.paused_ms is not None,
        )
