"""Each game has all its parts, and outside its own modules and the registries nothing names it."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from robby_bots.registry import BOTS
from robby_client.options import fields_of
from robby_client.stories.base import Story
from robby_client.stories.registry import STORIES
from robby_games.registry import GAMES
from robby_plain.games import GameTexts
from robby_plain.registry import TEXTS
from robby_rules.registry import RULES
from robby_tui.screens.games import SCREENS
from robby_tui.screens.table import TableScreen
from tests.rules.games import KITS
from tests.rules.transcript import FOLDER as GOLDEN

ROOT = Path(__file__).parent.parent
SIDES = ("client", "server", "protocol")
REGISTRIES = frozenset(
    {
        "protocol/robby_games/registry.py",
        "server/robby_rules/registry.py",
        "client/robby_client/stories/registry.py",
        "client/robby_plain/registry.py",
        "client/robby_tui/screens/games.py",
        "client/robby_bots/registry.py",
    }
)
NO_GAME = frozenset({"protocol/robby_protocol/distribution.py"})
"""Here the distribution has its name, which is a game's as well."""
UNFINISHED: dict[str, frozenset[str]] = {}
"""Parts still to be made."""


def parts(game: str) -> dict[str, bool]:
    """What there must be of a game, and whether it is there."""
    bots = BOTS.get(game, {})
    return {
        "rules": game in RULES and RULES[game].name == game and RULES[game].version == GAMES[game].version,
        "story": isinstance(STORIES.get(game), Story) and STORIES[game].game == game,
        "lines": isinstance(TEXTS.get(game), GameTexts) and TEXTS[game].story.game == game,
        "screens": game in SCREENS and issubclass(SCREENS[game].table, TableScreen),
        "bots": "random" in bots and next(iter(bots), "random") != "random",
        "suite": game in KITS,
        "transcript": (GOLDEN / f"{game}.txt").is_file(),
    }


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_all_its_parts(game: str) -> None:
    missing = {part for part, there in parts(game).items() if not there}
    assert missing <= UNFINISHED.get(game, frozenset())


def test_nothing_is_registered_for_a_game_that_there_is_not() -> None:
    for registry in (RULES, STORIES, TEXTS, SCREENS, BOTS, KITS):
        assert set(registry) <= set(GAMES)


@pytest.mark.parametrize("game", STORIES)
def test_a_story_keeps_what_every_client_relies_on(game: str) -> None:
    story, types = STORIES[game], GAMES[game]
    fields = {field.name: field for field in fields_of(types.options)}
    assert set(story.labels) == set(fields)
    assert set(story.briefs) <= set(fields)
    assert fields["time"].kind == "choice"
    for preset in fields["time"].values:
        options = types.options(time=preset)
        assert story.option_summary(options)
        assert len(story.option_lines(options)) >= len([field for field in fields.values() if field.is_limit])
        known = {field.name for field in structs.fields(type(story.limits(options)))}
        assert {name.removesuffix("_ms") for name, field in fields.items() if field.is_limit} <= known
    assert types.seats[0] <= story.fewest_seats({}) <= types.seats[1]
    assert story.rules()
    assert len(story.introduced()) <= 48, "it fits into the dialog that asks for the game"
    assert "scores" in story.over.__struct_fields__
    assert "scores" in types.public.__struct_fields__
    assert "phase" in types.public.__struct_fields__
    assert "seat" in types.own.__struct_fields__
    assert story.participants(["Ana\x1b[2J"], None) == ["Ana\\x1b[2J"]


RAW = re.compile(r"[{}<>\[\]]|\w_\w|\bNone\b|\bseat \d")
"""What a sentence shows only if something in it was not put into words."""


@pytest.mark.parametrize("game", STORIES)
def test_a_whole_game_is_told_in_words(game: str) -> None:
    story = STORIES[game]
    text = (GOLDEN / f"{game}.txt").read_text(encoding="utf-8")
    events: list[Any] = [
        msgspec.json.decode(line.partition("{")[1] + line.partition("{")[2], type=story.types.event)
        for line in text.splitlines()
        if line.startswith("    ")
    ]
    names = [*("Ana", "Ben", "Cleo", "Dora")[: len(events[-1].scores)]]
    assert len(events) > 50
    told = 0
    for me in (None, 0):
        tell = story.telling()
        for event in events:
            lines = tell(event, names, me)
            told += bool(lines)
            assert not any(RAW.search(line) for line in lines), lines
    assert told > len(events)
    scores = events[-1].scores
    assert isinstance(events[-1], story.over)
    for score in scores:
        assert not any(RAW.search(line) for line in story.explained(score, names, 0))


@pytest.mark.parametrize("game", SCREENS)
def test_the_help_of_a_game_has_its_chapters(game: str) -> None:
    chapters = SCREENS[game].chapters()
    assert len(chapters) >= 3
    assert all(heading and text for heading, text in chapters)
    # Textual's metaclass does not count abstract methods, so that `inspect.isabstract` would say nothing.
    table = SCREENS[game].table
    missing = [name for name, what in inspect.getmembers(table) if getattr(what, "__isabstractmethod__", False)]
    assert missing == []


# Who names whom.


def module_of(game: str) -> str:
    return game.replace("-", "_")


def sources() -> Iterator[tuple[str, ast.Module]]:
    for side in SIDES:
        for path in sorted((ROOT / side).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def owner(path: str) -> str | None:
    """The game whose own module this is: its name is in the path. None: nobody's."""
    names = path.removesuffix(".py").split("/")
    return next((game for game in GAMES if any(name.startswith(module_of(game)) for name in names[2:])), None)


def named_in(tree: ast.Module) -> set[str]:
    """The games that a module names: by imports, names, or texts, its own documentation included."""
    words: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            words += [node.module or "", *(name.name for name in node.names)]
        elif isinstance(node, ast.Import):
            words += [name.name for name in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.append(node.value)
        elif isinstance(node, ast.Name):
            words.append(node.id)
    text = "\n".join(words).casefold()
    return {
        game
        for game, types in GAMES.items()
        if any(form in text for form in (game, module_of(game), types.title.casefold()))
    }


def test_only_a_game_s_own_modules_and_the_registries_name_it() -> None:
    found = {
        path: named - {owner(path)}
        for path, tree in sources()
        if path not in REGISTRIES | NO_GAME and (named := named_in(tree))
    }
    assert {path: named for path, named in found.items() if named} == {}


def test_the_registries_are_where_games_are_named() -> None:
    named = {path: named_in(tree) for path, tree in sources() if path in REGISTRIES}
    assert set(named) == REGISTRIES
    assert all("robby-solo" in games for games in named.values())


def test_a_game_named_elsewhere_would_be_found() -> None:
    for text in ("from robby_games.robby_solo import Lay", 'NAME = "tresor-diebe"', '"""A table of Robby Solo."""'):
        assert named_in(ast.parse(text))
    assert owner("client/robby_tui/robby_solo/table.py") == "robby-solo"
    assert owner("client/robby_tui/screens/table.py") is None
