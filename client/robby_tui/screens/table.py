"""The table: the game as it stands, what is asked, and the keys that answer.

Keeps no rules: it offers the actions that were sent. A key press answers the decision that is on the screen; if the
game has gone on meanwhile, it does nothing. Keys typed faster than the server answers wait for the next decision of the
same phase, and are dropped at its end.
"""

import time
from collections.abc import Callable, Hashable
from typing import Any, ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from robby_client.events import ClientEvent, Lost, Received
from robby_client.tale import robby_solo as tale
from robby_client.tale import table as table_tale
from robby_client.world import GameState
from robby_games.robby_solo import (
    Confirm,
    Declare,
    Declared,
    GameOver,
    Give,
    Lay,
    PublicView,
    Reveal,
    Revealed,
    RoundStarted,
    Supply,
    TakeBack,
)
from robby_protocol.i18n import _
from robby_protocol.messages import TableState
from robby_tui import asked, wishes
from robby_tui.asked import KeyHint
from robby_tui.cells import cut, plain, width
from robby_tui.link import Link
from robby_tui.picture import Picture, Saying, names_of
from robby_tui.recap import Recap, gather
from robby_tui.screens.base import SMALLEST, BaseScreen
from robby_tui.signs import ALERT, GENTLEMAN, GOOD, LINE, MUTED
from robby_tui.widgets import banks as bank_widgets
from robby_tui.widgets.banks import BankRow
from robby_tui.widgets.countdown import Countdown, left_text
from robby_tui.widgets.lines import Piece, content, spread
from robby_tui.widgets.loot import OwnLoot, in_one_line, item_name
from robby_tui.widgets.people import People
from robby_tui.widgets.story import Story

STAGE_SECONDS = 0.3
"""Between two banks of a reveal: slow enough to follow, over before the next question is read."""
WIDE = 104
"""Columns from which the log stands beside the table."""
MOST_AHEAD = 3
"""Keys that may wait for the server's answer."""
_FIXED_ROWS = 6
"""Header, rule, what is asked, the notice, the bar, the keys."""
_TIGHT_FIXED_ROWS = 3 + bank_widgets.TIGHT_HEIGHT
"""Header, banks, bar, keys: what a tight window shows besides the question and the participants."""
_LEAST_STORY_ROWS = 3
"""Fewer lines of the log are of no use; then the banks give way."""
_SIDE = 38
_WIDEST_SIDE = 70
"""Cells of the log beside the table."""
_STORY_ROWS = 5
_LOOT_ROWS = 5
"""The own loot in a wide window: heading, cards, worth, air."""
_LETTERS = "ygrbxpk"
_ENDINGS = frozenset({"finished", "aborted"})
_BEFORE_THE_GAME = frozenset({"bot_added", "kicked", "ready", "not_ready", "configured", "started"})
"""News of the waiting room, which may arrive when the game is already shown."""


