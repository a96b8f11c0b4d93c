"""What a person's machine remembers between runs: servers, names, keys and guests' tokens. Knows no network.

Files lie in one folder: the platform's own for user data, or $ROBBY_HOME; a profile is a folder below it, for being
somebody else on the same machine. Everything is written whole or not at all; keys and tokens only their owner may read.
A damaged file is set aside, never silently overwritten. A folder that cannot be written is no reason not to play:
`warnings` then says what is not remembered.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import platformdirs
from msgspec import Struct, structs

from robby_client.address import Address, AddressError
from robby_client.dial import TlsPlan
from robby_client.files import NotWritable, put_aside, write_private
from robby_client.login import LoginPlan
from robby_client.safe import safe
from robby_protocol import identity
from robby_protocol.i18n import _
from robby_protocol.messages import Greeting, Welcome

HOME_VARIABLE = "ROBBY_HOME"
RECENT_LIMIT = 20
"""Servers shown; a list that one still reads."""
PINNED_LIMIT = 500
"""Servers whose id, and whether they speak TLS, is remembered: more than anybody visits, so none is forgotten."""
GUEST_LIMIT = 100
"""Guests' tokens remembered, the newest; old ones are worth nothing, for servers forget guests."""
MUTES_LIMIT = 200
"""Names muted at one server, the newest."""
STATE_VERSION = 2
"""Of `state.json`. 1 knew neither TLS nor mutes; what it has is read as it is. One of a newer version is left alone."""
_LARGEST_FILE = 1_000_000
"""Bytes; ours have some thousand. A larger one is damaged."""
_PROFILE = re.compile(r"[A-Za-z0-9_-]{1,32}")


class StoreError(Exception):
    """The store cannot be used as asked; str() is a plain sentence."""


@dataclass(frozen=True)
class KnownServer:
    """A server that was once logged in to. server_id: its public key, 32 bytes. name: its own, made harmless.

    tls: whether it was by TLS, and is to be from now on. ca: the file with the authorities that were trusted for it;
    tls_name: what its certificate had to be for; None: the system's, and the host.
    """

    address: Address
    server_id: bytes
    name: str
    guest: bool = False
    tls: bool = False
    ca: str | None = None
    tls_name: str | None = None


class _Server(Struct, kw_only=True, frozen=True):
    address: str
    server_id: str
    name: str = ""
    guest: bool = False
    tls: bool = False
    ca: str | None = None
    tls_name: str | None = None
    muted: list[str] = []


class _Guest(Struct, kw_only=True, frozen=True):
    server_id: str
    name: str
    token: str


class _State(Struct, kw_only=True):
    """`state.json`. servers: newest first."""

    version: int = STATE_VERSION
    last_name: str | None = None
    servers: list[_Server] = []


class _Guests(Struct, kw_only=True):
    """`guests.json`, newest first: only its owner may read it."""

    version: int = 1
    guests: list[_Guest] = []


FileT = TypeVar("FileT", _State, _Guests)


