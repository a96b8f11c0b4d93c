"""Letting a bot play through a client: an ordinary client, no other way in than a person's.

A bot that raises, or names an action that is not allowed, does not answer that decision: the clock decides it.
"""

import logging
import random
from collections.abc import Callable
from typing import Any

import anyio

from robby_bots.interface import Bot, BotView
from robby_bots.registry import UNOFFERED
from robby_bots.seating import Seating
from robby_client.client import Client, NotConnected, Refused
from robby_client.codes import STOPPED, text_for
from robby_client.events import Ended, Received
from robby_client.signal import Signal
from robby_protocol.errors import ILLEGAL_ACTION, NO_DECISION, NOT_PLAYING, STALE_DECISION, TOO_LATE, TOO_MANY_MESSAGES
from robby_protocol.messages import TableClosed

TOO_FAST_PAUSE = 1.0
"""Seconds to wait when the server says that there were too many messages."""

_log = logging.getLogger(__name__)


async def run_bot(
    client: Client,
    bot: Bot,
    rng: random.Random,
    *,
    think: tuple[float, float] | None = None,
    game: str | None = None,
    table: str | None = None,
    seek: bool = False,
    stay: bool = True,
    start: int | None = None,
    refused: Callable[[Refused], None] | None = None,
    waiting: Callable[[], None] | None = None,
) -> Ended:
    """Run the client and let the bot answer for its seat, until the client has ended. Returns why.

    think: (shortest, longest) seconds before each answer, where the bot has no pace of its own; (0, 0): no bot waits at
    all; None: as long as the bot likes. game: of the table to seek; None: the bot's own, or any.
    table: sit down there. seek: without a seat, sit down at any
    table of the bot's game that waits. start: as host, start a match only once so many seats are taken; None: whenever
    all who are there are ready, if any person is. stay: False: say bye once the seat is gone or the table closed.
    refused: told when sitting down, getting ready or starting is refused; None: the log is. waiting: told once that no
    table is there to sit down at. The bot's chance is `rng` alone, and nothing else draws from it.
    """
    ended = Ended(STOPPED, text_for(STOPPED))
    player = _Player(client, bot, rng, think)
    seating = Seating(client, game or bot.game, table=table, seek=seek, start=start, refused=refused, waiting=waiting)
    async with anyio.create_task_group() as group:
        group.start_soon(client.run)
        group.start_soon(player.play)
        group.start_soon(seating.keep)
        async for event in client.events:
            if isinstance(event, Ended):
                ended = event
            elif isinstance(event, Received) and isinstance(event.message, TableClosed):
                seating.closed(event.message)
                if not stay:
                    client.stop()
            player.changed.set()
            seating.changed.set()
        group.cancel_scope.cancel()
    return ended


class _Player:
    """Answers the decisions. changed: something happened that may have asked something."""

    def __init__(self, client: Client, bot: Bot, rng: random.Random, think: tuple[float, float] | None) -> None:
        self.changed = Signal()
        self._client = client
        self._bot = bot
        self._rng = rng
        self._think = think
        self._pace = random.Random()  # not the bot's: its chance must not depend on how often it had to wait
        self._chosen: tuple[tuple[str, int], Any] | None = None
        self._done: tuple[str, int] | None = None
        self._left: tuple[str, int, int] | None = None
        """A question, as it stood in the match, to which the bot wanted to say nothing."""
        self._errors: set[type] = set()

    async def play(self) -> None:
        while True:
            view = self._question()
            if view is None:
                await self.changed.wait()
                continue
            key, seen = view
            pause = self._pause(seen)
            if pause > 0:
                await self._wait(pause, key)
                again = self._question()
                if again is None or again[0] != key:
                    continue
                seen = again[1]
            await self._answer(key, seen)

    def _pause(self, view: BotView) -> float:
        """Seconds before the answer."""
        if self._think is not None and self._think[1] <= 0:
            return 0.0
        try:
            own = self._bot.pause(view, self._pace)
        except Exception as error:  # noqa: BLE001 - as in `_answer`
            self._log_error(error)
            own = None
        if own is not None:
            return own
        return 0.0 if self._think is None else self._pace.uniform(*self._think)

    async def _wait(self, seconds: float, key: tuple[str, int]) -> None:
        """Wait, but no longer than this is asked."""
        with anyio.move_on_after(seconds):
            while True:
                await self.changed.wait()
                again = self._question()
                if again is None or again[0] != key:
                    return

    def _question(self) -> tuple[tuple[str, int], BotView] | None:
        """What is asked of the bot now, with its key; None if nothing is, or it was answered."""
        game = self._client.world.game
        if game is None or game.decision is None or game.own is None or not self._client.connected:
            return None
        key = (game.match, game.decision.id)
        legal = tuple(action for action in game.decision.legal if not isinstance(action, UNOFFERED.get(game.name, ())))
        if not legal or key == self._done or (*key, game.seq) == self._left:
            return None
        return key, BotView(
            game=game.name,
            seat=game.own.seat,
            public=game.public,
            own=game.own,
            legal=legal,
            phase_start=game.phase_start,
            events=tuple(game.events),
        )

    async def _answer(self, key: tuple[str, int], view: BotView) -> None:
        game = self._client.world.game
        seq = -1 if game is None else game.seq
        if self._chosen is None or self._chosen[0] != key:
            try:
                action = self._bot.choose(view, self._rng)
            except Exception as error:  # noqa: BLE001 - somebody's bot may raise anything; its seat plays on by the clock
                self._log_error(error)
                self._done = key
                return
            # Kept for the case that the answer's fate is unknown: asked the same again, the bot says the same again.
            self._chosen = (key, action)
        action = self._chosen[1]
        if action is None:
            self._chosen = None
            self._left = (*key, seq)
            return
        if action not in view.legal:
            _log.warning("bot %s: refused %s: %s", self._bot.name, ILLEGAL_ACTION, _one_line(action))
            self._done = key
            return
        try:
            await self._client.act(action, decision=key[1])
        except NotConnected:
            await self.changed.wait()
        except Refused as refused:
            if refused.code == TOO_MANY_MESSAGES:
                await anyio.sleep(TOO_FAST_PAUSE)
                return
            usual = refused.code in (STALE_DECISION, NO_DECISION, TOO_LATE, NOT_PLAYING)
            level = logging.INFO if usual else logging.WARNING
            _log.log(level, "bot %s: refused %s: %s", self._bot.name, refused.code, _one_line(action))
            self._done = key

    def _log_error(self, error: Exception) -> None:
        if type(error) not in self._errors:
            self._errors.add(type(error))
            _log.error("bot %s: error in choose, the clock decides: %s", self._bot.name, _one_line(error))


def _one_line(value: object) -> str:
    return ascii(value)[:200]
