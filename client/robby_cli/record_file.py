"""Reading record and receipt files as a person names them: whatever is there instead, one sentence and a code."""

import stat
from pathlib import Path
from typing import Any

from robby_cli.exits import CommandError
from robby_client import exit_codes
from robby_client.receipt import MAX_RECEIPT_BYTES, Receipt, ReceiptError, from_bytes
from robby_client.safe import safe
from robby_protocol.i18n import _
from robby_rules import record as form
from robby_rules.record import Record, RecordError
from robby_rules.record_check import Examined, examine


def read_record(path: Path) -> Examined:
    """The record in this file, checked. Raises CommandError(BAD_RECORD)."""
    data = _read(path, form.MAX_RECORD_BYTES)
    try:
        return examine(data)
    except RecordError as problem:
        raise CommandError(_sentence(problem.code, safe(str(path))), exit_codes.BAD_RECORD) from problem


def read_receipt(path: Path) -> Receipt:
    """The receipt in this file. Raises CommandError(BAD_RECORD)."""
    try:
        return from_bytes(_read(path, MAX_RECEIPT_BYTES))
    except ReceiptError as problem:
        text = _("{path} is not a receipt that this version can read. Give the file that the client kept.")
        raise CommandError(text.format(path=safe(str(path))), exit_codes.BAD_RECORD) from problem


def summary(record: Record) -> dict[str, Any]:
    """What a record is of, for JSON."""
    return {
        "match": record.match,
        "table": record.table,
        "title": record.title,
        "game": record.game,
        "server_id": record.server_id.hex(),
        "server_name": record.server_name,
        "began": record.began,
        "ended": record.ended,
        "ending": record.ending,
        "aborted": record.aborted,
        "names": [seat.name for seat in record.seats],
        "results": [
            {"name": line.name, "seat": line.seat, "score": line.score, "winner": line.winner}
            for line in record.results
        ],
    }


def _read(path: Path, most: int) -> bytes:
    """The file's bytes, one more than `most` at the most. Raises CommandError."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise CommandError(_("{path} is not a file.").format(path=safe(str(path))), exit_codes.BAD_RECORD)
        with path.open("rb") as file:
            return file.read(most + 1)
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        cause = problem.strerror if isinstance(problem, OSError) and problem.strerror else _("not a possible name")
        text = _("{path} cannot be read: {cause}. Look at its name and who may read it.")
        raise CommandError(text.format(path=safe(str(path)), cause=cause), exit_codes.BAD_RECORD) from problem


def _sentence(code: str, path: str) -> str:
    if code == form.NEWER:
        text = _("{path} is a record of a newer kind than this version knows. Update Robby.")
    elif code == form.CUT:
        text = _("{path} is a record of which the end is missing. Get it again.")
    elif code in (form.NOT_A_RECORD, form.TOO_LONG):
        text = _("{path} is not a record of a match. Give a file that ends in .robby.")
    else:
        text = _("{path} is a damaged record: it is not as any server wrote it. Get it again.")
    return text.format(path=path)
