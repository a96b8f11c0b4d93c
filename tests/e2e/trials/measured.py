"""What a trial reports, and small arithmetic on measurements."""

from collections.abc import Sequence
from dataclasses import dataclass


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
