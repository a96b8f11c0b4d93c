"""How the server logs: structlog to stderr or a file, readable on a terminal and one JSON object a line elsewhere.

Foreign text is made harmless before it is shown: one entry stays one line, and no control character gets out.
What may never be logged: passwords, tokens, keys, seeds, invite codes, views, actions (`log_secrets` is a second line
of defence). What comes too often is summed up (`log_repeats`). A log that cannot be written stops nothing (`log_file`).
"""

import logging
import unicodedata
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any, TextIO

import structlog

from robby_server.log_file import LogFile, Unbreakable, standard_error
from robby_server.log_repeats import Throttle, new_repeats, tell_repeats
from robby_server.log_secrets import leave_out_secrets
from robby_server.settings import Settings

__all__ = ["LEVELS", "Throttle", "log_level", "set_up_logging", "tell_repeats"]

LONGEST_VALUE = 500
"""Characters of one logged value; foreign text may be long."""

LONGEST_TRACE = 8_000
"""Characters of one traceback: its beginning and its end."""

LEVELS = ("debug", "info", "warning", "error")
"""What `log_level` may be, the most talkative first."""


_open_files: list[LogFile] = []
"""The log file in use, to be closed when another takes its place."""


def log_level(name: str) -> int:
    """The number of a level by its name. Raises KeyError."""
    return {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}[name]


def set_up_logging(
    stream: TextIO | None = None,
    *,
    level: int = 20,
    file: Path | None = None,
    file_bytes: int = Settings.log_bytes,
    files: int = Settings.log_files,
) -> None:
    """Configure structlog for the process.

    stream: stderr by default. level: as in `logging` (20: info). file: write there instead, in at most `files` files of
    at most `file_bytes` bytes. Raises OSError where the file cannot be opened.
    """
    out: Any
    if file is not None:
        out = LogFile(file, most_bytes=file_bytes, files=files)
        _open_files.append(out)
    else:
        out = standard_error() if stream is None else Unbreakable(stream)
    renderer: Any
    if out.isatty():
        renderer = structlog.dev.ConsoleRenderer(colors=True, exception_formatter=structlog.dev.plain_traceback)
    else:
        renderer = structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            new_repeats(),
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            leave_out_secrets,
            harmless,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_names: _LineLogger(out),
        cache_logger_on_first_use=False,
    )
    for older in [one for one in _open_files if one is not out]:
        older.close()
        _open_files.remove(older)


class _LineLogger:
    """Writes each entry as one line in one piece. out: a stream that raises nothing."""

    def __init__(self, out: Any) -> None:
        self._out = out

    def msg(self, line: str) -> None:
        self._out.write(line + "\n")
        self._out.flush()

    debug = info = warning = error = critical = exception = msg


def harmless(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Make control characters in every value visible as escapes, so that one entry is one line."""
    for key, value in event.items():
        event[key] = _harmless(value, LONGEST_TRACE if key == "exception" else LONGEST_VALUE)
    return event


def _harmless(value: Any, longest: int) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else repr(value)
    if len(text) > longest:
        text = text[: longest // 2] + " … " + text[-longest // 2 :]
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return character.encode("unicode_escape", "backslashreplace").decode("ascii")
    return character
