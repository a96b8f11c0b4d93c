"""Options of commands that depend on the games: which game, and what can be said of a table in an option of its own.

Loading this loads every game's types, so the command line does so only for a command that needs it. Knows no game.
"""

from collections.abc import Sequence
from typing import Any

import click

from robby_bots.registry import BOTS
from robby_client.options import OptionField, fields_of
from robby_client.stories.base import Story
from robby_client.stories.registry import STORIES, UnknownGameError, game_named
from robby_protocol.i18n import _

DEFAULT_GAME = next(iter(STORIES))
DEFAULT_PLAYERS = 4
"""Enough for every game, and where most are best."""


class GameName(click.ParamType[str]):
    """A game by its name in the protocol; in any case, with spaces or underscores for the hyphens."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return game_named(str(value))
        except UnknownGameError as problem:
            raise click.BadParameter(str(problem), ctx, param) from None


def game_option(help_text: str, default: str | None = DEFAULT_GAME) -> click.Option:
    """`--game`."""
    return click.Option(
        ["--game"], type=GameName(), metavar="|".join(STORIES), default=default, show_default=True, help=help_text
    )


def play_options() -> list[click.Parameter]:
    """What of `robby play` depends on the games: which, how many, the time limits, and a flag for each yes or no."""
    return [
        game_option(_("Which game.")),
        click.Option(
            ["--players"],
            type=click.IntRange(1, max(story.types.seats[1] for story in STORIES.values())),
            default=DEFAULT_PLAYERS,
            show_default=True,
            help=_("How many take part, you included."),
        ),
        click.Option(
            ["--time"],
            type=click.Choice(_presets(*STORIES.values())),
            default="standard",
            show_default=True,
            help=_("The time limits."),
        ),
        *(
            click.Option([f"--{name.replace('_', '-')}", f"set_{name}"], is_flag=True, help=_flag_help(name))
            for name in _flags()
        ),
        click.Option(
            ["--bot", "bots"],
            metavar="NAME",
            multiple=True,
            help=_("Which bot plays: {bots}. Given several times, they take turns.  [default: the first]").format(
                bots="; ".join(f"{', '.join(bots)} ({game})" for game, bots in BOTS.items())
            ),
        ),
    ]


def bot_options() -> list[click.Parameter]:
    """What of `robby bot` depends on the games."""
    return [
        game_option(_("Which game it shall play.  [default: the bot's own, or any]"), default=None),
        click.Option(
            ["--seats"],
            type=click.IntRange(2, max(story.types.seats[1] for story in STORIES.values())),
            default=DEFAULT_PLAYERS,
            show_default=True,
            help=_("Seats of the table that --create makes."),
        ),
    ]


def options_of(game: str, time: str, flags: dict[str, Any]) -> dict[str, Any]:
    """The table's options as given. flags: by name, `set_` before each. Raises UsageError for another game's."""
    story = STORIES[game]
    given = {name.removeprefix("set_"): True for name, on in flags.items() if on}
    own = {field.name for field in fields_of(story.types.options)}
    for name in given:
        if name not in own:
            text = _("{game} has no option --{name}. Leave it out.")
            raise click.UsageError(text.format(game=story.title, name=name.replace("_", "-")))
    if time not in _presets(story):
        text = _("{game} has no time limits called {time}. There are: {presets}.")
        raise click.UsageError(text.format(game=story.title, time=time, presets=", ".join(_presets(story))))
    return {"time": time, **given}


def _presets(*stories: Story) -> Sequence[str]:
    """All presets of time limits that these games have, those of the first game first."""
    fields = [field for story in stories for field in fields_of(story.types.options) if field.name == "time"]
    return tuple(dict.fromkeys(value for field in fields for value in field.values))


def _flags() -> list[str]:
    """The options that are yes or no and usually no, of all games."""
    found: dict[str, None] = {}
    for story in STORIES.values():
        found.update(dict.fromkeys(field.name for field in _yes_no(story)))
    return list(found)


def _yes_no(story: Story) -> list[OptionField]:
    return [field for field in fields_of(story.types.options) if field.kind == "yes_no" and not field.default]


def _flag_help(name: str) -> str:
    """Each game that has the option, with what it calls it."""
    return "; ".join(
        _("{game}: {option}.").format(game=story.title, option=story.label(name).rstrip("."))
        for story in STORIES.values()
        if any(field.name == name for field in _yes_no(story))
    )
