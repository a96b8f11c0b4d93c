"""The client: keeps one connection to a server, comes back when it is lost, and answers calls. Knows no screens."""

import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
from anyio.abc import ByteStream
from msgspec import Struct

from robby_client.backoff import Backoff
from robby_client.codes import (
    CLIENT_FAULT,
    MAYBE_DONE,
    NOT_CONNECTED,
    SERVER_ID_CHANGED,
    SERVER_PROOF_WRONG,
    STOPPED,
    TIMED_OUT,
    refusal,
    text_for,
)
from robby_client.dial import DialError
from robby_client.events import ClientEvent, Connected, Ended, Lost, Received
from robby_client.inbox import Inbox
from robby_client.link import Link, LinkError, lost
from robby_client.login import DEFAULT_TIMINGS, LoginPlan, Timings
from robby_client.world import World
from robby_protocol.codec import plain
from robby_protocol.connection import InvalidMessage
from robby_protocol.errors import (
    FRAME_TOO_LARGE,
    INVALID_MESSAGE,
    NO_DECISION,
    RESUME_UNKNOWN,
    STALE_DECISION,
    LocalProtocolError,
    UnsendableError,
)
from robby_protocol.messages import Act, Command, Error, Greeting, Message, Ok, Pong, TableLeave, Welcome
from robby_protocol.messages.base import MAX_REQUEST_ID

__all__ = ["Client", "Dial", "LoginPlan", "NotConnected", "Refused", "Timings"]

Dial = Callable[[], Awaitable[ByteStream]]

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
    """A command that waits for its answer."""

    def __init__(self, on_ok: Callable[[], None] | None) -> None:
        self.on_ok = on_ok
        """Done the moment the answer arrives, before any later message."""
        self.done = anyio.Event()
        self.sent = False
        self.answer: Ok | Error | None = None

    def mark_sent(self) -> None:
        self.sent = True


