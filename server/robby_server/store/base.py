"""The interface behind which everything is kept. What is committed here before anyone is told of it was accepted.

The interface is asynchronous, since a disk is; the memory store does not wait for anything, so that tests can run
under a fake clock. What entries are is the rules' business (`robby_rules.journal`), what a table's snapshot holds the
table's (`robby_server.kept`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from robby_rules.journal import Entry


@dataclass(frozen=True)
class KeptIdentity:
    """Somebody who may come back: a person with a key, or a guest with a token.

    key: the public key, none for a guest. token_digest: SHA-256 of the guest's token, empty for a key.
    origin: the address that it was first used from. seen: when it was last connected, in seconds since 1970.
    bound: whether the name belongs to the key; the operator can undo that.
    """

    id: str
    name: str
    key: bytes | None = None
    token_digest: bytes = b""
    origin: str = ""
    seen: int = 0
    bound: bool = True


@dataclass(frozen=True)
class Ban:
    """Somebody whom the operator keeps out.

    kind: `name` (and whatever looks like it), `key` (hex) or `address`. since: seconds since 1970. reason: for the
    operator, and shown to whoever is refused.
    """

    kind: str
    value: str
    reason: str = ""
    since: int = 0


@dataclass(frozen=True)
class Kept:
    """All that a store has when a server begins.

    clock_ms: the server's own clock when it was last recorded: milliseconds that it has run in all its lives.
    tables: snapshots by table id, in the order in which the tables were made.
    """

    clock_ms: int = 0
    tables: Mapping[str, bytes] = field(default_factory=dict)
    identities: Sequence[KeptIdentity] = ()
    bans: Sequence[Ban] = ()


class Store(Protocol):
    """Everything that outlives the process. Each method returns once its effect is committed: it will be there after a
    crash. The exception is a store in `trouble`, which keeps it in memory and writes it when it can."""

    async def load(self) -> Kept:
        """What is kept, once, before anything else."""
        ...

    @property
    def trouble(self) -> str | None:
        """Why nothing can be written now (no space, read-only …), in words for the operator; None: all is well."""
        ...

    def watch(self, listener: Callable[[str | None], None]) -> None:
        """Have a function called with the new `trouble` whenever it changes, in the server's own thread."""
        ...

    # Matches.

    async def append(self, match: str, entry: Entry) -> None:
        """Commit a match's next entry."""
        ...

    async def read(self, match: str) -> Sequence[Entry]:
        """All entries of a match in order. Raises KeyError for one that is not known, JournalError for one that cannot
        be read."""
        ...

    async def matches(self) -> Sequence[str]:
        """Ids of the matches that have begun and not ended."""
        ...

    async def end(self, match: str) -> None:
        """The match is over (or broken off) and needs not be taken up again. Its entries stay readable for a while."""
        ...

    # Tables, as bytes that only they understand.

    async def save_table(self, table: str, snapshot: bytes) -> None:
        """Keep a table as it is now."""
        ...

    async def drop_table(self, table: str) -> None:
        """The table has closed."""
        ...

    # People.

    async def save_identity(self, identity: KeptIdentity) -> None:
        """Keep somebody, new or changed, by id."""
        ...

    async def forget_identity(self, identity: str) -> None:
        """Keep somebody no longer."""
        ...

    async def save_ban(self, ban: Ban) -> None:
        """Keep a ban, new or changed, by kind and value."""
        ...

    async def lift_ban(self, kind: str, value: str) -> None:
        """Keep a ban no longer."""
        ...

    # The server.

    async def tick(self, clock_ms: int) -> None:
        """Record the server's own clock."""
        ...

    async def close(self) -> None:
        """Everything is written; nothing more will be."""
        ...
