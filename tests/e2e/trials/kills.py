"""The server's process is killed again and again under tables of bots that play over the network (PR-25).

Every answer that was acknowledged must be in the store afterwards, every game must end, and the players come back by
themselves: they are the product's own clients.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import trio
from msgspec import Struct

from robby_cli.verify_folder import verify_folder
from robby_client.address import Address
from robby_client.client import Client, LoginPlan, NotConnected, Refused, Timings
from robby_client.dial import tcp
from robby_client.events import Connected, Ended
from robby_games.robby_solo import Reveal
from robby_protocol import codec
from robby_protocol.messages import RecordGet, TableCreate, TableJoin, TableReady, TableStart
from robby_rules.journal import Act, replay
from robby_rules.record_check import examine
from robby_server.store.sqlite import SqliteStore
from tests.e2e.trials.measured import Measured, percentile
from tests.e2e.trials.served import Served

SEATS = 3
QUICK = Timings(first_wait=0.05, longest_wait=0.5, steady=1.0)
"""So that a kill costs the trial little; people's clients wait longer, which is another trial."""
GAMES: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("robby-solo", {"max_rounds": 4, "time": "blitz"}),
    ("tresor-diebe", {"rounds": 1, "time": "blitz"}),
    ("wild-wild-pattern", {"rounds": 1}),
)
"""What is played at the tables, in turn, with its options."""
THINK = 0.05
"""Seconds that a bot thinks at most."""
MOST_SECONDS = 3.0
"""Between the server's listening and the next kill, at most: some hit the coming back, most the games."""
KEPT = 100_000
"""Journals and records: more than quick bots play in hundreds of kills."""
LAST_GAMES = 180.0
"""Seconds in which the games that run at the end must be over."""


class Input(NamedTuple):
    """An answer that the server said ok to."""

    match: str
    seat: int
    decision: int
    action: Any


@dataclass
class Log:
    """What all players together were told."""

    acknowledged: list[Input] = field(default_factory=list)
    unsure: int = 0
    ended: set[str] = field(default_factory=set)
    comebacks: int = 0
    away: list[float] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)
    more: bool = True  # whether a new match is started after one that ended


class Player:
    """One client that answers whatever it is asked, and gets ready for the next match. The first of a table hosts."""

    def __init__(self, number: int, port: int, log: Log, host: bool) -> None:
        self.client = Client(tcp(Address("127.0.0.1", port)), LoginPlan(name=f"Robber {number}"), timings=QUICK)
        self.log = log
        self.host = host
        self.killed_at: float | None = None
        self.ended: Ended | None = None
        self._rng = random.Random(number)
        self._changed = trio.Event()

    async def run(self) -> None:
        """Live until stopped."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.client.run)
            nursery.start_soon(self._play)
            async for event in self.client.events:
                if isinstance(event, Connected):
                    self.log.comebacks += event.resumed
                    if self.killed_at is not None:
                        self.log.away.append(trio.current_time() - self.killed_at)
                        self.killed_at = None
                elif isinstance(event, Ended):
                    self.ended = event
                    nursery.cancel_scope.cancel()
                self._changed.set()
                self._changed = trio.Event()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds of this client."""
        while not holds():
            assert self.ended is None, self.ended
            await self._changed.wait()

    async def _play(self) -> None:
        while True:
            changed = self._changed
            try:
                acted = await self._step()
            except NotConnected as lost:
                self.log.unsure += lost.unsure
                acted = False
            except Refused as refused:
                self.log.refused[refused.code] = self.log.refused.get(refused.code, 0) + 1
                acted = False
                with trio.move_on_after(0.2):
                    await changed.wait()
            if not acted:
                await changed.wait()

    async def _step(self) -> bool:
        """Do one thing, if there is something to do."""
        client, table, game = self.client, self.client.world.table, self.client.world.game
        if not client.connected or table is None or client.world.seat is None:
            return False
        if table.phase == "playing":
            if game is None or game.decision is None or game.match != table.match:
                return False
            return await self._answer()
        if table.phase == "finished" and table.match is not None:
            self.log.ended.add(table.match)
            if not self.log.more:
                return False
        if not self.host:
            if table.seats[client.world.seat].ready:
                return False
            await client.call(TableReady, ready=True)
            return True
        if len(table.seats) == SEATS and all(seat.ready for seat in table.seats[1:]):
            await client.call(TableStart)
        return False

    async def _answer(self) -> bool:
        await trio.sleep(self._rng.random() * THINK)
        game, seat = self.client.world.game, self.client.world.seat
        if game is None or game.decision is None or seat is None:
            return True
        match, decision = game.match, game.decision.id
        # Confirming often, so that games end.
        legal = [action for action in game.decision.legal if not isinstance(action, Reveal)]
        if not legal:
            return False  # a Gentleman, who lets the others think
        confirm = [action for action in legal if type(action).__name__ == "Confirm"]
        action: Struct = confirm[0] if confirm and self._rng.random() < 0.7 else self._rng.choice(legal)
        await self.client.act(action, decision=decision)
        self.log.acknowledged.append(Input(match, seat, decision, codec.plain(action)))
        return True


