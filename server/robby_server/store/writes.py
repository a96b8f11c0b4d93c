"""What is written to the store, as SQL: each write is some statements that are carried out together."""

from typing import NamedTuple

from robby_server.store.base import Ban, KeptIdentity

Value = str | int | bytes | None
Statement = tuple[str, tuple[Value, ...]]


class Write(NamedTuple):
    """One call's effect.

    key: of several waiting writes with the same key the newest says it all; None: each counts.
    entry: the match and the bytes, where it is one. ended: the match that it ends.
    """

    statements: tuple[Statement, ...]
    key: tuple[str, ...] | None = None
    entry: tuple[str, bytes] | None = None
    ended: str | None = None


_TOO_OLD = "SELECT id FROM matches WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT -1 OFFSET ?"


def append(match: str, data: bytes) -> Write:
    """The match's next entry; with the first the match is there."""
    return Write(
        (
            ("INSERT INTO matches (id) VALUES (?) ON CONFLICT DO NOTHING", (match,)),
            (
                "INSERT INTO entries SELECT ?, coalesce(max(number) + 1, 0), ? FROM entries WHERE match = ?",
                (match, data, match),
            ),
        ),
        entry=(match, data),
    )


def end(match: str, keep: int) -> Write:
    """The match has ended; of the ended ones the newest `keep` stay."""
    return Write(
        (
            (
                "INSERT INTO matches (id, ended_at) SELECT ?, coalesce(max(ended_at), 0) + 1 FROM matches"
                " WHERE ended_at IS NOT NULL ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at"
                " WHERE matches.ended_at IS NULL",
                (match,),
            ),
            (f"DELETE FROM entries WHERE match IN ({_TOO_OLD})", (keep,)),
            (f"DELETE FROM matches WHERE id IN ({_TOO_OLD})", (keep,)),
        ),
        ended=match,
    )


def save_table(table: str, snapshot: bytes) -> Write:
    """The table as it is now."""
    return Write(
        (
            (
                "INSERT INTO tables (id, snapshot) VALUES (?, ?)"
                " ON CONFLICT (id) DO UPDATE SET snapshot = excluded.snapshot",
                (table, snapshot),
            ),
        ),
        key=("table", table),
    )


def drop_table(table: str) -> Write:
    """The table has closed."""
    return Write((("DELETE FROM tables WHERE id = ?", (table,)),), key=("table", table))


def save_identity(who: KeptIdentity) -> Write:
    """Somebody, new or changed."""
    return Write(
        (
            (
                "INSERT INTO identities (id, name, key, token_digest, origin, seen, bound) VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET name = excluded.name, key = excluded.key,"
                " token_digest = excluded.token_digest, origin = excluded.origin, seen = excluded.seen,"
                " bound = excluded.bound",
                (who.id, who.name, who.key, who.token_digest, who.origin, who.seen, int(who.bound)),
            ),
        ),
        key=("identity", who.id),
    )


def forget_identity(identity: str) -> Write:
    """Somebody is kept no longer."""
    return Write((("DELETE FROM identities WHERE id = ?", (identity,)),), key=("identity", identity))


def save_ban(ban: Ban) -> Write:
    """A ban, new or changed."""
    return Write(
        (
            (
                "INSERT INTO bans (kind, value, reason, since) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (kind, value) DO UPDATE SET reason = excluded.reason, since = excluded.since",
                (ban.kind, ban.value, ban.reason, ban.since),
            ),
        ),
        key=("ban", ban.kind, ban.value),
    )


def lift_ban(kind: str, value: str) -> Write:
    """A ban no longer holds."""
    return Write((("DELETE FROM bans WHERE kind = ? AND value = ?", (kind, value)),), key=("ban", kind, value))


def tick(clock_ms: int) -> Write:
    """The server's own clock."""
    return Write((("UPDATE clock SET ms = ?", (clock_ms,)),), key=("clock",))
