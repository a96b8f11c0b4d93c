"""The folder in which a server keeps its things, and its key there."""

import os
import secrets
import sys
from pathlib import Path

from robby_cli.exits import CommandError
from robby_client import exit_codes
from robby_protocol import distribution
from robby_protocol.i18n import _
from robby_server.store import STORE_FILE

KEY_FILE = "server-key"
KEY_BYTES = 32
RECORDS_FOLDER = "records"
"""In the data folder: the records of matches that are over."""


def data_folder() -> Path:
    """Where the server's data lie: $ROBBY_HOME/server, or the platform's place for a user's data."""
    own = os.environ.get("ROBBY_HOME")
    if own:
        return Path(own) / "server"
    import platformdirs

    return platformdirs.user_data_path(distribution.NAME) / "server"


def server_key(folder: Path) -> bytes:
    """The server's private seed: the one kept in the folder, or a new one that is kept there. Raises CommandError."""
    path = folder / KEY_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        key = _kept_key(path)
        return _new_key(path) if key is None else key
    except OSError as problem:
        raise _no_place(folder, problem) from problem


def key_is_missed(folder: Path) -> bool:
    """Whether a server has kept things there and its key is gone: a new one makes it a stranger to its clients."""
    return (folder / STORE_FILE).exists() and not (folder / KEY_FILE).exists()


def tell_missed_key(folder: Path) -> None:
    """Say what it means that a new key was made there."""
    print(
        _(
            "There was no key beside what this server keeps, so a new one was made in {path}: every client will ask "
            "its person whether this is still your server. If you have a backup, put its key back."
        ).format(path=folder / KEY_FILE),
        file=sys.stderr,
    )


def check_folder(folder: Path) -> None:
    """Whether a server could keep its things there, without changing anything. Raises CommandError."""
    try:
        _kept_key(folder / KEY_FILE)
        there = folder
        while not there.exists():
            there = there.parent
        if not there.is_dir():
            raise NotADirectoryError(0, _("{file} is not a folder").format(file=there))
        if not os.access(there, os.W_OK | os.X_OK):
            raise PermissionError(0, _("it cannot be written"))
    except OSError as problem:
        raise _no_place(folder, problem) from problem


def _no_place(folder: Path, problem: OSError) -> CommandError:
    return CommandError(
        _("The server's key cannot be kept in {folder}: {cause}. Choose another folder with --data.").format(
            folder=folder, cause=problem.strerror
        ),
        exit_codes.USAGE,
    )


def _kept_key(path: Path) -> bytes | None:
    """The key in its file; None if there is no file. Raises CommandError for one that cannot be read or is damaged."""
    try:
        key = bytes.fromhex(path.read_text(encoding="ascii"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        text = _(
            "The server's key in {path} cannot be read: {cause}. Let the server's user read it; it is not replaced."
        )
        raise CommandError(text.format(path=path, cause=problem.strerror), exit_codes.USAGE) from problem
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise CommandError(
            _("The server's key in {path} is damaged. Put back a good copy, or delete it for a new one.").format(
                path=path
            ),
            exit_codes.USAGE,
        )
    return key


def _new_key(path: Path) -> bytes:
    """A new key in its file, which only its owner may read: whole or not at all, and never in place of another."""
    key = secrets.token_bytes(KEY_BYTES)
    whole = path.with_name(f"{path.name}.{os.getpid()}.new")
    fd = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write(key.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(whole, path)
        except FileExistsError:
            # Another server was quicker: its key is the one.
            return bytes.fromhex(path.read_text(encoding="ascii"))
    finally:
        whole.unlink(missing_ok=True)
    return key
