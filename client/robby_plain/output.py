"""Lines to a person: harmless, of bounded length, and without signs that a screen reader would spell out."""

from collections.abc import Callable

from robby_client.safe import safe
from robby_plain.registry import spoken

LONGEST_LINE = 2_000
"""Characters of one line; the longest that we say ourselves, a full row of banks, has a few hundred."""


class Printer:
    """Writes lines. write: takes one whole line without its end."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def say(self, text: str, *, literal: bool = False) -> None:
        """Write a text, each of its lines made harmless and without signs for the eye.

        literal: the text is somebody's own: it is one line, and nothing in it is said otherwise.
        """
        for line in [text] if literal else text.split("\n"):
            line = safe(line) if literal else spoken(safe(line))
            if len(line) > LONGEST_LINE:
                line = line[: LONGEST_LINE - 1] + "…"
            self._write(line)
