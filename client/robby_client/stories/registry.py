"""Every game's story, by the game's name, and what can be said of a table whatever its game."""

from collections.abc import Iterable
from difflib import get_close_matches

from robby_client.safe import fit, safe
from robby_client.stories.base import Story
from robby_client.stories.robby_solo import RobbySoloStory
from robby_client.stories.tresor_diebe import TresorDiebeStory
from robby_client.stories.wild_wild_pattern import WildWildPatternStory
from robby_protocol.i18n import _
from robby_protocol.messages import TableInfo

NEAR = 0.4
"""How alike a mistyped name must be to be asked back, from 0 to 1: half of a name is enough."""
LONGEST_SHOWN = 40
"""Columns of what was typed that are repeated; no game's name is as long."""

STORIES: dict[str, Story] = {
    story.game: story for story in (RobbySoloStory(), TresorDiebeStory(), WildWildPatternStory())
}


class UnknownGameError(ValueError):
    """No such game; str() is a sentence that names the nearest and all."""


def game_named(text: str, games: Iterable[str] = STORIES) -> str:
    """The game that is meant, in any case, with spaces or underscores for the hyphens. Raises UnknownGameError.

    games: those that can be had.
    """
    known = list(games)
    wanted = text.strip().casefold().replace(" ", "-").replace("_", "-")
    if wanted in known:
        return wanted
    begun = [name for name in known if wanted and name.startswith(wanted)]
    near = begun or get_close_matches(wanted, known, n=1, cutoff=NEAR)
    named = {"game": fit(text, LONGEST_SHOWN), "known": ", ".join(known)}
    if near:
        text = _("There is no game {game}. Do you mean {near}? There are: {known}.")
        raise UnknownGameError(text.format(near=near[0], **named))
    raise UnknownGameError(_("There is no game {game}. There are: {known}.").format(**named))


def game_title(game: str) -> str:
    """A game's name for people; one that is not known here as the server calls it."""
    story = STORIES.get(game)
    return safe(game) if story is None else story.title


def option_summary(table: TableInfo) -> str:
    """A table's options in a few words."""
    story = STORIES.get(table.game)
    options = None if story is None else story.typed_options(table.options)
    return _("unknown options") if story is None or options is None else story.option_summary(options)


def option_lines(table: TableInfo) -> list[str]:
    """A table's options, one line each; none that this client does not understand."""
    story = STORIES.get(table.game)
    options = None if story is None else story.typed_options(table.options)
    return [] if story is None or options is None else story.option_lines(options)
