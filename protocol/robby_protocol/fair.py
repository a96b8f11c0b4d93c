"""The fair deal's arithmetic: what commits whom to what, the seed that follows from everything, and what was told.

All hashes are SHA-256. Those of the deal are over fields with their lengths before them (`identity.fields`), the first
a tag of its own. docs/protocol.md has a worked example.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgpack  # type: ignore[import-untyped]

from robby_protocol.identity import fields

SERVER_TAG = b"robby deal server 1"
SEAT_TAG = b"robby deal seat 1"
SEED_TAG = b"robby deal seed 1"

SECRET_BYTES = 32
"""Of the server's secret, of a seat's nonce, of a commitment and of the seed."""


def server_commitment(match: str, secret: bytes) -> bytes:
    """What commits the server to its secret for this match, 32 bytes."""
    return sha256(fields(SERVER_TAG, match.encode(), secret)).digest()


def seat_commitment(nonce: bytes) -> bytes:
    """What commits a client to its nonce, 32 bytes."""
    return sha256(fields(SEAT_TAG, nonce)).digest()


def seed(match: str, secret: bytes, nonces: Sequence[bytes]) -> bytes:
    """The match's seed, 32 bytes. nonces: by seat; empty for a seat that did not commit."""
    return sha256(seed_payload(match, secret, nonces)).digest()


def seed_payload(match: str, secret: bytes, nonces: Sequence[bytes]) -> bytes:
    """What the seed is the hash of."""
    return fields(SEED_TAG, match.encode(), secret, *nonces)


class EventsDigest:
    """SHA-256 over a match's public events, as they are told one after the other. count: how many there have been.

    Each event is taken as canonical msgpack: every map with its keys sorted by their UTF-8 bytes, everything in its
    shortest form. So it does not matter in which order the fields of a map came, nor whether the receiver knows them.
    """

    def __init__(self) -> None:
        self.count = 0
        self._hash = sha256()

    def add(self, event: Mapping[str, Any]) -> None:
        """The next public event, as the plain map that travels."""
        self.count += 1
        self._hash.update(canonical(event))

    def digest(self) -> bytes:
        """Of all events so far, 32 bytes."""
        return self._hash.digest()


def events_digest(events: Iterable[Mapping[str, Any]]) -> bytes:
    """The digest of these public events, 32 bytes. See `EventsDigest`."""
    found = EventsDigest()
    for event in events:
        found.add(event)
    return found.digest()


def canonical(value: Any) -> bytes:
    """Plain values as the one msgpack that everybody writes alike: keys sorted, shortest forms."""
    packed: bytes = msgpack.packb(_sorted(value))
    return packed


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value, key=lambda key: str(key).encode())}
    if isinstance(value, (list, tuple)):
        return [_sorted(one) for one in value]
    return value
