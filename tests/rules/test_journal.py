"""The journal: entries to bytes and back, strictly; and the match from them again."""

import random
from pathlib import Path
from subprocess import run
from sys import executable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robby_games.robby_solo import Lay
from robby_rules import journal
from robby_rules.interface import Stamp
from robby_rules.journal import (
    JOURNAL_VERSION,
    Act,
    Deal,
    Entry,
    EntryFormatError,
    Expire,
    JournalError,
    Presence,
    ReplayError,
    RulesVersionError,
    Start,
    UnplayableGameError,
    decode_entry,
    encode_entry,
    replay,
)
from robby_rules.match import Match
from tests.rules.kit import answer, do, random_match, start

ENTRIES: list[Entry] = [
    Start("m1", "robby-solo", 1, {"junior": True}, 4, bytes(range(32))),
    Start(
        "m1",
        "robby-solo",
        1,
        {},
        2,
        bytes(32),
        Deal(bytes(32), (bytes(range(32)), b""), (b"\xff" * 32, b"")),
        1_800_000_000,
    ),
    Act(2, 7, {"type": "lay", "bank": 3}, 12_345, 20, 150),
    Expire(45_000),
    Presence(0, True, 99),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: type(entry).__name__)
def test_an_entry_survives_its_bytes(entry: Entry) -> None:
    data = encode_entry(entry)
    assert isinstance(data, bytes)
    assert decode_entry(data) == entry
    assert encode_entry(decode_entry(data)) == data


def test_the_bytes_of_entries_stay_as_they_are() -> None:
    """Written journals must stay readable: a change here asks for a new JOURNAL_VERSION and a way to read the old."""
    assert JOURNAL_VERSION == 1
    assert encode_entry(Expire(45_000)).hex() == "920182a474797065a6657870697265a26174cdafc8"
    assert encode_entry(Presence(0, True, 99)).hex() == (
        "920184a474797065a870726573656e6365a47365617400a6616273656e74c3a2617463"
    )
    assert encode_entry(Act(2, 7, {"type": "lay", "bank": 3}, 500, 20, 30)).hex() == (
        "920187a474797065a3616374a47365617402a86465636973696f6e07a6616374696f6e"
        "82a474797065a36c6179a462616e6b03a26174cd01f4a663726564697414a5726976616c1e"
    )
    before_races = (
        "920186a474797065a3616374a47365617402a86465636973696f6e07a6616374696f6e"
        "82a474797065a36c6179a462616e6b03a26174cd01f4a663726564697414"
    )
    assert decode_entry(bytes.fromhex(before_races)) == Act(2, 7, {"type": "lay", "bank": 3}, 500, 20)


def test_no_entry_shows_its_secrets_where_it_is_printed() -> None:
    secret = bytes(range(65, 97))
    deal = Deal(secret, (secret,), (secret,))
    for shown in (repr(deal), repr(Start("m", "robby-solo", 1, {}, 1, secret, deal)), f"{[deal]}"):
        assert secret.decode()[:4] not in shown


@given(
    seat=st.integers(0, 63),
    decision=st.integers(1, 2**53),
    at=st.integers(0, 2**53),
    credit=st.integers(0, 1000),
    rival=st.integers(0, 1000),
)
def test_any_act_survives_its_bytes(seat: int, decision: int, at: int, credit: int, rival: int) -> None:
    entry = Act(seat, decision, {"type": "confirm"}, at, credit, rival)
    assert decode_entry(encode_entry(entry)) == entry


def pack(*parts: Any) -> bytes:
    return msgspec.msgpack.encode(parts)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x91" * 5_000,
        pack(),
        pack(1),
        pack(2, {"type": "expire", "at": 1}),
        pack("1", {"type": "expire", "at": 1}),
        pack(1, {"type": "expire", "at": 1}, 3),
        pack(1, {"type": "expire", "at": -1}),
        pack(1, {"type": "expire", "at": "1"}),
        pack(1, {"type": "expire", "at": 1.5}),
        pack(1, {"type": "expire", "at": True}),
        pack(1, {"type": "expire"}),
        pack(1, {"type": "expire", "at": 1, "more": 2}),
        pack(1, {"type": "vanish", "at": 1}),
        pack(1, {"at": 1}),
        pack(1, {"type": "presence", "seat": 0, "absent": 1, "at": 1}),
        pack(1, {"type": "act", "seat": 0, "decision": 0, "action": {}, "at": 1}),
        encode_entry(Start("m", "robby-solo", 1, {}, 4, bytes(32))).replace(b"\xc4\x20", b"\xc4\x1f")[:-1],
    ],
)
def test_bytes_that_are_no_entry_are_refused(data: bytes) -> None:
    with pytest.raises(EntryFormatError):
        decode_entry(data)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: type(entry).__name__)
def test_an_entry_cut_anywhere_or_with_more_behind_it_is_refused(entry: Entry) -> None:
    data = encode_entry(entry)
    for end in range(len(data)):
        with pytest.raises(EntryFormatError):
            decode_entry(data[:end])
    with pytest.raises(EntryFormatError):
        decode_entry(data + b"\x00")


@given(st.binary(max_size=80))
def test_random_bytes_never_do_anything_but_refuse(data: bytes) -> None:
    try:
        entry = decode_entry(data)
    except EntryFormatError:
        return
    assert decode_entry(encode_entry(entry)) == entry


