"""The fair deal: everybody commits to a secret before any is opened, and the cards follow from all of them.

How the bytes are hashed is in `robby_protocol.fair`; which moment each message belongs to, in docs/protocol.md.
"""

from robby_protocol.messages.base import Code, Command, Digest, DigestOrNone, Message, Natural, none_or_whole


class DealCommitted(Message, tag="deal.committed", kw_only=True, frozen=True):
    """The match is about to begin: all commitments, before anything is opened. Whoever committed answers `deal.open`.

    server: the server's commitment. seats: each seat's, in order; none for a seat that did not commit.
    remaining_ms: how long there is to open.
    """

    table: Code
    match: Code
    server: Digest
    seats: list[DigestOrNone]
    remaining_ms: Natural

    def __post_init__(self) -> None:
        for commitment in self.seats:
            none_or_whole("seats", commitment, 32)


class DealOpen(Command, tag="deal.open", kw_only=True, frozen=True):
    """Open the own commitment. result: {}. nonce: the 32 bytes that were committed to."""

    match: Code
    nonce: Digest


class DealOpened(Message, tag="deal.opened", kw_only=True, frozen=True):
    """All have opened: every seat's nonce, in order, before the deal; none for a seat that did not commit."""

    table: Code
    match: Code
    nonces: list[DigestOrNone]

    def __post_init__(self) -> None:
        for nonce in self.nonces:
            none_or_whole("nonces", nonce, 32)


class DealRevealed(Message, tag="deal.revealed", kw_only=True, frozen=True):
    """The match is over, was broken off, or its start was: the server's secret. From now on the deal can be checked."""

    table: Code
    match: Code
    secret: Digest


class RecordGet(Command, tag="record.get", kw_only=True, frozen=True):
    """Ask for the record of a match that is over. result: {record: bytes of the record file}."""

    match: Code
