"""Joining as processes: a changed server is a question, and TLS is remembered and never silently left out."""

import os
import pty
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from robby_client import exit_codes
from tests import certificates
from tests.cli.processes import Robby
from tests.cli.test_processes import Start, start

__all__ = ["start"]


def serve(start: Start, data: Path, *more: str, port: str = "0") -> tuple[Robby, str]:
    """A server with its own data, hence its own id. Returns it and its port."""
    process = start("serve", "--host", "127.0.0.1", "--port", port, "--data", str(data), *more)
    found = process.until(r"127\.0\.0\.1:(\d+)")
    process.until("server's id")
    return process, found.group(1)


def stop(server: Robby) -> None:
    server.process.send_signal(signal.SIGTERM)
    server.end()


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """A terminal to type at: our end and the process's."""
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)
    os.close(theirs)


def test_a_person_is_asked_about_a_changed_server_and_must_say_yes(
    start: Start, tmp_path: Path, terminal: tuple[int, int]
) -> None:
    ours, theirs = terminal
    first, port = serve(start, tmp_path / "first")
    join = ["join", f"127.0.0.1:{port}", "--plain", "--name", "Ana"]
    ana = start(*join)
    ana.until("Connected to Robby as Ana")
    ana.type("quit")
    ana.end()
    stop(first)
    serve(start, tmp_path / "second", port=port)
    for answer, code in (("no", exit_codes.REFUSED), ("", exit_codes.REFUSED), ("yes", None)):
        with open(os.dup(theirs), "rb") as stdin:
            ana = start(*join, stdin=stdin)
        known = ana.until(r"^  ((?:[0-9a-f]{4} ){7}[0-9a-f]{4})$").group(1)
        new = ana.until(r"^  ((?:[0-9a-f]{4} ){7}[0-9a-f]{4})$").group(1)
        assert known != new
        ana.until("type yes")
        os.write(ours, answer.encode() + b"\n")
        if code is not None:
            ana.end()
            assert ana.code == code
    ana.until("Connected to Robby as Ana")
    # The line typed after the answer is the client's again.
    os.write(ours, b"quit\n")
    ana.end()
    assert ana.code == exit_codes.WELL
    again = start(*join)
    again.until("Connected to Robby as Ana")


def test_a_person_is_asked_for_the_password_until_it_is_right(
    start: Start, tmp_path: Path, terminal: tuple[int, int]
) -> None:
    ours, theirs = terminal
    password = tmp_path / "password"
    password.write_text("sesame\n")
    _server, port = serve(start, tmp_path / "data", "--password-file", str(password))
    join = ["join", f"127.0.0.1:{port}", "--plain", "--name", "Ana"]

    def at_terminal() -> Robby:
        with open(os.dup(theirs), "rb") as stdin:
            ana = start(*join, stdin=stdin)
        ana.until("Type the server's password")
        return ana

    ana = at_terminal()
    os.write(ours, b"sesam\n")
    ana.until("Type the server's password")
    os.write(ours, b"sesame\n")
    ana.until("Connected to Robby as Ana")
    os.write(ours, b"quit\n")
    ana.end()
    assert ana.code == exit_codes.WELL
    ana = at_terminal()
    os.write(ours, b"\n")
    ana.end()
    assert ana.code == exit_codes.REFUSED
    script = start(*join)
    assert "--password-file" in script.end()
    assert script.code == exit_codes.REFUSED


def test_a_game_on_a_real_server_is_dealt_fairly_and_its_record_fits_the_receipt(start: Start, tmp_path: Path) -> None:
    _server, port = serve(start, tmp_path / "data", "--quiet", "--bot-think", "0")
    ana = start("join", f"127.0.0.1:{port}", "--plain", "--name", "Ana")
    ana.until("Connected to Robby as Ana")
    ana.type("create seats=3 time=blitz bots=greedy,random play_ms=1000 revision_min_ms=100 revision_max_ms=1000")
    ana.until("What now")
    ana.type("options max_rounds=1")
    ana.until("changed the table's options")
    ana.type("start")
    ana.until("The deal is fair: 1 of 1 opened")
    ana.until("The deal is checked")
    ana.type("record")
    record = Path(ana.until(r"The record is saved as (.+)\.$").group(1))
    [receipt] = (tmp_path / "home" / "receipts").iterdir()
    verify = start("verify", str(record), "--receipt", str(receipt))
    said = verify.end()
    assert verify.code == exit_codes.WELL
    assert "not there" not in said
    receipt.write_bytes(receipt.read_bytes().replace(b'"secret": "', b'"secret": "00')[:-4])
    damaged = start("verify", str(record), "--receipt", str(receipt))
    damaged.end()
    assert damaged.code == exit_codes.BAD_RECORD


def test_a_bot_refuses_a_changed_server_and_names_the_option(start: Start, tmp_path: Path) -> None:
    first, port = serve(start, tmp_path / "first", "--quiet")
    bot = ["bot", "greedy", f"127.0.0.1:{port}", "--name", "Bertha"]
    one = start(*bot)
    one.until("Connected as Bertha")
    one.process.send_signal(signal.SIGTERM)
    one.end()
    stop(first)
    serve(start, tmp_path / "second", "--quiet", port=port)
    two = start(*bot)
    two.end()
    assert two.code == exit_codes.REFUSED
    assert "--trust-new-server" in two.errors()
    start(*bot, "--trust-new-server").until("Connected as Bertha")
    start(*bot).until("Connected as Bertha")


def test_tls_is_remembered_and_only_left_out_on_purpose(start: Start, tmp_path: Path) -> None:
    made = certificates.authority()
    ca = tmp_path / "ca.pem"
    ca.write_bytes(made.pem)
    certificate, key = certificates.server("127.0.0.1", by=made).write(tmp_path)
    secure = ("--tls-cert", str(certificate), "--tls-key", str(key))
    server, port = serve(start, tmp_path / "data", *secure)
    join = ["join", f"127.0.0.1:{port}", "--plain", "--name", "Ana"]

    def ends(*more: str) -> int | None:
        ana = start(*join, *more)
        ana.close_input()
        ana.end()
        return ana.code

    assert ends("--tls") == exit_codes.REFUSED  # nobody vouches for it
    assert ends("--tls-ca", str(ca)) == exit_codes.WELL
    assert ends() == exit_codes.WELL
    assert ends("--no-tls") != exit_codes.WELL
    assert ends("--no-tls", "--tls-ca", str(ca)) == exit_codes.USAGE
    stop(server)
    # The same server without TLS: it is not gone to without being told.
    serve(start, tmp_path / "data", port=port)
    assert ends() == exit_codes.CANNOT_CONNECT
    assert ends("--no-tls") == exit_codes.WELL
    assert ends() == exit_codes.CANNOT_CONNECT
