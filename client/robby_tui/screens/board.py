"""How every game's table is laid out: a head, the game's own part beside or above the log, what is asked, a notice, the
time left. A game's screen fills in its part, and says what its moment is, in words and keys.
"""

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from robby_client.stories.base import Story as GameStory
from robby_client.world import GameState
from robby_protocol.i18n import _
from robby_tui.cells import plain, width
from robby_tui.hints import KeyHint
from robby_tui.link import Link
from robby_tui.moment import Moment, names_of
from robby_tui.screens.table import WIDE, TableScreen
from robby_tui.signs import ALERT, GOOD
from robby_tui.widgets.countdown import Countdown
from robby_tui.widgets.lines import Piece, content, spread
from robby_tui.widgets.story import Story

SIDE = 35
"""Cells of the log beside the table, at least."""

Picture = TypeVar("Picture", bound=Moment)


class Board(TableScreen, Generic[Picture]):
    """A table on the screen. picture: the moment that is shown; None before the first."""

    STORY: ClassVar[GameStory]
    """The game in words."""
    opens: ClassVar[str] = ""
    """What becomes allowed while the clock runs, with `{time}` for when."""

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self.picture: Picture | None = None

    # What a game's own table says.

    @abstractmethod
    def own_part(self) -> ComposeResult:
        """The widgets that show the game."""

    @abstractmethod
    def picture_of(self, game: GameState, **shared: Any) -> Picture:
        """The moment as it is now. shared: what every `Moment.of` takes besides the match."""

    @abstractmethod
    def draw(self, picture: Picture, columns: int, rows: int, *, wide: bool) -> None:
        """Draw the own part in a window of this size. wide: the log stands beside it."""

    @abstractmethod
    def head(self, picture: Picture, columns: int) -> tuple[list[Piece], list[Piece]]:
        """What stands in the head after the title, and at its right end."""

    @abstractmethod
    def sentence(self, picture: Picture) -> str:
        """What is asked, or for whom everybody waits."""

    @abstractmethod
    def hints(self, picture: Picture) -> Sequence[KeyHint]:
        """The keys that answer it."""

    @abstractmethod
    def notice(self, picture: Picture) -> tuple[Content, bool]:
        """The line under the question while nothing is said in it, and whether it is worth one of a tight window."""

    def style_of(self, event: Any) -> str:
        """The style of an event's sentence in the log; empty: that of its seat."""
        return ""

    # What that comes to.

    @property
    def decision(self) -> int | None:
        """The id of the decision that is on the screen."""
        return None if self.picture is None else self.picture.decision

    @property
    def question(self) -> str:
        """What is asked now, or for whom everybody waits."""
        return "" if self.picture is None else self.sentence(self.picture)

    def game_keys(self) -> list[KeyHint]:
        """The keys that answer what is asked."""
        return [] if self.picture is None else list(self.hints(self.picture))

    def sentences(self, game: GameState, events: Iterable[Any]) -> list[tuple[str, str]]:
        """The events in sentences, with their styles."""
        names, me = names_of(self.STORY, game), None if game.own is None else game.own.seat
        told: list[tuple[str, str]] = []
        for event in events:
            sentence = self.told(event, names, me)
            if sentence:
                own = me is not None and getattr(event, "seat", None) == me
                told.append((sentence, self.style_of(event) or (GOOD if own else "")))
        return told

    def told(self, event: Any, names: Sequence[str], me: int | None) -> str | None:
        """An event in a sentence; None: it needs none here."""
        return self.STORY.sentence(event, names, me)

    def above(self) -> ComposeResult:
        """What stands between the head and the rest, over the whole width."""
        yield from ()

    def body(self) -> ComposeResult:
        """The table from top to bottom."""
        with Vertical(id="board"):
            yield Static(id="head", markup=False)
            yield from self.above()
            with Vertical(id="middle"):
                with Vertical(id="left"):
                    yield from self.own_part()
                with Vertical(id="side"):
                    yield Story()
            yield Static(id="asked", markup=False)
            yield Static(id="notice", markup=False)
            yield Countdown(self.now)

    def show_keys(self) -> None:
        """The line of keys, and at the top whether something was said that the log has no room for."""
        super().show_keys()
        if self.picture is not None and self.is_attached:
            self._draw_head(self.picture, self.app.size.width)

    def redraw(self) -> None:
        """Draw the game as it is now."""
        game, table = self.link.world.game, self.link.world.table
        if game is None or not self.shows(game) or not self.is_attached:
            return
        names = names_of(self.STORY, game)
        offline = self.link.offline is not None
        self.picture = picture = self.picture_of(
            game, names=names, table=table, sent=self.answers.sent, offline=offline
        )
        self.asks()
        columns, rows = self.app.size
        wide = columns >= WIDE
        self.set_class(wide, "wide")
        self.draw(picture, columns, rows, wide=wide)
        style = "bold" if picture.decision is not None and not picture.sent else ""
        asked: list[Piece] = [("▸ " if style else "  ", "bold $accent"), (self.sentence(picture), style)]
        self.query_one("#asked", Static).update(content([asked]))
        idle = "" if picture.over else _("no time limit")
        self.query_one(Countdown).show(game.clock, idle=idle, opens=_(self.opens) if self.opens else "")
        if not self.noticed:
            self.draw_notice()
        self.show_keys()
        self._too_small.update(self.small_notice())

    def log_beside(self, cells: int | None) -> None:
        """Give the log so many cells beside the table; None: it stands below."""
        self.query_one("#side").styles.width = cells

    def asked_rows(self, picture: Picture) -> int:
        """Lines that the question takes."""
        return 1 + (width(self.sentence(picture)) + 2 > self.app.size.width - 2)

    def draw_notice(self) -> None:
        """Draw the line under the question while nothing is said in it."""
        if self.picture is not None:
            text, worth = self.notice(self.picture)
            self.put_notice(text, said=worth)

    def deal_told(self) -> str:
        """Whether this match was dealt from everybody's secrets; empty where it was not, or something is wrong."""
        deal = self.link.world.deal
        if deal is None or not deal.people or deal.trouble is not None:
            return ""
        return _("fair deal: your part is in it") if deal.nonce else _("fair deal")

    def _draw_head(self, picture: Picture, columns: int) -> None:
        title, table = self.STORY.title, picture.table
        if table is not None and table.title:
            title = f"{title} · {plain(table.title)}"
        left, right = self.head(picture, columns)
        kept = table is None or table.kept
        unread = 0 if self.log_in_sight else self.link.talk.unread(self.link.world, self.chat)
        # At the right end, where nothing is cut as long as there is any room.
        warned: list[Piece] = [
            ("" if kept else _("NOT SAVED NOW") + " · ", f"bold {ALERT}"),
            (_("{n} new: /").format(n=unread) + " · " if unread else "", f"bold {ALERT}"),
        ]
        whole = spread([(title, "bold"), *left], [*warned, *right], max(10, columns - 2))
        self.query_one("#head", Static).update(content([whole]))