class TableScreen(BaseScreen):
    """The game being played."""

    KEY_LINES = 1

    BINDINGS: ClassVar[list[BindingType]] = [
        *[Binding(f"{key},{key.upper()}", f"bank({number})", show=False) for number, key in enumerate(_LETTERS)],
        *[Binding(str(number + 1), f"number({number})", show=False) for number in range(7)],
        Binding("left", "supply('left')", show=False),
        Binding("right", "supply('right')", show=False),
        Binding("c,C", "confirm", show=False),
        Binding("t,T", "take_back", show=False),
        Binding("v,V", "reveal", show=False),
        Binding("w,W", "say('will')", show=False),
        Binding("n,N", "say('will_not')", show=False),
        Binding("enter", "say_it", show=False),
        Binding("escape", "unsay", show=False),
        Binding("pageup", "scroll_story(-1)", show=False),
        Binding("pagedown", "scroll_story(1)", show=False),
        Binding("end", "story_end", show=False),
        Binding("l,L", "leave_table", show=False),
    ]

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self.picture: Picture | None = None
        self._saying: Saying | None = None
        self._sent: int | None = None
        self._ahead: list[str] = []
        self._last_key = ""
        self._match: str | None = None
        self._told = 0
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
        """Show the game as it stands."""
        self._stage_timer = self.set_interval(STAGE_SECONDS / 2, self._staged_on, pause=True)
        self._notice_timer = self.set_timer(0.1, self._hush)

    # What is shown.

    @property
    def context(self) -> Hashable:
        """What a key press is bound to: the question's kind, not its number."""
        picture = self.picture
        if picture is None or picture.decision is None:
            return None
        kind = "give" if picture.may(Give) else picture.public.phase
        return (self._match, picture.public.round, kind)

    def world_changed(self, event: ClientEvent | None) -> None:
        """Take over the game as it is now."""
        game = self.link.world.game
        if game is None or not isinstance(game.public, PublicView):
            return
        if isinstance(event, Lost):
            self._sent = None
            self._ahead.clear()
        self._tell_story(game, event)
        before = self.picture
        decision = game.decision
        if decision is None or decision.id != self._sent:
            self._sent = None
        if before is None or decision is None or decision.id != before.decision:
            self._saying = None
            self._noticed = False  # what was said of the question before is over
        same_phase = before is not None and _phase(before.public) == _phase(game.public)
        if not same_phase:
            self._ahead.clear()
            self._sent = None
        asked_anew = decision is not None and (before is None or before.decision is None or not same_phase)
        if asked_anew or not same_phase:
            self.query_one(Story).follow()  # what is asked, or was turned, is what counts now
        self._redraw()
        if self._ahead and self._sent is None and decision is not None:
            waiting, self._ahead = self._ahead, []
            for action in waiting:
                self.call_later(self.run_action, action)

    def _redraw(self) -> None:
        game = self.link.world.game
        if game is None or not isinstance(game.public, PublicView) or not self.is_attached:
            return
        table = self.link.world.table
        names = tuple(names_of(game))
        decision = game.decision
        staged = self._staged()
        self.picture = picture = Picture(
            table=table,
            public=game.public,
            own=game.own,
            names=names,
            decision=None if decision is None else decision.id,
            legal=() if decision is None else decision.legal,
            clock=game.clock,
            recap=self._recap,
            staged=staged,
            saying=self._saying,
            sent=self._sent is not None,
            offline=self.link.offline is not None,
        )
        if self.is_current:
            self.link.presses.moved((id(self), self.context))
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
        self._draw_head(picture, columns)
        self.query_one("#asked", Static).update(self._asked_text(picture))
        idle = "" if game.public.phase == "over" else _("no time limit")
        self.query_one(Countdown).show(game.clock, idle=idle)
        if not self._noticed:
            self._draw_notice(picture)
        self.show_keys()
        self._too_small.update(self.small_notice())

    def _room(self, picture: Picture, wide: bool, rows: int) -> tuple[Literal["tight", "compact", "big"], bool]:
        """How large banks and participants may be drawn, so that everything needed to play has room."""
        people = len(picture.public.participants)
        more = self._asked_rows(picture) - 1
        free = rows - _FIXED_ROWS - people - more - (0 if self.link.offline is None else 1)
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
        return used + (0 if self.link.offline is None else 1) < rows

    def _draw_head(self, picture: Picture, columns: int) -> None:
        public = picture.public
        table = picture.table
        title = "Robby Solo"
        if table is not None and table.title:
            title = f"{title} · {plain(table.title)}"
        most = 0 if table is None else table.options.get("max_rounds", 100)
        left: list[Piece] = [
            (title, "bold"),
            (" · " + _("round {round}/{most}").format(round=public.round, most=most), ""),
        ]
        right: list[Piece] = [
            (_("deck {n}").format(n=public.deck), ""),
            (" · ", ""),
            (
                f"{GENTLEMAN} "
                + _("Gentleman: {name}").format(
                    name=_("you") if picture.i_am_gentleman else picture.name(public.gentleman)
                ),
                "bold $accent",
            ),
        ]
        self.query_one("#head", Static).update(content([spread(left, right, max(10, columns - 2))]))
        label = _("newest loot on top")
        if picture.public.declaration is None and picture.recap is not None:
            label += " · " + _("below: the last reveal")
        text = f"{LINE}{LINE} {label} "
        self.query_one("#rule", Static).update(
            content([[(cut(text + LINE * max(0, columns - 2 - width(text)), max(10, columns - 2)), MUTED)]])
        )

    def _asked_text(self, picture: Picture) -> Content:
        style = "bold" if picture.decision is not None and not picture.sent else ""
        return content([[("▸ " if style else "  ", "bold $accent"), (asked.sentence(picture), style)]])

    def _draw_notice(self, picture: Picture) -> None:
        """The line under the question: the items to choose from, or one's own loot in short."""
        cells = max(10, self.app.size.width - 2)
        if picture.items:
            line = "  ".join(f"{number} {item_name(card)}" for number, card in enumerate(picture.items, start=1))
            self._put_notice(content([[(line, f"bold {ALERT}")]]), said=True)
        elif picture.own is not None and not self.has_class("wide"):
            self._put_notice(content([[(in_one_line(picture.own.stack, cells), MUTED)]]), said=False)
        else:
            self._put_notice(Content(), said=False)

    def _put_notice(self, text: Content, *, said: bool) -> None:
        notice = self.query_one("#notice", Static)
        notice.update(text)
        notice.set_class(said, "said")

    def keys(self) -> list[KeyHint]:
        """What may be pressed now."""
        if self.picture is None:
            return []
        hints = asked.hints(self.picture)
        log = KeyHint("PgUp", _("log"), "scroll_story(-1)")
        if self.query_one(Story).parked:
            log = KeyHint("End", _("newest lines"), "story_end")
        return [*hints, log, KeyHint("l", _("leave"), "leave_table")]

    def on_resize(self) -> None:
        """Another size, another arrangement."""
        self._redraw()

    def small_notice(self) -> str:
        """The time left and what is asked, where nothing else has room."""
        columns, rows = self.app.size
        text = _("{columns}×{rows} is too small, {wide}×{high} needed; keys work.").format(
            columns=columns, rows=rows, wide=SMALLEST[0], high=SMALLEST[1]
        )
        picture = self.picture
        if picture is None:
            return text
        left = ""
        if picture.clock is not None:
            left = _("{time} left").format(time=left_text(picture.clock.remaining(self.now()))) + " · "
        return left + asked.sentence(picture) + "\n" + text

    # The story.

    def _tell_story(self, game: GameState, event: ClientEvent | None) -> None:
        story = self.query_one(Story)
        me = None if game.own is None else game.own.seat
        if game.match != self._match or len(game.events) < self._told:
            self._match, self._told, self._recap = game.match, 0, None
            story.begin_anew()
            live = False
        else:
            live = True
        fresh = game.events[self._told :]
        self._told = len(game.events)
        names = names_of(game)
        told = [
            (sentence, _story_style(one, me))
            for one in fresh
            if (sentence := tale.sentence(one, names, me)) is not None
        ]
        before: list[tuple[str, str]] = []
        after: list[tuple[str, str]] = []
        if isinstance(event, Received) and isinstance(event.message, TableState):
            for news in event.message.news:
                text = table_tale.news_sentence(news)
                if text is not None and news.code not in _BEFORE_THE_GAME:
                    # The world may already know more of the game than this message tells of the table.
                    (after if news.code in _ENDINGS else before).append((text, f"italic {MUTED}"))
        story.tell([*before, *told, *after])
        self._recap = gather(self._recap, fresh)
        if live and any(isinstance(one, Revealed) for one in fresh):
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
        self._redraw()

    def action_story_end(self) -> None:
        """Go to the newest line of the log."""
        self.query_one(Story).follow()

    def on_story_parked(self) -> None:
        """Other keys are of use now."""
        self.show_keys()

    def action_scroll_story(self, pages: int) -> None:
        """Move in the log."""
        self.query_one(Story).turn_pages(pages)

    # Notices.

    _noticed = False

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Say something in the line under the question, for some seconds."""
        self._noticed = True
        style = f"bold {ALERT}" if wrong else "bold"
        self._put_notice(content([[(plain(text), style)]]), said=True)
        self._notice_timer.stop()
        self._notice_timer = self.set_timer(4.0, self._hush)

    def _hush(self) -> None:
        self._noticed = False
        if self.picture is not None:
            self._draw_notice(self.picture)

    # Answers.

    def _answer(self, action: Any) -> None:
        picture = self.picture
        if picture is None or picture.decision is None or action not in picture.legal:
            return
        self._sent = picture.decision
        self._saying = None
        self._noticed = False
        self.link.act(action, picture.decision, refused=self._act_refused)
        self._redraw()

    def _act_refused(self, _code: str, text: str) -> None:
        self._sent = None
        self._ahead.clear()
        if self.is_attached:
            self.say(text, wrong=True)
            self._redraw()

    def _may_act(self, again: str) -> bool:
        """Whether a key may act now. again: the action to do once the server has answered."""
        if not self.online():
            return False
        if self._sent is not None:
            if again != self._last_key and len(self._ahead) < MOST_AHEAD:
                self._ahead.append(again)
                self._last_key = again
            return False
        self._last_key = again
        return self.picture is not None

    def _offer(self, kind: type, otherwise: str) -> Any | None:
        """The one offered action of a kind; says why not otherwise."""
        if self.picture is None:
            return None
        for action in self.picture.legal:
            if isinstance(action, kind):
                return action
        self.say(otherwise, wrong=True)
        return None

    def action_supply(self, side: str) -> None:
        """Deal from this end."""
        if not self._may_act(f"supply('{side}')") or self.picture is None:
            return
        if side in self.picture.sides:
            self._answer(Supply(side="left" if side == "left" else "right"))

    def action_number(self, number: int) -> None:
        """A digit: an item of the list, or a bank from the left."""
        if self.picture is not None and self.picture.items:
            self.action_item(number)
        else:
            self.action_bank(number)

    def action_item(self, number: int) -> None:
        """Return this item of the list."""
        if not self._may_act(f"item({number})") or self.picture is None:
            return
        if number < len(self.picture.items):
            self._answer(Give(card=self.picture.items[number]))
        else:
            self.say(_("There are only {n} items to choose from.").format(n=len(self.picture.items)), wrong=True)

    def action_bank(self, bank: int) -> None:
        """A bank was named: lay its card, or name it in the declaration."""
        if not self._may_act(f"bank({bank})"):
            return
        picture = self.picture
        if picture is None or bank >= len(picture.public.banks):
            return
        if bank in picture.layable:
            self._answer(Lay(bank=bank))
        elif picture.may(Declare):
            self._declare(picture, bank)
        elif picture.may(TakeBack):
            self.say(_("Take your card back first: t."), wrong=True)
        else:
            self.say(_("No card is asked of you now."), wrong=True)

    def _declare(self, picture: Picture, bank: int) -> None:
        if picture.saying is None:
            self.say(_("First say which: w „I will rob …“ or n „I will not rob …“."), wrong=True)
            return
        robs = picture.saying == "will"
        if bank in picture.declarable(robs):
            self._answer(Declare(robs=robs, bank=bank))
        elif robs:
            self.say(_("That would be false: your card is another bank."), wrong=True)
        else:
            self.say(_("That would be false: your card is that very bank."), wrong=True)

    def action_say(self, how: Saying) -> None:
        """Begin a declaration."""
        if not self._may_act(f"say('{how}')") or self.picture is None:
            return
        if not self.picture.declarable(how == "will"):
            self.say(_("There is nothing to declare now."), wrong=True)
            return
        self._saying = how
        self._noticed = False
        self._redraw()

    def action_say_it(self) -> None:
        """Say *I will rob* the bank of the own card; on a finished game: see the results."""
        picture = self.picture
        if picture is None:
            return
        if picture.public.phase == "over":
            self.app.post_message(wishes.ShowResults())
            return
        if picture.saying == "will" and self._may_act("say_it"):
            for bank in picture.declarable(True):
                self._answer(Declare(robs=True, bank=bank))
                return

    def action_unsay(self) -> None:
        """Think about the declaration again."""
        self._saying = None
        self._redraw()

    def action_confirm(self) -> None:
        """Let the card count."""
        if self._may_act("confirm"):
            action = self._offer(Confirm, _("There is nothing to confirm now."))
            if action is not None:
                self._answer(action)

    def action_take_back(self) -> None:
        """Take the card back into the hand."""
        if self._may_act("take_back"):
            action = self._offer(TakeBack, _("You cannot take a card back now."))
            if action is not None:
                self._answer(action)

    def action_reveal(self) -> None:
        """End the revision."""
        if not self._may_act("reveal"):
            return
        picture = self.picture
        if picture is not None and picture.i_am_gentleman and picture.public.phase == "revision":
            opens = 0.0 if picture.clock is None else picture.clock.opens_in(self.now())
            if opens > 0:
                self.say(_("Reveal is allowed in {time}.").format(time=left_text(opens)), wrong=True)
                return
            action = self._offer(Reveal, _("Somebody holds a card: wait until all cards lie."))
        else:
            action = self._offer(Reveal, _("Only the Gentleman may reveal, in the revision."))
        if action is not None:
            self._answer(action)

    def on_bank_row_picked(self, message: BankRow.Picked) -> None:
        """A bank's column was clicked: as its letter; for a declaration it begins the only true one."""
        picture = self.picture
        if picture is None or not self.link.presses.settled():
            return
        if picture.may(Declare) and picture.saying is None and self.online():
            self._saying = "will" if message.bank in picture.declarable(True) else "will_not"
            self._redraw()
            return
        self.action_bank(message.bank)

    def action_leave_table(self) -> None:
        """Give the seat up, after a question."""
        self.app.post_message(wishes.LeaveTable())


def _phase(public: PublicView) -> tuple[int, str]:
    return public.round, public.phase


def _story_style(event: Any, me: int | None) -> str:
    if isinstance(event, RoundStarted):
        return "bold $accent"
    if isinstance(event, GameOver | Revealed):
        return "bold"
    if isinstance(event, Declared):
        return f"bold {ALERT}"
    seat = getattr(event, "seat", None)
    return GOOD if me is not None and seat == me else ""
