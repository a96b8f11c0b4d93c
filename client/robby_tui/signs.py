"""The signs and colours that the table is drawn with. Knows no widgets.

Each sign is one cell wide and has a stand-in in `terminal`. A colour never tells anything alone.
"""

GENTLEMAN = "♛"
BOT = "⚙"
YOU = "▸"
WINNER = "★"
DONE = "✓"
CLASH = "✗"
ARROW = "→"
FACE_DOWN = "▒"
POLICE = "▼"
LINE = "─"

BANK_COLORS: tuple[str, ...] = ("#f4cf58", "#6fd08c", "#ef6461", "#5fa8f5", "#b9bec7", "#c78bea", "#c2b280")
"""In the order of the banks: yellow, green, red, blue, grey, purple, khaki; readable on dark and under dark text."""
INK = "#14161b"
"""Text on a bank's colour."""

MUTED = "$foreground 62%"
GOOD = "$text-success"
ALERT = "$text-warning"
BAD = "bold $text-error"
"""Styles of pieces of text, by theme."""
