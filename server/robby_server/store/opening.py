"""Opening the file of a store: a new one is made whole or not at all; one that cannot be read is never touched.

Knows the file and its form, not what is written into it later.
"""

import os
import sqlite3
from pathlib import Path
from typing import Literal

from robby_protocol.i18n import _
from robby_server.store.errors import (
    STORE_DAMAGED,
    STORE_FOREIGN,
    STORE_IN_USE,
    STORE_UNWRITABLE,
    StoreError,
)
from robby_server.store.schema import APPLICATION_ID, check_version, migrate

Durability = Literal["process", "power"]

STORE_FILE = "store.sqlite"
MAGIC = b"SQLite format 3\0"
APPLICATION_ID_AT = 68
HEAD_BYTES = 100
"""SQLite's file head: the magic first, the application's id as 4 bytes big-endian at its place."""

OLDEST_SQLITE = (3, 37)
"""The first that holds columns to their types (STRICT)."""

BUSY_SECONDS = 5.0
"""How long to wait for another process that reads or copies the file; none holds it long in WAL mode. Other servers are
kept out by the folder's lock."""


def open_database(path: Path, durability: Durability) -> sqlite3.Connection:
    """The database, checked, in today's form, in autocommit mode. Raises StoreError; then nothing was changed."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise unwritable(
            path,
            _("this Python brings SQLite {version}, and {oldest} is needed").format(
                version=sqlite3.sqlite_version, oldest=".".join(map(str, OLDEST_SQLITE))
            ),
        )
    try:
        if not path.exists():
            _refuse_leftovers(path)
            if path.is_symlink():
                raise unwritable(path, _("it is a link to {target}, which is not there").format(target=path.readlink()))
            _create(path)
        check_head(path)
        connection = connect(path)
        try:
            _make_ready(connection, path, durability)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as problem:
        raise refusal(path, problem) from problem
    except OSError as problem:
        raise unwritable(path, problem.strerror or str(problem)) from problem
    return connection


def connect(path: Path) -> sqlite3.Connection:
    """A connection to an existing file, in autocommit mode; one thread at a time may use it. Raises sqlite3.Error."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",  # never make one
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )


def check_head(path: Path) -> None:
    """Look at the file itself before SQLite does, which would put another program's half-done work in order.

    Raises StoreError if it is not a store of ours, and OSError.
    """
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if head and not head.startswith(MAGIC[: len(head)]):
        raise _foreign(path)
    if len(head) < HEAD_BYTES:
        raise damaged(path, _("it is cut off after {count} bytes").format(count=len(head)))
    if int.from_bytes(head[APPLICATION_ID_AT : APPLICATION_ID_AT + 4], "big") != APPLICATION_ID:
        raise _foreign(path)


def _make_ready(connection: sqlite3.Connection, path: Path, durability: Durability) -> None:
    found = check_version(connection, path)  # first: what is newer may look damaged to us
    check(connection, path)
    # SQLite opens a file that is not writable for reading alone, and says so only when something is really written.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA user_version = {found}")
    connection.execute("ROLLBACK")
    migrate(connection, found)
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise unwritable(path, _("this file system does not let SQLite keep a write-ahead log"))
    connection.execute(f"PRAGMA synchronous = {'FULL' if durability == 'power' else 'NORMAL'}")
    connection.execute("PRAGMA fullfsync = 1")  # macOS: a plain fsync leaves it in the disk's own memory


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Read the whole file once. Raises StoreError if anything in it is damaged; and sqlite3.Error."""
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise damaged(path, str(found).splitlines()[-1])


def _refuse_leftovers(path: Path) -> None:
    """Parts of another store beside a new one would be taken for parts of it."""
    for suffix in ("-wal", "-journal"):
        rest = path.with_name(path.name + suffix)
        if rest.exists():
            raise damaged(rest, _("it belongs to {file}, which is missing").format(file=path.name))


def _create(path: Path) -> None:
    """A new, empty store: made under another name, so that a file of the right name is always whole."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # it holds hidden cards
    connection = connect(new)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        migrate(connection, 0)
    finally:
        connection.close()
    new.rename(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make sure that the names in a folder survive a loss of power, where the system can."""
    if os.name == "posix":
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


# Refusals.


def refusal(path: Path, problem: sqlite3.Error) -> StoreError:
    """What an error of SQLite's at the opening means for the operator."""
    code = getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreError(
            STORE_IN_USE,
            _("Another program is writing to {path}. Stop it first.").format(path=path),
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR):
        return damaged(path, str(problem))
    return unwritable(path, str(problem))


def damaged(path: Path, cause: str) -> StoreError:
    """The file is ours and damaged."""
    return StoreError(
        STORE_DAMAGED,
        _(
            "{path} is damaged: {cause}. Nothing was changed. Put back your last backup,"
            " or move the file away to begin without the tables and names in it."
        ).format(path=path, cause=cause),
    )


def unwritable(path: Path, cause: str) -> StoreError:
    """The file or its folder cannot be written."""
    return StoreError(
        STORE_UNWRITABLE,
        _("{path} cannot be written: {cause}. Make it writable, or choose another folder with --data.").format(
            path=path, cause=cause
        ),
    )


def _foreign(path: Path) -> StoreError:
    return StoreError(
        STORE_FOREIGN,
        _("{path} was not written by Robby. Move it away, or choose another folder with --data.").format(path=path),
    )
