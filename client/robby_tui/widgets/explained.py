"""Results explained in lines: a participant's place and total, and below it what they are made of. Knows no game."""

from robby_client.words.common import amount, yours
from robby_tui.cells import fit, width
from robby_tui.signs import GOOD, MUTED, WINNER, YOU
from robby_tui.widgets.lines import Line, line_width

NAME_CELLS = 20
INDENT = "     "


def place_line(place: int, name: str, total: int, *, winner: bool, mine: bool) -> Line:
    """The line of one participant. name: harmless to show."""
    if mine:
        name = yours(name)
    style = f"bold {GOOD}" if winner else "bold"
    mark = WINNER if winner else YOU if mine else " "
    return [
        (f"{mark} {place}. ", style),
        (fit(name, NAME_CELLS) + " ", style),
        (fit(amount(total), 9, "right"), style),
    ]


def wrapped(label: str, parts: list[str], cells: int) -> list[Line]:
    """A label and a list, on as many lines as needed."""
    lines: list[Line] = []
    line: Line = [(INDENT + label, "")]
    for number, part in enumerate(parts):
        piece = (": " if number == 0 else "") + part + ("," if number < len(parts) - 1 else "")
        if line_width(line) + width(piece) + 1 > cells:
            lines.append(line)
            line = [(INDENT + "  " + piece, MUTED)]
        else:
            line.append((("" if number == 0 else " ") + piece, MUTED))
    return [*lines, line]
