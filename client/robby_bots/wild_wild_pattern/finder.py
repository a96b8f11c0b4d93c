"""Bots that see every pattern, and need as long for it as people do; and one that shoots at random, not at once.

A shoot-out is a race, so the only thing that makes a bot stronger or weaker is how long it takes. Its times are drawn
from the runner's chance for waiting; what it chooses is the best play there is, whatever time it took.
"""

import random
from typing import Any, ClassVar

from robby_bots.interface import Bot, BotView
from robby_bots.random_bot import RandomBot
from robby_bots.wild_wild_pattern.worth import best_place, declarations_of, plays_of, ways_of, wheel_of
from robby_games.wild_wild_pattern import NAME, Click, Cover, Declare, Grab, NoPattern, Ready, Take
from robby_games.wild_wild_patterns import patterns_on

SPREAD = 0.4
"""Of the logarithm of a time: about two thirds of them lie within half as much again and two thirds of the middle."""
SHORTEST = 0.6
"""Seconds: nobody sees a pattern and presses a key faster."""
READY_WITHIN = (0.5, 2.0)
DECLARE_WITHIN = (0.8, 3.0)
TAKE_WITHIN = (1.0, 4.0)


class FinderBot(Bot):
    """Finds every pattern in `seconds` on the average; sooner, where there are several to find."""

    name = "greedy"
    game = NAME
    seconds: ClassVar[float] = 14.0

    def choose(self, view: BotView, rng: random.Random) -> Any:
        public, own, legal = view.public, view.own, view.legal
        phase = public.phase
        if phase == "shootout":
            plays = [] if own.card is None else plays_of(public, view.seat, own.card)
            if not plays:
                return Click()
            shot = Cover(plays[0].place)
            # Slowed after a wrong grab: the shot is held back until it is allowed.
            return shot if shot in legal else None
        if phase == "declare":
            plays = declarations_of(public, view.seat)
            if not plays:
                return legal[0]  # only a play of somebody else in this seat leads here; any answer is as wrong
            best = plays[0].pattern
            return Declare(best.side, best.a, best.b)
        if phase == "name":
            there = patterns_on(wheel_of(public))
            return Declare(there[0].side, there[0].a, there[0].b) if there else NoPattern()
        if phase == "take":
            return Take(best_place(public, view.seat, [action.place for action in legal]))
        return Grab() if phase == "grab" else Ready()

    def pause(self, view: BotView, pace: random.Random) -> float | None:
        public, phase = view.public, view.public.phase
        if phase == "ready":
            return pace.uniform(*READY_WITHIN)
        if phase in ("declare", "name"):
            return pace.uniform(*DECLARE_WITHIN)
        if phase == "take":
            return pace.uniform(*TAKE_WITHIN)
        if phase == "grab":
            ways = len(patterns_on(wheel_of(public)))
        else:
            ways = 0 if view.own.card is None else ways_of(public, view.own.card)
        # To be sure that there is nothing takes twice as long as finding the only thing there is.
        middle = self.seconds / ways**0.5 if ways else 2 * self.seconds
        return max(SHORTEST, middle * pace.lognormvariate(0, SPREAD))


class QuickBot(FinderBot):
    """As good as the best people."""

    name = "quick"
    seconds = 6.0


class SlowBot(FinderBot):
    """Leaves time to learn the game."""

    name = "slow"
    seconds = 35.0


class WildRandomBot(RandomBot):
    """Shoots anywhere and says anything, but not in the first moment: it would take everybody's turn."""

    game = NAME
    within: ClassVar[tuple[float, float]] = (10.0, 60.0)

    def pause(self, view: BotView, pace: random.Random) -> float | None:
        racing = view.public.phase in ("shootout", "grab")
        return pace.uniform(*self.within) if racing else pace.uniform(*DECLARE_WITHIN)
