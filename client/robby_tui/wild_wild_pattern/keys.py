"""The keys of Wild Wild Pattern's table: which action a key means. Offers only the actions that were sent."""

import time
from collections.abc import Callable, Hashable
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from robby_client.world import GameState
from robby_games.wild_wild_pattern import (
    ATTRIBUTE_LETTERS,
    PLACES,
    Click,
    Cover,
    Declare,
    Grab,
    NoPattern,
    PublicView,
    Ready,
    Take,
)
from robby_protocol.i18n import _
from robby_tui import wishes
from robby_tui.link import Link
from robby_tui.screens.board import Board
from robby_tui.widgets.countdown import left_text
from robby_tui.wild_wild_pattern import asked
from robby_tui.wild_wild_pattern.composing import SIDE_KEYS, Composing
from robby_tui.wild_wild_pattern.picture import Picture
from robby_tui.wild_wild_pattern.wheel import WheelView, moved

_RACES = frozenset({"shootout", "grab"})
_ARROWS = ("left", "right", "up", "down")


class WildKeys(Board[Picture]):
    """What keys and clicks do. composing: what of a declaration was chosen. cursor: the place chosen by arrows."""

    LEAVE_KEY = "e"
    PEOPLE_KEY = "p"

    BINDINGS: ClassVar[list[BindingType]] = [
        *[Binding(f"{key.lower()},{key}", f"letter('{key.lower()}')", show=False) for key in ATTRIBUTE_LETTERS],
        *[Binding(str(place + 1), f"place({place})", show=False) for place in range(PLACES)],
        *[Binding(key, f"arrow('{key}')", show=False) for key in _ARROWS],
        Binding("comma,less_than_sign", "arrow('left')", show=False),
        Binding("full_stop,greater_than_sign", "arrow('right')", show=False),
        Binding("enter", "enter", show=False),
        Binding("space", "grab", show=False),
        Binding("k,K", "click", show=False),
        Binding(asked.NO_PATTERN_KEY, "no_pattern", show=False),
        Binding("escape,backspace", "back", show=False),
        Binding("e,E", "leave_table", show=False),
        Binding("p,P", "people", show=False),
    ]

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self.composing = Composing()
        self.cursor: int | None = None

    # What is asked.

    @classmethod
    def shows(cls, game: GameState) -> bool:
        """Whether it is a match of Wild Wild Pattern."""
        return isinstance(game.public, PublicView)

    @property
    def asked_context(self) -> Hashable:
        """What a key press is bound to: the question's kind, not its number."""
        picture = self.picture
        if picture is None or picture.decision is None:
            return None
        return (self._match, *_phase(picture.public))

    @property
    def is_race(self) -> bool:
        """Whether the first key counts."""
        return self.picture is not None and self.picture.public.phase in _RACES

    def phase(self, game: GameState) -> Hashable:
        """Turn and phase, and who takes how many cards."""
        return _phase(game.public)

    def question_gone(self) -> None:
        """What was begun is forgotten."""
        self.composing = Composing()
        self.cursor = None

    def look_now(self) -> None:
        """Show the Wheel as it lies, not as it was judged."""

    # Answers.

    def _offer(self, kind: type, again: str, otherwise: str) -> None:
        """Take the one offered action of a kind; say why not otherwise."""
        if not self.may_act(again) or self.picture is None:
            return
        for action in self.picture.legal:
            if isinstance(action, kind):
                self.send(action)
                return
        self.say(otherwise, wrong=True)

    def action_place(self, place: int) -> None:
        """A place was named: cover it, or take its card."""
        if not self.may_act(f"place({place})") or self.picture is None:
            return
        picture = self.picture
        if place in picture.places:
            staged = picture.staged
            if staged is not None and staged.wheel[place].card != picture.public.wheel[place].card:
                # Nobody answers with a card that is not the one shown.
                self.look_now()
                self.say(_("Another card lies at {place} now: look, and press again.").format(place=place + 1))
                return
            self.send(picture.places[place])
        elif picture.may(Cover) or picture.may(Take):
            self.say(_("Place {place} is not allowed now.").format(place=place + 1), wrong=True)
        elif picture.declarable:
            self.say(_("Now the pattern: ← before or → after, then two letters."), wrong=True)
        elif picture.may(Click):
            opens = 0.0 if picture.clock is None else picture.clock.opens_in(self.now())
            self.say(_("You may cover in {time}.").format(time=left_text(opens)), wrong=True)
        else:
            self.say(_("No card is asked of you now."), wrong=True)

    def action_arrow(self, arrow: str) -> None:
        """An arrow: the side of a pattern, or the next place of the Wheel that way."""
        picture = self.picture
        if picture is None or picture.sent:
            return
        if picture.declarable:
            if arrow in SIDE_KEYS:
                self._compose_by(arrow)
        elif picture.places and self.online():
            self.look_now()
            self.cursor = moved(self.cursor, arrow)
            self.link.presses.forget(arrow)
            self.redraw()

    def action_letter(self, letter: str) -> None:
        """An attribute of a pattern; while none is composed what the letter means at other tables."""
        picture = self.picture
        if picture is not None and picture.declarable:
            if not picture.sent:
                self._compose_by(letter)
        elif letter == "d":
            self.action_put_away()
        elif letter not in ("l", "u"):
            return
        elif picture is None or picture.me is None or picture.public.phase == "over":
            # Nobody can have meant the loot or the bullets.
            self.run_worker(self.run_action("leave_table" if letter == "l" else "people"))
        elif letter == "l":
            self.say(_("L is the loot here: e leaves the table."))
        else:
            self.say(_("U are the bullets here: p shows the people."))

    def _compose_by(self, key: str) -> None:
        picture = self.picture
        if picture is None or not self.online():
            return
        if key in SIDE_KEYS and self.composing.side is not None:
            # The side again: what else was chosen stays.
            turned = Composing(SIDE_KEYS[key], self.composing.a)
            if turned.keys(picture.declarable):
                self.composing = turned
            self.redraw()
            return
        step = self.composing.keys(picture.declarable).get(key)
        if isinstance(step, Declare):
            self.send(step)
        elif step is not None:
            self.composing = step
            self._noticed = False
            self.redraw()
        elif self.composing.side is None:
            self.say(_("First the side: ← before every …, or → after every …"), wrong=True)
        else:
            self.say(_("{letter} does not fit here; Esc goes back.").format(letter=key.upper()), wrong=True)

    def action_back(self) -> None:
        """One step back in the declaration, or no place chosen."""
        self.composing = self.composing.back()
        self.cursor = None
        self.redraw()

    def action_enter(self) -> None:
        """Be ready; answer with the place chosen; on a finished game: see the results."""
        picture = self.picture
        if picture is None:
            return
        if picture.public.phase == "over":
            self.app.post_message(wishes.ShowResults())
        elif picture.may(Ready):
            self._offer(Ready, "enter", "")
        elif self.cursor is not None:
            self.action_place(self.cursor)

    def action_grab(self) -> None:
        """Grab Clementine."""
        self._offer(Grab, "grab", _("Clementine cannot be grabbed now."))

    def action_click(self) -> None:
        """The gun is empty."""
        self._offer(Click, "click", _("You cannot click now."))

    def action_no_pattern(self) -> None:
        """There is no pattern on the Wheel."""
        self._offer(NoPattern, "no_pattern", _("That can only be said with Clementine in the hand."))

    def on_wheel_view_picked(self, message: WheelView.Picked) -> None:
        """A place was clicked: as its number."""
        if self.link.presses.settled():
            self.action_place(message.place)


def _phase(public: Any) -> tuple[Hashable, ...]:
    return public.round, public.turn, public.phase, public.active, public.takes
