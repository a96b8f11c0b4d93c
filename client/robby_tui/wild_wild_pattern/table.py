"""Wild Wild Pattern's table: the Wheel, participants, what is asked, and how they share the window's room."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from textual.app import ComposeResult
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
from robby_tui.hints import KeyHint
from robby_tui.link import Link
from robby_tui.screens.board import SIDE
from robby_tui.signs import ALERT, BAD, GOOD, MUTED
from robby_tui.widgets.lines import Piece, content
from robby_tui.wild_wild_pattern import asked
from robby_tui.wild_wild_pattern.keys import WildKeys
from robby_tui.wild_wild_pattern.people import Shooters
from robby_tui.wild_wild_pattern.picture import STORY, Picture
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

    STORY = STORY
    opens = N_("you may cover in {time}")

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self._told_so_far = Told()
        self._lit_from: float | None = None

    def own_part(self) -> ComposeResult:
        """The Wheel, participants, and where there is room what a pattern wins."""
        yield WheelView()
        yield Shooters()
        yield Static(content([[(_(line), MUTED)] for line in _PAYS]), id="pays", markup=False)

    def on_mount(self) -> None:
        """Be ready to light a pattern."""
        self._lit_timer = self.set_interval(LIT_SECONDS / 10, self._lit_on, pause=True)

    # The story.

    def match_began(self) -> None:
        """Forget what was told."""
        self._told_so_far = Told()
        self._lit_from = None

    def told(self, event: Any, names: Sequence[str], me: int | None) -> str | None:
        """An event in a sentence; the Wheel itself is drawn."""
        match event:
            case RoundStarted():
                return _("Round {round}.").format(round=event.round)
            case Dealt():
                return _("Turn {turn}.").format(turn=event.turn)
            case Filled():
                places = name_list([str(one.place + 1) for one in event.laid])
                return _("New cards lie at {places}.").format(places=places) if places else None
            case _other:
                return STORY.sentence(event, names, me)

    def style_of(self, event: Any) -> str:
        """The style of an event's sentence in the log."""
        match event:
            case RoundStarted():
                return "bold $accent"
            case Dealt():
                return "$accent"
            case GameOver() | RoundOver():
                return "bold"
            case Judged() | DuelOver():
                return f"bold {GOOD if event.judgement is not None and event.judgement.right else ALERT}"
            case Covered() | Grabbed():
                return f"bold {ALERT}"
            case _other:
                return ""

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

    def picture_of(self, game: GameState, **shared: Any) -> Picture:
        """The moment as it is now."""
        return Picture.of(
            game,
            told=self._told_so_far,
            staged=self._staged(),
            composing=self.composing,
            cursor=self.cursor,
            **shared,
        )

    def draw(self, picture: Picture, columns: int, rows: int, *, wide: bool) -> None:
        """Draw the Wheel and the participants."""
        size, roomy, spare = self._room(picture, wide, columns, rows)
        self.set_class(size == "ring", "tight")
        self.log_beside(max(SIDE, min(_WIDEST_SIDE, columns - _WIDEST_WHEEL)) if wide else None)
        wheel = picture.public.wheel if picture.staged is None else picture.staged.wheel
        self.query_one(WheelView).show(wheel, size, marks(picture), middle(picture))
        self.query_one(Shooters).show(picture, roomy=roomy)
        self.query_one("#pays").display = wide and spare > len(_PAYS)

    def _room(self, picture: Picture, wide: bool, columns: int, rows: int) -> tuple[Size, bool, int]:
        """How large the Wheel is, whether participants have two lines, and how many lines are left then.

        Everything needed to play has room in any case.
        """
        people = len(picture.public.participants)
        free = rows - _FIXED_ROWS - people - self.asked_rows(picture) + 1 - self.top_rows
        sizes: tuple[tuple[Size, int], ...] = (("pictures", _STORY_ROWS), ("cards", _LEAST_STORY_ROWS))
        for size, log in sizes:
            left = free - height_of(size) - (0 if wide else log)
            if left >= 0 and columns >= _LEAST_COLUMNS:
                roomy = left >= people + (0 if wide else _STORY_ROWS - log)
                return size, roomy, left - (people if roomy else 0)
        return "ring", False, 0

    def sentence(self, picture: Picture) -> str:
        """What is asked, or for whom everybody waits."""
        return asked.sentence(picture)

    def hints(self, picture: Picture) -> list[KeyHint]:
        """The keys that answer it."""
        return asked.hints(picture)

    def head(self, picture: Picture, columns: int) -> tuple[list[Piece], list[Piece]]:
        """Round and turn, the deck and the bank."""
        public = picture.public
        turn = _("round {round}/{most} · turn {turn}").format(round=public.round, most=public.rounds, turn=public.turn)
        rest = " · " + _("deck {n}").format(n=public.deck) + " · " + _("bank {coins} $").format(coins=public.bank)
        return [], [(turn, "bold"), (rest, "")]

    def notice(self, picture: Picture) -> tuple[Content, bool]:
        """Letters to press, what was judged, who was first by how much."""
        line, worth = asked.notice(picture)
        return content([line]), worth


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
        stamp = _(_STAMPS.get(judgement.verdict, N_("INVALID")))
        return Middle(stamp, text=picture.called(judgement.seat), style=f"bold {GOOD}" if judgement.right else BAD)
    if picture.card is not None:
        return Middle(_("yours:"), picture.card)
    if public.phase == "ready":
        return Middle(_("face down"), text=_("your card") if picture.me is not None else _("all cards"))
    if public.phase in ("grab", "name"):
        return Middle(_("CLEMENTINE"), text=picture.called(public.active))
    if public.played is not None and public.wheel[public.played].covered is not None:
        return Middle(_("under {place}:").format(place=public.played + 1), public.wheel[public.played].covered)
    return Middle()
