"""A scripted client: the real picture of the world, fed by a test instead of a network; and views to feed it with."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import msgspec
from msgspec import Struct, structs

from robby_client.address import Address
from robby_client.chat import look_of
from robby_client.client import LoginPlan, NotConnected, Refused
from robby_client.dial import TlsPlan
from robby_client.events import ClientEvent, Connected, Ended, Lost, Received
from robby_client.world import World
from robby_games.robby_solo import (
    Declaration,
    OwnView,
    ParticipantView,
    PublicView,
    Score,
)
from robby_protocol.errors import STALE_DECISION
from robby_protocol.messages import (
    ChatSaid,
    ChatSend,
    Clock,
    Command,
    Decision,
    GameOffer,
    GameUpdate,
    Greeting,
    LobbyTables,
    Message,
    PublicPart,
    RecordGet,
    SeatInfo,
    TableConfigure,
    TableCreate,
    TableInfo,
    TableJoin,
    TableLeave,
    TableState,
    TableUnwatch,
    TableWatch,
    Welcome,
)
from robby_tui.screens.games import SCREENS

GREETING = Greeting(
    version=(1, 0),
    server_id=b"s" * 32,
    server_name="Friday's server",
    software="robby 0.1.0",
    challenge=b"c" * 32,
    methods=["guest", "key"],
    games=[GameOffer(name="robby-solo", version=1, bots=["greedy", "random"])],
)
WELCOME = Welcome(identity="me", name="Ana", ping_ms=5_000, silence_ms=25_000)


class FakeClock:
    """A clock that stands still until it is told. For drawing only; the app's own timers run on."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class ScriptedClient:
    """The client's shape over a script. called, acted: what the app asked for. refuse: the next answers' refusals."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.world = World(now, SCREENS)
        self.called: list[tuple[type[Command], dict[str, Any]]] = []
        self.acted: list[tuple[Any, int | None]] = []
        self.refuse: list[Refused | NotConnected] = []
        self.results: dict[type[Command], dict[str, Any]] = {}
        self.stopped = False
        self.fault: Exception | None = None
        self.hold: anyio.Event | None = None
        self._send, self._receive = anyio.create_memory_object_stream[ClientEvent](1_000)
        self._over = anyio.Event()

    async def run(self) -> None:
        await self._over.wait()
        if self.fault is not None:
            raise self.fault

    @property
    def events(self) -> AsyncIterator[ClientEvent]:
        return self._receive

    async def call(self, command: type[Command], /, **fields: Any) -> dict[str, Any]:
        msgspec.convert({"type": command.__struct_config__.tag, "id": 1, **fields}, command, builtin_types=(bytes,))
        self.called.append((command, fields))
        if self.refuse:
            raise self.refuse.pop(0)
        if command is TableLeave:
            self.world.leave_table()
        return self.results.get(command, {})

    async def act(self, action: Struct, *, decision: int | None = None) -> None:
        game = self.world.game
        if game is None or game.decision is None or game.decision.id != decision:
            raise Refused(STALE_DECISION, "This was an answer to an earlier question.")
        self.acted.append((action, decision))
        if self.hold is not None:
            await self.hold.wait()
        if self.refuse:
            raise self.refuse.pop(0)
        self.world.answered(decision)

    async def join(self, table: str, *, invite: str = "", password: str | None = None) -> dict[str, Any]:
        return await self._enter(TableJoin, table, invite, password)

    async def watch(self, table: str, *, invite: str = "", password: str | None = None) -> dict[str, Any]:
        return await self._enter(TableWatch, table, invite, password)

    async def _enter(self, command: type[Command], table: str, invite: str, password: str | None) -> dict[str, Any]:
        proof = {"password_proof": password.ljust(32).encode()} if password else {}
        return await self.call(command, table=table, **({"invite": invite} if invite else {}), **proof)

    async def unwatch(self) -> dict[str, Any]:
        result = await self.call(TableUnwatch)
        self.world.leave_table()
        return result

    async def create(self, *, password: str | None = None, **fields: Any) -> dict[str, Any]:
        key = {"password_key": password.ljust(32).encode()} if password else {}
        return await self.call(TableCreate, **fields, **key)

    async def configure(self, *, password: str | None = None, **fields: Any) -> dict[str, Any]:
        key = {} if password is None else {"password_key": password.ljust(32).encode() if password else b""}
        return await self.call(TableConfigure, **fields, **key)

    async def say(self, text: str, *, lobby: bool = False) -> dict[str, Any]:
        table = None if lobby or self.world.table is None else self.world.table.table
        return await self.call(ChatSend, table=table, text=text)

    async def save_record(self, match: str, folder: Path | None = None) -> Path:
        await self.call(RecordGet, match=match)
        return Path("records") / f"{match}.robby"

    def mute(self, name: str) -> None:
        self.world.muted[look_of(name)] = name

    def unmute(self, name: str) -> None:
        self.world.muted.pop(look_of(name), None)

    def stop(self) -> None:
        self.stopped = True
        self.tell(Ended("stopped", ""))
        self._send.close()
        self._over.set()

    # The script's side.

    @property
    def waiting(self) -> int:
        """Events that the app has not fetched yet."""
        return self._send.statistics().current_buffer_used

    def close(self) -> None:
        self._send.close()
        self._receive.close()

    def tell(self, event: ClientEvent) -> None:
        self._send.send_nowait(event)

    def connect(self, *, resumed: bool = False, welcome: Welcome = WELCOME, greeting: Greeting = GREETING) -> None:
        if resumed and self.world.table is not None:
            welcome = structs.replace(welcome, table=self.world.table.table)
        self.world.connected(greeting, welcome)
        self.tell(Connected(welcome, resumed))

    def lose(self, retry_in: float = 8.0) -> None:
        self.world.disconnected()
        self.tell(Lost("connection_lost", "The connection to the server was lost.", 0, retry_in))

    def feed(self, *messages: Message) -> None:
        for message in messages:
            self.world.apply(message)
            self.tell(Received(message))

    def fail(self, error: Exception) -> None:
        self.fault = error
        self._over.set()


class Maker:
    """Makes scripted clients, and keeps them and what they were made for."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.clients: list[ScriptedClient] = []
        self.asked: list[tuple[Address, LoginPlan]] = []
        self.tls: list[TlsPlan | None] = []

    def __call__(
        self, address: Address, login: LoginPlan, *, tls: TlsPlan | None, kept: Mapping[str, Any]
    ) -> ScriptedClient:
        self.asked.append((address, login))
        self.tls.append(tls)
        self.clients.append(ScriptedClient(self.now))
        return self.clients[-1]

    @property
    def client(self) -> ScriptedClient:
        return self.clients[-1]


