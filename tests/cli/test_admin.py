"""`robby admin` against a server that really runs: what a person reads, what a program reads, and the exit codes."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robby_cli import admin
from robby_cli.command_line import run
from robby_client import exit_codes
from robby_server.admin_socket import SOCKET_FILE
from tests.cli.processes import Robby, environment


def wait_for_socket(server: Robby, folder: Path) -> None:
    """Until the server says that it is there: then it can be steered."""
    server.until("The server's id")
    assert (folder / SOCKET_FILE).exists()


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """The data folder of a server that runs."""
    folder = tmp_path / "data"
    server = Robby(["serve", "--host", "127.0.0.1", "--port", "0", "--data", str(folder)], environment(tmp_path))
    try:
        wait_for_socket(server, folder)
        yield folder
    finally:
        server.kill()


def asked(data: Path, *arguments: str, code: int = 0, capsys: pytest.CaptureFixture[str]) -> Any:
    assert run(["admin", "--data", str(data), "--json", *arguments]) == code
    return json.loads(capsys.readouterr().out)


def test_looking_and_steering(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["admin", "--data", str(data), "status"]) == 0
    shown = capsys.readouterr().out
    assert "0 playing, 0 waiting, 0 finished" in shown
    status = asked(data, "status", capsys=capsys)["result"]
    assert status["server_id"] in shown
    for command in ("tables", "players", "bans"):
        assert run(["admin", "--socket", str(data / SOCKET_FILE), command]) == 0
        assert capsys.readouterr().out.count("\n") == 1
        assert asked(data, command, capsys=capsys) == {"ok": True, "result": []}
    assert asked(data, "say", "Back", "at", "nine", capsys=capsys)["result"] == {"told": 0}
    assert run(["admin", "--data", str(data), "ban", "Xenia", "--reason", "rude"]) == 0
    assert run(["admin", "--data", str(data), "bans"]) == 0
    assert "rude" in capsys.readouterr().out
    assert run(["admin", "--data", str(data), "unban", "Xenia"]) == 0
    assert run(["admin", "--data", str(data), "drain"]) == 0


def test_what_the_server_refuses(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["kick", "Nobody"],
        ["unban", "Nobody"],
        ["close", "00000000"],
        ["discard", "00000000"],
        ["unbind", "Nobody"],
    ):
        assert run(["admin", "--data", str(data), *arguments]) == exit_codes.REFUSED
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        assert asked(data, *arguments, code=exit_codes.REFUSED, capsys=capsys)["ok"] is False


def test_stop_ends_the_server(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    server = Robby(["serve", "--host", "127.0.0.1", "--port", "0", "--data", str(folder)], environment(tmp_path))
    try:
        wait_for_socket(server, folder)
        assert run(["admin", "--data", str(folder), "stop"]) == 0
        server.end()
        assert server.code == 0
        assert not (folder / SOCKET_FILE).exists()
    finally:
        server.kill()


def test_where_no_server_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stale = tmp_path / "stale"
    stale.mkdir()
    made = "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])"
    subprocess.run([sys.executable, "-W", "ignore", "-c", made, str(stale / SOCKET_FILE)], check=True)
    for folder in (tmp_path / "missing", stale, tmp_path / ("x" * 120)):
        assert run(["admin", "--data", str(folder), "status"]) == exit_codes.CANNOT_CONNECT
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert str(folder) in error


@pytest.mark.parametrize(
    "arguments",
    [["ban"], ["ban", "Ana", "--address", "192.0.2.1"], ["unban"], ["say"], ["kick"], ["dance"], ["status", "more"]],
)
def test_a_wrong_command_line(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["admin", "--data", str(tmp_path), *arguments]) == exit_codes.USAGE
    assert capsys.readouterr().err.count("\n") == 1


NASTY = "\x1b[2J\x1b]0;title\x07\r\n\x9b31m\u202e"


def test_other_peoples_words_steer_no_terminal() -> None:
    """Every answer with nasty text in every place shows lines of printable characters alone."""
    seat = {"name": NASTY, "bot": NASTY, "state": NASTY}
    table = {
        "table": NASTY,
        "title": NASTY,
        "phase": NASTY,
        "host": NASTY,
        "capacity": 4,
        "seats": [seat],
        "private": True,
        "watchers": 1,
    }
    status = {
        "name": NASTY,
        "version": NASTY,
        "server_id": NASTY,
        "uptime_s": 90_061,
        "connections": 1,
        "people": 1,
        "tables": {"playing": 1, "waiting": 1, "finished": 1},
        "matches": {"started": 1, "finished": 1, "broken_off": 1, "starts_aborted": 1},
        "bans": 1,
        "memory_bytes": None,
        "store_trouble": NASTY,
        "draining": True,
        "parked": [{"table": NASTY, "reason": NASTY}],
    }
    answers: dict[str, Any] = {
        "status": status,
        "tables": [table],
        "players": [{"name": NASTY, "connected": True, "table": NASTY, "address": NASTY, "key": NASTY}],
        "bans": [{"kind": NASTY, "value": NASTY, "since": 1, "reason": NASTY}],
        "say": {"told": 1},
        "kick": {"name": NASTY},
        "ban": {"value": NASTY},
        "unban": {"value": NASTY},
        "unbind": {"names": [NASTY]},
        "close": {"table": NASTY},
        "discard": {"table": NASTY},
        "drain": {"playing": 2},
        "undrain": {},
        "stop": {},
        "reload": {"problems": [], "warnings": [NASTY]},
    }
    assert NASTY not in "".join(admin.SHOWN["reload"]({"problems": [NASTY]}))
    assert set(answers) == set(admin.SHOWN)
    for do, answer in answers.items():
        lines = admin.SHOWN[do](answer)
        assert lines
        assert all(line.isprintable() for line in lines), (do, lines)


def test_columns_line_up_by_what_characters_take() -> None:
    lines = admin.columns(("name", "n"), [("Ana", "1"), ("花子", "2"), ("a very long name " * 5, "3")])
    assert len(lines) == 4
    assert lines[1].endswith(" 1")
    assert lines[2].startswith("花子  ")
    assert "…" in lines[3]


def test_the_options_may_also_stand_after_the_command(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = asked(data, "bans", capsys=capsys)
    assert run(["admin", "bans", "--json", "--data", str(data)]) == 0
    assert json.loads(capsys.readouterr().out) == before
    assert run(["admin", "--data", str(data / "elsewhere"), "ban", "Zed", "--data", str(data)]) == 0
    capsys.readouterr()
    assert run(["admin", "--json", "bans", "--socket", str(data / SOCKET_FILE)]) == 0
    [ban] = json.loads(capsys.readouterr().out)["result"]
    assert ban["value"] == "Zed"


@pytest.mark.parametrize("as_json", [True, False])
def test_a_reload_that_failed_is_no_success(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, as_json: bool) -> None:
    found: dict[str, list[str]] = {"problems": [], "warnings": ["It ends soon."]}
    monkeypatch.setattr(admin, "ask", lambda _socket, _request: found)
    assert admin.admin({"do": "reload"}, data=tmp_path, socket=None, as_json=as_json) == exit_codes.WELL
    found["problems"].append("It is not TOML.")
    assert admin.admin({"do": "reload"}, data=tmp_path, socket=None, as_json=as_json) == exit_codes.REFUSED
