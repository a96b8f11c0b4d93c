"""A second line of defence for the log: what looks like a secret is left out, whoever tried to log it and why.

The first line is that nothing secret is logged (`log` says what). Public keys and ids of 32 bytes look the same and are
left out too; nobody needs them in a log.
"""

import re
from collections.abc import Mapping, MutableMapping
from pathlib import PurePath
from typing import Any

REDACTED = "[left out]"

SECRET_FIELDS = frozenset(
    {
        "password",
        "proof",
        "token",
        "resume",
        "seed",
        "match_seed",
        "secret",
        "invite",
        "nonce",
        "nonces",
        "commitment",
        "private_key",
        "key",
        "action",
        "view",
        "decision",
        "hand",
        "card",
        "cards",
        "deck",
        "bank",
    }
)
"""Names of fields whose values never appear, wherever they stand; also as the end of a longer name."""

DEEPEST = 4
"""Levels of lists and maps that are looked into."""

_BYTES = re.compile(r"""\bb(?:'(?:[^'\\]|\\.){8,}'|"(?:[^"\\]|\\.){8,}")""")  # as Python shows bytes
_HEX = re.compile(r"[0-9A-Fa-f]{48,}")


def leave_out_secrets(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The structlog processor."""
    for name, value in event.items():
        event[name] = REDACTED if _is_secret(name) else without_secrets(value)
    return event


def without_secrets(value: Any, depth: int = 0) -> Any:
    """The value with whatever looks like a secret left out; objects that are not plain data by their type alone."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _HEX.sub(REDACTED, _BYTES.sub(REDACTED, value))
    if depth >= DEEPEST:
        return REDACTED
    if isinstance(value, Mapping):
        return {
            str(name): REDACTED if _is_secret(name) else without_secrets(inner, depth + 1)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [without_secrets(inner, depth + 1) for inner in value]
    if isinstance(value, PurePath | BaseException):
        return without_secrets(str(value), depth + 1)
    return f"[{type(value).__name__}]"


def _is_secret(name: Any) -> bool:
    return isinstance(name, str) and (name in SECRET_FIELDS or name.rpartition("_")[2] in SECRET_FIELDS)
