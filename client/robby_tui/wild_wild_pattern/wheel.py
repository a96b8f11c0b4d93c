"""The Wheel in lines: eight places in a ring that reads like a clock, 1 at the top, then clockwise.

Draws what it is given and knows no rules: which places are lit, or lack the card they should have, the caller says.
"""

from collections.abc import Collection, Sequence

from robby_games.wild_wild_pattern import ATTRIBUTE_NAMES, COLOUR_SHAPES, FIRST_COLOUR, PlaceView, attributes_of
from robby_protocol.i18n import _
from robby_tui.cells import cut, width
from robby_tui.signs import ALERT
from robby_tui.widgets.lines import Line

RING: tuple[tuple[int | None, ...], ...] = ((7, 0, 1), (6, None, 2), (5, 4, 3))
"""Places (from 0) as they lie, row by row; None is the middle."""
LEAST_CELLS = 18
"""Of one place: the longest card in English, with its marks."""


def wheel_lines(
    wheel: Sequence[PlaceView], cells: int, *, lit: Collection[int] = (), lacking: Collection[int] = ()
) -> list[Line]:
    """Six lines, two for each row of the ring. cells: the width. lit places stand in [ ], lacking ones in ( )."""
    column = max(LEAST_CELLS, cells // 3)
    lines: list[Line] = []
    for row in RING:
        upper: Line = []
        lower: Line = []
        for place in row:
            above, below = ("", "") if place is None else _card(wheel[place])
            style, marks = "", "  "
            if place is not None:
                above = f"{place + 1} {above}"
                if place in lacking:
                    style, marks = f"bold {ALERT}", "()"
                elif place in lit:
                    style, marks = "bold reverse", "[]"
            upper += [(_filled(marks[0] + cut(above, column - 2) + marks[1], column), style)]
            lower += [(_filled("   " + cut(below, column - 3), column), style)]
        lines += [upper, lower]
    return lines


def _card(view: PlaceView) -> tuple[str, str]:
    """A place in two texts: the object, then shape, colour and suit."""
    if view.card is None:
        return _("empty"), ""
    thing, colour, suit = (_(ATTRIBUTE_NAMES[one]) for one in attributes_of(view.card))
    shape = COLOUR_SHAPES[attributes_of(view.card)[1] - FIRST_COLOUR]
    return thing, f"{shape} {colour} {suit}"


def _filled(text: str, cells: int) -> str:
    return text + " " * max(0, cells - width(text))
