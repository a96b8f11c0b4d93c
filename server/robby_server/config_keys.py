"""Every key of the configuration file: where it stands, what it may hold, and what it is for.

The keys are the fields of `Settings` and of `Serving`, put into tables; their defaults and reasons are those of the
fields, read from where they are written, so that nothing is said twice. How a file is read is `config`'s business.
"""

import ast
import inspect
import textwrap
import types
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from robby_protocol.framing import HEADER_SIZE, LIMIT_FROM_CLIENT, LIMIT_FROM_SERVER
from robby_server.log import LEVELS
from robby_server.settings import Settings

PORT = 7622
"""Where a server listens if nothing else is said, and where clients look for it."""

Durability = Literal["process", "power"]


@dataclass(frozen=True, kw_only=True)
class Serving:
    """How a server is reached and where its files are: what has to be settled before there is one."""

    hosts: tuple[str, ...] = ()
    """Addresses or names of this machine to listen on; none: all, IPv4 and IPv6."""
    port: int = PORT
    """The port to listen on; 0 takes any that is free."""
    data: Path | None = None
    """The folder for the server's key, its store and its admin socket; without it the user's own data folder."""
    durability: Durability = "process"
    """What an answered input survives: with `process` the server's end however it comes, with `power` also a crash of
    the machine, at the price of waiting for the disk each time."""
    password_file: Path | None = None
    """Only who knows the password in the first line of this file may log in. (A password never stands in here.)"""
    tls_certificate: Path | None = None
    """The server's certificate in PEM form, followed by those between it and its authority. With it, whoever comes must
    speak TLS."""
    tls_key: Path | None = None
    """The certificate's private key in PEM form, without a passphrase."""


Kind = Literal["text", "whole", "number", "switch", "file", "texts"]

_TABLES: Mapping[str, tuple[str, ...]] = {
    "server": ("name=server_name", "hosts", "port", "data", "durability", "password_file", "stop_seconds"),
    "tls": ("certificate=tls_certificate", "key=tls_key"),
    "log": ("level=log_level", "file=log_file", "bytes=log_bytes", "files=log_files"),
    "admin": ("enabled=admin",),
    "metrics": ("host=metrics_host", "port=metrics_port"),
    "connections": (
        "connections",
        "connections_per_address",
        "refusals",
        "handshake_seconds",
        "wrong_password_seconds",
        "partial_frame_seconds",
        "message_rate",
        "message_burst",
        "message_bytes",
        "outbox_bytes",
        "lobby_outbox_bytes",
        "ping_seconds",
        "race_credit_ms",
        "race_ping_seconds",
        "round_trip_seconds",
        "silence_seconds",
        "idle_seconds",
        "farewell_seconds",
    ),
    "identities": (
        "key_days",
        "keys",
        "keys_per_address",
        "guest_hours",
        "guests",
        "guests_per_address",
        "seen_seconds",
        "attempts",
        "attempts_seconds",
        "resume_attempts",
    ),
    "tables": (
        "tables",
        "listed_tables",
        "idle_table_seconds",
        "title_cells",
        "inbox",
        "lobby_seconds",
        "grace_seconds",
        "waiting_seat_seconds",
        "host_away_seconds",
        "empty_playing_seconds",
        "open_seconds",
        "resume_seconds",
        "spectators",
        "spectator_delay_most",
        "spectator_bytes",
        "spectator_bytes_all",
    ),
    "chat": ("characters=chat_characters", "rate=chat_rate", "burst=chat_burst", "kept=chat_kept"),
    "bots": (
        "stand_in",
        "patience_seconds=bot_patience_seconds",
        "farewell_seconds=bot_farewell_seconds",
    ),
    "store": ("clock_seconds", "retry_seconds=store_retry_seconds", "ended_matches", "records"),
}
"""The tables with their keys in the order in which they are shown; `key=field` where the names differ."""

NOT_IN_FILE = frozenset({"password"})
"""Fields that the file does not hold: secrets."""

RELOADED_TABLES = frozenset({"tls", "connections"})
RELOADED = frozenset({"server_name", "password_file", "log_level", "log_file", "log_bytes", "log_files"})
"""What counts from the next reload on: these tables and fields. All else needs a new start."""

