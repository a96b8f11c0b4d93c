"""Each game is told as it was: one whole game from a fixed seed against the kept file."""

import pytest

from robby_rules.registry import RULES
from tests.rules.transcript import FOLDER, path_of, transcript


@pytest.mark.parametrize("game", RULES)
def test_a_game_is_told_as_it_was(game: str) -> None:
    # `python -m tests.rules.transcript` writes it anew.
    assert transcript(game) == path_of(game).read_text(encoding="utf-8")


def test_there_is_no_file_of_another_game() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(RULES)
