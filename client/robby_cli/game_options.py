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
    """What of `robby play` depends on the games: which, how many, the table's options, which bots."""
    return [
        game_option(_("Which game.")),
        click.Option(
            ["--players"],
            type=click.IntRange(1, max(story.types.seats[1] for story in STORIES.values())),
            default=DEFAULT_PLAYERS,
            show_default=True,
            help=_("How many take part, you included."),
        ),
        *_table_options(),
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
        *_table_options(),
    ]


def _table_options() -> list[click.Parameter]:
    """What can be said of a table: its time limits, and an option for each yes or no and each number."""
    return [
        click.Option(
            ["--time"],
            type=click.Choice(_presets(*STORIES.values())),
            help=_("The time limits.  [default: standard]"),
        ),
        *(_option(name, fields) for name, fields in _own_fields().items()),
    ]


def options_of(game: str, time: str | None, settings: dict[str, Any]) -> dict[str, Any]:
    """The table's options as given. settings: by name, `set_` before each; None where nothing was said.

    Raises UsageError for another game's option, or a number that this game does not allow.
    """
    story = STORIES[game]
    given = {name.removeprefix("set_"): value for name, value in settings.items() if value is not None}
    own = {field.name: field for field in fields_of(story.types.options)}
    for name, value in given.items():
        field = own.get(name)
        if field is None:
            text = _("{game} has no option --{name}. Leave it out.")
            raise click.UsageError(text.format(game=story.title, name=_spelled(name, value)))
        if field.kind == "number" and not _fits(field, value):
            text = _("--{name} for {game} is a whole number from {low} to {high}.")
            raise click.UsageError(
                text.format(name=_spelled(name, value), game=story.title, low=field.low, high=field.high)
            )
    if time is not None and time not in _presets(story):
        text = _("{game} has no time limits called {time}. There are: {presets}.")
        raise click.UsageError(text.format(game=story.title, time=time, presets=", ".join(_presets(story))))
    return given if time is None else {"time": time, **given}


def _fits(field: OptionField, value: int) -> bool:
    return (field.low is None or value >= field.low) and (field.high is None or value <= field.high)


def _presets(*stories: Story) -> Sequence[str]:
    """All presets of time limits that these games have, those of the first game first."""
    fields = [field for story in stories for field in fields_of(story.types.options) if field.name == "time"]
    return tuple(dict.fromkeys(value for field in fields for value in field.values))


def _own_fields() -> dict[str, dict[str, OptionField]]:
    """By option that is a yes or no or a number, no time limit: the games that have it, by name, with their field."""
    found: dict[str, dict[str, OptionField]] = {}
    for story in STORIES.values():
        for field in fields_of(story.types.options):
            if field.kind != "choice" and not field.is_limit:
                found.setdefault(field.name, {})[story.game] = field
    return found


def _option(name: str, fields: dict[str, OptionField]) -> click.Option:
    """An option of the command line. What is usually yes can be taken away, as `--no-…`."""
    field = next(iter(fields.values()))
    flag = field.kind == "yes_no"
    value = not field.default if flag else None
    return click.Option(
        [f"--{_spelled(name, value)}", f"set_{name}"],
        is_flag=flag,
        flag_value=value,
        default=None,
        type=None if flag else click.INT,
        metavar=None if flag else "N",
        help=" ".join(_help(game, one) for game, one in fields.items()),
    )


def _spelled(name: str, value: Any) -> str:
    """An option's name on the command line."""
    return ("no-" if value is False else "") + name.replace("_", "-")


def _help(game: str, field: OptionField) -> str:
    """What a game calls the option, and which numbers it takes."""
    story = STORIES[game]
    option = story.label(field.name).rstrip(".")
    if field.kind == "number":
        option = _("{option}, {low} to {high}").format(option=option, low=field.low, high=field.high)
    elif field.default:
        brief = story.briefs.get(field.name)
        option = _(brief) if brief is not None else _("switches off: {option}").format(option=option)
    return _("{game}: {option}.").format(game=story.title, option=option)
