"""What the parts of the plain client share: the client, the voice, the numbers, and reading the next line."""

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Protocol, TypeVar

import anyio
from msgspec import Struct

from robby_client.client import NotConnected, Refused
from robby_client.events import ClientEvent
from robby_client.world import World
from robby_plain.input import LONGEST_INPUT, LineReader, TooLong
from robby_plain.numbers import Answer, Choice, Numbers
from robby_plain.output import Printer
from robby_protocol.i18n import _
from robby_protocol.messages import Command

T = TypeVar("T")
Deed = Callable[[], Awaitable[None]]
"""What a chosen number does."""

SEEN_SECONDS = 2.0
"""A table's new state follows the answer at once; where nothing has changed none follows."""
LOG_LINES = 500
"""Sentences kept for `log`: a long game has some three hundred."""


class ClientLike(Protocol):
    """What is used of `robby_client.client.Client`; tests put a scripted one in its place."""

    world: World

    @property
    def connected(self) -> bool: ...

    @property
    def events(self) -> AsyncIterator[ClientEvent]: ...

    async def run(self) -> None: ...

    async def call(self, command: type[Command], /, **fields: Any) -> dict[str, Any]: ...

    async def act(self, action: Struct, *, decision: int | None = None) -> None: ...

    async def join(self, table: str, *, invite: str = "", password: str | None = None) -> dict[str, Any]: ...

    async def watch(self, table: str, *, invite: str = "", password: str | None = None) -> dict[str, Any]: ...

    async def unwatch(self) -> dict[str, Any]: ...

    async def create(self, *, password: str | None = None, **fields: Any) -> dict[str, Any]: ...

    async def configure(self, *, password: str | None = None, **fields: Any) -> dict[str, Any]: ...

    async def say(self, text: str, *, lobby: bool = False) -> dict[str, Any]: ...

    async def save_record(self, match: str, folder: Path | None = None) -> Path: ...

    def mute(self, name: str) -> None: ...

    def unmute(self, name: str) -> None: ...

    def stop(self) -> None: ...


class EndOfInput(Exception):  # noqa: N818 - the person has gone, or the script is at its end: no fault
    """No more lines will come."""


class Cancelled(Exception):  # noqa: N818 - the person's wish, not a fault
    """The person typed `cancel` in the middle of some questions."""


