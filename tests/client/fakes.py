"""A server for the client's tests: the protocol's server side over memory streams, driven step by step by the test."""

from collections import deque
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import anyio
import trio
from anyio.abc import ByteStream

from robby_client.client import Client
from robby_client.codes import CONNECTION_REFUSED
from robby_client.dial import DialError
from robby_client.events import ClientEvent, Connected
from robby_client.login import LoginPlan
from robby_protocol import identity
from robby_protocol.connection import NEED_DATA, Connection, ConnectionClosed, Role
from robby_protocol.messages import (
    GameOffer,
    GameUpdate,
    Greeting,
    Hello,
    Login,
    Message,
    Ok,
    Ping,
    Pong,
    PublicPart,
    SeatInfo,
    TableInfo,
    TableState,
    Welcome,
)

SEED = bytes(range(32))
SERVER_ID = identity.public_key(SEED)
CHALLENGE = b"c" * 32
MessageT = TypeVar("MessageT", bound=Message)
EventT = TypeVar("EventT")
T = TypeVar("T")


class Queue(Generic[T]):
    """Items from one side to the other, without a bound."""

    def __init__(self) -> None:
        self.items: deque[T] = deque()
        self.closed = False
        self._changed = anyio.Event()

    def put(self, item: T) -> None:
        self.items.append(item)
        self._wake()

    def close(self) -> None:
        self.closed = True
        self._wake()

    async def get(self) -> T:
        """The next item; raises EndOfStream once closed and empty."""
        await anyio.lowlevel.checkpoint()
        while not self.items:
            if self.closed:
                raise anyio.EndOfStream
            await self._changed.wait()
        return self.items.popleft()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()


