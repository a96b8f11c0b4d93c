"""Tresor Diebe's table: safes, dice, thieves, what is asked, and how they share the window's room."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from robby_client.world import GameState
from robby_games.tresor_diebe import NOBODY, SIDES, GameOver, RoundBegan, RoundEnded, Thrown
from robby_protocol.i18n import _
from robby_tui.link import Link
from robby_tui.screens.board import SIDE
from robby_tui.screens.table import WIDE
from robby_tui.signs import MUTED
from robby_tui.tresor_diebe import dice, safes, throw
from robby_tui.tresor_diebe.keys import DiebeKeys
from robby_tui.tresor_diebe.odds import chances
from robby_tui.tresor_diebe.panel import last_text, round_text
from robby_tui.tresor_diebe.people import people_lines, rows_of
from robby_tui.tresor_diebe.picture import STORY, Picture
from robby_tui.tresor_diebe.recap import Recap, gather, newest_throw
from robby_tui.tresor_diebe.safes import safe_lines
from robby_tui.tresor_diebe.throw import Throw
from robby_tui.widgets.lines import Line, Piece, content, line_width, wrap

ROLL_SETTLES = 2.5
"""Dice roll for so many times the moment in which keys do nothing: seen, and over before anybody has read them."""
ROLL_FRAME = 0.07
"""Seconds between two sides of a rolling die."""
_FIXED_ROWS = 6
"""Header, what is asked on two lines, the notice, the bar, the keys."""
_MOST_NOTICE_ROWS = 3
_LEAST_STORY_ROWS = 3
"""Rather than fewer lines of the log there is no air between the parts."""
_WIDEST_SIDE = 70
"""Cells of the log beside the table."""
_WIDEST_TABLE = 106
"""Cells that the table can use; what is left goes to the log."""


@dataclass(frozen=True)
class Layout:
    """How large everything is drawn. roomy: two lines for each player; story: rows that the log must have below."""

    safes: safes.Size
    dice: dice.Size
    roomy: bool = False
    story: int = 0

    def fits(self, cells: int, rows: int, players: int) -> bool:
        """Whether it does."""
        if self.safes == "framed" and cells < safes.LEAST_FRAMED * safes.IN_A_ROW:
            return False
        if cells < dice.width_of(self.dice):
            return False
        return self.rows(cells, players) <= rows

    def rows(self, cells: int, players: int) -> int:
        """Lines that safes, dice and players take, and the log at least."""
        people = rows_of(players, roomy=self.roomy)
        return safes.HEIGHTS[self.safes] + throw.rows_of(self.dice, cells) + people + self.story


_LAYOUTS = (
    Layout("framed", "huge", roomy=True, story=5),
    Layout("framed", "big", roomy=True, story=5),
    Layout("framed", "big", story=4),
    Layout("compact", "big"),
    Layout("compact", "small"),
)
"""The largest first; the last resort is `_TIGHT`."""
_TIGHT = Layout("tight", "small")


class DiebeTable(DiebeKeys):
    """A match of Tresor Diebe."""

    STORY = STORY

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self._recap = Recap()
        self._notice_rows = 1
        self._rolls: tuple[float, Thrown] | None = None

    def own_part(self) -> ComposeResult:
        """Safes, dice, thieves."""
        yield Static(id="safes", markup=False)
        yield Throw()
        yield Static(id="thieves", markup=False)

    def on_mount(self) -> None:
        """Be ready to let dice roll."""
        self._roll_timer = self.set_interval(ROLL_FRAME, self._roll_on, pause=True)

    # The story.

    def match_began(self) -> None:
        """Forget the match before."""
        self._recap, self._rolls = Recap(), None

    def style_of(self, event: Any) -> str:
        """The style of an event's sentence in the log."""
        if isinstance(event, RoundBegan):
            return "bold $accent"
        return "bold" if isinstance(event, GameOver | RoundEnded) else ""

    def happened(self, events: list[Any], *, live: bool) -> None:
        """Keep what the last turn came to, and let the dice roll that were thrown just now."""
        self._recap = gather(self._recap, events)
        thrown = newest_throw(events) if live else None
        if thrown is not None:
            self._rolls = (self.now(), thrown)
            self._roll_timer.resume()

    def _rolling(self) -> dict[int, int]:
        """What each die that still rolls shows now, by place. Where keys act at once, as in tests, none does."""
        if self._rolls is None:
            return {}
        since, thrown = self._rolls
        passed = self.now() - since
        if passed >= ROLL_SETTLES * self.link.presses.settle:
            return {}
        frame = 1 + int(passed / ROLL_FRAME)
        # Each frame another side, and never the one that it will come to rest on.
        return {place: 1 + (thrown.dice[place] + (frame + place) % (SIDES - 1)) % SIDES for place in thrown.again}

    def _roll_on(self) -> None:
        if not self._rolling():
            self._rolls = None
            self._roll_timer.pause()
        self.redraw()

    # Drawing.

    def picture_of(self, game: GameState, **shared: Any) -> Picture:
        """The moment as it is now."""
        odds = self.odds and game.public.odds and game.public.phase != "over"
        rolling = self._rolling()
        return Picture.of(game, recap=self._recap, chosen=self.chosen, rolling=rolling, odds=odds, **shared)

    def draw(self, picture: Picture, columns: int, rows: int, *, wide: bool) -> None:
        """Draw safes, dice and thieves as large as there is room for."""
        side = max(SIDE, min(_WIDEST_SIDE, columns - 2 - _WIDEST_TABLE)) if wide else 0
        self.log_beside(side or None)
        cells = max(safes.LEAST_COLUMN * safes.IN_A_ROW, columns - 2 - side)
        free = rows - _FIXED_ROWS - self.top_rows
        players = len(picture.public.fields)
        layout = next((one for one in _LAYOUTS if one.fits(cells, free + (one.story if wide else 0), players)), _TIGHT)
        needed = layout.rows(cells, players) - (layout.story if wide else 0)
        self.set_class(layout is _TIGHT, "tight")
        self.set_class(layout is _TIGHT and needed + self.asked_rows(picture) - 2 > free, "crowded")
        spare = free - needed
        self._notice_rows = 1 + max(0, min(_MOST_NOTICE_ROWS - 1, spare))
        spare -= len(self._notice_lines(picture)[: self._notice_rows]) - 1
        self.set_class(spare >= 2 + (0 if wide else _LEAST_STORY_ROWS), "spaced")
        self._draw_table(picture, layout, cells)

    def _draw_table(self, picture: Picture, layout: Layout, cells: int) -> None:
        odds = chances(picture) if picture.odds else None
        drawn = safe_lines(
            picture.public.safes,
            picture.names,
            cells,
            layout.safes,
            target=None if picture.rolling else picture.target,
            odds=odds,
        )
        self.query_one("#safes", Static).update(content(drawn))
        self.query_one(Throw).show(picture, layout.dice, cells)
        self.query_one("#thieves", Static).update(content(people_lines(picture, cells, roomy=layout.roomy)))

    def head(self, picture: Picture, columns: int) -> tuple[list[Piece], list[Piece]]:
        """The round; how many safes are free."""
        public = picture.public
        left = [(" · " + _("round {round}/{most}").format(round=public.round, most=public.rounds), "bold $accent")]
        if columns >= WIDE and (deal := self.deal_told()):
            left.append((" · " + deal, MUTED))
        free = sum(1 for owner in public.safes if owner == NOBODY)
        return left, [(_("{n} of {all} safes free").format(n=free, all=len(public.safes)), "")]

    def notice(self, picture: Picture) -> tuple[Content, bool]:
        """The last turn, until the next one ends; and the round that it ended."""
        lines = self._notice_lines(picture)[: self._notice_rows]
        return content(lines), False  # the log has it as well: no player's line goes for it

    def _notice_lines(self, picture: Picture) -> list[Line]:
        cells = max(10, self.app.size.width - 2)
        lines: list[Line] = []
        if picture.public.dice:  # else it stands beside the dice
            lines += wrap([(round_text(picture), "bold $accent")], cells, "") if picture.recap.ended else []
        for text in (last_text(picture), last_text(picture, dice=False)):
            told = [(_("last: {what}").format(what=text), MUTED)]
            if text and (self._notice_rows > 1 or line_width(told) <= cells):
                return [*lines, *wrap(told, cells, "")]
        return lines

    def on_throw_picked(self, message: Throw.Picked) -> None:
        """A die was clicked: as its key."""
        if self.link.presses.settled():
            self.action_die(message.place)
