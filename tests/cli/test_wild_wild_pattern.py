"""Wild Wild Pattern against a bot by the command itself, in plain lines: every question answered in words."""

import re

from robby_client import exit_codes
from tests.cli.test_processes import Start, start

__all__ = ["start"]

ANSWERS = {
    "Ready to look": "ready",
    "Which card of the Wheel": "click",
    "You may not cover yet": "click",
    "do you grab": "grab",
    "You have Clementine: which": "none",
    "from which place": "take",
}
QUESTION = re.compile("|".join([*map(re.escape, ANSWERS), "the game is over"]))


def test_a_whole_game_by_the_command_in_plain_lines(start: Start) -> None:
    game = ["--game", "wild-wild-pattern", "--players", "2", "--seed", "7"]
    ana = start("play", "--plain", "--fast", *game, "--name", "Ana")
    asked: set[str] = set()
    while (found := ana.until(QUESTION.pattern).group()) in ANSWERS:
        asked.add(found)
        answer = ANSWERS[found]
        if answer == "take":
            answer += " " + ana.until(r"take place (\d)").group(1)
        ana.type(answer)
    assert {"Ready to look", "Which card of the Wheel", "do you grab"} <= asked
    ana.until(r"1\. .+ \$")
    ana.close_input()
    ana.end()
    assert ana.code == exit_codes.WELL
    assert ana.errors() == ""
