"""The fair deal at one table: the server's secret and commitment, opening, the seed, and what is revealed when.

How the bytes are hashed is in `robby_protocol.fair`; which moment each message belongs to, in docs/protocol.md. A match
id has one secret and one commitment ever: each start that is tried uses its number up, also one that was broken off.
Nothing here is ever logged or printed.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import structlog
import trio

from robby_protocol import errors, fair
from robby_protocol.fresh import new_secret
from robby_protocol.identity import same_secret
from robby_protocol.messages import DealCommitted, DealOpen, DealOpened, DealRevealed, Message
from robby_rules.entries import Deal
from robby_server.rejected import Rejected
from robby_server.seats import Seat
from robby_server.session import Session

if TYPE_CHECKING:
    from robby_server.table import Table

log = structlog.get_logger("robby.table")


class Opening:
    """Commitments that are being opened. nonces: by seat, as they come. until: on trio's clock."""

    def __init__(self, match: str, commitments: Sequence[bytes], until: float) -> None:
        self.match = match
        self.commitments = tuple(commitments)
        self.nonces = [b""] * len(commitments)
        self.until = until

    def waits_for(self, index: int) -> bool:
        """Whether this seat has committed and not opened yet."""
        return bool(self.commitments[index]) and not self.nonces[index]

    @property
    def complete(self) -> bool:
        """Whether all have opened."""
        return not any(self.waits_for(index) for index in range(len(self.commitments)))


class Dealing:
    """The fair deal of one table, match after match. Where the server was given its seeds there is none."""

    def __init__(self, table: "Table") -> None:
        self._table = table
        self._secret = new_secret()
        self.opening: Opening | None = None

    @property
    def fair(self) -> bool:
        """Whether there is a fair deal here."""
        return self._table.services.match_seed is None

    def offer(self) -> tuple[str | None, bytes]:
        """The next match's id and what commits the server to its secret for it; none where nothing is offered now."""
        table = self._table
        if not self.fair or table.phase == "playing" or self.opening is not None:
            return None, b""
        match = f"{table.id}-{table.matches + 1}"
        return match, fair.server_commitment(match, self._secret)

    def try_start(self) -> str:
        """A start is tried: the id of its match. If anybody has committed, everybody is asked to open."""
        table = self._table
        table.matches += 1
        match = f"{table.id}-{table.matches}"
        commitments = [seat.commitment for seat in table.seats]
        if self.fair and any(commitments):
            self.opening = Opening(match, commitments, trio.current_time() + table.settings.open_seconds)
            self._tell(self._committed(self.opening))
        return match

    def open(self, index: int, command: DealOpen) -> bool:
        """A seat opens. Returns whether all have now. Raises Rejected."""
        opening = self.opening
        if opening is None or command.match != opening.match or not opening.commitments[index]:
            raise Rejected(errors.NO_DEAL)
        if not same_secret(fair.seat_commitment(command.nonce), opening.commitments[index]):
            raise Rejected(errors.BAD_NONCE)
        if not opening.waits_for(index):
            return False
        opening.nonces[index] = command.nonce
        return opening.complete

    def seed(self) -> tuple[bytes, Deal | None]:
        """The seed of the match whose start was tried, and what it was made of. Everybody is told what was opened."""
        table, opening, secret = self._table, self.opening, self._secret
        if table.services.match_seed is not None:
            return table.services.match_seed(), None
        match = f"{table.id}-{table.matches}"
        none = (b"",) * len(table.seats)
        deal = Deal(secret, none, none)
        if opening is not None:
            deal = Deal(secret, opening.commitments, tuple(opening.nonces))
            self._tell(DealOpened(table=table.id, match=match, nonces=opening.nonces))
        self.opening = None
        self._secret = new_secret()
        return fair.seed(match, secret, deal.nonces), deal

    def abort(self, seats: Iterable[Seat]) -> None:
        """Break the start off because of these seats. To be called while they are still there."""
        table, opening, secret = self._table, self.opening, self._secret
        if opening is None:
            return
        self.opening = None
        self._secret = new_secret()
        table.aborted += 1
        table.services.tally.starts_aborted += 1
        for seat in seats:
            table.news("start_aborted", seat)
        for seat in table.seats:
            seat.unready()
        log.info("start_aborted", table=table.id, match=opening.match)
        table.push_state()
        self._tell(DealRevealed(table=table.id, match=opening.match, secret=secret))

    async def time_out(self) -> None:
        """The time for opening is over."""
        if self.opening is not None:
            late = [seat for index, seat in enumerate(self._table.seats) if self.opening.waits_for(index)]
            self.abort(late)

    def lost(self, seat: Seat) -> None:
        """A seat's connection is lost. Whoever has opened already plays, away as in a match."""
        index = self._table.index(seat)
        if self.opening is not None and index is not None and self.opening.waits_for(index):
            self.abort([seat])

    def reveal(self) -> None:
        """The match is over or broken off: tell everybody the server's secret."""
        play = self._table.play
        assert play is not None, "a match was played"
        deal = play.match.start_entry.deal
        if deal is not None:
            self._tell(DealRevealed(table=self._table.id, match=play.id, secret=deal.secret))

    def tell_again(self, session: Session) -> None:
        """Somebody has come back on a new connection while commitments are opened."""
        if self.opening is not None:
            self._table.tell(partial(session.send, self._committed(self.opening)))

    def _committed(self, opening: Opening) -> DealCommitted:
        return DealCommitted(
            table=self._table.id,
            match=opening.match,
            server=fair.server_commitment(opening.match, self._secret),
            seats=list(opening.commitments),
            remaining_ms=max(0, round((opening.until - trio.current_time()) * 1000)),
        )

    def _tell(self, message: Message) -> None:
        for seat in self._table.seats:
            for session in seat.sessions():
                self._table.tell(partial(session.send, message))
        self._table.audience.tell(message)
