"""The dice on the table, and what is told of them beside or below."""

from textual.events import Click
from textual.message import Message
from textual.widgets import Static

from robby_tui.tresor_diebe import dice
from robby_tui.tresor_diebe.panel import panel_lines
from robby_tui.tresor_diebe.picture import Picture
from robby_tui.widgets.lines import Line, content

_PANEL = 25
"""Cells that what is told beside the dice needs; with less it stands below them."""
_PANEL_ROWS = 4
_BESIDE = 2
"""Cells between the dice and what is told of them."""


class Throw(Static):
    """The dice, and what is told of them."""

    DEFAULT_CSS = "Throw { height: auto; padding: 0 1; }"

    class Picked(Message):
        """A die was clicked."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._dice_size: dice.Size = "small"

    def show(self, picture: Picture, size: dice.Size, cells: int) -> None:
        """Draw this in so many cells."""
        self._dice_size = size
        self.update(content(_lines(picture, size, cells)))

    def on_click(self, event: Click) -> None:
        """Tell which die was clicked."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= dice.height_of(self._dice_size):
            return
        place = dice.place_at(offset.x, self._dice_size)
        if place is not None:
            self.post_message(self.Picked(place))


def rows_of(size: dice.Size, cells: int) -> int:
    """Lines that dice of this size take, with what is told of them, in so many cells."""
    return dice.height_of(size) + (0 if _beside(size, cells) else _PANEL_ROWS)


def _beside(size: dice.Size, cells: int) -> bool:
    return cells >= dice.width_of(size) + _BESIDE + _PANEL


def _lines(picture: Picture, size: dice.Size, cells: int) -> list[Line]:
    last = picture.recap.last
    past = not picture.public.dice
    fallen = picture.public.dice or (() if last is None else last.dice)
    lying = [picture.rolling.get(place, die) for place, die in enumerate(fallen)]
    lines = dice.dice_lines(
        lying, size, keys=bool(picture.places), chosen=picture.chosen, fresh=picture.fresh, past=past
    )
    if not _beside(size, cells):
        return [*lines, *panel_lines(picture, cells, _PANEL_ROWS)]
    room = cells - dice.width_of(size) - _BESIDE
    told = panel_lines(picture, room, len(lines))
    return [[*line, (" " * _BESIDE, ""), *(told[row] if row < len(told) else [])] for row, line in enumerate(lines)]
