"""What every message has in common.

A message is one msgpack map. Its `type` tells which; all other keys are the fields of the Struct. Unknown keys are
ignored, so that a newer peer can say more. Open-ended codes are strings, never enums; numbers are integers, never
floats.
"""

from typing import Annotated, Any

from msgspec import Meta, Struct

MAX_INTEGER = 2**53 - 1
"""The largest integer of either sign anywhere in a message: what every language holds exactly, JavaScript too."""

MAX_REQUEST_ID = 2**31 - 1
RequestId = Annotated[int, Meta(ge=1, le=MAX_REQUEST_ID)]
Natural = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Integer = Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
SeatNumber = Annotated[int, Meta(ge=0, le=63)]
Name = Annotated[str, Meta(max_length=200)]
"""A person's name as sent. The server's own, narrower rule decides; this bound only keeps a message small."""
Code = Annotated[str, Meta(max_length=64)]
Text = Annotated[str, Meta(max_length=2000)]
NONE_OR_WHOLE = {"none_or_whole": True}
"""Marks a type for the schema: its bytes are none, or exactly as many as it may have."""
Digest = Annotated[bytes, Meta(min_length=32, max_length=32)]
"""A key, a hash, a challenge: 32 bytes."""
DigestOrNone = Annotated[bytes, Meta(max_length=32, extra=NONE_OR_WHOLE)]
"""32 bytes, or none at all (`none_or_whole` checks)."""
Signature = Annotated[bytes, Meta(max_length=64, extra=NONE_OR_WHOLE)]
"""64 bytes of Ed25519, or none at all (`none_or_whole` checks)."""
Extensions = dict[str, Any]
"""Room for what this version does not know: names to values. Unknown ones are ignored."""


def none_or_whole(field: str, value: bytes, size: int) -> None:
    """Raise ValueError unless `value` is empty or has exactly `size` bytes."""
    if len(value) not in (0, size):
        raise ValueError(f"`{field}` must have 0 or {size} bytes")


class Message(Struct, kw_only=True, frozen=True, tag_field="type"):
    """Base of everything that travels in a frame."""


class Command(Message, kw_only=True, frozen=True):
    """Base of what a client asks for. The server answers each with exactly one `ok` or `error` whose `re` is this id.

    id: chosen by the client, 1 … 2³¹−1, distinct among the requests that still wait for their answer.
    """

    id: RequestId
