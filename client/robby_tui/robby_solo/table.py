"""Robby Solo's table: banks, participants, own loot, what is asked, and how they share the window's room."""

import time
from collections.abc import Callable, Iterable
from typing import Any, Literal

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from robby_client.world import GameState
from robby_games.robby_solo import Declared, GameOver, Revealed, RoundStarted
from robby_protocol.i18n import _
from robby_tui.cells import cut, plain, width
from robby_tui.link import Link
from robby_tui.robby_solo import asked
from robby_tui.robby_solo import banks as bank_widgets
from robby_tui.robby_solo.banks import BankRow
from robby_tui.robby_solo.keys import SoloKeys
from robby_tui.robby_solo.loot import OwnLoot, in_one_line, item_name
from robby_tui.robby_solo.people import People
from robby_tui.robby_solo.picture import STORY, Picture, names_of
from robby_tui.robby_solo.recap import Recap, gather
from robby_tui.screens.table import WIDE
from robby_tui.signs import ALERT, GENTLEMAN, GOOD, LINE, MUTED
from robby_tui.widgets.countdown import Countdown
from robby_tui.widgets.lines import Piece, content, spread
from robby_tui.widgets.story import Story

STAGE_SECONDS = 0.3
"""Between two banks of a reveal: slow enough to follow, over before the next question is read."""
_FIXED_ROWS = 6
"""Header, rule, what is asked, the notice, the bar, the keys."""
_TIGHT_FIXED_ROWS = 3 + bank_widgets.TIGHT_HEIGHT
"""Header, banks, bar, keys: what a tight window shows besides the question and the participants."""
_LEAST_STORY_ROWS = 3
"""Fewer lines of the log are of no use; then the banks give way."""
_SIDE = 35
_WIDEST_SIDE = 70
"""Cells of the log beside the table."""
_STORY_ROWS = 5
_LOOT_ROWS = 5
"""The own loot in a wide window: heading, cards, worth, air."""


