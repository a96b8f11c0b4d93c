"""Guessing is slowed down: per address, without looking, and at nobody else's cost."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from robby_protocol import errors
from robby_protocol.messages import Refused, TableCreate, Welcome
from robby_server import attempts
from robby_server.addresses import SITE_TIMES, site_of
from robby_server.attempts import Attempts
from robby_server.memory import memory_stream_pair
from robby_server.settings import Settings
from robby_server.transport import StreamTransport
from tests.server.kit import Host, LoginRefused, Peer, running, settled

SETTINGS = Settings(password="swordfish", attempts=3, attempts_seconds=600, resume_attempts=5)


async def from_outside(host: Host, address: str = "192.0.2.1") -> Peer:
    """A connection over the network, as the server sees it."""
    ours, theirs = memory_stream_pair()
    host.server._begin(StreamTransport(ours, address))
    peer = host.peer(theirs)
    await peer.hello()
    return peer


async def attempt(host: Host, password: str, address: str = "192.0.2.1", **fields: Any) -> str:
    peer = await from_outside(host, address)
    try:
        await peer.login("Ana", password=password, **fields)
    except LoginRefused as refused:
        return refused.code
    await peer.drop()
    await settled()
    return "welcome"


async def test_the_window_slides(autojump_clock: Any) -> None:
    tried = Attempts(3, 60)
    for second in range(3):
        assert not tried.blocked("a")
        tried.wrong("a")
        await trio.sleep(10)
        assert not tried.blocked("b"), second
    assert tried.blocked("a")
    await trio.sleep(29)
    assert tried.blocked("a")
    await trio.sleep(2)
    assert not tried.blocked("a")  # the first is older than a minute
    tried.wrong("a")
    assert tried.blocked("a")
    await trio.sleep(61)
    assert not tried.blocked("a")
    assert len(tried) == 0


async def test_thousands_of_networks_of_one_subscriber_count_together(autojump_clock: Any) -> None:
    tried = Attempts(3, 60)
    guessed = 0
    for number in range(1_000):
        address = f"2001:db8:7:{number:x}::/64"
        while not tried.blocked(address):
            tried.wrong(address)
            guessed += 1
    assert guessed == 3 * SITE_TIMES
    assert not tried.blocked("2001:db8:8::/64")
    assert not tried.blocked("192.0.2.7")
    await trio.sleep(61)
    assert not tried.blocked("2001:db8:7:5::/64")


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:7:5::/64", "2001:db8:7::/48"),
        ("2001:db8:7:5::1", "2001:db8:7::/48"),
        ("", ""),
        ("no:address", "no:address"),
    ],
)
def test_what_one_subscriber_may_have(address: str, site: str) -> None:
    assert site_of(address) == site


async def test_memory_is_bounded(autojump_clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "ADDRESSES", 100)
    tried = Attempts(2, 60)
    for number in range(1_000):
        for _again in range(5):
            tried.wrong(f"192.0.2.{number}")
    assert len(tried) == 100
    assert tried.blocked("192.0.2.999")
    assert not tried.blocked("192.0.2.0")


async def test_after_some_wrong_passwords_not_even_the_right_one_is_looked_at(mock_clock: MockClock) -> None:
    mock_clock.autojump_threshold = 0
    async with running(SETTINGS) as host:
        for _try in range(3):
            assert await attempt(host, "perch") == errors.PASSWORD_WRONG
        began = trio.current_time()
        assert await attempt(host, "swordfish") == errors.TOO_MANY_ATTEMPTS
        assert trio.current_time() - began < SETTINGS.wrong_password_seconds
        assert await attempt(host, "swordfish", "192.0.2.2") == "welcome"
        await host.guest("Bea")  # from inside the process
        await trio.sleep(SETTINGS.attempts_seconds)
        assert await attempt(host, "swordfish") == "welcome"


async def test_guessing_on_many_connections_at_once_is_counted_as_well(autojump_clock: Any) -> None:
    codes = []
    async with running(SETTINGS) as host:

        async def guess() -> None:
            codes.append(await attempt(host, "perch"))

        async with trio.open_nursery() as nursery:
            for _try in range(20):
                nursery.start_soon(guess)
    assert sorted(codes) == [errors.PASSWORD_WRONG] * 3 + [errors.TOO_MANY_ATTEMPTS] * 17


async def test_wrong_tokens_are_slowed_down_and_change_nothing_for_the_owner(autojump_clock: Any) -> None:
    async with running(Settings(resume_attempts=5)) as host:
        ana = await from_outside(host)
        welcome = await ana.login("Ana")
        await ana.do(TableCreate, game="robby-solo")
        for number in range(5):
            assert await attempt(host, "", "192.0.2.2", resume=bytes([number]) * 32) == errors.RESUME_UNKNOWN
        assert await attempt(host, "", "192.0.2.2", resume=b"x" * 32) == errors.TOO_MANY_ATTEMPTS
        # Who guessed could not use the right one any more; the owner can, and so can new guests from there.
        assert await attempt(host, "", "192.0.2.2", resume=welcome.resume) == errors.TOO_MANY_ATTEMPTS
        assert not ana.closed
        other = await from_outside(host, "192.0.2.2")
        await other.login("Ben")
        await ana.drop()
        again = await from_outside(host)
        assert (await again.login("Ana", resume=welcome.resume)).table == ana.table
        assert again.newest(Refused) is None
        assert again.last(Welcome).identity == welcome.identity
