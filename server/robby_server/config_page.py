"""The configuration for people: the example file with every key, and the table of docs/configuration.md."""

import json
import textwrap
from collections.abc import Iterator
from typing import Any

from robby_server.config_keys import Key, keys

_WIDTH = 110
_SAMPLES = {
    "server.data": "/var/lib/robby",
    "server.password_file": "/etc/robby/password",
    "tls.certificate": "/etc/robby/server.crt",
    "tls.key": "/etc/robby/server.key",
    "log.file": "robby.log",
    "metrics.port": 9622,
}
"""What stands in the example for a key that has no default."""


def example() -> str:
    """A whole configuration file, every key commented out at its default."""
    return "\n".join(_example_lines())


def _example_lines() -> Iterator[str]:
    yield "# The configuration of a Robby server, TOML. Every key is here with its default: take away the # before"
    yield "# what you change. Then:  robby serve --config FILE --check-config"
    yield "# Relative paths begin in this file's folder."
    for table, known in keys().items():
        yield ""
        yield f"[{table}]"
        for key in known.values():
            for line in textwrap.wrap(key.why, _WIDTH):
                yield f"# {line}"
            yield f"#{key.name} = {_shown(_value(key))}{'' if key.default is not None else '  # not set by default'}"
    yield ""


def page_tables() -> str:
    """Every table of the file with its keys, as Markdown."""
    return "\n".join(_page_lines())


def _page_lines() -> Iterator[str]:
    for table, known in keys().items():
        yield f"### [{table}]"
        yield ""
        yield "| key | default | allowed | what for | from a reload on |"
        yield "| --- | --- | --- | --- | --- |"
        for key in known.values():
            default = "(not set)" if key.default is None else f"`{_shown(key.default)}`"
            again = "yes" if key.reloaded else "no"
            yield f"| `{key.name}` | {default} | {_range(key)} | {key.why} | {again} |"
        yield ""


def _range(key: Key) -> str:
    if key.kind == "whole":
        return f"whole, {int(key.least):,} to {int(key.most):,}"
    if key.kind == "number":
        return f"number, {key.least:g} to {key.most:,}"
    if key.choices:
        return ", ".join(f"`{json.dumps(choice)}`" for choice in key.choices)
    return {"switch": "`true`, `false`", "texts": "list of texts", "file": "path"}.get(key.kind, "text")


def _value(key: Key) -> Any:
    return _SAMPLES[key.path] if key.default is None else key.default


def _shown(value: Any) -> str:
    """As TOML writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return json.dumps(value, ensure_ascii=False)
