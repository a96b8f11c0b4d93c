"""The record of a match that is over: everything that was put into it, signed by its server. The file's form alone.

docs/records.md describes the form so that any language can read it. What a record must fulfil is in `record_check`;
keeping the files is the server's business. Pure: bytes in, values out.
"""

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from robby_protocol.identity import KEY_SIZE, PROOF_SIZE, fields, verify
from robby_protocol.messages import ScoreLine
from robby_rules.entries import Secret, SecretOrNone

MAGIC = b"\x93robby\r\n"
"""First bytes of every record. The first is no text; the line end is one that a transfer as text would change."""

RECORD_VERSION = 1
"""Of the form. Grows whenever an older reader could not read it rightly."""

RECORD_TAG = b"robby record 1"
"""First field of what is signed, so that the signature can mean nothing else."""

READER_TAG = b"robby record reader 1"

HEAD_BYTES = len(MAGIC) + 8

MAX_RECORD_BYTES = 8 * 1024 * 1024
"""A match of a hundred rounds with six people who never stop changing their minds has less than one."""

MAX_ENTRIES = 200_000

Text = Annotated[str, Meta(max_length=2000)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]


class RecordError(ValueError):
    """The bytes are not a whole record that this version can read. code: one of those below."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


NOT_A_RECORD = "not_a_record"
NEWER = "newer"
CUT = "cut"
TOO_LONG = "too_long"
DAMAGED = "damaged"


class RecordSeat(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who played a seat. kind: `person` or `bot`. bot: which."""

    name: Text
    kind: Text
    bot: Text | None = None


class RecordDeal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fair deal. commitment: the server's, as it was told before the match. secret, commitments, nonces: see
    `robby_rules.entries.Deal`."""

    commitment: Secret
    secret: Secret
    commitments: tuple[SecretOrNone, ...]
    nonces: tuple[SecretOrNone, ...]


class Record(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A match that is over.

    server_id: the key that signed. software: the program that wrote it, for people. table, title: where it was played.
    began, ended: in seconds since 1970, by the server's clock; 0 for unknown. ending: `finished` or `broken_off`.
    aborted: starts that were broken off at the table before this match. deal: none where there was no fair deal.
    entries: the journal, each entry's bytes. events, events_digest: the number and digest of the public events
    (`robby_protocol.fair.EventsDigest`). results: best first, none for a match that was broken off.
    delay_s, readers, watchers: for the server alone: how much later spectators were shown the match, and hashes by
    which it knows those who had a seat or watched.
    """

    match: Text
    table: Text
    title: Text
    game: Text
    rules_version: Count
    options: dict[str, Any]
    server_id: Annotated[bytes, Meta(min_length=KEY_SIZE, max_length=KEY_SIZE)]
    server_name: Text
    software: Text
    seats: tuple[RecordSeat, ...]
    began: Count
    ended: Count
    ending: Text
    aborted: Count
    deal: RecordDeal | None
    entries: Annotated[tuple[bytes, ...], Meta(min_length=1, max_length=MAX_ENTRIES)]
    events: Count
    events_digest: Secret
    results: tuple[ScoreLine, ...]
    delay_s: Count = 0
    readers: tuple[Secret, ...] = ()
    watchers: tuple[Secret, ...] = ()


FINISHED = "finished"
BROKEN_OFF = "broken_off"


def encode_record(record: Record, sign: Callable[[bytes], bytes]) -> bytes:
    """The file: magic, version, length, body, signature. sign: the server's, over a payload, 64 bytes.

    Raises RecordError(TOO_LONG) for one that could not be read again.
    """
    body = msgspec.msgpack.encode(record)
    signed = b"".join((MAGIC, RECORD_VERSION.to_bytes(4, "big"), len(body).to_bytes(4, "big"), body))
    if len(signed) + PROOF_SIZE > MAX_RECORD_BYTES:
        raise RecordError(TOO_LONG)
    return signed + sign(_payload(signed))


def decode_record(data: bytes) -> tuple[Record, bool]:
    """The record of these bytes, and whether the signature is that of its `server_id`. Raises RecordError."""
    if len(data) > MAX_RECORD_BYTES:
        raise RecordError(TOO_LONG)
    if not data or not MAGIC.startswith(data[: len(MAGIC)]):
        raise RecordError(NOT_A_RECORD)
    if len(data) < HEAD_BYTES:
        raise RecordError(CUT)
    version = int.from_bytes(data[len(MAGIC) : len(MAGIC) + 4], "big")
    if version != RECORD_VERSION:
        raise RecordError(NEWER if version > RECORD_VERSION else DAMAGED)
    length = int.from_bytes(data[len(MAGIC) + 4 : HEAD_BYTES], "big")
    whole = HEAD_BYTES + length + PROOF_SIZE
    if len(data) != whole:
        raise RecordError(CUT if len(data) < whole else DAMAGED)
    signed, signature = data[: HEAD_BYTES + length], data[HEAD_BYTES + length :]
    try:
        record = msgspec.msgpack.decode(signed[HEAD_BYTES:], type=Record)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, MemoryError):
        raise RecordError(DAMAGED) from None
    return record, verify(record.server_id, _payload(signed), signature)


def reader_hash(match: str, identity: str) -> bytes:
    """By which a server knows again somebody who was at a match, without naming its identities to others."""
    return sha256(fields(READER_TAG, match.encode(), identity.encode())).digest()


def readers_of(match: str, identities: Iterable[str]) -> tuple[bytes, ...]:
    """The hashes of these identities, in an order that tells nothing of theirs."""
    return tuple(sorted(reader_hash(match, identity) for identity in identities))


def _payload(signed: bytes) -> bytes:
    return fields(RECORD_TAG, signed)
