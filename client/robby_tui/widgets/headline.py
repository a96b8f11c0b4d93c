"""The lines at the top that are only there when needed: a notice to everybody, and that one only watches."""

from textual.content import Content
from textual.widgets import Static

from robby_tui.cells import cut


class Headline(Static):
    """One line, hidden without a text. loud: in the colour of faults. whole: on up to three lines, else it is cut."""

    DEFAULT_CSS = """
    Headline { height: 1; padding: 0 1; background: $primary; color: $text; display: none; }
    Headline.shown { display: block; }
    Headline.loud { background: $error; text-style: bold; }
    Headline.whole { height: auto; max-height: 3; }
    """

    def __init__(self, id: str) -> None:  # noqa: A002 - as Textual's widgets call it
        super().__init__(id=id, markup=False)
        self._said: tuple[str, str, int, bool, bool] | None = None

    def say(self, text: str, end: str, cells: int, *, loud: bool = False, whole: bool = False) -> None:
        """Show this, harmless by now; an empty text hides it. end: the keys, which are never cut."""
        whole = loud and whole
        said = (text, end, cells, loud, whole)
        if said == self._said:
            return
        self._said = said
        self.set_class(bool(text), "shown")
        self.set_class(loud, "loud")
        self.set_class(whole, "whole")
        shown = text if whole else cut(text, max(10, cells - 4 - len(end)))
        self.update(Content.assemble(shown, "  ", (end, "bold")))
