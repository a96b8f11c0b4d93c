"""Tells a game of Robby Solo as it goes, in an order that does not depend on how fast anybody is.

What several seats do at the same time is held back until the phase is over, and told in the order of the seats.
"""

from collections.abc import Callable, Sequence
from typing import Any

from robby_client.tale.robby_solo import final_lines, in_seat_order, sentence
from robby_client.words.robby_solo import bank_label, loot_text
from robby_games.robby_solo import (
    Chose,
    Confirmed,
    GameOver,
    GameStarted,
    Laid,
    Police,
    Returned,
    Robbed,
    RoundStarted,
    Supplied,
    TakenBack,
)
from robby_protocol.i18n import _

_TOGETHER = (Laid, TakenBack, Returned, Confirmed, Chose)
"""What several seats may do at the same time."""


class Teller:
    """Events in, lines out. say: takes one line. me: the seat to whom it is told; none: as everybody sees it.
    over: the end of the game has been told."""

    def __init__(self, say: Callable[[str], None], me: int | None = None) -> None:
        self.over = False
        self._say = say
        self._me = me
        self._held: list[Any] = []
        self._banks: list[list[int]] = []

    def take(self, events: Sequence[Any], names: Sequence[str]) -> None:
        """Tell the next events of the match."""
        for event in events:
            self._held.append(event)
            if isinstance(event, _TOGETHER):
                continue
            held, self._held = self._held, []
            for one in in_seat_order(held):
                self.tell(one, names)

    def tell(self, event: Any, names: Sequence[str]) -> None:
        """Tell one event, now."""
        if isinstance(event, RoundStarted | GameOver):
            self._say("")
        told = sentence(event, names, self._me)
        if told is not None:
            self._say(told)
        if isinstance(event, GameStarted):
            self._banks = [[] for _bank in range(event.banks)]
        elif isinstance(event, Supplied):
            for bank, card in zip(self._banks, event.cards, strict=True):
                bank.append(card)
            loot = "; ".join(
                _("{bank} {loot}").format(bank=bank_label(bank), loot=loot_text(cards))
                for bank, cards in enumerate(self._banks)
            )
            self._say(_("On the banks: {loot}.").format(loot=loot))
        elif isinstance(event, Robbed | Police):
            self._banks[event.bank] = []
        elif isinstance(event, GameOver):
            self._end(event, names)

    def _end(self, event: GameOver, names: Sequence[str]) -> None:
        """Every result line by line, and the cards that it is made of."""
        self._say("")
        for score in event.scores:
            place, *sums = final_lines(GameOver(reason=event.reason, scores=(score,)), names)
            self._say(place)
            for line in (*sums, _("cards: {loot}").format(loot=loot_text(score.stack))):
                self._say(f"   {line}")
        self.over = True
