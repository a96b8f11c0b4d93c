"""Run seeds, in as many processes as there are cores, and say what came of them."""

import logging
import traceback
from collections import Counter
from dataclasses import dataclass

from robby_server.log import set_up_logging
from tests.sim.deterministic import run
from tests.sim.invariants import Findings, check
from tests.sim.town import Plan, Town


@dataclass(frozen=True)
class Outcome:
    """What came of one seed. failure: the traceback, None if all invariants held."""

    seed: int
    findings: Findings | None
    failure: str | None


def evening(seed: int, plan: Plan | None = None) -> Town:
    """Run one seed to its end."""

    async def main() -> Town:
        town = Town(seed, plan or plan_of(seed))
        await town.run()
        return town

    return run(seed, main)


def plan_of(seed: int) -> Plan:
    """What a seed does if nothing else is said: every third without kills, every fifth in good weather."""
    from tests.sim.network import CALM, Weather

    return Plan(
        tables=12 + seed % 5,
        matches=40,
        kills=0 if seed % 3 == 0 else 1 + seed % 4,
        weather=CALM if seed % 5 == 0 else Weather(),
    )


def attempt(seed: int) -> Outcome:
    """Run one seed and catch whatever it makes of it."""
    set_up_logging(level=logging.CRITICAL)
    try:
        return Outcome(seed, check(evening(seed)), None)
    except BaseException as problem:
        if isinstance(problem, KeyboardInterrupt):
            raise
        return Outcome(seed, None, "\n".join(reasons(problem)))


def total(outcomes: list[Outcome]) -> Counter[str]:
    """All figures together."""
    figures: Counter[str] = Counter()
    for outcome in outcomes:
        if outcome.findings is not None:
            found = outcome.findings
            figures += Counter(games=found.games, accepted=found.accepted, audited=found.audited, missed=found.missed)
            figures += Counter(found.faults) + Counter(found.kinds)
    return figures


def reasons(problem: BaseException) -> list[str]:
    """What went wrong and where, of all exceptions in a group; those that only followed from it left out."""
    if isinstance(problem, BaseExceptionGroup):
        found = [reason for one in problem.exceptions for reason in reasons(one)]
        return list(dict.fromkeys(found))
    places = [
        frame
        for frame in traceback.extract_tb(problem.__traceback__)
        if "robby" in frame.filename or "sim" in frame.filename
    ]
    place = "".join(f" ({frame.filename.rpartition('/')[2]}:{frame.lineno})" for frame in places[-1:])
    return [f"{type(problem).__name__}{place}: {problem}"]
