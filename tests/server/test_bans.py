"""Bans: by name, key and address; kept; and connections that are there when one is made."""

from pathlib import Path
from typing import Any

import pytest
import trio

from robby_protocol import errors, identity
from robby_protocol.messages import Goodbye, Refused, TableCreate
from robby_server.bans import BadBanError, Bans
from robby_server.listeners import address_of, open_listeners
from robby_server.store import KeptIdentity, MemoryStore, SqliteStore
from tests.server.kit import LoginRefused, Peer, running, settled
from tests.server.lives import Lives, person, seed_of
from tests.server.test_attempts import from_outside

KEY = bytes(range(32))


async def refusal(peer: Peer, name: str, seed: bytes | None = None, **fields: Any) -> Refused:
    with pytest.raises(LoginRefused) as caught:
        await (peer.login(name, **fields) if seed is None else peer.login_key(name, seed))
    return caught.value.refused


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        ("name", "Eve", "Eve"),
        ("key", KEY.hex().upper(), KEY.hex()),
        ("address", "192.0.2.7", "192.0.2.7/32"),
        ("address", "192.0.2.7/24", "192.0.2.0/24"),
        ("address", "::ffff:192.0.2.7", "192.0.2.7/32"),
        ("address", "::ffff:192.0.2.7/120", "192.0.2.0/24"),
        ("address", "::ffff:0:0/96", "0.0.0.0/0"),
        ("address", "2001:db8::7", "2001:db8::/64"),
        ("address", "2001:db8::/32", "2001:db8::/32"),
        ("address", "fe80::1%eth0", "fe80::/64"),
    ],
)
async def test_values_have_one_spelling(kind: str, given: str, value: str) -> None:
    store = MemoryStore()
    bans = Bans(store, wall=lambda: 7.4)
    ban = await bans.add(kind, given, " a  long\nreason ")
    assert (ban.kind, ban.value, ban.reason, ban.since) == (kind, value, "a long reason", 7)
    assert list(bans.all()) == [ban] == list((await store.load()).bans)
    again = Bans(store)
    again.load((await store.load()).bans)
    assert await again.lift(kind, given)
    assert not await again.lift(kind, given)
    assert (await store.load()).bans == ()
    assert not again.all()


@pytest.mark.parametrize(
    ("kind", "value", "reason"),
    [
        ("name", "", ""),
        ("name", "a\x1b[2Jb", ""),
        ("key", "abcd", ""),
        ("key", "no key", ""),
        ("address", "example.org", ""),
        ("address", "192.0.2.300", ""),
        ("colour", "red", ""),
        ("name", "Eve", "x" * 1000),
    ],
)
async def test_bans_that_make_no_sense_are_refused(kind: str, value: str, reason: str) -> None:
    store = MemoryStore()
    bans = Bans(store)
    with pytest.raises(BadBanError) as caught:
        await bans.add(kind, value, reason)
    assert caught.value.sentence
    assert not bans.all()
    assert not (await store.load()).bans


@pytest.mark.parametrize(
    ("ban", "met", "spared"),
    [
        ("192.0.2.7", ["192.0.2.7"], ["192.0.2.8", "2001:db8::/64", "", "unknown"]),
        ("192.0.2.0/24", ["192.0.2.7", "192.0.2.255"], ["192.0.3.1"]),
        ("2001:db8:0:1::5", ["2001:db8:0:1::/64"], ["2001:db8:0:2::/64", "192.0.2.7"]),
        ("2001:db8::/32", ["2001:db8:0:1::/64", "2001:db8:ffff::/64"], ["2001:db9::/64"]),
    ],
)
async def test_addresses(ban: str, met: list[str], spared: list[str]) -> None:
    bans = Bans(MemoryStore())
    await bans.add("address", ban)
    assert all(bans.of_address(address) for address in met)
    assert not any(bans.of_address(address) for address in spared)


async def test_names_that_look_alike_are_banned_as_well_and_one_spelling_lifts_it(autojump_clock: Any) -> None:
    async with running() as host:
        await host.server.bans.add("name", "Eve", "She cheats.")
        for name in ("Eve", "EVE", "\uff25ve", "E-v.e"):
            refused = await refusal(await from_outside(host), name)
            assert refused.code == errors.BANNED
            assert "She cheats." in refused.text
        assert len(host.server.identities) == 0
        await (await from_outside(host)).login("Adam")
        assert await host.server.bans.lift("name", "eve")
        await (await from_outside(host)).login("Eve")


async def test_a_key_is_banned_under_any_name_and_over_restarts(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        await host.server.bans.add("key", identity.public_key(seed_of("Eve")).hex())
    async with lives.life() as host:
        refused = await refusal(await from_outside(host), "Lilith", seed_of("Eve"))
        assert refused.code == errors.BANNED
        assert len(host.server.identities) == 0
        await person(host, "Adam")


async def test_a_ban_ends_the_connections_that_it_meets_and_no_others(autojump_clock: Any) -> None:
    async with running() as host:
        eve, neighbour, ana = [await from_outside(host, f"192.0.2.{number}") for number in (1, 2, 3)]
        token = (await eve.login("Eve")).resume
        await neighbour.login("Nina")
        await ana.login("Ana")
        await eve.do(TableCreate, game="robby-solo")
        silent = await from_outside(host, "192.0.2.2")  # has not logged in
        await host.server.bans.add("name", "Eve", "Enough.")
        await eve.until_closed()
        assert (eve.last(Goodbye).code, eve.last(Goodbye).reconnect) == (errors.BANNED, False)
        assert "Enough." in eve.last(Goodbye).text
        # Not back into the seat either, under whatever name is asked for.
        back = await from_outside(host, "192.0.2.1")
        assert (await refusal(back, "Lilith", resume=token)).code == errors.BANNED
        await host.server.bans.add("address", "192.0.2.2")
        await neighbour.until_closed()
        await silent.until_closed()
        assert silent.last(Refused).code == errors.BANNED
        assert not ana.closed
        await ana.do(TableCreate, game="robby-solo")


async def test_a_ban_that_comes_during_a_login_meets_it(autojump_clock: Any) -> None:
    class Slow(MemoryStore):
        async def save_identity(self, identity: KeptIdentity) -> None:
            await trio.sleep(1)
            await super().save_identity(identity)

    async with running(journal=Slow()) as host:
        peer = await from_outside(host)
        codes = []

        async def log_in() -> None:
            codes.append((await refusal(peer, "Eve")).code)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(log_in)
            await settled()
            await host.server.bans.add("name", "Eve")
        assert codes == [errors.BANNED]


async def test_a_banned_address_is_told_so_when_it_connects(tmp_path: Path) -> None:
    listeners = await open_listeners("127.0.0.1", 0)
    async with running(journal=SqliteStore(tmp_path), listeners=listeners) as host:
        place = address_of(listeners[0])
        first = host.peer(await trio.open_tcp_stream(*place))
        await first.hello()
        await first.login("Ana")
        await host.server.bans.add("address", "127.0.0.0/8", "Not from here.")
        await first.until_closed()
        second = host.peer(await trio.open_tcp_stream(*place))
        refused = await second.expect(Refused)
        assert refused.code == errors.BANNED
        assert "Not from here." in refused.text
        assert host.server.connections <= 1
        await second.until_closed()
        await host.server.bans.lift("address", "127.0.0.0/8")
        third = host.peer(await trio.open_tcp_stream(*place))
        await third.hello()
        await third.login("Ana")
