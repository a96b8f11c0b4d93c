"""Keys that arrive in one write act in the order typed: fields, the form, dialogs, the table."""

import re
from pathlib import Path

from tests.e2e.player import PATIENCE, RIGHT, Person, at_lobby, play
from tests.e2e.stage import START_SECONDS, ServerProcess

BACKSPACE = "\x7f"
END = "\x1b[F"
SHIFT_TAB = "\x1b[Z"
F2 = "\x1bOQ"


def test_fields_of_the_connect_screen(tmp_path: Path) -> None:
    with Person("Ana", home=tmp_path) as ana:
        ana.wait_for("Your name", START_SECONDS)
        ana.pump_for(0.3)
        ana.send(
            SHIFT_TAB + "\x15" + "nowhere.invalid" + "\t" + "xq" + 2 * BACKSPACE + "Carl" + SHIFT_TAB + END + BACKSPACE
        )
        ana.wait_for("Carl")
        ana.pump_until_quiet()
        assert re.search(r"nowhere\.invali$", ana.text, re.MULTILINE), ana.text
        assert re.search(r"^ +Carl$", ana.text, re.MULTILINE), ana.text


def test_the_form_and_dialogs_of_the_lobby(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "server") as server, at_lobby("Ana", server.address, tmp_path / "ana") as ana:
        ana.pump_for(0.5)
        ana.send("c" + "\r" + "Monday" + 3 * BACKSPACE + "key" + "\t" + BACKSPACE + "4" + "\t" + "1" + "\t" + "2" + F2)
        text = ana.wait_for(lambda text: "4. " in text and text.count("⚙") == 3, PATIENCE)
        assert "Monkey" in text
        assert "5. " not in text
        # The table is open to anybody; without a second person one leaves at once.
        ana.press("l", "create a table")
        ana.pump_for(0.5)
        ana.send("i" + "ZZ" + BACKSPACE + "Z9" + "\r")
        ana.wait_for("no such table", PATIENCE)


def test_the_table_and_the_dialog_over_it(tmp_path: Path) -> None:
    arguments = ["play", "--name", "Ana", "--players", "3", "--fast", "--time", "untimed"]
    with Person("Ana", *arguments, home=tmp_path) as ana:
        ana.wait_for("round 1/", START_SECONDS)
        play([ana], lambda: ana.question is not None and ana.question[1] == "revise", seconds=PATIENCE)
        ana.pump_for(0.3)
        # Taken back, another laid, that one taken back and a third laid: four answers of one phase.
        ana.send("tgtr")
        ana.wait_for("red (R). c confirms", PATIENCE)
        # Enter alone does no harm; the arrow before it counts.
        ana.pump_for(1.0)
        ana.send("q\r")
        ana.pump_for(1.0)
        assert ana.process.poll() is None
        assert "Quit in the middle" not in ana.text
        ana.send("q" + RIGHT + "\r")
        assert ana.wait_exit() == 0
