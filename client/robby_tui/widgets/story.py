"""The log: what happened, in sentences, newest at the end; rounds as headings. Stays at the end unless scrolled."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from robby_tui.cells import plain

MOST_LINES = 600
"""Lines kept: some twenty rounds. Older ones would only make every new one slower to lay out."""


class Story(VerticalScroll, can_focus=False):
    """The story so far."""

    DEFAULT_CSS = """
    Story { padding: 0 1; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    Story > Static { width: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[tuple[str, str]] = []
        self._static = Static(Content(), markup=False)
        self._follow = True

    def compose(self) -> ComposeResult:
        """One text holds all lines, so that they wrap anew at any width."""
        yield self._static

    @property
    def lines(self) -> list[str]:
        """The sentences told, oldest first."""
        return [text for text, _style in self._lines]

    def tell(self, lines: Sequence[tuple[str, str]]) -> None:
        """Add sentences with their styles."""
        if not lines:
            return
        self._lines.extend((plain(text), style) for text, style in lines)
        del self._lines[:-MOST_LINES]
        self._draw()

    def begin_anew(self) -> None:
        """Forget what was told: another match begins."""
        self._lines.clear()
        self._follow = True
        self._draw()

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
        self._follow = self.is_vertical_scroll_end

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
