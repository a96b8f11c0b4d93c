"""A stage for the plain client: a real server in this process, typed lines, and what was said."""

from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import trio
from anyio.abc import ByteStream

from robby_bots.registry import BOTS
from robby_cli.seated_bots import spawner
from robby_client.client import Client, LoginPlan
from robby_client.events import Ended
from robby_client.keeper import Keeper
from robby_client.quick import QuickTable
from robby_client.streams import over_trio
from robby_client.world import GameState
from robby_plain.app import PlainClient
from robby_server.app import Server
from robby_server.settings import Settings
from robby_server.store import MemoryStore

PATIENCE = 600.0
"""Seconds of the fake clock to wait for a line: longer than any time limit."""


class Person:
    """Somebody at a plain client: types lines, and has heard what was said."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.script: list[str] = []
        """Lines that are all there at once, as from a file, before those that are typed."""
        self.unread: deque[str] = deque()
        self.ended: Ended | None = None
        self.gone = trio.Event()
        self.plain: PlainClient | None = None
        self.stream: trio.abc.Stream | None = None
        self.send, self._lines = trio.open_memory_channel[str](1_000)
        self._news = trio.Event()
        self._client: Client | None = None

    @property
    def client(self) -> Client:
        assert self._client is not None
        return self._client

    @property
    def game(self) -> GameState:
        assert self.client.world.game is not None
        return self.client.world.game

    async def lose_connection(self) -> None:
        assert self.stream is not None
        await self.stream.aclose()

    def hear(self, line: str) -> None:
        self.heard.append(line)
        self.unread.append(line)
        self._news.set()
        self._news = trio.Event()

    async def lines(self) -> AsyncIterator[str]:
        for line in self.script:
            yield line
        async for line in self._lines:
            yield line

    def type(self, line: str) -> None:
        self.send.send_nowait(line)

    def close(self) -> None:
        """The end of the input."""
        self.send.close()

    async def wait_for(self, wanted: str | Callable[[str], bool]) -> str:
        """The next line not yet waited past that has this text in it."""
        fits = (lambda line: wanted in line) if isinstance(wanted, str) else wanted
        with trio.move_on_after(PATIENCE):
            while True:
                while self.unread:
                    line = self.unread.popleft()
                    if fits(line):
                        return line
                await self._news.wait()
        raise AssertionError(f"{wanted!r} was never said; heard:\n" + "\n".join(self.heard))

    async def number_of(self, label: str) -> str:
        """The number of the next choice that has this text in its label."""
        line = await self.wait_for(lambda line: line.startswith("  ") and ": " in line and label in line)
        return line.split(":")[0].strip()

    async def pick(self, label: str) -> str:
        number = await self.number_of(label)
        self.type(number)
        return number


class Stage:
    """The server, and people who come to it."""

    def __init__(self, server: Server, nursery: trio.Nursery) -> None:
        self.server = server
        self._nursery = nursery

    def enter(
        self,
        name: str,
        *,
        quick: QuickTable | None = None,
        resume: bytes = b"",
        script: str = "",
        keeper: Keeper | None = None,
    ) -> Person:
        person = Person()
        person.script = script.splitlines()

        async def dial() -> ByteStream:
            person.stream = self.server.connect_memory()
            return over_trio(person.stream)

        client = Client(dial, LoginPlan(name=name, resume=resume), first_try_fatal=True, keeper=keeper)
        client.world.now = trio.current_time
        person._client = client
        self._nursery.start_soon(self._run, person, client, quick)
        return person

    async def _run(self, person: Person, client: Client, quick: QuickTable | None) -> None:
        lines = person.lines()
        try:
            person.plain = PlainClient(client, lines, person.hear, quick=quick, script=bool(person.script))
            person.ended = await person.plain.run()
            person.gone.set()
        finally:
            await lines.aclose()  # type: ignore[attr-defined]

    async def ended(self, person: Person) -> Ended:
        with trio.fail_after(PATIENCE):
            await person.gone.wait()
        assert person.ended is not None
        return person.ended


@asynccontextmanager
async def stage(settings: Settings | None = None, *, fair: bool = False) -> AsyncIterator[Stage]:
    """A server with the usual bots, that do not wait; use under a fake clock. fair: cards by a fair deal."""
    server = Server(
        settings or Settings(),
        MemoryStore(),
        spawn_bot=spawner(think=(0.0, 0.0), seed="stage"),
        bots={game: tuple(bots) for game, bots in BOTS.items()},
        key=bytes(32),
        match_seed=None if fair else lambda: bytes(range(32)),
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(server.serve)
        yield Stage(server, nursery)
        await server.stop()
        nursery.cancel_scope.cancel()
