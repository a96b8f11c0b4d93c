"""Reading the configuration file: TOML in, settings out, or all that is wrong with it at once, each with its line.

Which keys there are is `config_keys`' business. Nothing is guessed: what is not understood is refused with what comes
nearest to it.
"""

import difflib
import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from robby_protocol.i18n import _
from robby_server.config_keys import Key, Serving, all_keys, keys
from robby_server.settings import Settings

LONGEST_TEXT = 200
"""Characters of one text: a path, a name."""
LARGEST_FILE = 1_000_000
"""Bytes; a whole configuration has ten thousand. A larger file is something else."""


class ConfigError(Exception):
    """The file cannot be used. problems: sentences with file and line, in the order of the lines; never empty."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Config:
    """What a file says, and the defaults for all else. given: the fields that it names."""

    settings: Settings = field(default_factory=Settings)
    serving: Serving = field(default_factory=Serving)
    given: frozenset[str] = frozenset()

    def over(self, **given: Any) -> "Config":
        """With these fields, as on the command line, in place of the file's; None: not given."""
        ours: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for name, value in given.items():
            if value is not None:
                (ours if hasattr(self.settings, name) else others)[name] = value
        return Config(
            replace(self.settings, **ours),
            replace(self.serving, **others),
            self.given | frozenset(ours) | frozenset(others),
        )

    def value(self, key: Key) -> Any:
        """What holds for a key."""
        return getattr(self.settings if hasattr(self.settings, key.field) else self.serving, key.field)


