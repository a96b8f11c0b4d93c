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
from robby_tui.wild_wild_pattern.cards import colour_style, ground_style, keyed, picture_of, with_shape

RING: tuple[tuple[int | None, ...], ...] = ((7, 0, 1), (6, None, 2), (5, 4, 3))
"""Places (from 0) as they lie, row by row; None is the middle."""
Size = Literal["ring", "cards", "pictures"]
HEIGHTS: Mapping[Size, int] = {"ring": 2, "cards": 4, "pictures": 7}
"""Lines of one place."""
GAPS: Mapping[Size, int] = {"ring": 0, "cards": 3, "pictures": 3}
WIDEST = {"ring": 26, "cards": 26, "pictures": 26}
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
    """What stands in the middle: a heading, and below it a card or else a text."""

    heading: str = ""
    card: int | None = None
    text: str = ""


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
    signs = "  " if mark is None else _SIGNS[mark]
    style = "" if mark is None else _STYLES[mark]
    head: Line = [(signs[0], style), (f"{place + 1} ", style or "bold")]
    if view.card is None:
        head += [(_("empty"), MUTED), (signs[1], style)]
        return _boxed(head, [], None, place, mark, style, cells, size)
    lit = ground_style(view.card) if mark == "lit" else ""
    if lit:
        style = lit
        head = [(text, lit) for text, _style in head]
    head += [*keyed(attributes_of(view.card)[0], style or "bold"), (signs[1], style)]
    return _boxed(head, _colour_and_suit(view.card, style), view.card, place, mark, style, cells, size)


def _colour_and_suit(card: int, style: str) -> Line:
    _thing, colour, suit = attributes_of(card)
    parts = with_shape(suit, style)
    tight = [(parts[0][0].rstrip(), parts[0][1]), *parts[1:]]  # `$Coin`, so that the longest fits
    return [*with_shape(colour, style or colour_style(card)), (" ", style), *tight]


def _boxed(
    head: Line, below: Line, card: int | None, place: int, mark: Mark | None, style: str, cells: int, size: Size
) -> list[Line]:
    """A place in lines of so many cells, by the size."""
    ground = style if " on " in style else ""
    if size == "ring":
        upper, lower = pad(head, cells, ground), pad([("   ", style), *below], cells, ground)
        if place in (7, 0):
            upper = [*pad(head, cells - 1, ground), ("→", MUTED)]
        elif place in (4, 3):
            upper = [("←", MUTED), *pad(head, cells - 1, ground)]
        elif place in _TURNS_DOWN:
            upper = [*pad(head, cells - 1, ground), ("↓", MUTED)]
        if place in _TURNS_UP:
            upper = [("↑", MUTED), *pad(head, cells - 1, ground)]
        return [upper, lower]
    inside = cells - 2
    frame = style if style and not ground else (MUTED if not ground else "bold")
    heavy = mark in _HEAVY
    horizontal, vertical = ("═", "║") if heavy else ("─", "│")
    corners = "╔╗╚╝" if heavy else "╭╮╰╯"
    top = corners[0] + _with_arrow(horizontal * inside, "↑" if place in _TURNS_UP else "") + corners[1]
    bottom = corners[2] + _with_arrow(horizontal * inside, "↓" if place in _TURNS_DOWN else "") + corners[3]
    rows: list[Line] = [head]
    if size == "pictures":
        drawn = ("", "", "") if card is None else picture_of(card)
        tint = style or ("" if card is None else colour_style(card))
        rows += [[(" " * max(0, (inside - 11) // 2) + line, tint)] for line in drawn]
    rows.append([("   ", style), *below])
    lines: list[Line] = [[(top, frame)]]
    lines += [[(vertical, frame), *pad(row, inside, ground), (vertical, frame)] for row in rows]
    lines.append([(bottom, frame)])
    return lines


def _with_arrow(border: str, arrow: str) -> str:
    at = len(border) // 2
    return border[:at] + arrow + border[at + 1 :] if arrow else border


def _middle(middle: Middle, cells: int, size: Size) -> list[Line]:
    """The heading, and a card in words, or a text; centred, in the room of one place."""
    if middle.card is None:
        rows: list[Line] = [[(middle.heading, "bold")], [(middle.text, "")]]
    elif size == "ring":
        thing = keyed(attributes_of(middle.card)[0], "bold")
        rows = [[(f"{middle.heading} ", "bold $accent"), *thing], _colour_and_suit(middle.card, "")]
    else:
        thing = keyed(attributes_of(middle.card)[0], "bold")
        drawn = [[(line, colour_style(middle.card))] for line in picture_of(middle.card)] if size == "pictures" else []
        rows = [[(middle.heading, "bold $accent")], *drawn, thing, _colour_and_suit(middle.card, "")]
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
