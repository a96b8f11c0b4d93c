"""Help: the game's own chapters, and those that hold for every game. Knows no game."""

import time
from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from robby_client.stories.registry import game_title
from robby_client.world import RunningClock
from robby_protocol.i18n import _
from robby_tui.screens.games import SCREENS
from robby_tui.widgets.countdown import Countdown

CLOCK_SECONDS = 0.5
"""Between two looks at which clock runs; the bar itself moves more often."""


def general(people: str = "u", leave: str = "l") -> list[tuple[str, str]]:
    """The chapters that are no game's own, in the language in use. people, leave: the keys for these at the table."""
    return [
        (
            _("Keys everywhere"),
            _(
                "PgUp PgDn the log   End its newest line\n"
                "/ say something   {people} people: mute, or hear again\n"
                "d put the notice at the top away   j sit down where you watch\n"
                "{leave} leave the table   q quit   ? or F1 this page\n"
                "Ctrl+P everything there is to do   Ctrl+Z to the shell (fg: back)\n"
                "Mouse: click a key in the last line."
            ).format(people=people, leave=leave),
        ),
        (
            _("Keys before and after a game"),
            _(
                "Lobby: Enter join   w watch   c create a table   i join by id\n"
                "Esc other server\n"
                "Form: Tab next field   Space tick   F2 OK   Esc back\n"
                "Room: r ready   s start   l leave   e the last results   y copy the invite\n"
                "Host: a add a bot   o options   i new invite   x close the table\n"
                "↑ ↓ choose a seat, then k remove who sits there   h make that person host\n"
                "Results: f save the record   o seats and options"
            ),
        ),
        (
            _("Talking"),
            _(
                "Press /, type a line, Enter sends it; Esc goes back to the game and keeps what you typed. Lines that "
                "begin with » are what people say, whatever they look like. {people} lists who is here: hide what "
                "somebody says for yourself, or as host for the whole table."
            ).format(people=people),
        ),
        (
            _("Watching and private tables"),
            _(
                "w in the lobby watches a table: you see what everybody there sees, never a hidden card, and as late "
                "as its host wishes. A private table opens to its invite code or its password; those who sit there "
                "see the code in the room and give it to friends with the server's address."
            ),
        ),
        (
            _("Fair deal"),
            _(
                "Each player's program and the server put a secret into the shuffle before it is made, so nobody can "
                "choose the cards. Robby checks it by itself and warns loudly if something does not fit. The record "
                "of a finished game (f) can be checked later: robby verify."
            ),
        ),
        (
            _("The server"),
            _(
                "If it was away and came back, the clock says PAUSED until all are there; nobody loses time. NOT SAVED "
                "NOW: the server cannot write to its disk; the game goes on, but would not survive a crash. TLS in "
                "the lobby's head: the connection is encrypted, and the server's certificate was checked."
            ),
        ),
        (
            _("When the connection is lost"),
            _(
                "Robby comes back by itself and keeps your seat. Nothing that you press meanwhile is sent later. "
                "If time runs out, the clock plays for you; after a while a bot sits in until you are back."
            ),
        ),
    ]


def page(game: str | None) -> list[tuple[str, str]]:
    """All chapters where this game is played; None: no game yet, so each game's under its name."""
    if game is not None:
        screens = SCREENS.get(game)
        if screens is None:
            return general()
        return [*screens.chapters(), *general(screens.table.PEOPLE_KEY, screens.table.LEAVE_KEY)]
    chapters = general()
    for name, screens in SCREENS.items():
        chapters += [(f"{game_title(name)}: {heading}", text) for heading, text in screens.chapters()]
    return chapters


class Help(ModalScreen[None]):
    """One page to scroll; the time left stays in sight.

    game: which game's chapters are shown; None: every game's. clock: tells what runs down now. now: the monotonic
    clock in seconds.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "close", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown,space", "scroll(10)", show=False),
    ]

    def __init__(
        self,
        game: str | None = None,
        clock: Callable[[], RunningClock | None] = lambda: None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._game = game
        self._clock = clock
        self._now = now

    def compose(self) -> ComposeResult:
        """The chapters."""
        with Vertical(id="help"):
            with VerticalScroll(id="help-body", can_focus=False):
                pieces: list[str | tuple[str, str]] = []
                for heading, text in page(self._game):
                    pieces += [(heading, "bold $accent"), "\n", text, "\n\n"]
                yield Static(Content.assemble(*pieces).rstrip(), markup=False)
            yield Countdown(self._now)
            yield Static(_("↑ ↓ PgUp PgDn scroll · Esc back"), classes="keys", markup=False)

    def on_mount(self) -> None:
        """Keep the clock in sight."""
        self._show_clock()
        self.set_interval(CLOCK_SECONDS, self._show_clock)

    def _show_clock(self) -> None:
        clock = self._clock()
        countdown = self.query_one(Countdown)
        countdown.display = clock is not None
        countdown.show(clock)

    def action_close(self) -> None:
        """Back to where one was."""
        self.dismiss(None)

    def action_scroll(self, rows: int) -> None:
        """Move in the page."""
        self.query_one("#help-body", VerticalScroll).scroll_relative(y=rows, animate=False)
