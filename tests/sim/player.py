"""One person's client in the simulation: comes back whenever it is thrown out, plays at random, checks what it is told.

Written on the sans-I/O `Connection` alone, so that hundreds of games a minute fit; `robby_client` has its own tests.
"""

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import trio

from robby_protocol import codec, fair
from robby_protocol.connection import NEED_DATA, Connection, ConnectionClosed, Role, State
from robby_protocol.errors import RemoteProtocolError
from robby_protocol.messages import (
    Act,
    Bye,
    ChatSend,
    Command,
    DealCommitted,
    DealOpen,
    Error,
    GameHistory,
    GameUpdate,
    Goodbye,
    Greeting,
    Hello,
    Login,
    Message,
    Ok,
    Ping,
    Pong,
    Refused,
    ScoreLine,
    TableClosed,
    TableState,
    Welcome,
)
from tests.e2e.trials.secrecy import Auditor
from tests.sim.deterministic import nap
from tests.sim.network import Down, End, Network

SILENCE = 25.0
"""Seconds without a byte after which the server counts as gone, as in the real client."""
WAITS = (0.2, 8.0)
"""Between tries to come back, in seconds, at random."""


THINKING = (0.0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.5, 3.0)
"""Seconds before an answer. Few different ones: moments that fall together are cheaper to simulate."""


DREAMING = 40.0
"""Seconds that somebody sleeps where there is no limit to wake the others up: longer than a lost connection lasts."""


class Lost(Exception):  # noqa: N818 - the connection ended; the player comes back
    pass


class Accepted(NamedTuple):
    """An answer that the server said it took."""

    match: str
    seat: int
    decision: int
    action: dict[str, Any]


