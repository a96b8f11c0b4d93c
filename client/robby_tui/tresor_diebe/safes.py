"""The 26 safes in lines, in their order: 13 in a row, each with its number, what it holds, and whose marker lies on it.

Draws what it is given and knows no rules. The values run up from the middle to both ends, so that the two rows mirror
each other.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

from robby_games.tresor_diebe import BOARD, FIRST_SAFE, NOBODY, owner_of, value_of
from robby_tui.cells import ELLIPSIS, cut, fit
from robby_tui.signs import ALERT, GOOD, MUTED
from robby_tui.tresor_diebe.marks import block, shape
from robby_tui.widgets.lines import Line, Piece, pad

Size = Literal["tight", "compact", "framed"]
IN_A_ROW = 13
HEIGHTS: Mapping[Size, int] = {"tight": 4, "compact": 6, "framed": 10}
"""Lines that all safes take."""
_BLOCK = 4
"""Cells of a number in its brackets, and of what a safe holds."""
LEAST_COLUMN = _BLOCK
LEAST_FRAMED = _BLOCK + 2
"""Cells of one safe, without and with a frame."""
WIDEST_COLUMN = 8
"""Wider ones would only tear the rows apart."""


def safe_lines(
    safes: Sequence[int],
    names: Sequence[str],
    cells: int,
    size: Size,
    *,
    target: int | None = None,
    odds: Mapping[int, Fraction] | None = None,
) -> list[Line]:
    """All safes, in lines of at most so many cells.

    safes: a view's. target: the safe that the dice name now; it stands in [ ]. odds: the chance of each free safe, in
    place of the owner; where a line is wanting, in place of what the safe holds.
    """
    column = min(WIDEST_COLUMN, max(LEAST_COLUMN, cells // IN_A_ROW))
    lines: list[Line] = []
    for first in range(FIRST_SAFE, FIRST_SAFE + len(BOARD), IN_A_ROW):
        columns = [
            _safe(safe, owner_of(safes, safe), names, column, size, safe == target, odds or {})
            for safe in range(first, first + IN_A_ROW)
        ]
        lines += [[piece for part in parts for piece in part] for parts in zip(*columns, strict=True)]
    return lines


def percent(chance: Fraction) -> str:
    """A chance in at most four cells: `37%`, `<1%`; never 0 or 100 but where it is certain."""
    whole = round(chance * 100)
    if chance > 0 and whole == 0:
        return "<1%"
    if chance < 1 and whole == 100:
        return ">99%"
    return f"{whole}%"


def _safe(
    safe: int,
    owner: int,
    names: Sequence[str],
    column: int,
    size: Size,
    aimed: bool,
    odds: Mapping[int, Fraction],
) -> list[Line]:
    free = owner == NOBODY
    cells = column - 2 if size == "framed" else column
    number = (fit(f"[{safe:>2}]" if aimed else f" {safe:>2} ", cells, "center"), _number_style(free, aimed))
    # Side by side without frames, what two safes hold would flow together: no sign then.
    euro = "€" if column > _BLOCK else " "
    held = (fit(f"{value_of(safe)}{euro}", cells, "center"), _held_style(free))
    chance = (
        (fit(f"{percent(odds[safe]):>3}".ljust(_BLOCK), cells, "center"), f"bold {GOOD}") if safe in odds else ("", "")
    )
    below = chance if free else _owner(owner, names, cells if size == "framed" else cells - 1)
    if size == "tight":
        return [_line(number, cells), _line(below if below[0] else held, cells)]
    lines = [_line(piece, cells) for piece in (number, held, below)]
    return _framed(lines, cells, aimed) if size == "framed" else lines


def _owner(owner: int, names: Sequence[str], cells: int) -> Piece:
    """The owner's shape, and as much of the name as fits."""
    text = shape(owner) + (names[owner] if owner < len(names) else "")
    return fit(cut(text + ELLIPSIS, cells + 1).removesuffix(ELLIPSIS), cells), block(owner)


def _number_style(free: bool, aimed: bool) -> str:
    return f"bold reverse {ALERT}" if aimed else "bold" if free else MUTED


def _held_style(free: bool) -> str:
    return "" if free else f"strike {MUTED}"


def _framed(lines: list[Line], cells: int, aimed: bool) -> list[Line]:
    corners, flat, side = ("╔╗╚╝", "═", "║") if aimed else ("╭╮╰╯", "─", "│")
    style = f"bold {ALERT}" if aimed else MUTED
    edge = (side, style)
    return [
        [(corners[0] + flat * cells + corners[1], style)],
        *([edge, *line, edge] for line in lines),
        [(corners[2] + flat * cells + corners[3], style)],
    ]


def _line(piece: Piece, cells: int) -> Line:
    return pad([piece] if piece[0] else [], cells)
