"""Foreign text on a grid of cells: made harmless, cut and padded as the screen library measures it. Knows no widgets.

Names and titles may hold any script. What terminals disagree about (variation selectors, flags, skin tones) is taken
apart here, so that a column stays a column everywhere; controls and invisible characters are `robby_client.safe`'s.
"""

from rich.cells import cell_len, split_graphemes

from robby_client.safe import safe

ELLIPSIS = "…"
_DROPPED = dict.fromkeys([*range(0xFE00, 0xFE10), *range(0x1F3FB, 0x1F400), *range(0xE0100, 0xE01F0)])
"""Variation selectors and skin tones: some terminals widen a character for them, others do not."""
_FLAGS = {code: chr(ord("A") + code - 0x1F1E6) for code in range(0x1F1E6, 0x1F200)}
"""Letters that only together make a flag, in some terminals: shown as letters."""


def plain(text: str) -> str:
    """The text on one line, without anything that steers a terminal or that terminals measure differently."""
    return safe(text.translate(_DROPPED).translate(_FLAGS))


def width(text: str) -> int:
    """How many cells the text takes."""
    return cell_len(text)


def cut(text: str, cells: int) -> str:
    """The harmless text in at most so many cells; a cut one ends with an ellipsis, and no character is cut in two."""
    if cell_len(text) <= cells:
        return text
    if cells <= 0:
        return ""
    taken = end = 0
    for _start, stop, size in split_graphemes(text)[0]:
        if taken + size > cells - 1:
            break
        taken += size
        end = stop
    return text[:end].rstrip() + ELLIPSIS


def fit(text: str, cells: int, align: str = "left") -> str:
    """The harmless text in exactly so many cells. align: `left`, `right` or `center`."""
    text = cut(text, cells)
    gap = max(0, cells - cell_len(text))
    if align == "right":
        return " " * gap + text
    if align == "center":
        return " " * (gap // 2) + text + " " * (gap - gap // 2)
    return text + " " * gap
