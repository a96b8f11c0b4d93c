"""Bodies: one msgpack map to and from plain values and messages. Knows nothing of states and directions.

Everything that foreign bytes can do to a decoder ends in one place, as RemoteProtocolError(MALFORMED).
"""

import gc
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import msgpack  # type: ignore[import-untyped]
import msgspec

from robby_protocol.errors import MALFORMED, RemoteProtocolError, UnsendableError
from robby_protocol.framing import add_header
from robby_protocol.messages import Clock, Decision, GameUpdate, Message, Ok, PublicPart
from robby_protocol.messages.base import MAX_INTEGER

MAX_DEPTH = 32
"""Containers inside each other, the message's own map counted. The deepest message of ours has 7."""
MAX_VALUES_FROM_CLIENT = 4_096
"""Values in a client's body (keys and the message's own map not counted): the longest command has some fifty."""
MAX_VALUES_FROM_SERVER = 32_768
"""Values in a server's body: some five hundred tables in the lobby. Maps without end are what costs time to decode."""
MAX_DETAIL = 200
"""Characters of a log detail about foreign input."""

_SMALL = 4_096
"""Bodies up to this size are decoded with the garbage collector on. Decoding a larger one makes many objects and no
garbage, and going through the whole heap meanwhile takes longer than the decoding itself."""

_SCALARS: frozenset[type] = frozenset((int, str, bytes, bool, type(None)))
_VALUES: frozenset[type] = _SCALARS | {list, dict}
_STR: frozenset[type] = frozenset((str,))

# What decoding foreign bytes can raise: the decoder's own errors, bad UTF-8 (ValueError), values that no hook expects
# (TypeError, OverflowError), and running out of stack or memory.
_DECODE_ERRORS = (
    msgpack.UnpackException,
    ValueError,
    TypeError,
    OverflowError,
    RecursionError,
    MemoryError,
)


