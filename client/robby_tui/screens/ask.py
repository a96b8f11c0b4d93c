"""Small dialogs that return a value: one line of text, or one of a few choices."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from robby_protocol.i18n import _
from robby_tui.cells import plain
from robby_tui.widgets.choices import Choices

LONGEST_INPUT = 200
"""As long as the protocol lets a title or a name be; pasted text beyond it is cut."""


class AskText(ModalScreen[str | None]):
    """Returns the line typed, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", show=False)]

    def __init__(self, question: str, value: str = "", *, longest: int = LONGEST_INPUT) -> None:
        super().__init__()
        self._question = question
        self._value = value
        self._longest = longest

    def compose(self) -> ComposeResult:
        """Question and one line to type in."""
        with Vertical(classes="dialog"):
            yield Static(self._question, classes="question", markup=False)
            yield Input(self._value, max_length=self._longest, compact=True)
            yield Static(_("Enter goes on · Esc goes back"), classes="keys", markup=False)

    def action_cancel(self) -> None:
        """Return nothing."""
        self.dismiss(None)

    @on(Input.Submitted)
    def typed(self, event: Input.Submitted) -> None:
        """Return what was typed."""
        self.dismiss(event.value.strip() or None)


class Choose(ModalScreen[int | None]):
    """Returns the index of the choice, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", show=False)]

    def __init__(self, question: str, choices: Sequence[str]) -> None:
        super().__init__()
        self._question = question
        self._choices = choices

    def compose(self) -> ComposeResult:
        """Question and choices."""
        with Vertical(classes="dialog"):
            yield Static(self._question, classes="question", markup=False)
            yield Choices(*(Option(Content(plain(choice))) for choice in self._choices), compact=True)
            yield Static(_("↑ ↓ choose · Enter takes it · Esc goes back"), classes="keys", markup=False)

    def action_cancel(self) -> None:
        """Return nothing."""
        self.dismiss(None)

    @on(OptionList.OptionSelected)
    def chosen(self, event: OptionList.OptionSelected) -> None:
        """Return which."""
        self.dismiss(event.option_index)
