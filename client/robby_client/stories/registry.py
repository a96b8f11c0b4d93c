"""Every game's story, by the game's name, and what can be said of a table whatever its game."""

from robby_client.safe import safe
from robby_client.stories.base import Story
from robby_client.stories.robby_solo import RobbySoloStory
from robby_protocol.i18n import _
from robby_protocol.messages import TableInfo

STORIES: dict[str, Story] = {story.game: story for story in (RobbySoloStory(),)}


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
