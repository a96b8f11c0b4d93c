"""The wire, written down: every message, field, type, bound, code and limit as one stable map, and what a change of it
means for the version. `python -m robby_protocol.schema` prints the protocol's own.

Types are short phrases (`int 0..63`, `list of TableInfo`, `str up to 64 or nil`), the same that docs/protocol.md uses.
Texts for people are left out: they may change at any time. The games' types come in from outside.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, Protocol

import msgspec
from msgspec import inspect

from robby_protocol import codec, errors, framing
from robby_protocol.handshake import PROTOCOL_VERSIONS, Version
from robby_protocol.messages import COMMANDS, FROM_CLIENT, FROM_SERVER, Message
from robby_protocol.messages.base import MAX_INTEGER

Schema = dict[str, Any]


class Game(Protocol):
    """What is asked of a game: the wire types that `robby_games.registry` lists."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def options(self) -> Any: ...
    @property
    def action(self) -> Any: ...
    @property
    def event(self) -> Any: ...
    @property
    def public(self) -> Any: ...
    @property
    def own(self) -> Any: ...


class Step(IntEnum):
    """How far apart two schemas are: what the version must at least be raised by."""

    NONE = 0
    MINOR = 1
    MAJOR = 2


def schema(games: Iterable[Game] = (), version: Version = PROTOCOL_VERSIONS[-1]) -> Schema:
    """The whole schema, plain values, in a stable order."""
    types: dict[str, Any] = {}
    kinds = dict.fromkeys((*FROM_CLIENT, *FROM_SERVER))
    messages = {_tag(kind): _message(kind, types) for kind in kinds}
    return {
        "version": list(version),
        "limits": {
            "handshake_from_client": framing.LIMIT_HANDSHAKE_FROM_CLIENT,
            "handshake_from_server": framing.LIMIT_HANDSHAKE_FROM_SERVER,
            "from_client": framing.LIMIT_FROM_CLIENT,
            "from_server": framing.LIMIT_FROM_SERVER,
            "depth": codec.MAX_DEPTH,
            "values_from_client": codec.MAX_VALUES_FROM_CLIENT,
            "values_from_server": codec.MAX_VALUES_FROM_SERVER,
            "integer": MAX_INTEGER,
        },
        "messages": dict(sorted(messages.items())),
        "types": dict(sorted(types.items())),
        "codes": sorted(errors.CODES),
        "games": {game.name: _game(game) for game in sorted(games, key=lambda game: game.name)},
    }


def to_text(found: Schema) -> str:
    """A schema as JSON, one line for each field, ending with a newline."""
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def step_between(old: Schema, new: Schema) -> Step:
    """How the version must be raised from one schema to the other, whatever their own versions say."""
    parts = [_step_of_messages(old["messages"], new["messages"])]
    parts.append(_step_of_structs(old["types"], new["types"]))
    parts.append(_step_of_names(old["codes"], new["codes"]))
    if old["limits"] != new["limits"]:
        parts.append(Step.MAJOR)
    parts.append(_step_of_names(old["games"], new["games"]))
    return max(parts)


def step_of_versions(old: Sequence[int], new: Sequence[int]) -> Step:
    """By how much the version was raised. Raises ValueError where it went back."""
    if tuple(new) < tuple(old):
        raise ValueError(f"version {new} is older than {old}")
    if new[0] > old[0]:
        return Step.MAJOR
    return Step.MINOR if new[1] > old[1] else Step.NONE


def changed_games(old: Schema, new: Schema) -> list[str]:
    """The games whose types changed although their version is still the same."""
    return [
        name
        for name, game in new["games"].items()
        if name in old["games"] and game != old["games"][name] and game["version"] <= old["games"][name]["version"]
    ]


