"""The files of an open store: whether they still have their names, and giving them back.

SQLite goes on writing into a file that was deleted or moved away, and says nothing: what is committed then is gone with
the process. So it is looked at before each commit. Knows nothing of what is written.
"""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from robby_protocol.i18n import _
from robby_server.store.errors import StoreError
from robby_server.store.opening import Durability, connect, open_database, sync_folder

_Id = tuple[int, int]


class OpenFiles:
    """The store's file and its log as one connection has opened them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_name(path.name + "-wal")
        self._main_id = _identity(path)
        self._log_id: _Id | None = None

    def committed(self) -> None:
        """Something was committed: from now on there is a log."""
        if self._log_id is None:
            self._log_id = _identity(self._log)

    def held(self, connection: sqlite3.Connection) -> bool:
        """Whether what is committed now goes where the next start looks for it.

        Where a file was deleted, False: all is in the files of their names again then, and the connection, which is
        of no use any more, is closed. Raises sqlite3.Error where that cannot be had.
        """
        main = _identity(self._path)
        if main is None:
            self._write_anew(connection)
        elif main != self._main_id:
            raise sqlite3.OperationalError(_("another file has taken its name; stop the server or move that one away"))
        elif self._log_id is None or _identity(self._log) == self._log_id:
            return True
        else:
            # From the deleted log into the file.
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if busy:
                raise sqlite3.OperationalError(_("its log was deleted while another program reads it"))
        connection.close()
        return False

    def _write_anew(self, connection: sqlite3.Connection) -> None:
        new = self._path.with_name(self._path.name + ".new")
        try:
            new.unlink(missing_ok=True)
            os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # it holds hidden cards
            try:
                with closing(connect(new)) as copy:
                    copy.execute("PRAGMA synchronous = FULL")
                    connection.backup(copy)
                for suffix in ("-wal", "-shm"):
                    # What was beside the deleted file belongs to it, and would be taken for a part of this one.
                    self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
                os.link(new, self._path)  # never in place of another
            finally:
                with suppress(OSError):
                    new.unlink()
            sync_folder(self._path.parent)
        except OSError as problem:
            raise sqlite3.OperationalError(
                _("it was moved or deleted, and cannot be written anew ({cause})").format(cause=problem.strerror)
            ) from problem


def reopened(path: Path, durability: Durability) -> sqlite3.Connection:
    """A new connection. Raises sqlite3.Error."""
    try:
        return open_database(path, durability)
    except StoreError as problem:
        raise sqlite3.OperationalError(problem.sentence) from problem


def _identity(path: Path) -> _Id | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
