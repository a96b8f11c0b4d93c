"""Who is who on this server: guests with a token, people with a key, bots that the server seats.

Rules (docs/architecture.md has them for people): a name belongs to whoever is connected or seated under it, or whose
key is bound to it. Names that look alike count as one. Whoever logs in again with the key or the token is the same
identity; the newest connection is the one that counts. Knows nothing of tables beyond the id of the one sat at.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from heapq import nsmallest
from typing import TYPE_CHECKING, Literal

import trio

from robby_protocol.errors import NAME_TAKEN, RESUME_UNKNOWN, text_for
from robby_protocol.identity import same_secret
from robby_server.addresses import site_of
from robby_server.names import BadNameError, check_name, skeletons
from robby_server.settings import Settings
from robby_server.store import KeptIdentity, Store
from robby_server.wall import wall_now

if TYPE_CHECKING:
    from robby_server.session import Session

TOKEN_BYTES = 32
"""Of a resume token: nobody guesses 256 bits."""

TOGETHER_SECONDS = 1.0
"""Those who leave within this time are written down together: a network that fails takes many at once."""


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
    itself. seen: when its last connection ended, on trio's clock. origin: the address that it was first used from.
    bound: whether the name belongs to the key. arriving: how many of its logins are being kept at this moment.
    site: of origin.
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
    bound: bool = True
    arriving: int = 0
    site: str = ""
    looks: frozenset[str] = field(default_factory=frozenset)

    @property
    def here(self) -> bool:
        """Whether it is connected, about to be, or has a seat: then it is never forgotten."""
        return self.session is not None or self.table is not None or self.arriving > 0

    @property
    def holds_name(self) -> bool:
        """Whether nobody else may be called so now."""
        return self.kind == "person" and (self.here or (self.key is not None and self.bound))


class Identities:
    """All identities of one server. wall: the wall clock, by which the store counts days."""

    def __init__(
        self,
        settings: Settings,
        *,
        bot_names: Iterable[str] = (),
        store: Store,
        wall: Callable[[], float] = wall_now,
    ) -> None:
        self._settings = settings
        self._bot_names = tuple(bot_names)
        self._store = store
        self._wall = wall
        self._all: dict[str, Identity] = {}
        self._by_token: dict[bytes, Identity] = {}
        self._by_key: dict[bytes, Identity] = {}
        self._people: Counter[tuple[bool, str | None]] = Counter()  # by whether they have a key, and address; None: all
        self._by_site: Counter[str] = Counter()  # of people with keys
        self._by_look: dict[str, set[Identity]] = {}
        self._unsaved: dict[str, Identity] = {}
        self._left = trio.Event()
        self._connected = 0

    def load(self, kept: Iterable[KeptIdentity]) -> None:
        """Take in who was kept. Who has expired meanwhile is forgotten by `keep_saving`, unless a seat waits for it."""
        now, wall = trio.current_time(), self._wall()
        for one in kept:
            self._add(
                Identity(
                    id=one.id,
                    name=one.name,
                    kind="person",
                    key=one.key,
                    token_digest=one.token_digest,
                    origin=one.origin,
                    bound=one.bound,
                    seen=now - max(0.0, wall - one.seen),  # a wall clock that was put back makes nobody younger
                )
            )

    def __len__(self) -> int:
        return len(self._all)

    def by_id(self, identity: str) -> Identity | None:
        """The identity with this id, if it is still known."""
        return self._all.get(identity)

    @property
    def people(self) -> int:
        """How many people are connected."""
        return self._connected

    # Logging in. Each of these either returns the identity, kept, or raises LoginError and has changed nothing.

    async def guest(self, name: str, origin: str = "") -> tuple[Identity, bytes]:
        """A new guest and the token to come back with. origin: the address it comes from; empty: not counted."""
        name = self._free_name(name, None)
        gone = self._make_room(origin, keyed=False)
        who, token = self._new(name, "person", origin)
        await self._save(who)
        await self._drop(gone)
        return who, token

    async def resumed(self, token: bytes, name: str) -> Identity:
        """The identity with this token: a guest who comes back, or a bot that takes its place.

        A guest without a seat may come back under another name; with a seat the name stays what it is.
        """
        digest = sha256(token).digest()
        who = self._by_token.get(digest)
        if who is None or not same_secret(who.token_digest, digest) or self._expired(who):
            raise LoginError(RESUME_UNKNOWN)
        if who.kind == "person" and who.table is None:
            free = self._free_name(name, who)
            if free != who.name or not who.here:
                self._rename(who, free)
                await self._save(who)
        return who

    async def keyed(self, key: bytes, name: str, origin: str = "") -> Identity:
        """The person with this key, whose proof has been checked. The name is bound at the first use; without a seat
        one may take another, which is bound instead. origin: the address it comes from; empty: not counted."""
        gone: list[Identity] = []
        who = self._by_key.get(key)
        expired = who is not None and self._expired(who)
        if who is not None and not expired and (who.table is not None or (who.bound and who.name == name)):
            return who
        free = self._free_name(name, who)
        if who is not None and expired:
            self.forget(who)
            gone.append(who)
            who = None
        if who is None:
            gone += self._make_room(origin, keyed=True)
            who = Identity(id=new_identity_id(), name=free, kind="person", key=key, origin=origin)
            self._add(who)
        elif who.bound and who.name == free:
            return who
        else:
            who.bound = True
            self._rename(who, free)
        await self._save(who)
        await self._drop(gone)
        return who

    def bot(self, name: str, table: str) -> tuple[Identity, bytes]:
        """A bot that the server seats at a table, and the token it logs in with. Bots are never kept."""
        who, token = self._new(name, "bot")
        who.table = table
        return who, token

    # Life.

    def connected(self, who: Identity, session: "Session") -> "Session | None":
        """This connection counts from now on. Returns the older one, which is to be told that it was replaced."""
        older, who.session = who.session, session
        if older is None and who.kind == "person":
            self._connected += 1
        return older

    def disconnected(self, who: Identity, session: "Session") -> bool:
        """This connection has ended. Returns whether it was the one that counted."""
        if who.session is not session:
            return False
        who.session = None
        who.seen = trio.current_time()
        if who.kind == "person":
            self._connected -= 1
            self._unsaved[who.id] = who
            self._left.set()
        return True

    def forget(self, who: Identity) -> None:
        """A bot is dismissed, somebody has expired, there are too many: it cannot come back as the same."""
        if self._all.pop(who.id, None) is None:
            return
        self._by_token.pop(who.token_digest, None)
        if who.key is not None:
            self._by_key.pop(who.key, None)
        self._count(who, -1)
        self._unlook(who)

    async def unbind(self, name: str) -> list[str]:
        """The operator undoes the binding of a name, and of all that look like it. Returns those that were bound.

        The name is free at once, unless its owner is here: then as soon as it has gone. The key's next login binds
        whatever name it brings; a seat that waits for the key still does.
        """
        looks = skeletons(name)
        owners = {who for look in looks for who in self._by_look.get(look, ()) if who.key is not None and who.bound}
        for who in owners:
            who.bound = False
            if who.here:
                await self._save(who)
            else:
                self.forget(who)
                await self._drop([who])
        return sorted(who.name for who in owners)

    async def keep_saving(self) -> None:
        """Write down who was here when, and forget who has not been for long; without end.

        Nothing waits for this. Those who leave together are written together; who stays connected is written from time
        to time, so that a crash does not make a guest of many hours look like one who left long ago.
        """
        next_round = trio.current_time()
        try:
            while True:
                if trio.current_time() >= next_round:
                    next_round = trio.current_time() + self._settings.seen_seconds
                    for who in tuple(self._all.values()):
                        if who.session is not None and who.kind == "person":
                            self._unsaved[who.id] = who
                        elif self._expired(who):
                            self.forget(who)
                            await self._drop([who])
                self._left = trio.Event()
                unsaved, self._unsaved = self._unsaved, {}
                for who in unsaved.values():
                    if self._all.get(who.id) is who:
                        await self._store.save_identity(self._kept(who))
                with trio.move_on_at(next_round):
                    await self._left.wait()
                    await trio.sleep(TOGETHER_SECONDS)
        except trio.ClosedResourceError:
            return  # the server is stopping

    # Keeping.

    async def _save(self, who: Identity) -> None:
        """Keep somebody who is logging in: the name is held meanwhile, and nobody is welcomed before."""
        who.arriving += 1
        try:
            await self._store.save_identity(self._kept(who))
        finally:
            who.arriving -= 1

    async def _drop(self, gone: Iterable[Identity]) -> None:
        for who in gone:
            await self._store.forget_identity(who.id)

    def _kept(self, who: Identity) -> KeptIdentity:
        away = 0.0 if who.session is not None or who.arriving else trio.current_time() - who.seen
        return KeptIdentity(
            id=who.id,
            name=who.name,
            key=who.key,
            token_digest=who.token_digest,
            origin=who.origin,
            seen=max(0, round(self._wall() - away)),
            bound=who.bound,
        )

    # Finding.

    def _free_name(self, text: str, who: Identity | None) -> str:
        try:
            name = check_name(text, self._bot_names)
        except BadNameError as error:
            raise LoginError(error.code, error.reason) from error
        for look in skeletons(name):
            for other in self._by_look.get(look, ()):
                if other is not who and other.holds_name and not self._expired(other):
                    raise LoginError(NAME_TAKEN)
        return name

    def _new(self, name: str, kind: Literal["person", "bot"], origin: str = "") -> tuple[Identity, bytes]:
        token = secrets.token_bytes(TOKEN_BYTES)
        who = Identity(
            id=new_identity_id(),
            name=name,
            kind=kind,
            token_digest=sha256(token).digest(),
            seen=trio.current_time(),
            origin=origin,
        )
        self._add(who)
        return who, token

    def _add(self, who: Identity) -> None:
        who.site = site_of(who.origin)
        self._all[who.id] = who
        if who.key is not None:
            self._by_key[who.key] = who
        if who.token_digest:
            self._by_token[who.token_digest] = who
        self._count(who, 1)
        self._look(who)

    def _count(self, who: Identity, change: int) -> None:
        if who.kind == "person":
            if who.key is not None:
                self._by_site[who.site] += change
                if not self._by_site[who.site]:
                    del self._by_site[who.site]
            for origin in (None, who.origin):
                kind = (who.key is not None, origin)
                self._people[kind] += change
                if not self._people[kind]:
                    del self._people[kind]

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
        if who.kind != "person" or who.here:
            return False
        longest = self._settings.guest_hours * 3600 if who.key is None else self._settings.key_days * 86400
        return trio.current_time() - who.seen > longest

    def _make_room(self, origin: str, *, keyed: bool) -> list[Identity]:
        """Forget whoever must go before one more is remembered; the store is told later. Those away longest go first.

        An address that has too many gives up its own, so that nobody can push out others. A bound name is worth
        keeping, so only one goes, from where most are (of IPv6 anybody has thousands of addresses); of guests a tenth,
        so that the search is paid for once in many logins.
        """
        settings = self._settings
        most = settings.keys if keyed else settings.guests
        each = settings.keys_per_address if keyed else settings.guests_per_address
        of_address = bool(origin) and self._people[keyed, origin] >= each
        if not of_address and self._people[keyed, None] < most:
            return []
        away = [
            who
            for who in self._all.values()
            if who.kind == "person"
            and (who.key is not None) == keyed
            and not who.here
            and (not of_address or who.origin == origin)
        ]
        if keyed:
            gone = nsmallest(1, away, key=lambda who: (-self._by_site[who.site], who.seen))
        else:
            gone = nsmallest(max(1, len(away) // 10), away, key=lambda who: who.seen)
        for who in gone:
            self.forget(who)
        return gone


def new_identity_id() -> str:
    """A new opaque id."""
    return secrets.token_hex(8)
