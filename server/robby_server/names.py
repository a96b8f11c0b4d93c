"""Which names people may have, and when two names are too much alike to be told apart in a terminal.

A name is taken in its NFKC form. Two names look alike if any of their skeletons are equal: the names with look-alike
characters (Unicode's confusables) and letter case levelled out. Knows nothing of who has which name.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from confusable_homoglyphs import categories, confusables
from wcwidth import wcswidth, wcwidth

from robby_games.registry import GAMES
from robby_protocol.errors import NAME_INVALID, NAME_RESERVED
from robby_protocol.i18n import _

MAX_CELLS = 20
"""Terminal columns: six names fit into the table's picture at 80 columns."""

MAX_CHARACTERS = 40
"""Bounds what stacked combining marks add to a cell."""

MAX_MARKS = 2
"""Combining marks in a row: all living languages manage, and nothing grows over the lines above."""

RESERVED = (
    "server",
    "host",
    "robby",
    "admin",
    "administrator",
    "operator",
    "moderator",
    "system",
    "root",
    "bot",
    "you",
    "me",
    "nobody",
    "everybody",
    "all",
    *(game.title.casefold() for game in GAMES.values()),
    *(word for game in GAMES.values() for word in game.reserved),
)
"""What a reader of the log would take for something other than a person."""

# Categories refused everywhere in a name: control, format (bidi, zero-width), surrogate, private use, unassigned, line
# and paragraph separators. Other spaces than U+0020 become it under NFKC, or are refused as separators.
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

# Characters that take a cell or none and show nothing.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u180b\u180c\u180d\u180f\u17b4\u17b5") | frozenset(
    chr(code) for code in range(0xFE00, 0xFE10)
)

# Scripts that are written together in one language's words.
_TOGETHER = (
    frozenset({"HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"HAN", "HANGUL"}),
    frozenset({"HAN", "BOPOMOFO"}),
)


class BadNameError(ValueError):
    """A name cannot be had. code: name_invalid or name_reserved; reason: a translated sentence with the remedy."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason


def check_name(text: str, reserved: Iterable[str] = ()) -> str:
    """The name as the server will show it.

    Args:
        text: as the person sent it.
        reserved: names refused besides RESERVED (those of the bots); all of them with a number behind, too.

    Raises:
        BadNameError: with the reason for a person.
    """
    if len(text) > MAX_CHARACTERS * 5:  # cheap bound before anything is normalised
        raise BadNameError(NAME_INVALID, _too_long())
    _check_characters(text)
    name = unicodedata.normalize("NFKC", text)
    _check_characters(name)
    if not name.strip():
        raise BadNameError(NAME_INVALID, _("A name cannot be empty. Type at least one letter."))
    if name != name.strip() or "  " in name:
        raise BadNameError(
            NAME_INVALID, _("A name cannot begin or end with a space or have two in a row. Leave those out.")
        )
    cells = wcswidth(name)
    if cells > MAX_CELLS or len(name) > MAX_CHARACTERS:
        raise BadNameError(NAME_INVALID, _too_long())
    if cells < 1 or not any(unicodedata.category(c)[0] in "LN" for c in name):
        raise BadNameError(NAME_INVALID, _("A name needs at least one letter or digit. Add one."))
    _check_marks(name)
    _check_scripts(name)
    if skeletons(_without_number(name)) & _skeletons_of((*RESERVED, *reserved)):
        raise BadNameError(NAME_RESERVED, _("This name means something in the game. Choose another."))
    return name


def skeletons(name: str) -> frozenset[str]:
    """What the name looks like, in the ways that letter case and look-alikes can be levelled out.

    Two names are alike if these sets meet. One set member would not do: in one font *I* is *l*, and yet *i* is *I*.
    """
    name = unicodedata.normalize("NFKC", name)
    folded = _fold(name)
    level = _level(name)
    forms = (folded, level, _level(folded), _fold(level), _level(_fold(level)))
    return frozenset(_squeeze(form) for form in forms)


def _too_long() -> str:
    return _("A name can have at most {cells} columns. Choose a shorter one.").format(cells=MAX_CELLS)


def _check_characters(text: str) -> None:
    for character in text:
        category = unicodedata.category(character)
        if category in _REFUSED or character in _BLANK or (category == "Zs" and character not in " \u00a0\u3000"):
            raise BadNameError(
                NAME_INVALID,
                _("A name cannot have invisible or control characters. Type it anew with letters, digits and spaces."),
            )
        if wcwidth(character) < 0:
            raise BadNameError(NAME_INVALID, _("A name cannot have characters that no terminal shows. Leave them out."))


def _check_marks(name: str) -> None:
    run = 0
    for index, character in enumerate(unicodedata.normalize("NFD", name)):
        if unicodedata.category(character)[0] == "M":
            run += 1
            if run > MAX_MARKS or index == 0:
                raise BadNameError(NAME_INVALID, _("A name cannot pile up accents. Leave some out."))
        else:
            run = 0


def _check_scripts(name: str) -> None:
    scripts = {script for script in map(_script, name) if script not in ("COMMON", "INHERITED")}
    if len(scripts) > 1 and not any(scripts <= family for family in _TOGETHER):
        raise BadNameError(NAME_INVALID, _("A name must keep to one alphabet. Write it in one."))


def _script(character: str) -> str:
    # The package leaves out what it does not know; nothing is known then, so nothing may be mixed with it.
    if unicodedata.category(character)[0] == "M":
        return "INHERITED"
    alias: str = categories.alias(character)
    return alias


def _without_number(name: str) -> str:
    return re.sub(r"[ \d]+$", "", name) or name


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text.casefold())


def _squeeze(text: str) -> str:
    """Spaces, hyphens, dots and the like do not make another name."""
    return "".join(c for c in unicodedata.normalize("NFC", text) if unicodedata.category(c)[0] in "LNMS") or text


@cache
def _skeletons_of(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*(skeletons(name) for name in names))


def _level(text: str) -> str:
    prototypes = _prototypes()
    return unicodedata.normalize("NFC", "".join(prototypes.get(c, c) for c in unicodedata.normalize("NFC", text)))


@cache
def _prototypes() -> dict[str, str]:
    """For each character that looks like another, the text that stands for all that look so.

    The package lists pairs in both directions; the member of a group with the most pairs is its middle.
    """
    data = {
        _bare(key): [_bare(entry["c"]) for entry in entries] for key, entries in confusables.confusables_data.items()
    }
    table: dict[str, str] = {}
    for character, others in data.items():
        if len(character) != 1 or not others:
            continue
        middle = max((character, *others), key=lambda text: (len(data.get(text, ())), -len(text), text))
        if middle != character:
            table[character] = middle
    return table


def _bare(text: str) -> str:
    """Without the direction marks that the list puts around right-to-left characters."""
    return text.strip("\u200e\u200f")


def title_problem(title: str, cells: int) -> str | None:
    """Why a table's title cannot be shown in a terminal, for a person; None if it can."""
    try:
        _check_characters(title)
        _check_marks(title)
    except BadNameError:
        return _("A title cannot have invisible or control characters. Type it anew with letters, digits and spaces.")
    if wcswidth(title) > cells:
        return _("A title can have at most {cells} columns. Choose a shorter one.").format(cells=cells)
    return None