class MemoryStream(ByteStream):
    """One end of a connection in memory. `stalled`: what is sent is taken but never arrives, as in a black hole."""

    def __init__(self, incoming: Queue[bytes], outgoing: Queue[bytes]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self.stalled = False
        self.closed = False

    async def receive(self, max_bytes: int = 65_536) -> bytes:
        if self.closed:
            raise anyio.ClosedResourceError
        return await self._incoming.get()

    async def send(self, item: bytes) -> None:
        await anyio.lowlevel.checkpoint()
        if self.closed:
            raise anyio.ClosedResourceError
        if self._outgoing.closed:
            raise anyio.BrokenResourceError
        if not self.stalled:
            self._outgoing.put(item)

    async def send_eof(self) -> None:
        self._outgoing.close()

    async def aclose(self) -> None:
        self.closed = True
        self._incoming.close()
        self._outgoing.close()
        await anyio.lowlevel.checkpoint()


def stream_pair() -> tuple[MemoryStream, MemoryStream]:
    """Two connected ends that never block a sender."""
    to_left, to_right = Queue[bytes](), Queue[bytes]()
    return MemoryStream(to_left, to_right), MemoryStream(to_right, to_left)


class Peer:
    """The server's end of one connection."""

    def __init__(self, stream: MemoryStream, seed: bytes) -> None:
        self.stream = stream
        self.seed = seed
        self.connection = Connection(Role.SERVER)
        self._hello: Hello | None = None
        self._login: Login | None = None

    @property
    def hello(self) -> Hello:
        assert self._hello is not None
        return self._hello

    @property
    def login(self) -> Login:
        assert self._login is not None, "the client has not logged in"
        return self._login

    async def receive(self) -> Message | None:
        """The next message; None at the end."""
        while True:
            event = self.connection.next_event()
            if event is NEED_DATA:
                try:
                    data = await self.stream.receive()
                except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
                    data = b""
                self.connection.receive_data(data)
            elif isinstance(event, ConnectionClosed):
                return None
            else:
                assert isinstance(event, Message), event
                return event

    async def expect(self, kind: type[MessageT]) -> MessageT:
        """The next message of this kind, heartbeats passed over."""
        while True:
            message = await self.receive()
            if isinstance(message, kind):
                return message
            assert isinstance(message, Ping | Pong), message

    async def send(self, message: Message) -> None:
        await self.stream.send(self.connection.send(message))

    async def greet(self, *, proof: bytes | None = None, **fields: Any) -> Login:
        """Take the hello, greet, take the login."""
        self._hello = await self.expect(Hello)
        assert self.connection.version is not None
        server_id = identity.public_key(self.seed)
        if proof is None:
            proof = identity.sign(self.seed, self.connection.server_proof_payload(server_id, CHALLENGE))
        greeting = Greeting(
            version=self.connection.version,
            server_id=server_id,
            server_name="Test",
            software="fake",
            challenge=CHALLENGE,
            proof=proof,
            methods=["guest", "key"],
            games=[GameOffer(name="robby-solo", version=1, bots=["greedy", "random"])],
            **fields,
        )
        await self.send(greeting)
        self._login = await self.expect(Login)
        return self._login

    async def welcome(self, *, identity: str = "me", resume: bytes = b"token", table: str | None = None) -> None:
        """Greet and let in."""
        login = await self.greet()
        await self.send(
            Welcome(
                identity=identity,
                name=login.name,
                resume=b"" if login.method == "key" else resume,
                table=table,
                ping_ms=5_000,
                silence_ms=25_000,
            )
        )

    async def answer(self, kind: type[MessageT], result: dict[str, Any] | None = None) -> MessageT:
        """Take a command and say that it is done."""
        command = await self.expect(kind)
        await self.send(Ok(re=command.id, result=result or {}))  # type: ignore[attr-defined]
        return command

    async def close(self) -> None:
        await self.stream.aclose()


class FakeServer:
    """Hands out connections. up: False refuses them. dials: when each try was made, in seconds of the loop's clock."""

    def __init__(self, seed: bytes = SEED) -> None:
        self.seed = seed
        self.up = True
        self.dials: list[float] = []
        self.streams: list[MemoryStream] = []
        """The client's ends."""
        self._peers = Queue[Peer]()

    async def dial(self) -> ByteStream:
        self.dials.append(anyio.current_time())
        await anyio.lowlevel.checkpoint()
        if not self.up:
            raise DialError(CONNECTION_REFUSED)
        ours, theirs = stream_pair()
        self.streams.append(ours)
        self._peers.put(Peer(theirs, self.seed))
        return ours

    async def accept(self) -> Peer:
        """The next connection."""
        return await self._peers.get()

    def client(self, plan: LoginPlan | None = None, **options: Any) -> Client:
        return Client(self.dial, plan or LoginPlan(name="Ana"), **options)


async def next_event(client: Client, kind: type[EventT]) -> EventT:
    """The next event, which must be of this kind."""
    event: ClientEvent = await client.events.__anext__()
    assert isinstance(event, kind), event
    return event


async def connected(server: FakeServer, client: Client, nursery: trio.Nursery, **welcome: Any) -> Peer:
    """Run the client and let it in; the server's end of the connection."""
    nursery.start_soon(client.run)
    peer = await server.accept()
    await peer.welcome(**welcome)
    await next_event(client, Connected)
    return peer


def seat(name: str, **fields: Any) -> SeatInfo:
    return SeatInfo(name=name, kind=fields.pop("kind", "person"), **fields)


def table(names: Sequence[str] = ("Ana", "Ben", "Cleo"), **fields: Any) -> TableInfo:
    """A table where these people play."""
    values: dict[str, Any] = {
        "table": "t1",
        "title": "Friday",
        "game": "robby-solo",
        "options": {},
        "phase": "playing",
        "host": 0,
        "capacity": 6,
        "seats": [seat(name) for name in names],
        "match": "m1",
    }
    return TableInfo(**(values | fields))


def table_state(you: int | None = 0, **fields: Any) -> TableState:
    return TableState(table=table(**fields), you=you)


def public_view(phase: str = "plays", **fields: Any) -> dict[str, Any]:
    """A public view of three participants, as it comes over the wire."""
    participant = {"card": "none", "revealed": None, "stack": 0, "top": None}
    values: dict[str, Any] = {
        "round": 1,
        "phase": phase,
        "gentleman": 1,
        "deck": 57,
        "banks": [[4_000], [7_000], [1], [2_000]],
        "participants": [participant, participant, participant],
        "junior": False,
    }
    return values | fields


def update(seq: int, *, first: int = 0, events: Sequence[dict[str, Any]] = (), **fields: Any) -> GameUpdate:
    """An update of the match m1 at the table t1."""
    view = fields.pop("view", None) or public_view()
    values: dict[str, Any] = {
        "table": "t1",
        "match": "m1",
        "own": {"seat": 0, "card": None, "stack": []},
    }
    return GameUpdate(seq=seq, public=PublicPart(view=view, first=first, events=list(events)), **(values | fields))
