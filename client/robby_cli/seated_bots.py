"""The bots that a server seats: ordinary clients in the server's process, over a stream in memory."""

import itertools
import math
from collections.abc import Sequence

import trio
from anyio.abc import ByteStream

from robby_bots.registry import BOTS
from robby_bots.runner import run_bot
from robby_cli import seeds
from robby_client.client import Client, LoginPlan, Timings
from robby_client.streams import over_trio
from robby_server.bots import BotTicket, SpawnBot

TIMINGS = Timings(silence=math.inf)
"""A stream in memory ends with its server; a silence only means that the whole process stood still."""
THINK = (0.8, 2.5)
"""Seconds, shortest and longest, before a bot answers: long enough for people to follow what happens."""


def offered() -> dict[str, Sequence[str]]:
    """The bots that can be seated, by game."""
    return {game: tuple(bots) for game, bots in BOTS.items()}


def spawner(*, think: tuple[float, float] = THINK, seed: str | None = None) -> SpawnBot:
    """What the server calls to seat a bot. seed: for a local game that shall be the same again."""
    numbers = itertools.count()

    async def spawn(ticket: BotTicket, stream: trio.abc.Stream) -> None:
        async def dial() -> ByteStream:
            return over_trio(stream)

        plan = LoginPlan(name=ticket.name, resume=ticket.resume)
        client = Client(dial, plan, timings=TIMINGS, reconnect=False)
        bot = BOTS[ticket.game][ticket.bot]()
        await run_bot(client, bot, seeds.stream(seed, f"bot {next(numbers)}"), think=think, stay=False)

    return spawn
