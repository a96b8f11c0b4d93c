"""Loading bots by name, module and file; and the examples of docs/bots.md, taken from the page."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from robby_bots.interface import Bot
from robby_bots.random_bot import RandomBot
from robby_bots.registry import BotLoadError, load_bot
from robby_bots.robby_solo.greedy import GreedyBot
from robby_games.robby_solo import Confirm, Lay
from tests.client.offline import Offline

PAGE = Path(__file__).parents[2] / "docs" / "bots.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)

BOT = """
from robby_bots.interface import Bot

class {name}(Bot):
    name = "{name}"
    def choose(self, view, rng):
        return view.legal[0]
"""


def write(folder: Path, text: str) -> str:
    path = folder / "my_bot.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


def example(number: int, folder: Path) -> type[Bot]:
    return load_bot(write(folder, BLOCKS[number]))


def test_a_bot_by_name() -> None:
    assert load_bot("greedy") is GreedyBot
    assert load_bot("random") is RandomBot


def test_a_bot_from_a_module() -> None:
    assert load_bot("robby_bots.robby_solo.greedy:GreedyBot") is GreedyBot


def test_a_bot_from_a_file_with_one_and_with_several(tmp_path: Path) -> None:
    assert load_bot(write(tmp_path, BOT.format(name="One"))).name == "One"
    path = write(tmp_path, BOT.format(name="One") + BOT.format(name="Two"))
    assert load_bot(f"{path}:Two").name == "Two"
    with pytest.raises(BotLoadError, match="One, Two"):
        load_bot(path)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("clever", None),
        ("no_such_module:Bot", None),
        ("robby_bots.robby_solo.greedy:Nothing", None),
        ("robby_bots.interface:Bot", None),
        ("robby_bots.robby_solo.greedy:ITEM_GUESS", None),
        ("missing.py", None),
        ("{path}", "x = ("),
        ("{path}", "raise ZeroDivisionError('out of\\nluck')"),
        ("{path}", "import robby_bots.no_such_thing"),
        ("{path}", "x = 1"),
        ("{path}:Nobody", BOT),
        ("{path}", BOT.replace('name = "{name}"', "pass")),
        ("{path}", BOT + '\n    game = "chess"\n'),
    ],
)
def test_what_cannot_be_loaded_is_a_sentence(spec: str, text: str | None, tmp_path: Path) -> None:
    path = write(tmp_path, (text or "").replace("{name}", "One"))
    with pytest.raises(BotLoadError) as refused:
        load_bot(spec.replace("{path}", path))
    assert str(refused.value)
    assert "Traceback" not in str(refused.value)


def test_an_error_in_a_file_names_its_line(tmp_path: Path) -> None:
    for text in ("x = 1\n\n1 / 0\n", "x = 1\n\ny = )\n"):
        with pytest.raises(BotLoadError, match="line 3"):
            load_bot(write(tmp_path, text))


def test_an_error_deeper_down_names_the_bots_own_line_or_none(tmp_path: Path) -> None:
    with pytest.raises(BotLoadError, match="line 2"):
        load_bot(write(tmp_path, "import json\njson.loads('{')\n"))
    with pytest.raises(BotLoadError) as refused:
        load_bot("no_such_module:Bot")
    assert "line" not in str(refused.value)


def test_the_pages_example_plays_whole_games(tmp_path: Path) -> None:
    careful = example(0, tmp_path)
    assert careful.name == "careful"
    seen: list[Any] = []
    for seats, junior in ((3, True), (5, False)):
        game = Offline(seats, options={"junior": junior})
        bots: list[Bot] = [careful(), *(GreedyBot() for _seat in range(seats - 1))]
        game.play(bots, on_choice=lambda view, action: seen.append((view.seat, action)))
        assert game.match.result() is not None
    mine = [action for seat, action in seen if seat == 0]
    assert {type(action) for action in mine} >= {Lay, Confirm}


def test_the_pages_plain_example_plays_a_whole_game(tmp_path: Path) -> None:
    dice = example(1, tmp_path)
    game = Offline(4)
    game.play([dice() for _seat in range(4)])
    assert game.match.result() is not None


@pytest.mark.parametrize(("number", "name"), [(2, "magpie"), (3, "owl")])
def test_the_pages_bots_for_the_other_games_play_whole_games(number: int, name: str, tmp_path: Path) -> None:
    bot = example(number, tmp_path)
    assert bot.name == name
    assert bot.game is not None
    seen: set[str] = set()
    for seats in (2, 4):
        game = Offline(seats, game=bot.game)
        game.play([bot() for _seat in range(seats)], on_choice=lambda _view, action: seen.add(type(action).__name__))
        assert game.match.result() is not None
    assert seen >= ({"Throw", "Again", "Stop", "Pass"} if name == "magpie" else {"Cover", "Declare", "Grab"})


def test_the_pages_other_examples_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    careful = example(0, tmp_path)
    names: dict[str, Any] = {}
    for block in BLOCKS[4:]:
        exec(block, names)
    action = names["ask"](careful())
    assert action in (Lay(bank=2), Lay(bank=3)), "one item is worth 1,000"
    view = Offline(3).view(0) or Offline(3).view(1) or Offline(3).view(2)
    names["show"](view)
    assert '"round": 1' in capsys.readouterr().out


def test_the_page_names_the_bots_there_are() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in ("random", "greedy"):
        assert f"`{name}`" in text


@pytest.fixture(autouse=True)
def _forget_modules() -> Any:
    yield
    sys.modules.pop("robby_bot_from_file", None)
