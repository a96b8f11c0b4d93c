"""The command line in this process: texts, exit codes, and that nobody ever sees a traceback."""

import io
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import structlog

from robby_cli import command_line as cli
from robby_cli import play
from robby_cli.exits import CommandError
from robby_cli.join import starting
from robby_client import exit_codes
from robby_plain.registry import TEXTS
from robby_tui.screens.games import SCREENS


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Nothing of this machine's user is read or written, and the log goes back to where it was."""
    monkeypatch.setenv("ROBBY_HOME", str(tmp_path / "home"))
    yield tmp_path / "home"
    structlog.reset_defaults()


def one_sentence(capsys: pytest.CaptureFixture[str]) -> str:
    """What was complained about: one line on standard error, nothing else."""
    said = capsys.readouterr()
    assert said.out == ""
    assert "Traceback" not in said.err
    lines = said.err.splitlines()
    assert len(lines) == 1
    assert lines[0].endswith((".", "!", "?"))
    return lines[0]


@pytest.mark.parametrize("command", [[], ["play"], ["serve"], ["join"], ["bot"]])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(command: list[str], option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([*command, option]) == exit_codes.WELL
    said = capsys.readouterr().out
    assert said.startswith("Usage: " + " ".join(["robby", *command]))
    assert "--parent-pipe" not in said


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--version"]) == exit_codes.WELL
    assert capsys.readouterr().out.startswith("robby ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["fnord"],
        ["--fnord"],
        ["--name", "Ana", "play"],
        ["play", "--players", "2"],
        ["play", "--players", "many"],
        ["play", "--time", "slow"],
        ["play", "--bot", "nobody"],
        ["play", "--players", "7", "--junior"],
        ["play", "--players", "1"],
        ["play", "--game", "chess"],
        ["play", "--game", "wild-wild-pattern", "--time", "blitz"],
        ["play", "--game", "tresor-diebe", "--junior"],
        ["play", "--game", "tresor-diebe", "--rounds", "6"],
        ["play", "--game", "tresor-diebe", "--rounds", "0"],
        ["play", "--game", "tresor-diebe", "--rounds", "two"],
        ["play", "--no-odds"],
        ["play", "--rounds", "2"],
        ["join"],
        ["join", "a", "b"],
        ["join", ""],
        ["join", "a b"],
        ["join", "[::1"],
        ["join", "example.org:99999"],
        ["join", "example.org", "--password-file", "/nonexistent"],
        ["join", "example.org", "--plain", "--profile", "../x"],
        ["serve", "--port", "65536"],
        ["serve", "--seed", "7"],
        ["serve", "--seed", "7", "--host", "0.0.0.0"],
        ["serve", "--max-tables", "-1"],
        ["bot", "nobody", "localhost"],
        ["bot", "greedy"],
        ["bot", "greedy", "localhost", "--table", "X", "--create"],
        ["bot", "greedy", "localhost", "--junior"],
        ["bot", "greedy", "localhost", "--time", "blitz"],
        ["bot", "greedy", "localhost", "--create", "--rounds", "1"],
        ["bot", "/nonexistent/bot.py", "localhost"],
    ],
)
def test_what_is_typed_wrong_is_one_sentence_and_exit_code_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(arguments) == exit_codes.USAGE
    one_sentence(capsys)


def test_a_bot_that_the_game_lacks_is_named_with_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["play", "--bot", "slow"]) == exit_codes.USAGE
    assert "Robby Solo has no bot slow. There are: greedy, random." in one_sentence(capsys)


def test_a_sentence_of_clicks_ends_before_the_next_begins(capsys: pytest.CaptureFixture[str]) -> None:
    cli.run(["join", "a", "b"])
    assert "(b). See" in one_sentence(capsys)


def test_no_terminal_and_no_server_names_the_command_that_needs_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import robby_tui

    monkeypatch.setattr(robby_tui, "check_terminal", lambda: "No terminal.")
    assert cli.run([]) == exit_codes.NO_TERMINAL
    assert "robby join HOST --plain" in one_sentence(capsys)


def test_the_defaults_in_the_help_are_those_of_the_server(capsys: pytest.CaptureFixture[str]) -> None:
    from robby_server.settings import Settings

    assert cli.run(["serve", "--help"]) == exit_codes.WELL
    said = " ".join(capsys.readouterr().out.split())
    settings = Settings()
    assert f"Connections at a time. [default: {settings.connections};" in said.replace("] [", "; ")
    assert f"from one address. [default: {settings.connections_per_address};" in said.replace("] [", "; ")
    assert f"Tables at a time. [default: {settings.tables};" in said.replace("] [", "; ")


def test_starting_is_said_at_a_terminal_alone_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    for terminal in (True, False):
        stream = io.StringIO()
        monkeypatch.setattr(stream, "isatty", lambda terminal=terminal: terminal)
        monkeypatch.setattr(sys, "stderr", stream)
        with starting():
            assert stream.getvalue() == ("Starting ..." if terminal else "")
        assert stream.getvalue().rpartition("\r")[2] == ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("arguments", [["join", "--plain", "--name", "Ana"], ["bot", "greedy"]])
