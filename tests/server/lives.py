"""A server that is killed and started again on the same store, and people who come back to it.

Leaving a life is like SIGKILL: the next life has what was committed up to that moment, and nothing after it.
"""

import copy
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

import trio

from robby_protocol.messages import GameUpdate
from robby_server.app import Server
from robby_server.kept import KeptTable, decode_table
from robby_server.records import MemoryRecords
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.server.kit import SERVER_KEY, Host, Peer, Seeds, begin, bot_of, settled, sit_down

USUAL = Settings(message_burst=100_000)


class Lives:
    """store: what the life that runs now (or the next) has. Bots answer at random; `bots` False: there are none.
    fair: it deals fairly."""

    def __init__(
        self, settings: Settings = USUAL, store: MemoryStore | None = None, *, bots: bool = True, fair: bool = False
    ) -> None:
        self.settings = settings
        self.store = MemoryStore() if store is None else store
        self.bots = bots
        self.seeds = None if fair else Seeds()
        self.records = MemoryRecords()

    @asynccontextmanager
    async def life(self, settings: Settings | None = None) -> AsyncIterator[Host]:
        """A server until the block is left, which kills it."""
        server = Server(
            settings or self.settings,
            self.store,
            spawn_bot=bot_of() if self.bots else None,
            bots={"robby-solo": ["greedy", "random"]},
            key=SERVER_KEY,
            match_seed=self.seeds,
            records=self.records,
        )
        async with trio.open_nursery() as nursery:
            await nursery.start(server.serve)
            host = Host(server, nursery)
            try:
                yield host
            finally:
                self.kill()
                nursery.cancel_scope.cancel()
                for peer in host.peers:
                    with trio.CancelScope(shield=True):
                        await peer.drop()

    def kill(self) -> None:
        """What is written from now on is lost."""
        self.store = copy.deepcopy(self.store)

    async def tables(self) -> list[KeptTable]:
        """The snapshots that are kept."""
        return [decode_table(data) for data in (await self.store.load()).tables.values()]

    async def table(self) -> KeptTable:
        """The only snapshot."""
        (table,) = await self.tables()
        return table


def seed_of(name: str) -> bytes:
    """The private key of somebody in these tests."""
    return sha256(name.encode()).digest()


async def person(host: Host, name: str, stream: trio.abc.Stream | None = None) -> Peer:
    """Somebody with a key, who is the same in every life."""
    peer = host.peer(stream)
    await peer.hello()
    await peer.login_key(name, seed_of(name))
    return peer


async def people(host: Host, *names: str) -> list[Peer]:
    """Several of them."""
    return [await person(host, name) for name in names]


async def seated(host: Host, *names: str, **create: Any) -> list[Peer]:
    """People at one table of their own, the first its host."""
    peers = await people(host, *names)
    await sit_down(peers, **create)
    return peers


async def playing(host: Host, *names: str, **create: Any) -> list[Peer]:
    """People in a match that has just begun."""
    peers = await seated(host, *names, **create)
    await begin(peers)
    return peers


async def to_plays(peers: Sequence[Peer]) -> None:
    """Play on to the next secret play, which begins now."""
    while peers[0].update.public.view["phase"] != "plays":
        decisions = ((peer, peer.update.decision) for peer in peers)
        peer, decision = next((peer, decision) for peer, decision in decisions if decision is not None)
        await peer.act(decision.legal[0])
        await settled()


async def back(host: Host, *names: str) -> list[Peer]:
    """People who come back to a match; returns once each has the whole picture."""
    peers = await people(host, *names)
    for peer in peers:
        await peer.expect(GameUpdate)
    return peers


def picture(peer: Peer) -> tuple[Any, ...]:
    """What a player has on the screen, but for the time."""
    update = peer.update
    return update.match, update.seq, update.public.view, update.own, update.decision


def remaining(peer: Peer) -> int | None:
    """The time that is left by a player's own count since it was last told, in milliseconds; None: no limit runs."""
    number = max(number for number, message in enumerate(peer.got) if isinstance(message, GameUpdate))
    clock = peer.update.clock
    if clock is None:
        return None
    passed = 0 if clock.paused else round((trio.current_time() - peer.times[number]) * 1000)
    return max(0, clock.remaining_ms - passed)
