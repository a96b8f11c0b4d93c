"""Tells a game as it goes, in an order that does not depend on how fast anybody is. Knows no game: its story does.

What several seats do at the same time is held back until the phase is over, and told in the order of the seats.
"""

from collections.abc import Callable, Sequence
from typing import Any

from robby_client.stories.base import Story


class Teller:
    """Events in, lines out. say: takes one line. me: the seat to whom it is told; none: as everybody sees it.
    over: the end of the game has been told."""

    def __init__(self, story: Story, say: Callable[[str], None], me: int | None = None) -> None:
        self.over = False
        self.story = story
        self._say = say
        self._me = me
        self._held: list[Any] = []
        self._telling = story.telling()

    def take(self, events: Sequence[Any], names: Sequence[str]) -> None:
        """Tell the next events of the match."""
        for event in events:
            if self.story.together(event):
                self._held.append(event)
                continue
            held, self._held = self._held, []
            for one in (*sorted(held, key=lambda one: int(one.seat)), event):
                self.tell(one, names)

    def tell(self, event: Any, names: Sequence[str]) -> None:
        """Tell one event, now."""
        if isinstance(event, self.story.over):
            self._end(event, names)
            return
        for line in self._telling(event, names, self._me):
            self._say(line)

    def _end(self, event: Any, names: Sequence[str]) -> None:
        """The last event, every result line by line, and what it is made of."""
        self._say("")
        for line in self._telling(event, names, self._me):
            self._say(line)
        self._say("")
        for score in event.scores:
            place, *parts = self.story.explained(score, names)
            self._say(place)
            for line in parts:
                self._say(f"   {line}")
        self.over = True
