"""docs/protocol.md says what the code does: fields, types, defaults, codes, limits, and the bytes of its examples."""

import hashlib
import hmac
import re
import struct

import msgpack  # type: ignore[import-untyped]
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from robby_games.registry import GAMES
from robby_protocol import errors, identity, schema
from tests.protocol import page

TEXT = page.PAGE.read_text(encoding="utf-8")


def test_the_generated_parts_are_up_to_date() -> None:
    """If not: `python -m tests.protocol.page`, then write what it could not know."""
    assert page.rewritten(TEXT) == TEXT


def test_the_page_has_every_part_once() -> None:
    found = page.parts(TEXT)
    assert sorted(found) == sorted(page.expected_parts())


def test_nothing_is_left_to_be_written() -> None:
    assert page.MISSING not in TEXT


def test_every_message_and_code_has_its_place() -> None:
    wire = schema.schema(GAMES.values())
    for name in (*wire["messages"], *errors.CODES, *wire["games"]):
        assert f"`{name}`" in TEXT, name
    for name in wire["messages"]:
        assert re.search(rf"^#+ .*`{re.escape(name)}`", TEXT, re.MULTILINE), f"no heading for {name}"


def test_a_new_field_is_asked_for() -> None:
    old = "| field | type | default | meaning |\n|---|---|---|---|\n| `n` | int | required | kept |\n"
    assert page.MISSING in page.part("fields:messages/ping/fields", "")
    assert "| `n` | int 0..2^53-1 | required | kept |" in page.part("fields:messages/ping/fields", old)


def dumped(label: str) -> bytes:
    """The bytes of a dump in the page, by its first line."""
    found = re.search(rf"^{re.escape(label)}.*\n((?:  [0-9a-f]{{2}} .*\n)+)", TEXT, re.MULTILINE)
    assert found is not None, label
    return b"".join(bytes.fromhex(line[2:49]) for line in found[1].splitlines())


def test_the_frames_in_the_page_are_frames() -> None:
    for label in ("client: hello", "server: greeting", "client: login", "server: welcome", "client: lobby.list"):
        frame = dumped(label)
        assert int.from_bytes(frame[:4], "big") == len(frame) - 4
        assert msgpack.unpackb(frame[4:])["type"] == label.split()[1]


def test_the_proofs_in_the_page_hold() -> None:
    """Checked as somebody with the page alone would, by the hexadecimal that is printed there."""
    greeting = msgpack.unpackb(dumped("server: greeting")[4:])
    login = msgpack.unpackb(dumped("client: login")[4:])
    assert identity.verify(greeting["server_id"], dumped("server proof payload"), greeting["proof"])
    assert identity.verify(login["key"], dumped("login proof payload"), login["proof"])
    key = identity.password_key(page.PASSWORD, greeting["server_id"])
    assert key == dumped("password key")
    assert identity.password_proof(key, dumped("password proof payload")) == login["password_proof"]


def test_the_proofs_in_the_page_can_be_made_from_its_words_alone() -> None:
    """With nothing of ours: the payloads' description, SHA-256, HMAC, scrypt and a standard Ed25519."""

    hello, greeting, login = (dumped(frame)[4:] for frame in ("client: hello", "server: greeting", "client: login"))
    h, g = hashlib.sha256(hello).digest(), hashlib.sha256(greeting).digest()
    said, asked, answered = map(msgpack.unpackb, (hello, greeting, login))
    server_id, challenge = asked["server_id"], asked["challenge"]
    major, minor = (struct.pack(">Q", number) for number in asked["version"])
    Ed25519PublicKey.from_public_bytes(server_id).verify(
        asked["proof"],
        fields(b"robby server proof 1", h, said["nonce"], server_id, challenge, major, minor),
    )
    name = answered["name"].encode()
    Ed25519PublicKey.from_public_bytes(answered["key"]).verify(
        answered["proof"], fields(b"robby login proof 1", h, g, server_id, challenge, name, answered["key"])
    )
    key = hashlib.scrypt(b"open sesame", salt=server_id, n=16384, r=8, p=1, dklen=32)
    proof = hmac.digest(key, fields(b"robby password proof 1", h, g, server_id, challenge, name), "sha256")
    assert proof == answered["password_proof"]


def fields(*parts: bytes) -> bytes:
    """The page's payloads, written with nothing of ours."""
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def test_a_tables_password_can_be_proven_from_the_pages_words_alone() -> None:
    hello, greeting = (dumped(frame)[4:] for frame in ("client: hello", "server: greeting"))
    h, g = hashlib.sha256(hello).digest(), hashlib.sha256(greeting).digest()
    asked = msgpack.unpackb(greeting)
    salt = hashlib.sha256(fields(b"robby table password 1", asked["server_id"])).digest()
    key = hashlib.scrypt(b"friday", salt=salt, n=16384, r=8, p=1, dklen=32)
    assert key == dumped("table password key")
    payload = fields(b"robby table proof 1", h, g, asked["server_id"], asked["challenge"], b"K7QF2M9X")
    assert payload == dumped("table proof payload")
    assert hmac.digest(key, payload, "sha256") == dumped("table proof (")


def test_a_deal_can_be_checked_from_the_pages_words_alone() -> None:
    match, secret = b"K7QF2M9X-1", dumped("server's secret")
    first, third = dumped("nonce of seat 0"), dumped("nonce of seat 2")
    assert hashlib.sha256(fields(b"robby deal server 1", match, secret)).digest() == dumped("server's commitment")
    assert hashlib.sha256(fields(b"robby deal seat 1", first)).digest() == dumped("commitment of seat 0")
    assert hashlib.sha256(fields(b"robby deal seat 1", third)).digest() == dumped("commitment of seat 2")
    hashed = fields(b"robby deal seed 1", match, secret, first, b"", third)
    assert hashed == dumped("what the seed is the hash of")
    assert hashlib.sha256(hashed).digest() == dumped("seed (")


def test_code_blocks_are_closed() -> None:
    assert TEXT.count("```") % 2 == 0
