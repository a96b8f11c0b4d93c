"""Hours in minutes: games without end, reconnect storms, somebody who sends rubbish all the time (PR-36)."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import trio

from tests.e2e.trials.measured import Measured, percentile
from tests.e2e.trials.served import Served
from tests.e2e.trials.tables import LATE, begin, choose, people, sit
from tests.e2e.trials.wire import Gone, Refused, Wire, again, clients, connect, guest

MOST_ERROR = 0.05
"""Seconds by which a phase's length may be wrong."""
GAMES: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("robby-solo", {"max_rounds": 5, "play_ms": 15_000}),
    ("tresor-diebe", {"rounds": 1, "time": "blitz"}),
    ("wild-wild-pattern", {"rounds": 1}),
)
"""What is played at the tables, in turn, with its options."""
PHASE = 1.0
"""Seconds of the phases that are measured: the shortest limit that a table may have."""


class Endless:
    """A table whose people play match after match, whatever happens to their connections."""

    def __init__(self, nursery: trio.Nursery, port: int, game: str, options: Mapping[str, Any]) -> None:
        self.nursery = nursery
        self.port = port
        self.game = game
        self.options = options
        self.players: list[Wire] = []
        self.games = 0
        self.answers = 0
        self.comebacks = 0

    async def open(self, count: int) -> None:
        """Sit down."""
        self.players = await people(self.nursery, self.port, count, keep=False)
        await sit(self.players, game=self.game, options=self.options)

    async def run(self) -> None:
        """Play until cancelled."""
        while True:
            try:
                for seat in range(len(self.players)):
                    await self._bring_back(seat)
                if self.players[0].state["phase"] != "playing":
                    await begin(self.players)
            except (Gone, Refused, trio.BrokenResourceError, trio.ClosedResourceError):
                await trio.sleep(0.1)
                continue  # a storm between two games
            async with trio.open_nursery() as nursery:
                for seat in range(len(self.players)):
                    nursery.start_soon(self._play, seat, random.Random(seat))
            self.games += 1

    async def _bring_back(self, seat: int) -> None:
        while self.players[seat].closed:
            try:
                back = await again(self.nursery, self.port, self.players[seat])
                await back.expect("table.state")
            except (Gone, trio.BrokenResourceError, trio.ClosedResourceError):
                continue  # dropped once more on the way
            self.players[seat] = back
            self.comebacks += 1

    async def _play(self, seat: int, rng: random.Random) -> None:
        done: tuple[str, int] | None = None
        while True:
            player = self.players[seat]
            if player.closed:
                await self._bring_back(seat)
                done = None
                continue
            if player.newest["table.state"]["table"]["phase"] == "finished":
                return
            decision = player.decision
            if decision is None or (player.update["match"], decision["id"]) == done:
                await player.news.wait()
                continue
            done = (player.update["match"], decision["id"])
            action = choose(player, rng)
            if action is not None:
                await trio.sleep(0.08)  # a little below what the server lets a client send for long
                try:
                    code = await player.code_of("game.act", **player.act_fields(action))
                except (Gone, trio.BrokenResourceError, trio.ClosedResourceError, AssertionError):
                    continue  # dropped on the way, or asked no more
                assert code == "ok" or code in LATE, code
                self.answers += 1


async def _rubbish(port: int, nursery: trio.Nursery, count: list[int]) -> None:
    """Bad frames, all the time."""
    rng = random.Random(36)
    while True:
        wire = await connect(nursery, port, keep=False)
        try:
            await wire.send_bytes(rng.randbytes(200))
            await wire.until_closed(15)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # closed at once is what is wanted
        count[0] += 1
        await trio.sleep(0.05)


async def _measure_phases(port: int, nursery: trio.Nursery, errors: list[float]) -> None:
    """A table whose people do nothing: each phase must take its time, neither more nor less."""
    players = await people(nursery, port, 3, keep=False)
    limits = {"supply_ms": 1000, "play_ms": 1000, "gentleman_ms": 1000, "revision_max_ms": 1000, "item_ms": 1000}
    await sit(players, options={**limits, "max_rounds": 1000})
    while True:
        await begin(players)
        watched = players[0]
        began, phase = watched.update_at, (watched.view["round"], watched.view["phase"])
        while watched.state["phase"] == "playing":
            await watched.news.wait()
            now = (watched.view["round"], watched.view["phase"])
            if now != phase:
                errors.append(watched.update_at - began - PHASE)
                began, phase = watched.update_at, now


async def endurance(seconds: float, *, tables: int, storm_every: float, growth: float, most_error: float) -> Measured:
    """Play on and on; memory, descriptors and log lines must level out, and phases keep their length."""
    errors: list[float] = []
    rubbish = [0]
    samples: list[tuple[float, int, int]] = []
    async with clients() as nursery:
        with Served("--quiet") as served:
            games = [Endless(nursery, served.port, *GAMES[number % len(GAMES)]) for number in range(tables)]
            for game in games:
                await game.open(3)
            async with trio.open_nursery() as running:
                for game in games:
                    running.start_soon(game.run)
                running.start_soon(_rubbish, served.port, nursery, rubbish)
                running.start_soon(_measure_phases, served.port, nursery, errors)
                ends = trio.current_time() + seconds
                storm = trio.current_time() + storm_every
                while trio.current_time() < ends:
                    await trio.sleep(min(seconds / 20, 10))
                    samples.append((served.memory(), served.open_files(), len(served.log())))
                    if trio.current_time() >= storm:
                        storm += storm_every
                        for game in games:
                            for player in game.players:
                                await player.drop()
                running.cancel_scope.cancel()
            last = await guest(nursery, served.port, "Afterwards")
            await last.drop()
            played: Counter[str] = Counter()
            for game in games:
                played[game.game] += game.games
            answers = sum(game.answers for game in games)
            back = sum(game.comebacks for game in games)
    half = len(samples) // 2
    memory = [sample[0] for sample in samples]
    grown = max(memory[half:]) - max(memory[:half])
    files = max(sample[1] for sample in samples)
    wrong = percentile([abs(error) for error in errors], 99)
    assert answers, "nothing was played"
    assert grown < growth, f"memory grew by {grown:.1f} MB in the second half"
    assert files < 40 + 5 * tables, f"{files} descriptors"
    assert not errors or wrong < most_error, f"phases were wrong by {wrong * 1000:.0f} ms"
    figures = [
        f"{dict(played)} games, {answers} answers, {back} come-backs, {rubbish[0]} bad connections",
        f"memory {memory[0]:.0f} → {memory[half]:.0f} → {memory[-1]:.0f} MB, ≤ {files} descriptors",
        f"log {samples[-1][2]} bytes; {len(errors)} phases of 1 s wrong by {wrong * 1000:.0f} ms (p99)",
    ]
    return Measured(played.total(), "; ".join(figures))
