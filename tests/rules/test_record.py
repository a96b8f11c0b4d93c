"""Records: their bytes, and that everything that was changed is found by the check that is there for it."""

import random
import re
import struct
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgpack  # type: ignore[import-untyped]
import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from robby_protocol import fair, identity
from robby_rules import record_check
from robby_rules.entries import Act, Deal, Expire, encode_entry
from robby_rules.interface import Result
from robby_rules.match import Match
from robby_rules.record import (
    BROKEN_OFF,
    CUT,
    DAMAGED,
    HEAD_BYTES,
    MAGIC,
    MAX_RECORD_BYTES,
    NEWER,
    NOT_A_RECORD,
    RECORD_VERSION,
    TOO_LONG,
    Record,
    RecordError,
    decode_record,
    encode_record,
    reader_hash,
    readers_of,
)
from robby_rules.record_check import CHECKS, examine, scores
from tests.rules.record_kit import Played, cheated, file_of, play, record_of, sign

PLAYED = play(max_rounds=2)
FILE = file_of(PLAYED)
BROKEN = play("K7QF2M9X-2", steps=9)


def failed(data: bytes) -> list[str]:
    return [check.name for check in examine(data).checks if check.state == "failed"]


def refused(data: bytes) -> str:
    with pytest.raises(RecordError) as caught:
        decode_record(data)
    return caught.value.code


def test_a_record_survives_its_bytes() -> None:
    assert decode_record(FILE) == (record_of(PLAYED), True)
    assert encode_record(decode_record(FILE)[0], sign) == FILE


def test_a_record_can_be_read_from_its_description_alone() -> None:
    """With nothing of ours: big-endian numbers, msgpack, a standard Ed25519."""
    assert FILE[:8] == bytes.fromhex("93") + b"robby\r\n"
    version, length = struct.unpack(">II", FILE[8:16])
    assert (version, len(FILE)) == (1, 16 + length + 64)
    found = msgpack.unpackb(FILE[16 : 16 + length])
    signed = FILE[: 16 + length]
    payload = b"".join(struct.pack(">I", len(part)) + part for part in (b"robby record 1", signed))
    Ed25519PublicKey.from_public_bytes(found["server_id"]).verify(FILE[16 + length :], payload)
    assert found["seats"][0] == {"name": "Ana", "kind": "person", "bot": None}
    version, start = msgpack.unpackb(found["entries"][0])
    assert (version, start["type"], start["match"]) == (1, "start", found["match"])


def test_the_page_names_every_field() -> None:
    page = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
    for field in Record.__struct_fields__:
        assert re.search(rf"^\| `{field}` \|", page, re.MULTILINE), field
    for check in CHECKS:
        assert f"`{check}`" in page, check


@pytest.mark.parametrize("played", [PLAYED, BROKEN, play(fairly=False, max_rounds=1), play(seats=5, junior=True)])
def test_a_true_record_holds(played: Played) -> None:
    examined = examine(file_of(played))
    assert examined.holds
    dealt = "ok" if examined.record.deal is not None else "absent"
    states = {check.name: check.state for check in examined.checks}
    assert states == dict.fromkeys(CHECKS, "ok") | dict.fromkeys(("commitment", "nonces", "seed"), dealt)
    assert examined.match is not None
    assert (examined.match.result() is None) == (examined.record.ending == BROKEN_OFF)


def test_one_changed_byte_anywhere_is_found() -> None:
    small = file_of(play(steps=3))
    rng = random.Random(5)
    for place in range(len(small)):
        data = bytearray(small)
        data[place] ^= rng.randrange(1, 256)
        try:
            assert not examine(bytes(data)).holds, place
        except RecordError:
            continue


@given(st.data())
def test_several_changed_bytes_are_found(data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(FILE) - 1), min_size=1, max_size=4, unique=True))
    changed = bytearray(FILE)
    for place in places:
        changed[place] ^= data.draw(st.integers(1, 255))
    try:
        assert not examine(bytes(changed)).holds
    except RecordError:
        return


def test_a_record_cut_anywhere_or_with_more_behind_it_is_refused() -> None:
    for end in [*range(1, 200), *range(200, len(FILE), 97), len(FILE) - 1]:
        assert refused(FILE[:end]) == CUT
    assert refused(FILE + b"\0") == DAMAGED


