"""What a trial reports, and small arithmetic on measurements."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import trio


@dataclass(frozen=True)
class Measured:
    """rounds: how often it was tried. figures: what was measured, in words."""

    rounds: int
    figures: str


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which so many percent of the values lie; 0 for none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


async def poll(holds: Callable[[], bool], limit: float) -> bool:
    """Wait until something outside trio holds, such as what another process says; whether it did within the time."""
    with trio.move_on_after(limit):
        while not holds():  # noqa: ASYNC110 - nothing tells us of it
            await trio.sleep(0.05)
        return True
    return False
