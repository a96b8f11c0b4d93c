"""What the server counts of itself while it works: plain numbers that cost next to nothing where they are counted.

`metrics` turns them into what a collector reads, `admin` into what an operator reads. Nothing here says who did what:
no name, address, card or secret is ever counted by.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

ANSWER_BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Seconds. An answer takes about a millisecond; a tenth of a second is what a person begins to feel."""
COMMIT_BOUNDS = (0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""Seconds. Memory takes microseconds, a good disk that is made to keep its word a few milliseconds."""
LAG_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""Seconds by which the loop comes late."""


class Durations:
    """How many durations were at most so long. bounds: seconds, growing; the last count is of those beyond all."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0
        self.most = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.total += seconds
        if seconds > self.most:
            self.most = seconds

    @property
    def count(self) -> int:
        """How many there were."""
        return sum(self.counts)


class Tally:
    """Everything that one server has counted since it began.

    refused: answers and handshakes that were refusals, by code. ended: connections that the server ended, by code.
    turned_away: connections over the limits. answers: from the receipt of a command to its answer. commits: of one
    input of a match. lag: how late the loop was.
    """

    def __init__(self) -> None:
        self.accepted = 0
        self.turned_away = 0
        self.messages_in = 0
        self.messages_out = 0
        self.bytes_in = 0
        self.bytes_out = 0
        self.refused: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.matches_started = 0
        self.matches_finished = 0
        self.matches_broken_off = 0
        self.starts_aborted = 0
        self.answers = Durations(ANSWER_BOUNDS)
        self.commits = Durations(COMMIT_BOUNDS)
        self.lag = Durations(LAG_BOUNDS)
