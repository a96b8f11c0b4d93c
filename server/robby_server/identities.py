"""Who is who on this server: guests with a token, people with a key, bots that the server seats.

Rules (docs/architecture.md has them for people): a name belongs to whoever is connected or seated under it, or whose
key is bound to it. Names that look alike count as one. Whoever logs in again with the key or the token is the same
identity; the newest connection is the one that counts. Knows nothing of tables beyond the id of the one sat at.
"""

import secrets
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

import trio

from robby_protocol.errors import NAME_TAKEN, RESUME_UNKNOWN, text_for
from robby_protocol.identity import same_secret
from robby_server.names import BadNameError, check_name, skeletons
from robby_server.settings import Settings
from robby_server.store import KeptIdentity, Store

if TYPE_CHECKING:
    from robby_server.session import Session

TOKEN_BYTES = 32
"""Of a resume token: nobody guesses 256 bits."""


class LoginError(Exception):
    """A login is refused. code: for programs; text: for the person, with the remedy. Nothing has changed."""

    def __init__(self, code: str, text: str | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.text = text_for(code) if text is None else text


@dataclass(eq=False)
class Identity:
    """A person or a bot as the server knows it. Two are the same only if they are the same object.

    session: the one connection that counts, if any. table: the table where it has a seat to which it comes back by
    itself. seen: when its last connection ended, on trio's clock. origin: the address that its key was first used from.
    """

    id: str
    name: str
    kind: Literal["person", "bot"]
    key: bytes | None = None
    token_digest: bytes = b""
    session: "Session | None" = None
    table: str | None = None
    seen: float = 0.0
    origin: str = ""
    looks: frozenset[str] = field(default_factory=frozenset)

    @property
    def holds_name(self) -> bool:
        """Whether nobody else may be called so now."""
        return self.kind == "person" and (self.session is not None or self.table is not None or self.key is not None)


class Identities:
    """All identities of one server."""

    def __init__(self, settings: Settings, *, bot_names: Iterable[str] = (), store: Store) -> None:
        self._settings = settings
        self._bot_names = tuple(bot_names)
        self._store = store
        self._all: dict[str, Identity] = {}
        self._by_token: dict[bytes, Identity] = {}
        self._by_key: dict[bytes, Identity] = {}
        self._keys_of: Counter[str] = Counter()
        self._by_look: dict[str, set[Identity]] = {}

    def load(self, kept: Iterable[KeptIdentity]) -> None:
        """Take in who was kept."""
        for one in kept:
            self._add(Identity(id=one.id, name=one.name, kind="person", key=one.key, token_digest=one.token_digest))

    def __len__(self) -> int:
        return len(self._all)

    @property
    def people(self) -> int:
        """How many people are connected."""
        return sum(1 for who in self._all.values() if who.kind == "person" and who.session is not None)

    # Logging in. Each of these either returns the identity or raises LoginError and has changed nothing.

    def guest(self, name: str) -> tuple[Identity, bytes]:
        """A new guest and the token to come back with."""
        name = self._free_name(name, None)
        self._forget_guests()
        return self._new(name, "person")

    def resumed(self, token: bytes, name: str) -> Identity:
        """The identity with this token: a guest who comes back, or a bot that takes its place.

        A guest without a seat may come back under another name; with a seat the name stays what it is.
        """
        digest = sha256(token).digest()
        who = self._by_token.get(digest)
        if who is None or not same_secret(who.token_digest, digest) or self._expired(who):
            raise LoginError(RESUME_UNKNOWN)
        if who.kind == "person" and who.table is None:
            self._rename(who, self._free_name(name, who))
        return who

    async def keyed(self, key: bytes, name: str, origin: str = "") -> Identity:
        """The person with this key, whose proof has been checked. The name is bound at the first use; without a seat
        one may take another, which is bound instead. origin: the address it comes from; empty: not counted."""
        who = self._by_key.get(key)
        if who is not None and (who.table is not None or who.name == name):
            return who
        free = self._free_name(name, who)
        if who is None:
            too_many = self._one_too_many(origin)
            who = Identity(id=new_identity_id(), name=free, kind="person", key=key, origin=origin)
            self._add(who)
            if too_many is not None and too_many.key is not None:
                self.forget(too_many)
                await self._store.forget_identity(too_many.id)
        elif who.name != free:
            self._rename(who, free)
        else:
            return who
        await self._store.save_identity(KeptIdentity(who.id, free, key, origin=who.origin))
        return who

    def bot(self, name: str, table: str) -> tuple[Identity, bytes]:
        """A bot that the server seats at a table, and the token it logs in with."""
        who, token = self._new(name, "bot")
        who.table = table
        return who, token

    # Life.

    def connected(self, who: Identity, session: "Session") -> "Session | None":
        """This connection counts from now on. Returns the older one, which is to be told that it was replaced."""
        older, who.session = who.session, session
        return older

    def disconnected(self, who: Identity, session: "Session") -> bool:
        """This connection has ended. Returns whether it was the one that counted."""
        if who.session is not session:
            return False
        who.session = None
        who.seen = trio.current_time()
        return True

    def forget(self, who: Identity) -> None:
        """A bot is dismissed, a guest's token has expired, there are too many keys: it cannot come back as the same."""
        self._all.pop(who.id, None)
        self._by_token.pop(who.token_digest, None)
        if who.key is not None and self._by_key.pop(who.key, None) is not None:
            self._keys_of[who.origin] -= 1
            if not self._keys_of[who.origin]:
                del self._keys_of[who.origin]
        self._unlook(who)

    def _free_name(self, text: str, who: Identity | None) -> str:
        try:
            name = check_name(text, self._bot_names)
        except BadNameError as error:
            raise LoginError(error.code, error.reason) from error
        for look in skeletons(name):
            if any(other is not who and other.holds_name for other in self._by_look.get(look, ())):
                raise LoginError(NAME_TAKEN)
        return name

    def _new(self, name: str, kind: Literal["person", "bot"]) -> tuple[Identity, bytes]:
        token = secrets.token_bytes(TOKEN_BYTES)
        who = Identity(
            id=new_identity_id(), name=name, kind=kind, token_digest=sha256(token).digest(), seen=trio.current_time()
        )
        self._add(who)
        return who, token

    def _add(self, who: Identity) -> None:
        self._all[who.id] = who
        if who.key is not None:
            self._by_key[who.key] = who
            self._keys_of[who.origin] += 1
        if who.token_digest:
            self._by_token[who.token_digest] = who
        self._look(who)

    def _rename(self, who: Identity, name: str) -> None:
        self._unlook(who)
        who.name = name
        self._look(who)

    def _look(self, who: Identity) -> None:
        if who.kind == "person":  # bots' names are refused to people as such
            who.looks = skeletons(who.name)
            for look in who.looks:
                self._by_look.setdefault(look, set()).add(who)

    def _unlook(self, who: Identity) -> None:
        for look in who.looks:
            others = self._by_look.get(look)
            if others is not None:
                others.discard(who)
                if not others:
                    del self._by_look[look]
        who.looks = frozenset()

    def _expired(self, who: Identity) -> bool:
        return (
            who.kind == "person"
            and who.session is None
            and who.table is None
            and trio.current_time() - who.seen > self._settings.guest_hours * 3600
        )

    def _one_too_many(self, origin: str) -> Identity | None:
        """Before a new key is bound: the one to be forgotten for it, away longest, where there are too many.

        An address that has too many gives up one of its own, so that nobody can push out others' names.
        """
        settings = self._settings
        of_address = bool(origin) and self._keys_of[origin] >= settings.keys_per_address
        if not of_address and len(self._by_key) < settings.keys:
            return None
        away = (
            who
            for who in self._by_key.values()
            if who.session is None and who.table is None and (not of_address or who.origin == origin)
        )
        return min(away, key=lambda who: who.seen, default=None)

    def _forget_guests(self) -> None:
        """Forget expired guests, and those away longest beyond the limit. Called before a new one is made."""
        if len(self._by_token) < self._settings.guests:
            return
        away = sorted(
            (who for who in self._by_token.values() if who.kind == "person" and not who.holds_name),
            key=lambda who: who.seen,
        )
        # A tenth at once, so that the sorting is paid for once in many logins.
        for who in away[: max(1, len(away) // 10)]:
            self.forget(who)


def new_identity_id() -> str:
    """A new opaque id."""
    return secrets.token_hex(8)
