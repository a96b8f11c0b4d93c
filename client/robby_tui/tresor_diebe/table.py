"""Tresor Diebe's table: safes, dice, thieves, what is asked, and how they share the window's room."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import Static

from robby_client.world import GameState
from robby_games.tresor_diebe import NOBODY, SIDES, GameOver, RoundBegan, RoundEnded, Thrown
from robby_protocol.i18n import _
from robby_tui.cells import plain, width
from robby_tui.link import Link
from robby_tui.screens.table import WIDE
from robby_tui.signs import ALERT, GOOD, MUTED
from robby_tui.tresor_diebe import asked, dice, safes
from robby_tui.tresor_diebe.dice import dice_lines
from robby_tui.tresor_diebe.keys import DiebeKeys
from robby_tui.tresor_diebe.odds import chances
from robby_tui.tresor_diebe.panel import last_text, panel_lines, round_text
from robby_tui.tresor_diebe.people import people_lines, rows_of
from robby_tui.tresor_diebe.picture import STORY, Picture, names_of
from robby_tui.tresor_diebe.recap import Recap, gather, newest_throw
from robby_tui.tresor_diebe.safes import safe_lines
from robby_tui.widgets.countdown import Countdown
from robby_tui.widgets.lines import Line, Piece, content, line_width, spread, wrap
from robby_tui.widgets.story import Story

ROLL_SETTLES = 2.5
"""Dice roll for so many times the moment in which keys do nothing: seen, and over before anybody has read them."""
ROLL_FRAME = 0.07
"""Seconds between two sides of a rolling die."""
_FIXED_ROWS = 6
"""Header, what is asked on two lines, the notice, the bar, the keys."""
_MOST_NOTICE_ROWS = 3
_LEAST_STORY_ROWS = 3
"""Rather than fewer lines of the log there is no air between the parts."""
_SIDE = 35
_WIDEST_SIDE = 70
"""Cells of the log beside the table."""
_WIDEST_TABLE = 106
"""Cells that the table can use; what is left goes to the log."""
_PANEL = 25
"""Cells that what is told beside the dice needs; with less it stands below them."""
_PANEL_ROWS = 4
_BESIDE = 2
"""Cells between the dice and what is told of them."""


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
        below = 0 if self.beside(cells) else _PANEL_ROWS
        return (
            safes.HEIGHTS[self.safes]
            + dice.height_of(self.dice)
            + below
            + rows_of(players, roomy=self.roomy)
            + self.story
        )

    def beside(self, cells: int) -> bool:
        """Whether what is told of the dice has room beside them."""
        return cells >= dice.width_of(self.dice) + _BESIDE + _PANEL


_LAYOUTS = (
    Layout("framed", "huge", roomy=True, story=5),
    Layout("framed", "big", roomy=True, story=5),
    Layout("framed", "big", story=4),
    Layout("compact", "big"),
    Layout("compact", "small"),
)
"""The largest first; the last resort is `_TIGHT`."""
_TIGHT = Layout("tight", "small")


class Throw(Static):
    """The dice, and what is told of them."""

    DEFAULT_CSS = "Throw { height: auto; padding: 0 1; }"

    class Picked(Message):
        """A die was clicked."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.size_shown: dice.Size = "small"

    def on_click(self, event: Click) -> None:
        """Tell which die was clicked."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= dice.height_of(self.size_shown):
            return
        place = dice.place_at(offset.x, self.size_shown)
        if place is not None:
            self.post_message(self.Picked(place))


class DiebeTable(DiebeKeys):
    """A match of Tresor Diebe."""

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self._recap = Recap()
        self._notice_rows = 1
        self._rolls: tuple[float, Thrown] | None = None

    def body(self) -> ComposeResult:
        """The table from top to bottom."""
        with Vertical(id="board"):
            yield Static(id="head", markup=False)
            with Vertical(id="middle"):
                with Vertical(id="left"):
                    yield Static(id="safes", markup=False)
                    yield Throw()
                    yield Static(id="thieves", markup=False)
                with Vertical(id="side"):
                    yield Story()
            yield Static(id="asked", markup=False)
            yield Static(id="notice", markup=False)
            yield Countdown(self.now)

    def on_mount(self) -> None:
        """Be ready to let dice roll."""
        self._roll_timer = self.set_interval(ROLL_FRAME, self._roll_on, pause=True)

    # The story.

    def match_began(self) -> None:
        """Forget the match before."""
        self._recap, self._rolls = Recap(), None

    def sentences(self, game: GameState, events: Iterable[Any]) -> list[tuple[str, str]]:
        """The events in sentences, with their styles."""
        names, me = names_of(game), None if game.own is None else game.own.seat
        return [
            (sentence, _story_style(one, me))
            for one in events
            if (sentence := STORY.sentence(one, names, me)) is not None
        ]

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

    def show_keys(self) -> None:
        """The line of keys, and at the top whether something was said that the log has no room for."""
        super().show_keys()
        if self.picture is not None and self.is_attached:
            self._draw_head(self.picture, self.app.size.width)

    def redraw(self) -> None:
        """Draw the game as it is now."""
        game = self.link.world.game
        if game is None or not self.shows(game) or not self.is_attached:
            return
        decision = game.decision
        self.picture = picture = Picture(
            table=self.link.world.table,
            public=game.public,
            own=game.own,
            names=tuple(names_of(game)),
            decision=None if decision is None else decision.id,
            legal=() if decision is None else decision.legal,
            clock=game.clock,
            recap=self._recap,
            chosen=self.chosen,
            rolling=self._rolling(),
            odds=self.odds and game.public.odds and game.public.phase != "over",
            sent=self.answers.sent,
            offline=self.link.offline is not None,
        )
        self.asks()
        columns, rows = self.app.size
        wide = columns >= WIDE
        side = max(_SIDE, min(_WIDEST_SIDE, columns - 2 - _WIDEST_TABLE)) if wide else 0
        cells = max(safes.LEAST_COLUMN * safes.IN_A_ROW, columns - 2 - side)
        self.query_one("#side").styles.width = side or None
        free = rows - _FIXED_ROWS - self.top_rows
        players = len(picture.public.fields)
        layout = next((one for one in _LAYOUTS if one.fits(cells, free + (one.story if wide else 0), players)), _TIGHT)
        needed = layout.rows(cells, players) - (layout.story if wide else 0)
        self.set_class(wide, "wide")
        self.set_class(layout is _TIGHT, "tight")
        self.set_class(layout is _TIGHT and needed + self._asked_rows(picture) - 2 > free, "crowded")
        spare = free - needed
        self._notice_rows = 1 + max(0, min(_MOST_NOTICE_ROWS - 1, spare))
        spare -= len(self._notice_lines(picture)[: self._notice_rows]) - 1
        self.set_class(spare >= 2 + (0 if wide else _LEAST_STORY_ROWS), "spaced")
        self._draw_table(picture, layout, cells)
        self.query_one("#asked", Static).update(self._asked_text(picture))
        idle = "" if picture.over else _("no time limit")
        self.query_one(Countdown).show(game.clock, idle=idle)
        if not self.noticed:
            self.draw_notice()
        self.show_keys()
        self._too_small.update(self.small_notice())

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
        throw = self.query_one(Throw)
        throw.size_shown = layout.dice
        throw.update(content(_throw_lines(picture, layout, cells)))
        self.query_one("#thieves", Static).update(content(people_lines(picture, cells, roomy=layout.roomy)))

    def _asked_rows(self, picture: Picture) -> int:
        """Lines that the question takes."""
        return 1 + (width(asked.sentence(picture)) + 2 > self.app.size.width - 2)

    def _draw_head(self, picture: Picture, columns: int) -> None:
        public, table = picture.public, picture.table
        title = STORY.title
        if table is not None and table.title:
            title = f"{title} · {plain(table.title)}"
        left: list[Piece] = [
            (title, "bold"),
            (" · " + _("round {round}/{most}").format(round=public.round, most=public.rounds), "bold $accent"),
        ]
        if table is not None and not table.kept:
            left.append((" · " + _("NOT SAVED NOW"), f"bold {ALERT}"))
        deal = self.link.world.deal
        if columns >= WIDE and deal is not None and deal.people and deal.trouble is None:
            said = _("fair deal: your part is in it") if deal.nonce else _("fair deal")
            left.append((" · " + said, MUTED))
        unread = 0 if self.log_in_sight else self.link.talk.unread(self.link.world, self.chat)
        free = sum(1 for owner in public.safes if owner == NOBODY)
        right: list[Piece] = [
            (_("{n} new: /").format(n=unread) + " · " if unread else "", f"bold {ALERT}"),
            (_("{n} of {all} safes free").format(n=free, all=len(public.safes)), ""),
        ]
        self.query_one("#head", Static).update(content([spread(left, right, max(10, columns - 2))]))

    def _asked_text(self, picture: Picture) -> Content:
        style = "bold" if picture.decision is not None and not picture.sent else ""
        return content([[("▸ " if style else "  ", "bold $accent"), (asked.sentence(picture), style)]])

    def draw_notice(self) -> None:
        """The line under the question: the last turn, until the next one ends; and the round that it ended."""
        if self.picture is not None:
            lines = self._notice_lines(self.picture)[: self._notice_rows]
            self.put_notice(content(lines), said=bool(lines))

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


def _throw_lines(picture: Picture, layout: Layout, cells: int) -> list[Line]:
    """The dice; beside or below them what is told of them."""
    last = picture.recap.last
    past = not picture.public.dice
    fallen = picture.public.dice or (() if last is None else last.dice)
    lying = [picture.rolling.get(place, die) for place, die in enumerate(fallen)]
    lines = dice_lines(
        lying, layout.dice, keys=bool(picture.places), chosen=picture.chosen, fresh=picture.fresh, past=past
    )
    if not layout.beside(cells):
        return [*lines, *panel_lines(picture, cells, _PANEL_ROWS)]
    room = cells - dice.width_of(layout.dice) - _BESIDE
    told = panel_lines(picture, room, len(lines))
    return [[*line, (" " * _BESIDE, ""), *(told[row] if row < len(told) else [])] for row, line in enumerate(lines)]


def _story_style(event: Any, me: int | None) -> str:
    if isinstance(event, RoundBegan):
        return "bold $accent"
    if isinstance(event, GameOver | RoundEnded):
        return "bold"
    seat = getattr(event, "seat", None)
    return GOOD if me is not None and seat == me else ""
