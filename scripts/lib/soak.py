"""Run the trials of the failure kinds in full size.

Arguments: rows (PR-05 …) or names (kill …), or none for all; --list shows them. A name may be followed by what to
change of its sizes: `kill count=60 tables=10`.
"""

import logging
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # the trials are in `tests`, which is not installed

from tests.e2e.trials.registry import TRIALS, Trial  # noqa: E402 - needs the path above

from robby_server.log import set_up_logging  # noqa: E402


def main(arguments: list[str]) -> int:
    if "--list" in arguments:
        for trial in TRIALS:
            name = f" ({trial.name})" if trial.name else ""
            print(f"{trial.row}{name}  {trial.title}: {trial.expected}")
        return 0
    sizes = {key: int(value) for key, equals, value in (one.partition("=") for one in arguments) if equals}
    rows = {argument.upper() for argument in arguments if "=" not in argument}
    unknown = rows - {trial.row for trial in TRIALS} - {trial.name.upper() for trial in TRIALS}
    if unknown:
        print(f"There is no trial of {', '.join(sorted(unknown))}. See scripts/soak --list.", file=sys.stderr)
        return 2
    # What servers in this process log is not what was asked for; those that are processes keep their own logs.
    set_up_logging(level=logging.CRITICAL)
    failed = 0
    for trial in TRIALS:
        if not rows or rows & {trial.row, trial.name.upper()}:
            failed += not run(replace(trial, sizes={**trial.sizes, **sizes}))
    print(f"\n{failed} FAILED" if failed else "\nAll OK")
    return 1 if failed else 0


def run(trial: Trial) -> bool:
    """Run one trial and print its line."""
    began = time.monotonic()
    print(f"{trial.row}  {trial.title} …", flush=True)
    try:
        measured = trial.run()
    except Exception as problem:  # noqa: BLE001 - whatever the product makes a trial raise is a failure of this trial
        for line in reasons(problem):
            print(f"       {line}")
        print(f"       expected: {trial.expected}\n       FAILED after {time.monotonic() - began:.0f} s", flush=True)
        return False
    print(f"       rounds: {measured.rounds}; measured: {measured.figures}")
    print(f"       expected: {trial.expected}\n       OK after {time.monotonic() - began:.0f} s", flush=True)
    return True


def reasons(problem: BaseException) -> list[str]:
    """What went wrong, and where in the trials, out of all groups."""
    if isinstance(problem, BaseExceptionGroup):
        return [line for one in problem.exceptions for line in reasons(one)]
    places = [frame for frame in traceback.extract_tb(problem.__traceback__) if "trials" in frame.filename]
    place = f" ({Path(places[-1].filename).name}:{places[-1].lineno})" if places else ""
    return [f"{type(problem).__name__}: {problem}{place}"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