class Client:
    """One identity on one server.

    dial: makes a new connection, or raises DialError. first_try_fatal: a first try that fails ends the client,
    instead of being tried again. reconnect: False: any loss ends it. accept_server_id: asked with (known, new) when
    the server's id is not the known one; without it, or if it says False, the client ends.
    on_welcome: told of each login, with the greeting, before the event is seen; for remembering keys and tokens.

    All methods belong to the event loop in which `run` runs.
    """

    world: World

    def __init__(
        self,
        dial: Dial,
        login: LoginPlan,
        *,
        timings: Timings = DEFAULT_TIMINGS,
        rng: random.Random | None = None,
        first_try_fatal: bool = False,
        reconnect: bool = True,
        accept_server_id: Callable[[bytes, bytes], bool] | None = None,
        on_welcome: Callable[[Greeting, Welcome], None] | None = None,
    ) -> None:
        self.world = World()
        self._dial = dial
        self._plan = login
        self._timings = timings
        self._first_try_fatal = first_try_fatal
        self._reconnect = reconnect
        self._accept_server_id = accept_server_id
        self._on_welcome = on_welcome
        self._backoff = Backoff(timings.first_wait, timings.longest_wait, rng or random.Random())
        self._inbox = Inbox()
        self._calls: dict[int, _Call] = {}
        self._last_id = 0
        self._link: Link | None = None
        self._server_id = login.known_server_id
        self._token = login.resume
        self._identity: str | None = None
        self._forgotten = False
        self._started = False
        self._stopping = False
        self._scope: anyio.CancelScope | None = None

    @property
    def connected(self) -> bool:
        """Whether a command could be sent now."""
        return self._link is not None and not self._stopping

    @property
    def events(self) -> AsyncIterator[ClientEvent]:
        """All events, for one consumer; ends after Ended."""
        return self._inbox

    async def run(self) -> None:
        """Own the connection until the client is ended. Call it once."""
        if self._started:
            raise RuntimeError("a client runs once")
        self._started = True
        ended = Ended(STOPPED, text_for(STOPPED))
        try:
            ended = await self._run()
        finally:
            # Also when cancelled: whoever waits for events must not wait for ever.
            self._inbox.put(ended)

    async def _run(self) -> Ended:
        attempt = 0
        while not self._told_to_stop():
            was_connected = False
            try:
                with anyio.CancelScope() as scope:
                    self._scope = scope
                    link = await self._connect()
                    was_connected = True
                    began = anyio.current_time()
                    try:
                        await self._serve(link)
                    finally:
                        if anyio.current_time() - began >= self._timings.steady:
                            self._backoff.reset()
                break  # stopped
            except (DialError, LinkError) as error:
                problem = error if isinstance(error, LinkError) else LinkError(error.code, error.text, heals=True)
            except Exception as error:  # noqa: BLE001 - a mistake of ours must not end the person's game
                _log.error("client fault: %s", repr(error).encode("unicode_escape").decode(), exc_info=_debugging())
                problem = LinkError(CLIENT_FAULT, text_for(CLIENT_FAULT), heals=True)
            if self._told_to_stop():
                break
            attempt = 0 if was_connected else attempt + 1
            first_failed = self._identity is None and self._first_try_fatal
            if not problem.heals or not self._reconnect or first_failed:
                return Ended(problem.code, problem.text)
            wait = self._backoff.next()
            self._inbox.put(Lost(problem.code, problem.text, attempt, wait))
            with anyio.CancelScope() as scope:
                self._scope = scope
                await anyio.sleep(wait)
        return Ended(STOPPED, text_for(STOPPED))

    async def _connect(self) -> Link:
        """Dial and log in. Raises DialError or LinkError."""
        try:
            return await self._log_in()
        except LinkError as error:
            if error.code != RESUME_UNKNOWN or self._forgotten:
                raise
        # The server no longer knows this guest: be a new one of the same name.
        self._forgotten = True
        return await self._log_in()

    async def _log_in(self) -> Link:
        link: Link | None = None
        try:
            with anyio.fail_after(self._timings.handshake):
                stream = await self._dial()
                link = Link(stream, self._timings)
                greeting, welcome = await link.handshake(self._plan, token_for=self._token_for, trusted=self._trusted)
            if self._on_welcome is not None:
                self._on_welcome(greeting, welcome)
        except BaseException as error:
            if link is not None:
                await link.aclose()
            if isinstance(error, TimeoutError):
                raise lost(TIMED_OUT) from None
            raise
        resumed = welcome.identity == self._identity
        self._server_id = greeting.server_id
        self._identity = welcome.identity
        self._token = welcome.resume
        self._forgotten = False
        self._link = link
        self.world.connected(greeting, welcome)
        self._inbox.put(Connected(welcome, resumed))
        return link

    def _token_for(self, server_id: bytes) -> bytes:
        """The token by which a guest comes back to this server; never shown to another one."""
        if self._forgotten:
            return b""
        if self._token and self._server_id in (None, server_id):
            return self._token
        return self._plan.resume_for(server_id) if self._plan.resume_for is not None else b""

    def _trusted(self, server_id: bytes, proven: bool) -> str | None:
        """The code for which this server is not to be talked to; None if it is. A known one must prove its id."""
        if self._server_id is None:
            return None
        if not proven:
            return SERVER_PROOF_WRONG
        if server_id == self._server_id:
            return None
        if self._accept_server_id is not None and self._accept_server_id(self._server_id, server_id):
            return None
        return SERVER_ID_CHANGED

    async def _serve(self, link: Link) -> None:
        try:
            await link.serve(self._received)
        finally:
            self._link = None
            self.world.disconnected()
            for call in self._calls.values():
                call.done.set()
            self._calls.clear()
            await link.aclose()

    def _received(self, message: Message | InvalidMessage) -> None:
        if isinstance(message, InvalidMessage):
            _log.warning("invalid message %s: %s", message.type, message.detail)
            if message.id is not None:
                # The answer came, but cannot be read: whoever waits for it must not wait for ever.
                text = text_for(INVALID_MESSAGE)
                self._answered(Error(re=message.id, code=INVALID_MESSAGE, text=text))
        elif isinstance(message, Ok) or (isinstance(message, Error) and message.re is not None):
            self._answered(message)
        elif not isinstance(message, Pong):
            self.world.apply(message)
            self._inbox.put(Received(message))

    def _answered(self, answer: Ok | Error) -> None:
        call = self._calls.pop(answer.re or 0, None)
        if call is not None:
            if isinstance(answer, Ok) and call.on_ok is not None:
                call.on_ok()
            call.answer = answer
            call.done.set()

    async def call(self, command: type[Command], /, **fields: Any) -> dict[str, Any]:
        """Send a command and wait for its one answer. Returns its result; raises Refused or NotConnected."""
        return await self._call(command, fields, self.world.leave_table if command is TableLeave else None)

    async def _call(
        self, command: type[Command], fields: dict[str, Any], on_ok: Callable[[], None] | None
    ) -> dict[str, Any]:
        link = self._link
        if link is None or self._stopping:
            raise NotConnected
        number = self._next_id()
        call = _Call(on_ok)
        try:
            link.send(command(id=number, **fields), call.mark_sent)
        except UnsendableError as error:
            # Longer than any server takes, or not to be written as a message: nothing was sent.
            raise Refused(FRAME_TOO_LARGE) from error
        except LocalProtocolError as error:
            raise NotConnected from error  # one side has said its last word; the connection is about to end
        self._calls[number] = call
        try:
            await call.done.wait()
        finally:
            self._calls.pop(number, None)
        if call.answer is None:
            raise NotConnected(unsure=call.sent)
        if isinstance(call.answer, Error):
            answer = call.answer
            raise Refused(answer.code, refusal(answer.code, answer.text, answer.details), answer.details)
        return call.answer.result

    async def act(self, action: Struct, *, decision: int | None = None) -> None:
        """Answer the open decision of `world.game`.

        decision: the id of the decision that the person saw; if another is open by now, nothing is sent and Refused
        (`stale_decision`) is raised. Raises Refused (`no_decision` if nothing is asked) or NotConnected.
        Once taken, `world.game.decision` is None until the server asks again.
        """
        if not self.connected:
            raise NotConnected
        table, game = self.world.table, self.world.game
        if table is None or game is None or game.decision is None:
            raise Refused(NO_DECISION)
        number = game.decision.id
        if decision is not None and decision != number:
            raise Refused(STALE_DECISION)
        fields = {"table": table.table, "match": game.match, "decision": number, "action": plain(action)}
        await self._call(Act, fields, lambda: self.world.answered(number))

    def stop(self) -> None:
        """Say bye and end `run`. May be called at any time, more than once."""
        self._stopping = True
        if self._link is not None:
            self._link.close()
        elif self._scope is not None:
            self._scope.cancel()

    def _told_to_stop(self) -> bool:
        return self._stopping

    def _next_id(self) -> int:
        while True:
            self._last_id = self._last_id % MAX_REQUEST_ID + 1
            if self._last_id not in self._calls:
                return self._last_id


def _debugging() -> bool:
    return _log.isEnabledFor(logging.DEBUG)
