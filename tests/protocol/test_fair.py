"""The fair deal's arithmetic, against numbers made with nothing but SHA-256 and lengths."""

import hashlib
import struct
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest

from robby_protocol import fair
from robby_protocol.fresh import new_secret

SECRET = bytes(range(32))
NONCE = bytes(range(32, 64))


def hashed(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(struct.pack(">I", len(part)) + part for part in parts)).digest()


def test_commitments_and_seed() -> None:
    assert fair.server_commitment("T-1", SECRET) == hashed(b"robby deal server 1", b"T-1", SECRET)
    assert fair.seat_commitment(NONCE) == hashed(b"robby deal seat 1", NONCE)
    assert fair.seed("T-1", SECRET, [NONCE, b""]) == hashed(b"robby deal seed 1", b"T-1", SECRET, NONCE, b"")


def test_the_seed_hangs_on_everything() -> None:
    base = fair.seed("T-1", SECRET, [NONCE, b""])
    others = [
        fair.seed("T-2", SECRET, [NONCE, b""]),
        fair.seed("T-1", NONCE, [NONCE, b""]),
        fair.seed("T-1", SECRET, [b"", NONCE]),
        fair.seed("T-1", SECRET, [NONCE]),
        fair.seed("T-1", SECRET, [NONCE, b"", b""]),
        fair.seed("T-1", SECRET, [bytes([NONCE[0] ^ 1]) + NONCE[1:], b""]),
    ]
    assert len({base, *others}) == 1 + len(others)


def test_secrets_are_new() -> None:
    assert len({new_secret() for _ in range(100)}) == 100
    assert len(new_secret()) == fair.SECRET_BYTES


EVENTS: list[dict[str, Any]] = [{"type": "laid", "seat": 1}, {"type": "x", "b": [{"z": 1, "a": None}], "a": True}]


def test_the_digest_of_events_does_not_hang_on_the_order_of_keys() -> None:
    turned = [{"seat": 1, "type": "laid"}, {"a": True, "b": [{"a": None, "z": 1}], "type": "x"}]
    assert fair.events_digest(EVENTS) == fair.events_digest(turned)
    packed = msgpack.packb({"seat": 1, "type": "laid"}) + msgpack.packb(
        {"a": True, "b": [{"a": None, "z": 1}], "type": "x"}
    )
    assert fair.events_digest(EVENTS) == hashlib.sha256(packed).digest()


@pytest.mark.parametrize(
    "other",
    [
        EVENTS[:1],
        EVENTS[::-1],
        [EVENTS[0], {**EVENTS[1], "a": False}],
        [EVENTS[0], {**EVENTS[1], "c": 0}],
        [{"type": "laid", "seat": 2}, EVENTS[1]],
    ],
)
def test_the_digest_of_events_hangs_on_everything_else(other: list[dict[str, Any]]) -> None:
    assert fair.events_digest(other) != fair.events_digest(EVENTS)


def test_the_digest_counts() -> None:
    digest = fair.EventsDigest()
    assert digest.digest() == hashlib.sha256().digest()
    for event in EVENTS:
        digest.add(event)
    assert (digest.count, digest.digest()) == (2, fair.events_digest(EVENTS))