class Store:
    """The memory in one folder.

    warnings: sentences for the person about what could not be read or written, oldest first, each once.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.keeps = path
        """Below this folder receipts and records are kept."""
        self.warnings: list[str] = []
        self._warned: set[str] = set()
        self._unreadable: set[str] = set()
        self._state: _State = self._read("state.json", _State)
        self._guests: _Guests = self._read("guests.json", _Guests)
        self._keys: dict[bytes, bytes] = {}

    @classmethod
    def open(cls, *, profile: str | None = None, environ: Mapping[str, str] | None = None) -> "Store":
        """The store of this user, in ROBBY_HOME if set. Raises StoreError.

        profile: 1 to 32 letters, digits, hyphens and underscores.
        """
        home = (os.environ if environ is None else environ).get(HOME_VARIABLE)
        path = Path(home).expanduser() if home else platformdirs.user_data_path("robby", appauthor=False)
        if profile is not None:
            if not _PROFILE.fullmatch(profile):
                raise StoreError(
                    _("A profile's name has 1 to 32 letters, digits, hyphens and underscores, like guest-2.")
                )
            path = path / "profiles" / profile
        return cls(path)

    def take_warnings(self) -> list[str]:
        """The warnings since the last time this was asked."""
        taken, self.warnings = self.warnings, []
        return taken

    @property
    def last_name(self) -> str | None:
        """The name used last."""
        return self._state.last_name

    def recent(self) -> list[KnownServer]:
        """The servers logged in to, newest first."""
        found: list[KnownServer] = []
        for server in self._state.servers:
            if len(found) == RECENT_LIMIT:
                break
            try:
                address = Address.parse(server.address)
                server_id = bytes.fromhex(server.server_id)
            except (AddressError, ValueError):
                continue  # written by hand
            tls = (server.tls, server.ca, server.tls_name)
            found.append(KnownServer(address, server_id, safe(server.name), server.guest, *tls))
        return found

    def _known(self, address: Address) -> _Server | None:
        return next((server for server in self._state.servers if server.address == str(address)), None)

    def forget(self, address: Address) -> None:
        """Forget a server and the id it had; its key is kept, for it may come back elsewhere."""
        self._state = self._read("state.json", _State)
        self._state.servers = [server for server in self._state.servers if server.address != str(address)]
        self._write("state.json", self._state)

    def known_server_id(self, address: Address) -> bytes | None:
        """The id that the server at this address had."""
        known = self._known(address)
        try:
            return None if known is None else bytes.fromhex(known.server_id) or None
        except ValueError:
            return None  # written by hand

    def trust(self, address: Address, new_id: bytes) -> None:
        """The person says that the server of this id is the one at this address from now on."""
        self._change(address, server_id=new_id.hex())

    def trust_next(self, address: Address) -> None:
        """The person says beforehand that whichever server answers at this address now is to be its server."""
        self._change(address, server_id="")

    def tls(self, address: Address) -> TlsPlan | None:
        """How to connect by TLS to this address, as it was done before; None: it was without, or never."""
        known = self._known(address)
        if known is None or not known.tls:
            return None
        return TlsPlan(ca=None if known.ca is None else Path(known.ca), name=known.tls_name)

    def mutes(self, address: Address) -> list[str]:
        """The names muted at this server."""
        known = self._known(address)
        return [] if known is None else list(known.muted)

    def keep_mutes(self, address: Address, names: Sequence[str]) -> None:
        """Remember whom this person has muted at this server."""
        self._change(address, muted=list(names)[-MUTES_LIMIT:])

    def not_kept(self, reason: str) -> None:
        """Something else could not be written below this folder: the person is told once."""
        self._warn_unwritable(NotWritable(reason))

    def _change(self, address: Address, **fields: Any) -> None:
        """Change what is remembered of a known server."""
        self._state = self._read("state.json", _State)
        self._state.servers = [
            structs.replace(server, **fields) if server.address == str(address) else server
            for server in self._state.servers
        ]
        self._write("state.json", self._state)

    def plan(self, address: Address, name: str, *, guest: bool = False, password: str | None = None) -> LoginPlan:
        """How to log in there: with the key kept for the server (made when first needed), or as a guest."""
        known = self.known_server_id(address)
        if guest:
            return LoginPlan(
                name=name,
                password=password,
                known_server_id=known,
                resume_for=lambda server_id: self._token(server_id, name),
            )
        return LoginPlan(name=name, password=password, known_server_id=known, key_for=self.key)

    def key(self, server_id: bytes) -> bytes:
        """The private seed for this server, made and kept when first asked for."""
        if server_id not in self._keys:
            self._keys[server_id] = self._read_key(server_id) or self._make_key(server_id)
        return self._keys[server_id]

    def remember(
        self,
        address: Address,
        greeting: Greeting,
        welcome: Welcome,
        *,
        name: str | None = None,
        tls: TlsPlan | None = None,
    ) -> None:
        """A login succeeded: keep the server's id and address, the name, a guest's token, and how it was by TLS.

        name: as the person wrote it, by which a guest's token is found again; None: as the server shows it.
        """
        # Another client on this machine may have written meanwhile.
        self._state = self._read("state.json", _State)
        self._guests = self._read("guests.json", _Guests)
        name = welcome.name if name is None else name
        server_id = greeting.server_id.hex()
        # Once by TLS, always by TLS: a visit without it, which somebody asked for on purpose, changes nothing.
        tls = tls or self.tls(address)
        entry = _Server(
            address=str(address),
            server_id=server_id,
            name=greeting.server_name[:200],
            guest=bool(welcome.resume),
            tls=tls is not None,
            ca=None if tls is None or tls.ca is None else str(tls.ca.absolute()),
            tls_name=None if tls is None else tls.name,
            muted=self.mutes(address),
        )
        others = [server for server in self._state.servers if server.address != entry.address]
        self._state.servers = [entry, *others][:PINNED_LIMIT]
        self._state.last_name = name
        self._write("state.json", self._state)
        if welcome.resume:
            guest = _Guest(server_id=server_id, name=name, token=welcome.resume.hex())
            rest = [one for one in self._guests.guests if (one.server_id, one.name) != (server_id, name)]
            self._guests.guests = [guest, *rest][:GUEST_LIMIT]
            self._write("guests.json", self._guests)

    def _token(self, server_id: bytes, name: str) -> bytes:
        for guest in self._guests.guests:
            if guest.server_id == server_id.hex() and guest.name == name:
                try:
                    return bytes.fromhex(guest.token)
                except ValueError:
                    return b""
        return b""

    # Files.

    def _key_file(self, server_id: bytes) -> Path:
        return self.path / "keys" / f"{server_id.hex()}.key"

    def _read_key(self, server_id: bytes) -> bytes | None:
        path = self._key_file(server_id)
        data = self._read_bytes(path)
        if data is None:
            return None
        try:
            seed = bytes.fromhex(data.decode("ascii").strip())
        except (UnicodeDecodeError, ValueError):
            seed = b""
        if len(seed) == identity.KEY_SIZE:
            return seed
        self._set_aside(path)
        return None

    def _make_key(self, server_id: bytes) -> bytes:
        path = self._key_file(server_id)
        if path.exists():
            # It is there and cannot be read: a new one in its place would lose the name bound to the old.
            self._warn(_("The key {file} cannot be read; this time you play with a new one.").format(file=path))
            return identity.new_key()
        seed = identity.new_key()
        try:
            if write_private(path, seed.hex().encode("ascii") + b"\n", replace=False):
                return seed
        except NotWritable as error:
            self._warn_unwritable(error)
            return seed
        # Another client on this machine made one in the same moment: be the same identity.
        return self._read_key(server_id) or seed

    def _read(self, name: str, wanted: type[FileT]) -> FileT:
        path = self.path / name
        data = self._read_bytes(path)
        if data is None:
            return wanted()
        try:
            content = msgspec.json.decode(data, type=wanted)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._set_aside(path)
            return wanted()
        newest = wanted().version
        if content.version > newest:
            # Of a newer Robby: what this one does not know must not get lost by writing it again.
            self._unreadable.add(path.name)
            self._warn(
                _("{file} was written by a newer Robby; this one uses what it can and leaves it as it is.").format(
                    file=path
                )
            )
        content.version = newest
        return content

    def _read_bytes(self, path: Path) -> bytes | None:
        try:
            with path.open("rb") as file:
                return file.read(_LARGEST_FILE)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn(
                _("{file} cannot be read ({reason}); it is left as it is.").format(file=path, reason=error.strerror)
            )
            self._unreadable.add(path.name)
            return None

    def _write(self, name: str, content: Struct) -> None:
        path = self.path / name
        if path.name in self._unreadable:
            return  # what is there may be worth more than what we know
        try:
            write_private(path, msgspec.json.format(msgspec.json.encode(content)) + b"\n")
        except NotWritable as error:
            self._warn_unwritable(error)

    def _set_aside(self, path: Path) -> None:
        try:
            aside = put_aside(path)
        except NotWritable:
            self._unreadable.add(path.name)
            self._warn(_("{file} is damaged; it is left as it is and not used.").format(file=path))
        else:
            self._warn(_("{file} was damaged; it is set aside as {aside}.").format(file=path, aside=aside.name))

    def _warn_unwritable(self, error: NotWritable) -> None:
        self._warn(
            _("Nothing can be written to {folder} ({reason}); this time nothing is remembered.").format(
                folder=self.path, reason=error.reason
            )
        )

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self.warnings.append(text)
