"""Whom the operator keeps out: by name (and whatever looks like it), by key, by address.

An address is one of IPv4, a network of either kind (`10.1.0.0/16`), or one of IPv6, which stands for the /64 that one
connection is given. Knows who is banned and ends the connections that a new ban meets; knows nothing of tables.
"""

from collections.abc import Callable, Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import TYPE_CHECKING

import structlog

from robby_protocol.errors import BANNED, text_for
from robby_protocol.i18n import _
from robby_server.addresses import HOUSEHOLD_BITS
from robby_server.names import BadNameError, check_name, skeletons
from robby_server.store import Ban, Store
from robby_server.wall import wall_now

if TYPE_CHECKING:
    from robby_server.session import Session

log = structlog.get_logger("robby.bans")

KINDS = ("name", "key", "address")
LONGEST_REASON = 200
"""Characters of a reason: two lines of a terminal."""
MAPPED_BITS = 96
"""Of an IPv6 address before the IPv4 address in it, where it stands for one."""


class BadBanError(ValueError):
    """Such a ban makes no sense. sentence: why, with the remedy."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def ban_text(ban: Ban) -> str:
    """What a person is told who is refused."""
    return (
        f"{text_for(BANNED)} {_('The reason: {reason}').format(reason=ban.reason)}" if ban.reason else text_for(BANNED)
    )


class Bans:
    """All bans of one server. sessions: gives the connections there are. wall: the wall clock, for when a ban began."""

    def __init__(
        self,
        store: Store,
        *,
        sessions: Callable[[], Iterable["Session"]] = tuple,
        wall: Callable[[], float] = wall_now,
    ) -> None:
        self._store = store
        self._sessions = sessions
        self._wall = wall
        self._bans: dict[tuple[str, str], Ban] = {}
        self._by_look: dict[str, Ban] = {}
        self._networks: list[tuple[IPv4Network | IPv6Network, Ban]] = []

    def load(self, kept: Iterable[Ban]) -> None:
        """Take in the bans that were kept."""
        for ban in kept:
            self._bans[ban.kind, ban.value] = ban
        self._index()

    def all(self) -> Sequence[Ban]:
        """All bans in the order in which they were made."""
        return tuple(self._bans.values())

    async def add(self, kind: str, value: str, reason: str = "") -> Ban:
        """Keep somebody out from now on; connections that are here end at once, without coming back.

        value: a name; a key in hexadecimal; an address or network. Raises BadBanError. Returns the ban, kept.
        """
        value = _tidy(kind, value)
        reason = " ".join(reason.split())
        if len(reason) > LONGEST_REASON:
            raise BadBanError(
                _("The reason can have at most {count} characters. Shorten it.").format(count=LONGEST_REASON)
            )
        ban = Ban(kind, value, reason, round(self._wall()))
        self._bans[kind, value] = ban
        self._index()
        await self._store.save_ban(ban)
        met = 0
        for session in tuple(self._sessions()):
            who = session.who
            if session.trusted:
                continue
            if self.of_address(session.address) or (who is not None and self.of_person(who.name, who.key)):
                session.end(BANNED, reconnect=False, text=ban_text(ban))
                met += 1
        log.info("banned", kind=kind, value=value, connections=met)
        return ban

    async def lift(self, kind: str, value: str) -> bool:
        """Let somebody in again. Returns whether there was such a ban. Raises BadBanError."""
        value = _tidy(kind, value)
        found = self._bans.pop((kind, value), None)
        if found is None and kind == "name":  # as it is shown, or another spelling of it
            alike = [ban for ban in self._bans.values() if ban.kind == kind and skeletons(ban.value) & skeletons(value)]
            found = self._bans.pop((kind, alike[0].value)) if alike else None
        if found is None:
            return False
        self._index()
        await self._store.lift_ban(found.kind, found.value)
        log.info("unbanned", kind=kind, value=found.value)
        return True

    def of_address(self, address: str) -> Ban | None:
        """The ban that meets a connection from this address, or household."""
        if not self._networks:
            return None
        try:
            where = ip_network(address.partition("%")[0], strict=False)
        except ValueError:
            return None  # not an address of the Internet's: from inside the process
        for network, ban in self._networks:
            if network.version == where.version and where.network_address in network:
                return ban
        return None

    def of_person(self, name: str, key: bytes | None = None) -> Ban | None:
        """The ban that meets this name or this key."""
        if key is not None and ("key", key.hex()) in self._bans:
            return self._bans["key", key.hex()]
        if not self._by_look:
            return None
        return next((self._by_look[look] for look in skeletons(name) if look in self._by_look), None)

    def _index(self) -> None:
        bans = self._bans.values()
        self._by_look = {look: ban for ban in bans if ban.kind == "name" for look in skeletons(ban.value)}
        self._networks = [(ip_network(ban.value), ban) for ban in bans if ban.kind == "address"]


def _tidy(kind: str, value: str) -> str:
    """The value in its one spelling. Raises BadBanError."""
    if kind == "name":
        try:
            return check_name(value)
        except BadNameError as problem:
            raise BadBanError(problem.reason) from problem
    if kind == "key":
        try:
            key = bytes.fromhex(value)
        except ValueError:
            key = b""
        if len(key) != 32:
            raise BadBanError(_("A key has 64 digits from 0 to 9 and a to f. Copy it from robby admin players --json."))
        return key.hex()
    if kind == "address":
        try:
            network = ip_network(value.strip().partition("%")[0], strict=False)
        except ValueError:
            raise BadBanError(
                _("{value} is no address. Give one like 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32.").format(value=value)
            ) from None
        if isinstance(network, IPv6Network) and network.prefixlen > HOUSEHOLD_BITS:
            mapped = network.network_address.ipv4_mapped
            if mapped is not None and network.prefixlen >= MAPPED_BITS:
                return str(IPv4Network((mapped, network.prefixlen - MAPPED_BITS)))
            return str(network.supernet(new_prefix=HOUSEHOLD_BITS))
        return str(network)
    raise BadBanError(_("A ban is by one of: {kinds}.").format(kinds=", ".join(KINDS)))
