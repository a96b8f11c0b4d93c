"""Making a table, or changing one: title, seats, all options, and bots to seat at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from robby_client.stories.base import Story
from robby_protocol.i18n import _
from robby_tui.cells import plain
from robby_tui.screens.connect import LONGEST_PASSWORD
from robby_tui.widgets.options_form import FormError, OptionsForm
from robby_tui.widgets.toggles import Tick

LONGEST_TITLE = 60
"""A title has one line of the lobby."""


@dataclass(frozen=True)
class Setup:
    """What the form says. bots: names, each as often as it is to be seated.

    password: of a private table; None: as it is, "": none. delay_s: how much later spectators see everything.
    """

    title: str
    capacity: int
    options: dict[str, Any]
    bots: list[str] = field(default_factory=list)
    private: bool = False
    password: str | None = None
    spectators: bool = True
    delay_s: int = 0


_MOST_ROWS = 18
_AROUND = 5
"""Rows of the frame, the heading, an error and the buttons."""


class SetupScreen(ModalScreen[None]):
    """The form. It stays, with what was typed, until the server has taken it.

    story: of the game; options: of its type, what the form holds at first.
    submit: sends it; the second argument is called with code, text and the option it is about if it is refused;
    the third closes the form. changing: the table is there already, and a password left out stays.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", show=False),
        Binding("f2,ctrl+s", "submit", show=False),
    ]

    def __init__(
        self,
        heading: str,
        setup: Setup,
        submit: Callable[[Setup, Callable[[str, str], None], Callable[[], None]], None],
        *,
        story: Story,
        options: Any,
        bots: Sequence[str] = (),
        changing: bool = False,
    ) -> None:
        super().__init__()
        self._heading = heading
        self._setup = setup
        self._submit = submit
        self._story = story
        self._seats = story.types.seats
        self._options = options
        self._bots = tuple(bots)
        self._changing = changing

    def compose(self) -> ComposeResult:
        """Everything on one page of 80 by 24."""
        seats = _("Seats ({fewest}–{most})").format(fewest=self._seats[0], most=self._seats[1])
        with Vertical(id="setup"):
            yield Static(self._heading, classes="question", markup=False)
            with VerticalScroll(id="setup-body", can_focus=False):
                with Horizontal(classes="row"):
                    yield Static(_("Title"), classes="name", markup=False)
                    yield Input(
                        self._setup.title,
                        id="title",
                        placeholder=_("as you like"),
                        max_length=LONGEST_TITLE,
                        compact=True,
                    )
                yield from self._number(seats, "capacity", self._setup.capacity, 1)
                for number, bot in enumerate(self._bots):
                    label = _("{bot} bots").format(bot=plain(bot))
                    yield from self._number(label, f"bots-{number}", self._setup.bots.count(bot), 1)
                yield OptionsForm(self._story, self._options)
                yield from self._access()
            yield Static("", id="setup-error", classes="error", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(_("OK (F2)"), id="ok", variant="primary", compact=True)
                yield Button(_("Back (Esc)"), id="back", compact=True)

    def _access(self) -> ComposeResult:
        with Horizontal(classes="access"):
            yield Tick(_("private: by invite alone"), self._setup.private, id="private", compact=True)
            yield Static(_("password"), classes="name", markup=False)
            yield Input(
                id="table-password",
                password=True,
                placeholder=_("as it is; - none") if self._changing else _("if you like"),
                max_length=LONGEST_PASSWORD,
                compact=True,
            )
        with Horizontal(classes="access"):
            yield Tick(_("may be watched"), self._setup.spectators, id="spectators", compact=True)
            yield Static(_("seconds behind"), classes="name", markup=False)
            yield _digits(self._setup.delay_s, "delay", 4)

    def _number(self, label: str, name: str, value: int, digits: int) -> ComposeResult:
        with Horizontal(classes="row"):
            yield Static(label, classes="name", markup=False)
            yield _digits(value, name, digits)

    def on_mount(self) -> None:
        """Begin with the title."""
        self.query_one("#title", Input).focus()

    def on_resize(self) -> None:
        """Let the buttons be seen in low windows too: what has no room scrolls."""
        self.query_one("#setup-body").styles.max_height = max(1, min(_MOST_ROWS, self.app.size.height - _AROUND))

    def action_cancel(self) -> None:
        """Close without doing anything."""
        self.dismiss(None)

    @on(Button.Pressed, "#back")
    def back(self) -> None:
        """Close without doing anything."""
        self.dismiss(None)

    @on(Button.Pressed, "#ok")
    @on(Input.Submitted)
    def ok(self) -> None:
        """Send it."""
        self.action_submit()

    def action_submit(self) -> None:
        """Check the fields and send them."""
        try:
            setup = self.read()
        except FormError as error:
            self._complain(error.field, str(error))
            return
        self.query_one("#setup-error", Static).update(_("Sent; waiting for the server …"))
        self._submit(setup, self._refused, self._done)

    def read(self) -> Setup:
        """What the form says. Raises FormError."""
        capacity_text = self.query_one("#capacity", Input).value
        fewest, most = self._seats
        capacity = int(capacity_text) if capacity_text else most
        if not fewest <= capacity <= most:
            text = _("Seats: a number from {fewest} to {most}, please.")
            raise FormError("capacity", text.format(fewest=fewest, most=most))
        bots: list[str] = []
        for number, bot in enumerate(self._bots):
            bots += [bot] * int(self.query_one(f"#bots-{number}", Input).value or "0")
        if len(bots) > capacity - 1:
            raise FormError("bots-0", _("There are {n} seats besides yours; seat fewer bots.").format(n=capacity - 1))
        options = self.query_one(OptionsForm).read()
        title = self.query_one("#title", Input).value.strip()
        password = self.query_one("#table-password", Input).value
        private = self.query_one("#private", Tick).value
        if password and not private:
            raise FormError("private", _("Only a private table has a password: tick private, or leave it out."))
        return Setup(
            title=title,
            capacity=capacity,
            options=options,
            bots=bots,
            private=private,
            password={"": None, "-": ""}.get(password, password) if self._changing else password,
            spectators=self.query_one("#spectators", Tick).value,
            delay_s=int(self.query_one("#delay", Input).value or "0"),
        )

    def _complain(self, name: str, text: str) -> None:
        self.query_one("#setup-error", Static).update(plain(text))
        for control in self.query(f"#{name}"):
            control.focus()
            return
        self.query_one(OptionsForm).focus_field(name)

    def _refused(self, _code: str, text: str) -> None:
        if self.is_attached:
            self.query_one("#setup-error", Static).update(plain(text))

    def _done(self) -> None:
        if self.is_current:
            self.dismiss(None)


def _digits(value: int, name: str, most: int) -> Input:
    return Input(
        str(value),
        id=name,
        classes="number",
        max_length=most,
        restrict=r"[0-9]*",
        compact=True,
        select_on_focus=True,
    )
