"""Wild Wild Pattern's table: the Wheel, participants, what is asked, and how they share the window's room."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from robby_client.words.common import name_list
from robby_client.world import GameState
from robby_games.wild_wild_pattern import (
    Covered,
    Dealt,
    DuelOver,
    Filled,
    GameOver,
    Grabbed,
    Judged,
    RoundOver,
    RoundStarted,
)
from robby_protocol.i18n import N_, _
from robby_tui.cells import plain, width
from robby_tui.link import Link
from robby_tui.screens.table import WIDE
from robby_tui.signs import ALERT, BAD, GOOD, MUTED
from robby_tui.widgets.countdown import Countdown
from robby_tui.widgets.lines import Piece, content, spread
from robby_tui.widgets.story import Story
from robby_tui.wild_wild_pattern import asked
from robby_tui.wild_wild_pattern.keys import WildKeys
from robby_tui.wild_wild_pattern.people import Shooters
from robby_tui.wild_wild_pattern.picture import STORY, Picture, names_of
from robby_tui.wild_wild_pattern.told import Scene, Told, gather
from robby_tui.wild_wild_pattern.wheel import Mark, Middle, Size, WheelView, height_of

LIT_SECONDS = 2.5
"""How long a judged pattern is shown on the Wheel as it lay: long enough to look from card to card."""
_FIXED_ROWS = 5
"""Header, what is asked, the notice, the bar, the keys."""
_LEAST_STORY_ROWS = 2
_STORY_ROWS = 5
"""Lines of the log that the largest Wheel leaves."""
_LEAST_COLUMNS = 70
"""Columns from which the cards have frames."""
_SIDE = 35
_WIDEST_SIDE = 60
_WIDEST_WHEEL = 84
"""Cells that the Wheel and what stands below it can use beside the log."""
_PAYS = (
    N_("Valid with a suit: the covered card; three or more times: the played one too."),
    N_("Valid with a colour: a card of your choice; three or more times: any two."),
    N_("Not valid: every opponent takes a card of the Wheel."),
    N_("All eight cards involved: you win the game."),
)
_STAMPS = {"valid": N_("VALID"), "none": N_("RIGHT"), "some": N_("WRONG"), "silent": N_("TOO LATE")}
"""What stands in the middle of a judged Wheel, by verdict; else that the pattern is invalid."""


class WildTable(WildKeys):
    """A match of Wild Wild Pattern."""

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self._told_so_far = Told()
        self._lit_from: float | None = None

    def body(self) -> ComposeResult:
        """The table from top to bottom."""
        with Vertical(id="board"):
            yield Static(id="head", markup=False)
            with Vertical(id="middle"):
                with Vertical(id="left"):
                    yield WheelView()
                    yield Shooters()
                    yield Static(id="pays", markup=False)
                with Vertical(id="side"):
                    yield Story()
            yield Static(id="asked", markup=False)
            yield Static(id="notice", markup=False)
            yield Countdown(self.now)

    def on_mount(self) -> None:
        """Be ready to light a pattern."""
        self._lit_timer = self.set_interval(LIT_SECONDS / 10, self._lit_on, pause=True)

    # The story.

    def match_began(self) -> None:
        """Forget what was told."""
        self._told_so_far = Told()
        self._lit_from = None

    def sentences(self, game: GameState, events: Iterable[Any]) -> list[tuple[str, str]]:
        """The events in sentences, with their styles; the Wheel itself is drawn."""
        names, me = names_of(game), None if game.own is None else game.own.seat
        told: list[tuple[str, str]] = []
        for event in events:
            if isinstance(event, RoundStarted):
                told.append((_("Round {round}.").format(round=event.round), "bold $accent"))
            elif isinstance(event, Dealt):
                told.append((_("Turn {turn}.").format(turn=event.turn), "$accent"))
            elif isinstance(event, Filled):
                places = name_list([str(one.place + 1) for one in event.laid])
                if places:
                    told.append((_("New cards lie at {places}.").format(places=places), ""))
            else:
                sentence = STORY.sentence(event, names, me)
                if sentence is not None:
                    told.append((sentence, _story_style(event, me)))
        return told

    def happened(self, events: list[Any], *, live: bool) -> None:
        """Light what was judged."""
        self._told_so_far = gather(self._told_so_far, events)
        if live and any(isinstance(one, Judged | DuelOver) for one in events):
            self._lit_from = self.now()
            self._lit_timer.resume()

    def _staged(self) -> Scene | None:
        """The judgement that is being shown."""
        if self._lit_from is None or self.now() - self._lit_from >= LIT_SECONDS:
            return None
        return self._told_so_far.judged

    def _lit_on(self) -> None:
        if self._staged() is None:
            self.look_now()

    def look_now(self) -> None:
        """Show the Wheel as it lies, not as it was judged."""
        self._lit_from = None
        self._lit_timer.pause()
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
            told=self._told_so_far,
            staged=self._staged(),
            composing=self.composing,
            cursor=self.cursor,
            sent=self.answers.sent,
            offline=self.link.offline is not None,
        )
        self.asks()
        columns, rows = self.app.size
        wide = columns >= WIDE
        size, roomy, spare = self._room(picture, wide, columns, rows)
        self.set_class(wide, "wide")
        self.set_class(size == "ring", "tight")
        self.query_one("#side").styles.width = max(_SIDE, min(_WIDEST_SIDE, columns - _WIDEST_WHEEL)) if wide else None
        shown = picture.staged
        self.query_one(WheelView).show(
            game.public.wheel if shown is None else shown.wheel, size, marks(picture), middle(picture)
        )
        self.query_one(Shooters).show(picture, roomy=roomy)
        pays = self.query_one("#pays", Static)
        pays.display = wide and spare > len(_PAYS)
        pays.update(content([[(_(line), MUTED)] for line in _PAYS]))
        self.query_one("#asked", Static).update(self._asked_text(picture))
        idle = "" if game.public.phase == "over" else _("no time limit")
        self.query_one(Countdown).show(game.clock, idle=idle, opens=_("you may cover in {time}"))
        if not self.noticed:
            self.draw_notice()
        self.show_keys()
        self._too_small.update(self.small_notice())

    def _room(self, picture: Picture, wide: bool, columns: int, rows: int) -> tuple[Size, bool, int]:
        """How large the Wheel is, whether participants have two lines, and how many lines are left then.

        Everything needed to play has room in any case.
        """
        people = len(picture.public.participants)
        free = rows - _FIXED_ROWS - people - self._asked_rows(picture) + 1 - self.top_rows
        sizes: tuple[tuple[Size, int], ...] = (("pictures", _STORY_ROWS), ("cards", _LEAST_STORY_ROWS))
        for size, log in sizes:
            left = free - height_of(size) - (0 if wide else log)
            if left >= 0 and columns >= _LEAST_COLUMNS:
                roomy = left >= people + (0 if wide else _STORY_ROWS - log)
                return size, roomy, left - (people if roomy else 0)
        return "ring", False, 0

    def _asked_rows(self, picture: Picture) -> int:
        """Lines that the question takes."""
        return 1 + (width(asked.sentence(picture)) + 2 > self.app.size.width - 2)

    def _draw_head(self, picture: Picture, columns: int) -> None:
        public, table = picture.public, picture.table
        title = STORY.title
        if table is not None and table.title:
            title = f"{title} · {plain(table.title)}"
        unread = 0 if self.log_in_sight else self.link.talk.unread(self.link.world, self.chat)
        turn = _("round {round}/{most} · turn {turn}").format(round=public.round, most=public.rounds, turn=public.turn)
        right: list[Piece] = [
            (_("NOT SAVED NOW") + " · " if table is not None and not table.kept else "", f"bold {ALERT}"),
            (_("{n} new: /").format(n=unread) + " · " if unread else "", f"bold {ALERT}"),
            (turn, "bold"),
            (" · " + _("deck {n}").format(n=public.deck) + " · " + _("bank {coins} $").format(coins=public.bank), ""),
        ]
        left: list[Piece] = [(title, "bold")]
        self.query_one("#head", Static).update(content([spread(left, right, max(10, columns - 2))]))

    def _asked_text(self, picture: Picture) -> Content:
        style = "bold" if picture.decision is not None and not picture.sent else ""
        return content([[("▸ " if style else "  ", "bold $accent"), (asked.sentence(picture), style)]])

    def draw_notice(self) -> None:
        """The line under the question: letters to press, what was judged, who was first by how much."""
        if self.picture is not None:
            line, worth = asked.notice(self.picture)
            self.put_notice(content([line]), said=worth)


def marks(picture: Picture) -> dict[int, Mark]:
    """The places that stand out, and how."""
    found: dict[int, Mark] = {}
    public, staged = picture.public, picture.staged
    if staged is not None:
        if staged.played is not None:
            found[staged.played] = "played"
        found |= dict.fromkeys(staged.judgement.involved, "lit")
        found |= dict.fromkeys(staged.judgement.lacking, "lacking")
        return found
    if public.phase == "ready":
        found |= dict.fromkeys(picture.told.laid, "laid")
    if public.played is not None:
        found[public.played] = "played"
    if public.forbidden is not None:
        found[public.forbidden] = "barred"
    if picture.own is not None and picture.own.shot is not None:
        found[picture.own.shot] = "cursor"
    if picture.cursor is not None:
        found[picture.cursor] = "cursor"
    return found


def middle(picture: Picture) -> Middle:
    """What the ring has in the middle: the own card, or what the moment is about."""
    public, staged = picture.public, picture.staged
    if staged is not None:
        judgement = staged.judgement
        if judgement.wild:
            return Middle(_("WILD WILD"), text=_("PATTERN!"), style=f"bold {GOOD}")
        who = _("you") if judgement.seat == picture.me else picture.name(judgement.seat)
        stamp = _(_STAMPS.get(judgement.verdict, N_("INVALID")))
        return Middle(stamp, text=who, style=f"bold {GOOD}" if judgement.right else BAD)
    if picture.card is not None:
        return Middle(_("yours:"), picture.card)
    if public.phase == "ready":
        return Middle(_("face down"), text=_("your card") if picture.me is not None else _("all cards"))
    if public.phase in ("grab", "name"):
        return Middle(_("CLEMENTINE"), text="" if public.active is None else picture.name(public.active))
    if public.played is not None and public.wheel[public.played].covered is not None:
        return Middle(_("under {place}:").format(place=public.played + 1), public.wheel[public.played].covered)
    return Middle()


def _story_style(event: Any, me: int | None) -> str:
    if isinstance(event, GameOver | RoundOver):
        return "bold"
    if isinstance(event, Judged | DuelOver):
        right = event.judgement is not None and event.judgement.right
        return f"bold {GOOD if right else ALERT}"
    if isinstance(event, Covered | Grabbed):
        return f"bold {ALERT}"
    seat = getattr(event, "seat", None)
    return GOOD if me is not None and seat == me else ""
