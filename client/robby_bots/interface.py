"""What a bot is: given what its seat sees and the actions allowed, it chooses one. docs/bots.md has an example."""

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class BotView:
    """What a bot sees when something is asked of its seat; the same that a person there would see.

    game: the game's name. seat: the own seat. public, own: the views, of the game's types (robby_games).
    legal: the actions to choose from, in a fixed order, at least one. phase_start: the public view when the running
    phase began; a bot that decides by it does not depend on how fast others are. events: all public events so far.
    """

    game: str
    seat: int
    public: Any
    own: Any
    legal: tuple[Any, ...]
    phase_start: Any
    events: tuple[Any, ...]


class Bot(ABC):
    """Derive from this. One object plays one seat, through all matches of it; it may keep what it likes in itself.

    name: how the bot is called in lists. game: which game it plays; None: any.
    """

    name: ClassVar[str]
    game: ClassVar[str | None] = None

    @abstractmethod
    def choose(self, view: BotView, rng: random.Random) -> Any:
        """One of `view.legal`. All chance comes from `rng`, so that a seeded game can be repeated.

        None: nothing now; the bot is asked again once anything has happened in the match.

        What raises here, or an action that is not allowed, is logged, and the clock decides for the bot.
        """

    def pause(self, view: BotView, pace: random.Random) -> float | None:
        """Seconds to wait before this answer; None: as whoever runs the bot says.

        pace: chance for this alone, so that how long a bot thinks changes nothing of what it does.
        """
        return None
