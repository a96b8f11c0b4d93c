"""The store's tables, and the steps from each version of them to the next.

A step is never changed once it was released: a store made by it is out there. A new version is a new step at the end.
"""

import sqlite3

from robby_protocol.i18n import _
from robby_server.store.errors import STORE_NEWER, StoreError

APPLICATION_ID = 0x526F6279
"""`Roby`: SQLite keeps it in the file's head, so that another program's database is never taken for ours."""

STEPS: tuple[tuple[str, ...], ...] = (
    # To version 1. Rows are in the order in which they were first written: `position`.
    (
        "CREATE TABLE entries (match TEXT NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL,"
        " PRIMARY KEY (match, number)) STRICT, WITHOUT ROWID",
        "CREATE TABLE matches (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
        " ended INTEGER NOT NULL DEFAULT 0) STRICT",
        "CREATE TABLE tables (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, snapshot BLOB NOT NULL) STRICT",
        "CREATE TABLE identities (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
        " key BLOB, token_digest BLOB NOT NULL, origin TEXT NOT NULL, seen INTEGER NOT NULL) STRICT",
        "CREATE TABLE bans (position INTEGER PRIMARY KEY, kind TEXT NOT NULL, value TEXT NOT NULL,"
        " reason TEXT NOT NULL, since INTEGER NOT NULL, UNIQUE (kind, value)) STRICT",
        "CREATE TABLE clock (one INTEGER PRIMARY KEY CHECK (one = 1), ms INTEGER NOT NULL) STRICT",
        "INSERT INTO clock VALUES (1, 0)",
    ),
    # To version 2. When a match ended among the others, so that the oldest go first: before, only whether it had.
    # An operator can undo the binding of a name to a key.
    (
        "ALTER TABLE matches ADD COLUMN ended_at INTEGER",
        "UPDATE matches SET ended_at = position WHERE ended",
        "ALTER TABLE matches DROP COLUMN ended",
        "CREATE INDEX matches_ended ON matches (ended_at) WHERE ended_at IS NOT NULL",
        "ALTER TABLE identities ADD COLUMN bound INTEGER NOT NULL DEFAULT 1",
    ),
)

VERSION = len(STEPS)
"""Of the tables as this program uses them; SQLite keeps it in the file's head (`user_version`)."""


def check_version(connection: sqlite3.Connection, path: object) -> int:
    """The version of the tables as they are; 0: there are none yet.

    path: for the sentence. Raises StoreError: `store_newer`; and sqlite3.Error.
    """
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > VERSION:
        raise StoreError(
            STORE_NEWER,
            _(
                "{path} was written by a newer Robby (form {found}; this one knows {known})."
                " Install that version or a newer one; nothing was changed."
            ).format(path=path, found=found, known=VERSION),
        )
    return found


def migrate(connection: sqlite3.Connection, found: int) -> None:
    """Bring the tables from version `found` to VERSION, each step whole or not at all.

    connection: in autocommit mode. Raises sqlite3.Error.
    """
    for number, statements in enumerate(STEPS[found:], found + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
