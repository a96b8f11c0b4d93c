"""The Wheel: eight places in a ring that reads like a clock, 1 at the top, then clockwise; your own card in the middle.

Draws what it is given and knows no rules: which places are lit, or lack the card they should have, the caller says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from robby_games.wild_wild_pattern import PlaceView, attributes_of
from robby_protocol.i18n import _
from robby_tui.signs import ALERT, MUTED
from robby_tui.widgets.lines import Line, clip, content, line_width, pad
from robby_tui.wild_wild_pattern.cards import PICTURE_CELLS, colour_style, ground_style, keyed, picture_of, with_shape

RING: tuple[tuple[int | None, ...], ...] = ((7, 0, 1), (6, None, 2), (5, 4, 3))
"""Places (from 0) as they lie, row by row; None is the middle."""
Size = Literal["ring", "cards", "pictures"]
HEIGHTS: Mapping[Size, int] = {"ring": 2, "cards": 4, "pictures": 7}
"""Lines of one place."""
_INSIDE: Mapping[Size, int] = {"ring": 2, "cards": 2, "pictures": 5}
"""Of them without the frame."""
GAPS: Mapping[Size, int] = {"ring": 0, "cards": 3, "pictures": 3}
WIDEST: Mapping[Size, int] = {"ring": 26, "cards": 26, "pictures": 26}
"""Cells of one place; wider ones would only tear the ring apart."""
LEAST_CELLS = 18
"""Of one place: the longest card in English, with its marks."""
Mark = Literal["lit", "lacking", "cursor", "played", "barred", "laid"]
_SIGNS: Mapping[Mark, str] = {
    "lit": "[]",
    "lacking": "()",
    "cursor": "▸◂",
    "played": "{}",
    "barred": "  ",
    "laid": "+ ",
}
_OVERRULING = frozenset({"lit", "lacking", "barred"})
"""Marks that take the place of the card's own colour."""
_HEAVY = frozenset({"lit", "lacking", "cursor", "played"})
_STYLES: Mapping[Mark, str] = {
    "lit": "",
    "lacking": f"bold {ALERT}",
    "cursor": "bold $accent",
    "played": "bold",
    "barred": MUTED,
    "laid": "$accent",
}
_TURNS_DOWN, _TURNS_UP = (1, 2), (5, 6)
"""Places from which the clock's hand goes on downwards, upwards."""


@dataclass(frozen=True)
class Middle:
    """What stands in the middle: a heading with its style, and below it a card or else a text."""

    heading: str = ""
    card: int | None = None
    text: str = ""
    style: str = "bold $accent"


def height_of(size: Size) -> int:
    """Lines that the whole Wheel takes."""
    return HEIGHTS[size] * len(RING)