def test_a_server_that_is_not_there(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code = cli.run([*arguments, f"127.0.0.1:{free_port()}"])
    assert code == exit_codes.CANNOT_CONNECT
    said = capsys.readouterr()
    assert "Nothing answers at this address and port" in said.out + said.err
    assert "Traceback" not in said.err


def test_a_port_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        assert cli.run(["serve", "--host", "127.0.0.1", "--port", str(port)]) == exit_codes.CANNOT_LISTEN
    assert str(port) in one_sentence(capsys)


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid"])
def test_an_address_of_another_machine(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["serve", "--host", host, "--port", "0"]) == exit_codes.CANNOT_LISTEN
    assert host in one_sentence(capsys)


def test_screens_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["join", "localhost", "--name", "Ana"]) == exit_codes.NO_TERMINAL
    assert "--plain" in one_sentence(capsys)


def test_a_password_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from robby_cli.secret import read_password

    file = tmp_path / "password"
    file.write_text("open sesame\nsecond line\n")
    assert read_password(file) == "open sesame"
    assert read_password(None) is None
    for content in (b"", b"\n", b"x" * 500, b"\xff\xfe"):
        file.write_bytes(content)
        assert cli.run(["serve", "--host", "127.0.0.1", "--port", "0", "--password-file", str(file)]) == 2
        assert str(file) in one_sentence(capsys)


def command_that_raises(problem: BaseException) -> click.Command:
    def callback() -> None:
        raise problem

    return click.Command("robby", callback=callback)


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (KeyboardInterrupt(), exit_codes.INTERRUPTED),
        (BrokenPipeError(), exit_codes.BROKEN_PIPE),
        (SystemExit(5), 5),
        (CommandError("Too bad.", 6), 6),
        (BaseExceptionGroup("", [ExceptionGroup("", [CommandError("Too bad.", 6)])]), 6),
        (BaseExceptionGroup("", [ExceptionGroup("", [ValueError()]), KeyboardInterrupt()]), exit_codes.INTERRUPTED),
    ],
)
def test_how_a_command_may_end(
    problem: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "build", lambda: command_that_raises(problem))
    monkeypatch.setattr(cli, "abandon", lambda stream: None)
    assert cli.run([]) == code
    assert "Traceback" not in capfd.readouterr().err


def test_a_bug_is_one_sentence_with_the_place_of_its_details(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "build", lambda: command_that_raises(ZeroDivisionError("secret of the house")))
    assert cli.run([]) == exit_codes.BUG
    said = one_sentence(capsys)
    (place,) = home.glob("robby-*.txt")
    assert str(place) in said
    assert "ZeroDivisionError" in place.read_text()


def test_a_bug_where_nothing_can_be_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("ROBBY_HOME", str(blocked / "home"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(blocked / "tmp"))
    monkeypatch.setattr(cli, "build", lambda: command_that_raises(ZeroDivisionError()))
    assert cli.run([]) == exit_codes.BUG
    assert "ZeroDivisionError" in one_sentence(capsys)


def test_help_is_quick_and_the_server_loads_no_screens() -> None:
    """What is imported decides how quick a start is; seconds would depend on the machine."""
    check = (
        "import sys; from robby_cli.command_line import run; run(['--help']); "
        "heavy = {'trio', 'anyio', 'textual', 'msgspec', 'cryptography', 'structlog'} & set(sys.modules); "
        "assert not heavy, heavy; "
        "import robby_cli.serve; assert 'textual' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1"}
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--time", "blitz"], {"time": "blitz"}),
        (["--junior", "--money-copies", "1", "--items", "0"], {"junior": True, "money_copies": 1, "items": 0}),
        (["--game", "tresor-diebe", "--rounds", "1", "--no-odds"], {"rounds": 1, "odds": False}),
        (["--game", "wild-wild-pattern", "--rounds", "5"], {"rounds": 5}),
    ],
)
def test_a_table_s_options_can_be_given(
    arguments: list[str], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[dict[str, Any]] = []

    def tell(_game: str, _seats: int, options: dict[str, Any], *_rest: Any, **_more: Any) -> int:
        told.append(options)
        return 0

    monkeypatch.setattr(play, "tell", tell)
    assert cli.run(["play", "--watch", *arguments]) == exit_codes.WELL
    assert told == [options]


def test_what_an_option_does_is_said_in_the_words_of_the_lobby(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["play", "--help"]) == exit_codes.WELL
    assert "Tresor Diebe: no odds." in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "registry"), [(["--plain"], TEXTS), ([], SCREENS)])
def test_a_game_that_cannot_be_shown_is_not_begun(
    arguments: list[str], registry: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody sits before a game that runs and shows nothing."""
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.delitem(registry, "robby-solo")
    assert cli.run(["play", *arguments]) == exit_codes.USAGE
    one_sentence(capsys)