class Session:
    """One run of the plain client."""

    def __init__(self, client: ClientLike, lines: AsyncIterator[str], printer: Printer) -> None:
        self.client = client
        self.numbers: Numbers[Any] = Numbers()
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        self.in_dialog = False
        """Some questions are being asked one by one; nothing else may open a question meanwhile."""
        self.leaving = False
        """The person leaves: what can no longer be sent is nobody's loss."""
        self.script = False
        """The lines come from a file or a program: nobody is there to be asked something besides."""
        self.aside: Callable[[str], Awaitable[bool]] | None = None
        """Takes a line that is meant for others or for the talk, also in the middle of some questions."""
        self._table_seen = anyio.Event()
        self._lines = lines
        self._printer = printer

    @property
    def world(self) -> World:
        return self.client.world

    def say(self, text: str, *, literal: bool = False) -> None:
        self._printer.say(text, literal=literal)

    def tell(self, text: str) -> None:
        """Say something that happened, and keep it for `log`."""
        self.log.append(text)
        self.say(text)

    def ask(self, key: Hashable, question: str, choices: Sequence[tuple[Any, str]]) -> None:
        """Open a question and say it with its numbered choices."""
        self.numbers.ask(key, [Choice(value, label) for value, label in choices])
        self.repeat(question)

    def repeat(self, question: str) -> None:
        """Say the open question again."""
        self.say(question)
        for number, choice in self.numbers.open.items():
            self.say(f"  {number}: {choice.label}")

    def not_a_choice(self, answer: Answer) -> None:
        """A number was typed that chooses nothing now."""
        if answer is Answer.STALE:
            self.say(_("That number belonged to an earlier question; nothing was done."))
        if self.numbers.open:
            numbers = sorted(self.numbers.open)
            self.say(_("Choose from {first} to {last}.").format(first=numbers[0], last=numbers[-1]))
        elif answer is not Answer.STALE:
            self.say(_("Nothing is asked now. Type help for the commands."))

    async def call(self, command: type[Command], /, **fields: Any) -> dict[str, Any] | None:
        """Send a command. What was refused, or could not be sent, is said; then the result is None."""
        return await self.attempt(self.client.call(command, **fields))

    async def attempt(self, answer: Awaitable[dict[str, Any]]) -> dict[str, Any] | None:
        """Wait for the answer to a command, as `call` does."""
        try:
            return await answer
        except (Refused, NotConnected) as problem:
            if not self.leaving:
                self.say(problem.text)
            return None

    def saw_table(self) -> None:
        """The server has told of the own table."""
        seen, self._table_seen = self._table_seen, anyio.Event()
        seen.set()

    async def change(self, command: type[Command], said: str = "", /, **fields: Any) -> dict[str, Any] | None:
        """`call` a command that changes the own table, say what was done, and wait until the change is seen.

        said: may name what the answer brings, as {table}.
        """
        return await self.changed(self.client.call(command, **fields), said)

    async def changed(self, answer: Awaitable[dict[str, Any]], said: str = "") -> dict[str, Any] | None:
        """As `change`, for a command that was made otherwise.

        The answer comes before the table's new state. A script's next line must find the table as it is then.
        """
        seen = self._table_seen
        result = await self.attempt(answer)
        if result is not None:
            await self.see(seen, said.format(**{"table": "?", **result}))
        return result

    def to_be_seen(self) -> anyio.Event:
        """Set when the server next tells of the own table."""
        return self._table_seen

    async def see(self, seen: anyio.Event, said: str = "") -> None:
        """Say what was done, and wait until the change is seen."""
        if said:
            self.say(said)
        with anyio.move_on_after(SEEN_SECONDS):
            await seen.wait()

    async def next_line(self) -> str:
        """The next line typed that is not too long. Raises EndOfInput."""
        async for line in self._lines:
            if isinstance(line, TooLong):
                self.say(
                    _("That line was too long and was dropped; at most {most} characters.").format(most=LONGEST_INPUT)
                )
                continue
            return line
        raise EndOfInput

    async def choose(self, question: str, choices: Sequence[tuple[T, str]]) -> T:
        """Ask and wait for a choice, within a dialog. Raises Cancelled or EndOfInput."""
        self.ask(("dialog", question, object()), question, choices)
        try:
            while True:
                line = await self._answer_line()
                if line.casefold() in ("cancel", "quit"):
                    raise Cancelled
                found = self.numbers.look_up(int(line)) if line.isascii() and line.isdigit() else Answer.UNKNOWN
                if isinstance(found, Choice):
                    value: T = found.value
                    return value
                self.not_a_choice(found)
        finally:
            # However it ends: a number typed later must not choose what only the dialog knew what to do with.
            self.numbers.close()

    async def ask_text(self, question: str) -> str:
        """Ask for free text, within a dialog. Raises Cancelled or EndOfInput."""
        self.numbers.close()
        self.say(question)
        line = await self._answer_line()
        if line.casefold() == "cancel":
            raise Cancelled
        return line

    async def ask_secret(self, question: str) -> str:
        """`ask_text`, with what is typed not shown where that can be had; says which of the two."""
        with unseen(self._lines) as hidden:
            return await self.ask_text(f"{question} {seen_or_not(hidden)}")

    async def _answer_line(self) -> str:
        """The next line that is meant for the dialog."""
        while True:
            line = await self.next_line()
            if self.aside is None or not await self.aside(line):
                return line


def unseen(lines: AsyncIterator[str]) -> AbstractContextManager[bool]:
    """While in it, what is typed is not shown, if these lines can do that; gives whether it is so."""
    return lines.unseen() if isinstance(lines, LineReader) else nullcontext(False)


def seen_or_not(hidden: bool) -> str:
    """What to know before a secret is typed."""
    return _("It is not shown as you type.") if hidden else _("It is shown as you type.")
