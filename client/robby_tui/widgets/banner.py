"""The line that says that the server is away, and when the next try is."""

import time
from collections.abc import Callable

from textual.content import Content
from textual.widget import Widget

from robby_protocol.i18n import _
from robby_tui.cells import plain
from robby_tui.link import Offline
from robby_tui.widgets.lines import clip, content


class Banner(Widget):
    """Hidden while the server is there. now: the monotonic clock in seconds."""

    DEFAULT_CSS = """
    Banner { height: 1; padding: 0 1; background: $error; color: $text; text-style: bold; display: none; }
    Banner.shown { display: block; }
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._offline: Offline | None = None

    def on_mount(self) -> None:
        """Count down by itself."""
        self._timer = self.set_interval(0.5, self.refresh, pause=True)

    def show(self, offline: Offline | None) -> None:
        """Say this, or with None nothing."""
        self._offline = offline
        self.set_class(offline is not None, "shown")
        if offline is None:
            self._timer.pause()
        else:
            self._timer.resume()
        self.refresh()

    @property
    def text(self) -> str:
        """What it says now."""
        if self._offline is None:
            return ""
        wait = max(0, round(self._offline.retry_at - self._now()))
        if wait:
            start = _("Connection lost – trying again in {seconds} s.").format(seconds=wait)
        else:
            start = _("Connection lost – trying again now.")
        return start + " " + plain(self._offline.text)

    def render(self) -> Content:
        """Draw the line."""
        return content([clip([(self.text, "")], self.content_size.width)])
