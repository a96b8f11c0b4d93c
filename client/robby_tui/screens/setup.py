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

from robby_games.robby_solo import Options
from robby_protocol.i18n import _
from robby_tui.cells import plain
from robby_tui.widgets.options_form import FormError, OptionsForm

LONGEST_TITLE = 60
"""A title has one line of the lobby."""
MOST_SEATS = 6


@dataclass(frozen=True)
class Setup:
    """What the form says. bots: names, each as often as it is to be seated."""

    title: str
    capacity: int
    options: dict[str, Any]
    bots: list[str] = field(default_factory=list)


class SetupScreen(ModalScreen[None]):
    """The form. It stays, with what was typed, until the server has taken it.

    submit: sends it; the second argument is called with code, text and the option it is about if it is refused;
    the third closes the form.
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
        options: Options,
        bots: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._heading = heading
        self._setup = setup
        self._submit = submit
        self._options = options
        self._bots = tuple(bots)

    def compose(self) -> ComposeResult:
        """Everything on one page of 80 by 24."""
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
                with Horizontal(classes="row"):
                    yield Static(_("Seats (2–6)"), classes="name", markup=False)
                    yield Input(
                        str(self._setup.capacity),
                        id="capacity",
                        max_length=1,
                        restrict=r"[0-9]*",
                        compact=True,
                        select_on_focus=True,
                    )
                for bot in self._bots:
                    with Horizontal(classes="row"):
                        yield Static(_("{bot} bots").format(bot=plain(bot)), classes="name", markup=False)
                        yield Input(
                            str(self._setup.bots.count(bot)),
                            id=f"bots-{self._bots.index(bot)}",
                            classes="bots",
                            max_length=1,
                            restrict=r"[0-9]*",
                            compact=True,
                            select_on_focus=True,
                        )
                yield OptionsForm(self._options)
            yield Static("", id="setup-error", classes="error", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(_("OK (F2)"), id="ok", variant="primary", compact=True)
                yield Button(_("Back (Esc)"), id="back", compact=True)

    def on_mount(self) -> None:
        """Begin with the title."""
        self.query_one("#title", Input).focus()

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
        capacity = int(capacity_text) if capacity_text else MOST_SEATS
        if not 2 <= capacity <= MOST_SEATS:
            raise FormError("capacity", _("Seats: a number from 2 to {most}, please.").format(most=MOST_SEATS))
        bots: list[str] = []
        for number, bot in enumerate(self._bots):
            bots += [bot] * int(self.query_one(f"#bots-{number}", Input).value or "0")
        if len(bots) > capacity - 1:
            raise FormError("bots-0", _("There are {n} seats besides yours; seat fewer bots.").format(n=capacity - 1))
        options = self.query_one(OptionsForm).read()
        title = self.query_one("#title", Input).value.strip()
        return Setup(title=title, capacity=capacity, options=options, bots=bots)

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
