"""A list to choose from that may be paged through at any moment. Knows no world."""

from contextlib import suppress

from textual.widgets import OptionList


class Choices(OptionList):
    """Textual's list, but for paging through one whose lines have not been laid out yet.

    After the options were put in anew, or in a window without rows, Textual looks up lines that do not exist.
    """

    def action_page_down(self) -> None:
        """Move down by a page."""
        with suppress(KeyError, IndexError):
            super().action_page_down()  # type: ignore[no-untyped-call]

    def action_page_up(self) -> None:
        """Move up by a page."""
        with suppress(KeyError, IndexError):
            super().action_page_up()  # type: ignore[no-untyped-call]
