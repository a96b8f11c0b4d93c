"""One simulated evening: a server that is killed and started again, tables of people, a bad network."""

import random
from collections import Counter
from dataclasses import dataclass, field

import trio

from robby_protocol.messages import Error, TableCreate, TableJoin, TableReady, TableStart, TableState, TableWatch
from robby_server.app import Server
from robby_server.records import MemoryRecords
from robby_server.settings import Settings
from tests.sim.deterministic import nap, source
from tests.sim.disk import Disk, Handle
from tests.sim.network import CALM, Network, Weather
from tests.sim.player import Lost, Player
from tests.sim.wishes import Wish, wish

KEY = bytes(range(32))
NAMES = ("Ana", "Ben", "Cleo", "Dora", "Emil", "Fred")
RASH = 0.03
"""How likely a host tries to begin though not everybody is ready."""
CLOSING = 400
"""Seconds after the last person has gone, within which every table must be."""
HOURS = 6.0
"""Of simulated time, within which everybody must have played to the end."""


@dataclass(frozen=True)
class Plan:
    """What a seed is to do. tables: groups of people. matches: that each plays where they are of one round; the longer
    they are the fewer. kills: of the server, at most."""

    tables: int = 4
    matches: int = 1
    kills: int = 3
    weather: Weather = field(default_factory=Weather)


@dataclass
class Group:
    """People who want to play together. table: where, once one of them has made it. seen: matches whose end one of them
    was told."""

    players: list[Player]
    wish: Wish
    matches: int
    watchers: list[Player]
    table: str | None = None
    remade: int = 0
    seen: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        return f"{self.table} after {self.remade} others, {self.wish}: " + ", ".join(map(str, self.players))

    def over(self) -> bool:
        """Whether they have played enough; what the others saw counts, as one may have been away at an end."""
        return len(self.seen) >= self.matches


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
        return [player for group in self.groups for player in (*group.players, *group.watchers)]

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
                    for player in (*group.players, *group.watchers):
                        people.start_soon(self._visit, player, group)
            network.weather = CALM
            self.faults.update(network.faults)
            # Tables without people close; what a server still holds then was left behind.
            with trio.move_on_after(CLOSING):
                while self.server is None or self._held(self.server):
                    await nap(5)
            assert self.server is not None
            self.left_behind = self._held(self.server)
            self._done.set()
            nursery.cancel_scope.cancel()

    # The server.

    @staticmethod
    def _held(server: Server) -> int:
        """How many connections and tables it has."""
        return server.connections + len(server.directory)

    async def _serve(self, network: Network) -> None:
        kills = self.plan.kills
        while not self._done.is_set():
            handle = self.disk.open()
            async with trio.open_nursery() as life:
                server = Server(Settings(connections=10_000, ping_seconds=10), handle, key=KEY, records=self.records)
                await life.start(server.serve)
                self.server = server
                network.accept = server._begin  # as for an accepted socket
                await trio.sleep(self._rng.uniform(2, 60) if kills else 10 * HOURS * 3600)
                self._kill(network, handle)
                life.cancel_scope.cancel()
            kills -= 1
            await trio.sleep(self._rng.uniform(0, 40))

    def _kill(self, network: Network, handle: Handle) -> None:
        self.faults["kill"] += 1
        handle.kill()
        self.server = None
        network.accept = None
        network.cut_all()

    # The people.

    def _new_group(self, number: int, network: Network) -> Group:
        rng = source(self.seed, "group", number)
        wanted = wish(self.seed, number, rng)
        seen: set[str] = set()
        players = [
            Player(
                f"{NAMES[index]} {number}",
                network,
                source(self.seed, "player", number, index),
                participants=wanted.participants,
                seen=seen,
                audited=index == wanted.people - 1,
                address=f"10.0.{number}.{index // 2}",
            )
            for index in range(wanted.people)
        ]
        watcher = Player(
            f"Wanda {number}",
            network,
            source(self.seed, "watcher", number),
            participants=wanted.participants,
            seen=set(),
            audited=True,
            address=f"10.1.{number}.0",
        )
        watchers = [] if number % 2 else [watcher]  # the first table has one, so small evenings too
        matches = max(1, self.plan.matches // wanted.length)
        return Group(players, wanted, matches, watchers, seen=seen)

    async def _visit(self, player: Player, group: Group) -> None:
        rng = source(self.seed, "visit", player.name)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(player.run)
            while not group.over():
                try:
                    await self._step(player, group, rng)
                except Lost:
                    await nap(rng.uniform(0, 1))
            await nap(rng.uniform(0, 60))  # whoever was away at the end comes back and sees the results
            await player.leave()

    async def _step(self, player: Player, group: Group, rng: random.Random) -> None:
        state = player.table
        if not player.online:
            await player.until(lambda: player.online)
        elif player in group.watchers:
            if state is None and group.table is not None:
                await nap(rng.uniform(0, 1))
                await player.call(TableWatch, table=group.table)
            else:
                await player.news()
        elif state is None:
            await nap(rng.uniform(0, 1))
            await self._sit_down(player, group, rng)
        elif group.table != state.table.table:
            group.table = state.table.table  # its maker may never have heard the answer
        elif state.table.phase == "playing":
            await player.answer()
        elif not self._may_start(state, group, rng):
            await player.news()
        else:
            await nap(rng.uniform(0, 1))
            if state.table.host == state.you:
                answer = await player.call(TableStart, commitment=player.new_commitment())
                if not isinstance(answer, Error):
                    await player.until(lambda: player.table is not state)  # begun, or broken off
            else:
                await player.call(TableReady, ready=True, commitment=player.new_commitment())

    def _may_start(self, state: TableState, group: Group, rng: random.Random) -> bool:
        """Whether there is something for this one to do before a match: get ready, or begin once the others are."""
        seats, you, host = state.table.seats, state.you, state.table.host
        if you is None or len(seats) < len(group.players):
            return False
        if host == you:
            others = all(seat.ready for number, seat in enumerate(seats) if number != host)
            return others or rng.random() < RASH
        return not seats[you].ready

    async def _sit_down(self, player: Player, group: Group, rng: random.Random) -> None:
        if player.welcome is not None and player.welcome.table is not None and player.closed is None:
            await nap(1)  # what it looks like there is on its way
            if player.table is not None:
                return
        if group.table is None:
            if player is not group.players[0]:
                return
            answer = await player.call(
                TableCreate, game=group.wish.game, options=group.wish.options, capacity=len(group.players)
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
