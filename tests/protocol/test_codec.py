"""Bodies: what is taken, what is refused (PR-20), and that nothing but the protocol's own error comes out."""

import contextlib
import gc
import struct
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import msgpack  # type: ignore[import-untyped]
import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from robby_protocol import codec
from robby_protocol.errors import MALFORMED, LocalProtocolError, RemoteProtocolError
from robby_protocol.messages import FROM_CLIENT, FROM_SERVER, GameUpdate, Ok, PublicPart
from robby_protocol.messages.base import MAX_INTEGER, MAX_REQUEST_ID
from tests.protocol import samples

TYPE = b"\xa4type\xa4ping"


def with_field(value: bytes) -> bytes:
    """A body whose field `x`, which no message has, holds these bytes."""
    return b"\x82" + TYPE + b"\xa1x" + value


def refused(body: bytes, max_values: int = codec.MAX_VALUES_FROM_SERVER) -> str:
    with pytest.raises(RemoteProtocolError) as caught:
        codec.unpack(body, max_values)
    assert caught.value.code == MALFORMED
    assert len(caught.value.detail) <= codec.MAX_DETAIL
    assert caught.value.detail.isascii()
    assert caught.value.detail.isprintable()
    return caught.value.detail


def taken_or_malformed(body: bytes) -> bool:
    """Whether one of the two allowed things happens; any other exception comes through."""
    try:
        return type(codec.unpack(body)["type"]) is str
    except RemoteProtocolError as error:
        return error.code == MALFORMED


