"""Terminals of every size and kind: playable, or one plain sentence."""

import re
import unicodedata
from contextlib import ExitStack
from pathlib import Path

import pytest

from robby_client import exit_codes
from tests.e2e.player import PATIENCE, Person, at_lobby, play
from tests.e2e.stage import ROBBY, START_SECONDS, ServerProcess, environment, run_robby
from tests.e2e.terminal import Terminal
from tests.protocol.raw_client import guest

STORM_RESIZES = 100
PLAY = ["play", "--name", "Ana", "--players", "3", "--fast", "--time", "relaxed"]


def test_plays_at_every_size(tmp_path: Path) -> None:
    with Person("Ana", *PLAY, home=tmp_path) as ana:
        ana.wait_for("round 1/", START_SECONDS)
        play([ana], lambda: ana.question is not None and ana.question[1] == "lay", seconds=PATIENCE)
        for columns, rows in ((1, 1), (20, 5), (300, 80), (40, 12)):
            ana.resize(columns, rows)
            ana.pump_for(0.3)
            assert ana.process.poll() is None
        # Too small for the table: a notice with the time left and what is asked, and the keys still work.
        ana.wait_for(lambda text: "40×12" in text and re.search(r"\d+ s left|\d:\d\d left", text) is not None, PATIENCE)
        ana.pump_for(0.3)
        ana.send("y")
        ana.wait_for(re.compile(r"yellow|will rob"), PATIENCE)
        ana.resize(80, 24)
        ana.wait_for("round 1/", PATIENCE)
        everything_to_play_with(ana)
        play([ana], lambda: "revise" in str(ana.question) or "reveal" in str(ana.question), seconds=PATIENCE)
        resize_storm(ana)
        everything_to_play_with(ana)
        play([ana], lambda: "round 2/" in ana.text, lambda _person, kind: "v" if kind == "reveal" else "c", PATIENCE)


def everything_to_play_with(ana: Person) -> None:
    """What one needs is on the screen: banks, people, question or what is waited for, time, keys."""
    ana.wait_for(lambda text: all(sign in text for sign in ("● Y yellow", "▲ G green", "■ R red", "◆ B blue")))
    ana.wait_for(lambda text: len(re.findall(r"^ [▸ ][♛ ] \S+.*\d+ cards?\b", text, re.MULTILINE)) == 3)
    ana.wait_for(lambda _text: "? help" in ana.keys and ana.seconds_left is not None)


def resize_storm(ana: Person) -> None:
    """A window's border is dragged about in the revision."""
    for step in range(STORM_RESIZES):
        ana.resize(40 + step * 7 % 90, 10 + step * 3 % 40)
        ana.pump(0.02)
    ana.resize(80, 24)


def test_wide_names_line_up_by_cells(tmp_path: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(ServerProcess(tmp_path / "server", "--bot-think", "0"))
        ana = stack.enter_context(at_lobby("Ana", server.address, tmp_path / "ana"))
        ana.open_form()
        ana.fill("Seats (2–6)", "4")
        ana.press("\r", "id to join by:")
        found = re.search(r"id to join by: (\S+)", ana.text)
        assert found is not None
        names = ["山田太郎花子", "Zoë", "Дуня"]
        for name in names:
            raw = stack.enter_context(guest("127.0.0.1", server.port, name))
            raw.call("table.join", table=found[1])
            raw.call("table.ready", ready=True)
        ana.wait_for(lambda text: "All are ready" in text and text.count("✓") >= len(names), PATIENCE)
        rows = [row for row in range(24) if any(name in ana.lines[row] for name in names) and "✓" in ana.lines[row]]
        assert len(rows) == 3
        # The sign of being ready stands in the same cell of every line.
        assert len({ana.cells(row).index("✓") for row in rows}) == 1
        ana.press("s", lambda text: text.count("0 cards") == 4, again=False)
        rows = [
            row for row in range(24) if any(name in ana.lines[row] for name in names) and "0 cards" in ana.lines[row]
        ]
        assert len(rows) == 3
        assert len({column_of("0 cards", ana.cells(row)) for row in rows}) == 1
        assert any(unicodedata.east_asian_width(char) == "W" for row in rows for char in ana.lines[row])


def column_of(text: str, cells: list[str]) -> int:
    """The cell in which a text begins."""
    return next(at for at in range(len(cells)) if "".join(cells[at:]).startswith(text))


@pytest.mark.parametrize(
    "environ",
    [
        pytest.param({"LC_ALL": "C"}, id="locale-c"),
        pytest.param({"TERM": "vt100"}, id="vt100"),
        pytest.param({"TERM": "linux"}, id="linux"),
    ],
)
def test_plays_in_plain_characters(environ: dict[str, str], tmp_path: Path) -> None:
    """Where shapes cannot be shown every character is an ASCII one, and banks are told by letter and name."""
    with Person("Ana", *PLAY, home=tmp_path, environ=environ) as ana:
        ana.wait_for("round 1/", START_SECONDS)
        ana.wait_for(lambda text: all(re.search(rf"\S {bank}\b", text) for bank in ("Y yellow", "G green", "R red")))
        ana.wait_for("? help")
        assert ana.raw.isascii()


def test_no_color_is_heeded(tmp_path: Path) -> None:
    with Person("Ana", *PLAY, home=tmp_path, environ={"NO_COLOR": "1"}) as ana:
        ana.wait_for("round 1/", START_SECONDS)
        ana.wait_for("? help")
        ana.pump_for(0.5)
        colors = {
            color
            for line in ana.screen.buffer.values()
            for cell in line.values()
            for color in (cell.fg, cell.bg)
            if color != "default"
        }
        assert {color for color in colors if len({color[0:2], color[2:4], color[4:6]}) > 1} == set()


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_cannot_is_told_so(term: str, tmp_path: Path) -> None:
    with Terminal(ROBBY, env=environment(tmp_path, TERM=term)) as terminal:
        assert terminal.wait_exit(START_SECONDS) == exit_codes.NO_TERMINAL
        assert "--plain" in terminal.text
        assert b"\x1b" not in terminal.raw


def test_no_terminal_is_told_so(tmp_path: Path) -> None:
    done = run_robby("join", "127.0.0.1:1", "--name", "Ana", home=tmp_path)
    assert done.returncode == exit_codes.NO_TERMINAL
    assert b"--plain" in done.stderr
    assert done.stdout == b""


def test_output_to_a_file_is_told_so(tmp_path: Path) -> None:
    command = ["/bin/sh", "-c", 'exec "$@" >out', "sh", *ROBBY]
    with Terminal(command, env=environment(tmp_path), cwd=str(tmp_path)) as terminal:
        assert terminal.wait_exit(START_SECONDS) == exit_codes.NO_TERMINAL
        assert "--plain" in terminal.text
    assert (tmp_path / "out").read_bytes() == b""
