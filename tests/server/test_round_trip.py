"""Round trips as they are measured: what counts, what does not, and what a peer cannot do about it."""

import socket
import sys
from pathlib import Path
from typing import Any

import pytest
import trio

from robby_protocol.messages import LobbyList, Notice, Ping, Pong
from robby_server.round_trip import RoundTrip
from robby_server.session import Session
from robby_server.settings import Settings
from robby_server.transport import kernel_round_trip
from tests.server.far import FarStream, FarTransport, Lane, dial
from tests.server.kit import Host, running, settled
from tests.server.test_tls import serving

WINDOW, CAP = 30.0, 0.150


def measured(*pairs: tuple[float, float]) -> RoundTrip:
    """Pings that left and were answered at these moments."""
    trip = RoundTrip(WINDOW, CAP)
    for number, (left, back) in enumerate(pairs, 1):
        trip.left(number, left)
        trip.answered(number, back)
    return trip


def test_nothing_measured_is_no_credit() -> None:
    trip = RoundTrip(WINDOW, CAP)
    assert trip.credit(0.0, None) == trip.credit(0.0, 0.1) == 0.0
    trip.left(1, 0.0)
    assert trip.credit(20.0, 0.1) == 0.0, "a ping that nobody answers measures nothing"


def test_the_least_of_late_counts_bounded_by_the_cap_and_the_kernel() -> None:
    trip = measured((0.0, 0.09), (1.0, 1.04), (2.0, 2.5))
    assert trip.credit(2.5, None) == pytest.approx(0.04)
    assert trip.credit(2.5, 0.01) == pytest.approx(0.01)
    assert trip.credit(2.5, 0.1) == pytest.approx(0.04)
    assert trip.credit(1.04 + WINDOW + 0.1, None) == CAP, "only the slow one is recent enough"
    assert trip.credit(2.5 + WINDOW + 0.1, None) == 0.0, "whoever stops answering has no credit any more"


def test_pongs_that_answer_nothing_or_twice_measure_nothing() -> None:
    trip = RoundTrip(WINDOW, CAP)
    trip.answered(1, 0.0)
    trip.left(1, 0.0)
    trip.answered(2, 0.001)  # a ping of the future
    trip.answered(1, 0.05)
    trip.answered(1, 0.149)  # again
    trip.left(2, 1.0)
    trip.answered(2, 1.06)
    assert trip.credit(2.0, None) == pytest.approx(0.05)


def test_neither_pings_nor_measurements_pile_up() -> None:
    trip = RoundTrip(WINDOW, CAP)
    for number in range(10_000):
        trip.left(number, 0.0)
    trip.answered(0, 0.1)
    assert trip.credit(0.1, None) == 0.0, "too old to say anything"
    assert len(trip._left) <= 32
    for number in range(9_990, 10_000):
        trip.answered(number, 0.1)
    assert trip.credit(0.1, None) == pytest.approx(0.1)


async def far_guest(host: Host, name: str, round_trip: float, **kernel: float) -> Session:
    """Somebody far away; the server's side of the connection."""
    await host.guest(name, stream=dial(host.server, round_trip, **kernel))
    return session_of(host, name)


def session_of(host: Host, name: str) -> Session:
    """The server's side of somebody's connection."""
    return next(one for one in host.server._sessions if one.who is not None and one.who.name == name)


@pytest.mark.parametrize("round_trip", [0.0, 0.005, 0.04, 0.12])
async def test_a_session_measures_its_round_trip(round_trip: float, autojump_clock: Any) -> None:
    async with running() as host:
        session = await far_guest(host, "Ana", round_trip)
        assert session.credit == 0.0
        await trio.sleep(11)
        assert session.credit == pytest.approx(round_trip, abs=1e-9)


async def test_the_cap_the_kernel_and_the_inside_of_the_process(autojump_clock: Any) -> None:
    async with running(Settings(race_credit_ms=100)) as host:
        far = await far_guest(host, "Ana", 0.3)
        known = await far_guest(host, "Ben", 0.09, kernel=0.02)
        near = await host.guest("Cleo")
        inside = session_of(host, "Cleo")
        near.pongs = False
        await trio.sleep(6)
        for ping in near.all(Ping):
            await trio.sleep(0.08)
            await near.send(Pong(n=ping.n))
        await trio.sleep(0.5)
        assert (far.credit, known.credit, inside.credit) == (0.1, 0.02, 0.0)


async def test_a_ping_counts_from_when_it_left_and_not_from_when_it_was_to(autojump_clock: Any) -> None:
    class Blocked(FarTransport):
        """Takes nothing for a while."""

        opens = 0.0

        def try_send(self, data: bytes) -> int:
            return super().try_send(data) if trio.current_time() >= self.opens else 0

        async def send_all(self, data: bytes) -> None:
            await trio.sleep_until(self.opens)
            await super().send_all(data)

    async with running() as host:
        up, down = Lane(0.02), Lane(0.02)
        ours = Blocked(up, down, "192.0.2.1")
        host.server._begin(ours)
        peer = await host.guest("Ana", stream=FarStream(down, up))
        (session,) = host.server._sessions
        ours.opens = trio.current_time() + 12.3
        session.send(Notice(code="x", text="in front of all pings"))
        await trio.sleep(12.2)
        assert session.waiting_bytes > 0
        assert not peer.all(Ping)
        assert session.credit == 0.0
        await trio.sleep(0.5)
        assert len(peer.all(Ping)) == 2
        assert session.credit == pytest.approx(0.04)


async def test_a_pong_counts_as_received_even_if_its_sender_is_slowed(autojump_clock: Any) -> None:
    async with running(Settings(message_burst=5)) as host:
        peer = await host.guest("Ana", stream=dial(host.server, 0.03))
        (session,) = host.server._sessions
        peer.pongs = False
        await peer.expect(Ping)
        await peer.send(*(LobbyList(id=number) for number in range(1, 30)), Pong(n=1))
        await trio.sleep(3)
        assert session.credit == pytest.approx(0.03)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux measures and tells it")
async def test_the_kernel_tells_its_least_round_trip_also_below_tls(tmp_path: Path) -> None:
    async with serving(tmp_path) as place:
        await place.guest("Ana")
        (session,) = place.host.server._sessions
        least = session._transport.least_round_trip()
        assert least is not None
        assert 0 < least < 1
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert kernel_round_trip(ours) is None, "no TCP"
    assert kernel_round_trip(ours) is None, "closed"


async def test_pongs_are_taken_by_the_thousand_without_a_word(autojump_clock: Any) -> None:
    async with running(Settings(message_burst=10**6)) as host:
        peer = await host.guest("Ana", stream=dial(host.server, 0.05))
        (session,) = host.server._sessions
        await trio.sleep(6)
        before = len(peer.got)
        await peer.send(*(Pong(n=number) for number in range(1_000)))
        await settled()
        assert len(peer.got) == before
        assert not peer.closed
        assert session.credit == pytest.approx(0.05)
