"""Who is kept, for how long, and what the operator can undo: identities over restarts and days."""

from typing import Any

import pytest
import trio

from robby_protocol import errors
from robby_protocol.messages import TableCreate, Welcome
from robby_server.identities import Identities, LoginError
from robby_server.settings import Settings
from robby_server.store import KeptIdentity, MemoryStore
from tests.server.kit import LoginRefused, running, settled
from tests.server.lives import Lives, person, seed_of

HOUR = 3600.0
DAY = 24 * HOUR
KEY = bytes(range(32))


class Wall:
    """A wall clock that goes with trio's, and from which hours can be taken or to which they can be added."""

    def __init__(self) -> None:
        self.ahead = 1_700_000_000.0

    def __call__(self) -> float:
        return trio.current_time() + self.ahead


class SlowStore(MemoryStore):
    """Commits identities only when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.go = trio.Event()

    async def save_identity(self, identity: KeptIdentity) -> None:
        await self.go.wait()
        await super().save_identity(identity)


async def loaded(store: MemoryStore, wall: Wall, settings: Settings | None = None) -> Identities:
    """As a new server has them."""
    identities = Identities(settings or Settings(), store=store, wall=wall)
    identities.load((await store.load()).identities)
    return identities


async def ids(store: MemoryStore) -> set[str]:
    return {one.id for one in (await store.load()).identities}


async def refusal(identities: Identities, name: str, token: bytes | None = None) -> str:
    with pytest.raises(LoginError) as caught:
        await (identities.guest(name) if token is None else identities.resumed(token, name))
    return caught.value.code


async def test_nobody_is_welcomed_before_being_kept(autojump_clock: Any) -> None:
    store = SlowStore()
    async with running(journal=store) as host:
        ana = host.peer()
        await ana.hello()
        host.nursery.start_soon(ana.login, "Ana")
        await settled()
        assert ana.newest(Welcome) is None
        late = host.peer()
        await late.hello()
        with pytest.raises(LoginRefused) as caught:  # the name is held meanwhile
            await late.login("ana")
        assert caught.value.code == errors.NAME_TAKEN
        store.go.set()
        await ana.expect(Welcome)
        assert await ids(store) == {ana.last(Welcome).identity}


async def test_guests_and_keys_come_back_to_a_server_that_was_killed(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        guest = await host.guest("Ana")
        keyed = await person(host, "Ben")
    async with lives.life() as host:
        again = await host.again(guest)
        assert again.welcome is not None
        assert guest.welcome is not None
        assert (again.welcome.identity, again.welcome.name) == (guest.welcome.identity, "Ana")
        renamed = await host.guest("Anita", resume=guest.welcome.resume)
        assert renamed.welcome is not None
        late = host.peer()
        await late.hello()
        with pytest.raises(LoginRefused) as caught:
            await late.login("Ben")
        assert caught.value.code == errors.NAME_TAKEN
        ben = await person(host, "Ben")
        assert ben.welcome is not None
        assert keyed.welcome is not None
        assert ben.welcome.identity == keyed.welcome.identity
    assert {one.name for one in (await lives.store.load()).identities} == {"Anita", "Ben"}


async def test_tokens_are_kept_as_digests_alone(autojump_clock: Any) -> None:
    store = MemoryStore()
    _who, token = await Identities(Settings(), store=store).guest("Ana")
    (kept,) = (await store.load()).identities
    assert token not in (kept.token_digest, kept.key)
    assert kept.token_digest


async def test_bots_are_never_kept(autojump_clock: Any) -> None:
    lives = Lives(Settings(seen_seconds=10))
    async with lives.life() as host:
        ana = await host.guest("Ana")
        await ana.do(TableCreate, game="robby-solo", bots=["greedy"] * 3)
        await trio.sleep(25)
        assert ana.welcome is not None
        assert await ids(lives.store) == {ana.welcome.identity}


async def test_a_token_expires_over_a_restart_and_a_seat_keeps_it(autojump_clock: Any) -> None:
    wall, store = Wall(), MemoryStore()
    first = Identities(Settings(), store=store, wall=wall)
    ana, token = await first.guest("Ana")
    ben, bens = await first.guest("Ben")
    wall.ahead += 23 * HOUR
    assert (await (await loaded(store, wall)).resumed(token, "Ana")).id == ana.id
    wall.ahead += 25 * HOUR
    late = await loaded(store, wall)
    seated = late.by_id(ben.id)
    assert seated is not None
    seated.table = "SOMEWHER"
    assert await refusal(late, "Ana", token) == errors.RESUME_UNKNOWN
    assert (await late.resumed(bens, "Ben")).id == ben.id
    async with trio.open_nursery() as nursery:
        nursery.start_soon(late.keep_saving)
        await trio.sleep(1)
        assert await ids(store) == {ben.id}
        nursery.cancel_scope.cancel()


async def test_a_wall_clock_that_was_put_back_makes_nobody_immortal(autojump_clock: Any) -> None:
    wall, store = Wall(), MemoryStore()
    _ana, token = await Identities(Settings(), store=store, wall=wall).guest("Ana")
    wall.ahead -= 1000 * DAY
    late = await loaded(store, wall)
    await trio.sleep(25 * HOUR)
    assert await refusal(late, "Ana", token) == errors.RESUME_UNKNOWN


async def test_a_key_that_is_not_used_for_long_gives_its_name_back(autojump_clock: Any) -> None:
    wall, store = Wall(), MemoryStore()
    settings = Settings(key_days=100)
    first = Identities(settings, store=store, wall=wall)
    ana = await first.keyed(KEY, "Ana")
    wall.ahead += 99 * DAY
    assert await refusal(await loaded(store, wall, settings), "Ana") == errors.NAME_TAKEN
    wall.ahead += 2 * DAY
    late = await loaded(store, wall, settings)
    guest, _token = await late.guest("Ana")
    guest.table = "SOMEWHER"
    with pytest.raises(LoginError) as caught:  # the owner comes after all: the name is another's now
        await late.keyed(KEY, "Ana")
    assert caught.value.code == errors.NAME_TAKEN
    anew = await late.keyed(KEY, "Anita")
    assert anew.id != ana.id
    assert await ids(store) >= {guest.id, anew.id}
    assert ana.id not in await ids(store)


async def test_who_is_connected_for_days_is_not_taken_for_gone_after_a_crash(autojump_clock: Any) -> None:
    wall, store = Wall(), MemoryStore()
    settings = Settings()
    identities = Identities(settings, store=store, wall=wall)
    ana, token = await identities.guest("Ana")
    session: Any = object()
    identities.connected(ana, session)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(identities.keep_saving)
        await trio.sleep(60 * HOUR)
        nursery.cancel_scope.cancel()
    assert wall() - settings.seen_seconds <= (await store.load()).identities[0].seen <= wall()
    assert (await (await loaded(store, wall)).resumed(token, "Ana")).id == ana.id


async def test_who_leaves_is_written_down_soon_and_nobody_waits_for_it(autojump_clock: Any) -> None:
    wall, store = Wall(), MemoryStore()
    identities = Identities(Settings(), store=store, wall=wall)
    sessions: list[Any] = [object() for _ in range(50)]
    people = [(await identities.guest(f"Guest {number}"))[0] for number in range(50)]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(identities.keep_saving)
        for who, session in zip(people, sessions, strict=True):
            identities.connected(who, session)
        await trio.sleep(100)
        for who, session in zip(people, sessions, strict=True):
            assert identities.disconnected(who, session)
        left = wall()
        await trio.sleep(5)
        assert {one.seen for one in (await store.load()).identities} == {round(left)}
        await store.close()
        nursery.cancel_scope.cancel()


async def test_an_address_that_makes_many_guests_pushes_out_its_own(autojump_clock: Any) -> None:
    store = MemoryStore()
    identities = Identities(Settings(guests_per_address=20), store=store)
    _ana, token = await identities.guest("Ana", "192.0.2.1")
    for number in range(100):
        await identities.guest(f"Mob {number}", "192.0.2.2")
        await trio.sleep(1)
    assert len(identities) <= 21
    assert len(await ids(store)) <= 21
    assert (await identities.resumed(token, "Ana")).name == "Ana"


async def test_the_operator_frees_a_name(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        await (await person(host, "Ana")).drop()
        await settled()
        assert await host.server.identities.unbind("Nobody here") == []
        assert await host.server.identities.unbind("ANA") == ["Ana"]
        await host.guest("Ana")
        peer = host.peer()
        await peer.hello()
        with pytest.raises(LoginRefused) as caught:
            await peer.login_key("Ana", seed_of("Ana"))
        assert caught.value.code == errors.NAME_TAKEN
        peer = host.peer()
        await peer.hello()
        await peer.login_key("Anita", seed_of("Ana"))
    async with lives.life() as host:
        await person(host, "Ben")
        peer = host.peer()
        await peer.hello()
        with pytest.raises(LoginRefused):  # what was bound anew is bound
            await peer.login("Anita")


async def test_a_name_freed_under_its_owner_is_free_when_the_owner_has_gone(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        ana = await person(host, "Ana")
        assert ana.welcome is not None
        await ana.do(TableCreate, game="robby-solo")
        assert await host.server.identities.unbind("Ana") == ["Ana"]
        assert not ana.closed
    async with lives.life() as host:  # a crash keeps both: the seat, and that the name is not bound
        back = await person(host, "Ana")
        assert back.welcome is not None
        assert (back.welcome.identity, back.welcome.table) == (ana.welcome.identity, ana.table)
        who = host.server.identities.by_id(ana.welcome.identity)
        assert who is not None
        assert not who.bound
        who.table = None
        await back.drop()
        await settled()
        await host.guest("Ana")
