"""A server under test and scripted clients over memory streams.

`running` gives a serving server; `Host.guest` a client that is logged in. A `Peer` keeps everything it receives,
answers pings, and does nothing else by itself. Waiting has a limit on trio's clock, so under the mock clock a test that
hangs fails at once.
"""

import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import trio
import trio.testing

from robby_protocol import identity
from robby_protocol.connection import NEED_DATA, Connection, ConnectionClosed, Role
from robby_protocol.messages import (
    Act,
    Bye,
    Command,
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
    TableClosed,
    TableCreate,
    TableJoin,
    TableReady,
    TableStart,
    TableState,
    Welcome,
)
from robby_server.app import Server
from robby_server.bots import BotTicket, SpawnBot
from robby_server.records import Records
from robby_server.settings import Settings
from robby_server.store import MemoryStore, Store
from robby_server.tls import Tls

settled = trio.testing.wait_all_tasks_blocked
"""Let everything that was sent arrive, in memory at least."""

M = TypeVar("M", bound=Message)
LIMIT = 3_600.0
"""Seconds of trio's clock that a wait may take: an hour of mock time is nothing."""

SERVER_KEY = bytes(range(32))


class Answered(Exception):  # noqa: N818 - an outcome that scripts wait for
    """A command was refused."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.code, error.details)
        self.code = error.code
        self.error = error


class LoginRefused(Exception):  # noqa: N818 - as above
    """The handshake was refused."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.code)
        self.code = refused.code
        self.refused = refused


class Gone(Exception):  # noqa: N818 - as above
    """The connection ended while something was waited for."""


LATE = frozenset({"stale_decision", "too_late", "no_decision", "not_playing"})
"""What an answer may be refused for when the phase moved on while it was on its way."""


