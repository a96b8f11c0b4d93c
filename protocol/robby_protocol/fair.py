"""The fair deal's arithmetic: what commits whom to what, and the seed that follows from everything. No state.

All hashes are SHA-256 over fields with their lengths before them (`identity.fields`), the first a tag of its own.
"""

import secrets
from collections.abc import Sequence
from hashlib import sha256

from robby_protocol.identity import fields

SERVER_TAG = b"robby deal server 1"
SEAT_TAG = b"robby deal seat 1"
SEED_TAG = b"robby deal seed 1"

SECRET_BYTES = 32
"""Of the server's secret, of a seat's nonce, of a commitment and of the seed."""


def new_secret() -> bytes:
    """32 bytes from the operating system's randomness: a server's secret or a client's nonce."""
    return secrets.token_bytes(SECRET_BYTES)


def server_commitment(match: str, secret: bytes) -> bytes:
    """What commits the server to its secret for this match, 32 bytes."""
    return sha256(fields(SERVER_TAG, match.encode(), secret)).digest()


def seat_commitment(nonce: bytes) -> bytes:
    """What commits a client to its nonce, 32 bytes."""
    return sha256(fields(SEAT_TAG, nonce)).digest()


def seed(match: str, secret: bytes, nonces: Sequence[bytes]) -> bytes:
    """The match's seed, 32 bytes. nonces: by seat; empty for a seat that did not commit."""
    return sha256(fields(SEED_TAG, match.encode(), secret, *nonces)).digest()