_MOST = 1_000_000_000
_LEAST_NUMBER = 0.01
_LIMITS: Mapping[str, tuple[float, float]] = {
    "port": (0, 65_535),
    "metrics_port": (0, 65_535),
    "connections": (1, 100_000),
    "refusals": (0, 10_000),
    "wrong_password_seconds": (0, 60),
    "outbox_bytes": (LIMIT_FROM_SERVER + HEADER_SIZE, _MOST),  # the longest frame must fit
    "handshake_seconds": (0.1, 600),
    "stop_seconds": (0.1, 600),
    "ping_seconds": (0.1, 3_600),
    "race_credit_ms": (0, 1_000),
    "race_ping_seconds": (0.1, 3_600),
    "tables": (0, 100_000),
    "listed_tables": (0, 1_000),  # what one frame holds
    "title_cells": (1, 200),
    "lobby_seconds": (0, 60),
    "grace_seconds": (0, _MOST),
    "waiting_seat_seconds": (0, _MOST),
    "host_away_seconds": (0, _MOST),
    "resume_seconds": (0, 3_600),
    "spectators": (0, 10_000),
    "spectator_delay_most": (0, 86_400),
    "chat_characters": (1, 2_000),
    "chat_kept": (0, 1_000),
    "message_bytes": (1, LIMIT_FROM_CLIENT),
    "log_bytes": (4_096, _MOST * 1_000),
    "log_files": (1, 1_000),
    "bot_farewell_seconds": (0, 600),
}
"""Least and most where they are not 1 (numbers of seconds and the like: a hundredth) and a thousand million."""

_CHOICES: Mapping[str, tuple[str, ...]] = {"log_level": LEVELS, "durability": get_args(Durability)}


@dataclass(frozen=True)
class Key:
    """One key of the file.

    field: of Settings or Serving. default: None: it need not be given. why: what it is for, one paragraph.
    least, most: for numbers. choices: for texts; empty: any.
    """

    table: str
    name: str
    field: str
    kind: Kind
    default: Any
    why: str
    least: float = 0
    most: float = 0
    choices: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """As people say it."""
        return f"{self.table}.{self.name}"

    @property
    def reloaded(self) -> bool:
        """Whether a reload is enough for it."""
        return self.table in RELOADED_TABLES or self.field in RELOADED


@cache
def keys() -> Mapping[str, Mapping[str, Key]]:
    """Tables by name, with their keys by name, in the order in which they are shown."""
    found: dict[str, dict[str, Key]] = {}
    kinds = {**_kinds(Serving), **_kinds(Settings)}
    reasons = {**_reasons(Serving), **_reasons(Settings)}
    defaults = {field.name: _default(field) for one in (Serving, Settings) for field in fields(one)}
    for table, entries in _TABLES.items():
        found[table] = {}
        for entry in entries:
            name, _equals, field = entry.partition("=")
            field = field or name
            kind = kinds[field]
            least: float = {"whole": 1.0, "number": _LEAST_NUMBER}.get(kind, 0.0)
            least, most = _LIMITS.get(field, (least, _MOST))
            found[table][name] = Key(
                table=table,
                name=name,
                field=field,
                kind=kind,
                default=defaults[field],
                why=reasons[field],
                least=least,
                most=most,
                choices=_CHOICES.get(field, ()),
            )
    return found


def all_keys() -> list[Key]:
    """All keys in the order in which they are shown."""
    return [key for table in keys().values() for key in table.values()]


def _default(field: Any) -> Any:
    return None if field.default is MISSING else field.default


def _kinds(kind: type) -> dict[str, Kind]:
    """What each field holds, by its annotation."""
    found: dict[str, Kind] = {}
    plain: Mapping[Any, Kind] = {str: "text", int: "whole", float: "number", bool: "switch", Path: "file"}
    for name, hint in get_type_hints(kind).items():
        if get_origin(hint) is types.UnionType:
            hint = next(part for part in get_args(hint) if part is not types.NoneType)
        if get_origin(hint) is tuple:
            found[name] = "texts"
        elif get_origin(hint) is Literal:
            found[name] = "text"
        else:
            found[name] = plain[hint]
    if "log_file" in found:
        found["log_file"] = "file"
    return found


def _reasons(kind: type) -> dict[str, str]:
    """The text below each field of a class, in one line."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef), "a class's source is a class"
    found = {}
    for statement, after in zip(body.body, body.body[1:], strict=False):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            text = ast.literal_eval(after.value) if isinstance(after, ast.Expr) else ""
            found[statement.target.id] = " ".join(str(text).split())
    return found
