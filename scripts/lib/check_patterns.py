"""What scripts/check-patterns does: the fast pattern checker beside the plain definition on many Wheels; see there."""

import argparse
import multiprocessing
import os
import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the plain definition is in `tests`, which is not installed

from tests.rules.plain_patterns import ASKED, disagreements, random_wheel  # noqa: E402 - needs the path above

AT_ONCE = 5_000
"""Wheels of one task."""
SHOWN = 10


def check(task: tuple[str, int]) -> list[str]:
    """So many random Wheels; what was wrong."""
    seed, count = task
    rng = random.Random(seed)
    return [problem for _wheel in range(count) for problem in disagreements(random_wheel(rng))]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/check-patterns")
    parser.add_argument("--wheels", type=int, default=1_000_000, help="how many (1000000)")
    parser.add_argument("--seed", default="wheels")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args(arguments)
    if given.wheels < 1:
        parser.error("--wheels must be above zero")
    began = time.monotonic()
    starts = range(0, given.wheels, AT_ONCE)
    tasks = [(f"{given.seed} {start}", min(AT_ONCE, given.wheels - start)) for start in starts]
    wrong: list[str] = []
    with multiprocessing.Pool(given.processes) as pool:
        for problems in pool.imap_unordered(check, tasks):
            wrong += problems
    asked = given.wheels * len(ASKED)
    print(f"{given.wheels:,} Wheels, {asked:,} declarations, {len(wrong):,} wrong; {time.monotonic() - began:.0f} s")
    for problem in wrong[:SHOWN]:
        print(problem)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
