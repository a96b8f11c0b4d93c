"""Which bots there are, by game and name, and loading somebody's own."""

from robby_bots.greedy_bot import GreedyBot
from robby_bots.interface import Bot
from robby_bots.random_bot import RandomBot

BOTS: dict[str, dict[str, type[Bot]]] = {
    "robby-solo": {"greedy": GreedyBot, "random": RandomBot},
}


class BotLoadError(Exception):
    """There is no such bot, or its file cannot be used; str() is a plain sentence."""


def load_bot(spec: str, game: str = "robby-solo") -> type[Bot]:
    """A bot by name (`greedy`), as `module:Class`, or from a file (`my_bot.py` or `my_bot.py:Class`).

    Raises BotLoadError.
    """
    raise NotImplementedError
