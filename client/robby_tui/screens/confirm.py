"""A question with two answers, as a dialog that returns which. The harmless answer is the one chosen at first."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from robby_protocol.i18n import _


class Confirm(ModalScreen[bool]):
    """Returns True for yes. question: one sentence; detail: what it means; yes, no: the answers as written."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "no", show=False),
        Binding("left,right,up,down", "other", show=False),
    ]

    def __init__(self, question: str, detail: str, yes: str, no: str | None = None) -> None:
        super().__init__()
        self._question = question
        self._detail = detail
        self._yes = yes
        self._no = no

    def compose(self) -> ComposeResult:
        """Question, detail, two buttons."""
        with Vertical(classes="dialog"):
            yield Static(self._question, classes="question", markup=False)
            yield Static(self._detail, classes="detail", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(self._no or _("No (Esc)"), id="no", variant="primary", compact=True)
                yield Button(self._yes, id="yes", variant="error", compact=True)
            yield Static(_("← → choose · Enter answer · Esc no"), classes="keys", markup=False)

    def on_mount(self) -> None:
        """Enter alone does no harm."""
        self.query_one("#no", Button).focus()

    def action_no(self) -> None:
        """Answer no."""
        self.dismiss(False)

    def action_other(self) -> None:
        """Go to the other answer."""
        self.query_one("#yes" if self.query_one("#no").has_focus else "#no", Button).focus()

    @on(Button.Pressed)
    def answered(self, event: Button.Pressed) -> None:
        """Answer as pressed."""
        self.dismiss(event.button.id == "yes")
