"""Clients that spoil other people's evening: seats held by nobody, places taken up, work made for nothing."""

from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from robby_protocol import codec, errors
from robby_protocol.messages import (
    Bye,
    LobbyList,
    LobbyTables,
    LobbyWatch,
    TableCreate,
    TableInfo,
    TableJoin,
    TableKick,
    TableMute,
    TableStart,
)
from robby_server.directory import Directory
from robby_server.identities import Identities, LoginError
from robby_server.kept import decode_table
from robby_server.listeners import address_of, open_listeners
from robby_server.memory import MemoryStream, memory_stream_pair
from robby_server.rejected import Rejected
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from robby_server.transport import StreamTransport
from tests.server.kit import Answered, Peer, bot_of, running, settled, sit_down


def seated(peer: Peer) -> list[tuple[str, str]]:
    return [(seat.name, seat.state) for seat in peer.state.table.seats]


async def test_sitting_down_and_hanging_up_in_one_breath_leaves_no_seat(autojump_clock: Any) -> None:
    """The table takes the join only after the connection has ended: nobody would ever leave that seat again."""
    async with running() as host:
        ana = await host.guest("Ana")
        table = await sit_down([ana])
        for number in range(10):
            ben = await host.guest(f"Ben{chr(97 + number)}")
            await ben.send(TableJoin(id=7, table=table), Bye())
            await ben.drop()
            await settled()
        assert seated(ana) == [("Ana", "here")]


