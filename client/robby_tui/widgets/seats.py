"""The rows of all participants: one line for each, in the order of sitting, and a second one where there is room."""

from abc import abstractmethod
from typing import Generic, TypeVar

from textual.content import Content
from textual.widget import Widget

from robby_tui.moment import Moment
from robby_tui.widgets.lines import Line, content, pad

Picture = TypeVar("Picture", bound=Moment)


class Seats(Widget, Generic[Picture]):
    """A game's own rows derive from this."""

    DEFAULT_CSS = "Seats { height: auto; padding: 0 1; }"

    def __init__(self) -> None:
        super().__init__()
        self._picture: Picture | None = None
        self._roomy = False

    @abstractmethod
    def row(self, picture: Picture, seat: int, cells: int, *, roomy: bool) -> Line:
        """A participant's line. roomy: `more` is shown below it."""

    @abstractmethod
    def more(self, picture: Picture, seat: int) -> Line:
        """The second line."""

    def show(self, picture: Picture, *, roomy: bool) -> None:
        """Draw this; roomy: a second line for each."""
        before = self.rows
        self._picture = picture
        self._roomy = roomy
        self.refresh(layout=self.rows != before)

    @property
    def rows(self) -> int:
        """Lines needed."""
        count = 0 if self._picture is None else len(self._picture.public.participants)
        return count * 2 if self._roomy else count

    def get_content_height(self, *_args: object) -> int:
        """Lines needed, whatever the width."""
        return self.rows

    def render(self) -> Content:
        """Draw all lines."""
        picture = self._picture
        if picture is None:
            return Content()
        cells = self.content_size.width
        lines: list[Line] = []
        for seat in range(len(picture.public.participants)):
            lines.append(pad(self.row(picture, seat, cells, roomy=self._roomy), cells))
            if self._roomy:
                lines.append(pad(self.more(picture, seat), cells))
        return content(lines)