WRONG: dict[str, bytes] = {
    "nothing but arrays, 60,000 deep": b"\x91" * 60_000,
    "maps, 60,000 deep": b"\x81\xa1a" * 20_000,
    "array32 declaring 2^32-1": with_field(b"\xdd\xff\xff\xff\xff"),
    "map32 declaring 2^32-1": with_field(b"\xdf\xff\xff\xff\xff"),
    "bin32 declaring 2^32-1": with_field(b"\xc6\xff\xff\xff\xff"),
    "str32 declaring 2^32-1": with_field(b"\xdb\xff\xff\xff\xff"),
    "ext32 declaring 2^32-1": with_field(b"\xc9\xff\xff\xff\xff\x01"),
    "the map itself declaring 2^32-1": b"\xdf\xff\xff\xff\xff" + TYPE,
    "arrays that declare more inside each other": with_field(b"\xdd\x00\x00\x7f\xff" * 1_000),
    "array16 with one element missing": with_field(b"\xdc\x00\x03\x01\x02"),
    "50,000 integer keys": with_field(
        b"\xdf" + struct.pack(">I", 50_000) + b"".join(b"\xcd" + struct.pack(">H", n) + b"\xc0" for n in range(50_000))
    ),
    "one integer key": with_field(b"\x81\x01\x01"),
    "integer key in the message": b"\x82" + TYPE + b"\x01\x01",
    "nil key": with_field(b"\x81\xc0\x01"),
    "bytes key": with_field(b"\x81\xc4\x01a\x01"),
    "array key": with_field(b"\x81\x91\x01\x01"),
    "map key": with_field(b"\x81\x80\x01"),
    "duplicate key in the message": b"\x82" + TYPE + TYPE,
    "duplicate key deeper": with_field(b"\x82\xa1a\x01\xa1a\x02"),
    "float": with_field(b"\xcb" + struct.pack(">d", 1.0)),
    "float32": with_field(b"\xca" + struct.pack(">f", 1.0)),
    "not a number": with_field(b"\xcb" + struct.pack(">d", float("nan"))),
    "infinity": with_field(b"\xcb" + struct.pack(">d", float("inf"))),
    "2^64-1": with_field(b"\xcf" + b"\xff" * 8),
    "2^53": with_field(b"\xcf" + struct.pack(">Q", 2**53)),
    "-2^53": with_field(b"\xd3" + struct.pack(">q", -(2**53))),
    "-2^63": with_field(b"\xd3" + struct.pack(">q", -(2**63))),
    "extension": with_field(b"\xd4\x01\x00"),
    "extension of no bytes": with_field(b"\xc7\x00\x05"),
    "timestamp": with_field(b"\xd6\xff\x00\x00\x00\x00"),
    "timestamp of a wrong length": with_field(b"\xd5\xff\x00\x00"),
    "timestamp with too many nanoseconds": with_field(b"\xd7\xff" + b"\xff" * 8),
    "0xc1": with_field(b"\xc1"),
    "0xc1 alone": b"\xc1",
    "a byte after the map": b"\x81" + TYPE + b"\x00",
    "two maps": (b"\x81" + TYPE) * 2,
    "bad UTF-8": with_field(b"\xa1\xff"),
    "bad UTF-8 in a key": b"\x82" + TYPE + b"\xa1\xff\x01",
    "a surrogate in UTF-8": with_field(b"\xa3\xed\xa0\x80"),
    "deeper than allowed, in an unknown field": with_field(b"\x91" * codec.MAX_DEPTH + b"\x00"),
    "an array": b"\x91\xa4ping",
    "a number": b"\x00",
    "nil": b"\xc0",
    "a string": b"\xa4ping",
    "no type": b"\x80",
    "a type that is a number": b"\x81\xa4type\x01",
    "a type that is bytes": b"\x81\xa4type\xc4\x04ping",
    "a type that is nil": b"\x81\xa4type\xc0",
    "a type that is a map": b"\x81\xa4type\x80",
    "HTTP": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "too many values in one array": with_field(b"\xdd\x00\x00\x80\x00" + b"\x00" * 32_768),
    "too many values in many arrays": with_field(b"\xdc\x01\x00" + (b"\xdc\x00\x80" + b"\x00" * 128) * 256),
    "too many empty maps": with_field(b"\xdc\x7f\xff" + b"\x80" * 32_767),
    "too many maps in maps": with_field(b"\xdc\x40\x00" + b"\x81\xa1a\x80" * 16_384),
    "too many values in one map": with_field(
        b"\xde\x7f\xff" + b"".join(b"\xa4" + b"%04x" % number + b"\xc0" for number in range(32_767))
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_bodies_are_malformed(case: str) -> None:
    refused(WRONG[case])


@pytest.mark.parametrize("case", WRONG)
def test_wrong_bodies_cost_little_memory(case: str) -> None:
    """PR-19, PR-20: below 20 MB for the largest that can be sent; what is declared but not there costs nothing."""
    body = WRONG[case]
    tracemalloc.start()
    try:
        with pytest.raises(RemoteProtocolError):
            codec.unpack(body)
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
    if len(body) < 10_000:
        assert peak < 200_000


def test_the_empty_body_is_malformed() -> None:
    refused(b"")


def test_right_values_of_every_type() -> None:
    value = {
        "type": "x",
        "a": None,
        "b": [True, False, 0, -1, MAX_INTEGER, -MAX_INTEGER],
        "c": b"\xff\x00",
        "d": {"": "", "ä♛": []},
    }
    assert codec.unpack(msgpack.packb(value)) == value


def test_the_deepest_that_is_allowed() -> None:
    assert codec.unpack(with_field(b"\x91" * (codec.MAX_DEPTH - 2) + b"\x90"))["x"]
    refused(with_field(b"\x91" * (codec.MAX_DEPTH - 1) + b"\x90"))


def test_exactly_as_many_values_as_allowed() -> None:
    assert len(codec.unpack(with_field(b"\xdc\x00\x08" + b"\x00" * 8), 10)["x"]) == 8
    assert refused(with_field(b"\xdc\x00\x09" + b"\x00" * 9), 10)
    assert len(codec.unpack(with_field(b"\xdc\x00\x08" + b"\x80" * 8), 10)["x"]) == 8
    assert refused(with_field(b"\xdc\x00\x09" + b"\x80" * 9), 10)
    assert refused(with_field(b"\x93\x92\x00\x00\x92\x00\x00\x92\x00\x00"), 10)
    assert codec.unpack(with_field(b"\x92\x93\x00\x00\x00\x92\x00\x00"), 10)


SLOWEST: dict[str, tuple[bytes, int]] = {
    "client: empty maps": (with_field(b"\xdc\xff\xf0" + b"\x80" * 65_510), codec.MAX_VALUES_FROM_CLIENT),
    "client: as many maps as allowed": (with_field(b"\xdc\x0f\xf0" + b"\x80" * 0xFF0), codec.MAX_VALUES_FROM_CLIENT),
    "client: maps in maps": (with_field(b"\xdc\x3f\xf0" + b"\x81\xa1a\x80" * 0x3FF0), codec.MAX_VALUES_FROM_CLIENT),
    "client: numbers": (with_field(b"\xdc\xff\xf0" + b"\x01" * 65_520), codec.MAX_VALUES_FROM_CLIENT),
    "client: one string": (with_field(b"\xda\xff\xe0" + b"a" * 65_504), codec.MAX_VALUES_FROM_CLIENT),
    "server: empty maps": (with_field(b"\xdd\x00\x0f\xff\xe0" + b"\x80" * 0xFFFE0), codec.MAX_VALUES_FROM_SERVER),
    "server: as many maps as allowed": (with_field(b"\xdc\x7f\xf0" + b"\x80" * 0x7FF0), codec.MAX_VALUES_FROM_SERVER),
    "server: numbers": (with_field(b"\xdd\x00\x0f\xff\xe0" + b"\x01" * 0xFFFE0), codec.MAX_VALUES_FROM_SERVER),
    "server: arrays of arrays": (
        with_field(b"\xdc\x01\x00" + (b"\xdc\x0f\xf0" + b"\x90" * 0xFF0) * 256),
        codec.MAX_VALUES_FROM_SERVER,
    ),
    "server: floats": (with_field(b"\xdc\x7f\x00" + (b"\xcb" + b"\x00" * 8) * 0x7F00), codec.MAX_VALUES_FROM_SERVER),
}


def quickest(work: Callable[[], None]) -> float:
    """Processor seconds of the quickest of some runs."""

    def once() -> float:
        before = time.process_time()
        work()
        return time.process_time() - before

    return min(once() for _ in range(5))


def hundred_thousand_entries() -> None:
    """What work is measured by: some 30 ms on a common machine."""
    made = {}
    for number in range(100_000):
        made[number] = str(number)


@pytest.mark.parametrize("case", SLOWEST)
def test_no_body_of_a_legal_size_holds_up_the_server(case: str) -> None:
    """None costs more than three times what making a map of 100,000 entries does (the worst: as much)."""
    body, max_values = SLOWEST[case]

    def decode() -> None:
        with contextlib.suppress(RemoteProtocolError):
            codec.unpack(body, max_values)

    assert quickest(decode) < 3 * quickest(hundred_thousand_entries)


@pytest.mark.parametrize("body", [with_field(b"\xda\x27\x10" + b"a" * 10_000), with_field(b"\xda\x27\x10")])
def test_the_garbage_collector_is_left_as_it_was(body: bytes) -> None:
    for setting in (gc.enable, gc.disable):
        setting()
        try:
            taken_or_malformed(body)
            taken_or_malformed(WRONG["too many empty maps"])
            assert gc.isenabled() is (setting is gc.enable)
        finally:
            gc.enable()


@given(st.binary(max_size=200))
@example(b"\xc1")
def test_random_bytes_raise_nothing_else(body: bytes) -> None:
    assert taken_or_malformed(body)


BODIES = sorted(codec.pack(message) for message in samples.MESSAGES.values())


@given(st.sampled_from(BODIES), st.data())
@settings(max_examples=300)
def test_mutated_bodies_raise_nothing_else(body: bytes, data: st.DataObject) -> None:
    changed = bytearray(body)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(changed) - 1))
        changed[place : place + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=3))
        if not changed:
            changed += b"\x80"
    assert taken_or_malformed(bytes(changed))


