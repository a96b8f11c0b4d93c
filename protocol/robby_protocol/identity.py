"""Who is who: Ed25519 keys and the exact bytes that are signed. No storage, no network.

A payload is a list of fields, each with its length as 4 bytes big-endian before it. The first field is a tag of its
own, so no signature can be taken for one of another purpose. The digests are SHA-256 of the bodies (without the
length) of the `hello` and `greeting` frames as they were on the wire; so a proof holds for one connection, and whoever
alters a version, a method or an extension on the way breaks it. docs/protocol.md has a worked example.
"""

import hmac
import unicodedata
from hashlib import scrypt, sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

SERVER_PROOF_TAG = b"robby server proof 1"
LOGIN_PROOF_TAG = b"robby login proof 1"
PASSWORD_PROOF_TAG = b"robby password proof 1"
TABLE_PASSWORD_TAG = b"robby table password 1"
TABLE_PROOF_TAG = b"robby table proof 1"

KEY_SIZE = 32
"""Bytes of a private seed, of a public key, of a challenge and of a nonce."""
PROOF_SIZE = 64
"""Bytes of an Ed25519 signature."""

_SMALL_ORDER: frozenset[bytes] = frozenset(
    bytes.fromhex(point)[:31] + bytes([int(point[62:], 16) & 0x7F | sign])
    for sign in (0x00, 0x80)
    for point in (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    )
)
"""The points of order 1, 2, 4 and 8, with either sign: anybody can sign for these, so they identify nobody."""

_SCRYPT_N = 2**14  # about 50 ms and 16 MiB: once per login for a client, once per start for a server
_SCRYPT_R = 8
_SCRYPT_P = 1
_SCRYPT_MEMORY = 32 * 1024 * 1024


def fields(*parts: bytes) -> bytes:
    """Parts with their lengths before them, so that no two lists of parts give the same bytes."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def digest(body: bytes) -> bytes:
    """SHA-256 of a frame's body, 32 bytes."""
    return sha256(body).digest()


def server_proof_payload(
    *, hello_digest: bytes, nonce: bytes, server_id: bytes, challenge: bytes, version: tuple[int, int]
) -> bytes:
    """What the server signs to prove to this client, on this connection, that it owns its id."""
    numbers = (number.to_bytes(8, "big") for number in version)
    return fields(SERVER_PROOF_TAG, hello_digest, nonce, server_id, challenge, *numbers)


def login_proof_payload(
    *, hello_digest: bytes, greeting_digest: bytes, server_id: bytes, challenge: bytes, name: str, key: bytes
) -> bytes:
    """What a client signs to log in: bound to the server, the connection, the name and the key."""
    return fields(LOGIN_PROOF_TAG, hello_digest, greeting_digest, server_id, challenge, name.encode(), key)


def password_proof_payload(
    *, hello_digest: bytes, greeting_digest: bytes, server_id: bytes, challenge: bytes, name: str
) -> bytes:
    """What a client authenticates with the server's password, which itself is never sent."""
    return fields(PASSWORD_PROOF_TAG, hello_digest, greeting_digest, server_id, challenge, name.encode())


def table_password_payload(
    *, hello_digest: bytes, greeting_digest: bytes, server_id: bytes, challenge: bytes, table: str
) -> bytes:
    """What a client authenticates with a private table's password. table: its id as the server spells it."""
    return fields(TABLE_PROOF_TAG, hello_digest, greeting_digest, server_id, challenge, table.encode())


def new_key() -> bytes:
    """A new private seed, 32 bytes from the operating system's randomness."""
    return Ed25519PrivateKey.generate().private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())


def public_key(seed: bytes) -> bytes:
    """The public key, 32 bytes, of a private seed. Raises ValueError for a seed of another length."""
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def sign(seed: bytes, payload: bytes) -> bytes:
    """The 64-byte signature over a payload. Raises ValueError for a seed of another length."""
    return Ed25519PrivateKey.from_private_bytes(seed).sign(payload)


def verify(key: bytes, payload: bytes, proof: bytes) -> bool:
    """Whether `proof` is a signature over `payload` by the owner of the public `key`. Foreign bytes never raise."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(proof, payload)
    except (InvalidSignature, ValueError):
        return False
    return True


def is_public_key(key: bytes) -> bool:
    """Whether these bytes can be an Ed25519 public key that only its owner can sign for."""
    if len(key) != KEY_SIZE or key in _SMALL_ORDER:
        return False
    # y must be below p, else the same point has two encodings and so one person two keys.
    return int.from_bytes(key, "little") & (2**255 - 1) < 2**255 - 19


def password_key(password: str, server_id: bytes) -> bytes:
    """The 32-byte secret that both sides make of a password: scrypt (N 2^14, r 8, p 1) of its NFC form in UTF-8, salted
    with the server's id. Slow on purpose, so that what is sent gives little to guess from."""
    text = unicodedata.normalize("NFC", password).encode()
    return scrypt(text, salt=server_id, n=_SCRYPT_N, r=_SCRYPT_R, p=_SCRYPT_P, maxmem=_SCRYPT_MEMORY, dklen=KEY_SIZE)


def table_password_key(password: str, server_id: bytes) -> bytes:
    """The 32-byte secret of a private table's password: as `password_key`, salted so that the same word as the server's
    password gives another key. Whoever creates the table sends it; whoever joins proves to know it."""
    return password_key(password, table_password_salt(server_id))


def table_password_salt(server_id: bytes) -> bytes:
    """What tables' passwords on this server are salted with, 32 bytes."""
    return sha256(fields(TABLE_PASSWORD_TAG, server_id)).digest()


def password_proof(key: bytes, payload: bytes) -> bytes:
    """HMAC-SHA256 over a payload with the key from `password_key`, 32 bytes."""
    return hmac.digest(key, payload, sha256)


def same_secret(left: bytes, right: bytes) -> bool:
    """Compare two secrets in a time that tells nothing of where they differ."""
    return hmac.compare_digest(left, right)
