"""However the client with screens ends, the terminal is as it was before."""

import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from robby_client import exit_codes
from tests.e2e.player import PATIENCE, RIGHT, Person, at_lobby
from tests.e2e.stage import ROBBY, START_SECONDS, ServerProcess, environment
from tests.e2e.terminal import Terminal

CTRL_C = "\x03"
CTRL_Z = "\x1a"
GONE_SECONDS = 2.0
"""A client whose terminal is gone must not live longer."""
SLOW = 3.0
"""What a machine with all cores busy may add to a promised time."""


def is_as_before(person: Terminal) -> None:
    """Nothing that the program switched on is left on, and the terminal's settings are those of before."""
    assert b"\x1b[?1049h" in person.raw, "it never showed a screen"
    assert person.left_on == set()
    assert person.modes == person.initial_modes
    assert "Traceback" not in person.raw.decode(errors="replace")


def by_key(key: str) -> Callable[[Person], None]:
    def end(person: Person) -> None:
        person.press(key, lambda _text: person.process.poll() is not None)

    return end


def by_signal(number: signal.Signals) -> Callable[[Person], None]:
    def end(person: Person) -> None:
        person.process.send_signal(number)

    return end


@pytest.mark.parametrize(
    ("end", "code"),
    [
        pytest.param(by_key(CTRL_C), 0, id="ctrl-c"),
        pytest.param(by_key("\x11"), 0, id="ctrl-q"),
        pytest.param(by_signal(signal.SIGINT), exit_codes.INTERRUPTED, id="sigint"),
        pytest.param(by_signal(signal.SIGTERM), exit_codes.TERMINATED, id="sigterm"),
        pytest.param(by_signal(signal.SIGHUP), 129, id="sighup"),
    ],
)
def test_ends_from_the_first_screen(end: Callable[[Person], None], code: int, tmp_path: Path) -> None:
    with Person("Ana", home=tmp_path) as person:
        person.wait_for("Your name", START_SECONDS)
        assert person.left_on >= {"alternate screen", "mouse", "paste"}
        end(person)
        assert person.wait_exit() == code
        is_as_before(person)


def test_ends_by_signal_in_a_game_with_its_server(tmp_path: Path) -> None:
    with Person("Ana", "play", "--name", "Ana", "--players", "3", home=tmp_path) as person:
        person.wait_for("round 1/", START_SECONDS)
        person.process.send_signal(signal.SIGTERM)
        assert person.wait_exit() == exit_codes.TERMINATED
        is_as_before(person)


def test_asks_before_it_ends_in_a_game(tmp_path: Path) -> None:
    with Person("Ana", "play", "--name", "Ana", "--players", "3", home=tmp_path) as person:
        person.wait_for("round 1/", START_SECONDS)
        person.press("q", "Quit in the middle of the game?")
        person.press("\x1b", lambda text: "Quit in the middle" not in text)
        assert person.process.poll() is None
        person.press("q", "Quit in the middle of the game?")
        person.type(RIGHT)
        person.press("\r", lambda _text: person.process.poll() is not None)
        assert person.wait_exit() == 0
        is_as_before(person)


def test_ends_although_the_server_is_gone(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "server") as server, at_lobby("Ana", server.address, tmp_path / "ana") as person:
        server.process.kill()
        person.wait_for("Connection lost", PATIENCE)
        assert person.leave() == 0
        is_as_before(person)


def test_a_server_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with Person("Ana", "join", "127.0.0.1:1", "--name", "Ana", home=tmp_path) as person:
        person.wait_for("Nothing answers at this address and port.", START_SECONDS)
        person.press(CTRL_C, lambda _text: person.process.poll() is not None)
        person.wait_exit()
        is_as_before(person)


@pytest.mark.parametrize("ignores_hangup", [False, True])
def test_ends_when_the_terminal_is_gone(ignores_hangup: bool, tmp_path: Path) -> None:
    # As `nohup` and some terminals leave it: the signal is ignored, only the end of the terminal tells.
    shell = ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh"] if ignores_hangup else []
    with Terminal([*shell, *ROBBY], env=environment(tmp_path)) as terminal:
        terminal.wait_for("Your name", START_SECONDS)
        begin = time.monotonic()
        terminal.hang_up()
        terminal.process.wait(GONE_SECONDS + SLOW)
        assert time.monotonic() - begin < GONE_SECONDS + SLOW
        if not ignores_hangup:
            assert terminal.process.returncode in (129, -signal.SIGHUP)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell with job control")
def test_is_suspended_and_comes_back(tmp_path: Path) -> None:
    shell = ["bash", "--norc", "--noprofile", "-i"]
    with Terminal(shell, env=environment(tmp_path, PS1="shell> ", HISTFILE="")) as terminal:
        terminal.wait_for("shell>")
        terminal.send(" ".join(ROBBY) + "\r")
        terminal.wait_for("Your name", START_SECONDS)
        terminal.pump_for(0.3)
        terminal.send(CTRL_Z)
        terminal.wait_for("Stopped", PATIENCE)
        assert terminal.left_on - {"paste"} == set()
        terminal.send("fg\r")
        terminal.wait_for(lambda text: "Your name" in text and "alternate screen" in terminal.left_on, PATIENCE)
        terminal.pump_for(0.3)
        prompts = terminal.raw.count(b"shell>")
        terminal.send(CTRL_C)
        # Until the shell has the terminal again, what is typed is the client's, who throws it away.
        terminal.wait_for(lambda _text: terminal.raw.count(b"shell>") > prompts, PATIENCE)
        assert "alternate screen" not in terminal.left_on
        terminal.send("echo code=$?\r")
        terminal.wait_for("code=0", PATIENCE)
        assert terminal.left_on - {"paste"} == set()
        terminal.send("exit\r")
        terminal.wait_exit()