_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=4).filter(lambda key: key != "type"), _values, max_size=4))
def test_whatever_the_protocol_allows_comes_back(value: dict[str, Any]) -> None:
    assert codec.unpack(msgpack.packb({"type": "x", **value})) == {"type": "x", **value}


@given(st.sampled_from(sorted(set(FROM_CLIENT) | set(FROM_SERVER), key=lambda kind: kind.__name__)), st.data())
@settings(max_examples=300)
def test_every_message_comes_back_as_it_was_sent(kind: type[msgspec.Struct], data: st.DataObject) -> None:
    message = data.draw(_instances(kind))
    found = codec.unpack(codec.pack(message))
    assert msgspec.convert(found, kind, strict=True, builtin_types=(bytes,)) == message


def _instances(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Messages with fields drawn from their types, bounds kept."""
    info = msgspec.inspect.type_info(kind)
    assert isinstance(info, msgspec.inspect.StructType)
    return st.fixed_dictionaries({field.name: _of(field.type) for field in info.fields}).map(
        lambda fields: kind(**fields)
    )


def _of(kind: msgspec.inspect.Type) -> st.SearchStrategy[Any]:
    match kind:
        case msgspec.inspect.Metadata(type=msgspec.inspect.BytesType(max_length=most), extra={"none_or_whole": True}):
            return st.just(b"") | st.binary(min_size=most or 0, max_size=most)
        case msgspec.inspect.Metadata(type=inner):
            return _of(inner)
        case msgspec.inspect.IntType(ge=low, le=high):
            return st.integers(low, high)
        case msgspec.inspect.StrType():
            return st.text(max_size=10)
        case msgspec.inspect.BytesType(min_length=low, max_length=high):
            return st.binary(min_size=low or 0, max_size=high)
        case msgspec.inspect.BoolType():
            return st.booleans()
        case msgspec.inspect.NoneType():
            return st.none()
        case msgspec.inspect.ListType(item_type=item, min_length=least):
            return st.lists(_of(item), min_size=least or 0, max_size=3)
        case msgspec.inspect.TupleType(item_types=items):
            return st.tuples(*map(_of, items))
        case msgspec.inspect.DictType():
            return st.dictionaries(st.text(max_size=4), _values, max_size=3)
        case msgspec.inspect.UnionType(types=choices):
            return st.one_of(*map(_of, choices))
        case msgspec.inspect.StructType(cls=cls):
            return _instances(cls)
    raise AssertionError(kind)


@given(_instances(GameUpdate))
def test_an_update_around_a_shared_public_part_has_the_same_bytes(update: GameUpdate) -> None:
    public = codec.encode_public(update.public)
    assert isinstance(update.public, PublicPart)
    spliced = codec.encode_update(
        table=update.table,
        match=update.match,
        seq=update.seq,
        public=public,
        own=update.own,
        own_events=update.own_events,
        decision=update.decision,
        clock=update.clock,
    )
    assert spliced == codec.encode(update)


@given(st.dictionaries(st.text(max_size=4), _values, max_size=3))
def test_values_are_counted_as_they_are_limited(fields: dict[str, Any]) -> None:
    body = msgpack.packb({"type": "x"} | fields)
    most = codec.count_values(codec.unpack(body)) - 1  # without the outer map
    codec.unpack(body, most)
    with pytest.raises(RemoteProtocolError):
        codec.unpack(body, most - 1)


@given(st.integers(1, MAX_REQUEST_ID), st.dictionaries(st.text(max_size=4), _values, max_size=3))
def test_an_answer_around_a_packed_result_has_the_same_bytes(re: int, result: dict[str, Any]) -> None:
    assert codec.pack_answer(re, codec.pack_result(result)) == codec.pack(Ok(re=re, result=result))


@pytest.mark.parametrize("value", [object(), 2**70, "\udcff"])
def test_what_msgpack_cannot_carry_is_our_own_error(value: object) -> None:
    with pytest.raises(LocalProtocolError):
        codec.pack(Ok(re=1, result={"x": value}))


def test_foreign_text_is_cut_and_made_printable_for_a_log() -> None:
    found = codec.printable("\x1b]0;x\x07\n\u202eé" + "z" * 10_000)
    assert found.isascii()
    assert found.isprintable()
    assert len(found) <= codec.MAX_DETAIL
