"""The log: what happened, in sentences, newest at the end; rounds as headings. Stays at the end unless scrolled."""

from collections.abc import Sequence

from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from robby_tui.cells import plain

MOST_LINES = 600
"""Lines kept: some twenty rounds. Older ones would only make every new one slower to lay out."""


class Story(VerticalScroll, can_focus=False):
    """The story so far."""

    DEFAULT_CSS = """
    Story { padding: 0 1; scrollbar-size-vertical: 1; }
    Story > Static { width: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[tuple[str, str]] = []
        self._static = Static(Content(), markup=False)

    def compose(self):  # type: ignore[no-untyped-def]
        """One text holds all lines, so that they wrap anew at any width."""
        yield self._static

    def on_mount(self) -> None:
        """Keep the end in sight."""
        self.anchor()

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
        self._draw()

    def _draw(self) -> None:
        pieces: list[str | tuple[str, str]] = []
        for number, (text, style) in enumerate(self._lines):
            pieces.append(
                ("" if number == 0 else "\n") + text if not style else (("" if number == 0 else "\n") + text, style)
            )
        self._static.update(Content.assemble(*pieces))