class Player:
    """One person.

    accepted: everything that was acknowledged. results: by match, what it was told at the end. token: as a guest.
    """

    def __init__(
        self,
        name: str,
        network: Network,
        rng: random.Random,
        *,
        participants: int,
        seen: set[str],
        address: str,
        audited: bool,
    ) -> None:
        self.name = name
        self.address = address
        self.accepted: list[Accepted] = []
        self.results: dict[str, tuple[ScoreLine, ...]] = {}
        self.audited = 0
        self.unanswered = 0
        self.table: TableState | None = None
        self.update: GameUpdate | None = None
        self.welcome: Welcome | None = None
        self.refusals: dict[str, int] = {}
        self.closed: str | None = None
        self.online = False
        self._participants = participants
        self._seen = seen
        self._is_audited = audited
        self._network = network
        self._rng = rng
        self._token = b""
        self._stream: End | None = None
        self._connection = Connection(Role.CLIENT)
        self._asked: dict[int, Command] = {}
        self._answers: dict[int, Ok | Error] = {}
        self._next_id = 0
        self._nonce = b""
        self._news = trio.Event()
        self._ending = False
        self._auditor: Auditor | None = None
        self._sending = trio.Lock()
        self._left: tuple[str, int] | None = None  # the last decision that needs no more thought

    def __str__(self) -> str:
        state, update = self.table, self.update
        where = "in the lobby" if state is None else f"{state.table.phase} as {state.you}"
        asked = None if update is None else (update.match, update.seq, update.decision, update.clock)
        here = "" if self.online else f" offline ({self.refusals})"
        return f"{self.name}{here} {where}, asked {asked}, {len(self.results)} results"

    # Living.

    async def run(self) -> None:
        """Be connected, again and again, until `leave`."""
        while not self._ending:
            try:
                await self._connected()
            except (Lost, Down, trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
                pass  # comes back, as every client does
            finally:
                self._over()
            if not self._ending:
                await nap(self._rng.uniform(*WAITS))

    async def leave(self) -> None:
        """End for good."""
        self._ending = True
        if self._stream is not None and self.online:
            with trio.move_on_after(1), suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await self._send(Bye())  # the network may fail in this very moment
        if self._stream is not None:
            self._stream.close()
        self._tell()

    async def _connected(self) -> None:
        self._connection = Connection(Role.CLIENT)
        self._auditor = None
        self.table = self.update = None
        with trio.fail_after(15):
            self._stream = await self._network.dial(self.address)
            await self._send(Hello(versions=[(1, 0)]))
            await self._next(Greeting)
            await self._send(Login(method="guest", name=self.name, resume=self._token))
            self.welcome = await self._next(Welcome)
        self._token = self.welcome.resume
        self.online = True
        self._tell()
        with trio.fail_after(SILENCE) as limit:
            while True:
                await self._take(await self._receive())
                limit.deadline = trio.current_time() + SILENCE

    def _over(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self.online = False
        self.unanswered += len(self._asked)
        self._asked.clear()
        self._tell()

    async def _next(self, kind: type[Any]) -> Any:
        message = await self._receive()
        if isinstance(message, Refused):
            self.refusals[message.code] = self.refusals.get(message.code, 0) + 1
            if message.code == "resume_unknown":
                self._token = b""
            raise Lost
        if not isinstance(message, kind):
            raise Lost
        return message

    async def _receive(self) -> Message:
        assert self._stream is not None
        while True:
            try:
                event = self._connection.next_event()
            except RemoteProtocolError as error:
                raise AssertionError(f"the server broke the protocol: {error}") from error
            if event is NEED_DATA:
                data = await self._stream.receive_some()
                self._connection.receive_data(data)
            elif isinstance(event, ConnectionClosed):
                raise Lost
            else:
                assert isinstance(event, Message), event
                return event

    # What it is told.

    async def _take(self, message: Message) -> None:
        if self._ending:
            return  # has said goodbye, and may say nothing more
        if isinstance(message, Ping):
            await self._send(Pong(n=message.n))
        elif isinstance(message, Goodbye):
            raise Lost
        elif isinstance(message, Ok | Error):
            self._answered(message)
        elif isinstance(message, TableState):
            self._see_table(message)
        elif isinstance(message, TableClosed):
            self.table, self.update, self.closed = None, None, message.code
        elif isinstance(message, GameUpdate):
            self._see_update(message)
        elif isinstance(message, DealCommitted):
            await self._send(DealOpen(id=self._new_id(), match=message.match, nonce=self._nonce))
        if isinstance(message, GameUpdate | GameHistory):
            self._audit(message)
        if not isinstance(message, GameHistory | GameUpdate) or self._asks():
            self._tell()

    def _asks(self) -> bool:
        """Whether something is asked that it has not thought about yet."""
        update = self.update
        return update is not None and update.decision is not None and self._left != (update.match, update.decision.id)

    def _answered(self, answer: Ok | Error) -> None:
        if answer.re is None:
            return
        assert answer.re not in self._answers, "one message was answered twice"
        self._answers[answer.re] = answer
        asked = self._asked.pop(answer.re, None)
        if isinstance(asked, Act) and isinstance(answer, Ok) and self.table is not None:
            assert asked.match is not None
            assert self.table.you is not None
            self.accepted.append(Accepted(asked.match, self.table.you, asked.decision, asked.action))

    def _see_table(self, state: TableState) -> None:
        self.table = state
        if state.table.phase == "finished" and state.table.match is not None and state.table.result:
            lines = tuple(state.table.result)
            self._seen.add(state.table.match)
            assert self.results.setdefault(state.table.match, lines) == lines, "a result has changed"

    def _see_update(self, update: GameUpdate) -> None:
        old = self.update
        if old is not None and old.match == update.match:
            assert update.seq >= old.seq, "a view is older than the one before"
        self.update = update

    def _audit(self, message: GameUpdate | GameHistory) -> None:
        if self.table is None or not self._is_audited:
            return
        if self.table.table.game != "robby-solo":
            # Hidden things are in the own view alone; that they are nowhere else the rules' suite checks.
            # Once a match is over seats move up, while its views go on to speak of those it had.
            playing = self.table.table.phase == "playing"
            own = message.own if playing and isinstance(message, GameUpdate) else None
            assert own is None or own["seat"] == self.table.you, "somebody else's own view"
            self.audited += 1
            return
        if isinstance(message, GameUpdate) and self._auditor is None and not message.public.first:
            self._auditor = Auditor(self.table.you, participants=self._participants)
        if self._auditor is not None:
            self._auditor.audit([codec.plain(message) | {"type": message.__struct_config__.tag}])
            self.audited += 1

    # What it says.

    async def _send(self, *messages: Message) -> None:
        assert self._stream is not None
        connection = self._connection
        async with self._sending:
            if connection is not self._connection or connection.state is State.CLOSED:
                raise trio.ClosedResourceError  # it ended while what was sent before still waited for room
            await self._stream.send_all(b"".join(self._connection.send(message) for message in messages))

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id

    async def call(self, kind: type[Command], *, times: int = 1, **fields: Any) -> Ok | Error:
        """Ask for something, as often in one piece as `times` says. Raises Lost without an answer to the first."""
        commands = [kind(id=self._new_id(), **fields) for _time in range(times)]
        if not self.online:
            raise Lost
        for command in commands:
            self._asked[command.id] = command
        try:
            await self._send(*commands)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise Lost from None
        first = commands[0].id
        await self.until(lambda: first in self._answers or first not in self._asked)
        if first not in self._answers:
            raise Lost
        return self._answers[first]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        while not holds():
            await self._news.wait()

    async def news(self) -> None:
        """Wait until it is told something, pings included, or its connection comes or goes."""
        await self._news.wait()

    def _tell(self) -> None:
        self._news.set()
        self._news = trio.Event()

    def new_commitment(self) -> bytes:
        """Commit to a new nonce."""
        self._nonce = self._rng.randbytes(32)
        return fair.seat_commitment(self._nonce)

    async def answer(self) -> None:
        """Answer what is asked now, if anything: sometimes late, sometimes twice, sometimes not at all."""
        rng, update = self._rng, self.update
        decision = None if update is None else update.decision
        if update is None or decision is None or self._left == (update.match, decision.id):
            await self.news()
            return
        self._left = update.match, decision.id
        if rng.random() < 0.02:
            if update.clock is not None:
                return  # asleep: the clock decides
            await nap(DREAMING)  # no clock does: the others wait
        await nap(rng.choice(THINKING))
        fields = {"match": update.match, "decision": decision.id, "action": dict(_choose(decision.legal, rng))}
        try:
            await self.call(Act, times=rng.choice((1, 1, 1, 2)), table=update.table, **fields)
            if rng.random() < 0.02:
                await self.call(ChatSend, table=update.table, text="hm")
        except Lost:
            self._left = None  # once back, what is asked then will show


def _choose(legal: list[dict[str, Any]], rng: random.Random) -> dict[str, Any]:
    confirm = [action for action in legal if action["type"] == "confirm"]
    return confirm[0] if confirm and rng.random() < 0.8 else rng.choice(legal)
