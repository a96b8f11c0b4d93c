"""The games of the plain client, by name."""

from robby_plain.games import GameTexts
from robby_plain.robby_solo import RobbySoloTexts
from robby_plain.tresor_diebe import TresorDiebeTexts
from robby_plain.wild_wild_pattern import WildWildPatternTexts

TEXTS: dict[str, GameTexts] = {
    texts.story.game: texts for texts in (RobbySoloTexts(), TresorDiebeTexts(), WildWildPatternTexts())
}


def spoken(text: str) -> str:
    """A text as it is said in lines: without the signs for the eye that any of the games has."""
    for texts in TEXTS.values():
        text = texts.spoken(text)
    return text
