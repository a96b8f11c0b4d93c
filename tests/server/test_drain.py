"""Stopping: at once with everything written, or once the last match has ended; and a store that cannot write."""

from collections.abc import Callable
from typing import Any

import trio

from robby_protocol import errors
from robby_protocol.messages import (
    Act,
    GameUpdate,
    Goodbye,
    LobbyList,
    Notice,
    TableClosed,
    TableCreate,
    TableJoin,
    TableReady,
    TableStart,
    TableState,
)
from robby_server.kept import decode_table
from robby_server.settings import Settings
from robby_server.store import Kept, MemoryStore
from tests.server.kit import begin, play_all, running, settled
from tests.server.lives import Lives, back, people, person, picture, playing, remaining, seated, to_plays

NAMES = ("Ana", "Ben", "Cleo")
SHORT = {"max_rounds": 1}


def notices(peer: Any) -> list[str]:
    return [notice.code for notice in peer.all(Notice)]


async def test_draining_lets_nothing_new_begin_and_stops_with_the_last_match(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        peers = await playing(host, *NAMES, options=SHORT)
        waiting = await seated(host, "Dora", "Emil")
        await waiting[1].do(TableReady, ready=True)
        host.server.drain()
        host.server.drain()  # asked twice, told once
        await settled()
        fred = await person(host, "Fred")
        await settled()
        for peer in (*peers, *waiting, fred):
            assert notices(peer) == [errors.DRAINING]
        assert host.server.draining
        assert (await fred.refused(TableCreate, game="robby-solo")).code == errors.DRAINING
        assert (await waiting[0].refused(TableStart)).code == errors.DRAINING
        # The lobby and the tables that wait still work.
        assert len((await fred.call(LobbyList))["tables"]) == 2
        await fred.do(TableJoin, table=waiting[0].table)
        await trio.sleep(5)
        await play_all(peers)
        for peer in (*peers, *waiting, fred):
            await peer.until_closed()
            assert (peer.last(Goodbye).code, peer.last(Goodbye).reconnect) == (errors.SERVER_STOPPING, True)
            assert not peer.all(TableClosed)
        assert peers[0].over
    async with lives.life() as host:
        assert not host.server.draining
        (ana, dora, fred) = await people(host, "Ana", "Dora", "Fred")
        await settled()
        assert ana.state.table.phase == "finished"
        assert [seat.name for seat in dora.state.table.seats] == ["Dora", "Emil", "Fred"]


async def test_draining_without_a_match_stops_at_once(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        (ana,) = await seated(host, "Ana")
        began = trio.current_time()
        host.server.drain()
        await ana.until_closed()
        assert trio.current_time() - began < 0.1
        assert ana.last(Goodbye).code == errors.SERVER_STOPPING


async def test_draining_may_be_called_off(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        host.server.undrain()  # nothing to call off
        peers = await playing(host, *NAMES, options=SHORT)
        host.server.drain()
        await trio.sleep(3)
        host.server.undrain()
        await settled()
        assert notices(peers[0]) == [errors.DRAINING, "undrained"]
        await play_all(peers)
        await trio.sleep(10)
        assert not peers[0].closed
        await begin(peers)
        host.server.drain()
        await settled()
        assert notices(peers[0])[2:] == [errors.DRAINING]


async def test_stopping_in_order_keeps_everything_to_the_millisecond(autojump_clock: Any) -> None:
    """SIGTERM: no table is closed, and the time left is exact even between two records of the clock."""
    store = MemoryStore()
    lives = Lives(store=store)
    async with running(Settings(message_burst=100_000), journal=store) as host:
        peers = await playing(host, *NAMES)
        await to_plays(peers)
        await trio.sleep(7.375)
        seen = [picture(peer) for peer in peers]
        await host.server.stop()
        for peer in peers:
            await peer.until_closed()
            assert (peer.last(Goodbye).code, peer.last(Goodbye).reconnect) == (errors.SERVER_STOPPING, True)
            assert not peer.all(TableClosed)
            assert peer.state.table.phase == "playing"
    async with lives.life() as host:
        peers = await back(host, *NAMES)
        assert [picture(peer) for peer in peers] == seen
        assert [remaining(peer) for peer in peers] == [45_000 - 7_375] * 3


class SlowStore(MemoryStore):
    """A disk that takes for ever from now on."""

    slow = False

    async def save_table(self, table: str, snapshot: bytes) -> None:
        if self.slow:
            await trio.sleep_forever()
        await super().save_table(table, snapshot)

    async def close(self) -> None:
        if self.slow:
            await trio.sleep_forever()


async def test_a_store_that_hangs_does_not_hold_up_the_stop(autojump_clock: Any) -> None:
    store = SlowStore()
    async with running(journal=store) as host:
        peers = await host.seated(2)
        store.slow = True
        await peers[1].send(TableReady(id=99, ready=True))
        await peers[0].send(TableReady(id=99, ready=True))
        began = trio.current_time()
        await host.server.stop()
        assert trio.current_time() - began <= host.server.settings.stop_seconds
        for peer in peers:
            await peer.until_closed()
            assert peer.last(Goodbye).code == errors.SERVER_STOPPING


# A store that cannot write.


class TroubledStore(MemoryStore):
    """Can say that it is in trouble; like the real one it then keeps everything in memory."""

    def __init__(self) -> None:
        super().__init__()
        self._why: str | None = None
        self._listeners: list[Callable[[str | None], None]] = []

    @property
    def trouble(self) -> str | None:
        return self._why

    def watch(self, listener: Callable[[str | None], None]) -> None:
        self._listeners.append(listener)

    def say(self, why: str | None) -> None:
        self._why = why
        for listener in self._listeners:
            listener(why)


async def test_trouble_of_the_store_is_told_and_heals(autojump_clock: Any) -> None:
    store = TroubledStore()
    async with running(journal=store) as host:
        peers = await host.playing(3)
        waiting = await host.seated(3, names=("Dora", "Emil", "Gil"))
        for peer in waiting[1:]:
            await peer.do(TableReady, ready=True)
        assert peers[0].state.table.kept
        store.say("no space left")
        store.say("no space left on this disk either")
        await settled()
        late = await host.guest("Fred")
        await settled()
        for peer in (*peers, *waiting, late):
            assert notices(peer) == [errors.NOT_KEPT]
        for peer in (*peers, *waiting):
            assert not peer.state.table.kept
            assert peer.codes[-1] == "not_kept"
        listed = (await late.call(LobbyList))["tables"]
        assert [table["kept"] for table in listed] == [False, False]
        assert (await late.refused(TableCreate, game="robby-solo")).code == errors.NOT_KEPT
        assert (await waiting[0].refused(TableStart)).code == errors.NOT_KEPT
        # What runs goes on.
        acting = next(peer for peer in peers if peer.update.decision is not None)
        assert acting.update.decision is not None
        seq = acting.update.seq
        await acting.act(acting.update.decision.legal[0])
        await settled()
        assert all(peer.update.seq == seq + 1 for peer in peers)
        store.say(None)
        await settled()
        for peer in (*peers, *waiting):
            assert peer.state.table.kept
            assert peer.codes[-1] == "kept"
            assert notices(peer) == [errors.NOT_KEPT, "kept"]
        await waiting[0].do(TableStart)
        await late.call(TableCreate, game="robby-solo")


# Kept before told.


class GatedStore(MemoryStore):
    """Writes nothing until it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.open = trio.Event()
        self.open.set()

    async def save_table(self, table: str, snapshot: bytes) -> None:
        await self.open.wait()
        await super().save_table(table, snapshot)

    async def append(self, match: str, entry: Any) -> None:
        await self.open.wait()
        await super().append(match, entry)

    def shut(self) -> None:
        self.open = trio.Event()


class LateStore(MemoryStore):
    """Takes a second for each snapshot; notes what snapshots it had when the clock was first recorded."""

    async def load(self) -> Kept:
        self.first: dict[str, bytes] | None = None
        return await super().load()

    async def save_table(self, table: str, snapshot: bytes) -> None:
        await trio.sleep(1)
        await super().save_table(table, snapshot)

    async def tick(self, clock_ms: int) -> None:
        if self.first is None:
            self.first = dict(self._tables)
        await super().tick(clock_ms)


async def test_where_matches_stand_still_is_kept_before_any_time_is(autojump_clock: Any) -> None:
    """Else a crash while the server takes up its tables would cost the time that this takes."""
    store = LateStore()
    lives = Lives(store=store)
    async with lives.life() as host:
        await playing(host, *NAMES)
        await playing(host, "Dora", "Emil", "Fred")
        await trio.sleep(10)
    async with lives.life():
        await trio.sleep(5)
        assert isinstance(lives.store, LateStore)
        assert lives.store.first is not None
        assert [decode_table(data).paused_ms is not None for data in lives.store.first.values()] == [True, True]


async def test_nobody_is_told_before_it_is_kept(autojump_clock: Any) -> None:
    store = GatedStore()
    async with running(journal=store) as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        store.shut()
        create = TableCreate(id=50, game="robby-solo")
        await ana.send(create)
        await trio.sleep(2)
        assert not ana.answers
        assert not ana.all(TableState)
        store.open.set()
        table = (await ana.answer(50))["table"]
        await settled()
        store.shut()
        await ben.send(TableJoin(id=51, table=table))
        await trio.sleep(2)
        assert not ben.answers
        assert not ben.all(TableState)
        assert len(ana.state.table.seats) == 1
        store.open.set()
        await ben.answer(51)
        await settled()
        assert len(ana.state.table.seats) == 2
        cleo = await host.guest("Cleo")
        await cleo.do(TableJoin, table=table)
        await begin([ana, ben, cleo])
        acting = next(peer for peer in (ana, ben, cleo) if peer.update.decision is not None)
        decision = acting.update.decision
        assert decision is not None
        told = len(ana.all(GameUpdate)), len(ben.all(GameUpdate))
        store.shut()
        await acting.send(Act(id=52, table=table, decision=decision.id, action=decision.legal[0]))
        await trio.sleep(2)
        assert 52 not in acting.answers
        assert (len(ana.all(GameUpdate)), len(ben.all(GameUpdate))) == told
        store.open.set()
        await acting.answer(52)
        await settled()
        # The answer comes before its effect.
        kinds = [type(message).__name__ for message in acting.got[-2:]]
        assert kinds == ["Ok", "GameUpdate"]
