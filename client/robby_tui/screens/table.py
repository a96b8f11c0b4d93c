"""A table at which a game is played, whatever the game: its log, its notices, and that a key answers what is shown.

Keeps no rules: a game's own screen draws its view and offers the actions that were sent. A key press answers the
decision that is on the screen; if the game has gone on meanwhile, it does nothing.
"""

import time
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from robby_client.events import ClientEvent, Lost, Received
from robby_client.tale import table as table_tale
from robby_client.world import GameState
from robby_protocol.i18n import _
from robby_protocol.messages import TableState
from robby_tui import wishes
from robby_tui.answers import Answers
from robby_tui.cells import plain
from robby_tui.hints import KeyHint
from robby_tui.link import Link
from robby_tui.screens.access import enter_table
from robby_tui.screens.base import SMALLEST, BaseScreen
from robby_tui.signs import ALERT, MUTED
from robby_tui.widgets.countdown import left_text
from robby_tui.widgets.lines import content
from robby_tui.widgets.story import Story

WIDE = 104
"""Columns from which the log stands beside the table."""
NOTICE_SECONDS = 4.0
"""How long something said stays in the line under the question."""
_ENDINGS = frozenset({"finished", "aborted"})
_BEFORE_THE_GAME = frozenset({"bot_added", "kicked", "ready", "not_ready", "configured", "started"})
"""News of the waiting room, which may arrive when the game is already shown."""


