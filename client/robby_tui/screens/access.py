"""What opens a private table: its invite code or its password, as a dialog that stays until one was right."""

from collections.abc import Callable
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from robby_protocol.errors import ACCESS_DENIED, TABLE_PRIVATE
from robby_protocol.i18n import _
from robby_tui.cells import plain
from robby_tui.link import Link, OnRefused
from robby_tui.screens.connect import LONGEST_PASSWORD

LONGEST_INVITE = 100
"""Longer than any invite code, with room for the spaces of a hasty paste."""


class AccessScreen(ModalScreen[None]):
    """Asks for the invite code or the password. submit: tries them; its second argument is called when they are
    refused, its third when they were right."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", show=False)]

    def __init__(self, submit: Callable[[str, str, OnRefused, Callable[[], None]], None]) -> None:
        super().__init__()
        self._submit = submit

    def compose(self) -> ComposeResult:
        """Two fields, of which one is filled in."""
        with Vertical(classes="dialog"):
            yield Static(_("This table is private."), classes="question", markup=False)
            yield Static(_("Invite code, from somebody who sits there"), classes="label", markup=False)
            yield Input(id="invite", max_length=LONGEST_INVITE, compact=True)
            yield Static(_("or its password"), classes="label", markup=False)
            yield Input(id="table-password", password=True, max_length=LONGEST_PASSWORD, compact=True)
            yield Static("", id="access-error", classes="error", markup=False)
            yield Static(_("Enter goes on · Tab other field · Esc goes back"), classes="keys", markup=False)

    def action_cancel(self) -> None:
        """Stay outside."""
        self.dismiss(None)

    @on(Input.Submitted)
    def entered(self) -> None:
        """Try what was typed."""
        invite = self.query_one("#invite", Input).value.strip()
        password = self.query_one("#table-password", Input).value
        if not invite and not password:
            self._say(_("Write the invite code or the password."))
            return
        self._say(_("Sent; waiting for the server …"))
        self._submit(invite, password, self._refused, self._opened)

    def _refused(self, code: str, text: str) -> None:
        if code == ACCESS_DENIED and not self.query_one("#table-password", Input).value:
            text += " " + _("If that was the password, it belongs in the field below.")
        self._say(plain(text))

    def _opened(self) -> None:
        if self.is_current:
            self.dismiss(None)

    def _say(self, text: str) -> None:
        if self.is_attached:
            self.query_one("#access-error", Static).update(text)


def enter_table(link: Link, table: str, *, watch: bool, ask: Callable[[AccessScreen], Any], refused: OnRefused) -> None:
    """Join or watch a table; where it is private and nothing is known that opens it, ask for that first."""

    def attempt(invite: str, password: str, no: OnRefused, yes: Callable[[], None]) -> None:
        if not link.here:
            no("", _("There is no connection now; nothing was sent."))
            return
        link.ask(
            lambda client: (client.watch if watch else client.join)(table, invite=invite, password=password or None),
            done=lambda _result: yes(),
            refused=no,
        )

    def first_refused(code: str, text: str) -> None:
        if code in (TABLE_PRIVATE, ACCESS_DENIED):
            ask(AccessScreen(attempt))
        else:
            refused(code, text)

    attempt("", "", first_refused, lambda: None)
