"""Letting a bot play through a client: an ordinary client, no other way in than a person's."""

import random

from robby_bots.interface import Bot
from robby_client.client import Client
from robby_client.events import Ended


async def run_bot(
    client: Client,
    bot: Bot,
    rng: random.Random,
    *,
    think: tuple[float, float] = (0.0, 0.0),
    table: str | None = None,
    seek: bool = False,
    stay: bool = True,
) -> Ended:
    """Run the client and let the bot answer for its seat, until the client has ended. Returns why.

    think: (shortest, longest) seconds before each answer. table: sit down there. seek: without a seat, sit down at any
    table of the bot's game that waits. stay: False: say bye once the seat is gone or the table closed.
    The bot's chance is `rng` alone; nothing else draws from it.
    """
    raise NotImplementedError
