"""Five dice in lines: boxes with pips that one can read across the room, and the number under each; or small ones.

Draws what it is given and knows no rules. A die to be thrown again has a double frame and says so in a word.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from robby_games.tresor_diebe import DICE
from robby_protocol.i18n import _
from robby_tui.cells import fit
from robby_tui.signs import ALERT, MUTED
from robby_tui.widgets.lines import Line

Size = Literal["small", "big", "huge"]


@dataclass(frozen=True)
class _Shape:
    """How large a die is drawn: cells and lines of all, frame included."""

    cells: int
    rows: int


_SHAPES: dict[Size, _Shape] = {"small": _Shape(5, 3), "big": _Shape(9, 5), "huge": _Shape(13, 7)}
GAP = 1
PIP = "●"
# Where pips lie, as on every die: three columns and three lines of them.
_PIPS: dict[int, tuple[str, str, str]] = {
    1: ("   ", " o ", "   "),
    2: ("o  ", "   ", "  o"),
    3: ("o  ", " o ", "  o"),
    4: ("o o", "   ", "o o"),
    5: ("o o", " o ", "o o"),
    6: ("o o", "o o", "o o"),
}


def width_of(size: Size) -> int:
    """Cells that five dice take."""
    return DICE * _SHAPES[size].cells + (DICE - 1) * GAP


def height_of(size: Size) -> int:
    """Lines that they take, with what stands under them."""
    return _SHAPES[size].rows + 1


def place_at(column: int, size: Size) -> int | None:
    """Which die lies at this cell; None: between two, or beside them."""
    place, inside = divmod(column, _SHAPES[size].cells + GAP)
    return place if 0 <= place < DICE and inside < _SHAPES[size].cells else None


def dice_lines(
    dice: Sequence[int],
    size: Size,
    *,
    keys: bool = False,
    chosen: Collection[int] = (),
    fresh: Collection[int] = (),
    past: bool = False,
) -> list[Line]:
    """The dice as they lie, none thrown: empty boxes.

    keys: each shows the key that chooses it. chosen: places to be thrown again. fresh: places where a die was thrown
    again just now. past: they are of a turn that is over.
    """
    lines: list[Line] = [[] for _row in range(height_of(size))]
    for place in range(DICE):
        die = dice[place] if place < len(dice) else None
        word = _("again") if place in chosen else _("new") if place in fresh else ""
        for row, line in enumerate(_die(die, place, _SHAPES[size], keys, place in chosen, past, word)):
            lines[row] += [*([(" " * GAP, "")] if place else []), line]
    return lines


def _die(
    die: int | None, place: int, shape: _Shape, keys: bool, chosen: bool, past: bool, word: str
) -> list[tuple[str, str]]:
    inside = shape.cells - 2
    corners, flat, side = ("╔╗╚╝", "═", "║") if chosen else ("╭╮╰╯", "─", "│")
    style = f"bold {ALERT}" if chosen else MUTED if past or die is None else "bold"
    key = fit(f"[{place + 1}]", inside, "center").replace(" ", flat) if keys else flat * inside
    lines = [(corners[0] + key + corners[1], style)]
    lines += [(side + row + side, style) for row in _face(die, inside, shape.rows - 2)]
    lines.append((corners[2] + flat * inside + corners[3], style))
    number = "" if die is None or shape.rows == _SHAPES["small"].rows else str(die)
    lines.append((fit(f"{number} {word}".strip(), shape.cells, "center"), style))
    return lines


def _face(die: int | None, cells: int, rows: int) -> list[str]:
    """The inside of a die: its number where there is one line, else its pips."""
    if die is None:
        return [" " * cells] * rows
    if rows == 1:
        return [fit(str(die), cells, "center")]
    gap = " " * ((cells - 3) // 4)
    pips = [fit(gap.join(row.replace("o", PIP)), cells, "center") for row in _PIPS[die]]
    blank = " " * cells
    return pips if rows == 3 else [pips[0], blank, pips[1], blank, pips[2]]