# Replay.


def started() -> Start:
    return start(4).start_entry


def test_a_repeat_is_known_after_a_replay() -> None:
    match = start(4)
    entries: list[Entry] = [match.start_entry]
    gentleman = match.pending()[0]
    entries.append(answer(match, gentleman).entry)
    other = (gentleman + 1) % 4
    entries.append(answer(match, other, Lay(2), at=5).entry)
    again = replay(entries)
    assert again.submit(other, 2, {"type": "lay", "bank": 2}, Stamp(9)) is None
    assert again.submit(gentleman, 1, {"type": "supply", "side": "left"}, Stamp(9)) is None


def test_an_empty_journal_is_refused() -> None:
    with pytest.raises(ReplayError):
        replay([])


def test_a_journal_must_begin_with_its_start_and_have_no_other() -> None:
    with pytest.raises(ReplayError) as refused:
        replay([Expire(10_000)])
    assert refused.value.index == 0
    with pytest.raises(ReplayError) as refused:
        replay([started(), started()])
    assert refused.value.index == 1


def test_an_unknown_game_is_refused_by_name() -> None:
    entry = msgspec.structs.replace(started(), game="poker")
    with pytest.raises(UnplayableGameError) as refused:
        replay([entry])
    assert "poker" in refused.value.reason


def test_another_version_of_the_rules_is_refused() -> None:
    entry = msgspec.structs.replace(started(), rules_version=2)
    with pytest.raises(RulesVersionError):
        replay([entry])


@pytest.mark.parametrize(
    "changes",
    [
        {"options": {}},
        {"options": {"beer": 1}},
        {"seats": 9},
        {"seed": bytes(3)},
    ],
)
def test_a_start_that_could_not_have_been_written_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ReplayError):
        replay([msgspec.structs.replace(started(), **changes)])


@pytest.mark.parametrize(
    "entry",
    [
        Act(0, 9, {"type": "confirm"}, 1),
        Act(0, 1, {"type": "dance"}, 1),
        Act(9, 1, {"type": "confirm"}, 1),
        Expire(9_999),
        Presence(9, True, 1),
        Presence(0, False, 1),
    ],
)
def test_an_entry_that_the_rules_refuse_is_refused_with_its_number(entry: Entry) -> None:
    with pytest.raises(ReplayError) as refused:
        replay([started(), entry])
    assert refused.value.index == 1
    assert isinstance(refused.value, JournalError)


def test_an_entry_that_is_a_repeat_is_refused() -> None:
    match = start(4)
    change = answer(match, match.pending()[0])
    with pytest.raises(ReplayError):
        replay([match.start_entry, change.entry, change.entry])


def test_an_entry_with_a_stamp_of_the_past_is_refused() -> None:
    match = start(4)
    first = do(match, match.expire(Stamp(10_000)))
    second = answer(match, match.pending()[0], at=10_005)
    assert isinstance(second.entry, Act)
    with pytest.raises(ReplayError):
        replay([match.start_entry, first.entry, msgspec.structs.replace(second.entry, at=9_000)])


def test_an_entry_with_an_action_in_another_spelling_is_refused() -> None:
    match = start(4)
    change = answer(match, match.pending()[0])
    assert isinstance(change.entry, Act)
    odd = msgspec.structs.replace(change.entry, action={**change.entry.action, "more": 1})
    with pytest.raises(ReplayError):
        replay([match.start_entry, odd])


def test_everything_of_the_journal_is_found_in_one_place() -> None:
    assert all(hasattr(journal, name) for name in journal.__all__)


# Two processes.

SCRIPT = """
import sys
from hashlib import sha256
import msgspec
from robby_rules.journal import decode_entry, replay
from tests.rules.kit import shown
digest = sha256()
entries = [decode_entry(bytes.fromhex(line)) for line in sys.stdin.read().split()]
match = replay(entries)
digest.update(msgspec.msgpack.encode(match.state))
digest.update(shown(*match.events))
digest.update(repr((match._standing.ids, match._standing.lapsed, match.seq, match.chance_position)).encode())
for seat in (None, *range(match.seats)):
    digest.update(shown(*match.view(seat), match.timer(seat), None if seat is None else match.decision(seat)))
print(hash("robby"), digest.hexdigest())
"""


@pytest.mark.parametrize(("seats", "junior", "steps"), [(4, False, 10_000), (5, True, 97), (2, True, 10_000)])
def test_replay_is_identical_in_processes_with_different_hash_seeds(seats: int, junior: bool, steps: int) -> None:
    match = Match.start("m", "robby-solo", {"junior": junior}, seats, bytes(range(32)))
    changes = random_match(match, random.Random(seats), steps=steps)
    lines = "\n".join(encode_entry(entry).hex() for entry in (match.start_entry, *[c.entry for c in changes]))
    root = Path(__file__).resolve().parents[2]
    outputs = [
        run(
            [executable, "-c", SCRIPT],
            input=lines,
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
        ).stdout.split()
        for seed in ("1", "2")
    ]
    assert outputs[0][0] != outputs[1][0], "the processes should hash differently"
    assert outputs[0][1] == outputs[1][1]
