"""Checks all records that a server keeps: for whoever runs one, and for the trials."""

from pathlib import Path
from typing import NamedTuple

from robby_cli.exits import CommandError
from robby_cli.record_file import read_record
from robby_cli.server_folder import RECORDS_FOLDER


class FolderCheck(NamedTuple):
    """What the records of a folder are like. held: ids of matches whose records hold. failed: by file, why not."""

    held: tuple[str, ...]
    failed: dict[str, str]


def verify_folder(data: Path) -> FolderCheck:
    """Check every record below a server's data folder, or in the folder itself where it has no folder of records."""
    folder = data / RECORDS_FOLDER
    held: list[str] = []
    failed: dict[str, str] = {}
    for path in sorted((folder if folder.is_dir() else data).glob("*.robby")):
        try:
            examined = read_record(path)
        except CommandError as problem:
            failed[path.name] = problem.text
            continue
        wrong = [f"{check.name} {check.detail}".strip() for check in examined.checks if check.state == "failed"]
        if path.name != f"{examined.record.match}.robby":
            wrong.append("it is of another match than its name says")
        if wrong or not examined.holds:
            failed[path.name] = "; ".join(wrong)
        else:
            held.append(examined.record.match)
    return FolderCheck(tuple(held), failed)
