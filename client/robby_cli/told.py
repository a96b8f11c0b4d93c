"""A whole game between bots, each a client of its own over TCP, told in text."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import anyio

from robby_bots.registry import BOTS
from robby_bots.runner import run_bot
from robby_cli import seeds
from robby_cli.exits import CommandError
from robby_cli.teller import Teller
from robby_cli.watched import WatchedClient
from robby_client import exit_codes
from robby_client.address import Address
from robby_client.client import LoginPlan, NotConnected, Refused
from robby_client.dial import tcp
from robby_client.events import ClientEvent, Ended
from robby_protocol.i18n import _
from robby_protocol.messages import Command, TableCreate
from robby_server.bot_names import NAMES

STALL_SECONDS = 330.0
"""Without any event for so long the game stands still: half a minute more than the longest time limit there is."""
LONGEST_SECONDS = 3_600.0
"""No told game takes longer: a hundred rounds of bots that think take about fifteen minutes."""


@dataclass(frozen=True)
class ToldPlan:
    """What to play. options: the table's. bots: which, taken in turn. think: shortest and longest wait, seconds."""

    game: str
    seats: int
    options: dict[str, Any]
    bots: Sequence[str]
    think: tuple[float, float]
    seed: str | None


class _Player:
    """One bot and its client. seated: it has a seat."""

    def __init__(self, told: "_Told", seat: int, address: Address) -> None:
        self.seated = anyio.Event()
        self.connected = anyio.Event()
        self._told = told
        self._seat = seat
        self.client = WatchedClient(
            tcp(address), LoginPlan(name=NAMES[seat]), first_try_fatal=True, watcher=self._watch
        )

    def _watch(self, event: ClientEvent) -> None:
        if self.client.world.welcome is not None:
            self.connected.set()
        if self.client.world.seat is not None:
            self.seated.set()
        self._told.happened(self._seat)

    async def play(self, plan: ToldPlan, table: str | None) -> None:
        bot = BOTS[plan.game][plan.bots[self._seat % len(plan.bots)]]()
        chance: random.Random = seeds.stream(plan.seed, f"bot {self._seat}")
        ended = await run_bot(self.client, bot, chance, think=plan.think, table=table, start=plan.seats)
        self._told.ended(ended)


class _Told:
    """One told game."""

    def __init__(self, plan: ToldPlan, address: Address, teller: Teller) -> None:
        self._plan = plan
        self._teller = teller
        self._moved = anyio.Event()
        self._told_events = 0
        self._over = anyio.Event()
        self._players = [_Player(self, seat, address) for seat in range(plan.seats)]

    def happened(self, seat: int) -> None:
        """A bot's client learnt something; the first one's is what is told."""
        moved, self._moved = self._moved, anyio.Event()
        moved.set()
        world = self._players[0].client.world
        if seat != 0 or world.game is None:
            return
        events = world.game.events
        self._teller.take(events[self._told_events :], self._teller.story.names_in(world.game))
        self._told_events = len(events)
        if self._teller.over:
            self._over.set()

    def ended(self, ended: Ended) -> None:
        """A bot's client has ended: too early, unless the game is over."""
        if not self._over.is_set():
            raise CommandError(ended.text, exit_codes.ENDED)

    async def run(self) -> None:
        async with anyio.create_task_group() as tasks:
            host = self._players[0]
            tasks.start_soon(self._watch_progress)
            tasks.start_soon(host.play, self._plan, None)
            await host.connected.wait()
            made = await self._ask(
                TableCreate, game=self._plan.game, capacity=self._plan.seats, options=self._plan.options
            )
            await host.seated.wait()
            for player in self._players[1:]:
                tasks.start_soon(player.play, self._plan, made["table"])
                await player.seated.wait()
            await self._over.wait()
            for player in self._players:
                player.client.stop()
            tasks.cancel_scope.cancel()

    async def _ask(self, command: type[Command], **fields: Any) -> dict[str, Any]:
        """A command of the host's. Raises CommandError where it is refused."""
        try:
            return await self._players[0].client.call(command, **fields)
        except (Refused, NotConnected) as problem:
            raise CommandError(problem.text, exit_codes.REFUSED) from problem

    async def _watch_progress(self) -> None:
        """End a game that stands still."""
        while True:
            with anyio.move_on_after(STALL_SECONDS) as waiting:
                await self._moved.wait()
            if waiting.cancelled_caught:
                raise CommandError(_("The game stands still. Try again; if it stays so, report it."), exit_codes.ENDED)


async def tell_game(plan: ToldPlan, address: Address, teller: Teller) -> None:
    """Play a whole game on the server at this address and tell it. Raises CommandError if that fails."""
    try:
        with anyio.fail_after(LONGEST_SECONDS):
            await _Told(plan, address, teller).run()
    except TimeoutError as problem:
        raise CommandError(_("The game took too long and was broken off."), exit_codes.ENDED) from problem
