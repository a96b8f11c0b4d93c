"""The log: what happened, in sentences, newest at the end; rounds as headings. Stays at the end unless scrolled.

What people said stands between, its further lines set in, so that nothing said can look like something that happened.
"""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from robby_protocol.i18n import _
from robby_tui.cells import plain
from robby_tui.widgets.lines import Line, Piece, content, wrap

MOST_LINES = 600
"""Lines kept: some twenty rounds. Older ones would only make every new one slower to lay out."""
MOST_SAID = 100
"""Of them lines of chat: a flood of talk must not push out what happened."""
_SET_IN = "    "
_LEAST_WIDTH = 20
"""Cells below which a log is not laid out by hand: it is not to be read either."""


class Story(VerticalScroll, can_focus=False):
    """The story so far."""

    DEFAULT_CSS = """
    Story { padding: 0 1; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    Story > Static { width: 1fr; }
    Story > .more { dock: bottom; height: 1; background: $panel; text-style: bold; display: none; }
    Story.behind > .more { display: block; }
    """

    class Parked(Message):
        """Somebody reads what was, or has come back to the end."""

    def __init__(self, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._lines: list[tuple[Piece, ...]] = []
        """Each a sentence, or what somebody said: speaker and text."""
        self._static = Static(Content(), markup=False)
        self._follow = True

    def compose(self) -> ComposeResult:
        """One text holds all lines, so that they wrap anew at any width."""
        yield self._static
        yield Static("▼ " + _("newer lines below: End"), classes="more", markup=False)

    def on_mount(self) -> None:
        """Begin at the end, however late the size is known."""
        self._to_end()

    @property
    def parked(self) -> bool:
        """Whether what was is being read, so that new lines do not move it."""
        return not self._follow

    @property
    def lines(self) -> list[str]:
        """The sentences told, oldest first."""
        return ["".join(text for text, _style in line) for line in self._lines]

    def tell(self, lines: Sequence[tuple[str, str]]) -> None:
        """Add sentences with their styles."""
        if not lines:
            return
        self._add([((plain(text), style),) for text, style in lines])

    def talk(self, lines: Sequence[tuple[Piece, Piece]]) -> None:
        """Add what was said, each line as speaker and text, both harmless."""
        if not lines:
            return
        self._add(lines)
        excess = sum(1 for line in self._lines if len(line) > 1) - MOST_SAID
        if excess > 0:
            said = [number for number, line in enumerate(self._lines) if len(line) > 1][:excess]
            for number in reversed(said):
                del self._lines[number]
            self._draw()

    def _add(self, lines: Sequence[tuple[Piece, ...]]) -> None:
        self._lines.extend(lines)
        self.set_class(not self._follow, "behind")
        del self._lines[:-MOST_LINES]
        self._draw()

    def begin_anew(self) -> None:
        """Forget what was told: another match begins. What was said stays."""
        self._lines = [line for line in self._lines if len(line) > 1]
        self._draw()
        self.follow()

    def follow(self) -> None:
        """Go to the newest line and stay there."""
        self._set_follow(True)
        self._to_end()

    def turn_pages(self, pages: int) -> None:
        """Move by so many pages; at the end new sentences are followed again."""
        self.scroll_relative(y=pages * max(1, self.size.height - 1), animate=False)
        self.call_after_refresh(self._look_where)

    def on_resize(self) -> None:
        """Keep the end in sight, and what is set in within the width."""
        if any(len(line) > 1 for line in self._lines):
            self._draw()
        self._to_end()

    def on_mouse_scroll_up(self) -> None:
        """Somebody reads what was."""
        self.call_after_refresh(self._look_where)

    def on_mouse_scroll_down(self) -> None:
        """Somebody comes back to the end."""
        self.call_after_refresh(self._look_where)

    def _look_where(self) -> None:
        self._set_follow(self.is_vertical_scroll_end)

    def _set_follow(self, follow: bool) -> None:
        if follow:
            self.remove_class("behind")
        if follow != self._follow:
            self._follow = follow
            self.post_message(self.Parked())

    def _to_end(self) -> None:
        if self._follow:
            self.call_after_refresh(self.scroll_end, animate=False)

    def _draw(self) -> None:
        drawn: list[Line] = []
        cells = self.scrollable_content_region.width
        for line in self._lines:
            if len(line) > 1 and cells >= _LEAST_WIDTH:
                drawn += wrap(line, cells, _SET_IN)
            else:
                drawn.append(list(line))
        self._static.update(content(drawn))
        self._to_end()
