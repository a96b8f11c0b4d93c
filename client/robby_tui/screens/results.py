"""The results: places, each score explained line by line, and getting ready for the next match."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from robby_client.events import ClientEvent
from robby_client.stories.registry import game_title
from robby_client.words.common import amount, name_list
from robby_protocol.i18n import _, ngettext
from robby_protocol.messages import TableInfo
from robby_tui import wishes
from robby_tui.cells import fit, plain, width
from robby_tui.hints import KeyHint
from robby_tui.screens.games import SCREENS
from robby_tui.screens.seated import Seated, deal_text
from robby_tui.signs import DONE, WINNER
from robby_tui.widgets.lines import Line, content
from robby_tui.widgets.story import Story

NAME_CELLS = 20
_AROUND = 9
"""Rows that heading, readiness, keys and air take."""


class ResultsScreen(Seated):
    """The finished match."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o,O", "room", show=False),
        Binding("f,F", "save_record", show=False),
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", show=False),
    ]

    def body(self) -> ComposeResult:
        """Heading, scores, who is ready again."""
        yield Static("", id="results-head", markup=False)
        with VerticalScroll(id="results-body", can_focus=False):
            yield Static("", id="scores", markup=False)
        yield Story(classes="talk")
        yield Static("", id="results-deal", markup=False)
        yield Static("", id="results-ready", markup=False)

    def world_changed(self, event: ClientEvent | None) -> None:
        """Show the results as they are."""
        table, game = self.table, self.link.world.game
        if table is None:
            return
        screens = None if game is None else SCREENS.get(game.name)
        scored = game is not None and getattr(game.public, "scores", None) is not None
        self.query_one("#results-head", Static).update(self._heading(table, scored=scored))
        cells = max(40, self.app.size.width - 4)
        lines = [_short(line.name, line.score, line.winner) for line in table.result]
        if scored and game is not None and screens is not None:
            explained = screens.results(game, cells)
            # Where not all has room, who has what is seen at once, and what it is made of below.
            lines = [*lines, [], *explained] if len(explained) > self.app.size.height - _AROUND else explained
        self.query_one("#scores", Static).update(content(lines))
        deal = deal_text(self.link.world.deal)
        shown = self.query_one("#results-deal", Static)
        shown.display = bool(deal.plain)
        shown.update(deal)
        self.query_one("#results-ready", Static).update(self._ready(table))

    def _heading(self, table: TableInfo, *, scored: bool) -> Content:
        title = plain(table.title) or game_title(table.game)
        me = self.link.world.seat
        winners = [line for line in table.result if line.winner]
        if any(line.seat is not None and line.seat == me for line in winners):
            said = _("You win!") if len(winners) == 1 else _("You share the win!")
        elif winners:
            names = name_list([plain(line.name) for line in winners])
            said = ngettext("{names} wins.", "{names} share the win.", len(winners)).format(names=names)
        elif not scored:
            said = _("The game was broken off; nobody wins.")
        else:
            said = ""
        return Content.assemble((f"{WINNER} {said} ", "bold $accent"), (f" {title} · ", ""), _("final scores"))

    def _ready(self, table: TableInfo) -> Content:
        people = [
            (plain(seat.name), seat.ready or seat.kind == "bot" or number == table.host)
            for number, seat in enumerate(table.seats)
        ]
        rows: list[str] = []
        for name, ready in people:  # a sign stays with its name
            one = f"{DONE if ready else '…'} {name}"
            if rows and width(rows[-1]) + 3 + width(one) <= self.app.size.width - 2:
                rows[-1] += "   " + one
            else:
                rows.append(one)
        if self.link.world.watching:
            ask = _("You are watching.")
        elif self.is_host:
            ask = _("Another game? s starts it as soon as all are ready.")
        elif self.i_am_ready:
            ask = _("You are ready for another game; the host starts it.")
        else:
            ask = _("Another game? Press r.")
        return Content.assemble((ask, "bold"), "\n", "\n".join(rows))

    def keys(self) -> list[KeyHint]:
        """What may be pressed."""
        return [
            *self.seat_keys(),
            KeyHint("o", _("seats and options"), "room"),
            KeyHint("f", _("save the record"), "save_record"),
            KeyHint("↑↓", _("scroll"), "scroll(1)"),
            self.leave_key(_("back to the lobby")),
        ]

    def on_resize(self) -> None:
        """Another width."""
        if self.is_attached:
            self.tell(None)

    def action_room(self) -> None:
        """Seats, options and bots for the next match."""
        self.app.post_message(wishes.ShowRoom())

    def action_save_record(self) -> None:
        """Write the match's record into a file, and say where."""
        table = self.table
        if table is None or table.match is None or not self.online():
            return
        match = table.match
        self.link.ask(
            lambda client: client.save_record(match),
            done=lambda path: self.say(_("Saved: {path}").format(path=path)),
            refused=self.refused,
        )

    def action_scroll(self, rows: int) -> None:
        """Move in the scores."""
        self.query_one("#results-body", VerticalScroll).scroll_relative(y=rows * 2, animate=False)


def _short(name: str, score: int, winner: bool) -> Line:
    return [(f"{WINNER if winner else ' '} {fit(plain(name), NAME_CELLS)} {fit(amount(score), 9, 'right')}", "")]
