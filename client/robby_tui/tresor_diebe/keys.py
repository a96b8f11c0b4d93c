"""The keys of Tresor Diebe's table: which action a key means. Offers only the actions that were sent."""

import time
from collections.abc import Callable, Hashable
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from robby_client.world import GameState
from robby_games.tresor_diebe import DICE, Again, Pass, PublicView, Stop, Throw
from robby_protocol.i18n import _
from robby_tui import wishes
from robby_tui.hints import KeyHint
from robby_tui.link import Link
from robby_tui.screens.board import Board
from robby_tui.tresor_diebe import asked
from robby_tui.tresor_diebe.picture import Picture


class DiebeKeys(Board[Picture]):
    """What keys and clicks do. chosen: places of the dice to throw again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *[Binding(str(place + 1), f"die({place})", show=False) for place in range(DICE)],
        Binding("t,T", "throw", show=False),
        Binding("s,S", "stop", show=False),
        Binding("p,P", "pass", show=False),
        Binding("a,A", "all", show=False),
        Binding("escape", "none", show=False),
        Binding("o,O", "odds", show=False),
        Binding("enter", "plain", show=False),
    ]

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self.chosen: frozenset[int] = frozenset()
        self.odds = False

    # What is asked.

    @classmethod
    def shows(cls, game: GameState) -> bool:
        """Whether it is a match of Tresor Diebe."""
        return isinstance(game.public, PublicView)

    def sentence(self, picture: Picture) -> str:
        """What is asked now, or for whom everybody waits."""
        return asked.sentence(picture)

    def hints(self, picture: Picture) -> list[KeyHint]:
        """The keys that answer what is asked."""
        return asked.hints(picture)

    @property
    def asked_context(self) -> Hashable:
        """What a key press is bound to: these very dice, or this very turn."""
        picture = self.picture
        if picture is None or picture.decision is None:
            return None
        return (self._match, *_question(picture.public))

    def phase(self, game: GameState) -> Hashable:
        """The own question; the turns of others are one phase, so that the log can be read in them."""
        return (game.public.round, *(_question(game.public) if game.decision is not None else ()))

    def question_gone(self) -> None:
        """What was chosen was chosen of other dice."""
        self.chosen = frozenset()

    # Choosing.

    def _choose(self, key: str, places: frozenset[int]) -> None:
        picture = self.picture
        if not self.may_act(key) or picture is None:
            return
        if not picture.may(Again):
            self.say(_("There are no dice to choose from now."), wrong=True)
            return
        self.chosen = places & picture.places
        self._noticed = False
        self.redraw()

    def action_die(self, place: int) -> None:
        """This die is to be thrown again, or is not."""
        self._choose(f"die({place})", self.chosen ^ {place})

    def action_all(self) -> None:
        """All dice are to be thrown again."""
        self._choose("all", frozenset(range(DICE)))

    def action_none(self) -> None:
        """No die is chosen."""
        if self.chosen:
            self.chosen = frozenset()
            self.redraw()

    def action_odds(self) -> None:
        """Show the odds of the free safes, or no longer."""
        if self.picture is None or self.picture.over:
            return
        if not self.picture.public.odds:
            self.say(_("This table plays without the odds."), wrong=True)
            return
        self.odds = not self.odds
        self.redraw()

    # Answers.

    def _offer(self, action: Any, otherwise: str) -> None:
        """Answer with this action if it is offered; say why not otherwise."""
        if self.picture is not None and action is not None and action in self.picture.legal:
            self.send(action)
        else:
            self.say(otherwise, wrong=True)

    def action_throw(self) -> None:
        """Throw all dice, or the chosen ones again."""
        picture = self.picture
        if not self.may_act("throw") or picture is None:
            return
        if picture.may(Throw):
            self._offer(Throw(), "")
        elif picture.may(Again):
            self._offer(picture.again, _("Which dice? Choose them by 1–5 first, or all by a."))
        else:
            self.say(_("It is not your turn."), wrong=True)

    def action_stop(self) -> None:
        """Go to the safe that the dice name."""
        if self.may_act("stop"):
            self._offer(Stop(), _("No dice of yours lie there."))

    def action_pass(self) -> None:
        """Do not throw in this turn."""
        if self.may_act("pass"):
            mine = self.picture is not None and self.picture.may(Stop)
            self._offer(Pass(), _("You have thrown: s ends the turn.") if mine else _("It is not your turn."))

    def action_plain(self) -> None:
        """What most would do: throw, throw the chosen dice, take a free safe; on a finished game: see the results."""
        picture = self.picture
        if picture is None:
            return
        if picture.over:
            self.app.post_message(wishes.ShowResults())
        elif picture.may(Throw) or picture.chosen:
            self.action_throw()
        elif picture.stop_opens:
            self.action_stop()
        elif picture.may(Stop):
            self.say(_("Which dice? Choose them by 1–5 first, or all by a."), wrong=True)


def _question(public: PublicView) -> tuple[Hashable, ...]:
    """What tells a turn's questions apart; idle counts the turns between two of the same player."""
    return (public.round, public.turn, public.throws, public.idle, public.passes)