class Peer:
    """A scripted client. got: everything received, in order, with the time of receiving."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.connection = Connection(Role.CLIENT)
        self.got: list[Message] = []
        self.times: list[float] = []
        self.answers: dict[int, list[Ok | Error]] = {}
        self.bytes_received = b""
        self.closed = False
        self.pongs = True
        self.reading = True
        self.welcome: Welcome | None = None
        self.greeting: Greeting | None = None
        self._news = trio.Event()
        self._next_id = 1
        self._send_lock = trio.Lock()
        self._scope = trio.CancelScope()

    # Bytes.

    async def read(self) -> None:
        """Take everything in until the end; to be run as a task."""
        try:
            with self._scope:
                await self._read()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # ends like an orderly close
        finally:
            self.closed = True
            self._tell()

    async def _read(self) -> None:
        while True:
            event = self.connection.next_event()
            if isinstance(event, ConnectionClosed):
                return
            if event is NEED_DATA:
                data = await self.stream.receive_some(65536)
                self.bytes_received += data
                self.connection.receive_data(bytes(data))
                continue
            assert isinstance(event, Message), event
            self.got.append(event)
            self.times.append(trio.current_time())
            if isinstance(event, Ok | Error) and event.re is not None:
                self.answers.setdefault(event.re, []).append(event)
            if isinstance(event, Ping) and self.pongs:
                await self.send(Pong(n=event.n))
            self._tell()

    def _check_open(self) -> None:
        if self.closed:
            raise Gone(self.got[-3:])

    def _tell(self) -> None:
        self._news.set()
        self._news = trio.Event()

    async def send(self, *messages: Message) -> None:
        """Send messages in one piece."""
        async with self._send_lock:
            await self.stream.send_all(b"".join(self.connection.send(message) for message in messages))

    def stop_reading(self) -> None:
        """Take in nothing more: a client that hangs."""
        self._scope.cancel()

    def read_on(self) -> None:
        """Before another `read` after `stop_reading`."""
        self._scope = trio.CancelScope()
        self.closed = False

    async def drop(self) -> None:
        """Lose the connection."""
        await trio.aclose_forcefully(self.stream)

    async def bye(self) -> None:
        """Close on purpose."""
        await self.send(Bye())
        await self.drop()

    # Waiting.

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds, looking after everything received."""
        with trio.fail_after(LIMIT):
            while not holds():
                self._check_open()
                await self._news.wait()

    async def until_closed(self) -> None:
        with trio.fail_after(LIMIT):
            while not self.closed:
                await self._news.wait()

    def all(self, kind: type[M]) -> list[M]:
        """All messages of a kind so far."""
        return [message for message in self.got if isinstance(message, kind)]

    def last(self, kind: type[M]) -> M:
        """The newest message of a kind."""
        found = self.newest(kind)
        assert found is not None, f"no {kind.__name__} was received"
        return found

    def newest(self, kind: type[M]) -> M | None:
        """The newest message of a kind, if there is any."""
        for message in reversed(self.got):
            if isinstance(message, kind):
                return message
        return None

    async def expect(self, kind: type[M], fits: Callable[[M], bool] = lambda _: True, after: int = 0) -> M:
        """The first message of a kind that fits, among those from number `after` on, waiting for it."""

        def found() -> list[M]:
            return [message for message in self.got[after:] if isinstance(message, kind) and fits(message)]

        with trio.fail_after(LIMIT):
            while not found():
                self._check_open()
                await self._news.wait()
        return found()[0]

    # Talking.

    async def hello(self, **fields: Any) -> Greeting:
        await self.send(Hello(versions=[(1, 0)], client="test", **fields))
        self.greeting = await self._step(Greeting)
        return self.greeting

    async def login(self, name: str, *, resume: bytes = b"", password: str | None = None) -> Welcome:
        assert self.greeting is not None
        proof = b""
        if password is not None:
            key = identity.password_key(password, self.greeting.server_id)
            proof = identity.password_proof(key, self.connection.password_proof_payload(name))
        return await self.log_in(Login(method="guest", name=name, resume=resume, password_proof=proof))

    async def login_key(self, name: str, seed: bytes, *, signing: bytes | None = None) -> Welcome:
        """signing: a key to sign with that is not the one shown."""
        key = identity.public_key(seed)
        proof = identity.sign(signing or seed, self.connection.login_proof_payload(name, key))
        return await self.log_in(Login(method="key", name=name, key=key, proof=proof))

    async def log_in(self, login: Login) -> Welcome:
        await self.send(login)
        self.welcome = await self._step(Welcome)
        return self.welcome

    async def _step(self, kind: type[M]) -> M:
        with trio.fail_after(LIMIT):
            while True:
                refusals = [message for message in self.got if isinstance(message, Refused)]
                if refusals:
                    raise LoginRefused(refusals[0])
                if self.all(kind):
                    break
                self._check_open()
                await self._news.wait()
        return self.last(kind)

    def new_id(self) -> int:
        self._next_id += 1
        return self._next_id

    async def call(self, kind: type[Command], **fields: Any) -> dict[str, Any]:
        """Send a command and wait for its answer. Raises Answered where it is an error."""
        command = kind(id=self.new_id(), **fields)
        await self.send(command)
        return await self.answer(command.id)

    async def do(self, kind: type[Command], **fields: Any) -> dict[str, Any]:
        """Like `call`, and let everything that follows arrive everywhere."""
        result = await self.call(kind, **fields)
        await settled()
        return result

    async def answer(self, request: int) -> dict[str, Any]:
        """Wait for the answer to a command. There must be one only."""

        with trio.fail_after(LIMIT):
            while request not in self.answers:
                self._check_open()
                await self._news.wait()
        (answer,) = self.answers[request]
        if isinstance(answer, Error):
            raise Answered(answer)
        return answer.result

    async def refused(self, kind: type[Command], **fields: Any) -> Error:
        """Send a command that must be refused; its error."""
        try:
            result = await self.call(kind, **fields)
        except Answered as answered:
            return answered.error
        raise AssertionError(f"not refused: {result}")

    # The table.

    @property
    def state(self) -> TableState:
        return self.last(TableState)

    @property
    def table(self) -> str:
        return self.state.table.table

    @property
    def seat(self) -> int:
        assert self.state.you is not None
        return self.state.you

    @property
    def update(self) -> GameUpdate:
        return self.last(GameUpdate)

    @property
    def codes(self) -> list[str]:
        """Codes of all news told at the table."""
        return [news.code for state in self.all(TableState) for news in state.news]

    @property
    def over(self) -> bool:
        state = self.newest(TableState)
        return state is not None and state.table.phase == "finished"

    def told(self) -> list[dict[str, Any]]:
        """All public events of the newest match, put together from histories and updates, gapless."""
        match = self.update.match
        events: dict[int, dict[str, Any]] = {}
        for message in self.got:
            if isinstance(message, GameHistory) and message.match == match:
                events.update(enumerate(message.events, message.first))
            elif isinstance(message, GameUpdate) and message.match == match:
                events.update(enumerate(message.public.events, message.public.first))
        assert sorted(events) == list(range(len(events))), "an event is missing"
        return [events[number] for number in range(len(events))]

    async def act(self, action: Mapping[str, Any], decision: int | None = None) -> dict[str, Any]:
        """Answer the open decision."""
        if decision is None:
            assert self.update.decision is not None, "nothing is asked"
            decision = self.update.decision.id
        return await self.call(Act, table=self.table, decision=decision, action=dict(action))

    async def asked(self, *types: str) -> None:
        """Wait until one of these actions is legal."""

        def is_asked() -> bool:
            update = self.newest(GameUpdate)
            return update is not None and any(action["type"] in types for action in legal(update))

        await self.until(is_asked)


