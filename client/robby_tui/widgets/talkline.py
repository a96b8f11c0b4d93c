"""The field in which one line of chat is typed, in the place of the line of keys. Knows no world."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Paste
from textual.message import Message
from textual.widgets import Input, Static

from robby_protocol.i18n import _
from robby_tui.talk import LONGEST_TALK


class TalkField(Input):
    """One line; what is pasted becomes one line too."""

    def _on_paste(self, event: Paste) -> None:
        event.stop()
        event.prevent_default()
        text = "".join(char if char.isprintable() else " " for char in event.text[: 4 * LONGEST_TALK])
        self.insert_text_at_cursor(" ".join(text.split()))


class TalkLine(Horizontal):
    """Hidden until it is opened."""

    DEFAULT_CSS = """
    TalkLine { dock: bottom; height: 1; background: $panel; display: none; }
    TalkLine.open { display: block; }
    TalkLine > Static { width: auto; padding: 0 1; text-style: bold; color: $text-accent; }
    TalkLine > .hint { color: $text-muted; text-style: none; }
    TalkLine > Input { width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("up", "recall", show=False),
    ]

    class Typed(Message):
        """The field holds another text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Sent(Message):
        """Enter: this is to be said."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """Esc: the field is to close, its text to be kept."""

    class Recalled(Message):
        """What was sent last is wanted again."""

    def compose(self) -> ComposeResult:
        """Where it goes, the field, the keys."""
        yield Static("", id="talk-where", markup=False)
        yield TalkField(max_length=LONGEST_TALK, compact=True, id="talk-field", disabled=True, select_on_focus=False)
        yield Static(_("Enter sends · Esc back"), classes="hint", markup=False)

    def show(self, where: str, text: str) -> None:
        """Open with this text. where: to whom it goes."""
        self.query_one("#talk-where", Static).update(where)
        field = self.query_one(TalkField)
        if not self.has_class("open"):
            self.add_class("open")
            field.disabled = False
            self.put(text)
            field.focus()

    def put(self, text: str) -> None:
        """Write this into the field."""
        field = self.query_one(TalkField)
        field.value = text
        field.cursor_position = len(text)

    def hide(self) -> None:
        """Close."""
        self.remove_class("open")
        self.query_one(TalkField).disabled = True

    def action_leave(self) -> None:
        """Go back to the keys."""
        self.post_message(self.Left())

    def action_recall(self) -> None:
        """Bring back what was sent last."""
        self.post_message(self.Recalled())

    @on(Input.Changed)
    def changed(self, event: Input.Changed) -> None:
        """Tell what is typed."""
        event.stop()
        if self.has_class("open"):
            self.post_message(self.Typed(event.value))

    @on(Input.Submitted)
    def submitted(self, event: Input.Submitted) -> None:
        """Tell that it is to be said."""
        event.stop()
        self.post_message(self.Sent(event.value))
