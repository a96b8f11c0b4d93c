"""The lobby: all tables of the server; join one, make one, or join by its id."""

from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import DataTable, Static

from robby_client.events import ClientEvent, Connected
from robby_client.stories.registry import STORIES, game_title, option_summary
from robby_protocol.i18n import _, ngettext
from robby_protocol.messages import LobbyWatch, TableInfo
from robby_tui import wishes
from robby_tui.cells import cut, fit, plain, width
from robby_tui.hints import KeyHint
from robby_tui.link import Link
from robby_tui.screens.access import enter_table
from robby_tui.screens.ask import AskText, Choose
from robby_tui.screens.base import BaseScreen
from robby_tui.screens.setup import Setup, SetupScreen
from robby_tui.signs import BOT
from robby_tui.widgets.story import Story

ROOM_FOR_IDS = 100
"""Columns from which each table's id has a column; below, that of the table under the cursor is told."""
LONGEST_ID = 64
"""As long as the protocol lets a table's id be."""


class LobbyScreen(BaseScreen):
    """All tables."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c,C,n,N", "create", show=False),
        Binding("i,I", "join_by_id", show=False),
        Binding("w,W", "watch", show=False),
        Binding("escape", "disconnect", show=False),
    ]

    def body(self) -> ComposeResult:
        """Heading, the list, what is said when it is empty."""
        with Vertical(id="lobby"):
            yield Static("", id="lobby-head", markup=False)
            yield DataTable(cursor_type="row", zebra_stripes=True, id="tables")
            yield Static("", id="lobby-who", markup=False)
            yield Static("", id="lobby-empty", markup=False)
            yield Story(classes="talk")

    def on_mount(self) -> None:
        """Ask for the list."""
        self._ids: list[str] = []
        self._filled: tuple[list[TableInfo], int] | None = None
        self._options_cells = 0
        self.query_one(DataTable).focus()
        self._watch()

    def _watch(self) -> None:
        if self.link.here:
            self.link.call(LobbyWatch, on=True, refused=self.refused)

    def on_unmount(self) -> None:
        """The list is no longer wanted."""
        if self.link.here:
            self.link.call(LobbyWatch, on=False)

    def world_changed(self, event: ClientEvent | None) -> None:
        """Show the list as it is now."""
        if isinstance(event, Connected):
            self._watch()
        world = self.link.world
        server = "" if world.greeting is None else plain(world.greeting.server_name)
        me = "" if world.welcome is None else plain(world.welcome.name)
        lobby = world.lobby
        people = 0 if lobby is None else lobby.people
        count = ngettext("{n} person here", "{n} people here", people).format(n=people)
        by_tls = " · TLS" if self.link.tls else ""
        self.query_one("#lobby-head", Static).update(
            Content.assemble(
                (server or "Robby", "bold"), " · ", _("you are {name}").format(name=me), " · ", count, by_tls
            )
        )
        tables = [] if lobby is None else list(lobby.tables)
        self.query_one("#lobby-empty", Static).update(
            "" if tables else _("No table yet. Press c to make one; others join it from here.")
        )
        self._fill(tables)

    def _fill(self, tables: list[TableInfo]) -> None:
        columns = self.app.size.width
        if (tables, columns) == self._filled:
            return
        self._filled = (tables, columns)
        grid = self.query_one(DataTable)
        roomy = columns >= ROOM_FOR_IDS
        game_cells = max((width(plain(game_title(table.game))) for table in tables), default=0)
        game_cells = max(4, min(20, game_cells))
        spare = columns - game_cells - (50 if roomy else 39)
        title_cells = max(12, min(40, spare - 8))
        options_cells = max(8, min(30, spare - title_cells))
        self._options_cells = options_cells
        row = grid.cursor_row
        chosen = self._ids[row] if 0 <= row < len(self._ids) else None
        grid.clear(columns=True)
        grid.add_column(_("Table"), width=title_cells)
        grid.add_column(_("Game"), width=game_cells)
        grid.add_column(_("Seats"), width=5)
        grid.add_column(_("Now"), width=13)
        grid.add_column(_("Access"), width=7)
        grid.add_column(_("Options"), width=options_cells)
        if roomy:
            grid.add_column(_("Id"), width=9)
        self._ids = [table.table for table in tables]
        for table in tables:
            title = plain(table.title)
            cells = [
                Content(fit(title or plain(table.table), title_cells)),
                Content(fit(plain(game_title(table.game)), game_cells)),
                Content(f"{len(table.seats)}/{table.capacity}"),
                Content(phase_text(table)),
                Content(_("private") if table.private else _("open")),
                Content(cut(option_summary(table), options_cells)),
            ]
            grid.add_row(*cells, *([Content(plain(table.table))] if roomy else []))
        if chosen in self._ids:
            grid.move_cursor(row=self._ids.index(chosen))
        self._show_who()

    @on(DataTable.RowHighlighted)
    def row_highlighted(self, _event: DataTable.RowHighlighted) -> None:
        """Another table under the cursor."""
        self._show_who()

    def _show_who(self) -> None:
        """Who sits at the table under the cursor."""
        row = self.query_one(DataTable).cursor_row
        tables = [] if self._filled is None else self._filled[0]
        text = ""
        if 0 <= row < len(tables):
            names = [plain(seat.name) + (f" {BOT}" if seat.kind == "bot" else "") for seat in tables[row].seats]
            text = _("At this table: {names}").format(names=", ".join(names) or _("nobody"))
            text += " · " + watching_text(tables[row]) + " · " + _("id {table}").format(table=plain(tables[row].table))
            options = option_summary(tables[row])
            if width(options) > self._options_cells:
                text += " · " + options
        self.query_one("#lobby-who", Static).update(cut(text, max(10, self.app.size.width - 2)))

    def keys(self) -> list[KeyHint]:
        """What may be pressed."""
        hints = [KeyHint("Enter", _("join"), "join"), KeyHint("w", _("watch"), "watch")] if self._ids else []
        return [
            *hints,
            KeyHint("c", _("create a table"), "create"),
            KeyHint("i", _("join by id"), "join_by_id"),
            KeyHint("Esc", _("other server"), "disconnect"),
        ]

    def on_resize(self) -> None:
        """Another width, other columns."""
        if self.is_attached:
            self.tell(None)

    def action_join(self) -> None:
        """Join the table under the cursor."""
        row = self.query_one(DataTable).cursor_row
        if 0 <= row < len(self._ids):
            self._join(self._ids[row])

    @on(DataTable.RowSelected)
    def row_selected(self, _event: DataTable.RowSelected) -> None:
        """Enter or a click on a table."""
        self.action_join()

    def _join(self, table: str) -> None:
        if self.online():
            enter_table(self.link, table, watch=False, ask=self.app.push_screen, refused=self.refused)

    def action_watch(self) -> None:
        """Watch the table under the cursor."""
        row = self.query_one(DataTable).cursor_row
        if 0 <= row < len(self._ids) and self.online():
            enter_table(self.link, self._ids[row], watch=True, ask=self.app.push_screen, refused=self.refused)

    def action_join_by_id(self) -> None:
        """Ask for a table's id."""

        def entered(table: str | None) -> None:
            if table:
                self._join(table)

        self.app.push_screen(AskText(_("Which table? Type its id."), longest=LONGEST_ID), entered)

    def action_create(self) -> None:
        """Fill in the form for a new table."""
        if not self.online():
            return
        games = games_offered(self.link)
        if len(games) == 1:
            self._set_up(games[0])
            return

        def chosen(index: int | None) -> None:
            if index is not None and self.online():
                self._set_up(games[index])

        self.app.push_screen(Choose(_("Which game?"), [STORIES[game].introduced() for game in games]), chosen)

    def _set_up(self, game: str) -> None:
        story = STORIES[game]
        self.app.push_screen(
            SetupScreen(
                _("A new table of {game}").format(game=story.title),
                Setup(title="", capacity=story.types.seats[1], options={}),
                partial(self._create, game),
                story=story,
                options=story.types.options(),
                bots=bots_offered(self.link, game),
            )
        )

    def _create(self, game: str, setup: Setup, refused, done) -> None:  # type: ignore[no-untyped-def]
        if not self.link.here:
            refused("", _("There is no connection now; nothing was sent."))
            return
        fields = {
            "game": game,
            "title": setup.title,
            "capacity": setup.capacity,
            "options": setup.options,
            "bots": setup.bots,
            "private": setup.private,
            "spectators": setup.spectators,
            "delay_s": setup.delay_s,
        }
        self.link.ask(
            lambda client: client.create(password=setup.password or None, **fields),
            done=lambda _result: done(),
            refused=refused,
        )

    def action_disconnect(self) -> None:
        """Go to another server."""
        self.app.post_message(wishes.Disconnect())


def games_offered(link: Link) -> list[str]:
    """The games that both this server and this client have; at least one, so that the server may refuse it."""
    greeting = link.world.greeting
    offered = [] if greeting is None else [game.name for game in greeting.games]
    return [name for name in offered if link.world.knows(name)] or list(STORIES)[:1]


def bots_offered(link: Link, game: str) -> list[str]:
    """The bots that this server can seat at a game."""
    greeting = link.world.greeting
    return [] if greeting is None else [bot for one in greeting.games if one.name == game for bot in one.bots]


def watching_text(table: TableInfo) -> str:
    """Whether a table may be watched, how late, and how many do."""
    if not table.spectators:
        return _("nobody may watch")
    parts = [_("watched by {n}").format(n=table.watchers)] if table.watchers else [_("may be watched")]
    if table.delay_s:
        parts.append(_("{n} s behind").format(n=table.delay_s))
    return ", ".join(parts)


def phase_text(table: TableInfo) -> str:
    """What a table does."""
    phase = table.phase
    if phase == "waiting" and len(table.seats) >= table.capacity:
        return _("full")
    texts = {"waiting": _("waiting"), "playing": _("playing"), "finished": _("between games")}
    return texts.get(phase, plain(phase))
