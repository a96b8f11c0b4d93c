"""The command as separate processes: signals, pipes, locales, a server and those who come to it."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol

import pytest

from robby_client import exit_codes
from tests.cli.processes import ROBBY, SECONDS, Robby, environment

LOCAL = ["--host", "127.0.0.1", "--port", "0"]


class Start(Protocol):
    """Starts a command that ends with the test at the latest. more: environment variables."""

    def __call__(self, *arguments: str, stdin: IO[bytes] | None = None, **more: str) -> Robby: ...


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Robby] = []

    def begin(*arguments: str, stdin: IO[bytes] | None = None, **more: str) -> Robby:
        started.append(Robby(list(arguments), environment(tmp_path / "home", **more), stdin))
        return started[-1]

    yield begin
    for one in started:
        one.kill()


@pytest.fixture
def server(start: Start) -> Iterator[str]:
    """A running server's address. It must end in good order as well."""
    process = start("serve", *LOCAL, "--quiet", "--bot-think", "0")
    found = process.until(r"listens on (127\.0\.0\.1:\d+)\.")
    process.until("server's id")
    yield found.group(1)
    process.process.send_signal(signal.SIGTERM)
    process.end()
    assert process.code == exit_codes.WELL
    assert "Traceback" not in process.errors()


def join(start: Start, server: str, name: str, locale: str = "C.UTF-8", term: str = "dumb") -> Robby:
    plain = start("join", server, "--plain", "--guest", "--name", name, LC_ALL=locale, TERM=term)
    plain.until(f"Connected to Robby as {name}")
    return plain


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_good_order(number: int, start: Start) -> None:
    server = start("serve", *LOCAL)
    server.until("server's id")
    server.process.send_signal(number)
    server.end()
    assert server.code == exit_codes.WELL
    assert "Traceback" not in server.errors()


def test_a_server_with_a_parent_ends_with_it_and_says_where_it_is_in_one_line(start: Start) -> None:
    server = start("serve", *LOCAL, "--parent-pipe", "--seed", "7")
    ready = json.loads(server.until("ready").string)
    socket.create_connection((ready["host"], ready["port"]), timeout=SECONDS).close()
    server.close_input()
    assert server.end() == ""
    assert server.code == exit_codes.WELL
    assert server.errors() == ""


def test_a_game_in_plain_lines_over_a_pipe_without_locale_or_terminal(server: str, start: Start) -> None:
    ana = join(start, server, "Ana", locale="C", term="")
    ana.type("create time=blitz seats=3 bots=greedy,random")
    ana.type("start")
    ana.until("The game begins")
    for _question in range(3):
        ana.type(ana.until(r"^  (\d+): ").group(1))
        ana.until(r"^(Your card is|You |New loot|That number)")
    ana.close_input()
    rest = ana.end()
    assert ana.code == exit_codes.WELL
    assert ana.errors() == ""
    assert "\x1b" not in rest