class _Hooks:
    """What one decode calls for each finished container: so that too many are noticed while they are being made."""

    __slots__ = ("containers", "values")

    def __init__(self, most: int) -> None:
        self.containers = most + 1
        self.values = most

    def array(self, values: list[Any]) -> list[Any]:
        self.containers -= 1
        self.values -= len(values)
        if self.containers < 0 or self.values < 0:
            raise ValueError("too many values")
        return values

    def map(self, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
        self.containers -= 1
        self.values -= len(pairs)
        if self.containers < 0 or self.values < 0:
            raise ValueError("too many values")
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key occurs twice")
        return found


_NO_RESULT = msgpack.packb({})


def _check(root: Any) -> None:
    """Raise ValueError where a value is not what the protocol allows. Goes level by level, so depth costs no stack."""
    level: list[Any] = [root]
    for _depth in range(MAX_DEPTH + 1):
        types = set(map(type, level))
        if not types <= _VALUES:
            raise ValueError("a value is of a type that the protocol does not know")
        if int in types and not all(-MAX_INTEGER <= value <= MAX_INTEGER for value in level if type(value) is int):
            raise ValueError("an integer is out of range")
        maps = [value for value in level if type(value) is dict] if dict in types else []
        if not set(map(type, chain.from_iterable(maps))) <= _STR:
            raise ValueError("a key is not a string")
        arrays = [value for value in level if type(value) is list] if list in types else []
        if not maps and not arrays:
            return
        level = list(chain.from_iterable(chain(map(dict.values, maps), arrays)))
    raise ValueError("nested too deeply")


def count_values(root: Any) -> int:
    """How many values are in a plain value, itself included, as `unpack` counts them."""
    count, level = 0, [root]
    while level:
        count += len(level)
        maps = [value.values() for value in level if type(value) is dict]
        arrays = [value for value in level if type(value) is list]
        level = list(chain.from_iterable(chain(maps, arrays)))
    return count


def unpack(body: bytes, max_values: int = MAX_VALUES_FROM_SERVER) -> dict[str, Any]:
    """The map in a body: string keys, all different; values nil, bool, int, str, bytes, list, map and nothing else.

    max_values: how many there may be, keys and the outer map not counted.
    Raises RemoteProtocolError(MALFORMED) for anything else, whatever goes wrong.
    """
    collecting = gc.isenabled() and len(body) > _SMALL
    try:
        if collecting:
            gc.disable()
        # A first pass builds nothing: it finds declared sizes that the body does not have, before they cost memory.
        scout = msgpack.Unpacker(max_buffer_size=max(len(body), 1))
        scout.feed(body)
        scout.skip()
        hooks = _Hooks(max_values)
        found = msgpack.unpackb(
            body,
            raw=False,
            strict_map_key=True,
            list_hook=hooks.array,
            object_pairs_hook=hooks.map,
            max_array_len=max_values,
            max_map_len=max_values,
        )
        _check(found)
    except _DECODE_ERRORS as error:
        raise RemoteProtocolError(MALFORMED, printable(f"{type(error).__name__}: {error}")) from None
    finally:
        if collecting:
            gc.enable()
    if type(found) is not dict:
        raise RemoteProtocolError(MALFORMED, "not a map")
    if type(found.get("type")) is not str:
        raise RemoteProtocolError(MALFORMED, "no type")
    return found


def printable(text: str, longest: int = MAX_DETAIL) -> str:
    """Foreign text for a log: cut, and nothing in it but printable ASCII."""
    return ascii(text[:longest])[1:-1][:longest]


def plain(value: Any) -> Any:
    """A Struct (or a container of some) as the plain values that msgpack carries: for payloads and results."""
    return msgspec.to_builtins(value, builtin_types=(bytes,))


def pack(message: Message) -> bytes:
    """A message's body: its fields in the order of declaration, `type` first, all of them.

    Raises UnsendableError for values that msgpack cannot carry.
    """
    try:
        body: bytes = msgpack.packb(plain(message))
    except (TypeError, ValueError, OverflowError) as error:
        raise UnsendableError(f"{type(message).__name__} cannot be sent: {error}") from error
    return body


def encode(message: Message) -> bytes:
    """A message's whole frame."""
    return add_header(pack(message))


def encode_public(public: PublicPart) -> bytes:
    """The shared part of a `game.update`, to be handed to `encode_update` for each receiver."""
    packed: bytes = msgpack.packb(plain(public))
    return packed


def pack_update(
    *,
    table: str,
    match: str,
    seq: int,
    public: bytes,
    own: Mapping[str, Any] | None = None,
    own_events: Sequence[Mapping[str, Any]] = (),
    decision: Decision | None = None,
    clock: Clock | None = None,
) -> bytes:
    """The body of a `game.update` around an encoded public part: byte for byte what `pack` gives for the whole."""
    packer = msgpack.Packer(autoreset=False)
    fields = GameUpdate.__struct_fields__
    packer.pack_map_header(len(fields) + 1)
    packer.pack("type")
    packer.pack(GameUpdate.__struct_config__.tag)
    values = {
        "table": table,
        "match": match,
        "seq": seq,
        "own": own,
        "own_events": own_events,
        "decision": plain(decision),
        "clock": plain(clock),
    }
    parts: list[bytes] = []
    for field in fields:
        packer.pack(field)
        if field == "public":
            parts += (packer.bytes(), public)
            packer.reset()
        else:
            packer.pack(values[field])
    parts.append(packer.bytes())
    return b"".join(parts)


def pack_result(result: Mapping[str, Any]) -> bytes:
    """What a command led to, in plain values, to be handed to `pack_answer` for each who asks the same."""
    packed: bytes = msgpack.packb(result)
    return packed


def pack_answer(re: int, result: bytes) -> bytes:
    """The body of an `ok` around a packed result: byte for byte what `pack` gives for the whole."""
    head = pack(Ok(re=re))
    return head.removesuffix(_NO_RESULT) + result


def encode_update(
    *,
    table: str,
    match: str,
    seq: int,
    public: bytes,
    own: Mapping[str, Any] | None = None,
    own_events: Sequence[Mapping[str, Any]] = (),
    decision: Decision | None = None,
    clock: Clock | None = None,
) -> bytes:
    """The whole frame of a `game.update` around an encoded public part."""
    return add_header(
        pack_update(
            table=table,
            match=match,
            seq=seq,
            public=public,
            own=own,
            own_events=own_events,
            decision=decision,
            clock=clock,
        )
    )
