"""The bots of the flood trial, in a process of their own so that nothing else in it can slow them down.

    python -m tests.e2e.trials.flood_bots PORT TABLES SEATS ROUNDS THINK

Sits down at the tables and says so; then for each line on standard input plays one game at every table at once and
prints one JSON object: how many games ended, how many answers there were, and how long they took.
"""

import json
import random
import sys

import trio

from tests.e2e.trials.measured import percentile
from tests.e2e.trials.tables import LATE, begin, check_whole, choose, people, sit
from tests.e2e.trials.wire import Wire


async def _play(player: Wire, rng: random.Random, think: float, waits: list[float]) -> None:
    done: tuple[str, int] | None = None
    while player.state["phase"] != "finished":
        decision = player.decision
        if decision is None or (player.update["match"], decision["id"]) == done:
            await player.news.wait()
            continue
        done = (player.update["match"], decision["id"])
        action = choose(player, rng)
        if action is None:
            continue
        await trio.sleep(rng.uniform(0.5, 1.5) * think)
        began = trio.current_time()
        request = await player.ask("game.act", **player.act_fields(action))
        code = await player.code(request)
        waits.append(player.answer_at[request] - began)
        if code != "ok" and code not in LATE:
            raise AssertionError(f"an answer was refused: {code}")


async def _game(players: list[Wire], number: int, think: float, waits: list[float], ended: list[int]) -> None:
    for player in players:
        player.sniffed.clear()
    await begin(players)
    async with trio.open_nursery() as nursery:
        for seat, player in enumerate(players):
            nursery.start_soon(_play, player, random.Random(number * 10 + seat), think, waits)
    for player in players:
        check_whole(player)
    ended.append(number)


async def main(port: int, tables: int, seats: int, rounds: int, think: float) -> None:
    """Play until standard input ends."""
    async with trio.open_nursery() as nursery:
        seated = []
        for _ in range(tables):
            players = await people(nursery, port, seats)
            await sit(players, options={"max_rounds": rounds})
            seated.append(players)
        print(json.dumps({"ids": [players[0].state["table"] for players in seated]}), flush=True)
        while await trio.to_thread.run_sync(sys.stdin.readline):
            waits: list[float] = []
            ended: list[int] = []
            began = trio.current_time()
            async with trio.open_nursery() as games:
                for number, players in enumerate(seated):
                    games.start_soon(_game, players, number, think, waits, ended)
            told = {
                "games": len(ended),
                "answers": len(waits),
                "seconds": trio.current_time() - began,
                "p50": percentile(waits, 50),
                "p99": percentile(waits, 99),
                "most": max(waits),
            }
            print(json.dumps(told), flush=True)
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    _port, _tables, _seats, _rounds = map(int, sys.argv[1:5])
    trio.run(main, _port, _tables, _seats, _rounds, float(sys.argv[5]))