NAMES = ("Ana", "Ben", "Cleo", "Dora")


def seats(names: Sequence[str] = NAMES, **changes: Any) -> list[SeatInfo]:
    return [
        SeatInfo(name=name, kind="bot" if name == "Cleo" else "person", bot="greedy" if name == "Cleo" else None)
        for name in names
    ]


def table(phase: str = "playing", names: Sequence[str] = NAMES, **changes: Any) -> TableInfo:
    fields: dict[str, Any] = {
        "table": "K7QD",
        "title": "Friday",
        "game": "robby-solo",
        "options": {},
        "phase": phase,
        "host": 0,
        "capacity": 6,
        "seats": seats(names),
        "match": None if phase == "waiting" else "m1",
    }
    return TableInfo(**(fields | changes))


def table_state(phase: str = "playing", you: int | None = 0, **changes: Any) -> TableState:
    news = changes.pop("news", [])
    own = {name: changes.pop(name) for name in ("invite", "next_match", "commitment") if name in changes}
    return TableState(table=table(phase, **changes), you=you, news=news, **own)


def said(name: str, text: str, *, table: str | None = "K7QD", **fields: Any) -> ChatSaid:
    return ChatSaid(table=table, name=name, text=text, **fields)


def lobby(*tables: TableInfo, people: int = 5) -> LobbyTables:
    return LobbyTables(tables=list(tables), people=people)


def participant(card: str = "none", stack: int = 7, top: int | None = 8_000, **fields: Any) -> ParticipantView:
    return ParticipantView(card=card, revealed=fields.pop("revealed", None), stack=stack, top=top, **fields)


BANKS = ((4_000, 7_000), (3, 3_000), (9_000,), (2_000, 5, 6_000, 1_000), (1_000,))


def public(phase: str, cards: Sequence[str] = ("laid",) * 4, **fields: Any) -> PublicView:
    base: dict[str, Any] = {
        "round": 7,
        "phase": phase,
        "gentleman": 1,
        "deck": 23,
        "banks": BANKS,
        "participants": tuple(
            participant(card, stack=5 + seat, top=(8_000, 3, 3_000, 1_000, 9_000, 2_000, 2_000)[seat])
            for seat, card in enumerate(cards)
        ),
        "junior": False,
    }
    return PublicView(**(base | fields))


def own(card: int | None = None, seat: int = 0, stack: Sequence[int] = (1_000, 4, 9_000, 2_000, 8_000)) -> OwnView:
    return OwnView(seat=seat, card=card, stack=tuple(stack))


WILL_NOT_RED = Declaration(robs=False, bank=2)


class Match:
    """Numbers the updates of one match."""

    def __init__(self, name: str = "m1") -> None:
        self.name = name
        self.seq = 0
        self.told = 0
        self.decision = 100

    def update(
        self,
        view: Struct,
        mine: Struct | None,
        *legal: Struct,
        events: Sequence[Struct] = (),
        clock: tuple[int, int, int | None] | None = (18_000, 30_000, None),
    ) -> GameUpdate:
        self.seq += 1
        first = self.told
        self.told += len(events)
        decision = None
        if legal:
            self.decision += 1
            decision = Decision(id=self.decision, legal=[plain_map(action) for action in legal])
        return GameUpdate(
            table="K7QD",
            match=self.name,
            seq=self.seq,
            public=PublicPart(view=plain_map(view), first=first, events=[plain_map(event) for event in events]),
            own=None if mine is None else plain_map(mine),
            decision=decision,
            clock=None if clock is None else Clock(remaining_ms=clock[0], total_ms=clock[1], opens_ms=clock[2]),
        )


def plain_map(struct: Struct) -> dict[str, Any]:
    built: dict[str, Any] = msgspec.to_builtins(struct, builtin_types=(bytes,))
    return built


def scores() -> tuple[Score, ...]:
    return (
        Score(
            seat=2,
            stack=(9_000, 9_000, 8_000, 1, 4, 7_000),
            money=33_000,
            items=2,
            items_worth=10_000,
            total=43_000,
            place=1,
            winner=True,
        ),
        Score(
            seat=0,
            stack=(1_000, 4, 9_000, 2_000, 8_000),
            money=20_000,
            items=1,
            items_worth=1_000,
            total=21_000,
            place=2,
            winner=False,
        ),
        Score(seat=1, stack=(5_000,), money=5_000, items=0, items_worth=0, total=5_000, place=3, winner=False),
        Score(seat=3, stack=(), money=0, items=0, items_worth=0, total=0, place=4, winner=False),
    )
