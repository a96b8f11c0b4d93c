"""Foreign text made harmless for a terminal, and cut and padded by cells.

Names, titles and texts of other people may hold control sequences, marks that turn the direction of writing, or
characters that nobody sees. They are made visible, as `\\x1b` or `\\u202e`, never sent to a terminal as they are. The
one exception is the joiner within an emoji that is made of several.
"""

import unicodedata
from functools import lru_cache

from wcwidth import wcswidth, wcwidth

_MOST_MARKS = 3
"""Combining marks kept on one character; real writing needs up to three, more only smears over other lines."""
_HIDDEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks by category that show nothing all the same."""
_JOINER = "\u200d"
_EMOJI_MARKS = frozenset("\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""What may stand between an emoji and the joiner: the sign for colour, and the skin tones."""
_ELLIPSIS = "…"


@lru_cache(maxsize=4096)
def safe(text: str) -> str:
    """The text with every control, format, invisible or direction character made visible as an escape."""
    out: list[str] = []
    marks = 0
    for at, char in enumerate(text):
        category = unicodedata.category(char)
        if category in ("Mn", "Me", "Mc") or (category == "Lo" and wcwidth(char) == 0):
            marks += 1
            if marks > _MOST_MARKS:
                continue
        else:
            marks = 0
        # Cc control, Cf format (bidi, zero width, tags), Cs surrogate, Co private, Cn unassigned, Zl and Zp line ends.
        if char == _JOINER and _joins(text, at):
            out.append(char)
        elif category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or char in _HIDDEN:
            out.append(_escaped(char))
        elif category == "Zs":
            out.append(" ")
        else:
            out.append(char)
    return "".join(out)


def _joins(text: str, at: int) -> bool:
    """Whether the joiner at this place makes one emoji of the two beside it."""
    before = at - 1
    while before >= 0 and text[before] in _EMOJI_MARKS:
        before -= 1
    after = text[at + 1 : at + 2]
    return before >= 0 and all(char and unicodedata.category(char) == "So" for char in (text[before], after))


def _escaped(char: str) -> str:
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def cells(text: str) -> int:
    """How many cells a harmless text takes in a terminal."""
    width = wcswidth(text)
    return width if width >= 0 else sum(max(0, wcwidth(char)) for char in text)


def fit(text: str, width: int) -> str:
    """The text made harmless, cut to at most this many cells; a cut is shown by an ellipsis."""
    text = safe(text)
    if cells(text) <= width:
        return text
    if width < 1:
        return ""
    # What takes no cell is at most three marks on a character, so no more than this can be kept.
    kept = text[: (_MOST_MARKS + 1) * width]
    while kept and cells(kept) > width - 1:
        kept = kept[:-1]
    return kept.rstrip(_JOINER) + _ELLIPSIS


def pad(text: str, width: int) -> str:
    """The text made harmless, cut or filled with spaces to exactly this many cells."""
    text = fit(text, width)
    return text + " " * (width - cells(text))
