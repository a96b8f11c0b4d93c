"""Run simulated evenings in all processors and tell their figures; exit code 1 if a seed failed."""

import argparse
import multiprocessing
import os
import resource
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the simulation is in `tests`, which is not installed

from tests.sim.simulate import Outcome, attempt, total  # noqa: E402 - needs the path above


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/simulate")
    parser.add_argument("--seeds", default="0-29", metavar="FIRST-LAST")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args(arguments)
    try:
        first, last = (int(part) for part in given.seeds.split("-"))
    except ValueError:
        parser.error("--seeds takes two numbers, such as 0-99")
    began = time.monotonic()
    outcomes: list[Outcome] = []
    with multiprocessing.Pool(given.processes) as pool:
        for outcome in pool.imap_unordered(attempt, range(first, last + 1)):
            outcomes.append(outcome)
            if outcome.failure is not None:
                print(f"seed {outcome.seed} FAILED\n{outcome.failure}", flush=True)
        pool.close()
        pool.join()  # only then is their processor time known
    seconds = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = used.ru_utime + used.ru_stime
    figures = total(outcomes)
    print(", ".join(f"{name} {count:,}" for name, count in sorted(figures.items())))
    print(
        f"{len(outcomes)} seeds in {seconds:.0f} s: {figures['games'] / seconds * 60:,.0f} games a minute, "
        f"{figures['games'] / processor * 60:,.0f} a minute of one processor's time"
    )
    failed = sorted(outcome.seed for outcome in outcomes if outcome.failure is not None)
    for seed in failed:
        print(f"again: scripts/simulate --seeds {seed}-{seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
