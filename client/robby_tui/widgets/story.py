"""The log: what happened, in sentences, newest at the end; rounds as headings. Stays at the end unless scrolled."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from robby_protocol.i18n import _
from robby_tui.cells import plain

MOST_LINES = 600
"""Lines kept: some twenty rounds. Older ones would only make every new one slower to lay out."""


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

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[tuple[str, str]] = []
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
        return [text for text, _style in self._lines]

    def tell(self, lines: Sequence[tuple[str, str]]) -> None:
        """Add sentences with their styles."""
        if not lines:
            return
        self._lines.extend((plain(text), style) for text, style in lines)
        self.set_class(not self._follow, "behind")
        del self._lines[:-MOST_LINES]
        self._draw()

    def begin_anew(self) -> None:
        """Forget what was told: another match begins."""
        self._lines.clear()
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
        """Keep the end in sight."""
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
        pieces: list[str | tuple[str, str]] = []
        for number, (text, style) in enumerate(self._lines):
            if number:
                pieces.append("\n")
            pieces.append((text, style) if style else text)
        self._static.update(Content.assemble(*pieces))
        self._to_end()
