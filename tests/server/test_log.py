"""The log: one entry is one line, and nothing in it drives a terminal or tells a secret."""

import io
import json
from collections.abc import Iterator

import pytest
import structlog
from trio.testing import MockClock

from robby_server.bots import BotTicket
from robby_server.log import Throttle, set_up_logging

NASTY = "\x1b[2J\x1b]0;title\x07\r\nfake entry\x9b31m\u0085\u2028\u202e"


@pytest.fixture(autouse=True)
def _own_configuration() -> Iterator[None]:
    yield
    structlog.reset_defaults()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_away_from_a_terminal_an_entry_is_one_json_line() -> None:
    out = io.StringIO()
    set_up_logging(out)
    structlog.get_logger("robby").info("login", name=NASTY, number=3, none=None)
    line = out.getvalue()
    assert line.count("\n") == 1
    assert line.rstrip("\n").isprintable()
    entry = json.loads(line)
    assert entry["event"] == "login"
    assert entry["number"] == 3
    assert entry["none"] is None
    assert entry["name"].isprintable()


def test_on_a_terminal_foreign_text_does_nothing() -> None:
    out = Terminal()
    set_up_logging(out)
    structlog.get_logger("robby").info("login", name=NASTY, detail=[NASTY])
    text = out.getvalue()
    assert text.count("\n") == 1
    for sequence in ("\x1b[2J", "\x1b]", "\x07", "\r", "\x9b", "\u0085", "\u2028", "\u202e"):
        assert sequence not in text


def test_a_traceback_is_one_line_of_bounded_length() -> None:
    out = io.StringIO()
    set_up_logging(out)
    try:
        raise ValueError(NASTY * 10_000)
    except ValueError:
        structlog.get_logger("robby").exception("failed")
    assert out.getvalue().count("\n") == 1
    assert "ValueError" in json.loads(out.getvalue())["exception"]
    assert len(out.getvalue()) < 100_000


def test_debug_entries_are_left_out() -> None:
    out = io.StringIO()
    set_up_logging(out)
    structlog.get_logger("robby").debug("detail")
    assert out.getvalue() == ""


def test_a_tickets_token_does_not_get_into_a_log() -> None:
    assert "secret" not in repr(BotTicket(bot="greedy", game="g", name="Greedy", resume=b"secret", table="T"))


async def test_repeated_entries_are_counted_instead(mock_clock: MockClock) -> None:
    throttle = Throttle()
    assert throttle.let("a") == 0
    assert throttle.let("a") is None
    assert throttle.let("a") is None
    assert throttle.let("b") == 0
    mock_clock.jump(1.5)
    assert throttle.let("a") == 2
    mock_clock.jump(1.5)
    assert throttle.let("a") == 0


def test_it_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging()
    structlog.get_logger("robby").warning("to_stderr")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "to_stderr" in captured.err
