"""The bot that follows the money, and keeps away from the bank that the Gentleman claims."""

import random
from collections.abc import Sequence
from typing import Any

from robby_bots.interface import BotView
from robby_bots.robby_solo.manners import SoloBot
from robby_games.robby_solo import Confirm, Declare, PublicView, TakeBack, is_item

ITEM_GUESS = 5_000
"""What an item on a bank counts for when banks are compared."""


def loot_worth(cards: Sequence[int]) -> int:
    """What this bot sees in a bank."""
    return sum(ITEM_GUESS if is_item(card) else card for card in cards)


def draw_bank(public: PublicView, banks: Sequence[int], rng: random.Random) -> int:
    """A bank with a chance proportional to the cube of its loot; all alike if none of them has any."""
    weights = [loot_worth(public.banks[bank]) ** 3 for bank in banks]
    total = sum(weights)
    if total == 0:
        return banks[rng.randrange(len(banks))]
    # Whole numbers: the same draw on every machine and Python.
    point = rng.randrange(total)
    for bank, weight in zip(banks, weights, strict=True):
        if point < weight:
            return bank
        point -= weight
    raise AssertionError("the point lies below the total")


class GreedyBot(SoloBot):
    """As Gentleman it takes the dearest bank and claims it; otherwise it draws by the loot."""

    name = "greedy"

    def lay(self, view: BotView, banks: list[int], rng: random.Random) -> int:
        public: PublicView = view.phase_start
        if view.public.phase == "gentleman":
            return max(banks, key=lambda bank: (loot_worth(public.banks[bank]), -bank))
        claimed = _claimed(public) if view.public.phase == "revision" else None
        others = [bank for bank in banks if bank != claimed]
        return draw_bank(public, others or banks, rng)

    def declare(self, view: BotView, choices: list[Declare], rng: random.Random) -> Declare:
        return next(action for action in choices if action.robs)

    def revise(self, view: BotView, rng: random.Random) -> Any:
        if view.own.card == _claimed(view.phase_start) and TakeBack() in view.legal:
            return TakeBack()
        return Confirm()


def _claimed(public: PublicView) -> int | None:
    """The bank that the Gentleman says he robs, if he says so."""
    declaration = public.declaration
    return declaration.bank if declaration is not None and declaration.robs else None
