"""The server as a child process: what is said when it does not come up."""

import sys

import pytest

from robby_cli import child
from robby_cli.exits import CommandError
from robby_client import exit_codes


def begin(code: str) -> str:
    """What is said about a child that runs this instead of a server."""
    server = child.ServerChild()
    server._command = [sys.executable, "-c", code]
    with pytest.raises(CommandError) as refused, server:
        pass
    assert refused.value.code == exit_codes.CANNOT_LISTEN
    return refused.value.text


def test_its_last_words_are_passed_on() -> None:
    assert "The disk is full." in begin("import sys; print('first'); sys.exit('x\\nThe disk is full.')")


def test_a_child_that_ends_without_a_word() -> None:
    assert begin("pass")


def test_a_child_that_never_says_that_it_is_ready_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "START_SECONDS", 0.2)
    assert begin("import time; time.sleep(60)")


def test_a_child_that_does_not_stop_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "STOP_SECONDS", 0.2)
    server = child.ServerChild()
    ready = '{\\"host\\": \\"127.0.0.1\\", \\"port\\": 7622}'
    server._command = [sys.executable, "-c", f"import time; print('{ready}', flush=True); time.sleep(60)"]
    with server:
        assert server.address.port == 7622
