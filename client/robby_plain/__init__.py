"""The game as lines of text and numbered choices: for screen readers, dumb terminals and scripts.

No cursor control, no colour, nothing overwritten: new information comes on new lines, and only what has changed.
Knows no server, no rules and no screens.
"""

from robby_plain.start import run

__all__ = ["run"]
