"""A copy of a store as it is at one moment, while a server may be using it."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from robby_server.store.opening import check, check_head, connect, refusal, unwritable


def copy_store(source: Path, target: Path) -> None:
    """Copy the store's file `source` to the new file `target`: one moment of it, whole and checked.

    The server that uses it is not held up. After a crash this puts the files in order as the server's start would
    (a reader alone would leave its own behind). Raises StoreError; FileExistsError if there is a target;
    FileNotFoundError if there is no source.
    """
    if not source.exists():
        raise FileNotFoundError(source)
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # it holds hidden cards
    try:
        check_head(source)
        with closing(connect(source)) as old:
            try:
                old.execute("PRAGMA schema_version")  # reads the file, so that what is wrong with it is said of it
            except sqlite3.Error as problem:
                raise refusal(source, problem) from problem
            with closing(connect(target)) as new:
                old.backup(new)
                check(new, source)
        with target.open("rb") as file:
            os.fsync(file.fileno())
    except sqlite3.Error as problem:
        raise unwritable(target, str(problem)) if _full(problem) else refusal(source, problem) from problem
    except OSError as problem:
        raise unwritable(target, problem.strerror or str(problem)) from problem


def _full(problem: sqlite3.Error) -> bool:
    return getattr(problem, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN)
