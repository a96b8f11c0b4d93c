"""The fair deal as the client's side of it: commit, open, and check all that the server says. Pure, besides chance.

The client commits to a fresh nonce for each match and opens it only if its commitment stands where all can see it.
What it finds wrong is a code with a sentence; a person must not be able to overlook it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from robby_client.codes import (
    DEAL_CHANGED,
    DEAL_COMMITMENT_MISSING,
    DEAL_NONCE_WRONG,
    DEAL_SECRET_WRONG,
    DEAL_SERVER_CHANGED,
)
from robby_protocol import fair
from robby_protocol.fresh import new_secret
from robby_protocol.messages import DealCommitted, DealOpened, DealRevealed

COMMITTED = "committed"
OPENED = "opened"
REVEALED = "revealed"

_MOST_NONCES = 64
"""Own nonces kept of one match: one for each time of saying *ready*. Only the newest can be what counts; the bound
keeps somebody who plays with the key from filling memory."""


@dataclass
class Deal:
    """What is known of one match's fair deal.

    stage: committed, opened or revealed. server: the server's commitment. seats, nonces: by seat; empty where a seat
    did not commit. names: who sits where. secret: the server's, once revealed. seat, nonce: the own; no bytes without
    one.
    trouble: the first code for which this deal is not to be trusted; None as long as all fits.
    """

    match: str
    server: bytes
    seats: list[bytes]
    seat: int | None = None
    nonce: bytes = b""
    nonces: list[bytes] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    secret: bytes = b""
    stage: str = COMMITTED
    trouble: str | None = None

    @property
    def people(self) -> int:
        """How many seats have committed."""
        return sum(1 for commitment in self.seats if commitment)

    @property
    def opened_by(self) -> int:
        """How many seats have opened."""
        return sum(1 for nonce in self.nonces if nonce)


class Deals:
    """Takes the deal's messages in order.

    next_match, commitment: as the table's state showed them last. Each method returns a new trouble's code, or None.
    """

    def __init__(self, new_nonce: Callable[[], bytes] = new_secret) -> None:
        self.deal: Deal | None = None
        self._new_nonce = new_nonce
        self._shown: tuple[str, bytes] | None = None
        self._nonces: list[bytes] = []

    def shown(self, next_match: str | None, commitment: bytes) -> None:
        """The table's state names the next match and what commits the server to its secret for it."""
        if next_match is None or not commitment:
            return
        # What was shown first for a match counts: a server that shows another later has changed its secret.
        if self._shown is None or self._shown[0] != next_match:
            self._shown = (next_match, commitment)
            self._nonces = []

    def leave(self) -> None:
        """The table is left."""
        self.deal = None
        self._shown = None
        self._nonces = []

    def commit(self) -> bytes:
        """A commitment to a fresh nonce for the next match; no bytes where there is no fair deal."""
        if self._shown is None:
            return b""
        nonce = self._new_nonce()
        self._nonces = [*self._nonces, nonce][-_MOST_NONCES:]
        return fair.seat_commitment(nonce)

    def committed(self, message: DealCommitted, seat: int | None, names: Sequence[str]) -> str | None:
        """All commitments are out. seat: the own one. names: who sits where. `to_open` then says whether to open."""
        deal = self.deal
        if deal is not None and deal.match == message.match:
            # After a reconnect the same is told again; anything else would be a second chance for the server.
            if (deal.server, deal.seats) != (message.server, message.seats):
                return self._trouble(deal, DEAL_CHANGED)
            return None
        deal = Deal(match=message.match, server=message.server, seats=list(message.seats), seat=seat, names=list(names))
        self.deal = deal
        shown, self._shown = self._shown, None
        nonces, self._nonces = self._nonces, []
        if shown is not None and shown[0] == message.match and shown[1] != message.server:
            return self._trouble(deal, DEAL_SERVER_CHANGED)
        if seat is None or not nonces:
            return None
        own = message.seats[seat] if seat < len(message.seats) else b""
        for nonce in nonces:
            if fair.seat_commitment(nonce) == own and shown is not None and shown[0] == message.match:
                deal.nonce = nonce
                return None
        return self._trouble(deal, DEAL_COMMITMENT_MISSING)

    def to_open(self, match: str) -> bytes:
        """The nonce to open now; no bytes: nothing is to be opened."""
        deal = self.deal
        if deal is None or deal.match != match or deal.trouble is not None or deal.stage != COMMITTED:
            return b""
        return deal.nonce

    def opened(self, message: DealOpened) -> str | None:
        """All nonces are out."""
        deal = self.deal
        if deal is None or deal.match != message.match:
            return None
        if deal.stage != COMMITTED:
            return None if deal.nonces == message.nonces else self._trouble(deal, DEAL_CHANGED)
        deal.nonces = list(message.nonces)
        deal.stage = OPENED
        return None if _fit(deal.seats, deal.nonces) else self._trouble(deal, DEAL_NONCE_WRONG)

    def revealed(self, message: DealRevealed) -> str | None:
        """The server's secret is out."""
        deal = self.deal
        if deal is None or deal.match != message.match:
            return None
        deal.secret = message.secret
        deal.stage = REVEALED
        right = fair.server_commitment(message.match, message.secret) == deal.server
        return None if right else self._trouble(deal, DEAL_SECRET_WRONG)

    def _trouble(self, deal: Deal, code: str) -> str | None:
        """The code, if it is the deal's first."""
        if deal.trouble is not None:
            return None
        deal.trouble = code
        return code


def _fit(commitments: Sequence[bytes], nonces: Sequence[bytes]) -> bool:
    """Whether each seat that committed opened just that, and nobody else opened anything."""
    if len(commitments) != len(nonces):
        return False
    return all(
        fair.seat_commitment(nonce) == commitment if commitment else not nonce
        for commitment, nonce in zip(commitments, nonces, strict=True)
    )
