"""The table between matches: who sits where, who is ready, and what the host may do."""

from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from robby_client.codes import text_for
from robby_client.events import ClientEvent, Received
from robby_client.stories.registry import STORIES, game_title, option_lines, option_summary
from robby_client.tale import table as table_tale
from robby_client.words.common import name_list
from robby_protocol.i18n import _
from robby_protocol.messages import (
    SeatInfo,
    TableAddBot,
    TableClose,
    TableConfigure,
    TableHandOver,
    TableInfo,
    TableKick,
    TableState,
)
from robby_tui import wishes
from robby_tui.cells import fit, plain
from robby_tui.hints import KeyHint
from robby_tui.link import OnRefused
from robby_tui.screens.ask import Choose
from robby_tui.screens.confirm import Confirm
from robby_tui.screens.lobby import bots_offered, watching_text
from robby_tui.screens.seated import Seated, deal_text
from robby_tui.screens.setup import Setup, SetupScreen
from robby_tui.signs import ALERT, BAD, BOT, DONE, GOOD, MUTED, YOU
from robby_tui.widgets.choices import Choices
from robby_tui.widgets.story import Story

NAME_CELLS = 26
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts by which nobody comes from elsewhere."""


class RoomScreen(Seated):
    """Seats, options, news."""

    KEY_LINES = 3

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a,A", "add_bot", show=False),
        Binding("k,K,delete", "kick", show=False),
        Binding("h,H", "hand_over", show=False),
        Binding("o,O", "configure", show=False),
        Binding("e,E", "results", show=False),
        Binding("i,I", "new_invite", show=False),
        Binding("y,Y", "copy_invite", show=False),
        Binding("x,X", "close_table", show=False),
    ]

    def body(self) -> ComposeResult:
        """Heading, seats, options, what happened."""
        with Vertical(id="room"):
            yield Static("", id="room-head", markup=False)
            yield Static("", id="room-options", markup=False)
            yield Static("", id="room-invite", markup=False)
            yield Static("", id="room-share", markup=False)
            yield Choices(id="seats", compact=True)
            yield Static("", id="room-asked", markup=False)
            yield Story()

    def on_mount(self) -> None:
        """Start in the list of seats."""
        self.query_one(OptionList).focus()

    def world_changed(self, event: ClientEvent | None) -> None:
        """Show the table as it is now."""
        table = self.table
        if table is None:
            return
        title = plain(table.title)
        self.query_one("#room-head", Static).update(
            Content.assemble(
                (title, "bold"),
                " · " if title else "",
                plain(game_title(table.game)),
                " · ",
                _("id to join by: {table}").format(table=plain(table.table)),
                " · " + _("private") if table.private else "",
                " · " + watching_text(table),
                not_kept_text(table),
            )
        )
        self._show_sharing(table)
        lines = option_lines(table)
        summary = option_summary(table)
        self.query_one("#room-options", Static).update(
            Content.assemble((summary, "bold $foreground"), ("  " + " · ".join(lines), MUTED))
        )
        self._show_seats(table)
        self.query_one("#room-asked", Static).update(self._asked(table))
        if isinstance(event, Received) and isinstance(event.message, TableState):
            self.query_one(Story).tell(
                [(text, "") for news in event.message.news if (text := table_tale.news_sentence(news)) is not None]
            )

    def _show_sharing(self, table: TableInfo) -> None:
        """What friends need to come here: the invite of a private table, and where the server is."""
        invite = self.link.world.invite
        shown = self.query_one("#room-invite", Static)
        shown.display = invite is not None
        if invite is not None:
            shown.update(Content.assemble(_("Invite code:"), "  ", (f" {plain(invite)} ", "bold reverse")))
        share = self.query_one("#room-share", Static)
        address = self.link.address
        share.display = address is not None and not self.link.own_server and not self.link.world.watching
        if address is None:
            return
        tls = self.link.tls
        by_tls = "" if tls is None else " --tls" if tls.ca is None else " --tls-ca " + plain(tls.ca.name)
        command = f"robby join {plain(str(address))}{by_tls}"
        if address.host in _THIS_MACHINE:
            text = _("Friends: {command} (from elsewhere: this machine's address)")
        else:
            text = _("Friends: {command}")
        share.update(Content.assemble((text.format(command=command), MUTED)))

    def _show_seats(self, table: TableInfo) -> None:
        seats = self.query_one(OptionList)
        at = seats.highlighted
        seats.clear_options()
        seats.add_options(Option(self._seat_line(table, number)) for number in range(table.capacity))
        if at is not None and at < table.capacity:
            seats.highlighted = at

    def _seat_line(self, table: TableInfo, number: int) -> Content:
        if number >= len(table.seats):
            return Content.assemble((f"   {number + 1}. " + _("free"), MUTED))
        seat = table.seats[number]
        mine = YOU if number == self.link.world.seat else " "
        name = plain(seat.name)
        state, style = self._seat_state(table, number, seat)
        kind = f"{BOT} " + _("bot {name}").format(name=plain(seat.bot or "")) if seat.kind == "bot" else ""
        return Content.assemble(
            f" {mine} {number + 1}. ", (fit(name, NAME_CELLS), "bold"), " ", (fit(state, 20), style), " ", (kind, "")
        )

    def _seat_state(self, table: TableInfo, number: int, seat: SeatInfo) -> tuple[str, str]:
        if seat.state != "here":
            return _("away"), BAD
        if seat.ready or seat.kind == "bot":
            return f"{DONE} " + _("ready"), GOOD
        if number == table.host:
            return _("host"), "$accent"
        return "… " + _("not ready"), ALERT

    def _asked(self, table: TableInfo) -> Content:
        trouble = self.link.world.trouble
        if trouble is not None:
            return Content.assemble((text_for(trouble), BAD))
        if self.link.world.watching:
            return Content(_("You are watching; no game is being played now."))
        deal = deal_text(self.link.world.deal) if table.phase == "waiting" else Content()
        if deal.plain:
            return deal
        story = STORIES.get(table.game)
        least = 2 if story is None else story.fewest_seats(table.options)
        if len(table.seats) < least:
            return Content(
                _(
                    "Waiting for players. Others join from the lobby of this server, or by the id {table}. "
                    "The host adds bots with a."
                ).format(table=plain(table.table))
            )
        others = [
            plain(seat.name)
            for number, seat in enumerate(table.seats)
            if seat.kind == "person" and not seat.ready and number != table.host
        ]
        if self.is_host:
            if others:
                return Content(_("Waiting until ready: {names}.").format(names=name_list(others)))
            return Content.assemble((_("All are ready: s starts the game."), f"bold {GOOD}"))
        if not self.i_am_ready:
            return Content.assemble((_("Press r when you are ready."), "bold"))
        return Content(_("You are ready. Waiting for the host to start."))

    def keys(self) -> list[KeyHint]:
        """What may be pressed."""
        hints = self.seat_keys()
        if self.is_host:
            hints += [
                KeyHint("a", _("add bot"), "add_bot"),
                KeyHint("o", _("options"), "configure"),
                KeyHint("↑ ↓", _("choose a seat"), ""),
                KeyHint("k", _("remove"), "kick"),
                KeyHint("h", _("make host"), "hand_over"),
                KeyHint("x", _("close table"), "close_table"),
            ]
        if self.link.world.invite is not None:
            hints.append(KeyHint("y", _("copy invite"), "copy_invite"))
            if self.is_host:
                hints.append(KeyHint("i", _("new invite"), "new_invite"))
        if self.table is not None and self.table.phase == "finished":
            hints.append(KeyHint("e", _("results"), "results"))
        return [*hints, self.leave_key(_("leave"))]

    def _host_only(self) -> bool:
        if self.is_host:
            return self.online()
        self.say(_("Only the host can do this."), wrong=True)
        return False

    def _chosen_seat(self) -> tuple[int, SeatInfo] | None:
        table, at = self.table, self.query_one(OptionList).highlighted
        if table is None or at is None or at >= len(table.seats):
            self.say(_("Choose a seat with ↑ and ↓ first."), wrong=True)
            return None
        return at, table.seats[at]

    def action_add_bot(self) -> None:
        """Host: seat a bot."""
        if not self._host_only():
            return
        bots = [] if self.table is None else bots_offered(self.link, self.table.game)
        if not bots:
            self.say(_("This server has no bots."), wrong=True)
            return

        def chosen(index: int | None) -> None:
            if index is not None and self.online():
                self.link.call(TableAddBot, bot=bots[index], refused=self.refused)

        self.app.push_screen(Choose(_("Which bot shall sit down?"), bots), chosen)

    def action_kick(self) -> None:
        """Host: free the seat that is chosen in the list."""
        if not self._host_only():
            return
        chosen = self._chosen_seat()
        if chosen is None:
            return
        number, seat = chosen
        if number == self.link.world.seat:
            self.say(_("That is you; l leaves the table."), wrong=True)
            return
        if seat.kind == "bot":
            self.link.call(TableKick, seat=number, name=seat.name, refused=self.refused)
            return

        def answered(yes: bool | None) -> None:
            # By seat and name: who sits there by now is not removed in somebody else's stead.
            if yes and self.online():
                self.link.call(TableKick, seat=number, name=seat.name, refused=self.refused)

        question = _("Remove {name} from the table?").format(name=plain(seat.name))
        self.app.push_screen(Confirm(question, _("They cannot come back to this table."), yes=_("Remove")), answered)

    def action_hand_over(self) -> None:
        """Host: make the chosen person host."""
        if not self._host_only():
            return
        chosen = self._chosen_seat()
        if chosen is not None:
            number, seat = chosen
            self.link.call(TableHandOver, seat=number, name=seat.name, refused=self.refused)

    def action_copy_invite(self) -> None:
        """Put the invite code where the terminal pastes from."""
        if self.link.world.invite is not None:
            self.app.copy_to_clipboard(self.link.world.invite)
            self.say(_("Copied, if this terminal lets programs copy; else select it with Shift and the mouse."))

    def action_new_invite(self) -> None:
        """Host: make the old code worthless."""
        if self.link.world.invite is not None and self._host_only():
            self.link.call(TableConfigure, new_invite=True, refused=self.refused)

    def action_close_table(self) -> None:
        """Host: close the table, after a question."""
        if not self._host_only():
            return

        def answered(yes: bool | None) -> None:
            if yes and self.online():
                self.link.call(TableClose, refused=self.refused)

        detail = _("All who sit here or watch go back to the lobby.")
        self.app.push_screen(Confirm(_("Close this table?"), detail, yes=_("Close it")), answered)

    def action_configure(self) -> None:
        """Host: change the options."""
        table = self.table
        if table is None or not self._host_only():
            return
        story = STORIES.get(table.game)
        if story is None:
            self.say(_("This client does not know the table's game."), wrong=True)
            return
        options = story.typed_options(table.options) or story.types.options()
        self.app.push_screen(
            SetupScreen(
                _("The table's options"),
                Setup(
                    title=table.title,
                    capacity=table.capacity,
                    options=msgspec.to_builtins(options),
                    private=table.private,
                    spectators=table.spectators,
                    delay_s=table.delay_s,
                ),
                self._configure,
                story=story,
                options=options,
                changing=True,
            )
        )

    def _configure(self, setup: Setup, refused: OnRefused, done) -> None:  # type: ignore[no-untyped-def]
        if not self.link.here:
            refused("", _("There is no connection now; nothing was sent."))
            return
        fields = {
            "options": setup.options,
            "capacity": setup.capacity,
            "title": setup.title,
            "private": setup.private,
            "spectators": setup.spectators,
            "delay_s": setup.delay_s,
        }
        self.link.ask(
            lambda client: client.configure(password=setup.password, **fields),
            done=lambda _result: done(),
            refused=refused,
        )

    def action_results(self) -> None:
        """Back to the last match's results."""
        if self.table is not None and self.table.phase == "finished":
            self.app.post_message(wishes.ShowResults())


def not_kept_text(table: TableInfo) -> Content:
    """A word while the server cannot write the table down."""
    return Content() if table.kept else Content.assemble(" · ", (_("NOT SAVED NOW"), f"bold {ALERT}"))
