"""`robby backup`: all that a server keeps, copied as it is at one moment while the server goes on."""

import os
import shutil
from pathlib import Path
from typing import Any

import click

from robby_cli.options import HELP, server_folder
from robby_protocol.i18n import _, ngettext


def build_backup() -> click.Command:
    """The command `backup`."""
    return click.Command(
        "backup",
        callback=_backup,
        context_settings=HELP,
        short_help=_("Copy all that a server keeps, while it runs."),
        help=_(
            "Copy all that a server keeps into the new folder TARGET, while it runs: its key, its tables, games and "
            "names, and the records of finished games. TARGET is whole or is not there.\n\n"
            "To restore, stop the server and put a copy of TARGET in the place of its data folder. The configuration "
            "and the certificate are not in it."
        ),
        params=[
            click.Argument(["target"], type=click.Path(path_type=Path)),
            server_folder(),
        ],
    )


def _backup(**options: Any) -> int:
    return backup(**options)


def backup(target: Path, data: Path | None) -> int:
    """Make the copy. Returns the exit code; raises CommandError, and leaves nothing behind then."""
    from robby_cli.exits import CommandError
    from robby_cli.server_folder import data_folder
    from robby_client import exit_codes
    from robby_server.store import STORE_FILE, StoreError

    folder = data or data_folder()
    if not (folder / STORE_FILE).exists():
        raise CommandError(
            _("No server keeps anything in {folder}. Give its data folder with --data.").format(folder=folder),
            exit_codes.USAGE,
        )
    if target.resolve().is_relative_to(folder.resolve()):
        raise CommandError(_("A backup cannot lie in the data folder itself. Choose another."), exit_codes.USAGE)
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise CommandError(
                _("There is something in {target} already. Choose a new folder.").format(target=target),
                exit_codes.USAGE,
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        part.mkdir(mode=0o700)
        try:
            records = _copy(folder, part)
            if target.exists():
                target.rmdir()
            part.rename(target)
        except BaseException:  # also when interrupted: no half a backup may stay behind
            shutil.rmtree(part, ignore_errors=True)
            raise
    except StoreError as problem:
        raise CommandError(problem.sentence, exit_codes.BAD_STORE) from problem
    except OSError as problem:
        raise CommandError(
            _("The backup {target} cannot be written: {cause}.").format(
                target=target, cause=problem.strerror or problem
            ),
            exit_codes.BAD_STORE,
        ) from problem
    click.echo(
        ngettext(
            "The backup is in {target}, with {count} record.",
            "The backup is in {target}, with {count} records.",
            records,
        ).format(target=target, count=records)
    )
    return exit_codes.WELL


def _copy(folder: Path, part: Path) -> int:
    """Copy everything. Returns how many records there were.

    The store first: a game that ends meanwhile then has a record too many, which it writes anew when it ends again.
    """
    from robby_cli.server_folder import KEY_FILE, RECORDS_FOLDER
    from robby_server.store import STORE_FILE
    from robby_server.store.backup import copy_store
    from robby_server.store.opening import sync_folder

    copy_store(folder / STORE_FILE, part / STORE_FILE)
    if (folder / KEY_FILE).exists():
        _copy_file(folder / KEY_FILE, part / KEY_FILE)
    count = 0
    if (folder / RECORDS_FOLDER).is_dir():
        (part / RECORDS_FOLDER).mkdir(mode=0o700)
        for path in sorted((folder / RECORDS_FOLDER).iterdir()):
            if path.suffix == ".part" or not path.is_file():
                continue
            try:
                _copy_file(path, part / RECORDS_FOLDER / path.name)
            except FileNotFoundError:
                continue  # the oldest was removed meanwhile to make room
            count += 1
        sync_folder(part / RECORDS_FOLDER)
    sync_folder(part)
    return count


def _copy_file(source: Path, target: Path) -> None:
    with source.open("rb") as old:
        fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "wb") as new:
            shutil.copyfileobj(old, new)
            new.flush()
            os.fsync(new.fileno())
