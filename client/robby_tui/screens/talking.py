"""What all screens share of chat: the key that opens the field, what was said in the log, and what is not seen yet.

A flood of lines is drawn together, a few times a second, and never in the path of a key.
"""

import time
from abc import abstractmethod
from collections.abc import Callable, Hashable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from robby_client.chat import Chat, ChatLine
from robby_protocol.i18n import _
from robby_tui.cells import cut
from robby_tui.hints import KeyHint
from robby_tui.link import Link
from robby_tui.screens.people import PeopleScreen
from robby_tui.signs import MUTED
from robby_tui.talk import said, who
from robby_tui.widgets.keybar import KeyBar
from robby_tui.widgets.lines import Piece
from robby_tui.widgets.story import Story
from robby_tui.widgets.talkline import TalkLine

DRAW_SECONDS = 0.1
"""Between two drawings of what is said: quicker nobody reads."""
RECENT = 20
"""Lines of before that a screen begins with."""
OVERLAY_ROWS = 5
"""Newest lines over the table where there is no room for the log, while the field is open."""
LEAST_LOG_ROWS = 2
"""Where the log has less, it lies under other lines."""
_NOTHING = object()
"""Equal to nothing that is asked."""
_NAME = "bold $text-accent"


class Talking(Screen[None]):
    """A screen where something can be said."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "talk", show=False),
        Binding("u,U", "people", show=False),
    ]

    PEOPLE_KEY: ClassVar[str] = "u"

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.link = link
        self.now = now
        self._heard: Chat | None = None
        self._told_talk = 0
        self._drawing: Timer | None = None
        self._focus_before: Widget | None = None
        self._asked_before: Hashable = _NOTHING

    def talk_widgets(self) -> ComposeResult:
        """The newest lines where there is no log, and the field."""
        yield Static("", id="talk-recent", markup=False)
        yield TalkLine()

    # Where one talks.

    @property
    def chat(self) -> Chat | None:
        """What is said where this person is; None where nothing can be said."""
        world = self.link.world
        if not self.link.logged_in:
            return None
        return world.lobby_chat if world.table is None else world.table_chat

    @property
    def context(self) -> Hashable:
        """What a key press is bound to: while something is typed the field, whatever happens around it."""
        return ("talk", self.link.world.table is None) if self.link.talk.open else self.asked_context

    @property
    def asked_context(self) -> Hashable:
        """What is asked on this screen."""
        return None

    def talk_keys(self) -> list[KeyHint]:
        """The keys of chat."""
        if self.chat is None:
            return []
        if self.log_in_sight:
            self.link.talk.saw(self.chat)
        unread = self.link.talk.unread(self.link.world, self.chat)
        does = _("talk ({n} new)").format(n=unread) if unread else _("talk")
        return [KeyHint("/", does, "talk"), KeyHint(self.PEOPLE_KEY, _("people"), "people")]

    # Lines.

    def talk_changed(self) -> None:
        """Something was said: show it soon, together with what else is said until then."""
        if self._drawing is None and self.is_attached:
            self._drawing = self.set_timer(DRAW_SECONDS, self._draw_talk)

    def _draw_talk(self) -> None:
        self._drawing = None
        if self.is_attached:
            self.tell_talk()
            self.show_keys()

    @abstractmethod
    def show_keys(self) -> None:
        """Bring the line of keys up to date."""

    def tell_talk(self) -> None:
        """Put what was said into the log, and the field where it belongs."""
        chat, world, talk = self.chat, self.link.world, self.link.talk
        if chat is None:
            return
        if chat is not self._heard:
            self._heard, self._told_talk = chat, max(0, chat.last - RECENT)
        lines = [line for line in chat.after(self._told_talk) if world.heard(line)]
        self._told_talk = chat.last
        for story in self.query(Story):
            story.talk([_drawn(line) for line in lines])
            if story.lines and not story.has_class("said"):
                story.add_class("said")
                self.call_after_refresh(self.show_keys)  # only then is there room in which it is seen
        self._show_recent(chat)
        if talk.open:
            self._open()

    @property
    def log_in_sight(self) -> bool:
        """Whether newest lines of the log can be read."""
        try:
            story = self.query_one(Story)
        except NoMatches:
            return False
        return story.size.height >= LEAST_LOG_ROWS and not story.parked and self.is_current

    def _show_recent(self, chat: Chat) -> None:
        """Where the log has no room: the newest lines, while the field is open."""
        recent = self.query_one("#talk-recent", Static)
        shown = self.link.talk.open and not self.log_in_sight
        recent.set_class(shown, "shown")
        if not shown:
            return
        self.link.talk.saw(chat)
        heard = [line for line in chat.lines if self.link.world.heard(line)][-OVERLAY_ROWS:]
        cells = max(10, self.app.size.width - 2)
        lines = [cut(f"{who(line)} {said(line)}", cells) for line in heard]
        recent.update(Content("\n".join(lines) or _("Nobody has said anything yet.")))

    # The field.

    def action_talk(self) -> None:
        """Open the field."""
        if self.chat is not None:
            self.link.talk.open = True
            self._asked_before = self.asked_context
            self._open()
            # The person's own key opened it, so the keys typed after it are meant for it.
            self.link.presses.moved((id(self), self.context), own=True)

    def _open(self) -> None:
        line = self.query_one(TalkLine)
        if not line.has_class("open"):
            self._focus_before = self.focused
        where = _("To the lobby:") if self.link.world.table is None else _("To the table:")
        line.show(where, self.link.talk.draft)
        self.query_one(KeyBar).display = False
        if self._heard is not None:
            self._show_recent(self._heard)

    def _close(self) -> None:
        self.link.talk.open = False
        self.query_one(TalkLine).hide()
        self.query_one(KeyBar).display = True
        before, self._focus_before = self._focus_before, None
        self.set_focus(before if before is not None and before.is_attached else None)
        if self._heard is not None:
            self._show_recent(self._heard)
        # Keys typed right after Enter or Esc are meant for what is asked, unless that has changed while one typed.
        own, self._asked_before = self._asked_before == self.asked_context, _NOTHING
        self.link.presses.moved((id(self), self.context), own=own)
        self.show_keys()

    def on_talk_line_typed(self, message: TalkLine.Typed) -> None:
        """Keep it, whatever screen comes."""
        if self.link.talk.open:
            self.link.talk.draft = message.text

    def on_talk_line_left(self) -> None:
        """Back to the keys; what was typed is kept."""
        self._close()

    def on_talk_line_recalled(self) -> None:
        """What was sent last, again."""
        if self.link.talk.last:
            self.query_one(TalkLine).put(self.link.talk.last)

    def on_talk_line_sent(self, message: TalkLine.Sent) -> None:
        """Say it; nothing typed closes the field."""
        text = message.text.strip()
        talk = self.link.talk
        if text and not self.online():
            return
        talk.draft = ""
        self._close()
        if text:
            talk.last = text
            lobby = self.link.world.table is None
            self.link.ask(
                lambda client: client.say(text, lobby=lobby),
                done=lambda _result: self._taken(),
                refused=lambda _code, why: self._not_said(text, why),
            )

    def _taken(self) -> None:
        table = self.link.world.table
        if self.link.world.watching and table is not None and table.delay_s and self.is_attached:
            self.say(_("Said. You see it here {n} s later, like all you watch.").format(n=table.delay_s))

    def _not_said(self, text: str, why: str) -> None:
        """It was refused: say why, and keep it for another try."""
        if not self.link.talk.draft:
            self.link.talk.draft = text
        if self.is_attached:
            self.say(why + " " + _("It is kept: / opens it again."), wrong=True)

    @abstractmethod
    def online(self) -> bool:
        """Whether something can be sent; if not, says so."""

    @abstractmethod
    def say(self, text: str, *, wrong: bool = False) -> None:
        """A short notice."""

    # People.

    def action_people(self) -> None:
        """Who is here, and whom one does not want to hear."""
        if self.chat is not None:
            self.app.push_screen(PeopleScreen(self.link))


def _drawn(line: ChatLine) -> tuple[Piece, Piece]:
    style = MUTED if line.past else ""
    return ((who(line) + " ", MUTED if line.past else _NAME), (said(line), style))
