"""One simulated evening: a server that is killed and started again, tables of people, a bad network."""

import random
from collections import Counter
from dataclasses import dataclass, field

import trio

from robby_protocol.messages import Error, TableCreate, TableJoin, TableReady, TableStart, TableWatch
from robby_server.app import Server
from robby_server.records import MemoryRecords
from robby_server.settings import Settings
from tests.sim.deterministic import nap, source
from tests.sim.disk import Disk, Handle
from tests.sim.network import CALM, Network, Weather
from tests.sim.player import Lost, Player

KEY = bytes(range(32))
NAMES = ("Ana", "Ben", "Cleo", "Dora", "Emil", "Fred")
ROUNDS = (1, 1, 1, 1, 2, 2, 2, 3, 5, 100)
"""After which games end: many short ones, since what goes wrong at a beginning or an end needs many of these; and some
whole ones."""
HOURS = 6.0
"""Of simulated time, within which everybody must have played to the end."""


@dataclass(frozen=True)
class Plan:
    """What a seed is to do. tables: groups of people. matches: that each plays where they have one round; the longer
    they are the fewer. kills: of the server, at most."""

    tables: int = 4
    matches: int = 1
    kills: int = 3
    weather: Weather = field(default_factory=Weather)


@dataclass
class Group:
    """People who want to play together. table: where, once one of them has made it. played: matches that ended."""

    players: list[Player]
    options: dict[str, object]
    matches: int
    watcher: Player
    table: str | None = None
    remade: int = 0

    def __str__(self) -> str:
        return f"{self.table} after {self.remade} others, {self.options}: " + ", ".join(map(str, self.players))

    def over(self, player: Player) -> bool:
        """Whether this one has played enough; what the others saw counts, as one may have been away at an end."""
        return len({match for one in self.players for match in one.results}) >= self.matches


class Town:
    """One run. faults: how often what happened."""

    def __init__(self, seed: int, plan: Plan) -> None:
        self.seed = seed
        self.plan = plan
        self.disk = Disk(source(seed, "disk"))
        self.records = MemoryRecords()
        self.groups: list[Group] = []
        self.faults: Counter[str] = Counter()
        self.server: Server | None = None
        self.left_behind = 0
        self._rng = source(seed, "town")
        self._done = trio.Event()

    @property
    def players(self) -> list[Player]:
        """Everybody."""
        return [player for group in self.groups for player in (*group.players, group.watcher)]

    async def run(self) -> None:
        """From opening to closing time. Raises AssertionError if somebody waits for ever."""
        with trio.move_on_after(HOURS * 3600) as limit:
            await self._evening()
        assert not limit.cancelled_caught, "somebody waits for ever: " + "; ".join(map(str, self.groups))

    async def _evening(self) -> None:
        async with trio.open_nursery() as nursery:
            network = Network(source(self.seed, "network"))
            network.weather = self.plan.weather
            nursery.start_soon(self._serve, network)
            async with trio.open_nursery() as people:
                for number in range(self.plan.tables):
                    group = self._new_group(number, network)
                    self.groups.append(group)
                    for player in (*group.players, group.watcher):
                        people.start_soon(self._visit, player, group)
            network.weather = CALM
            self.faults.update(network.faults)
            # Tables without people close; what a server still holds then was left behind.
            await trio.sleep(400)
            assert self.server is not None
            self.left_behind = self.server.connections + len(self.server.directory)
            self._done.set()
            nursery.cancel_scope.cancel()

    # The server.

    async def _serve(self, network: Network) -> None:
        kills = self.plan.kills
        while not self._done.is_set():
            handle = self.disk.open()
            async with trio.open_nursery() as life:
                self.server = Server(Settings(connections=10_000), handle, key=KEY, records=self.records)
                await life.start(self.server.serve)
                network.accept = self.server._begin  # as for an accepted socket
                await trio.sleep(self._rng.uniform(2, 60) if kills else 10 * HOURS * 3600)
                self._kill(network, handle)
                life.cancel_scope.cancel()
            kills -= 1
            await trio.sleep(self._rng.uniform(0, 40))

    def _kill(self, network: Network, handle: Handle) -> None:
        self.faults["kill"] += 1
        handle.kill()
        network.accept = None
        network.cut_all()

    # The people.

    def _new_group(self, number: int, network: Network) -> Group:
        rng = source(self.seed, "group", number)
        junior = rng.random() < 0.3
        count = rng.randint(3 - junior, 5)
        time, rounds = rng.choice(("blitz", "standard", "relaxed")), rng.choice(ROUNDS)
        options: dict[str, object] = {"time": time, "junior": junior, "max_rounds": rounds}
        players = [
            Player(
                f"{NAMES[index]} {number}",
                network,
                source(self.seed, "player", number, index),
                participants=count + junior,
                audited=index == count - 1,
                address=f"10.0.{number}.{index // 2}",
            )
            for index in range(count)
        ]
        watcher = Player(
            f"Wanda {number}",
            network,
            source(self.seed, "watcher", number),
            participants=count + junior,
            audited=True,
            address=f"10.1.{number}.0",
        )
        matches = max(1, self.plan.matches // min(rounds, 10))
        return Group(players, options, matches, watcher)

    async def _visit(self, player: Player, group: Group) -> None:
        rng = source(self.seed, "visit", player.name)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(player.run)
            while not group.over(player):
                await nap(rng.uniform(0, 1))
                try:
                    await self._step(player, group, rng)
                except Lost:
                    continue
            await nap(rng.uniform(0, 60))  # whoever was away at the end comes back and sees the results
            await player.leave()

    async def _step(self, player: Player, group: Group, rng: random.Random) -> None:
        state = player.table
        if not player.online:
            await player.until(lambda: player.online)
        elif player is group.watcher:
            if state is None and group.table is not None:
                await player.call(TableWatch, table=group.table)
        elif state is None:
            await self._sit_down(player, group, rng)
        elif group.table != state.table.table:
            group.table = state.table.table  # its maker may never have heard the answer
        elif state.table.phase == "playing":
            with trio.move_on_after(5):  # looks up now and then: the others may be done
                await player.answer()
        elif state.you is not None and len(state.table.seats) == len(group.players):
            seat = state.table.seats[state.you]
            if state.table.host == state.you:
                await player.call(TableStart, commitment=player.new_commitment())
            elif not seat.ready:
                await player.call(TableReady, ready=True, commitment=player.new_commitment())

    async def _sit_down(self, player: Player, group: Group, rng: random.Random) -> None:
        if player.welcome is not None and player.welcome.table is not None and player.closed is None:
            await nap(1)  # what it looks like there is on its way
            if player.table is not None:
                return
        if group.table is None:
            if player is not group.players[0]:
                return
            answer = await player.call(
                TableCreate, game="robby-solo", options=group.options, capacity=len(group.players)
            )
            if not isinstance(answer, Error):
                group.table = answer.result["table"]
            elif answer.code == "already_seated":
                group.table = answer.details["table"]
        else:
            answer = await player.call(TableJoin, table=group.table)
            if isinstance(answer, Error) and answer.code == "no_such_table" and player is group.players[0]:
                group.table = None
                group.remade += 1
