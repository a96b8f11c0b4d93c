"""Frames out of a stream: every split and merge, and lengths that cost nothing (PR-19)."""

import random
import time
import tracemalloc

import pytest

from robby_protocol.errors import FRAME_EMPTY, FRAME_TOO_LARGE, NOT_ROBBY, RemoteProtocolError
from robby_protocol.framing import FrameReader, add_header, foreign_protocol

BODIES = [b"a", b"bc" * 40, b"\x00\x00\x00\x01", b"d" * 300]
STREAM = b"".join(map(add_header, BODIES))


def bodies(reader: FrameReader) -> list[bytes]:
    found = []
    while (body := reader.next_body()) is not None:
        found.append(body)
    return found


def test_a_frame_is_its_length_and_its_body() -> None:
    assert add_header(b"xyz") == b"\x00\x00\x00\x03xyz"


def test_every_split_in_two_gives_the_same_bodies() -> None:
    for cut in range(len(STREAM) + 1):
        reader = FrameReader(300)
        reader.feed(STREAM[:cut])
        first = bodies(reader)
        reader.feed(STREAM[cut:])
        assert first + bodies(reader) == BODIES
        assert reader.held == 0


def test_byte_by_byte() -> None:
    reader = FrameReader(300)
    found = []
    for number in range(len(STREAM)):
        reader.feed(STREAM[number : number + 1])
        found += bodies(reader)
    assert found == BODIES


def test_fifty_frames_in_one_segment() -> None:
    sent = [random.Random(number).randbytes(number + 1) for number in range(50)]
    reader = FrameReader(50)
    reader.feed(b"".join(map(add_header, sent)))
    assert bodies(reader) == sent


def test_a_body_may_have_exactly_the_limit() -> None:
    reader = FrameReader(5)
    reader.feed(add_header(b"12345"))
    assert reader.next_body() == b"12345"
    reader.feed(add_header(b"123456"))
    with pytest.raises(RemoteProtocolError) as caught:
        reader.next_body()
    assert caught.value.code == FRAME_TOO_LARGE
    assert reader.held == 0


@pytest.mark.parametrize("length", [101, 2**16, 2**24, 2**31 - 1, 2**31, 2**32 - 1])
def test_a_length_over_the_limit_is_refused_from_its_four_bytes(length: int) -> None:
    reader = FrameReader(100)
    reader.feed(add_header(b"first"))
    assert reader.next_body() == b"first"
    reader.feed(length.to_bytes(4, "big")[:3])
    assert reader.next_body() is None
    reader.feed(length.to_bytes(4, "big")[3:])
    with pytest.raises(RemoteProtocolError) as caught:
        reader.next_body()
    assert caught.value.code == FRAME_TOO_LARGE


def test_length_zero() -> None:
    reader = FrameReader(100)
    reader.feed(b"\x00\x00\x00\x00")
    with pytest.raises(RemoteProtocolError) as caught:
        reader.next_body()
    assert caught.value.code == FRAME_EMPTY


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "text"),
        (b"POST /x HTTP/1.1\r\n", "text"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "text"),
        (b"HTTP/1.1 400 Bad Request\r\n", "text"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "text"),
        (b"\r\n\r\n", "text"),
        (b'{"type": "hello"}\n', "text"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "tls"),
        (b"\x15\x03\x01\x00\x02\x02\x0a", "tls"),
    ],
)
def test_another_protocol_in_the_first_bytes_is_named(head: bytes, what: str) -> None:
    reader = FrameReader(4096)
    reader.feed(head)
    with pytest.raises(RemoteProtocolError) as caught:
        reader.next_body()
    assert (caught.value.code, caught.value.detail) == (NOT_ROBBY, what)


def test_no_allowed_length_looks_like_another_protocol() -> None:
    for length in (*range(1, 70_000), 2**20):
        assert foreign_protocol(length.to_bytes(4, "big")) is None


def test_binary_noise_is_a_length_and_nothing_else() -> None:
    reader = FrameReader(4096)
    reader.feed(b"\xde\xad\xbe\xef")
    with pytest.raises(RemoteProtocolError) as caught:
        reader.next_body()
    assert caught.value.code == FRAME_TOO_LARGE


def test_text_after_the_first_frame_is_only_a_wrong_length() -> None:
    reader = FrameReader(4096)
    reader.feed(add_header(b"x") + b"GET / HTTP/1.1")
    assert reader.next_body() == b"x"
    with pytest.raises(RemoteProtocolError) as caught:
        reader.next_body()
    assert caught.value.code == FRAME_TOO_LARGE


def test_a_declared_length_reserves_nothing() -> None:
    tracemalloc.start()
    try:
        readers = [FrameReader(2**20) for _ in range(100)]
        for reader in readers:
            reader.feed((2**20).to_bytes(4, "big") + b"x")
            assert reader.next_body() is None
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200_000


def test_many_small_frames_in_one_piece_take_time_in_proportion() -> None:
    """Taking frames off the front must not move the rest each time: 20,000 frames would then move 2 GB."""
    sent = [b"x" * 6] * 20_000
    reader = FrameReader(100)
    reader.feed(b"".join(map(add_header, sent)))
    before = time.process_time()
    assert bodies(reader) == sent
    assert time.process_time() - before < 2.0


def test_the_largest_frame_byte_by_byte() -> None:
    reader = FrameReader(2**16)
    found = []
    before = time.process_time()
    for byte in add_header(bytes(2**16)):
        reader.feed(bytes((byte,)))
        found += bodies(reader)
    assert time.process_time() - before < 2.0
    assert found == [bytes(2**16)]
    assert reader.held == 0
