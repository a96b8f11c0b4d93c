"""What every message has in common.

A message is one msgpack map. Its `type` tells which; all other keys are the fields of the Struct. Unknown keys are
ignored, so that a newer peer can say more. Open-ended codes are strings, never enums; numbers are integers, never floats.
"""

from typing import Annotated, Any

from msgspec import Meta, Struct

RequestId = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Natural = Annotated[int, Meta(ge=0, le=2**53)]
SeatNumber = Annotated[int, Meta(ge=0, le=63)]
Name = Annotated[str, Meta(max_length=200)]
"""A person's name as sent. The server's own, narrower rule decides; this bound only keeps a message small."""
Code = Annotated[str, Meta(max_length=64)]
Text = Annotated[str, Meta(max_length=2000)]
Extensions = dict[str, Any]
"""Room for what this version does not know: names to values. Unknown ones are ignored."""


class Message(Struct, kw_only=True, frozen=True, tag_field="type"):
    """Base of everything that travels in a frame."""


class Command(Message, kw_only=True, frozen=True):
    """Base of what a client asks for. The server answers each with exactly one `ok` or `error` whose `re` is this id.

    id: chosen by the client, 1 … 2³¹−1, distinct among the requests that still wait for their answer.
    """

    id: RequestId
