"""Notices that lie over a screen for a moment.

Textual reckons the time that one still has when it draws it, by the wall clock. Where none is left by then, as on a
busy machine or when the clock is set, its timer gets a negative interval and never ends: nothing else is done any more.
"""

import time
from dataclasses import dataclass, field

from textual.notifications import Notification

SHORTEST = 0.01
"""Seconds that a notice lies there at least, once it is drawn."""


@dataclass
class Toast(Notification):
    """A notice whose time runs by a clock that nobody sets, and is never less than none."""

    raised_at: float = field(default_factory=time.monotonic)

    @property
    def time_left(self) -> float:
        """Seconds until it goes; always some."""
        return max(SHORTEST, self._left)

    @property
    def has_expired(self) -> bool:
        """Whether it needs not be drawn any more."""
        return self._left <= 0

    @property
    def _left(self) -> float:
        return self.raised_at + self.timeout - time.monotonic()
