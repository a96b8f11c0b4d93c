"""Drawing on a grid of cells: lines of styled pieces, joined into what Textual shows. Never reads markup."""

from collections.abc import Iterable, Sequence

from rich.cells import split_graphemes
from textual.content import Content

from robby_tui.cells import cut, width

Piece = tuple[str, str]
"""A text and its style: colours by theme variable or value; an empty style is the widget's own."""
Line = list[Piece]


def line_width(line: Sequence[Piece]) -> int:
    """How many cells a line takes."""
    return sum(width(text) for text, _style in line)


def clip(line: Sequence[Piece], cells: int) -> Line:
    """The line in at most so many cells, its last piece shortened by an ellipsis."""
    out: Line = []
    left = cells
    for text, style in line:
        size = width(text)
        if size > left:
            out.append((cut(text, left), style))
            break
        out.append((text, style))
        left -= size
    return out


def pad(line: Sequence[Piece], cells: int, style: str = "") -> Line:
    """The line in exactly so many cells."""
    line = clip(line, cells)
    gap = cells - line_width(line)
    return [*line, (" " * gap, style)] if gap > 0 else line


def spread(left: Sequence[Piece], right: Sequence[Piece], cells: int) -> Line:
    """Two halves of a line at its two ends; where there is no room the left one is shortened, then the right one."""
    right = clip(right, cells)
    room = cells - line_width(right) - (1 if right else 0)
    start = clip(left, max(0, room))
    gap = cells - line_width(start) - line_width(right)
    return [*start, (" " * max(0, gap), ""), *right]


def wrap(line: Sequence[Piece], cells: int, set_in: str) -> list[Line]:
    """The line on as many lines of at most so many cells as it takes, all but the first set in; broken at spaces, and
    within a word only where it is longer than a line."""
    out: list[Line] = [[]]
    left = cells
    for text, style in line:
        for number, word in enumerate(text.split(" ")):
            piece = word if number == 0 else " " + word
            if width(piece) > left and number and width(word) <= cells - len(set_in):
                out.append([(set_in, "")])
                left = cells - len(set_in)
                piece = word
            while width(piece) > left:
                head = _fitting(piece, left)
                if not head and left == cells - len(set_in):
                    head = piece[:1]  # wider than a whole line; so it gets one
                out[-1].append((head, style))
                piece = piece[len(head) :]
                out.append([(set_in, "")])
                left = cells - len(set_in)
            out[-1].append((piece, style))
            left -= width(piece)
    return out


def _fitting(text: str, cells: int) -> str:
    """As much of a text's beginning as fits, no character cut in two."""
    end = taken = 0
    for _start, stop, size in split_graphemes(text)[0]:
        if taken + size > cells:
            break
        taken += size
        end = stop
    return text[:end]


def content(lines: Iterable[Sequence[Piece]]) -> Content:
    """The lines as Textual's own text, without reading any markup in them."""
    pieces: list[str | tuple[str, str]] = []
    for number, line in enumerate(lines):
        if number:
            pieces.append("\n")
        pieces.extend((text, style) if style else text for text, style in line if text)
    return Content.assemble(*pieces)
