"""The numbers of choices: they go on counting from one question to the next.

A person, or a script, may answer a question at the very moment in which another takes its place. Since the new
question's choices have other numbers, an answer that comes late is known as such and is never applied to the new one.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

T = TypeVar("T")

LAST = 9_999
"""Then the numbers begin at 1 again: longer ones are a nuisance to type, and hundreds of questions lie between."""


class Answer(Enum):
    """What a number may be besides a choice of the open question."""

    STALE = "stale"
    """It belonged to an earlier question."""
    UNKNOWN = "unknown"
    """It has not been offered lately."""


@dataclass(frozen=True)
class Choice(Generic[T]):
    """value: what is chosen. label: as it is said."""

    value: T
    label: str


class Numbers(Generic[T]):
    """The open question's choices by number."""

    def __init__(self) -> None:
        self.key: Hashable = None
        """What the open question is about, to tell whether it is the same as one to be asked; None: none is open."""
        self.open: dict[int, Choice[T]] = {}
        self._stale: set[int] = set()
        self._next = 1

    def ask(self, key: Hashable, choices: Sequence[Choice[T]]) -> dict[int, Choice[T]]:
        """Open a question in the place of the one before. Returns its choices by number."""
        self.close()
        self.key = key
        for choice in choices:
            self.add(choice, room=len(choices))
        return self.open

    def add(self, choice: Choice[T], room: int = 1) -> int:
        """One more choice for the open question. Returns its number. room: how many are to follow in one row."""
        if not self.open and self._next + room - 1 > LAST:
            self._next = 1
        while self._next in self.open:
            self._next = self._next % LAST + 1
        number = self._next
        self.open[number] = choice
        self._stale.discard(number)
        self._next = number % LAST + 1
        return number

    def close(self) -> None:
        """Nothing is asked any more; the numbers so far are old."""
        self._stale.update(self.open)
        self.open = {}
        self.key = None

    def look_up(self, number: int) -> Choice[T] | Answer:
        """What a typed number means now."""
        found = self.open.get(number)
        if found is not None:
            return found
        return Answer.STALE if number in self._stale else Answer.UNKNOWN
