"""The results: places, each score explained line by line, and getting ready for the next match."""

from collections import Counter
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from robby_client.events import ClientEvent
from robby_client.words import robby_solo as words
from robby_games.robby_solo import ITEM_WORTH, PublicView, Score, is_item
from robby_protocol.i18n import _, ngettext
from robby_protocol.messages import TableInfo
from robby_tui import wishes
from robby_tui.cells import fit, plain, width
from robby_tui.hints import KeyHint
from robby_tui.robby_solo.loot import item_name
from robby_tui.robby_solo.picture import names_of
from robby_tui.screens.seated import Seated, deal_text
from robby_tui.signs import DONE, GOOD, MUTED, WINNER, YOU
from robby_tui.widgets.lines import Line, content, line_width
from robby_tui.widgets.story import Story

NAME_CELLS = 20
INDENT = "     "


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
        public = None if game is None else game.public
        scores = public.scores if isinstance(public, PublicView) else None
        self.query_one("#results-head", Static).update(self._heading(table, scores))
        cells = max(40, self.app.size.width - 4)
        if scores is not None and game is not None:
            names = names_of(game)
            me = None if game.own is None else game.own.seat
            lines = [line for score in scores for line in _explained(score, names, me, cells)]
            lines += _wrapped(_("Items count together"), _item_table(), cells)
        else:
            lines = [_short(line.name, line.score, line.winner) for line in table.result]
        self.query_one("#scores", Static).update(content(lines))
        deal = deal_text(self.link.world.deal)
        shown = self.query_one("#results-deal", Static)
        shown.display = bool(deal.plain)
        shown.update(deal)
        self.query_one("#results-ready", Static).update(self._ready(table))

    def _heading(self, table: TableInfo, scores: tuple[Score, ...] | None) -> Content:
        title = plain(table.title) or "Robby Solo"
        me = self.link.world.seat
        winners = [line for line in table.result if line.winner]
        if any(line.seat is not None and line.seat == me for line in winners):
            said = _("You win!") if len(winners) == 1 else _("You share the win!")
        elif winners:
            names = words.name_list([plain(line.name) for line in winners])
            said = ngettext("{names} wins.", "{names} share the win.", len(winners)).format(names=names)
        elif scores is None:
            said = _("The game was broken off; nobody wins.")
        else:
            said = ""
        return Content.assemble((f"{WINNER} {said} ", "bold $accent"), (f" {title} · ", ""), _("final scores"))

    def _ready(self, table: TableInfo) -> Content:
        people = [
            (plain(seat.name), seat.ready or seat.kind == "bot" or number == table.host)
            for number, seat in enumerate(table.seats)
        ]
        said = "   ".join(f"{DONE if ready else '…'} {name}" for name, ready in people)
        if self.link.world.watching:
            ask = _("You are watching.")
        elif self.is_host:
            ask = _("Another game? s starts it as soon as all are ready.")
        elif self.i_am_ready:
            ask = _("You are ready for another game; the host starts it.")
        else:
            ask = _("Another game? Press r.")
        return Content.assemble((ask, "bold"), "\n", said)

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
    return [(f"{WINNER if winner else ' '} {fit(plain(name), NAME_CELLS)} {words.amount(score)}", "")]


def _explained(score: Score, names: list[str], me: int | None, cells: int) -> list[Line]:
    """One participant: place and total; money; items; every card."""
    name = names[score.seat] if score.seat < len(names) else f"#{score.seat + 1}"
    mine = score.seat == me
    if mine:
        name = _("{name} (you)").format(name=name)
    style = f"bold {GOOD}" if score.winner else "bold"
    mark = WINNER if score.winner else YOU if mine else " "
    head: Line = [
        (f"{mark} {score.place}. ", style),
        (fit(name, NAME_CELLS) + " ", style),
        (fit(words.amount(score.total), 9, "right"), style),
    ]
    money = sorted((card for card in score.stack if not is_item(card)), reverse=True)
    sums = ngettext("{sum} in {n} money card", "{sum} in {n} money cards", len(money)).format(
        sum=words.amount(score.money), n=len(money)
    )
    items = [card for card in score.stack if is_item(card)]
    worth = ngettext("{worth} for {n} item", "{worth} for {n} items", score.items).format(
        worth=words.amount(score.items_worth), n=score.items
    )
    counts = Counter(money)
    cards = [words.amount(card) if n == 1 else f"{n}×{words.amount(card)}" for card, n in counts.items()]
    lines: list[Line] = [head]
    lines += _wrapped("  " + sums, cards, cells)
    lines += _wrapped("+ " + worth, [item_name(card) for card in items], cells)
    return lines


def _wrapped(label: str, parts: list[str], cells: int) -> list[Line]:
    """A label and a list, on as many lines as needed."""
    lines: list[Line] = []
    line: Line = [(INDENT + label, "")]
    for number, part in enumerate(parts):
        piece = (": " if number == 0 else "") + part + ("," if number < len(parts) - 1 else "")
        if line_width(line) + width(piece) + 1 > cells:
            lines.append(line)
            line = [(INDENT + "  " + piece, MUTED)]
        else:
            line.append((("" if number == 0 else " ") + piece, MUTED))
    return [*lines, line]


def _item_table() -> list[str]:
    return [f"{n} → {words.amount(worth)}" for n, worth in enumerate(ITEM_WORTH) if n]
