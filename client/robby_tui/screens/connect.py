"""The first screen: which server, which name. Errors stand where they are made right."""

import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from robby_client.address import Address, AddressError
from robby_client.store import KnownServer
from robby_protocol.i18n import _
from robby_tui import wishes
from robby_tui.asked import KeyHint
from robby_tui.cells import cut, plain
from robby_tui.link import Link
from robby_tui.screens.base import BaseScreen
from robby_tui.widgets.choices import Choices
from robby_tui.widgets.toggles import Tick

LONGEST_ADDRESS = 300
"""Longer than any host's name may be."""
LONGEST_NAME = 60
"""The server's own limit is narrower; this only keeps a pasted book out."""
LONGEST_PASSWORD = 200
"""As long as the protocol lets it be."""


class ConnectScreen(BaseScreen):
    """Choose a server and a name. recent: servers known, newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "blur", show=False)]

    def __init__(
        self,
        link: Link,
        now: Callable[[], float] = time.monotonic,
        *,
        recent: Sequence[KnownServer] = (),
        address: str = "",
        name: str = "",
        guest: bool = False,
        problem: str = "",
        code: str = "",
    ) -> None:
        super().__init__(link, now)
        self._recent = recent
        self._address = address
        self._name = name
        self._guest = guest
        self._problem = problem
        self._code = code
        self.busy = False

    def body(self) -> ComposeResult:
        """Title, known servers, the form."""
        with VerticalScroll(id="connect", can_focus=False):
            yield Static("R O B B Y", id="logo", markup=False)
            yield Static(_("thieves, bluff and police at one table"), id="motto", markup=False)
            with Horizontal(id="connect-columns"):
                with Vertical(id="form"):
                    yield Static(_("Server"), classes="label", markup=False)
                    yield Input(
                        self._address,
                        placeholder=_("example.org or 192.168.1.5:7622"),
                        id="address",
                        max_length=LONGEST_ADDRESS,
                        compact=True,
                    )
                    yield Static("", id="address-error", classes="error", markup=False)
                    yield Static(_("Your name"), classes="label", markup=False)
                    yield Input(self._name, id="name", max_length=LONGEST_NAME, compact=True)
                    yield Static("", id="name-error", classes="error", markup=False)
                    yield Static(_("Password, if the server asks for one"), classes="label", markup=False)
                    yield Input("", id="password", password=True, max_length=LONGEST_PASSWORD, compact=True)
                    yield Tick(_("as a guest (name not kept)"), self._guest, id="guest", compact=True)
                    yield Button(_("Connect"), id="go", variant="primary", compact=True)
                if self._recent:
                    with Vertical(id="recent"):
                        yield Static(_("Servers you know"), classes="label", markup=False)
                        yield Choices(*(self._option(known) for known in self._recent), id="known", compact=True)
            yield Static("", id="problem", markup=False)

    def _option(self, known: KnownServer) -> Option:
        return Option(
            Content.assemble(
                (cut(plain(known.name), 28) or str(known.address), "bold"), f"\n  {cut(str(known.address), 28)}"
            )
        )

    def on_mount(self) -> None:
        """Start where something is missing."""
        missing = "#address" if not self._address else "#name" if not self._name else "#go"
        self.query_one(missing).focus()
        self.show_problem(self._problem, self._code)

    def keys(self) -> list[KeyHint]:
        """What may be pressed."""
        return [
            KeyHint("Enter", _("connect"), "connect"),
            KeyHint("Tab", _("next field"), "app.focus_next"),
        ]

    def always(self) -> list[KeyHint]:
        """Single letters are typed into the fields here."""
        return [KeyHint("F1", _("help"), "app.help"), KeyHint("Ctrl+Q", _("quit"), "app.leave")]

    def action_blur(self) -> None:
        """Leave the field, so that single keys work."""
        self.set_focus(None)

    def show_problem(self, text: str, code: str = "") -> None:
        """Say what went wrong, beside the field that it is about."""
        self.busy = False
        self._complain("address", "")
        self._complain("name", "")
        about = "name" if code.startswith("name_") else ""
        self.query_one("#problem", Static).update("" if about else plain(text))
        if about:
            self._complain("name", text)
            self.query_one("#name", Input).focus()
        elif code.startswith("password_"):
            self.query_one("#password", Input).focus()

    def _complain(self, field: str, text: str) -> None:
        error = self.query_one(f"#{field}-error", Static)
        error.update(plain(text))
        error.set_class(bool(text), "said")

    def show_busy(self, address: str) -> None:
        """Say that the connection is being made."""
        self.busy = True
        self._complain("address", "")
        self._complain("name", "")
        self.query_one("#problem", Static).update(_("Connecting to {address} …").format(address=plain(address)))

    @on(Input.Submitted)
    @on(Button.Pressed, "#go")
    def submitted(self) -> None:
        """Enter in any field connects."""
        self.action_connect()

    @on(OptionList.OptionSelected, "#known")
    def known_chosen(self, event: OptionList.OptionSelected) -> None:
        """A known server: take its address, and connect if the name is there too."""
        known = self._recent[event.option_index]
        self.query_one("#address", Input).value = str(known.address)
        self.query_one("#guest", Tick).value = known.guest
        if self.query_one("#name", Input).value.strip():
            self.action_connect()
        else:
            self.query_one("#name", Input).focus()

    def action_connect(self) -> None:
        """Check the fields and ask for the connection."""
        if self.busy:
            return
        name = self.query_one("#name", Input).value.strip()
        try:
            address = Address.parse(self.query_one("#address", Input).value)
        except AddressError as error:
            self._complain("address", str(error))
            self.query_one("#address", Input).focus()
            return
        self._complain("address", "")
        if not name:
            self._complain("name", _("Write the name that the others shall see."))
            self.query_one("#name", Input).focus()
            return
        password = self.query_one("#password", Input).value or None
        guest = self.query_one("#guest", Tick).value
        self.show_busy(str(address))
        self.app.post_message(wishes.Connect(address, name, guest, password))
