"""Bots on seats: tasks of the server's that run an ordinary client over a stream in memory.

What a bot is and does is not known here: the composition root hands in `spawn_bot`. A bot that raises or hangs harms
nobody: its stream is closed, its seat counts as absent, and the clock decides for it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import structlog
import trio

log = structlog.get_logger("robby.bots")


@dataclass(frozen=True)
class BotTicket:
    """What a bot needs to take its seat: it logs in as a guest with this name and resume token.

    bot: which bot (a name from the greeting's offer). game: the game it will play. table: where it sits.
    """

    bot: str
    game: str
    name: str
    resume: bytes = field(repr=False)
    table: str


SpawnBot = Callable[[BotTicket, trio.abc.Stream], Awaitable[None]]
"""Runs one bot over the stream until the stream ends or the server says goodbye."""


class BotTask:
    """One running bot."""

    def __init__(self, ticket: BotTicket) -> None:
        self.ticket = ticket
        self._scope = trio.CancelScope()

    def dismiss(self, seconds: float) -> None:
        """The bot's connection is being ended; cancel the bot itself if it is not done in so many seconds."""
        self._scope.deadline = min(self._scope.deadline, trio.current_time() + seconds)

    async def run(self, spawn: SpawnBot, stream: trio.abc.Stream) -> None:
        try:
            with self._scope:
                await spawn(self.ticket, stream)
        except Exception:  # somebody's bot may raise anything; its seat counts as absent
            log.exception("bot_failed", bot=self.ticket.bot, table=self.ticket.table)
        finally:
            with trio.CancelScope(shield=True, deadline=trio.current_time() + 1):
                await trio.aclose_forcefully(stream)


class Bots:
    """Which bots there are, and the nursery that they run in."""

    def __init__(
        self,
        spawn: SpawnBot | None,
        names: Mapping[str, Sequence[str]],
        nursery: trio.Nursery,
        connect: Callable[[], trio.abc.Stream],
    ) -> None:
        self._spawn = spawn
        self._names = {game: tuple(bots) for game, bots in names.items()} if spawn is not None else {}
        self._nursery = nursery
        self._connect = connect

    def names(self, game: str) -> tuple[str, ...]:
        """The bots that can be seated at a game."""
        return self._names.get(game, ())

    def stand_in(self, game: str, wanted: str) -> str | None:
        """Which bot stands in for an absent person; None if the server has none for this game."""
        names = self.names(game)
        if wanted in names:
            return wanted
        return names[0] if names else None

    def send(self, ticket: BotTicket) -> BotTask:
        """Start a bot on its way to its seat."""
        if self._spawn is None:
            raise RuntimeError("this server has no bots")
        task = BotTask(ticket)
        self._nursery.start_soon(task.run, self._spawn, self._connect())
        return task
