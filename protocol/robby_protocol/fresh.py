"""Secrets that nobody can guess; apart from the hashes made of them, which the rules use, that know no chance."""

import secrets

from robby_protocol.fair import SECRET_BYTES


def new_secret() -> bytes:
    """32 bytes from the operating system's randomness: for the fair deal, a server's secret or a client's nonce."""
    return secrets.token_bytes(SECRET_BYTES)
