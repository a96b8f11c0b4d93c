"""The keys of Robby Solo's table: which action a key means. Offers only the actions that were sent."""

import time
from collections.abc import Callable, Hashable
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from robby_client.world import GameState
from robby_games.robby_solo import Confirm, Declare, Give, Lay, PublicView, Reveal, Supply, TakeBack
from robby_protocol.i18n import _
from robby_tui import wishes
from robby_tui.hints import KeyHint
from robby_tui.link import Link
from robby_tui.robby_solo import asked
from robby_tui.robby_solo.banks import BankRow
from robby_tui.robby_solo.picture import Picture, Saying
from robby_tui.screens.board import Board
from robby_tui.widgets.countdown import left_text

_LETTERS = "ygrbxpk"


class SoloKeys(Board[Picture]):
    """What keys and clicks do. picture: what is on the screen."""

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
    ]

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self.saying: Saying | None = None

    # What is asked.

    @classmethod
    def shows(cls, game: GameState) -> bool:
        """Whether it is a match of Robby Solo."""
        return isinstance(game.public, PublicView)

    def sentence(self, picture: Picture) -> str:
        """What is asked now, or for whom everybody waits."""
        return asked.sentence(picture)

    def hints(self, picture: Picture) -> list[KeyHint]:
        """The keys that answer what is asked."""
        return asked.hints(picture)

    @property
    def asked_context(self) -> Hashable:
        """What a key press is bound to: the question's kind, not its number."""
        picture = self.picture
        if picture is None or picture.decision is None:
            return None
        kind = "give" if picture.may(Give) else picture.public.phase
        return (self._match, picture.public.round, kind)

    def phase(self, game: GameState) -> Hashable:
        """Round and phase."""
        return game.public.round, game.public.phase

    def question_gone(self) -> None:
        """A declaration that was begun is forgotten."""
        self.saying = None

    # Answers.

    def _answer(self, action: Any) -> None:
        picture = self.picture
        if picture is not None and action in picture.legal:
            self.send(action)

    def _offer(self, kind: type, otherwise: str) -> None:
        """Take the one offered action of a kind; say why not otherwise."""
        if self.picture is None:
            return
        for action in self.picture.legal:
            if isinstance(action, kind):
                self._answer(action)
                return
        self.say(otherwise, wrong=True)

    def action_supply(self, side: str) -> None:
        """Deal from this end."""
        if not self.may_act(f"supply('{side}')") or self.picture is None:
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
        if not self.may_act(f"item({number})") or self.picture is None:
            return
        if number < len(self.picture.items):
            self._answer(Give(card=self.picture.items[number]))
        else:
            self.say(_("There are only {n} items to choose from.").format(n=len(self.picture.items)), wrong=True)

    def action_bank(self, bank: int) -> None:
        """A bank was named: lay its card, or name it in the declaration."""
        if not self.may_act(f"bank({bank})"):
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
        if not self.may_act(f"say('{how}')") or self.picture is None:
            return
        if not self.picture.declarable(how == "will"):
            self.say(_("There is nothing to declare now."), wrong=True)
            return
        self.saying = how
        self._noticed = False
        self.redraw()

    def action_say_it(self) -> None:
        """Say *I will rob* the bank of the own card; on a finished game: see the results."""
        picture = self.picture
        if picture is None:
            return
        if picture.public.phase == "over":
            self.app.post_message(wishes.ShowResults())
            return
        if picture.saying == "will" and self.may_act("say_it"):
            for bank in picture.declarable(True):
                self._answer(Declare(robs=True, bank=bank))
                return

    def action_unsay(self) -> None:
        """Think about the declaration again."""
        self.saying = None
        self.redraw()

    def action_confirm(self) -> None:
        """Let the card count."""
        if self.may_act("confirm"):
            self._offer(Confirm, _("There is nothing to confirm now."))

    def action_take_back(self) -> None:
        """Take the card back into the hand."""
        if self.may_act("take_back"):
            self._offer(TakeBack, _("You cannot take a card back now."))

    def action_reveal(self) -> None:
        """End the revision."""
        if not self.may_act("reveal"):
            return
        picture = self.picture
        if picture is None or not picture.i_am_gentleman or picture.public.phase != "revision":
            self._offer(Reveal, _("Only the Gentleman may reveal, in the revision."))
            return
        opens = 0.0 if picture.clock is None else picture.clock.opens_in(self.now())
        if opens > 0:
            self.say(_("Reveal is allowed in {time}.").format(time=left_text(opens)), wrong=True)
            return
        self._offer(Reveal, _("Somebody holds a card: wait until all cards lie."))

    def on_bank_row_picked(self, message: BankRow.Picked) -> None:
        """A bank's column was clicked: as its letter; for a declaration it begins the only true one."""
        picture = self.picture
        if picture is None or not self.link.presses.settled():
            return
        if picture.may(Declare) and picture.saying is None and self.online():
            self.saying = "will" if message.bank in picture.declarable(True) else "will_not"
            self.redraw()
            return
        self.action_bank(message.bank)
