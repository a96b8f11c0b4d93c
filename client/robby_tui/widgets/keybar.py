"""The last line of every screen: the keys that do something now. Clicking one does the same."""

from collections.abc import Sequence

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from robby_tui.asked import KeyHint
from robby_tui.cells import width
from robby_tui.widgets.lines import Line, content


class KeyBar(Widget):
    """Keys and what they do, the most wanted first; what does not fit is left out at the end."""

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; background: $panel; padding: 0 1; }
    """

    class Chosen(Message):
        """A hint was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self) -> None:
        super().__init__()
        self._hints: Sequence[KeyHint] = ()
        self._always: Sequence[KeyHint] = ()

    def show(self, hints: Sequence[KeyHint], always: Sequence[KeyHint] = ()) -> None:
        """Show these; always: those at the end that are kept when room is short, but for the first of all."""
        if (list(hints), list(always)) == (list(self._hints), list(self._always)):
            return
        self._hints = tuple(hints)
        self._always = tuple(always)
        self.refresh()

    def _placed(self) -> list[tuple[int, int, KeyHint]]:
        cells = self.content_size.width
        tail = sum(_size(hint) for hint in self._always)
        placed: list[tuple[int, int, KeyHint]] = []
        at = 0
        for hint in self._hints:
            if at + _size(hint) > cells - (tail if placed else 0):
                break
            placed.append((at, at + _size(hint), hint))
            at += _size(hint)
        for hint in self._always:
            if at + _size(hint) - 2 > cells:
                break
            placed.append((at, at + _size(hint), hint))
            at += _size(hint)
        return placed

    def render(self) -> Content:
        """Draw the line."""
        line: Line = []
        for _start, _end, hint in self._placed():
            line += [(f"{hint.key}", "bold $accent"), (f" {hint.does}  ", "")]
        return content([line])

    def on_click(self, event: Click) -> None:
        """Do what the hint under the mouse says."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for start, end, hint in self._placed():
            if start <= offset.x < end - 2 and hint.action:
                self.post_message(self.Chosen(hint.action))


def _size(hint: KeyHint) -> int:
    return width(hint.key) + width(hint.does) + 3
