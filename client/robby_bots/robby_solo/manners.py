"""Robby Solo's bots share this: each kind of decision has a method of its own."""

import random
from abc import abstractmethod
from typing import Any

from robby_bots.interface import Bot, BotView
from robby_games.robby_solo import NAME, Confirm, Declare, Give, Lay, Reveal, Supply, TakeBack

UNOFFERED: tuple[type, ...] = (Reveal,)
"""It hurries others, and nobody waits for it: a bot Gentleman lets the others think."""


class SoloBot(Bot):
    """A bot of Robby Solo that thinks by kind of decision.

    By itself it deals from a random side and gives its oldest item.
    """

    game = NAME

    def choose(self, view: BotView, rng: random.Random) -> Any:
        kinds = {type(action) for action in view.legal}
        if Supply in kinds:
            return self.supply(view, rng)
        if Declare in kinds:
            return self.declare(view, [action for action in view.legal if isinstance(action, Declare)], rng)
        if Give in kinds:
            return self.give(view, [action for action in view.legal if isinstance(action, Give)], rng)
        banks = [action.bank for action in view.legal if isinstance(action, Lay)]
        if view.public.phase == "revision" and (Confirm in kinds or TakeBack in kinds):
            return self.revise(view, rng)
        return Lay(bank=self.lay(view, banks, rng))

    def supply(self, view: BotView, rng: random.Random) -> Any:
        """As Gentleman: from which side to deal."""
        return rng.choice(view.legal)

    def give(self, view: BotView, choices: list[Give], rng: random.Random) -> Give:
        """To the police: which item to return. The stack is oldest first, so the first that may go is the oldest."""
        allowed = {action.card for action in choices}
        return Give(card=next(card for card in view.own.stack if card in allowed))

    @abstractmethod
    def lay(self, view: BotView, banks: list[int], rng: random.Random) -> int:
        """Which of these banks to lay; in the revision after taking back too."""

    @abstractmethod
    def declare(self, view: BotView, choices: list[Declare], rng: random.Random) -> Declare:
        """As Gentleman: what to declare of the card that lies (`view.own.card`)."""

    @abstractmethod
    def revise(self, view: BotView, rng: random.Random) -> Any:
        """In the revision, with the card lying: Confirm() or TakeBack()."""
