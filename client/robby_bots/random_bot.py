"""The bot that takes any action allowed, each equally likely."""

import random
from typing import Any

from robby_bots.interface import Bot, BotView


class RandomBot(Bot):
    """Plays any game at random."""

    name = "random"

    def choose(self, view: BotView, rng: random.Random) -> Any:
        return rng.choice(view.legal)
