"""Passwords typed at a plain client: not shown on a terminal, and the terminal is as before afterwards."""

import os
import pty
import select
import termios
from collections.abc import AsyncIterator, Callable, Iterator
from unittest.mock import create_autospec

import pytest

from robby_client.client import Client
from robby_plain.input import LineReader
from robby_plain.output import Printer
from robby_plain.session import Cancelled, Session, seen_or_not, unseen


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """The person's end and the program's end."""
    person, program = pty.openpty()
    yield person, program
    os.close(person)
    os.close(program)


def shows(fd: int) -> bool:
    return bool(termios.tcgetattr(fd)[3] & termios.ECHO)


def echoed(person: int) -> bytes:
    ready, _writable, _faulty = select.select([person], [], [], 0)
    return os.read(person, 1_000) if ready else b""


def session_at(program: int, say: Callable[[str], None]) -> Session:
    """A session that needs nothing of its client."""
    return Session(create_autospec(Client, instance=True), LineReader(program), Printer(say))


async def test_a_password_is_not_shown_and_what_follows_is(terminal: tuple[int, int]) -> None:
    person, program = terminal
    said: list[str] = []

    def typed(line: str) -> None:
        said.append(line)
        os.write(person, b"red herring\n")

    session = session_at(program, typed)
    assert await session.ask_secret("?") == "red herring"
    assert said == ["? " + seen_or_not(True)]
    assert echoed(person).strip() == b""
    assert shows(program)
    os.write(person, b"left\n")
    assert await session.next_line() == "left"
    assert echoed(person).strip() == b"left"


async def test_a_cancelled_password_leaves_the_terminal_as_it_was(terminal: tuple[int, int]) -> None:
    person, program = terminal
    said: list[str] = []
    session = session_at(program, said.append)
    os.write(person, b"cancel\n")
    with pytest.raises(Cancelled):
        await session.ask_secret("?")
    assert shows(program)


def test_a_terminal_that_showed_nothing_before_shows_nothing_afterwards(terminal: tuple[int, int]) -> None:
    program = terminal[1]
    reader = LineReader(program)
    with reader.unseen(), reader.unseen() as hidden:
        assert hidden
    assert shows(program)
    with reader.unseen():
        with reader.unseen():
            pass
        assert not shows(program)


def test_lines_that_come_from_no_terminal_say_that_they_are_shown() -> None:
    reader, writer = os.pipe()
    try:
        with LineReader(reader).unseen() as hidden:
            assert not hidden
    finally:
        os.close(reader)
        os.close(writer)

    async def none() -> AsyncIterator[str]:
        return
        yield

    with unseen(none()) as hidden:
        assert not hidden