async def kills(count: int, *, tables: int, seed: int = 25) -> Measured:
    """Kill the server `count` times at random instants; see that nothing acknowledged is lost and every game ends."""
    rng = random.Random(seed)
    log = Log()
    with tempfile.TemporaryDirectory() as place, Served("--quiet", "--config", _config(Path(place))) as served:
        async with trio.open_nursery() as nursery:
            players = [Player(number, served.port, log, number % SEATS == 0) for number in range(tables * SEATS)]
            for player in players:
                nursery.start_soon(player.run)
            for table in range(tables):
                await _sit(players[table * SEATS : (table + 1) * SEATS], *GAMES[table % len(GAMES)])
            early = stops = 0
            killed = 0
            while killed < count:
                if rng.random() < 0.1:
                    early += await _killed_while_starting(served, rng)
                    killed += 1
                    continue
                await trio.sleep(rng.uniform(0.0, MOST_SECONDS))
                if rng.random() < 0.1:
                    stops += await _stopped_in_order(served)  # besides, and not counted as a kill
                else:
                    _kill_now(served, players)
                    killed += 1
                await trio.to_thread.run_sync(served.start)
            log.more = False
            with trio.fail_after(LAST_GAMES):
                for player in players:
                    await player.until(lambda player=player: _over(player))  # type: ignore[misc]
            verified = await _records(players, log.ended)
            for player in players:
                player.client.stop()
        served.stop()
        lost, ended = await _compare(served.folder, log)
        kept = verify_folder(served.folder)
    assert not kept.failed, kept.failed
    assert not lost, f"acknowledged and lost: {lost[:3]}"
    assert log.acknowledged, "nothing was played"
    assert log.comebacks >= count, f"{log.comebacks} come-backs"
    figures = [
        f"kills: {killed} ({early} while it started), stops in order: {stops}",
        f"inputs acknowledged: {len(log.acknowledged)}; inputs lost: {len(lost)}; answer unknown: {log.unsure}",
        f"games ended: {dict(ended)}; records verified: {verified} asked for, {len(kept.held)} on disk",
        f"come-backs: {log.comebacks}, p99 {percentile(log.away, 99):.1f} s after the kill",
        f"refused: {log.refused}",
    ]
    return Measured(count, "; ".join(figures))


def _config(place: Path) -> str:
    """A configuration by which no journal and no record goes before it is compared."""
    path = place / "robby.toml"
    path.write_text(f"[store]\nended_matches = {KEPT}\nrecords = {KEPT}\n")
    return str(path)


def _kill_now(served: Served, players: list[Player]) -> None:
    served.kill()
    for player in players:
        player.killed_at = trio.current_time()


async def _killed_while_starting(served: Served, rng: random.Random) -> int:
    """Kill it before it listens, perhaps while it takes up its tables."""
    served.kill()
    await trio.to_thread.run_sync(served.launch)
    await trio.sleep(rng.uniform(0.2, 1.2))
    served.kill()
    await trio.to_thread.run_sync(served.start)
    return 1


async def _stopped_in_order(served: Served) -> int:
    """SIGTERM instead, which must lose as little."""
    await trio.to_thread.run_sync(served.stop)
    assert served.process.returncode == 0, served.process.returncode
    return 1


async def _sit(players: list[Player], game: str, options: Mapping[str, Any]) -> None:
    host, *others = players
    with trio.fail_after(30):
        for player in players:
            await player.until(lambda player=player: player.client.connected)  # type: ignore[misc]
        made = await host.client.call(TableCreate, game=game, capacity=SEATS, options=dict(options))
        for other in others:
            await other.client.call(TableJoin, table=made["table"])


def _over(player: Player) -> bool:
    table = player.client.world.table
    return table is not None and table.phase == "finished" and player.client.connected


async def _records(players: list[Player], matches: set[str]) -> int:
    """Ask for the record of each match that was seen to end, and check it; those of one's own alone can be had."""
    verified = 0
    for match in sorted(matches):
        player = next(one for one in players if (table := one.client.world.table) and match.startswith(table.table))
        got = await player.client.call(RecordGet, match=match)
        examined = examine(got["record"])
        assert examined.holds, (match, examined.checks)
        verified += 1
    return verified


async def _compare(folder: Path, log: Log) -> tuple[list[Input], Counter[str]]:
    """Inputs that are not in the store, and how many of its matches have ended. Every match must be playable."""
    store = SqliteStore(folder, inline=True)
    await store.load()
    assert not await store.matches(), "a match has not ended"
    kept: dict[str, set[tuple[int, int, bytes]]] = {}
    ended: Counter[str] = Counter()
    for match in {one.match for one in log.acknowledged}:
        entries = await store.read(match)
        kept[match] = {(one.seat, one.decision, _bytes(one.action)) for one in entries if isinstance(one, Act)}
        played = replay(entries)
        ended[played.start_entry.game] += played.result() is not None
    await store.close()
    assert ended.total() == len(kept), f"{len(kept) - ended.total()} matches without an end"
    lost = [one for one in log.acknowledged if (one.seat, one.decision, _bytes(one.action)) not in kept[one.match]]
    return lost, ended


def _bytes(action: Any) -> bytes:
    """An action as the wire has it, where lists and tuples are one."""
    return msgspec.msgpack.encode(action, order="sorted")
