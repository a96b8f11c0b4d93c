"""`robby verify` and `robby replay`: what holds, what does not and why, bad files, exit codes, no traceback."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from robby_cli import command_line as cli
from robby_cli.receipt_check import RECEIPT_CHECKS
from robby_cli.verify_folder import verify_folder
from robby_client import exit_codes
from robby_client.receipt import RECEIPT_VERSION, Receipt, to_bytes
from robby_protocol import fair
from robby_protocol.codec import plain
from robby_rules.interface import Stamp
from robby_rules.match import Match
from robby_rules.record import CUT, HEAD_BYTES, MAX_RECORD_BYTES, RecordSeat
from robby_rules.record_check import CHECKS
from tests.rules.record_kit import SERVER_ID, Played, cheated, file_of, play, record_of

PLAYED = play(max_rounds=3)
OTHER = play("K7QF2M9X-2", rng_seed=2, max_rounds=3)
UNFAIR = play(max_rounds=2, fairly=False)
BROKEN = play(steps=12)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing of this machine's user is read or written."""
    monkeypatch.setenv("ROBBY_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def receipt_of(played: Played, seat: int = 0) -> Receipt:
    """What the client at a seat kept of the match."""
    record = record_of(played)
    deal = record.deal
    nonce = "" if deal is None else deal.nonces[seat].hex()
    return Receipt(
        robby_receipt=RECEIPT_VERSION,
        server_id=SERVER_ID.hex(),
        server_name="Kitchen",
        table=record.table,
        match=record.match,
        game=record.game,
        options=record.options,
        names=[one.name for one in record.seats],
        commitment="" if deal is None else deal.commitment.hex(),
        commitments=[] if deal is None else [one.hex() for one in deal.commitments],
        nonces=[] if deal is None else [one.hex() for one in deal.nonces],
        seat=seat,
        nonce=nonce,
        events=record.events,
        events_digest=record.events_digest.hex(),
        finished=played.match.result() is not None,
        results=list(record.results),
        secret="" if deal is None else deal.secret.hex(),
    )


class Desk:
    """Files to verify, in a folder of their own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def record(self, data: bytes, name: str = "match.robby") -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path

    def receipt(self, receipt: Receipt) -> Path:
        path = self.folder / "receipt.json"
        path.write_bytes(to_bytes(receipt))
        return path

    def run(self, *arguments: str | Path) -> tuple[int, str, str]:
        code = cli.run([str(argument) for argument in arguments])
        said = self._capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return code, said.out, said.err

    def verify(self, data: bytes, receipt: Receipt | None = None) -> tuple[int, dict[str, str], dict[str, Any]]:
        """Exit code, the state of each check, and all that is said as JSON."""
        more: list[str | Path] = [] if receipt is None else ["--receipt", self.receipt(receipt)]
        code, out, err = self.run("verify", self.record(data), "--json", *more)
        assert err == ""
        found = json.loads(out)
        return code, {check["check"]: check["state"] for check in found["checks"]}, found


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def test_a_true_record_holds(desk: Desk) -> None:
    code, states, found = desk.verify(file_of(PLAYED))
    assert code == exit_codes.WELL
    assert states == dict.fromkeys(CHECKS, "ok")
    assert found["holds"] is True
    assert found["known_server"] is None
    assert found["record"]["names"] == ["Ana", "Ben", "Cleo"]


@pytest.mark.parametrize("played", [PLAYED, BROKEN, play(seats=4, junior=True)])
def test_a_true_record_holds_against_the_receipt_of_every_seat(played: Played, desk: Desk) -> None:
    for seat in range(played.match.seats):
        code, states, _found = desk.verify(file_of(played), receipt_of(played, seat))
        assert code == exit_codes.WELL
        own = "ok" if seat < played.match.seats - 1 else "absent"
        results = "ok" if played.match.result() is not None else "absent"
        expected = dict.fromkeys((*CHECKS, *RECEIPT_CHECKS), "ok")
        assert states == {**expected, "receipt_nonce": own, "receipt_results": results}


def test_a_line_for_each_check(desk: Desk) -> None:
    code, out, err = desk.run("verify", desk.record(file_of(PLAYED)), "--receipt", desk.receipt(receipt_of(PLAYED)))
    assert (code, err) == (exit_codes.WELL, "")
    assert sum(line.startswith("ok ") for line in out.splitlines()) == len(CHECKS) + len(RECEIPT_CHECKS)
    assert SERVER_ID.hex() in out
    assert out.startswith("Robby Solo, match "), "the game has the name that people know"


def test_what_fails_is_named(desk: Desk) -> None:
    record = desk.record(file_of(PLAYED, results=cheated(record_of(PLAYED).results)))
    code, out, _err = desk.run("verify", record)
    assert code == exit_codes.NOT_VERIFIED
    assert [line for line in out.splitlines() if line.startswith("FAILED")]
    assert out.rstrip().splitlines()[-1].endswith("results.")


def test_a_record_without_a_fair_deal_says_so(desk: Desk) -> None:
    code, states, _found = desk.verify(file_of(UNFAIR))
    assert code == exit_codes.WELL
    assert {states[name] for name in ("commitment", "nonces", "seed")} == {"absent"}
    code, states, _found = desk.verify(file_of(UNFAIR), receipt_of(UNFAIR))
    assert code == exit_codes.WELL
    code, states, _found = desk.verify(file_of(UNFAIR), receipt_of(PLAYED))
    assert code == exit_codes.NOT_VERIFIED
    assert states["receipt_commitments"] == "failed"
    assert states["receipt_nonce"] == "failed"


def test_the_server_is_named_where_it_is_known(desk: Desk, home: Path) -> None:
    home.mkdir()
    state = {"version": 1, "servers": [{"address": "example.org", "server_id": SERVER_ID.hex(), "name": "Kitchen"}]}
    (home / "state.json").write_text(json.dumps(state))
    _code, _states, found = desk.verify(file_of(PLAYED))
    assert found["known_server"] == "example.org"


def test_another_match_is_not_that_of_the_receipt(desk: Desk) -> None:
    """Both records are true; the receipt is of one of them."""
    assert desk.verify(file_of(OTHER))[0] == exit_codes.WELL
    code, states, _found = desk.verify(file_of(OTHER), receipt_of(PLAYED))
    assert code == exit_codes.NOT_VERIFIED
    assert [states[check] for check in RECEIPT_CHECKS] == ["ok", *["failed"] * 5]


def test_the_same_match_id_with_another_deal_is_found(desk: Desk) -> None:
    """A server that writes a true record of a match that was never played, under the id of one that was."""
    faked = play(rng_seed=9, max_rounds=3)
    code, states, _found = desk.verify(file_of(faked), receipt_of(PLAYED))
    assert code == exit_codes.NOT_VERIFIED
    assert states["receipt_match"] == "ok"
    assert {states[check] for check in RECEIPT_CHECKS[2:]} == {"failed"}


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"server_id": "00" * 32}, "receipt_server"),
        ({"match": "K7QF2M9X-9"}, "receipt_match"),
        ({"game": "poker"}, "receipt_match"),
        ({"table": "AAAAAAAA"}, "receipt_match"),
        ({"options": {"time": "blitz"}}, "receipt_match"),
        ({"commitment": "00" * 32}, "receipt_commitments"),
        ({"commitments": ["00" * 32, "", ""]}, "receipt_commitments"),
        ({"commitments": []}, "receipt_commitments"),
        ({"nonce": "00" * 32}, "receipt_nonce"),
        ({"seat": 1}, "receipt_nonce"),
        ({"seat": 9}, "receipt_nonce"),
        ({"seat": None}, "receipt_nonce"),
        ({"nonces": ["00" * 32, "", ""]}, "receipt_nonce"),
        ({"events": 1}, "receipt_events"),
        ({"events": 10**6, "finished": False}, "receipt_events"),
        ({"events_digest": "00" * 32}, "receipt_events"),
        ({"names": ["Ana", "Ben", "Eve"]}, "receipt_results"),
        ({"results": []}, "receipt_results"),
        ({"results": list(cheated(record_of(PLAYED).results))}, "receipt_results"),
        ({"secret": "00" * 32}, "receipt_results"),
    ],
)
def test_each_difference_from_the_receipt_fails_its_check(changes: dict[str, Any], check: str, desk: Desk) -> None:
    receipt = msgspec.structs.replace(receipt_of(PLAYED), **changes)
    code, states, _found = desk.verify(file_of(PLAYED), receipt)
    assert code == exit_codes.NOT_VERIFIED
    assert [name for name, state in states.items() if state == "failed"] == [check]


def test_a_receipt_of_a_part_of_the_match_is_compared_as_far_as_it_goes(desk: Desk) -> None:
    seen = PLAYED.match.events[:5]
    digest = fair.events_digest(plain(event) for event in seen).hex()
    left = msgspec.structs.replace(
        receipt_of(PLAYED), events=5, events_digest=digest, finished=False, results=[], secret=""
    )
    code, states, _found = desk.verify(file_of(PLAYED), left)
    assert code == exit_codes.WELL
    assert (states["receipt_events"], states["receipt_results"]) == ("ok", "absent")
    wrong = msgspec.structs.replace(left, events=4)
    assert desk.verify(file_of(PLAYED), wrong)[1]["receipt_events"] == "failed"


def test_one_changed_byte_fails(desk: Desk) -> None:
    """All bytes of the head and the signature, and as many as it takes of the rest."""
    data = file_of(PLAYED)
    rng = random.Random(7)
    places = {*range(HEAD_BYTES), *range(len(data) - 64, len(data)), *rng.sample(range(len(data)), 150)}
    for place in sorted(places):
        changed = bytearray(data)
        changed[place] ^= 1 << rng.randrange(8)
        code, _out, _err = desk.run("verify", desk.record(bytes(changed)))
        assert code in (exit_codes.NOT_VERIFIED, exit_codes.BAD_RECORD), place


def missing(desk: Desk) -> Path:
    return desk.folder / "none.robby"


def folder(desk: Desk) -> Path:
    return desk.folder


def pipe(desk: Desk) -> Path:
    os.mkfifo(desk.folder / "pipe")
    return desk.folder / "pipe"


BAD_FILES: list[Callable[[Desk], Path]] = [
    missing,
    folder,
    pipe,
    lambda desk: desk.record(b""),
    lambda desk: desk.record(b"\x00" * 100),
    lambda desk: desk.record(b"%PDF-1.7 " * 1000),
    lambda desk: desk.record(file_of(PLAYED)[:-1]),
    lambda desk: desk.record(file_of(PLAYED)[:9]),
    lambda desk: desk.record(file_of(PLAYED) + b"x"),
    lambda desk: desk.record(file_of(PLAYED)[:100] + bytes(MAX_RECORD_BYTES)),
    lambda desk: desk.record(file_of(PLAYED)[:11] + b"\x09" + file_of(PLAYED)[12:]),
    lambda desk: desk.folder / "\x1b[2J.robby",
    lambda desk: desk.receipt(receipt_of(PLAYED)),
]


@pytest.mark.parametrize("make", BAD_FILES)
@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_bad_file_is_one_sentence(command: str, make: Callable[[Desk], Path], desk: Desk) -> None:
    code, out, err = desk.run(command, make(desk))
    assert (code, out) == (exit_codes.BAD_RECORD, "")
    assert len(err.splitlines()) == 1
    assert err.rstrip().endswith(".")
    assert "\x1b" not in err


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[" * 100_000, b"\xff", b'{"robby_receipt": 2}', b" " * 300_000, file_of(PLAYED)]
)
def test_a_bad_receipt_is_one_sentence(data: bytes, desk: Desk) -> None:
    receipt = desk.folder / "receipt.json"
    receipt.write_bytes(data)
    code, out, err = desk.run("verify", desk.record(file_of(PLAYED)), "--receipt", receipt)
    assert (code, out) == (exit_codes.BAD_RECORD, "")
    assert len(err.splitlines()) == 1


def test_what_a_record_holds_is_harmless_to_a_terminal(desk: Desk) -> None:
    nasty = "\x1b]0;x\x07\u202e[b]\n"
    seats = tuple(RecordSeat(name=nasty, kind="person") for _ in range(3))
    data = file_of(PLAYED, title=nasty, server_name=nasty, software=nasty, seats=seats, game=nasty, ending=nasty)
    code, out, err = desk.run("verify", desk.record(data))
    assert code == exit_codes.NOT_VERIFIED
    for sign in ("\x1b", "\x07", "\u202e"):
        assert sign not in out + err
    code, out, err = desk.run("replay", desk.record(file_of(PLAYED, title=nasty, server_name=nasty, seats=seats)))
    assert code == exit_codes.WELL
    for sign in ("\x1b", "\x07", "\u202e"):
        assert sign not in out + err


@pytest.mark.parametrize("began", [0, 1, 2**53 - 1])
def test_any_time_can_be_told(began: int, desk: Desk) -> None:
    code, _out, _err = desk.run("verify", desk.record(file_of(PLAYED, began=began, ended=began)))
    assert code == exit_codes.NOT_VERIFIED


def test_all_records_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    good, other = file_of(PLAYED), file_of(OTHER)
    (folder / "K7QF2M9X-1.robby").write_bytes(good)
    (folder / "K7QF2M9X-2.robby").write_bytes(other[:-1])
    (folder / "K7QF2M9X-3.robby").write_bytes(other)
    (folder / "K7QF2M9X-4.robby").write_bytes(file_of(OTHER, events=1))
    found = verify_folder(tmp_path)
    assert found.held == ("K7QF2M9X-1",)
    assert sorted(found.failed) == ["K7QF2M9X-2.robby", "K7QF2M9X-3.robby", "K7QF2M9X-4.robby"]
    assert found.failed["K7QF2M9X-4.robby"].startswith("events")
    assert CUT not in found.failed["K7QF2M9X-2.robby"]


def test_a_folder_is_checked_as_a_whole(desk: Desk) -> None:
    desk.record(file_of(PLAYED), "K7QF2M9X-1.robby")
    desk.record(file_of(OTHER), "K7QF2M9X-2.robby")
    code, out, err = desk.run("verify", desk.folder)
    assert (code, err) == (exit_codes.WELL, "")
    assert len(out.splitlines()) == 1
    desk.record(file_of(PLAYED)[:-1], "K7QF2M9X-3.robby")
    desk.record(file_of(OTHER, results=()), "K7QF2M9X-2.robby")
    code, out, err = desk.run("verify", desk.folder, "--json")
    assert (code, err) == (exit_codes.NOT_VERIFIED, "")
    found = json.loads(out)
    assert found["held"] == ["K7QF2M9X-1"]
    assert sorted(found["failed"]) == ["K7QF2M9X-2.robby", "K7QF2M9X-3.robby"]
    code, out, err = desk.run("verify", desk.folder, "--receipt", desk.receipt(receipt_of(PLAYED)))
    assert (code, out) == (exit_codes.USAGE, "")


# Telling a match again.


def test_a_match_is_told_again(desk: Desk) -> None:
    code, out, err = desk.run("replay", desk.record(file_of(PLAYED)))
    assert (code, err) == (exit_codes.WELL, "")
    assert "Ana, Ben and Cleo rob 4 banks" in out
    assert "Round 3" in out
    assert out.rstrip().splitlines()[-1].strip()
    assert "Your card" not in out


def test_a_match_is_told_to_a_seat(desk: Desk) -> None:
    code, out, _err = desk.run("replay", desk.record(file_of(PLAYED)), "--seat", "1")
    assert code == exit_codes.WELL
    assert "Your card is" in out
    assert "You laid a card." in out


def test_there_must_be_such_a_seat(desk: Desk) -> None:
    code, out, err = desk.run("replay", desk.record(file_of(PLAYED)), "--seat", "3")
    assert (code, out) == (exit_codes.USAGE, "")
    assert len(err.splitlines()) == 1


def test_steps_need_a_terminal(desk: Desk) -> None:
    code, _out, err = desk.run("replay", desk.record(file_of(PLAYED)), "--step")
    assert code == exit_codes.NO_TERMINAL
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("seat", [None, 2])
def test_a_match_as_json(seat: int | None, desk: Desk) -> None:
    more = [] if seat is None else ["--seat", str(seat)]
    code, out, _err = desk.run("replay", desk.record(file_of(PLAYED)), "--json", *more)
    assert code == exit_codes.WELL
    found = json.loads(out)
    assert found["record"]["match"] == PLAYED.match.start_entry.match
    steps = found["steps"]
    assert len(steps) == len(PLAYED.entries)
    assert steps[0]["entry"]["type"] == "start"
    told = [event for step in steps for event in step["events"]]
    assert told == json.loads(json.dumps([plain(event) for event in PLAYED.match.events]))
    assert steps[-1]["view"]["phase"] == "over"
    assert all(("own" in step) == (seat is not None) for step in steps)
    if seat is not None:
        assert any(event["type"] == "you_laid" for step in steps for event in step["own_events"])
        assert all(event["type"] == "you_laid" for step in steps for event in step["own_events"])
        assert any(step["decision"] for step in steps)


def test_a_record_that_does_not_hold_is_told_with_a_warning(desk: Desk) -> None:
    code, out, err = desk.run("replay", desk.record(file_of(PLAYED, results=())))
    assert code == exit_codes.WELL
    assert "Round 3" in out
    assert len(err.splitlines()) == 1


def test_a_record_that_cannot_be_played_is_not_told(desk: Desk) -> None:
    entries = record_of(PLAYED).entries
    code, out, err = desk.run("replay", desk.record(file_of(PLAYED, entries=(*entries[:2], *entries[3:]))))
    assert (code, out) == (exit_codes.NOT_VERIFIED, "")
    assert len(err.splitlines()) == 1


def test_the_command_itself(desk: Desk) -> None:
    """As a process of its own."""
    record = desk.record(file_of(PLAYED))
    command = [sys.executable, "-m", "robby_cli", "verify"]
    found = subprocess.run([*command, str(record)], capture_output=True, timeout=60, check=False)
    assert found.returncode == 0, found.stderr
    assert found.stderr == b""
    damaged = desk.record(file_of(PLAYED)[:-1], "damaged.robby")
    found = subprocess.run([*command, str(damaged)], capture_output=True, timeout=60, check=False)
    assert found.returncode == exit_codes.BAD_RECORD
    assert found.stdout == b""


class Terminal:
    """Standard streams that look like a terminal, and somebody who presses these keys."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, keys: list[str]) -> None:
        self.keys = keys
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
        monkeypatch.setattr("builtins.input", self._input)

    def _input(self) -> str:
        if not self.keys:
            raise EOFError
        return self.keys.pop(0)


@pytest.mark.parametrize("keys", [["", "", "q"], ["", ""]])
def test_step_by_step_until_somebody_has_had_enough(
    keys: list[str], desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By q, or by the end of input."""
    whole = desk.run("replay", desk.record(file_of(PLAYED)))[1]
    terminal = Terminal(monkeypatch, list(keys))
    code, out, err = desk.run("replay", desk.record(file_of(PLAYED)), "--step")
    assert (code, err) == (exit_codes.WELL, "")
    assert whole.startswith(out)
    assert len(out.splitlines()) < len(whole.splitlines())
    assert terminal.keys == []


def test_step_by_step_to_the_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = desk.run("replay", desk.record(file_of(PLAYED)))[1]
    Terminal(monkeypatch, [""] * 1000)
    assert desk.run("replay", desk.record(file_of(PLAYED)), "--step") == (exit_codes.WELL, whole, "")


def test_who_was_away_is_told(desk: Desk) -> None:
    start = match_of(3)
    left = start.presence(1, True, Stamp(500))
    assert left is not None
    start.adopt(left)
    back = start.presence(1, False, Stamp(61_000))
    assert back is not None
    start.adopt(back)
    played = Played(start, (start.start_entry, left.entry, back.entry), (), b"")
    code, out, _err = desk.run("replay", desk.record(file_of(played)))
    assert code == exit_codes.WELL
    assert out.rstrip().splitlines()[-2:] == ["  0:00  Ben is away.", "  1:01  Ben is back."]


def match_of(seats: int) -> Match:
    """An untimed match that has just begun."""
    return Match.start("K7QF2M9X-1", "robby-solo", {"time": "untimed"}, seats, bytes(32))