def legal(update: GameUpdate) -> list[dict[str, Any]]:
    return [] if update.decision is None else update.decision.legal


Choose = Callable[[GameUpdate, random.Random], dict[str, Any] | None]


def choose(update: GameUpdate, rng: random.Random) -> dict[str, Any] | None:
    """A random legal action; a revision is confirmed mostly, so that games end."""
    actions = legal(update)
    confirm = [action for action in actions if action["type"] == "confirm"]
    if confirm and rng.random() < 0.7:
        return confirm[0]
    return rng.choice(actions)


async def play(peer: Peer, rng: random.Random, choose: Choose = choose, delay: float = 0) -> None:
    """Answer whatever is asked until the match is over or the connection ends. delay: seconds to think each time."""
    answered: tuple[str, int] | None = None
    while not peer.over and not peer.closed:
        update = peer.newest(GameUpdate)
        decision = None if update is None else update.decision
        if update is not None and decision is not None and (update.match, decision.id) != answered:
            answered = (update.match, decision.id)
            action = choose(update, rng)
            if action is not None:
                if delay:
                    await trio.sleep(delay)
                try:
                    await peer.act(action, decision.id)
                except Answered as refused:
                    if refused.code not in LATE:
                        raise
                except (Gone, trio.BrokenResourceError, trio.ClosedResourceError):
                    return
                continue
        await peer._news.wait()


class Host:
    """A serving server and those who talk to it."""

    def __init__(self, server: Server, nursery: trio.Nursery) -> None:
        self.server = server
        self.nursery = nursery
        self.peers: list[Peer] = []

    def peer(self, stream: trio.abc.Stream | None = None) -> Peer:
        """A connected client that has not said hello."""
        peer = Peer(self.server.connect_memory() if stream is None else stream)
        self.peers.append(peer)
        self.nursery.start_soon(peer.read)
        return peer

    async def guest(self, name: str, *, resume: bytes = b"", stream: trio.abc.Stream | None = None) -> Peer:
        """A client that is logged in."""
        peer = self.peer(stream)
        await peer.hello()
        await peer.login(name, resume=resume)
        return peer

    async def again(self, old: Peer) -> Peer:
        """The same guest once more."""
        assert old.welcome is not None
        return await self.guest(old.welcome.name, resume=old.welcome.resume)

    async def seated(self, count: int, *, names: Sequence[str] = (), **create: Any) -> list[Peer]:
        """People at one table of their own, the first its host."""
        names = names or ("Ana", "Ben", "Cleo", "Dora", "Emil", "Fred")[:count]
        peers = [await self.guest(name) for name in names]
        await sit_down(peers, **create)
        return peers

    async def playing(self, count: int, **create: Any) -> list[Peer]:
        """People in a match that has just begun."""
        peers = await self.seated(count, **create)
        await begin(peers)
        return peers


