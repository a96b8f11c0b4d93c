"""What an operator may ask of the running server: requests and answers as plain data, no sockets.

Nothing secret is in any answer: no seed, hidden card, token, invite code or password. Public keys and addresses of
people are, since bans are by them. A mistake in a request changes nothing and is answered with a code and a sentence.
"""

import os
import unicodedata
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable
from typing import Annotated, Any, Literal, NamedTuple, Protocol

import msgspec
import structlog
import trio
from msgspec import Meta, Struct

from robby_protocol import errors
from robby_protocol.i18n import _
from robby_protocol.messages import Notice
from robby_server.bans import BadBanError
from robby_server.directory import Directory, read_table_id
from robby_server.handshake import software
from robby_server.identities import Identities, Identity
from robby_server.names import skeletons
from robby_server.session import Session
from robby_server.settings import Settings
from robby_server.store import Ban, Store
from robby_server.table import Shut, Table
from robby_server.tally import Tally
from robby_server.tls import Tls

log = structlog.get_logger("robby.admin")

LONGEST_TEXT = 300
"""Characters of what is said to everybody, and of a ban's reason: a few lines of a terminal."""
ANSWER_SECONDS = 10.0
"""A request takes no longer; a disk that hangs is told, not waited for."""

BAD_REQUEST = "bad_request"
BAD_TEXT = "bad_text"
NO_SUCH_PLAYER = "no_such_player"
NO_SUCH_BAN = "no_such_ban"
BAD_BAN = "bad_ban"
NOT_POSSIBLE = "not_possible"
TIMED_OUT = "timed_out"


class AdminError(Exception):
    """A request is refused. code: for programs; text: a sentence with the remedy. Nothing has changed."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(code)
        self.code = code
        self.text = text


class BanList(Protocol):
    """Who is kept out."""

    def all(self) -> Sequence[Ban]: ...
    async def add(self, kind: str, value: str, reason: str = "") -> Ban: ...
    async def lift(self, kind: str, value: str) -> bool: ...


class ParkedTable(Protocol):
    """A table that is kept and cannot be played now, and why."""

    @property
    def table(self) -> str: ...
    @property
    def reason(self) -> str: ...


class Steered(Protocol):
    """What is needed of the server."""

    settings: Settings
    store: Store
    directory: Directory
    identities: Identities
    tally: Tally
    tls: Tls | None

    @property
    def server_id(self) -> bytes: ...
    @property
    def sessions(self) -> tuple[Session, ...]: ...
    @property
    def draining(self) -> bool: ...
    @property
    def parked(self) -> Sequence[ParkedTable]: ...
    @property
    def bans(self) -> BanList: ...
    def drain(self) -> None: ...
    def undrain(self) -> None: ...
    async def discard(self, table: str) -> bool: ...
    async def stop(self) -> None: ...


class Reloaded(NamedTuple):
    """What came of a reload, in sentences. problems: why everything stays as it was; none: it was read. warnings: what
    whoever reloads should know all the same, such as a certificate that has expired."""

    problems: Sequence[str] = ()
    warnings: Sequence[str] = ()


Reload = Callable[[], Awaitable[Reloaded]]
"""Reads certificates and configuration anew, as SIGHUP does."""

Value = Annotated[str, Meta(min_length=1, max_length=200)]


class Request(Struct, tag_field="do", forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Base of what may be asked; `do` tells which."""


class Status(Request, tag="status", frozen=True):
    """How the server is."""


class Tables(Request, tag="tables", frozen=True):
    """All tables."""


class Players(Request, tag="players", frozen=True):
    """All people who are connected or have a seat."""


class Say(Request, tag="say", kw_only=True, frozen=True):
    """Tell everybody something."""

    text: str


class Kick(Request, tag="kick", kw_only=True, frozen=True):
    """End somebody's connection; the seat is kept as after a loss."""

    name: Value


class BanOne(Request, tag="ban", kw_only=True, frozen=True):
    """Keep somebody out. kind: what value is."""

    kind: Literal["name", "key", "address"] = "name"
    value: Value
    reason: str = ""


class Unban(Request, tag="unban", kw_only=True, frozen=True):
    """Let somebody in again."""

    kind: Literal["name", "key", "address"] = "name"
    value: Value


class Bans(Request, tag="bans", frozen=True):
    """All bans."""


class Unbind(Request, tag="unbind", kw_only=True, frozen=True):
    """Free a name that is bound to a key."""

    name: Value


class Close(Request, tag="close", kw_only=True, frozen=True):
    """Close a table, whatever is played there."""

    table: Value


class Discard(Request, tag="discard", kw_only=True, frozen=True):
    """Throw a parked table away, for good."""

    table: Value


class Drain(Request, tag="drain", frozen=True):
    """Begin nothing new; stop when the last match is over."""