def body(data: bytes) -> bytes:
    return MAGIC + RECORD_VERSION.to_bytes(4, "big") + len(data).to_bytes(4, "big") + data + bytes(64)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", NOT_A_RECORD),
        (b"GIF89a" * 50, NOT_A_RECORD),
        (bytes(500), NOT_A_RECORD),
        (FILE.replace(b"\r\n", b"\n", 1), NOT_A_RECORD),
        (MAGIC, CUT),
        (MAGIC + (2).to_bytes(4, "big") + FILE[12:], NEWER),
        (MAGIC + bytes(4) + FILE[12:], DAMAGED),
        (bytes(MAX_RECORD_BYTES + 1), TOO_LONG),
        (body(b""), DAMAGED),
        (body(b"\x80"), DAMAGED),
        (body(b"\x91" * 50_000), DAMAGED),
        (body(b"\xdd\xff\xff\xff\xff"), DAMAGED),
        (body(b"\xdf\xff\xff\xff\xff"), DAMAGED),
        (body(msgspec.msgpack.encode({"match": "\ud800".encode(errors="surrogatepass")})), DAMAGED),
        (body(msgspec.msgpack.encode({**msgspec.to_builtins(record_of(PLAYED)), "more": 1})), DAMAGED),
        (body(FILE[HEAD_BYTES:-64] + b"\0"), DAMAGED),
    ],
)
def test_bytes_that_are_no_record_are_refused(data: bytes, code: str) -> None:
    assert refused(data) == code


@given(st.binary(max_size=300))
def test_any_body_is_read_or_refused(data: bytes) -> None:
    with pytest.raises(RecordError):
        decode_record(body(data))


def test_a_record_too_long_to_be_read_is_not_written() -> None:
    with pytest.raises(RecordError) as caught:
        encode_record(record_of(PLAYED, entries=(bytes(MAX_RECORD_BYTES),)), sign)
    assert caught.value.code == TOO_LONG


def test_another_servers_signature_does_not_count() -> None:
    other = encode_record(record_of(PLAYED), lambda payload: identity.sign(bytes(32), payload))
    assert failed(other) == ["signature"]


def deal_with(**changes: Any) -> dict[str, Any]:
    deal = record_of(PLAYED).deal
    assert deal is not None
    return {"deal": msgspec.structs.replace(deal, **changes)}


def entries_with(change: Callable[[list[Any]], None]) -> dict[str, Any]:
    entries = list(PLAYED.entries)
    change(entries)
    return {"entries": tuple(encode_entry(entry) for entry in entries)}


def drop(index: int) -> Callable[[list[Any]], None]:
    return lambda entries: entries.pop(index)


def insert(index: int, entry: Any) -> Callable[[list[Any]], None]:
    return lambda entries: entries.insert(index, entry)


SEATS = record_of(PLAYED).seats


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"match": "K7QF2M9X-2"}, ["journal", "commitment"]),
        ({"game": "poker"}, ["journal"]),
        ({"rules_version": 2}, ["journal"]),
        ({"options": {}}, ["journal"]),
        ({"seats": SEATS[:2]}, ["journal", "nonces"]),
        ({"began": 5}, ["journal"]),
        ({"deal": None}, ["journal"]),
        ({"entries": (b"",)}, ["journal"]),
        ({"entries": record_of(PLAYED).entries[1:]}, ["journal"]),
        (deal_with(commitment=bytes(32)), ["commitment"]),
        (deal_with(secret=bytes(32)), ["journal", "commitment"]),
        (deal_with(nonces=(b"",) * 3), ["journal", "nonces"]),
        (deal_with(nonces=(*PLAYED.nonces[:2], bytes(32))), ["journal", "nonces"]),
        (deal_with(commitments=(b"",) * 3), ["journal", "nonces"]),
        (entries_with(drop(-1)), ["ending", "events", "results"]),
        (entries_with(drop(1)), ["rules"]),
        (entries_with(insert(1, Act(0, 99, {"type": "confirm"}, 1))), ["rules"]),
        (entries_with(insert(1, Expire(1))), ["rules"]),
        (entries_with(insert(3, PLAYED.entries[0])), ["rules"]),
        ({"ending": BROKEN_OFF}, ["ending"]),
        ({"ending": "won"}, ["ending"]),
        ({"events": 1}, ["events"]),
        ({"events_digest": bytes(32)}, ["events"]),
        ({"results": cheated(record_of(PLAYED).results)}, ["results"]),
        ({"results": ()}, ["results"]),
        ({"seats": (*SEATS[1:], SEATS[0])}, ["results"]),
    ],
)
def test_what_was_changed_is_found_also_under_a_true_signature(changes: dict[str, Any], names: list[str]) -> None:
    examined = examine(file_of(PLAYED, **changes))
    assert [check.name for check in examined.checks if check.state == "failed"] == names
    assert not examined.holds
    assert all(check.detail for check in examined.checks if check.state == "failed")


