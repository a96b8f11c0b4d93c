"""The first screen: which server, which name. Errors stand where they are made right."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Checkbox, Input, OptionList, Static
from textual.widgets.option_list import Option

from robby_client.address import Address, AddressError
from robby_client.codes import (
    PASSWORD_NEEDED,
    TLS_CA_UNREADABLE,
    TLS_NOT_OFFERED,
    TLS_SELF_SIGNED,
    TLS_UNKNOWN_CA,
)
from robby_client.dial import TlsPlan
from robby_client.store import KnownServer
from robby_protocol.errors import TLS_REQUIRED
from robby_protocol.i18n import _
from robby_tui import wishes
from robby_tui.cells import cut, plain
from robby_tui.hints import KeyHint
from robby_tui.link import Link
from robby_tui.screens.base import BaseScreen
from robby_tui.widgets.choices import Choices
from robby_tui.widgets.toggles import Tick

LONGEST_ADDRESS = 300
"""Longer than any host's name may be."""
LONGEST_NAME = 60
"""The server's own limit is narrower; this only keeps a pasted book out."""
LONGEST_PATH = 1_000
LONGEST_PASSWORD = 200
"""As long as the protocol lets it be."""


def said_here(code: str) -> str | None:
    """What goes wrong where the remedy is a field of this screen, and not an option of the command line."""
    return {
        PASSWORD_NEEDED: _("The server asks for a password. Ask whoever runs it for it, and type it above."),
        TLS_REQUIRED: _("This server speaks TLS alone. TLS is switched on now: Enter connects."),
        TLS_NOT_OFFERED: _(
            "The server does not speak TLS at this address and port. Check both; only if you mean to go without TLS, "
            "take the tick away."
        ),
        TLS_SELF_SIGNED: _(
            "The server's certificate is signed by itself alone. If whoever runs it gave you its file, write above "
            "where that is."
        ),
        TLS_UNKNOWN_CA: _(
            "The server's certificate comes from an authority that is not trusted here. If whoever runs the server "
            "gave you the authority's file, write above where that is."
        ),
    }.get(code)


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
        tls: TlsPlan | None = None,
        problem: str = "",
        code: str = "",
    ) -> None:
        super().__init__(link, now)
        self._recent = recent
        self._address = address
        self._name = name
        self._guest = guest
        self._tls = tls
        self._problem = problem
        self._code = code
        self.busy = False

    def body(self) -> ComposeResult:
        """Title, known servers, the form."""
        with VerticalScroll(id="connect", can_focus=False):
            yield Static("R O B B Y", id="logo", markup=False)
            yield Static(_("games of thieves and gunslingers at one table"), id="motto", markup=False)
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
                    yield Tick(_("TLS: encrypted, by certificate"), self._tls is not None, id="tls", compact=True)
                    ca = None if self._tls is None else self._tls.ca
                    yield Input(
                        "" if ca is None else str(ca),
                        placeholder=_("authority's file, if it has one of its own"),
                        id="ca",
                        max_length=LONGEST_PATH,
                        compact=True,
                    )
                    yield Button(_("Connect"), id="go", variant="primary", compact=True)
                if self._recent:
                    with Vertical(id="recent"):
                        yield Static(_("Servers you know"), classes="label", markup=False)
                        yield Choices(*(self._option(known) for known in self._recent), id="known", compact=True)
            yield Static("", id="problem", markup=False)
            if not self._recent:
                yield Static(
                    _("Alone: robby play, against bots. A server of your own: robby serve."),
                    id="alone",
                    markup=False,
                )

    def _option(self, known: KnownServer) -> Option:
        where = cut(str(known.address), 22) + (" · TLS" if known.tls else "")
        return Option(Content.assemble((cut(plain(known.name), 28) or str(known.address), "bold"), f"\n  {where}"))

    def on_mount(self) -> None:
        """Start where something is missing."""
        missing = "#address" if not self._address else "#name" if not self._name else "#go"
        self.query_one(missing).focus()
        self._show_ca()
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
        text = said_here(code) or text
        self.query_one("#problem", Static).update("" if about else plain(text))
        if about:
            self._complain("name", text)
            self.query_one("#name", Input).focus()
        elif code.startswith("password_"):
            self.query_one("#password", Input).focus()
        elif code in (TLS_SELF_SIGNED, TLS_UNKNOWN_CA, TLS_CA_UNREADABLE):
            self.query_one("#ca", Input).focus()
        elif code == TLS_REQUIRED:
            self.query_one("#tls", Tick).value = True
            self.query_one("#go").focus()
        elif code == TLS_NOT_OFFERED:
            self.query_one("#tls", Tick).focus()

    @on(Input.Changed, "#address")
    def address_changed(self, event: Input.Changed) -> None:
        """A server that was reached by TLS is not reached without it by mistake."""
        for known in self._recent:
            if known.tls and str(known.address) == event.value.strip():
                self._take_tls(known)

    def _take_tls(self, known: KnownServer) -> None:
        self.query_one("#tls", Tick).value = known.tls
        self.query_one("#ca", Input).value = known.ca or ""

    @on(Checkbox.Changed, "#tls")
    def _show_ca(self) -> None:
        """The file matters with TLS alone."""
        self.query_one("#ca", Input).display = self.query_one("#tls", Tick).value

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
        self._take_tls(known)
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
        self.app.post_message(wishes.Connect(address, name, guest, password, self._plan()))

    def _plan(self) -> TlsPlan | None:
        if not self.query_one("#tls", Tick).value:
            return None
        ca = self.query_one("#ca", Input).value.strip()
        address = self.query_one("#address", Input).value.strip()
        named = [known.tls_name for known in self._recent if str(known.address) == address]
        if self._tls is not None and address == self._address:
            named = [self._tls.name]
        return TlsPlan(ca=Path(ca).expanduser() if ca else None, name=named[0] if named else None)
