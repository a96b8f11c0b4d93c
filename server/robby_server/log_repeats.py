"""Entries that come again and again are told a few times and then summed up: `repeated`, of what, how many more.

A summary comes at the end of each period with more, and once more after the last: `tell_repeats` must be called now and
then (the server does each second), since nobody may log anything any more. Knows nothing of what entries mean.
"""

import time
import weakref
from collections.abc import Callable, MutableMapping
from typing import Any

import structlog
import trio

REPEAT_SECONDS = 1.0
"""Of a `Throttle`: repeated entries of one kind come at most so often."""

PERIOD_SECONDS = 60.0
"""A summary of what was held back comes so often."""

TROUBLES_PER_PERIOD = 5
"""Warnings and errors of one kind that are told in a period: enough to see what they have in common."""

NEWS_PER_PERIOD = 60
"""All other entries of one kind: logins, tables made. A busy evening is told whole, a reconnect storm is not."""

SUMMARY = "repeated"
"""The event of summaries."""

_TROUBLE = frozenset({"warning", "error", "critical", "exception"})
log = structlog.get_logger("robby.log")


class Throttle:
    """Lets one entry of a kind through each REPEAT_SECONDS and counts those between. For where even making an entry
    would cost too much."""

    def __init__(self, seconds: float = REPEAT_SECONDS) -> None:
        self._seconds = seconds
        self._last: dict[str, float] = {}
        self._held: dict[str, int] = {}
        _throttles.add(self)

    def let(self, kind: str) -> int | None:
        """None: hold this one back. Else how many of its kind were held back before it."""
        now = trio.current_time()
        last = self._last.get(kind)
        if last is not None and now - last < self._seconds:
            self._held[kind] = self._held.get(kind, 0) + 1
            return None
        self._last[kind] = now
        return self._held.pop(kind, 0)

    def release(self) -> list[tuple[str, int]]:
        """Kinds that have ended, with how many of them were held back and not told."""
        if not self._held:
            return []
        now = trio.current_time()
        ended = [(kind, held) for kind, held in self._held.items() if now - self._last[kind] >= self._seconds]
        for kind, _count in ended:
            del self._held[kind]
        return ended


_throttles: "weakref.WeakSet[Throttle]" = weakref.WeakSet()


class Repeats:
    """A structlog processor that holds back what comes too often. clock: monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kinds: dict[str, list[float]] = {}  # per kind: when its period began, how many were told, how many held

    def __call__(self, _logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        """Raises structlog.DropEvent for what is held back."""
        if event["event"] == SUMMARY:
            return event
        now = self._clock()
        kind = _kind(event)
        found = self._kinds.get(kind)
        if found is None or (now - found[0] >= PERIOD_SECONDS and not found[2]):
            self._kinds[kind] = [now, 1, 0]
            return event
        if now - found[0] >= PERIOD_SECONDS:
            self.tell()
            return self(_logger, method, event)
        if found[1] < (TROUBLES_PER_PERIOD if method in _TROUBLE else NEWS_PER_PERIOD):
            found[1] += 1
            return event
        repeated = event.get("repeated")
        found[2] += 1 + (repeated if isinstance(repeated, int) else 0)
        raise structlog.DropEvent

    def tell(self, *, all_now: bool = False) -> None:
        """Sum up the periods that are over, or all. A kind that still goes on stays held back."""
        now = self._clock()
        for kind, (began, _told, held) in tuple(self._kinds.items()):
            if held and (all_now or now - began >= PERIOD_SECONDS):
                self._kinds[kind] = [now, NEWS_PER_PERIOD, 0]
                log.warning(SUMMARY, of=kind, more=int(held), seconds=round(now - began))
            elif not held and now - began >= PERIOD_SECONDS:
                del self._kinds[kind]


def _kind(event: MutableMapping[str, Any]) -> str:
    code = event.get("code")
    return f"{event['event']} {code}" if isinstance(code, str) else str(event["event"])


_current: list[Repeats] = []


def new_repeats() -> Repeats:
    """The processor for the whole process, in place of any older one."""
    _current[:] = [Repeats()]
    return _current[0]


def tell_repeats(*, all_now: bool = False) -> None:
    """Sum up what was held back and has ended. all_now: everything, as the server stops."""
    for throttle in tuple(_throttles):
        for kind, held in throttle.release():
            log.info(SUMMARY, of=kind, more=held)
    for repeats in tuple(_current):
        repeats.tell(all_now=all_now)
