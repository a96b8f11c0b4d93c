"""The time left, as a bar that one sees without looking for it.

Smooth in eighths of a cell; when little is left its colour, its fill and its label change, and again for the last
seconds. A mark shows when something more becomes allowed. A clock that stands still, because the
server was away, says so in a word.
"""

import time
from collections.abc import Callable

from textual.content import Content
from textual.widget import Widget

from robby_client.world import RunningClock
from robby_protocol.i18n import _
from robby_tui.cells import width
from robby_tui.signs import ALERT, BAD, GOOD, MUTED
from robby_tui.widgets.lines import Line, content

TICK = 0.1
"""Seconds between two drawings: finer than an eighth of a cell moves in the shortest phase of a wide terminal."""
LITTLE = 10.0
LITTLE_SHARE = 1 / 3
LAST = 5.0
LAST_SHARE = 1 / 4
_EIGHTHS = " ▏▎▍▌▋▊▉"
LABEL_CELLS = 24


def urgency(remaining: float, total: float) -> int:
    """0: time enough; 1: little; 2: the last seconds. Seconds; short phases are judged by their share."""
    if remaining <= min(LAST, total * LAST_SHARE):
        return 2
    if remaining <= min(LITTLE, total * LITTLE_SHARE):
        return 1
    return 0


def bar(share: float, cells: int, fill: str = "█", mark: float | None = None) -> str:
    """A bar of so many cells, filled to this share (0 … 1). mark: the share at which a mark stands, if any."""
    share = min(1.0, max(0.0, share))
    eighths = round(share * cells * 8)
    full, rest = divmod(eighths, 8)
    text = fill * full
    if rest and full < cells:
        text += _EIGHTHS[rest] if fill == "█" else fill
    text += "░" * (cells - len(text))
    if mark is not None and 0.0 < mark < 1.0:
        at = min(cells - 1, int(mark * cells))
        text = text[:at] + "┃" + text[at + 1 :]
    return text[:cells]


class Countdown(Widget):
    """The bar and its label. now: the monotonic clock in seconds."""

    DEFAULT_CSS = "Countdown { height: 1; padding: 0 1; }"

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._clock: RunningClock | None = None
        self._idle = ""
        self._opens = ""
        self._line: Line = []

    def on_mount(self) -> None:
        """Begin to draw by itself."""
        self._timer = self.set_interval(TICK, self._tick, pause=True)

    def _tick(self) -> None:
        """Draw anew if anything of it has changed: over a slow line every byte counts."""
        if self._clock is not None and self._line != self._drawn(self._clock):
            self.refresh()

    def _drawn(self, clock: RunningClock) -> Line:
        return draw(clock, self._now(), self.content_size.width, self._opens)

    def show(self, clock: RunningClock | None, *, idle: str = "", opens: str = "") -> None:
        """Count this down; with no clock, say `idle` instead. opens: what becomes allowed, with `{time}` for when."""
        self._clock = clock
        self._idle = idle
        self._opens = opens
        if clock is None or clock.paused:
            self._timer.pause()
        else:
            self._timer.resume()
        self.refresh()

    def render(self) -> Content:
        """Draw the bar as of now."""
        clock = self._clock
        if clock is None:
            return content([[(self._idle, MUTED)]])
        self._line = self._drawn(clock)
        return content([self._line])


def draw(clock: RunningClock, now: float, cells: int, opening: str = "") -> Line:
    """The whole line for this moment. opening: what becomes allowed, with `{time}` for when; empty: not said."""
    remaining = clock.remaining(now)
    total = max(clock.total, 0.001)
    level = urgency(remaining, total)
    seconds = left_text(remaining)
    opens = clock.opens_in(now)
    if clock.paused:
        level = 0
    label = (
        _("{time} left").format(time=seconds),
        _("hurry: {time}").format(time=seconds),
        _("!! {time} !!").format(time=seconds),
    )[level]
    if opens > 0 and opening:
        label += "  " + opening.format(time=left_text(opens))
    fill = "█▓▚"[level]
    style = (f"bold {GOOD}", f"bold {ALERT}", BAD)[level]
    if clock.paused:
        label = _("PAUSED, {time} left").format(time=seconds)
        fill, style = "▒", MUTED
    room = max(4, cells - 3 - max(LABEL_CELLS, width(label)))
    if cells < 40:
        room = max(1, cells - 3 - width(label))
    mark = None if opens <= 0 else (remaining - opens) / total
    label_style = style + " reverse" if level == 2 else style
    return [("▐", style), (bar(remaining / total, room, fill, mark), style), ("▌", style), (f" {label} ", label_style)]


def left_text(seconds: float) -> str:
    """A time left as people read it: whole seconds, never shown as 0 before it is over."""
    whole = int(seconds) + (seconds > int(seconds))
    if whole >= 100:
        return f"{whole // 60}:{whole % 60:02d}"
    return _("{seconds} s").format(seconds=whole)
