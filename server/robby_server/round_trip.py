"""How long a connection's round trip is, for the credit that its answers get in a race.

Pure: it is told when each ping left and each pong arrived, in seconds on trio's clock. Nothing that a peer says is
taken for true but which ping it answers; so all that a peer can do is to answer late, and what that gains is capped.
"""

from collections import OrderedDict, deque

_PINGS = 32
"""Pings that may wait for their pongs. An answer to an older one would be so late that it says nothing."""
_MEASURED = 128
"""Measurements that are kept; more than a window of usual length holds."""


class RoundTrip:
    """The measurements of one connection.

    window: for how many seconds one counts. cap: the most credit there is, in seconds.
    """

    def __init__(self, window: float, cap: float) -> None:
        self._window = window
        self._cap = cap
        self._left: OrderedDict[int, float] = OrderedDict()
        self._measured: deque[tuple[float, float]] = deque(maxlen=_MEASURED)

    def left(self, ping: int, at: float) -> None:
        """A ping is on its way, now and not since somebody wanted to send it."""
        self._left[ping] = at
        if len(self._left) > _PINGS:
            self._left.popitem(last=False)

    def answered(self, ping: int, at: float) -> None:
        """A pong has arrived. One that answers no ping that is out, or the same again, measures nothing."""
        left = self._left.pop(ping, None)
        if left is not None:
            self._measured.append((at, at - left))

    def credit(self, now: float, kernel: float | None) -> float:
        """Seconds of credit: the least round trip measured of late, and never more than the kernel's own least (None:
        not known) or the cap. 0 while nothing is measured, so that silence gains nothing."""
        recent = [seconds for at, seconds in self._measured if now - at <= self._window]
        if not recent:
            return 0.0
        least = min(recent)
        return max(0.0, min(least, self._cap if kernel is None else min(self._cap, kernel)))