class SoloTable(SoloKeys):
    """A match of Robby Solo."""

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self._recap: Recap | None = None
        self._stage_from: float | None = None

    def body(self) -> ComposeResult:
        """The table from top to bottom."""
        with Vertical(id="board"):
            yield Static(id="head", markup=False)
            yield Static(id="rule", markup=False)
            with Vertical(id="middle"):
                with Vertical(id="left"):
                    yield BankRow()
                    yield People()
                    yield OwnLoot()
                with Vertical(id="side"):
                    yield Story()
            yield Static(id="asked", markup=False)
            yield Static(id="notice", markup=False)
            yield Countdown(self.now)

    def on_mount(self) -> None:
        """Be ready to stage a reveal."""
        self._stage_timer = self.set_interval(STAGE_SECONDS / 2, self._staged_on, pause=True)

    # The story.

    def match_began(self) -> None:
        """Forget the last reveal."""
        self._recap = None

    def sentences(self, game: GameState, events: Iterable[Any]) -> list[tuple[str, str]]:
        """The events in sentences, with their styles."""
        names, me = names_of(game), None if game.own is None else game.own.seat
        return [
            (sentence, _story_style(one, me))
            for one in events
            if (sentence := STORY.sentence(one, names, me)) is not None
        ]

    def happened(self, events: list[Any], *, live: bool) -> None:
        """Turn a reveal bank by bank."""
        self._recap = gather(self._recap, events)
        if live and any(isinstance(one, Revealed) for one in events):
            self._stage_from = self.now()
            self._stage_timer.resume()

    def _staged(self) -> int | None:
        """How many banks of the newest reveal are shown; None: all."""
        if self._stage_from is None or self._recap is None:
            return None
        banks = len(self.link.world.game.public.banks) if self.link.world.game is not None else 0
        shown = 1 + int((self.now() - self._stage_from) / STAGE_SECONDS)
        return shown if shown <= banks else None

    def _staged_on(self) -> None:
        if self._staged() is None:
            self._stage_from = None
            self._stage_timer.pause()
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
            staged=self._staged(),
            saying=self.saying,
            sent=self.answers.sent,
            offline=self.link.offline is not None,
        )
        self.asks()
        columns, rows = self.app.size
        wide = columns >= WIDE
        size, roomy = self._room(picture, wide, rows)
        self.set_class(wide, "wide")
        self.set_class(size == "tight", "tight")
        self.set_class(size == "tight" and not self._notice_fits(picture, rows), "crowded")
        # What the banks cannot use goes to the log.
        spare = columns - len(game.public.banks) * (bank_widgets.WIDEST_COLUMN + 1) - 2
        self.query_one("#side").styles.width = max(_SIDE, min(_WIDEST_SIDE, spare)) if wide else None
        self.query_one(BankRow).show(picture, size)
        self.query_one(People).show(picture, roomy=roomy)
        loot = self.query_one(OwnLoot)
        loot.display = wide and picture.own is not None
        loot.show(() if picture.own is None else picture.own.stack)
        self.query_one("#asked", Static).update(self._asked_text(picture))
        idle = "" if game.public.phase == "over" else _("no time limit")
        self.query_one(Countdown).show(game.clock, idle=idle, opens=_("reveal possible in {time}"))
        if not self.noticed:
            self.draw_notice()
        self.show_keys()
        self._too_small.update(self.small_notice())

    def _room(self, picture: Picture, wide: bool, rows: int) -> tuple[Literal["tight", "compact", "big"], bool]:
        """How large banks and participants may be drawn, so that everything needed to play has room."""
        people = len(picture.public.participants)
        more = self._asked_rows(picture) - 1
        free = rows - _FIXED_ROWS - people - more - self.top_rows
        if free < bank_widgets.COMPACT_HEIGHT + (0 if wide else _LEAST_STORY_ROWS):
            return "tight", False
        big = free - (0 if wide else _STORY_ROWS) >= bank_widgets.BIG_HEIGHT
        left = free - (bank_widgets.BIG_HEIGHT if big else bank_widgets.COMPACT_HEIGHT) - _LOOT_ROWS
        return "big" if big else "compact", wide and left >= people

    def _asked_rows(self, picture: Picture) -> int:
        """Lines that the question takes."""
        return 1 + (width(asked.sentence(picture)) + 2 > self.app.size.width - 2)

    def _notice_fits(self, picture: Picture, rows: int) -> bool:
        """Whether a tight window has a line for the own loot."""
        used = _TIGHT_FIXED_ROWS + self._asked_rows(picture) + len(picture.public.participants)
        return used + self.top_rows < rows

    def _draw_head(self, picture: Picture, columns: int) -> None:
        public = picture.public
        table = picture.table
        title = STORY.title
        if table is not None and table.title:
            title = f"{title} · {plain(table.title)}"
        most = 0 if table is None else table.options.get("max_rounds", 100)
        left: list[Piece] = [
            (title, "bold"),
            (" · " + _("round {round}/{most}").format(round=public.round, most=most), ""),
        ]
        if table is not None and not table.kept:
            left.append((" · " + _("NOT SAVED NOW"), f"bold {ALERT}"))
        gentleman = _("you") if picture.i_am_gentleman else picture.name(public.gentleman)
        unread = 0 if self.log_in_sight else self.link.talk.unread(self.link.world, self.chat)
        right: list[Piece] = [
            (_("{n} new: /").format(n=unread) + " · " if unread else "", f"bold {ALERT}"),
            (_("deck {n}").format(n=public.deck), ""),
            (" · ", ""),
            (f"{GENTLEMAN} " + _("Gentleman: {name}").format(name=gentleman), "bold $accent"),
        ]
        self.query_one("#head", Static).update(content([spread(left, right, max(10, columns - 2))]))
        label = _("newest loot on top")
        if picture.public.declaration is None and picture.recap is not None:
            label += " · " + _("below: the last reveal")
        deal = self.link.world.deal
        if deal is not None and deal.people and deal.trouble is None:
            label += " · " + (_("fair deal: your part is in it") if deal.nonce else _("fair deal"))
        text = f"{LINE}{LINE} {label} "
        self.query_one("#rule", Static).update(
            content([[(cut(text + LINE * max(0, columns - 2 - width(text)), max(10, columns - 2)), MUTED)]])
        )

    def _asked_text(self, picture: Picture) -> Content:
        style = "bold" if picture.decision is not None and not picture.sent else ""
        return content([[("▸ " if style else "  ", "bold $accent"), (asked.sentence(picture), style)]])

    def draw_notice(self) -> None:
        """The line under the question: the items to choose from, or one's own loot in short."""
        picture = self.picture
        if picture is None:
            return
        cells = max(10, self.app.size.width - 2)
        if picture.items:
            line = "  ".join(f"{number} {item_name(card)}" for number, card in enumerate(picture.items, start=1))
            self.put_notice(content([[(line, f"bold {ALERT}")]]), said=True)
        elif picture.own is not None and not self.has_class("wide"):
            self.put_notice(content([[(in_one_line(picture.own.stack, cells), MUTED)]]), said=False)
        else:
            self.put_notice(Content(), said=False)


def _story_style(event: Any, me: int | None) -> str:
    if isinstance(event, RoundStarted):
        return "bold $accent"
    if isinstance(event, GameOver | Revealed):
        return "bold"
    if isinstance(event, Declared):
        return f"bold {ALERT}"
    seat = getattr(event, "seat", None)
    return GOOD if me is not None and seat == me else ""
