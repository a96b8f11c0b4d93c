"""The bot that takes the best expected result of its turn, reckoned exactly over all that the dice can do."""

import random
from collections.abc import Sequence
from typing import Any

from robby_bots.interface import Bot, BotView
from robby_games.tresor_diebe import (
    FIRST_SAFE,
    NAME,
    NOBODY,
    THROWS,
    Again,
    Pass,
    PublicView,
    Stop,
    Throw,
    field_after,
)
from robby_games.tresor_diebe_odds import outlook


def gains(safes: Sequence[int], field: int) -> tuple[int, ...]:
    """How many fields a thief on this one goes forward by each sum of the dice, from 5 on; back is negative."""
    return tuple(field_after(field, safe, owner == NOBODY) - field for safe, owner in enumerate(safes, FIRST_SAFE))


class GreedyThief(Bot):
    """Throws where that gains on average, passes where it does not; it looks no further than its turn."""

    name = "greedy"
    game = NAME

    def choose(self, view: BotView, rng: random.Random) -> Any:
        public: PublicView = view.public
        prospects = outlook(gains(public.safes, public.fields[view.seat]))
        if not public.throws:
            return Throw() if prospects.at_start() > 0 else Pass()
        again = prospects.best(public.dice, THROWS - public.throws)
        return Again(again) if again else Stop()
