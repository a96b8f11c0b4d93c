"""How the server logs: structlog to stderr, readable on a terminal and one JSON object a line elsewhere.

Foreign text is made harmless before it is shown: one entry stays one line, and no control character gets out.
What may never be logged: passwords, tokens, keys, seeds, views, actions.
"""

import sys
import unicodedata
from collections.abc import MutableMapping
from typing import Any, TextIO

import structlog
import trio

LONGEST_VALUE = 500
"""Characters of one logged value; foreign text may be long."""

LONGEST_TRACE = 8_000
"""Characters of one traceback: its beginning and its end."""

REPEAT_SECONDS = 1.0
"""Repeated entries of one kind come at most so often."""


def set_up_logging(stream: TextIO | None = None, *, level: int = 20) -> None:
    """Configure structlog for the process. stream: stderr by default. level: as in `logging` (20: info)."""
    out = sys.stderr if stream is None else stream
    renderer: Any
    if out.isatty():
        renderer = structlog.dev.ConsoleRenderer(colors=True, exception_formatter=structlog.dev.plain_traceback)
    else:
        renderer = structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            harmless,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=False,
    )


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


class Throttle:
    """Lets one entry of a kind through each REPEAT_SECONDS and counts those between."""

    def __init__(self, seconds: float = REPEAT_SECONDS) -> None:
        self._seconds = seconds
        self._last: dict[str, float] = {}
        self._held: dict[str, int] = {}

    def let(self, kind: str) -> int | None:
        """None: hold this one back. Else how many of its kind were held back before it."""
        now = trio.current_time()
        last = self._last.get(kind)
        if last is not None and now - last < self._seconds:
            self._held[kind] = self._held.get(kind, 0) + 1
            return None
        self._last[kind] = now
        return self._held.pop(kind, 0)
