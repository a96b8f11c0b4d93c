"""What a client keeps of a match, so that its record can be checked later without trusting the server.

A receipt holds what this client saw with its own eyes: the server's commitment before the match, its own nonce, who
played, a digest of everything that was told in public, and how it ended. As JSON, all bytes in hexadecimal; the file's
form is described in docs/records.md. Pure: knows no files and no network.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from robby_protocol.messages import ScoreLine

RECEIPT_VERSION = 1
"""Of the form. Grows whenever an older reader could not read it rightly."""

MAX_RECEIPT_BYTES = 256 * 1024
"""Far more than any receipt is; a longer file is not one."""

_HEX = r"^([0-9a-f]{64})?\Z"
Hex = Annotated[str, Meta(pattern=_HEX)]
"""32 bytes in lower-case hexadecimal, or none."""
Text = Annotated[str, Meta(max_length=2000)]


class ReceiptError(ValueError):
    """The bytes are not a receipt that this version can read."""


class Receipt(Struct, frozen=True, kw_only=True):
    """What one client keeps of one match.

    robby_receipt: the form's version. server_id: the server's public key. names: who played, by seat.
    commitment: what the server was committed to before the match; empty: there was no fair deal.
    commitments, nonces: what each seat committed to and opened, by seat; empty where a seat did not.
    seat, nonce: the own seat (none for a spectator) and the own nonce; empty if one did not commit.
    events, events_digest: how many public events were seen without a gap from the first on, and their digest
    (`robby_protocol.fair.EventsDigest`). finished: whether the match was seen to its end; results then.
    secret: the server's, once it was revealed; empty until then.
    """

    robby_receipt: int
    server_id: Hex
    server_name: Text = ""
    table: Text = ""
    match: Text
    game: Text
    options: dict[str, Any] = {}
    names: list[Text]
    commitment: Hex = ""
    commitments: list[Hex] = []
    nonces: list[Hex] = []
    seat: Annotated[int, Meta(ge=0, le=63)] | None = None
    nonce: Hex = ""
    events: Annotated[int, Meta(ge=0)] = 0
    events_digest: Hex = ""
    finished: bool = False
    results: list[ScoreLine] = []
    secret: Hex = ""


def to_bytes(receipt: Receipt) -> bytes:
    """The receipt as indented JSON, for a file that a person may look at."""
    return msgspec.json.format(msgspec.json.encode(receipt), indent=2) + b"\n"


def from_bytes(data: bytes) -> Receipt:
    """The receipt of these bytes. Raises ReceiptError."""
    if len(data) > MAX_RECEIPT_BYTES:
        raise ReceiptError("too long for a receipt")
    try:
        version = msgspec.json.decode(data, type=_Head).robby_receipt
        if version != RECEIPT_VERSION:
            raise ReceiptError(f"receipt version {version}; this program reads {RECEIPT_VERSION}")
        return msgspec.json.decode(data, type=Receipt)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ReceiptError("not a receipt") from error


class _Head(Struct):
    robby_receipt: int
