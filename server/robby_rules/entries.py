"""What a match's journal is made of, and its bytes.

A match is its first entry and everything that was put in after it; all else follows from the rules. So an entry holds
the inputs alone, never what they led to. An entry holds hidden cards and, in `Start`, the match's secret seed.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

JOURNAL_VERSION = 1
"""Of the entries' form. Grows whenever an older reader could not read them rightly."""

SEED_BYTES = 32

Secret = Annotated[bytes, Meta(min_length=SEED_BYTES, max_length=SEED_BYTES)]
SecretOrNone = Annotated[bytes, Meta(max_length=SEED_BYTES)]
Millis = Annotated[int, Meta(ge=0)]
SeatIndex = Annotated[int, Meta(ge=0, le=63)]


class JournalError(Exception):
    """Base of everything that can be wrong with a journal."""


class EntryFormatError(JournalError):
    """The bytes are not an entry that this version can read."""


class Deal(Struct, frozen=True, forbid_unknown_fields=True):
    """What a fair deal's seed was made of (`robby_protocol.fair`).

    secret: the server's, 32 bytes. commitments, nonces: by seat; empty for a seat that did not commit.
    """

    secret: Secret
    commitments: tuple[SecretOrNone, ...]
    nonces: tuple[SecretOrNone, ...]

    def __repr__(self) -> str:
        return "Deal(…)"  # secret until the match is over, wherever it might be printed


class Start(Struct, frozen=True, tag="start", forbid_unknown_fields=True):
    """A match begins.

    match: its id. game, rules_version: which rules. options: all of them, defaults filled in, as a plain map.
    seats: how many. seed: 32 secret bytes, the key of the match's chance. deal: where it comes from, if it was dealt
    fairly. began: for the record alone, in seconds since 1970; 0 for unknown.
    """

    match: str
    game: str
    rules_version: int
    options: dict[str, Any]
    seats: Annotated[int, Meta(ge=1, le=64)]
    seed: Secret
    deal: Deal | None = None
    began: Annotated[int, Meta(ge=0)] = 0

    def __repr__(self) -> str:
        return f"Start({self.match!r}, {self.game!r}, …)"  # the seed is secret


class Act(Struct, frozen=True, tag="act", forbid_unknown_fields=True):
    """A seat's accepted answer. decision: the id that it answered. at, credit, rival: its stamp in milliseconds."""

    seat: SeatIndex
    decision: Annotated[int, Meta(ge=1)]
    action: dict[str, Any]
    at: Millis
    credit: Millis = 0
    rival: Millis = 0


class Expire(Struct, frozen=True, tag="expire", forbid_unknown_fields=True):
    """A deadline was reached. at: when it was carried out, which may be later than the deadline itself."""

    at: Millis


class Presence(Struct, frozen=True, tag="presence", forbid_unknown_fields=True):
    """A seat was left without anybody to play it, or is played again."""

    seat: SeatIndex
    absent: bool
    at: Millis


Entry = Start | Act | Expire | Presence


def encode_entry(entry: Entry) -> bytes:
    """The entry as msgpack: an array of the journal's version and the entry's map, whose `type` says which it is."""
    return msgspec.msgpack.encode((JOURNAL_VERSION, entry))


def decode_entry(data: bytes) -> Entry:
    """The entry of these bytes. Raises EntryFormatError for anything that `encode_entry` would not have written."""
    try:
        version = msgspec.msgpack.decode(data, type=tuple[int, msgspec.Raw])[0]
        if version != JOURNAL_VERSION:
            raise EntryFormatError(f"journal version {version}; this program reads {JOURNAL_VERSION}")
        return msgspec.msgpack.decode(data, type=tuple[int, Entry])[1]
    except (msgspec.DecodeError, RecursionError) as error:
        raise EntryFormatError(f"not a journal entry: {error}") from error
