"""`robby play` and the plain client, played by what they say: in a terminal and through pipes."""

import re
import select
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.e2e.player import PATIENCE, Person, play
from tests.e2e.stage import ROBBY, START_SECONDS, ServerProcess, environment, run_robby
from tests.e2e.terminal import Terminal

SHORT_GAME = "create title=Short seats=3 time=relaxed max_rounds=2 bots=greedy,random"
_CHOICE = re.compile(r"^  (\d+): (.+?)\r?$", re.MULTILINE)
_BLOCK = re.compile(r"(?:^  \d+: .+\n)+", re.MULTILINE)
"""The choices of one question."""
_PLACE = re.compile(r"^\s*(\d)\. (.+?): ([\d,]+)(?: [–-] wins)?\r?$", re.MULTILINE)


def test_play_seats_a_person_at_once(tmp_path: Path) -> None:
    """The first screen is the table, and what it says is enough to play a round."""
    with Person("Ana", "play", "--name", "Ana", "--players", "3", "--fast", "--time", "relaxed", home=tmp_path) as ana:
        ana.wait_for("round 1/", START_SECONDS)
        ana.wait_for(lambda _text: bool(ana.row_of("Ana")))
        play([ana], lambda: "round 2/" in ana.text, seconds=PATIENCE)


class Conversation:
    """A plain client talked to line by line. read: what it has written since the last time; write: a line to it."""

    def __init__(self, read: Callable[[float], str], write: Callable[[str], None]) -> None:
        self._read = read
        self._write = write
        self.text = ""
        self._answered = 0

    def wait_for(self, text: str, seconds: float = PATIENCE) -> None:
        """Read until it has said this."""
        deadline = time.monotonic() + seconds
        while text not in self.text:
            assert time.monotonic() < deadline, f"it never said {text!r}:\n{self.text}"
            self.text += self._read(0.2)

    def say(self, line: str) -> None:
        """Type a line."""
        self._write(line + "\n")

    def answer_until(self, text: str, seconds: float = 60.0) -> None:
        """Answer every question with its first choice, or with the one that confirms, until it says this."""
        deadline = time.monotonic() + seconds
        while text not in self.text:
            assert time.monotonic() < deadline, f"it never said {text!r}:\n{self.text}"
            more = self._read(0.2)
            self.text += more
            if more:
                continue  # the question may not be whole yet
            block = _BLOCK.findall(self.text)
            newest = [(int(number), label) for number, label in _CHOICE.findall(block[-1])] if block else []
            fresh = [(number, label) for number, label in newest if number > self._answered]
            if fresh:
                wanted = next((number for number, label in fresh if label.startswith("Confirm")), fresh[0][0])
                self._answered = max(number for number, _label in fresh)
                self.say(str(wanted))


def a_short_game(talk: Conversation) -> None:
    """Make a table with bots, start, play to the end, and quit."""
    talk.wait_for("Type help for the commands.", START_SECONDS)
    talk.say(SHORT_GAME)
    talk.wait_for("Your table is made.")
    talk.say("start")
    talk.wait_for("Round 1:")
    talk.answer_until("The last round is played: the game is over.")
    talk.wait_for("The table stays for a rematch.")
    places = _PLACE.findall(talk.text)
    assert len(places) == 3
    assert places[0][0] == "1"
    talk.say("quit")


def test_plain_game_in_a_terminal(tmp_path: Path) -> None:
    with (
        ServerProcess(tmp_path / "server", "--bot-think", "0") as server,
        Terminal(
            [*ROBBY, "join", "--plain", server.address, "--name", "Ana"],
            env=environment(tmp_path / "ana", TERM="dumb"),
        ) as terminal,
    ):
        read_up_to = 0

        def read(seconds: float) -> str:
            nonlocal read_up_to
            terminal.pump(seconds)
            more = terminal.raw[read_up_to:].decode(errors="ignore")
            read_up_to = len(terminal.raw)
            return more

        a_short_game(Conversation(read, terminal.send))
        assert terminal.wait_exit() == 0
        assert b"\x1b" not in terminal.raw
        assert terminal.modes == terminal.initial_modes


def through_pipes(arguments: list[str], home: Path, env: dict[str, str], talk: Callable[[Conversation], None]) -> bytes:
    """Start the client with pipes, and talk. Returns all it wrote, once it has ended well."""
    with subprocess.Popen(
        [*ROBBY, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(home, **env),
        bufsize=0,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout
        whole = bytearray()

        def read(seconds: float) -> str:
            ready, _, _ = select.select([stdout], [], [], seconds)
            more = stdout.read(65536) or b"" if ready else b""
            whole.extend(more)
            return more.decode(errors="ignore")

        def write(line: str) -> None:
            stdin.write(line.encode())

        try:
            talk(Conversation(read, write))
            stdin.close()
            whole.extend(stdout.read())
            assert process.wait(PATIENCE) == 0, whole
        finally:
            if process.poll() is None:
                process.kill()
        return bytes(whole)


def test_plain_game_through_pipes_in_ascii(tmp_path: Path) -> None:
    """As a script plays, in a locale without UTF-8."""
    with ServerProcess(tmp_path / "server", "--bot-think", "0") as server:
        arguments = ["join", "--plain", server.address, "--name", "Ana", "--guest"]
        env = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TERM": ""}

        def talk(conversation: Conversation) -> None:
            a_short_game(conversation)

        assert through_pipes(arguments, tmp_path / "ana", env, talk).isascii()


def test_plain_play_through_pipes(tmp_path: Path) -> None:
    """The local table in lines: one round by the numbers, then out of it."""

    def talk(conversation: Conversation) -> None:
        conversation.wait_for("Round 1:", START_SECONDS)
        conversation.answer_until("Round 2:")
        conversation.say("quit")

    arguments = ["play", "--plain", "--name", "Ana", "--players", "3", "--fast", "--time", "relaxed"]
    told = through_pipes(arguments, tmp_path, {}, talk)
    assert "The cards are turned:" in told.decode()
    assert b"Traceback" not in told


def test_a_told_game_breaks_no_word_in_a_terminal(tmp_path: Path) -> None:
    arguments = ["play", "--watch", "--fast", "--seed", "5", "--game", "tresor-diebe", "--rounds", "1"]
    told = run_robby(*arguments, home=tmp_path / "piped").stdout.decode()
    with Person("Ana", *arguments, home=tmp_path / "seen", columns=44) as ana:
        assert ana.wait_exit(60.0) == 0
        shown = ana.text.strip()
    assert any(len(line) > 44 for line in told.splitlines()[-20:]), "nothing had to be folded"
    # What begins with an indent is the rest of a line; that of the screen's first one has left it.
    whole = re.sub(r"\n {4}", " ", "\n" + shown).partition("\n")[2].partition("\n")[2]
    assert len(whole) > 300
    assert whole in told