def test_a_script_from_a_file_is_done_to_its_end(server: str, start: Start, tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("create title=Friday bots=greedy\nview\nleave\nlist")
    with script.open("rb") as file:
        plain = start("join", server, "--plain", "--guest", "--name", "Ana", stdin=file)
        out = plain.end()
    assert plain.code == exit_codes.WELL
    assert plain.errors() == ""
    assert "Table Friday" in out
    assert "You left the table." in out


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_plain_client_and_a_bot_in_good_order(
    number: int, code: int, server: str, start: Start
) -> None:
    plain = join(start, server, "Ana")
    bot = start("bot", "greedy", server, "--create", "--name", "Klara")
    bot.until("The table's id is")
    for process in (plain, bot):
        process.process.send_signal(number)
        process.end()
        assert process.code == code
        assert process.errors() == ""


def test_bots_as_processes_play_a_game(server: str, start: Start) -> None:
    host = start("bot", "greedy", server, "--create", "--seats", "3", "--name", "Ana")
    table = host.until(r"The table's id is (\w+)").group(1)
    start("bot", "random", server, "--table", table, "--name", "Ben")
    start("bot", "greedy", server, "--name", "Cleo", "--seed", "7")
    host.until("A game starts")
    scores = host.until(r"The game has ended: (.+)\.").group(1)
    assert all(name in scores for name in ("Ana", "Ben", "Cleo"))


def test_a_bot_s_table_has_the_options_given(server: str, start: Start) -> None:
    options = ["--create", "--seats", "2", "--rounds", "1", "--no-odds"]
    host = start("bot", "greedy", server, "--game", "tresor-diebe", *options, "--think", "0")
    table = host.until(r"The table's id is (\w+)").group(1)
    start("bot", "random", server, "--game", "tresor-diebe", "--table", table, "--think", "0")
    host.until(r"The game has ended: ")
    assert "no odds, own rules" in join(start, server, "Ana").until(rf"{table}.*")[0]


def test_two_bots_of_a_kind_come_without_being_given_names(server: str, start: Start) -> None:
    host = start("bot", "greedy", server, "--create", "--seats", "3")
    other = start("bot", "greedy", server)
    for bot in (host, other):
        bot.until(r"Connected as Greedy bot \d+")


def test_a_bot_that_was_killed_has_its_seat_again(server: str, start: Start) -> None:
    first = start("bot", "greedy", server, "--create", "--name", "Ana")
    table = first.until(r"The table's id is (\w+)").group(1)
    first.process.kill()
    first.end()
    again = start("bot", "greedy", server, "--create", "--name", "Ana")
    again.until("Connected as Ana")
    ben = join(start, server, "Ben")
    ben.type(f"join {table}")
    ben.until("Table ")
    assert "host" in ben.until("Ana").string


def test_a_bot_says_that_its_table_is_not_there_and_ends(server: str, start: Start) -> None:
    bot = start("bot", "greedy", server, "--table", "XXXX")
    bot.end()
    assert bot.code == exit_codes.REFUSED
    assert "no such table" in bot.errors()
    assert len(bot.errors().splitlines()) == 1


def test_a_bot_that_finds_no_table_says_that_it_waits_and_sits_down_once_there_is_one(
    server: str, start: Start
) -> None:
    bot = start("bot", "greedy", server, "--name", "Klara")
    bot.until("waiting for one")
    ana = join(start, server, "Ana")
    ana.type("create seats=3")
    ana.until("Klara sat down")


def test_a_bot_waits_for_a_seat_at_the_table_that_it_was_given(server: str, start: Start) -> None:
    ana = join(start, server, "Ana")
    ana.type("create seats=3 bots=greedy,greedy")
    table = ana.until(r"Its id is (\w+)").group(1)
    bot = start("bot", "greedy", server, "--table", table, "--name", "Klara")
    bot.until("table is full")
    ana.type("kick Dusty")
    ana.until("Klara sat down")


def test_ctrl_c_in_the_first_moment_is_no_traceback() -> None:
    code = (
        "import builtins, sys, robby_cli.main as m\n"
        "real = builtins.__import__\n"
        "def late(name, *rest, **more):\n"
        "    if name == 'click': raise KeyboardInterrupt\n"
        "    return real(name, *rest, **more)\n"
        "builtins.__import__ = late\n"
        "m.main()\n"
    )
    done = subprocess.run([ROBBY[0], "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (exit_codes.INTERRUPTED, "", "")


def test_another_server_at_a_known_address_is_gone_to_only_if_told(start: Start, tmp_path: Path) -> None:
    first = start("serve", *LOCAL, "--data", str(tmp_path / "first"))
    port = first.until(r"listens on 127\.0\.0\.1:(\d+)\.").group(1)
    known = ["join", f"127.0.0.1:{port}", "--plain", "--name", "Ana"]
    ana = start(*known)
    ana.until("Connected to Robby as Ana")
    ana.type("quit")
    ana.end()
    first.process.send_signal(signal.SIGTERM)
    first.end()
    second = start("serve", "--host", "127.0.0.1", "--port", port, "--data", str(tmp_path / "second"))
    second.until("server's id")
    ana = start(*known)
    assert "--trust-new-server" in ana.end()
    assert ana.code == exit_codes.REFUSED
    ana = start(*known, "--trust-new-server")
    ana.until("Connected to Robby as Ana")


def test_a_name_that_is_refused(server: str, start: Start) -> None:
    bot = start("bot", "greedy", server, "--name", "server")
    plain = start("join", server, "--plain", "--guest", "--name", "x" * 100)
    bot.end()
    assert bot.code == exit_codes.REFUSED
    assert len(bot.errors().splitlines()) == 1
    assert len(plain.end().splitlines()) == 1
    assert plain.code == exit_codes.REFUSED
    assert plain.errors() == ""


def test_a_password_that_is_missing_and_one_that_is_right(start: Start, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("open sesame\n")
    server = start("serve", *LOCAL, "--password-file", str(tmp_path / "password"))
    address = server.until(r"listens on (127\.0\.0\.1:\d+)\.").group(1)
    bot = start("bot", "greedy", address)
    bot.end()
    assert bot.code == exit_codes.REFUSED
    bot = start("bot", "greedy", address, "--name", "Ana", "--password-file", str(tmp_path / "password"))
    bot.until("Connected as Ana")
    assert "sesame" not in server.errors()


def test_a_table_of_ones_own_in_plain_lines(start: Start) -> None:
    ana = start("play", "--plain", "--fast", "--players", "3", "--junior", "--seed", "7", "--name", "Ana")
    assert "Robby Junior" in ana.until("The game begins").string
    ana.close_input()
    ana.end()
    assert ana.code == exit_codes.WELL
    assert ana.errors() == ""


def test_whoever_stops_reading_ends_the_tale_without_a_word(start: Start) -> None:
    with open("/dev/null", "rb") as nothing:
        tale = start("play", "--fast", stdin=nothing)
    tale.until("The game begins")
    assert tale.process.stdout is not None
    tale.process.stdout.close()
    assert tale.process.wait(SECONDS) == exit_codes.BROKEN_PIPE
    assert tale.errors() == ""


def test_a_stream_of_another_encoding_has_no_say_in_whether_a_game_is_told(tmp_path: Path) -> None:
    done = subprocess.run(
        [*ROBBY, "play", "--fast", "--players", "3"],
        env=environment(tmp_path, PYTHONIOENCODING="iso-8859-1", PYTHONUTF8="0"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == exit_codes.WELL
    assert done.stderr == b""
    told = done.stdout.decode("iso-8859-1")
    assert "The game begins" in told
    assert "total: " in told
