"""Which key presses may act. Knows no widgets and no game.

A press belongs to what was on the screen when it was made. Two things would break that: a press that comes just
as the screen changes, and a key held down across a change, which the terminal repeats as if it were pressed anew.
"""

import time
from collections.abc import Callable, Hashable

SETTLE = 0.15
"""Seconds after the screen asks something of another kind in which keys do nothing: nobody reads faster than that."""
RACE_SETTLE = 0.1
"""The same where the first press counts: whoever has waited for it needs no time to read."""
HELD = 0.7
"""Seconds within which the same key after a change counts as still held: no keyboard's first repeat takes longer."""


class Presses:
    """Judges key presses by what was asked when they were made.

    settle, held: seconds; see SETTLE and HELD. now: the clock by which the terminal's events are stamped.
    """

    def __init__(self, settle: float = SETTLE, held: float = HELD, now: Callable[[], float] = time.monotonic) -> None:
        self.settle = settle
        self.held = held
        self._now = now
        self._context: Hashable = None
        self._changed_at = float("-inf")
        self._race = False
        self._last: dict[str, tuple[float, Hashable]] = {}

    def moved(self, context: Hashable, *, own: bool = False, race: bool = False) -> None:
        """The screen now asks this. The same context again changes nothing.

        own: the person's own key opened it, so keys pressed right after that one are meant for it. race: the first
        press counts.
        """
        if context != self._context:
            self._context = context
            self._race = race
            self._changed_at = float("-inf") if own else self._now()

    def admit(self, key: str, at: float) -> bool:
        """Whether a key pressed at this moment may act."""
        before = self._last.get(key)
        held = before is not None and at - before[0] < self.held and before[1] != self._context
        # A held key stays bound to where it was first pressed, however long it is held.
        self._last[key] = (at, before[1] if held and before is not None else self._context)
        return not held and at >= self._settled_at

    def forget(self, key: str) -> None:
        """The key only moved about: pressed again it may decide something else at once."""
        self._last.pop(key, None)

    def settled(self) -> bool:
        """Whether what is asked has been on the screen long enough to be answered; for the mouse."""
        return self._now() >= self._settled_at

    @property
    def _settled_at(self) -> float:
        return self._changed_at + (min(self.settle, RACE_SETTLE) if self._race else self.settle)
