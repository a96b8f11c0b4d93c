"""Run simulated races in all processors, print who won how often; exit code 1 if a race is not fair as promised."""

import argparse
import logging
import multiprocessing
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the simulation is in `tests`, which is not installed

from tests.sim.races import CAP_MS, ROUND_TRIPS, TRIALS, Outcome, faults, race, total  # noqa: E402 - as above

from robby_server.log import set_up_logging  # noqa: E402 - needs the path above

CHUNK = 250
"""Races of one seed; the same whatever the number of processes."""
OTHERS = 5
"""The trials after the first get one race of so many: their figures are plain with fewer."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/race")
    parser.add_argument("--races", type=int, default=10_000, help="of the first trial; a fifth of it in the others")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args(arguments)
    if given.races < 1 or given.processes < 1:
        parser.error("--races and --processes take a number from 1 on")
    began = time.monotonic()
    wrong: list[str] = []
    print("round trips:   " + "  ".join(f"{trip * 1000:>5.0f} ms" for trip in ROUND_TRIPS))
    with multiprocessing.Pool(given.processes) as pool:
        for number, trial in enumerate(TRIALS):
            races = given.races if number == 0 else max(1, given.races // OTHERS)
            chunks = [(number, seed, min(CHUNK, races - done)) for seed, done in enumerate(range(0, races, CHUNK))]
            outcome = total(pool.imap_unordered(_chunk, chunks))
            print(f"{trial.says}:")
            print("  share won:   " + "  ".join(f"{outcome.share(racer):8.1%}" for racer in range(len(ROUND_TRIPS))))
            print("  mean credit: " + "  ".join(_credit(outcome, racer) for racer in range(len(ROUND_TRIPS))))
            print(f"  {outcome.raced:,} races, {outcome.drawn:,} between equals; most credit {outcome.most_credit} ms")
            wrong += [f"{trial.name}: {fault}" for fault in faults(trial, outcome)]
    print(f"the cap is {CAP_MS} ms; {time.monotonic() - began:.0f} s")
    for fault in wrong:
        print(f"NOT AS PROMISED: {fault}")
    return 1 if wrong else 0


def _credit(outcome: Outcome, racer: int) -> str:
    return f"{outcome.credit(racer):5.0f} ms" if outcome.entered[racer] else "    late"


def _chunk(given: tuple[int, int, int]) -> Outcome:
    number, seed, races = given
    set_up_logging(level=logging.CRITICAL)
    return race(seed, TRIALS[number], races)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