def phrase(kind: inspect.Type, types: dict[str, Any]) -> str:
    """A type in words. Structs are named, and described in `types` by the way."""
    match kind:
        case inspect.Metadata(type=inspect.BytesType(max_length=most), extra={"none_or_whole": True}):
            return f"bin of {most} or 0"
        case inspect.Metadata(type=inner):
            return phrase(inner, types)
        case inspect.AnyType():
            return "any"
        case inspect.NoneType():
            return "nil"
        case inspect.BoolType():
            return "bool"
        case inspect.IntType(ge=low, le=high):
            return "int" if low is None and high is None else f"int {_bound(low)}..{_bound(high)}"
        case inspect.StrType(max_length=most):
            return "str" if most is None else f"str up to {most}"
        case inspect.BytesType(min_length=least, max_length=most):
            if most is None:
                return "bin"
            return f"bin of {most}" if least == most else f"bin up to {most}"
        case inspect.LiteralType(values=values):
            return " or ".join(f"`{value}`" for value in values)
        case inspect.ListType(item_type=item, min_length=least, max_length=most):
            bounds = "" if most is None else f" ({least or 0} to {most})"
            return f"list of {_wrapped(item, types)}{bounds}"
        case inspect.VarTupleType(item_type=item):
            return f"list of {_wrapped(item, types)}"
        case inspect.TupleType(item_types=items):
            return f"list of exactly: {', '.join(phrase(item, types) for item in items)}"
        case inspect.DictType(value_type=value):
            return "map" if isinstance(value, inspect.AnyType) else f"map to {_wrapped(value, types)}"
        case inspect.UnionType(types=choices):
            ordered = sorted(choices, key=lambda choice: isinstance(choice, inspect.NoneType))
            return " or ".join(_bracketed(choice, types) for choice in ordered)
        case inspect.StructType(cls=cls):
            if cls.__name__ not in types:
                types[cls.__name__] = {}
                types[cls.__name__] = fields_of(cls, types)
            return cls.__name__
    raise TypeError(f"{kind!r} has no place on the wire")


def fields_of(cls: type[msgspec.Struct], types: dict[str, Any]) -> dict[str, Any]:
    """A Struct's fields in order: type, and the default where the field may be left out."""
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    found: dict[str, Any] = {}
    for field in info.fields:
        entry: dict[str, Any] = {"type": phrase(field.type, types)}
        if not field.required:
            default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
            entry["default"] = default.hex() if isinstance(default, bytes) else codec.plain(default)
        found[field.encode_name] = entry
    return found


def tagged(union: Any) -> list[type[msgspec.Struct]]:
    """The Structs of a union of tagged ones, in order of declaration."""
    info = inspect.type_info(union)
    choices = info.types if isinstance(info, inspect.UnionType) else (info,)
    return [choice.cls for choice in choices if isinstance(choice, inspect.StructType)]


def _message(kind: type[Message], types: dict[str, Any]) -> dict[str, Any]:
    senders = [name for name, kinds in (("client", FROM_CLIENT), ("server", FROM_SERVER)) if kind in kinds]
    return {"from": senders, "command": kind in COMMANDS, "fields": fields_of(kind, types)}


def _game(game: Game) -> dict[str, Any]:
    types: dict[str, Any] = {}
    return {
        "version": game.version,
        "options": fields_of(game.options, types),
        "actions": {_tag(kind): fields_of(kind, types) for kind in tagged(game.action)},
        "events": {_tag(kind): fields_of(kind, types) for kind in tagged(game.event)},
        "public": fields_of(game.public, types),
        "own": fields_of(game.own, types),
        "types": dict(sorted(types.items())),
    }


def _tag(cls: type[msgspec.Struct]) -> str:
    return str(cls.__struct_config__.tag)


def _bound(number: int | None) -> str:
    if number is None:
        return ""
    return {MAX_INTEGER: "2^53-1", -MAX_INTEGER: "-(2^53-1)", 2**31 - 1: "2^31-1"}.get(number, str(number))


def _wrapped(kind: inspect.Type, types: dict[str, Any]) -> str:
    words = phrase(kind, types)
    return f"({words})" if " or " in words or ": " in words else words


def _bracketed(kind: inspect.Type, types: dict[str, Any]) -> str:
    words = phrase(kind, types)
    return f"({words})" if ": " in words else words


def _step_of_names(old: Iterable[str], new: Iterable[str]) -> Step:
    before, after = set(old), set(new)
    if before - after:
        return Step.MAJOR
    return Step.MINOR if after - before else Step.NONE


def _step_of_fields(old: Mapping[str, Any], new: Mapping[str, Any]) -> Step:
    if any(new.get(name) != field for name, field in old.items()):
        return Step.MAJOR
    added = [field for name, field in new.items() if name not in old]
    if any("default" not in field for field in added):
        return Step.MAJOR
    return Step.MINOR if added else Step.NONE


def _step_of_structs(old: Mapping[str, Any], new: Mapping[str, Any]) -> Step:
    common = [_step_of_fields(old[name], new[name]) for name in old if name in new]
    return max([_step_of_names(old, new), *common])


def _step_of_messages(old: Mapping[str, Any], new: Mapping[str, Any]) -> Step:
    fields = _step_of_structs(
        {name: message["fields"] for name, message in old.items()},
        {name: message["fields"] for name, message in new.items()},
    )
    for name, message in old.items():
        if name not in new:
            continue
        if message["command"] != new[name]["command"] or set(message["from"]) - set(new[name]["from"]):
            return Step.MAJOR
        if message["from"] != new[name]["from"]:
            fields = max(fields, Step.MINOR)
    return fields


if __name__ == "__main__":
    sys.stdout.write(to_text(schema()))
