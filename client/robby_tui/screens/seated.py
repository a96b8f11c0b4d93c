"""What the waiting room and the results share: being ready, starting, watching, leaving, and how the deal stands."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from robby_client.deal import REVEALED, Deal
from robby_client.tale.deal import deal_sentence
from robby_protocol.i18n import _
from robby_protocol.messages import TableInfo, TableReady, TableStart
from robby_tui import wishes
from robby_tui.hints import KeyHint
from robby_tui.screens.access import enter_table
from robby_tui.screens.base import BaseScreen
from robby_tui.screens.confirm import Confirm
from robby_tui.signs import BAD, DONE, MUTED


class Seated(BaseScreen):
    """A table between matches, by somebody who sits there or watches."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r,R", "ready", show=False),
        Binding("s,S", "start", show=False),
        Binding("j,J", "join", show=False),
        Binding("l,L", "leave_table", show=False),
        Binding("escape", "step_back", show=False),
    ]

    @property
    def table(self) -> TableInfo | None:
        """The own table, or the one watched."""
        return self.link.world.table

    @property
    def is_host(self) -> bool:
        """Whether the own seat may configure and start."""
        table = self.table
        return table is not None and table.host is not None and table.host == self.link.world.seat

    @property
    def i_am_ready(self) -> bool:
        """Whether the own seat said so."""
        table, seat = self.table, self.link.world.seat
        return table is not None and seat is not None and seat < len(table.seats) and table.seats[seat].ready

    def seat_keys(self) -> list[KeyHint]:
        """Keys for getting on with it."""
        table = self.table
        if self.link.world.watching:
            free = table is not None and len(table.seats) < table.capacity
            return [KeyHint("j", _("sit down"), "join")] if free else []
        hints = []
        if self.is_host:
            hints.append(KeyHint("s", _("start"), "start"))
        if not self.is_host or self.i_am_ready:
            hints.append(KeyHint("r", _("not ready") if self.i_am_ready else _("ready"), "ready"))
        return hints

    def leave_key(self, seated: str) -> KeyHint:
        """The key that leads back to the lobby. seated: what it says to somebody who sits there."""
        return KeyHint("l", _("stop watching") if self.link.world.watching else seated, "leave_table")

    def action_ready(self) -> None:
        """Say that one is ready, or is not."""
        if not self.link.world.watching and self.online():
            self.link.call(TableReady, ready=not self.i_am_ready, refused=self.refused)

    def action_start(self) -> None:
        """Host: begin."""
        if self.link.world.watching:
            return
        if not self.is_host:
            self.say(_("Only the host can start; r says that you are ready."), wrong=True)
        elif self.online():
            self.link.call(TableStart, refused=self.refused)

    def action_join(self) -> None:
        """Sit down at the table that one watches."""
        if self.table is not None and self.link.world.watching and self.online():
            enter_table(self.link, self.table.table, watch=False, ask=self.app.push_screen, refused=self.refused)

    def action_leave_table(self) -> None:
        """Back to the lobby."""
        self.app.post_message(wishes.LeaveTable())

    def action_step_back(self) -> None:
        """Back to the lobby; a seat is given up only after a question, since Esc is pressed out of habit."""
        if self.link.world.watching:
            self.action_leave_table()
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self.action_leave_table()

        detail = _("Your seat becomes free.")
        self.app.push_screen(Confirm(_("Leave this table?"), detail, yes=_("Leave")), answered)


def deal_text(deal: Deal | None) -> Content:
    """How the fair deal stands: quiet if all is well, loud if not; empty where there is none."""
    sentence = None if deal is None else deal_sentence(deal)
    if deal is None or sentence is None:
        return Content()
    if deal.trouble is not None:
        return Content.assemble((f"!! {sentence}", BAD))
    if deal.stage == REVEALED:
        return Content.assemble((f"{DONE} {sentence}", MUTED))
    return Content.assemble((sentence, MUTED))
