"""The server's own clock: milliseconds that the server has run in all its lives.

Matches are timed by it, so the time in which there was no server costs nobody. Wall clocks play no part. Knows trio's
clock and a number to begin with; that the number is kept is the business of `app`.
"""

import trio


class ServerClock:
    """Counts on from `began_ms`, what the clock showed when it was last recorded, at the moment of making."""

    def __init__(self, began_ms: int = 0) -> None:
        self._base = began_ms
        self._began = trio.current_time()

    def now_ms(self) -> int:
        """What it shows now."""
        return self.ms(trio.current_time())

    def ms(self, at: float) -> int:
        """What it shows at a moment of trio's clock."""
        return self._base + round((at - self._began) * 1000)
