"""Who is here, as a dialog: mute somebody for oneself, or as host for everybody at the table."""

from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from robby_client.chat import look_of
from robby_protocol.i18n import _
from robby_protocol.messages import TableMute
from robby_tui.cells import fit, plain
from robby_tui.link import Link
from robby_tui.signs import ALERT, MUTED
from robby_tui.widgets.choices import Choices

MOST_PEOPLE = 40
"""Names offered: those at the table, and who spoke last."""
_NAME_CELLS = 26


class PeopleScreen(ModalScreen[None]):
    """Everybody at the table and who spoke lately, but for oneself and bots."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,u", "close", show=False),
        Binding("m,M", "for_all(True)", show=False),
        Binding("a,A", "for_all(False)", show=False),
    ]

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link
        self._names = self._people()

    def _people(self) -> list[str]:
        world = self._link.world
        found: dict[str, str] = {}
        table = world.table
        if table is not None:
            found |= {look_of(seat.name): seat.name for seat in table.seats if seat.kind == "person"}
        chat = world.lobby_chat if table is None else world.table_chat
        for line in reversed(chat.lines):
            if line.kind != "operator":
                found.setdefault(look_of(line.name), line.name)
        for look, name in world.muted.items():
            found.setdefault(look, name)
        me = "" if world.welcome is None else look_of(world.welcome.name)
        return [name for look, name in found.items() if look != me][:MOST_PEOPLE]

    @property
    def _host(self) -> bool:
        table, seat = self._link.world.table, self._link.world.seat
        return table is not None and seat is not None and table.host == seat

    def compose(self) -> ComposeResult:
        """The names, and what may be done."""
        with Vertical(classes="dialog"):
            at_table = self._link.world.table is not None
            title = _("People at this table, and who spoke here") if at_table else _("Who spoke in the lobby lately")
            yield Static(title, classes="question", markup=False)
            if self._names:
                yield Choices(*self._options(), compact=True)
            else:
                nobody = _("Nobody else is here.") if at_table else _("Nobody else has said anything.")
                yield Static(nobody, classes="detail", markup=False)
            yield Static("", id="people-said", classes="detail", markup=False)
            keys = _("Esc back")
            if self._names:
                keys = _("Enter hide or show, for you alone") + " · " + keys
            if self._names and self._host:
                keys += "\n" + _("Host: m mute for the whole table · a let speak again")
            yield Static(keys, classes="keys", markup=False)

    def _options(self) -> list[Option]:
        return [Option(self._line(name)) for name in self._names]

    def _line(self, name: str) -> Content:
        muted = look_of(name) in self._link.world.muted
        state = (_("hidden for you"), f"bold {ALERT}") if muted else (_("heard"), MUTED)
        return Content.assemble(fit(plain(name), _NAME_CELLS), " ", state)

    @on(OptionList.OptionSelected)
    def chosen(self, event: OptionList.OptionSelected) -> None:
        """Mute for oneself, or hear again."""
        name, client = self._names[event.option_index], self._link.client
        if client is None:
            return
        if look_of(name) in self._link.world.muted:
            client.unmute(name)
        else:
            client.mute(name)
        event.option_list.replace_option_prompt_at_index(event.option_index, self._line(name))

    def action_for_all(self, on_: bool) -> None:
        """Host: nobody at the table hears this person, or all do again."""
        people = self.query(OptionList)
        at = people.first().highlighted if people else None
        if not self._host or at is None:
            return
        name = self._names[at]
        done = _("{name} is muted at this table.") if on_ else _("{name} may speak again.")

        def answered(_result: dict[str, Any]) -> None:
            self._say(done.format(name=plain(name)))

        self._link.call(TableMute, done=answered, refused=lambda _code, text: self._say(plain(text)), name=name, on=on_)

    def _say(self, text: str) -> None:
        if self.is_attached:
            self.query_one("#people-said", Static).update(text)

    def action_close(self) -> None:
        """Back to where one was."""
        self.dismiss(None)
