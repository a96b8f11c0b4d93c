"""`robby verify`: check a record of a match, alone or against a receipt, a line for each check; or a folder of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import click

from robby_cli.exits import CommandError
from robby_cli.receipt_check import SERVER, compare
from robby_cli.record_file import read_receipt, read_record, summary
from robby_cli.verify_folder import verify_folder
from robby_client import exit_codes
from robby_client.lines import write_line
from robby_client.safe import safe
from robby_client.store import Store, StoreError
from robby_client.stories.registry import game_title
from robby_protocol.i18n import _, ngettext
from robby_rules.record import FINISHED, Record
from robby_rules.record_check import Check


def verify(file: Path, receipt: Path | None, as_json: bool) -> int:
    """Check a record, or all of a folder. Returns the exit code. Raises CommandError for files that cannot be read or
    are none."""
    if file.is_dir():
        if receipt is not None:
            raise CommandError(_("A receipt is of one record; give its file instead of a folder."), exit_codes.USAGE)
        return _verify_all(file, as_json)
    examined = read_record(file)
    checks = examined.checks
    if receipt is not None:
        checks += compare(examined, read_receipt(receipt))
    holds = all(check.state in ("ok", "absent") for check in checks)
    known = _known_as(examined.record.server_id)
    if as_json:
        found = {
            "file": str(file),
            "holds": holds,
            "known_server": known,
            "record": summary(examined.record),
            "checks": [{"check": check.name, "state": check.state, "detail": check.detail} for check in checks],
        }
        click.echo(json.dumps(found, indent=2))
    else:
        _tell(examined.record, known, checks, holds, with_receipt=receipt is not None)
    return exit_codes.WELL if holds else exit_codes.NOT_VERIFIED


def _verify_all(folder: Path, as_json: bool) -> int:
    """Check every record of a server, one line for each that does not hold."""
    found = verify_folder(folder)
    if not found.held and not found.failed:
        text = _("There is no record in {path}. Give a server's data folder, or a file.")
        raise CommandError(text.format(path=safe(str(folder))), exit_codes.BAD_RECORD)
    if as_json:
        click.echo(json.dumps({"held": list(found.held), "failed": found.failed}, indent=2))
    else:
        for name, reason in found.failed.items():
            click.echo(_("{name} does NOT hold: {reason}").format(name=safe(name), reason=safe(reason)))
        count = len(found.held)
        click.echo(ngettext("{count} record holds.", "{count} records hold.", count).format(count=count))
    return exit_codes.NOT_VERIFIED if found.failed else exit_codes.WELL


def _known_as(server_id: bytes) -> str | None:
    """The address under which this machine knows a server's key."""
    try:
        recent = Store.open().recent()
    except StoreError:
        return None
    return next((str(server.address) for server in recent if server.server_id == server_id), None)


def _tell(record: Record, known: str | None, checks: Sequence[Check], holds: bool, *, with_receipt: bool) -> None:
    for line in heading(record):
        write_line(line)
    key = record.server_id.hex()
    if known is not None:
        write_line(_("Signed with the key {key}, known here as {address}.").format(key=key, address=safe(known)))
    elif any(check.name == SERVER and check.state == "ok" for check in checks):
        write_line(_("Signed with the key {key}, that of the receipt's server.").format(key=key))
    else:
        write_line(_("Signed with the key {key}, which this machine does not know as any server's.").format(key=key))
    write_line("")
    texts = _texts()
    for check in checks:
        text = texts[check.name]() if check.name in texts else check.name
        detail = f" [{safe(check.detail)}]" if check.detail else ""
        write_line(f"{_state(check.state):<12}  {text}{detail}")
    write_line("")
    if not holds:
        failed = ", ".join(check.name for check in checks if check.state not in ("ok", "absent"))
        write_line(_("This record does NOT hold: {checks}.").format(checks=failed))
    elif with_receipt:
        write_line(_("Everything holds: this is the match of the receipt."))
    elif any(check.state == "absent" for check in checks):
        write_line(_("The record is whole and kept the rules; there was no fair deal, so the server chose the cards."))
    else:
        write_line(_("Everything holds. Who played it can say more with the own receipt: --receipt FILE."))


def heading(record: Record) -> list[str]:
    """What a record is of, in lines."""
    title = safe(record.title) or safe(record.table)
    names = ", ".join(safe(seat.name) for seat in record.seats)
    when = _when(record.began or record.ended)
    lines = [
        _("{game}, match {match}, at the table “{title}” of the server “{server}”{when}").format(
            game=safe(game_title(record.game)),
            match=safe(record.match),
            title=title,
            server=safe(record.server_name),
            when=when,
        ),
        _("played by {names}").format(names=names),
    ]
    if record.ending != FINISHED:
        lines.append(_("The match was broken off."))
    if record.aborted:
        lines.append(_("Starts broken off at this table before: {count}.").format(count=record.aborted))
    return lines


def _when(moment: int) -> str:
    """A wall-clock time of the server's, if it is one that a calendar has."""
    try:
        return datetime.fromtimestamp(moment).strftime(", %Y-%m-%d %H:%M") if moment else ""
    except (ValueError, OverflowError, OSError):
        return ""


def _state(state: str) -> str:
    return {
        "ok": _("ok"),
        "failed": _("FAILED"),
        "absent": _("not there"),
        "unchecked": _("not checked"),
    }[state]


def _texts() -> Mapping[str, Callable[[], str]]:
    return {
        "signature": lambda: _("The record is signed with the key that it names."),
        "journal": lambda: _("Its journal can be read and is of this match."),
        "commitment": lambda: _("The server's secret is what it was committed to before the match."),
        "nonces": lambda: _("Every seat opened what it was committed to."),
        "seed": lambda: _("The cards follow from the server's secret and everybody's nonces."),
        "rules": lambda: _("Everything that was done is allowed by the rules."),
        "ending": lambda: _("The match ended as the record says."),
        "events": lambda: _("What was told in public is what was played."),
        "results": lambda: _("The results are those of the match."),
        "receipt_server": lambda: _("Receipt: the same server."),
        "receipt_match": lambda: _("Receipt: the same match, game and options."),
        "receipt_commitments": lambda: _("Receipt: the commitments are those shown before the match."),
        "receipt_nonce": lambda: _("Receipt: the own nonce went into the deal."),
        "receipt_events": lambda: _("Receipt: all that was seen is what the record tells."),
        "receipt_results": lambda: _("Receipt: the same names, end and results."),
    }
