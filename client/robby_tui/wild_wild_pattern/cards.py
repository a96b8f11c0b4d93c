"""A card's words and shapes, with the letter that names each attribute as the capital of its word. Knows no widgets."""

from robby_client.stories.wild_wild_pattern import attribute_name
from robby_games.wild_wild_pattern import (
    ATTRIBUTE_LETTERS,
    COLOUR_SHAPES,
    FIRST_COLOUR,
    FIRST_SUIT,
    SUIT_SHAPES,
    attributes_of,
    is_object,
    is_suit,
    target_attribute,
)
from robby_tui.signs import INK
from robby_tui.widgets.lines import Line

COLOURS = ("#ef6461", "#5fa8f5", "#f4cf58", "$foreground 60%", "$foreground")
"""Of the text, in the order of the colours; each stands beside its shape and its word."""
GROUNDS = ("#ef6461", "#5fa8f5", "#f4cf58", "#9aa0aa", "#e8e8e8")
"""Behind dark text."""
PICTURES: tuple[tuple[str, str, str], ...] = (
    ("  ________ ", " /_(o)____|", "/_/  '     "),
    ("   _\\~/_  ", "  /     \\ ", "  \\_____/ "),
    ("  __/\\__  ", "  \\    /  ", "  /_/\\_\\  "),
    ("    ||    ", "   /  \\   ", "   |__|   "),
    ("  .---.   ", " |     |  ", " _|   |_  "),
    ("      .~* ", " ____/    ", "[_TNT_]   "),
    ("  .===.   ", "  )===(   ", "  '==='   "),
    (" .------. ", " |WANTED| ", " |_ :( _| "),
)
"""In the order of the objects; letters and lines alone, so that every terminal shows them."""
PICTURE_CELLS = 11
KEYED = "bold underline"


def shape(attribute: int) -> str:
    """The sign of a colour or a suit; an object has none."""
    if is_object(attribute):
        return ""
    if is_suit(attribute):
        return SUIT_SHAPES[attribute - FIRST_SUIT]
    return COLOUR_SHAPES[attribute - FIRST_COLOUR]


def keyed(attribute: int, style: str = "") -> Line:
    """An attribute's word, its letter as a capital in it: `bOttle`; where the word lacks it before it: `X grey`."""
    word, letter = attribute_name(attribute), ATTRIBUTE_LETTERS[attribute]
    at = word.casefold().find(letter.casefold())
    marked = f"{style} {KEYED}".strip()
    if at < 0:
        return [(letter, marked), (f" {word}", style)]
    return [piece for piece in ((word[:at], style), (letter, marked), (word[at + 1 :], style)) if piece[0]]


def with_shape(attribute: int, style: str = "") -> Line:
    """`● Yellow`, `$ Coin`."""
    return [(f"{shape(attribute)} " if shape(attribute) else "", style), *keyed(attribute, style)]


def target_line(target: int, style: str = "") -> Line:
    """What a target card pays for."""
    return with_shape(target_attribute(target), style)


def colour_style(card: int) -> str:
    """The style of a card's colour on the table's own ground."""
    return COLOURS[attributes_of(card)[1] - FIRST_COLOUR]


def ground_style(card: int) -> str:
    """Dark text on a card's colour."""
    return f"bold {INK} on {GROUNDS[attributes_of(card)[1] - FIRST_COLOUR]}"


def picture_of(card: int) -> tuple[str, str, str]:
    """The object drawn."""
    return PICTURES[attributes_of(card)[0]]