class TableScreen(BaseScreen):
    """The game being played. A game's screen lays it out with a `Story` and a static text `#notice`."""

    KEY_LINES = 1
    LEAVE_KEY: ClassVar[str] = "l"
    """As the line of keys names it; a game that needs the letter binds another one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "scroll_story(-1)", show=False),
        Binding("pagedown", "scroll_story(1)", show=False),
        Binding("end", "story_end", show=False),
        Binding("l,L", "leave_table", show=False),
        Binding("j,J", "join", show=False),
    ]

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self.answers = Answers()
        self._shown: tuple[int | None, Hashable] | None = None
        self._match: str | None = None
        self._told = 0
        self._noticed = False

    def on_mount(self) -> None:
        """Be ready to say something for a while."""
        self._notice_timer = self.set_timer(0.1, self._hush)

    # What a game's own screen says.

    @classmethod
    @abstractmethod
    def shows(cls, game: GameState) -> bool:
        """Whether this screen can show the match."""

    @property
    @abstractmethod
    def decision(self) -> int | None:
        """The id of the decision that is on the screen."""

    @property
    @abstractmethod
    def question(self) -> str:
        """What is asked now, or for whom everybody waits, in one line."""

    @abstractmethod
    def phase(self, game: GameState) -> Hashable:
        """What a match's phase is told apart by."""

    @abstractmethod
    def redraw(self) -> None:
        """Draw the world as it is now."""

    @abstractmethod
    def draw_notice(self) -> None:
        """Draw the line under the question while nothing is said in it."""

    @property
    def is_race(self) -> bool:
        """Whether the first key press counts, so that no moment of it may be lost."""
        return False

    def question_gone(self) -> None:
        """Another question, or none: what was begun for the one before is forgotten."""

    def match_began(self) -> None:
        """Another match is shown from now on."""

    def happened(self, events: list[Any], *, live: bool) -> None:
        """These events are new. live: they happened just now."""

    @abstractmethod
    def sentences(self, game: GameState, events: Iterable[Any]) -> list[tuple[str, str]]:
        """The events in sentences, with their styles."""

    @abstractmethod
    def game_keys(self) -> list[KeyHint]:
        """The keys that answer what is asked."""

    # Being told.

    def world_changed(self, event: ClientEvent | None) -> None:
        """Take over the game as it is now."""
        game = self.link.world.game
        if game is None or not self.shows(game):
            return
        if isinstance(event, Lost):
            self.answers.drop()
        self._tell_story(game, event)
        before, phase = self._shown, self.phase(game)
        decision = None if game.decision is None else game.decision.id
        self._shown = (decision, phase)
        self.answers.asked(decision)
        if before is None or decision is None or decision != before[0]:
            self.question_gone()
            self._noticed = False  # what was said of the question before is over
        same_phase = before is not None and before[1] == phase
        if not same_phase:
            self.answers.drop()
        asked_anew = decision is not None and (before is None or before[0] is None)
        if asked_anew or not same_phase:
            self.query_one(Story).follow()  # what is asked, or was turned, is what counts now
        self.redraw()
        if decision is not None:
            for action in self.answers.take_ahead():
                self.call_later(self.run_action, action)

    def asks(self) -> None:
        """Keys pressed for what was asked before do not answer what is asked now.

        Behind a dialog nothing is asked (Textual calls a screen behind one current, too): its keys are its own.
        """
        if self.is_active:
            self.link.presses.moved((id(self), self.context), race=self.is_race)

    def on_resize(self) -> None:
        """Another size, another arrangement."""
        self.redraw()

    def keys(self) -> list[KeyHint]:
        """What may be pressed now."""
        if self._shown is None:
            return []
        log = KeyHint("PgUp", _("log"), "scroll_story(-1)")
        if self.query_one(Story).parked:
            log = KeyHint("End", _("newest lines"), "story_end")
        watching = self.link.world.watching
        leave = KeyHint(self.LEAVE_KEY, _("leave"), "leave_table")
        if watching:
            leave = KeyHint("l", _("stop watching"), "leave_table")
        return [*self.game_keys(), *self._join_keys(), log, leave]

    def _join_keys(self) -> list[KeyHint]:
        """A watcher may sit down where somebody has left or a seat is free; the server says whether now."""
        table = self.link.world.table
        if not self.link.world.watching or table is None or len(table.seats) >= table.capacity:
            return []
        return [KeyHint("j", _("sit down"), "join")]

    def action_join(self) -> None:
        """Sit down at the table that one watches."""
        table = self.link.world.table
        if table is not None and self.link.world.watching and self.online():
            enter_table(self.link, table.table, watch=False, ask=self.app.push_screen, refused=self.refused)

    def small_notice(self) -> str:
        """The time left and what is asked, where nothing else has room."""
        columns, rows = self.app.size
        text = _("{columns}×{rows} is too small, {wide}×{high} needed; keys work.").format(
            columns=columns, rows=rows, wide=SMALLEST[0], high=SMALLEST[1]
        )
        game = self.link.world.game
        if self._shown is None or game is None:
            return text
        left = ""
        if game.clock is not None:
            left = _("{time} left").format(time=left_text(game.clock.remaining(self.now()))) + " · "
        return left + self.question + "\n" + text

    # The story.

    def _tell_story(self, game: GameState, event: ClientEvent | None) -> None:
        story = self.query_one(Story)
        live = game.match == self._match and len(game.events) >= self._told
        if not live:
            self._match, self._told = game.match, 0
            self.match_began()
            story.begin_anew()
        fresh = game.events[self._told :]
        self._told = len(game.events)
        before: list[tuple[str, str]] = []
        after: list[tuple[str, str]] = []
        if isinstance(event, Received) and isinstance(event.message, TableState):
            for news in event.message.news:
                text = table_tale.news_sentence(news)
                if text is not None and news.code not in _BEFORE_THE_GAME:
                    # The world may already know more of the game than this message tells of the table.
                    (after if news.code in _ENDINGS else before).append((text, f"italic {MUTED}"))
        story.tell([*before, *self.sentences(game, fresh), *after])
        self.happened(fresh, live=live)

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

    @property
    def noticed(self) -> bool:
        """Whether something is being said in the line under the question."""
        return self._noticed

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Say something in the line under the question, for some seconds."""
        self._noticed = True
        style = f"bold {ALERT}" if wrong else "bold"
        self.put_notice(content([[(plain(text), style)]]), said=True)
        self._notice_timer.stop()
        self._notice_timer = self.set_timer(NOTICE_SECONDS, self._hush)

    def _hush(self) -> None:
        self._noticed = False
        if self._shown is not None:
            self.draw_notice()

    def put_notice(self, text: Content, *, said: bool) -> None:
        """Write into the line under the question. said: it is worth a line of a tight window."""
        notice = self.query_one("#notice", Static)
        notice.update(text)
        notice.set_class(said, "said")

    # Answers.

    def send(self, action: Any) -> None:
        """Answer the decision on the screen."""
        decision = self.decision
        if decision is None:
            return
        self.answers.send(decision)
        self.question_gone()
        self._noticed = False
        self.link.act(action, decision, refused=self._act_refused)
        self.redraw()

    def _act_refused(self, _code: str, text: str) -> None:
        self.answers.drop()
        if self.is_attached:
            self.say(text, wrong=True)
            self.redraw()

    def may_act(self, again: str) -> bool:
        """Whether a key may act now. again: the action to do once the server has answered."""
        return self.online() and self.answers.may_act(again) and self._shown is not None

    def action_leave_table(self) -> None:
        """Give the seat up, after a question."""
        self.app.post_message(wishes.LeaveTable())