def read_config(path: Path) -> Config:
    """Read a file. Relative paths in it begin in its own folder. Raises ConfigError."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        text = _("The configuration {file} cannot be read: {cause}.")
        raise ConfigError([text.format(file=path, cause=error.strerror)]) from error
    if len(data) > LARGEST_FILE:
        raise ConfigError([_("{file} is too large for a configuration.").format(file=path)])
    return _Reader(path, data).read()


class _Reader:
    """One file: its text, what it says, and what is wrong with it by line."""

    def __init__(self, path: Path, data: bytes) -> None:
        self._path = path
        self._text = self._decoded(data)
        self._problems: list[tuple[int, str]] = []
        self._values: dict[str, Any] = {}

    def read(self) -> Config:
        try:
            tables = tomllib.loads(self._text)
        except (ValueError, RecursionError) as error:
            # Besides its own error tomllib lets through what a number of thousands of digits and deep nesting raise.
            raise self._no_toml(error) from error
        for name, content in tables.items():
            self._table(name, content)
        self._check_together()
        if self._problems:
            raise ConfigError([self._said(line, text) for line, text in sorted(self._problems)])
        return Config().over(**self._values)

    # Text and lines.

    def _decoded(self, data: bytes) -> str:
        try:
            return data.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise ConfigError([self._said(line, _("this is not UTF-8. Save the file as UTF-8."))]) from error

    def _no_toml(self, error: ValueError | RecursionError) -> ConfigError:
        """tomllib says the place at the end of its sentence."""
        cause, _bracket, place = str(error).partition(" (at ")
        found = re.match(r"line (\d+)", place)
        if isinstance(error, tomllib.TOMLDecodeError):
            line = int(found[1]) if found else self._text.count("\n") + (not self._text.endswith("\n"))
        else:
            return ConfigError([self._said(0, _("this is not a configuration: {cause}.").format(cause=cause))])
        text = _("this is not TOML: {cause}. Mend the line; texts stand in quotation marks.").format(cause=cause)
        return ConfigError([self._said(max(line, 1), text)])

    def _said(self, line: int, text: str) -> str:
        if not line:
            return _("{file}: {text}").format(file=self._path, text=text)
        return _("{file}, line {line}: {text}").format(file=self._path, line=line, text=text)

    def _line(self, table: str, key: str | None = None) -> int:
        """Where a table begins or a key of it stands, counted from 1; 0 if that cannot be told."""
        begins = 0
        for number, (current, name) in enumerate(_places(self._text), start=1):
            if current == table and name == key:
                return number
            if key is not None and current == table and name is None:
                begins = begins or number
            if not current and name and name in (table, f"{table}.{key}"):
                return number
        return begins

    def _wrong(self, table: str, key: str | None, text: str) -> None:
        self._problems.append((self._line(table, key), text))

    # Tables and keys.

    def _table(self, name: str, content: Any) -> None:
        known = keys().get(name)
        if known is None and not isinstance(content, dict):
            self._problems.append((self._line("", name), self._no_key("", name)))
        elif known is None:
            self._wrong(name, None, self._no_table(name))
        elif not isinstance(content, dict):
            self._wrong(name, None, _("[{table}] is a table. Begin it with a line [{table}].").format(table=name))
        else:
            for key, value in content.items():
                if key in known:
                    self._key(known[key], value)
                else:
                    self._wrong(name, key, self._no_key(name, key))

    def _no_table(self, name: str) -> str:
        near = difflib.get_close_matches(name, keys(), n=1)
        if near:
            return _("there is no table [{name}]. Did you mean [{near}]?").format(name=name, near=near[0])
        return _("there is no table [{name}]. There are: {names}.").format(name=name, names=", ".join(keys()))

    def _no_key(self, table: str, name: str) -> str:
        """table: "" for what stands before all tables."""
        if (table, name) == ("server", "password"):
            return _("a password does not stand here. Put it into a file of its own and name that: password_file.")
        near = difflib.get_close_matches(name, keys().get(table, ()), n=1)
        if near:
            return _("there is no key {name}. Did you mean {near}?").format(name=name, near=near[0])
        belongs = next((other for other, known in keys().items() if name in known), None)
        if belongs is not None:
            return _("{name} belongs under [{table}].").format(name=name, table=belongs)
        # Fields have longer names than their keys in tables: chat_rate is chat.rate.
        others = {name: key.path for key in reversed(all_keys()) for name in (key.name, key.field)}
        near = difflib.get_close_matches(name, others, n=1)
        if near:
            return _("there is no key {name}. Did you mean {near}?").format(name=name, near=others[near[0]])
        names = ", ".join(keys().get(table, keys()))
        return _("there is no key {name}. There are: {names}.").format(name=name, names=names)

    def _key(self, key: Key, value: Any) -> None:
        allowed = _understood(key, value, self._path.parent)
        if allowed is None:
            text = _("{name} must be {allowed}.").format(name=key.name, allowed=_allowed(key))
            self._wrong(key.table, key.name, text)
        else:
            self._values[key.field] = allowed

    # What must fit together.

    def _check_together(self) -> None:
        settings = Config().over(**self._values).settings
        if settings.silence_seconds <= settings.ping_seconds and not self._problems:
            self._wrong("connections", "silence_seconds", _("silence_seconds must be more than ping_seconds."))
        pair = ("tls_certificate", "tls_key")
        one = [name for name in pair if name in self._values]
        if len(one) == 1 and not any("tls" in text for _line, text in self._problems):
            missing = "key" if one[0] == "tls_certificate" else "certificate"
            there = "certificate" if missing == "key" else "key"
            self._wrong("tls", there, _("TLS needs certificate and key; {name} is missing.").format(name=missing))


def _understood(key: Key, value: Any, folder: Path) -> Any:
    """The value as the field takes it; None if it is not one that is allowed."""
    if key.kind == "switch":
        return value if isinstance(value, bool) else None
    if key.kind == "texts":
        texts = isinstance(value, list) and all(isinstance(one, str) and one for one in value)
        return tuple(value) if texts else None
    if key.kind == "whole":
        fits = isinstance(value, int) and not isinstance(value, bool) and key.least <= value <= key.most
        return value if fits else None
    if key.kind == "number":
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return float(value) if number and key.least <= value <= key.most else None
    if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= LONGEST_TEXT:
        return None
    if key.choices:
        return value if value in key.choices else None
    if key.field == "log_file":
        return value  # begins in the data folder
    return folder / value if key.kind == "file" else value


def _allowed(key: Key) -> str:
    """What a key may hold, for people."""
    least, most = f"{key.least:g}", f"{int(key.most):,}" if key.kind == "whole" else f"{key.most:,}"
    if key.kind == "whole":
        return _("a whole number from {least} to {most}").format(least=f"{int(key.least):,}", most=most)
    if key.kind == "number":
        return _("a number from {least} to {most}").format(least=least, most=most)
    if key.kind == "switch":
        return _("true or false")
    if key.kind == "texts":
        return _('a list of texts, like ["192.0.2.1", "::1"]')
    if key.choices:
        return _("one of {choices}").format(choices=", ".join(f'"{choice}"' for choice in key.choices))
    if key.kind == "file":
        return _('a path, like "folder/file"')
    return _("a text of one line with 1 to {most} characters").format(most=LONGEST_TEXT)


def _places(text: str) -> Iterator[tuple[str, str | None]]:
    """For each line the table that it is in, and the key that it gives; the key is None where the table begins."""
    table = ""
    for line in text.split("\n"):
        header = re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]", line)
        if header:
            table = _bare(header[1])
            yield table, None
            continue
        given = re.match(r"\s*([\w.\-\"' ]+?)\s*=", line)
        yield table, _bare(given[1]) if given else ""


def _bare(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))


def changed(old: Config, new: Config) -> list[Key]:
    """The keys whose values differ."""
    return [key for key in all_keys() if old.value(key) != new.value(key)]
