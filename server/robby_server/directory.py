"""Which tables there are, by id, and telling those who watch the lobby. Knows tables only by what they show.

Ids are random and so unique beyond this process: later several servers may show one lobby.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import trio

from robby_protocol import codec, errors
from robby_protocol.framing import LIMIT_FROM_SERVER
from robby_protocol.messages import LobbyTables, Message, TableInfo
from robby_server.addresses import SITE_TIMES, site_of
from robby_server.rejected import Rejected
from robby_server.session import Session
from robby_server.settings import Settings

ID_LENGTH = 8
"""40 bits: typed by hand, and no two tables alike in a lifetime."""
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O, U, so that nothing is misread."""

LARGEST_PICTURE = LIMIT_FROM_SERVER - 1024
"""Bytes of a frame that shows the lobby; a little room is left for what an answer has around it."""

MOST_VALUES = codec.MAX_VALUES_FROM_SERVER - 16
"""Values in the same frame, beyond which no client reads it; there is room for what is around."""

_READ_AS = str.maketrans({"I": "1", "L": "1", "O": "0", "-": None, " ": None})


def new_table_id() -> str:
    """A new random id."""
    return "".join(secrets.choice(ALPHABET) for _position in range(ID_LENGTH))


def read_table_id(text: str) -> str:
    """An id as a person typed it, in its one spelling: case, hyphens and spaces do not count, I and L are 1, O is 0."""
    return text.upper().translate(_READ_AS)


class Listed(Protocol):
    """What the directory needs of a table."""

    id: str
    origin: str

    def listed(self) -> TableInfo:
        """What the lobby may know of it."""
        ...


class Directory:
    """The tables of this process, behind ids that would be unique among many.

    people: asked for how many people are on the server.
    """

    def __init__(self, settings: Settings, people: Callable[[], int]) -> None:
        self._settings = settings
        self._people = people
        self._tables: dict[str, Listed] = {}
        self._watchers: set[Session] = set()
        self._changed = trio.Event()
        self._now: tuple[list[TableInfo], bytes] | None = None  # until something changes, as the next
        self._picture: bytes | None = None

    def __len__(self) -> int:
        return len(self._tables)

    def new_id(self, origin: str = "") -> str:
        """An id for a new table. Raises Rejected where there are too many tables, in all or made from this address.

        origin: the address; empty for somebody inside the process, who is not counted.
        """
        each, site = self._settings.connections_per_address, site_of(origin)
        if len(self._tables) >= self._settings.tables or (
            origin
            and (
                sum(table.origin == origin for table in self._tables.values()) >= each
                or sum(site_of(table.origin) == site for table in self._tables.values()) >= each * SITE_TIMES
            )
        ):
            raise Rejected(errors.TOO_MANY_TABLES)
        while (table := new_table_id()) in self._tables:
            pass
        return table

    def add(self, table: Listed) -> None:
        """Show a new table."""
        self._tables[table.id] = table
        self.changed()

    def remove(self, table: Listed) -> None:
        """A table has closed."""
        if self._tables.pop(table.id, None) is not None:
            self.changed()

    def find(self, text: str) -> Listed | None:
        """The table with this id, however it was typed."""
        return self._tables.get(read_table_id(text))

    def all(self) -> Iterable[Listed]:
        """All tables, oldest first."""
        return tuple(self._tables.values())

    def infos(self) -> list[TableInfo]:
        """What is public about the tables, as many as one frame holds: those to join first, each kind oldest first."""
        return self._shown()[0]

    def listing(self) -> bytes:
        """The answer to `lobby.list`, packed once for all who ask: many tables take long, and anybody may ask often."""
        return self._shown()[1]

    def _shown(self) -> tuple[list[TableInfo], bytes]:
        if self._now is None:
            infos = [table.listed() for table in self._tables.values()]
            infos.sort(key=lambda info: info.phase == "playing")
            del infos[self._settings.listed_tables :]
            plain = codec.plain(infos)
            listing = codec.pack_result({"tables": plain})
            if len(listing) > LARGEST_PICTURE or codec.count_values(plain) > MOST_VALUES:
                fitting = _fitting(plain)
                del infos[fitting:]
                listing = codec.pack_result({"tables": plain[:fitting]})
            self._now = infos, listing
        return self._now

    # Watching.

    def watch(self, session: Session) -> None:
        """Tell this connection now and after each change."""
        self._watchers.add(session)
        session.send_frame(self.picture())

    def unwatch(self, session: Session) -> None:
        """Tell it no more."""
        self._watchers.discard(session)

    def tell(self, message: Message) -> None:
        """Tell those who watch something else; whoever has too much waiting is skipped."""
        frame = codec.encode(message)
        for session in tuple(self._watchers):
            if session.waiting_bytes <= self._settings.lobby_outbox_bytes:
                session.send_frame(frame)

    def watches(self, session: Session) -> bool:
        """Whether this connection watches the lobby."""
        return session in self._watchers

    def changed(self) -> None:
        """Something that the lobby shows has changed."""
        self._now = self._picture = None
        self._changed.set()

    async def keep_telling(self) -> None:
        """Tell the watchers of changes, those close together at once. Runs until cancelled."""
        behind: set[Session] = set()
        while True:
            if behind:
                with trio.move_on_after(self._settings.lobby_seconds):
                    await self._changed.wait()
            else:
                await self._changed.wait()
            await trio.sleep(self._settings.lobby_seconds)
            receivers = self._watchers if self._changed.is_set() else behind & self._watchers
            self._changed = trio.Event()
            picture = self.picture() if receivers else b""
            behind = set()
            for session in tuple(receivers):
                if session.waiting_bytes > self._settings.lobby_outbox_bytes:
                    behind.add(session)  # it gets the newest picture once it has read what it has
                else:
                    session.send_frame(picture)

    def picture(self) -> bytes:
        """The frame for those who watch, encoded once."""
        if self._picture is None:
            self._picture = codec.encode(LobbyTables(tables=self.infos(), people=self._people()))
        return self._picture


def _fitting(tables: Sequence[dict[str, Any]]) -> int:
    """How many of them, from the first on, one frame holds."""
    room, values = LARGEST_PICTURE, MOST_VALUES
    for number, table in enumerate(tables):
        room -= len(codec.pack_result(table))
        values -= codec.count_values(table)
        if room < 0 or values < 0:
            return number
    return len(tables)
