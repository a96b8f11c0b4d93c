"""Commands and their answers over whichever connection there is. Knows no commands' meaning.

Each command is sent once and has one answer; nothing is kept for a later connection.
"""

import logging
from collections.abc import Callable
from typing import Any

import anyio

from robby_client.codes import MAYBE_DONE, NOT_CONNECTED, refusal, text_for
from robby_client.link import Link
from robby_protocol.errors import FRAME_TOO_LARGE, LocalProtocolError, UnsendableError
from robby_protocol.messages import Command, Error, Ok
from robby_protocol.messages.base import MAX_REQUEST_ID

_log = logging.getLogger(__name__)


class Refused(Exception):  # noqa: N818 - the server's answer, not a fault
    """The server refused a command; nothing has changed. code: stable. text: for people, with a remedy."""

    def __init__(self, code: str, text: str | None = None, details: dict[str, Any] | None = None) -> None:
        self.code = code
        self.text = text_for(code) if text is None else text
        self.details = details or {}
        super().__init__(f"{code}: {self.text}")


class NotConnected(Exception):  # noqa: N818 - a state of the network, not a fault
    """A command was not sent (unsure: False), or its connection was lost before the answer came (unsure: True).

    It is never sent again by itself. After a resume the world tells whether it was done.
    """

    def __init__(self, *, unsure: bool = False) -> None:
        self.code = MAYBE_DONE if unsure else NOT_CONNECTED
        self.text = text_for(self.code)
        self.unsure = unsure
        super().__init__(f"{self.code}: {self.text}")


class _Call:
    """A command that waits for its answer. on_ok, on_error: done the moment it arrives, before any later message."""

    def __init__(self, on_ok: Callable[[], None] | None, on_error: Callable[[Error], None] | None = None) -> None:
        self.on_ok = on_ok
        self.on_error = on_error
        self.done = anyio.Event()
        self.sent = False
        self.answer: Ok | Error | None = None

    def mark_sent(self) -> None:
        self.sent = True


class Calls:
    """The commands that wait for their answers. link: the connection, None if there is none.

    closed: nothing is sent any more.
    """

    def __init__(self) -> None:
        self.link: Link | None = None
        self.closed = False
        self._waiting: dict[int, _Call] = {}
        self._last_id = 0

    @property
    def open(self) -> bool:
        """Whether a command could be sent now."""
        return self.link is not None and not self.closed

    async def ask(
        self, command: type[Command], fields: dict[str, Any], on_ok: Callable[[], None] | None = None
    ) -> dict[str, Any]:
        """Send a command and wait for its answer. on_ok: done before any message that follows the answer.

        Returns the result; raises Refused or NotConnected.
        """
        number, call = self._send(command, fields, _Call(on_ok))
        try:
            await call.done.wait()
        finally:
            self._waiting.pop(number, None)
        if call.answer is None:
            raise NotConnected(unsure=call.sent)
        if isinstance(call.answer, Error):
            answer = call.answer
            raise Refused(answer.code, refusal(answer.code, answer.text, answer.details), answer.details)
        return call.answer.result

    def post(
        self, command: type[Command], fields: dict[str, Any], on_error: Callable[[Error], None] | None = None
    ) -> None:
        """Send a command that nobody waits for."""
        try:
            self._send(command, fields, _Call(None, on_error))
        except NotConnected:
            _log.debug("not sent: %s", command.__name__)

    def _send(self, command: type[Command], fields: dict[str, Any], call: _Call) -> tuple[int, _Call]:
        link = self.link
        if link is None or self.closed:
            raise NotConnected
        number = self._next_id()
        try:
            link.send(command(id=number, **fields), call.mark_sent)
        except UnsendableError as error:
            # Longer than any server takes, or not to be written as a message: nothing was sent.
            raise Refused(FRAME_TOO_LARGE) from error
        except LocalProtocolError as error:
            raise NotConnected from error  # one side has said its last word; the connection is about to end
        self._waiting[number] = call
        return number, call

    def answered(self, answer: Ok | Error) -> None:
        """An answer has arrived."""
        call = self._waiting.pop(answer.re or 0, None)
        if call is not None:
            if isinstance(answer, Ok) and call.on_ok is not None:
                call.on_ok()
            if isinstance(answer, Error) and call.on_error is not None:
                call.on_error(answer)
            call.answer = answer
            call.done.set()

    def lost(self) -> None:
        """The connection is gone, and with it all answers."""
        self.link = None
        for call in self._waiting.values():
            call.done.set()
        self._waiting.clear()

    def _next_id(self) -> int:
        while True:
            self._last_id = self._last_id % MAX_REQUEST_ID + 1
            if self._last_id not in self._waiting:
                return self._last_id