async def test_sitting_down_and_vanishing_leaves_no_seat_that_is_not_freed(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        table = await sit_down([ana])
        ben = await host.guest("Ben")
        await ben.send(TableJoin(id=7, table=table))
        await ben.drop()
        await settled()
        assert ("Ben", "here") not in seated(ana)


@pytest.mark.parametrize("kind", ["join", "create"])
async def test_what_a_replaced_connection_still_asks_seats_nobody(kind: str, autojump_clock: Any) -> None:
    """Whoever logs in anew has the seat that was taken by the older connection, or none: never a ghost on it."""
    async with running() as host:
        ana = await host.guest("Ana")
        table = await sit_down([ana])
        for number in range(20):
            ben = await host.guest(f"Ben{chr(97 + number)}")
            assert ben.welcome is not None
            name, token = ben.welcome.name, ben.welcome.resume
            command = TableJoin(id=7, table=table) if kind == "join" else TableCreate(id=7, game="robby-solo")
            new = host.peer()
            await new.hello()
            await settled()
            async with trio.open_nursery() as nursery:  # in any order
                nursery.start_soon(ben.send, command)
                nursery.start_soon(partial(new.login, name, resume=token))
            await settled()
            await new.bye()
            await settled()
            assert seated(ana) == [("Ana", "here")]
            assert len(host.server.directory) == 1


async def test_tables_made_from_one_address_do_not_fill_the_server() -> None:
    """Whoever connects, makes a table and vanishes again and again has as many tables as connections, not all."""
    listeners = await open_listeners("127.0.0.1", 0)
    settings = Settings(connections_per_address=4, tables=8, farewell_seconds=0.1)
    async with running(settings, listeners=listeners) as host:
        for number in range(4):
            peer = await host.guest(f"P{number}", stream=await trio.open_tcp_stream(*address_of(listeners[0])))
            await peer.call(TableCreate, game="robby-solo")
            await peer.drop()
            with trio.fail_after(10):
                while host.server.connections:  # noqa: ASYNC110 - real sockets have no event to wait for
                    await trio.sleep(0.01)
        last = await host.guest("Last", stream=await trio.open_tcp_stream(*address_of(listeners[0])))
        with pytest.raises(Answered) as refused:
            await last.call(TableCreate, game="robby-solo")
        assert refused.value.code == errors.TOO_MANY_TABLES
        elsewhere = await host.guest("Elsewhere")
        await elsewhere.call(TableCreate, game="robby-solo")


async def test_bots_take_no_place_from_people() -> None:
    """Bots run inside the server: however many play, people may connect."""
    listeners = await open_listeners("127.0.0.1", 0)
    async with running(Settings(connections=2), spawn_bot=bot_of(delay=60), listeners=listeners) as host:
        streams = [await trio.open_tcp_stream(*address_of(listeners[0])) for _number in range(2)]
        ana = await host.guest("Ana", stream=streams[0])
        await ana.call(TableCreate, game="robby-solo", bots=["greedy"] * 5)
        await ana.call(TableStart)
        ben = await host.guest("Ben", stream=streams[1])
        assert ben.welcome is not None
        assert host.server.connections > 2


async def test_keys_of_one_address_push_out_their_own_and_nobody_else(autojump_clock: Any) -> None:
    store = MemoryStore()
    identities = Identities(Settings(keys_per_address=3), store=store)
    await identities.keyed(b"a" * 32, "Ana", "10.0.0.1")
    for number in range(10):
        await trio.sleep(1)
        who = await identities.keyed(bytes([number]) * 32, f"Mob {chr(97 + number)}", "10.0.0.2")
        who.seen = trio.current_time()
    assert len(identities) == 4
    assert len((await store.load()).identities) == 4
    with pytest.raises(LoginError):
        await identities.guest("Ana")
    await identities.guest("Mob a")
    with pytest.raises(LoginError):
        await identities.guest("Mob j")


async def test_keys_are_bounded_in_all_and_whoever_is_here_stays(autojump_clock: Any) -> None:
    store = MemoryStore()
    identities = Identities(Settings(keys=5), store=store)
    ana = await identities.keyed(b"a" * 32, "Ana", "10.0.0.1")
    ana.table = "SOMEWHER"
    for number in range(20):
        await identities.keyed(bytes([number]) * 32, f"Mob {chr(97 + number)}", f"10.0.1.{number}")
    assert len((await store.load()).identities) == 5
    assert await identities.keyed(b"a" * 32, "Ana", "10.0.0.1") is ana


async def test_many_networks_of_one_subscriber_push_out_nobodys_name(autojump_clock: Any) -> None:
    """Each address brings few keys, and there are thousands of addresses."""
    identities = Identities(Settings(keys=40), store=MemoryStore())
    for number in range(20):
        await identities.keyed(bytes([number]) * 32, f"Old {chr(97 + number)}", f"192.0.2.{number}")
    for number in range(3):
        await identities.keyed(bytes([50 + number]) * 32, f"Far {chr(97 + number)}", f"2001:db8:{number}::/64")
    await trio.sleep(3600)
    for number in range(100):
        name = f"Mob {chr(97 + number % 26)}{chr(97 + number // 26)}"
        await identities.keyed(bytes([100 + number]) * 32, name, f"2001:db8:ff:{number:x}::/64")
        await trio.sleep(1)
    for name in [f"Old {chr(97 + number)}" for number in range(20)] + [
        f"Far {chr(97 + number)}" for number in range(3)
    ]:
        with pytest.raises(LoginError):
            await identities.guest(name)
    assert len(identities) == 40


async def test_thousands_of_networks_of_one_subscriber_do_not_fill_the_server(
    autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("robby_server.app.SocketTransport", StreamTransport)
    settings = Settings(connections_per_address=3, tables=100, farewell_seconds=0.1)
    async with running(settings) as host:

        def connect(address: str) -> bool:
            ours, theirs = memory_stream_pair()
            peers.append(theirs)
            before = host.server.tally.turned_away
            host.server._accepted(ours, address)  # type: ignore[arg-type]  # StreamTransport takes it
            return host.server.tally.turned_away == before

        peers: list[MemoryStream] = []

        taken = [connect(f"2001:db8:7:{number:x}::1") for number in range(100)]
        assert taken == [True] * 24 + [False] * 76
        assert connect("2001:db8:8::1")
        assert connect("192.0.2.1")
        for peer in peers:
            await peer.aclose()
        await settled()
        assert not host.server._per_site
        assert connect("2001:db8:7::1")
    directory = Directory(settings, lambda: 0)
    for number in range(24):
        origin = f"2001:db8:7:{number:x}::/64"
        directory.add(Made(directory.new_id(origin), origin))
    with pytest.raises(Rejected) as refused:
        directory.new_id("2001:db8:7:99::/64")
    assert refused.value.code == errors.TOO_MANY_TABLES
    assert directory.new_id("2001:db8:8::/64")
    assert directory.new_id("192.0.2.1")
    assert directory.new_id()


@dataclass
class Made:
    id: str
    origin: str

    def listed(self) -> TableInfo:
        return TableInfo(
            table=self.id, title="", game="robby-solo", options={}, phase="waiting", host=None, capacity=3, seats=[]
        )


async def test_the_lobby_is_written_once_for_all_who_ask(autojump_clock: Any) -> None:
    """Hundreds of tables take many milliseconds, and anybody may ask thirty times a second."""
    directory = Directory(Settings(), lambda: 0)
    assert directory.listing() is directory.listing()
    assert directory.picture() is directory.picture()
    before = directory.picture()
    directory.changed()
    assert directory.picture() is not before
    async with running() as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        await ana.do(LobbyWatch, on=True)
        await sit_down([ben])
        await ana.do(LobbyWatch, on=True)
        assert [table.seats[0].name for table in ana.last(LobbyTables).tables] == ["Ben"]
        assert ana.last(LobbyTables).people == 2
        (listed,) = (await ana.call(LobbyList))["tables"]
        assert listed["seats"][0]["name"] == "Ben"


async def test_asking_for_the_lobby_again_and_again_packs_it_once(
    autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed: list[str] = []

    def pack_result(result: dict[str, Any]) -> bytes:
        packed.extend(key for key in result if key == "tables")
        return codec.pack_result(result)

    monkeypatch.setattr("robby_server.directory.codec", SimpleNamespace(**{**vars(codec), "pack_result": pack_result}))
    async with running() as host:
        await host.seated(2)
        cara = await host.guest("Cara")
        before = len(packed)
        answers = [await cara.call(LobbyList) for _ in range(20)]
    assert len(packed) == before + 1
    assert [len(answer["tables"]) for answer in answers] == [1] * 20


async def test_long_messages_count_for_what_they_cost(autojump_clock: Any) -> None:
    """Reading a map of thousands of values takes milliseconds: thirty of these a second are too many."""
    async with running() as host:
        ana = await host.guest("Ana")
        options = {f"option {number}": number for number in range(3_000)}
        began = trio.current_time()
        for number in range(10):
            await ana.send(TableCreate(id=number + 1, game="robby-solo", options=options))
        for number in range(10):
            with pytest.raises(Answered) as refused:
                await ana.answer(number + 1)
            assert refused.value.code == errors.BAD_OPTIONS
        assert trio.current_time() - began > 10


async def test_a_host_who_throws_out_guests_without_end_fills_no_memory(autojump_clock: Any) -> None:
    settings = Settings(guests=20, guests_per_address=20)
    async with running(settings) as host:
        ana = await host.guest("Ana")
        table = await sit_down([ana])
        for number in range(60):
            name = f"Mob {chr(97 + number % 26)}{chr(97 + number // 26)}"
            guest = await host.guest(name)
            await guest.call(TableJoin, table=table)
            await ana.do(TableMute, name=name, on=True)
            await ana.do(TableKick, seat=1, name=name)
            assert (await guest.refused(TableJoin, table=table)).code == errors.KICKED
            await guest.drop()
            await settled()
        (kept,) = (await host.server.store.load()).tables.values()
        snapshot = decode_table(kept)
        assert 1 <= len(snapshot.kicked) <= 20
        assert 1 <= len(snapshot.muted) <= 20
