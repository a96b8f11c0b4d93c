"""A table's snapshot: everything of it that must be there after a crash, besides its match's journal."""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from robby_protocol.messages import ScoreLine

SNAPSHOT_VERSION = 1
"""Of the snapshots' form. Grows whenever an older reader could not read them rightly."""


Phase = Literal["waiting", "playing", "finished"]
"""Of a table."""
State = Literal["here", "away", "stand_in", "left"]
"""Of a seat."""


class SnapshotError(Exception):
    """The bytes are not a snapshot that this version can read."""


class KeptSeat(Struct, frozen=True, kw_only=True):
    """A seat. owner: id of a person's identity; of a bot's seat empty. name: as shown. bot: which bot.

    state: `here`, `away`, `stand_in` or `left`; who was here comes back to a match that stands still for it.
    """

    owner: str
    name: str
    bot: str | None
    state: State
    joined: int


class KeptTable(Struct, frozen=True, kw_only=True):
    """A table.

    attempt: number of the next match, aborted starts counted. match: id of the one being played or just finished.
    began_ms: match time 0 on the server's own clock. paused_ms: the match time at which the match stands still, if so.
    owners: identity id and name by seat of the match (an id is empty for a bot). kicked, muted: identity ids.
    opening: commitments are being opened; a server that comes back counts the start as broken off.
    """

    table: str
    game: str
    title: str
    options: dict[str, Any]
    capacity: int
    origin: str
    phase: Phase
    seats: tuple[KeptSeat, ...]
    host: int | None
    attempt: int
    match: str | None = None
    began_ms: int = 0
    paused_ms: int | None = None
    owners: tuple[tuple[str, str], ...] = ()
    result: tuple[ScoreLine, ...] = ()
    kicked: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()
    private: bool = False
    invite: str = ""
    password_key: bytes = b""
    spectators: bool = True
    delay_s: int = 0
    aborted: int = 0
    opening: bool = False


def encode_table(kept: KeptTable) -> bytes:
    """The snapshot as msgpack: an array of the version and the fields."""
    return msgspec.msgpack.encode((SNAPSHOT_VERSION, kept))


def decode_table(data: bytes) -> KeptTable:
    """The snapshot of these bytes. Raises SnapshotError."""
    try:
        version = msgspec.msgpack.decode(data, type=tuple[int, msgspec.Raw])[0]
        if version != SNAPSHOT_VERSION:
            raise SnapshotError(f"snapshot version {version}; this program reads {SNAPSHOT_VERSION}")
        return msgspec.msgpack.decode(data, type=tuple[int, KeptTable])[1]
    except (msgspec.DecodeError, RecursionError) as error:
        raise SnapshotError(f"not a table's snapshot: {error}") from error
