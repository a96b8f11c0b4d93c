"""What scripts/wild-games does: games between bots on the rules alone, and what came of them; see there."""

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the games are in `tests`, which is not installed

from tests.sim.wild_games import Figures, play_many  # noqa: E402 - needs the path above

from robby_bots.registry import BOTS  # noqa: E402
from robby_games.wild_wild_pattern import NAME  # noqa: E402


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/wild-games")
    parser.add_argument("--games", type=int, default=1_000, help="by 2, 3 and 4 players each (1000)")
    names = ", ".join(BOTS[NAME])
    parser.add_argument("--bots", default="greedy", metavar="NAME,NAME…", help=f"taken in turn: {names}")
    parser.add_argument("--seed", default="wild")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args(arguments)
    bots = tuple(given.bots.split(","))
    if given.games < 1 or not set(bots) <= set(BOTS[NAME]):
        parser.error(f"--games must be above zero, and --bots among {names}")
    began = time.monotonic()
    with multiprocessing.Pool(given.processes) as pool:
        for seats in (2, 3, 4):
            figures = Figures()
            tasks = [(seats, bots, f"{given.seed} {seats} {number}") for number in range(given.games)]
            try:
                for one in pool.imap_unordered(play_many, tasks, chunksize=8):
                    figures.add(one)
            except AssertionError as error:
                print(f"{seats} players: a card or a coin was lost or made: {error!r}", file=sys.stderr)
                return 1
            report(seats, figures)
    print(f"47 cards and 35 coins at every step; {time.monotonic() - began:.0f} s")
    return 0


def report(seats: int, figures: Figures) -> None:
    """The figures of one number of players."""
    print(f"{seats} players: {figures.games:,} games, {figures.steps:,} steps")
    print(f"  turns in a round    {spread(figures.turns)}")
    print(f"  due to a seat, $    {spread(figures.dues)}")
    empty = sum(figures.empty.values())
    rounds = ", ".join(f"round {number}: {count}" for number, count in sorted(figures.empty.items()))
    share = f"{figures.last / empty:.0%} of it in the last round; {rounds}" if empty else "-"
    print(f"  bank empty          {empty / figures.games:.1%} of games ({share})")
    print(f"  declarations        {shares(figures.verdicts)}")
    print(f"  ends                {shares(figures.ends)}")


def spread(counts: Counter[int]) -> str:
    """Mean, least and most, and how often each."""
    total = counts.total()
    if not total:
        return "-"
    mean = sum(value * count for value, count in counts.items()) / total
    each = " ".join(f"{value}:{count / total:.1%}" for value, count in sorted(counts.items()))
    return f"mean {mean:.2f}, from {min(counts)} to {max(counts)}   {each}"


def shares(counts: Counter[str]) -> str:
    """Each kind's number, the most frequent first."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.most_common())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
