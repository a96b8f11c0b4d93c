"""How the players are told apart on the board: a shape and a colour each. Knows no widgets."""

from robby_tui.signs import BANK_COLORS, INK

SHAPES = "●▲■◆"
"""By seat; each is one cell wide and has a stand-in in `terminal`."""


def shape(seat: int) -> str:
    """A player's shape."""
    return SHAPES[seat % len(SHAPES)]


def colour(seat: int) -> str:
    """The style of a player's shape on the window's ground."""
    return f"bold {BANK_COLORS[seat % len(SHAPES)]}"


def block(seat: int) -> str:
    """The style of text on a player's colour."""
    return f"bold {INK} on {BANK_COLORS[seat % len(SHAPES)]}"
