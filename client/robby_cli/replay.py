"""`robby replay`: tell a finished match again, as text, step by step, or all of it as JSON."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from robby_cli.exits import CommandError
from robby_cli.record_file import read_record, summary
from robby_cli.teller import Teller
from robby_cli.verify import heading
from robby_client import exit_codes
from robby_client.lines import write_line
from robby_client.safe import safe
from robby_client.stories.registry import STORIES
from robby_protocol.codec import plain
from robby_protocol.i18n import _
from robby_rules.entries import Entry, Presence, Start, decode_entry
from robby_rules.journal import steps
from robby_rules.match import Match
from robby_rules.record import Record
from robby_rules.record_check import Examined

MILLIS = 1000


@dataclass(frozen=True)
class Step:
    """One entry of the journal, carried out. match: as it is then; the same object for every step."""

    entry: Entry
    match: Match
    public: tuple[Struct, ...]
    private: tuple[Struct, ...]

    @property
    def at(self) -> int:
        """Its time in milliseconds."""
        return 0 if isinstance(self.entry, Start) else self.entry.at


def replay(file: Path, step: bool, seat: int | None, as_json: bool) -> int:
    """Tell a match. Returns the exit code. Raises CommandError."""
    examined = read_record(file)
    record = examined.record
    if examined.match is None:
        raise CommandError(_cannot(file, examined), exit_codes.NOT_VERIFIED)
    if seat is not None and seat >= len(record.seats):
        text = _("There is no seat {seat} in this match: they are 0 to {last}.")
        raise CommandError(text.format(seat=seat, last=len(record.seats) - 1), exit_codes.USAGE)
    if step and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CommandError(_("--step waits for the Enter key, so it needs a terminal."), exit_codes.NO_TERMINAL)
    if not examined.holds:
        click.echo(
            _("Beware: this record does not hold. See: robby verify {file}").format(file=safe(str(file))), err=True
        )
    if as_json:
        click.echo(json.dumps(_exported(record, seat)))
    else:
        _tell(record, seat, wait=step)
    return exit_codes.WELL


def _steps(record: Record, seat: int | None) -> Iterator[Step]:
    """The match, entry by entry."""
    entries = [decode_entry(entry) for entry in record.entries]
    for entry, (match, change) in zip(entries, steps(entries), strict=True):
        if change is None:
            public, private = tuple(match.events), match.start_private
        else:
            public, private = change.public, dict(change.private)
        yield Step(entry, match, public, private.get(seat, ()) if seat is not None else ())


def _tell(record: Record, seat: int | None, *, wait: bool) -> None:
    for line in heading(record):
        write_line(line)
    said: list[str] = []
    story = STORIES[record.game]
    teller = Teller(story, said.append, seat)
    names: list[str] = []
    for step in _steps(record, seat):
        if not names:
            names = story.participants([one.name for one in record.seats], step.match.view(None)[0])
        if isinstance(step.entry, Presence):
            text = _("{name} is away.") if step.entry.absent else _("{name} is back.")
            said.append(text.format(name=names[step.entry.seat]))
        for event in (*step.private, *step.public):
            teller.tell(event, names)
        for line in said:
            write_line(f"{_time(step.at)}  {line}" if line else "")
        if said and wait and not _wait():
            return
        said.clear()


def _wait() -> bool:
    """Wait for Enter. Returns False where the person has had enough: q, or the end of input."""
    try:
        return input().strip().lower() not in ("q", "quit")
    except EOFError:
        return False


def _time(at: int) -> str:
    seconds = at // MILLIS
    return f"{seconds // 60:3}:{seconds % 60:02}"


def _exported(record: Record, seat: int | None) -> dict[str, Any]:
    """The whole match for a program; see docs/records.md."""
    exported = []
    for step in _steps(record, seat):
        public, own = step.match.view(seat)
        one: dict[str, Any] = {
            "entry": _hexed(plain(step.entry)),
            "at": step.at,
            "events": [plain(event) for event in step.public],
            "view": plain(public),
        }
        if seat is not None:
            one["own_events"] = [plain(event) for event in step.private]
            one["own"] = plain(own)
            one["decision"] = plain(step.match.decision(seat))
        exported.append(one)
    return {"record": summary(record), "steps": exported}


def _hexed(value: Any) -> Any:
    """Bytes as hexadecimal, which JSON can hold."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: _hexed(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_hexed(one) for one in value]
    return value


def _cannot(file: Path, examined: Examined) -> str:
    detail = next(
        (check.detail for check in examined.checks if check.name in ("journal", "rules") and check.detail), ""
    )
    text = _("{path} cannot be played again: {cause}. See robby verify.")
    return text.format(path=safe(str(file)), cause=safe(detail))
