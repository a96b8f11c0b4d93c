"""What a person's machine remembers between runs: servers, names, keys and guests' tokens. Knows no network.

Files lie in one folder: the platform's own for user data, or $ROBBY_HOME; a profile is a folder below it, for being
somebody else on the same machine. Everything is written whole or not at all; keys and tokens only their owner may read.
A damaged file is set aside, never silently overwritten. A folder that cannot be written is no reason not to play:
`warnings` then says what is not remembered.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from robby_client.address import Address
from robby_client.client import LoginPlan
from robby_protocol.messages import Greeting, Welcome


class StoreError(Exception):
    """The store cannot be used as asked; str() is a plain sentence."""


@dataclass(frozen=True)
class KnownServer:
    """A server that was once logged in to. server_id: its public key, 32 bytes. name: what it calls itself."""

    address: Address
    server_id: bytes
    name: str
    guest: bool = False


class Store:
    """The memory in one folder.

    warnings: sentences for the person about what could not be read or written, oldest first; each is told once.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.warnings: list[str] = []

    @classmethod
    def open(cls, *, profile: str | None = None, environ: Mapping[str, str] | None = None) -> "Store":
        """The store of this user, in ROBBY_HOME if set. Raises StoreError.

        profile: 1 to 32 letters, digits, hyphens and underscores.
        """
        raise NotImplementedError

    def take_warnings(self) -> list[str]:
        """The warnings since the last time this was asked."""
        raise NotImplementedError

    @property
    def last_name(self) -> str | None:
        """The name used last."""
        raise NotImplementedError

    def recent(self) -> list[KnownServer]:
        """The servers logged in to, newest first."""
        raise NotImplementedError

    def forget(self, address: Address) -> None:
        """Forget a server and the id it had; its key is kept, for it may come back elsewhere."""
        raise NotImplementedError

    def plan(self, address: Address, name: str, *, guest: bool = False, password: str | None = None) -> LoginPlan:
        """How to log in there: with the key kept for the server (made when first needed), or as a guest."""
        raise NotImplementedError

    def remember(self, address: Address, greeting: Greeting, welcome: Welcome) -> None:
        """A login succeeded: keep the server's id and address, the name, and a guest's token."""
        raise NotImplementedError
