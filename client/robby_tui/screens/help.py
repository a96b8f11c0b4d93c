"""Help: the rules in our own words, how to read the table, and the keys."""

import time
from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from robby_client.words import robby_solo as words
from robby_client.world import RunningClock
from robby_games.robby_solo import BANKS, ITEM_WORTH
from robby_protocol.i18n import _
from robby_tui.widgets.countdown import Countdown

CLOCK_SECONDS = 0.5
"""Between two looks at which clock runs; the bar itself moves more often."""


def chapters() -> list[tuple[str, str]]:
    """(heading, text) of each part, in the language in use."""
    worth = ", ".join(f"{n}: {words.amount(worth)}" for n, worth in enumerate(ITEM_WORTH) if n)
    banks = ", ".join(words.bank_label(bank) for bank in range(len(BANKS)))
    return [
        (
            _("What it is about"),
            _(
                "Everybody robs a bank in secret. Alone at a bank you take all its loot; two or more at the same bank "
                "get nothing, and the loot stays. The richest robber wins."
            ),
        ),
        (
            _("A round"),
            _(
                "1. The Gentleman or Lady of the round chooses an end of the row; from there one loot card is dealt on "
                "every bank.\n"
                "2. All others lay a heist card face down: the bank they mean to rob.\n"
                "3. The Gentleman lays last and declares „I will rob …“ or „I will not rob …“. It is always true.\n"
                "4. Revision: the others may confirm their card, which is final, or take it back and lay again, the "
                "same card or another. All see that you took a card back, nobody sees what you laid. That is the "
                "bluff. The Gentleman may call „reveal“ once the shortest revision is over and all cards lie.\n"
                "5. All cards are turned. Whoever is alone at a bank takes all its loot.\n"
                "6. A bank on which four cards are left is emptied by the police, who then take one card from everyone "
                "who holds the most loot cards: the dearest money, or an item of their choice if they have nothing "
                "else. What the police take goes under the deck and may come again.\n"
                "7. The next player is the Gentleman. When the deck cannot fill the row any more, or after as many "
                "rounds as the table allows (mostly 100), the game is over. Equal totals share the win.\n"
                "There is one bank more than participants."
            ),
        ),
        (
            _("What loot is worth"),
            _("Money is worth what it says. Items (◊) count together: {worth}.").format(worth=worth),
        ),
        (
            _("When time runs out"),
            _(
                "The clock decides for you: loot is dealt from the left; a card drawn by lot is laid; the Gentleman "
                "says a true „I will not rob …“ drawn by lot; after the revision the cards count as they lie, and one "
                "in your hand lies again as it was; the police get your oldest item. Untimed games have a limit for "
                "the revision alone, five minutes, as long as nobody is away."
            ),
        ),
        (
            _("Robby Junior"),
            _(
                "If he plays, he is a robber without a person: he plays his cards in an order that is shuffled once "
                "and never changes. Whoever remembers it, knows where he goes."
            ),
        ),
        (
            _("The table"),
            _(
                "The banks are {banks}. The newest loot lies on top. Under each bank is your heist card for it: [Y] is "
                "in your hand, ▒ Y ▒ lies face down, (Y) was taken back. ♛ is the Gentleman, ⚙ a bot, ▸ you. Of the "
                "others' loot you see how many cards they hold and the top one: remember what they took."
            ).format(banks=banks),
        ),
        (
            _("Keys"),
            _(
                "Letters y g r b x p k, or 1–7 from the left: a bank\n"
                "← → the end to deal from   1–7 the item for the police\n"
                "c confirm   t take back   v reveal\n"
                "w „I will rob“   n „I will not rob“   Enter say it   Esc no\n"
                "PgUp PgDn the log   End its newest line\n"
                "/ say something   u people: mute, or hear again\n"
                "d put the notice at the top away   j sit down where you watch\n"
                "l leave the table   q quit   ? or F1 this page\n"
                "Ctrl+P everything there is to do   Ctrl+Z to the shell (fg: back)\n"
                "Mouse: click a bank, or a key in the last line."
            ),
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
                "begin with » are what people say, whatever they look like. u lists who is here: hide what somebody "
                "says for yourself, or as host for the whole table."
            ),
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


class Help(ModalScreen[None]):
    """One page to scroll; the time left stays in sight.

    clock: tells what runs down now. now: the monotonic clock in seconds.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "close", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown,space", "scroll(10)", show=False),
    ]

    def __init__(
        self, clock: Callable[[], RunningClock | None] = lambda: None, now: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._clock = clock
        self._now = now

    def compose(self) -> ComposeResult:
        """The chapters."""
        with Vertical(id="help"):
            with VerticalScroll(id="help-body", can_focus=False):
                pieces: list[str | tuple[str, str]] = []
                for heading, text in chapters():
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