class Undrain(Request, tag="undrain", frozen=True):
    """Go on as usual after all."""


class Stop(Request, tag="stop", frozen=True):
    """Stop now, in good order."""


class Reread(Request, tag="reload", frozen=True):
    """Read certificates and configuration anew."""


AnyRequest = (
    Status
    | Tables
    | Players
    | Say
    | Kick
    | BanOne
    | Unban
    | Bans
    | Unbind
    | Close
    | Discard
    | Drain
    | Undrain
    | Stop
    | Reread
)


class Admin:
    """Answers requests about one server. nursery: where the server's stop runs, which ends whoever asked for it."""

    def __init__(self, server: Steered, nursery: trio.Nursery, reload: Reload | None = None) -> None:
        self._server = server
        self._nursery = nursery
        self._reload = reload
        self._began = trio.current_time()
        self._doers: dict[type[Request], Callable[[Any], Any]] = {
            Status: self._status,
            Tables: self._tables,
            Players: self._players,
            Say: self._say,
            Kick: self._kick,
            BanOne: self._ban,
            Unban: self._unban,
            Bans: self._bans,
            Unbind: self._unbind,
            Close: self._close,
            Discard: self._discard,
            Drain: self._drain,
            Undrain: self._undrain,
            Stop: self._stop,
            Reread: self._reread,
        }

    async def answer(self, line: bytes) -> dict[str, Any]:
        """The answer to one request, a JSON object: `{"ok": true, "result": …}`, or `{"ok": false, "code", "text"}`."""
        try:
            request = msgspec.json.decode(line, type=AnyRequest)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            return _refusal(BAD_REQUEST, _("This is not a request that the server knows: {why}.").format(why=error))
        name = str(request.__struct_config__.tag)
        try:
            with trio.fail_after(ANSWER_SECONDS):
                result = self._doers[type(request)](request)
                if isawaitable(result):
                    result = await result
        except AdminError as refusal:
            return _refusal(refusal.code, refusal.text)
        except trio.TooSlowError:
            log.warning("admin_timed_out", request=name)
            return _refusal(TIMED_OUT, _("The server did not get it done in time. Look at its status and log."))
        except Exception:  # a fault of ours in one request must stop neither the server nor the operator
            log.exception("admin_failed", request=name)
            return _refusal(errors.INTERNAL, errors.text_for(errors.INTERNAL))
        if not isinstance(request, Status | Tables | Players | Bans):
            log.info("admin", request=name)
        return {"ok": True, "result": result}

    # Looking.

    def _status(self, _request: Status) -> dict[str, Any]:
        server = self._server
        tally = server.tally
        phases: Counter[str] = Counter(table.phase for table in self._all_tables())
        return {
            "version": software(),
            "name": server.settings.server_name,
            "server_id": server.server_id.hex(),
            "uptime_s": round(trio.current_time() - self._began),
            "pid": os.getpid(),
            "connections": len(server.sessions),
            "people": server.identities.people,
            "tables": {phase: phases[phase] for phase in ("waiting", "playing", "finished")},
            "matches": {
                "started": tally.matches_started,
                "finished": tally.matches_finished,
                "broken_off": tally.matches_broken_off,
                "starts_aborted": tally.starts_aborted,
            },
            "draining": server.draining,
            "store_trouble": server.store.trouble,
            "parked": [{"table": parked.table, "reason": parked.reason} for parked in server.parked],
            "bans": len(server.bans.all()),
            "memory_bytes": memory_bytes(),
        }

    def _tables(self, _request: Tables) -> list[dict[str, Any]]:
        found = []
        for table in self._all_tables():
            info = table.info()
            found.append(
                {
                    "table": info.table,
                    "title": info.title,
                    "game": info.game,
                    "phase": info.phase,
                    "match": info.match,
                    "capacity": info.capacity,
                    "host": None if info.host is None else info.seats[info.host].name,
                    "seats": [{"name": seat.name, "bot": seat.bot, "state": seat.state} for seat in info.seats],
                    "private": info.private,
                    "watchers": info.watchers,
                    "kept": info.kept,
                    "origin": table.origin,
                }
            )
        return found

    def _players(self, _request: Players) -> list[dict[str, Any]]:
        people = {who.id: who for who in self._people()}
        for table in self._all_tables():
            for seat in table.seats:
                if seat.bot is None:
                    people.setdefault(seat.owner.id, seat.owner)
        return [
            {
                "name": who.name,
                "connected": who.session is not None,
                "table": who.table,
                "address": "" if who.session is None else who.session.address,
                "key": None if who.key is None else who.key.hex(),
            }
            for who in sorted(people.values(), key=lambda who: who.name.casefold())
        ]

    # Doing.

    def _say(self, request: Say) -> dict[str, Any]:
        notice = Notice(code="operator", text=_line(request.text))
        told = 0
        for session in self._server.sessions:
            if session.who is not None and session.who.kind == "person":
                session.send(notice)
                told += 1
        return {"told": told}

    def _kick(self, request: Kick) -> dict[str, Any]:
        who = self._named(request.name)
        assert who.session is not None, "only those who are connected are found"
        who.session.end(errors.REMOVED, reconnect=False)
        return {"name": who.name}

    async def _ban(self, request: BanOne) -> dict[str, Any]:
        reason = _line(request.reason) if request.reason else ""
        try:
            ban = await self._server.bans.add(request.kind, request.value, reason)
        except BadBanError as problem:
            raise AdminError(BAD_BAN, problem.sentence) from problem
        return {"kind": ban.kind, "value": ban.value}

    async def _unban(self, request: Unban) -> dict[str, Any]:
        try:
            lifted = await self._server.bans.lift(request.kind, request.value)
        except BadBanError as problem:
            raise AdminError(BAD_BAN, problem.sentence) from problem
        if not lifted:
            raise AdminError(NO_SUCH_BAN, _("There is no such ban. See robby admin bans."))
        return {"kind": request.kind, "value": request.value}

    def _bans(self, _request: Bans) -> list[dict[str, Any]]:
        return [
            {"kind": ban.kind, "value": ban.value, "reason": ban.reason, "since": ban.since}
            for ban in self._server.bans.all()
        ]

    async def _unbind(self, request: Unbind) -> dict[str, Any]:
        names = await self._server.identities.unbind(request.name)
        if not names:
            raise AdminError(NO_SUCH_PLAYER, _("This name is bound to no key. See robby admin players."))
        return {"names": list(names)}

    async def _close(self, request: Close) -> dict[str, Any]:
        table = self._server.directory.find(request.table)
        if not isinstance(table, Table) or table.ended:
            raise AdminError(errors.NO_SUCH_TABLE, _("There is no such table. See robby admin tables."))
        shut = Shut(trio.current_time(), errors.TABLE_CLOSED, trio.Event())
        table.post(shut)
        await shut.done.wait()
        return {"table": table.id}

    async def _discard(self, request: Discard) -> dict[str, Any]:
        table = read_table_id(request.table)
        if not await self._server.discard(table):
            raise AdminError(errors.NO_SUCH_TABLE, _("No such table is parked. See robby admin status."))
        return {"table": table}

    def _drain(self, _request: Drain) -> dict[str, Any]:
        self._server.drain()
        return {"playing": sum(1 for table in self._all_tables() if table.phase == "playing")}

    def _undrain(self, _request: Undrain) -> dict[str, Any]:
        self._server.undrain()
        return {}

    def _stop(self, _request: Stop) -> dict[str, Any]:
        self._nursery.start_soon(self._stop_soon)
        return {}

    async def _stop_soon(self) -> None:
        await trio.sleep(STOP_PAUSE)  # the answer leaves first
        await self._server.stop()

    async def _reread(self, _request: Reread) -> dict[str, Any]:
        if self._reload is None:
            raise AdminError(NOT_POSSIBLE, _("This server has nothing to read anew: no configuration, no certificate."))
        found = await self._reload()
        return {"problems": list(found.problems), "warnings": list(found.warnings)}

    # Finding.

    def _all_tables(self) -> list[Table]:
        return [table for table in self._server.directory.all() if isinstance(table, Table) and not table.ended]

    def _people(self) -> list[Identity]:
        return [
            session.who
            for session in self._server.sessions
            if session.who is not None and session.who.kind == "person" and session.who.session is session
        ]

    def _named(self, name: str) -> Identity:
        """Whoever is connected under this name; else the one whose name looks like it."""
        people = self._people()
        exact = [who for who in people if who.name == name]
        alike = exact or [who for who in people if who.looks & skeletons(name)]
        if not alike:
            raise AdminError(NO_SUCH_PLAYER, _("Nobody of that name is connected. See robby admin players."))
        return alike[0]


STOP_PAUSE = 0.05
"""Seconds between the answer to *stop* and the stop."""


def _refusal(code: str, text: str) -> dict[str, Any]:
    return {"ok": False, "code": code, "text": text}


def _line(text: str) -> str:
    """One line for people. Raises AdminError."""
    text = text.strip()
    if not text or len(text) > LONGEST_TEXT:
        raise AdminError(
            BAD_TEXT, _("The text is empty, or longer than {most} characters. Change it.").format(most=LONGEST_TEXT)
        )
    if any(unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for character in text):
        raise AdminError(BAD_TEXT, _("The text has line breaks or characters that nobody sees. Leave them out."))
    return text


def memory_bytes() -> int | None:
    """Resident memory of this process, where the system tells."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None
