"""The last lines of every screen: the keys that do something now. Clicking one does the same."""

from collections.abc import Sequence

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from robby_tui.cells import width
from robby_tui.hints import KeyHint
from robby_tui.widgets.lines import Line, content


class KeyBar(Widget):
    """Keys and what they do, the most wanted first; what does not fit is left out at the end.

    most_lines: how many lines they may take.
    """

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: auto; background: $panel; padding: 0 1; }
    """

    class Chosen(Message):
        """A hint was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, most_lines: int = 1) -> None:
        super().__init__()
        self._most_lines = most_lines
        self._hints: Sequence[KeyHint] = ()
        self._always: Sequence[KeyHint] = ()

    def show(self, hints: Sequence[KeyHint], always: Sequence[KeyHint] = ()) -> None:
        """Show these; always: those at the end that are kept when room is short, but for the first of all."""
        if (list(hints), list(always)) == (list(self._hints), list(self._always)):
            return
        self._hints = tuple(hints)
        self._always = tuple(always)
        self.refresh(layout=self._most_lines > 1)

    def get_content_height(self, _container: object, _viewport: object, width: int) -> int:
        """As many lines as the keys take."""
        return len(self._placed(width))

    def _placed(self, cells: int) -> list[list[tuple[int, int, KeyHint]]]:
        """For each line the hints with where they begin and end."""
        lines: list[list[tuple[int, int, KeyHint]]] = [[]]
        tail = sum(_size(hint) for hint in self._always) - 2
        at = 0
        for number, hint in enumerate((*self._hints, *self._always)):
            mine = number < len(self._hints)
            # On the last line those at the end keep their room, but never at the cost of the first of all.
            kept = tail + 2 if mine and number and len(lines) == self._most_lines else 0
            if at + _size(hint) - 2 > cells - kept:
                if len(lines) == self._most_lines:
                    if not mine:
                        break
                    continue
                lines.append([])
                at = 0
            lines[-1].append((at, at + _size(hint), hint))
            at += _size(hint)
        return lines

    def render(self) -> Content:
        """Draw the lines."""
        drawn: list[Line] = []
        for placed in self._placed(self.content_size.width):
            line: Line = []
            for _start, _end, hint in placed:
                line += [(f"{hint.key}", "bold $accent"), (f" {hint.does}  ", "")]
            drawn.append(line)
        return content(drawn)

    def on_click(self, event: Click) -> None:
        """Do what the hint under the mouse says."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        lines = self._placed(self.content_size.width)
        for start, end, hint in lines[offset.y] if offset.y < len(lines) else ():
            if start <= offset.x < end - 2 and hint.action:
                self.post_message(self.Chosen(hint.action))


def _size(hint: KeyHint) -> int:
    return width(hint.key) + width(hint.does) + 3