def column_of(size: Size, cells: int) -> int:
    """Cells of one place where the Wheel has so many."""
    return min(WIDEST[size], max(LEAST_CELLS, (cells - 2 * GAPS[size]) // 3))


def wheel_lines(
    wheel: Sequence[PlaceView],
    cells: int,
    size: Size = "ring",
    *,
    marks: Mapping[int, Mark] | None = None,
    middle: Middle | None = None,
) -> list[Line]:
    """The Wheel in lines of so many cells. marks: lit places stand in [ ], lacking ones in ( ), the played in { }."""
    marks = {} if marks is None else marks
    column, gap = column_of(size, cells), GAPS[size]
    left = max(0, (cells - 3 * column - 2 * gap) // 2)
    lines: list[Line] = []
    for number, row in enumerate(RING):
        parts = [
            _middle(middle or Middle(), column, size)
            if place is None
            else _place(place, wheel[place], marks.get(place), column, size)
            for place in row
        ]
        for at in range(HEIGHTS[size]):
            line: Line = [(" " * left, "")]
            for nth, part in enumerate(parts):
                if nth and gap:
                    arrow = {0: "→", 2: "←"}.get(number, "") if at == HEIGHTS[size] // 2 else ""
                    line.append((arrow.center(gap), MUTED))
                line += part[at]
            lines.append(pad(line, cells))
    return lines


def _place(place: int, view: PlaceView, mark: Mark | None, cells: int, size: Size) -> list[Line]:
    """A place with its card, in lines of so many cells."""
    signs, style = ("  ", "") if mark is None else (_SIGNS[mark], _STYLES[mark])
    ground = "" if mark != "lit" or view.card is None else ground_style(view.card)
    whole = ground or (style if mark in _OVERRULING else "")
    head: Line = [(signs[0], ground or style), (f"{place + 1} ", ground or style or "bold")]
    rows: list[Line] = [head]
    if view.card is None:
        head += [(_("empty"), MUTED), (signs[1], style)]
        rows += [[] for _row in range(_INSIDE[size] - 1)]
    else:
        colour = colour_style(view.card)
        head += [*keyed(attributes_of(view.card)[0], whole or f"bold {colour}"), (signs[1], ground or style)]
        if size == "pictures":
            set_in = " " * ((cells - 2 - PICTURE_CELLS) // 2)
            rows += [[(set_in + line, whole or colour)] for line in picture_of(view.card)]
        rows.append([("   ", ground), *_colour_and_suit(view.card, whole)])
    if size == "ring":
        return _ringed(rows, place, cells, ground)
    return _framed(rows, place, cells, mark, ground)


def _colour_and_suit(card: int, style: str) -> Line:
    _thing, colour, suit = attributes_of(card)
    parts = with_shape(suit, style)
    tight = [(parts[0][0].rstrip(), parts[0][1]), *parts[1:]]  # `$Coin`, so that the longest fits
    return [*with_shape(colour, style or colour_style(card)), (" ", style), *tight]


def _ringed(rows: list[Line], place: int, cells: int, ground: str) -> list[Line]:
    """Without a frame; the way on in the first line, where the sign before the number leaves room."""
    upper, lower = rows
    if place in _TURNS_UP:
        upper = [("↑", MUTED), *pad(upper, cells - 1, ground)]
    elif place in (3, 4):
        upper = [("←", MUTED), *pad(upper, cells - 1, ground)]
    else:
        upper = [*pad(upper, cells - 1, ground), ("↓" if place in _TURNS_DOWN else "→", MUTED)]
    return [upper, pad(lower, cells, ground)]


def _framed(rows: list[Line], place: int, cells: int, mark: Mark | None, ground: str) -> list[Line]:
    """In a frame, which is double where the place counts; its arrows show the way up and down."""
    inside = cells - 2
    heavy = mark in _HEAVY
    style = "bold" if ground else MUTED if mark is None else _STYLES[mark]
    across, side, corners = ("═", "║", "╔╗╚╝") if heavy else ("─", "│", "╭╮╰╯")
    top = _with_arrow(across * inside, "↑" if place in _TURNS_UP else "")
    bottom = _with_arrow(across * inside, "↓" if place in _TURNS_DOWN else "")
    return [
        [(corners[0] + top + corners[1], style)],
        *([(side, style), *pad(row, inside, ground), (side, style)] for row in rows),
        [(corners[2] + bottom + corners[3], style)],
    ]


def _with_arrow(border: str, arrow: str) -> str:
    at = len(border) // 2
    return border[:at] + arrow + border[at + 1 :] if arrow else border


def _middle(middle: Middle, cells: int, size: Size) -> list[Line]:
    """The heading, and a card in words, or a text; centred, in the room of one place."""
    if middle.card is None:
        rows: list[Line] = [[(middle.heading, middle.style)], [(middle.text, "")]]
    elif size == "ring":
        thing = keyed(attributes_of(middle.card)[0], f"bold {colour_style(middle.card)}")
        rows = [[(f"{middle.heading} ", middle.style), *thing], _colour_and_suit(middle.card, "")]
    else:
        thing = keyed(attributes_of(middle.card)[0], f"bold {colour_style(middle.card)}")
        drawn = [[(line, colour_style(middle.card))] for line in picture_of(middle.card)] if size == "pictures" else []
        rows = [[(middle.heading, middle.style)], *drawn, thing, _colour_and_suit(middle.card, "")]
    above = (HEIGHTS[size] - len(rows)) // 2
    rows = [[], *rows] if above else rows
    rows += [[] for _row in range(HEIGHTS[size] - len(rows))]
    return [_centred(row, cells) for row in rows[: HEIGHTS[size]]]


def _centred(line: Line, cells: int) -> Line:
    line = clip(line, cells)
    return pad([(" " * ((cells - line_width(line)) // 2), ""), *line], cells)


class WheelView(Widget):
    """The Wheel on the screen; a click picks a place."""

    DEFAULT_CSS = "WheelView { height: auto; }"

    class Picked(Message):
        """A place was clicked."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self) -> None:
        super().__init__()
        self._wheel: Sequence[PlaceView] = ()
        self._scale: Size = "ring"
        self._marks: Mapping[int, Mark] = {}
        self._middle = Middle()

    def show(self, wheel: Sequence[PlaceView], size: Size, marks: Mapping[int, Mark], middle: Middle) -> None:
        """Draw this."""
        resized = size != self._scale
        self._wheel, self._scale, self._marks, self._middle = wheel, size, marks, middle
        self.refresh(layout=resized)

    def get_content_height(self, *_args: object) -> int:
        """Lines needed, whatever the width."""
        return height_of(self._scale)

    def render(self) -> Content:
        """Draw the ring."""
        if not self._wheel:
            return Content()
        cells = self.content_size.width
        return content(wheel_lines(self._wheel, cells, self._scale, marks=self._marks, middle=self._middle))

    def on_click(self, event: Click) -> None:
        """Tell which place was clicked."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        cells = self.content_size.width
        column, gap = column_of(self._scale, cells), GAPS[self._scale]
        left = max(0, (cells - 3 * column - 2 * gap) // 2)
        row, across = offset.y // HEIGHTS[self._scale], offset.x - left
        if 0 <= across < 3 * column + 2 * gap and row < len(RING) and across % (column + gap) < column:
            place = RING[row][across // (column + gap)]
            if place is not None:
                self.post_message(self.Picked(place))


_WAYS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}


def moved(place: int | None, arrow: str) -> int:
    """The place that an arrow leads to from this one; the middle and the edges are passed over. None: the middle."""
    row, column = next((r, c) for r, line in enumerate(RING) for c, one in enumerate(line) if one == place)
    while True:
        row, column = (row + _WAYS[arrow][0]) % 3, (column + _WAYS[arrow][1]) % 3
        found = RING[row][column]
        if found is not None:
            return found