async def sit_down(peers: Sequence[Peer], **create: Any) -> str:
    """Create a table and let all sit down at it."""
    table: str = (await peers[0].do(TableCreate, **{"game": "robby-solo", **create}))["table"]
    for peer in peers[1:]:
        await peer.do(TableJoin, table=table)
    return table


async def begin(peers: Sequence[Peer]) -> str:
    """All get ready and the host starts; returns once everybody has the first view."""
    for peer in peers[1:]:
        await peer.call(TableReady, ready=True)
    match: str = (await peers[0].call(TableStart))["match"]
    for peer in peers:
        await peer.expect(GameUpdate, lambda update: update.match == match)
    return match


async def play_all(peers: Sequence[Peer], seed: int = 0, choose: Choose = choose) -> None:
    """Play the running match to its end, and until all that follows it was told."""
    async with trio.open_nursery() as nursery:
        for number, peer in enumerate(peers):
            nursery.start_soon(play, peer, random.Random(seed * 100 + number), choose)
    await settled()


class Seeds:
    """Match seeds that are the same in each run."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> bytes:
        self.count += 1
        return self.count.to_bytes(32, "big")


@asynccontextmanager
async def running(
    settings: Settings | None = None,
    *,
    spawn_bot: SpawnBot | None = None,
    bots: Mapping[str, Sequence[str]] | None = None,
    journal: Store | None = None,
    match_seed: Callable[[], bytes] | None = None,
    fair: bool = False,
    records: Records | None = None,
    listeners: Sequence[Any] = (),
    tls: Tls | None = None,
) -> AsyncIterator[Host]:
    """A server that serves until the block is left, and then stops in order. fair: it deals fairly."""
    server = Server(
        settings or Settings(),
        journal or MemoryStore(),
        spawn_bot=spawn_bot,
        bots=bots if bots is not None else {"robby-solo": ["greedy", "random"]},
        key=SERVER_KEY,
        match_seed=None if fair else match_seed or Seeds(),
        records=records,
        tls=tls,
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(server.serve, listeners)
        host = Host(server, nursery)
        try:
            yield host
            await server.stop()
        finally:
            for peer in host.peers:
                await peer.drop()
        nursery.cancel_scope.cancel()


def bot_of(
    choose: Choose = choose, seen: list[tuple[BotTicket, Peer]] | None = None, delay: float = 0
) -> Callable[[BotTicket, trio.abc.Stream], Awaitable[None]]:
    """A bot for `spawn_bot`: logs in with its ticket and plays by `choose`."""

    async def spawn(ticket: BotTicket, stream: trio.abc.Stream) -> None:
        peer = Peer(stream)
        if seen is not None:
            seen.append((ticket, peer))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(peer.read)
            await peer.hello()
            await peer.login(ticket.name, resume=ticket.resume)
            await play(peer, random.Random(ticket.name), choose, delay)
            await peer.until_closed()

    return spawn


__all__ = [
    "Answered",
    "Gone",
    "Goodbye",
    "Host",
    "LoginRefused",
    "Peer",
    "TableClosed",
    "bot_of",
    "choose",
    "legal",
    "play",
    "play_all",
    "running",
    "settled",
]
