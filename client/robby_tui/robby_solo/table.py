"""Robby Solo's table: banks, participants, own loot, what is asked, and how they share the window's room."""

import time
from collections.abc import Callable
from typing import Any, Literal

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from robby_client.world import GameState
from robby_games.robby_solo import Declared, GameOver, Revealed, RoundStarted
from robby_protocol.i18n import N_, _
from robby_tui.cells import cut, width
from robby_tui.link import Link
from robby_tui.robby_solo import banks as bank_widgets
from robby_tui.robby_solo.banks import BankRow
from robby_tui.robby_solo.keys import SoloKeys
from robby_tui.robby_solo.loot import OwnLoot, in_one_line, item_name
from robby_tui.robby_solo.people import People
from robby_tui.robby_solo.picture import STORY, Picture
from robby_tui.robby_solo.recap import Recap, gather
from robby_tui.screens.board import SIDE
from robby_tui.signs import ALERT, GENTLEMAN, LINE, MUTED
from robby_tui.widgets.lines import Piece, content

STAGE_SECONDS = 0.3
"""Between two banks of a reveal: slow enough to follow, over before the next question is read."""
_FIXED_ROWS = 6
"""Header, rule, what is asked, the notice, the bar, the keys."""
_GAP = 1
"""The line between banks and participants beside the log."""
_TIGHT_FIXED_ROWS = 3 + bank_widgets.TIGHT_HEIGHT
"""Header, banks, bar, keys: what a tight window shows besides the question and the participants."""
_LEAST_STORY_ROWS = 3
"""Fewer lines of the log are of no use; then the banks give way."""
_WIDEST_SIDE = 70
"""Cells of the log beside the table."""
_STORY_ROWS = 5
_LOOT_ROWS = 5
"""The own loot in a wide window: heading, cards, worth, air."""


class SoloTable(SoloKeys):
    """A match of Robby Solo."""

    STORY = STORY
    opens = N_("reveal possible in {time}")

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self._recap: Recap | None = None
        self._stage_from: float | None = None

    def above(self) -> ComposeResult:
        """A line that says what lies below."""
        yield Static(id="rule", markup=False)

    def own_part(self) -> ComposeResult:
        """Banks, participants, the own loot."""
        yield BankRow()
        yield People()
        yield OwnLoot()

    def on_mount(self) -> None:
        """Be ready to stage a reveal."""
        self._stage_timer = self.set_interval(STAGE_SECONDS / 2, self._staged_on, pause=True)

    # The story.

    def match_began(self) -> None:
        """Forget the last reveal."""
        self._recap = None

    def style_of(self, event: Any) -> str:
        """The style of an event's sentence in the log."""
        if isinstance(event, RoundStarted):
            return "bold $accent"
        if isinstance(event, GameOver | Revealed):
            return "bold"
        return f"bold {ALERT}" if isinstance(event, Declared) else ""

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

    def picture_of(self, game: GameState, **shared: Any) -> Picture:
        """The moment as it is now."""
        return Picture.of(game, recap=self._recap, staged=self._staged(), saying=self.saying, **shared)

    def draw(self, picture: Picture, columns: int, rows: int, *, wide: bool) -> None:
        """Draw banks, participants and loot."""
        size, roomy = self._room(picture, wide, rows)
        self.set_class(size == "tight", "tight")
        self.set_class(size == "tight" and not self._notice_fits(picture, rows), "crowded")
        # What the banks cannot use goes to the log.
        spare = columns - len(picture.public.banks) * (bank_widgets.WIDEST_COLUMN + 1) - 2
        self.log_beside(max(SIDE, min(_WIDEST_SIDE, spare)) if wide else None)
        self._draw_rule(picture, columns)
        self.query_one(BankRow).show(picture, size)
        self.query_one(People).show(picture, roomy=roomy)
        loot = self.query_one(OwnLoot)
        loot.display = wide and picture.own is not None
        loot.show(() if picture.own is None else picture.own.stack)

    def _room(self, picture: Picture, wide: bool, rows: int) -> tuple[Literal["tight", "compact", "big"], bool]:
        """How large banks and participants may be drawn, so that everything needed to play has room."""
        people = len(picture.public.participants)
        more = self.asked_rows(picture) - 1
        free = rows - _FIXED_ROWS - people - more - self.top_rows
        if free < bank_widgets.COMPACT_HEIGHT + (_GAP if wide else _LEAST_STORY_ROWS):
            return "tight", False
        big = free - (_GAP if wide else _STORY_ROWS) >= bank_widgets.BIG_HEIGHT
        left = free - (bank_widgets.BIG_HEIGHT if big else bank_widgets.COMPACT_HEIGHT) - _LOOT_ROWS
        return "big" if big else "compact", wide and left >= people

    def _notice_fits(self, picture: Picture, rows: int) -> bool:
        """Whether a tight window has a line for the own loot."""
        used = _TIGHT_FIXED_ROWS + self.asked_rows(picture) + len(picture.public.participants)
        return used + self.top_rows < rows

    def head(self, picture: Picture, columns: int) -> tuple[list[Piece], list[Piece]]:
        """The round; the deck and the Gentleman."""
        public, table = picture.public, picture.table
        most = 0 if table is None else table.options.get("max_rounds", 100)
        gentleman = _("you") if picture.i_am_gentleman else picture.name(public.gentleman)
        return [(" · " + _("round {round}/{most}").format(round=public.round, most=most), "")], [
            (_("deck {n}").format(n=public.deck), ""),
            (" · ", ""),
            (f"{GENTLEMAN} " + _("Gentleman: {name}").format(name=gentleman), "bold $accent"),
        ]

    def _draw_rule(self, picture: Picture, columns: int) -> None:
        label = _("newest loot on top")
        if picture.public.declaration is None and picture.recap is not None:
            label += " · " + _("below: the last reveal")
        if deal := self.deal_told():
            label += " · " + deal
        text = f"{LINE}{LINE} {label} "
        self.query_one("#rule", Static).update(
            content([[(cut(text + LINE * max(0, columns - 2 - width(text)), max(10, columns - 2)), MUTED)]])
        )

    def notice(self, picture: Picture) -> tuple[Content, bool]:
        """The items to choose from, or one's own loot in short."""
        cells = max(10, self.app.size.width - 2)
        if picture.items:
            line = "  ".join(f"{number} {item_name(card)}" for number, card in enumerate(picture.items, start=1))
            return content([[(line, f"bold {ALERT}")]]), True
        if picture.own is not None and not self.has_class("wide"):
            return content([[(in_one_line(picture.own.stack, cells), MUTED)]]), False
        return Content(), False