def test_a_seed_that_does_not_follow_from_the_deal_is_found() -> None:
    """A server that has dealt as it liked, and writes everything else down truly."""
    honest = PLAYED.match.start_entry
    assert honest.deal is not None
    match = Match.start(honest.match, honest.game, {}, honest.seats, bytes(32), deal=honest.deal)
    dealt = Played(match, (match.start_entry,), PLAYED.nonces, PLAYED.secret)
    assert failed(file_of(dealt)) == ["seed"]


def test_a_nonce_that_was_not_committed_to_is_found() -> None:
    """A server that has put another nonce in the place of a player's, and made everything fit."""
    honest = PLAYED.match.start_entry
    assert honest.deal is not None
    nonces = (bytes(32), *honest.deal.nonces[1:])
    deal = Deal(honest.deal.secret, honest.deal.commitments, nonces)
    seed = fair.seed(honest.match, deal.secret, nonces)
    match = Match.start(honest.match, honest.game, {}, honest.seats, seed, deal=deal)
    assert failed(file_of(Played(match, (match.start_entry,), nonces, deal.secret))) == ["nonces"]


def test_a_check_whose_ground_has_failed_is_not_made() -> None:
    states = {check.name: check.state for check in examine(file_of(PLAYED, entries=(b"",))).checks}
    assert states["journal"] == "failed"
    assert {states[name] for name in ("seed", "rules", "ending", "events", "results")} == {"unchecked"}


def test_readers_are_known_by_their_hashes_alone() -> None:
    assert reader_hash("m", "a") != reader_hash("m", "b") != reader_hash("n", "b")
    assert readers_of("m", ["b", "a"]) == readers_of("m", ["a", "b"])
    assert record_check.CHECKS[0] == "signature"


def _changed(value: Any, data: st.DataObject) -> Any:
    """The value with one thing somewhere in it put in another's place."""
    anything = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**64 - 1),
        st.text(max_size=5),
        st.binary(max_size=40),
        st.just([]),
        st.just({}),
    )
    if isinstance(value, dict) and value and data.draw(st.integers(0, 9)):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: _changed(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.integers(0, 9)):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], _changed(value[place], data), *value[place + 1 :]]
    return data.draw(anything)


@given(st.data())
def test_whatever_a_stranger_signs_is_judged_and_never_an_error(data: st.DataObject) -> None:
    """A record that somebody made up, under a key of their own, with journals and all."""
    found = msgpack.unpackb(FILE[HEAD_BYTES:-64])
    if data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(found["entries"]) - 1))
        entry = _changed(msgpack.unpackb(found["entries"][place]), data)
        found["entries"][place] = msgpack.packb(entry)
    else:
        found = _changed(found, data)
    packed = msgpack.packb(found)
    head = MAGIC + RECORD_VERSION.to_bytes(4, "big") + len(packed).to_bytes(4, "big") + packed
    signature = sign(b"".join(struct.pack(">I", len(part)) + part for part in (b"robby record 1", head)))
    try:
        examined = examine(head + signature)
    except RecordError:
        return
    assert len(examined.checks) == len(CHECKS)


def test_who_wins_comes_first_whatever_the_others_have() -> None:
    """A Wild Wild Pattern wins with less money than others; a participant without a seat has its own name."""
    results = (Result(0, 9, False), Result(1, 2, True), Result(None, 5, False, "Junior"), Result(2, 9, False))
    match: Any = SimpleNamespace(result=lambda: results)
    lines = scores(match, ("Ana", "Ben", "Cleo"))
    assert [(line.name, line.seat, line.score) for line in lines] == [
        ("Ben", 1, 2),
        ("Ana", 0, 9),
        ("Cleo", 2, 9),
        ("Junior", None, 5),
    ]
