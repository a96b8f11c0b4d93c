"""TLS at a real server process: handshakes that stop, and a certificate that is replaced while people are there."""

import signal
import tempfile
import time
from pathlib import Path

import anyio
import trio

from robby_client.address import Address
from robby_client.client import Client, LoginPlan
from robby_client.dial import TlsPlan, tcp
from robby_client.events import Connected, Ended
from robby_protocol.messages import LobbyList
from tests.certificates import authority, server
from tests.e2e.trials.measured import Measured, poll
from tests.e2e.trials.served import Served

GRACE = 2.0
"""Seconds beyond the time limit: last words, the grain of the limits, a busy machine."""
HALF_A_HELLO = bytes.fromhex("16030100c8010000c40303") + bytes(40)


async def stalled_handshakes(connections: int, handshake_seconds: float, most_wait: float) -> Measured:
    """So many connections stop in the handshake beside somebody who asks all the time; then the certificate changes."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        ca = authority()
        (place / "ca.pem").write_bytes(ca.pem)
        server(by=ca).write(place)
        config = place / "robby.toml"
        config.write_text(
            f"[connections]\nhandshake_seconds = {handshake_seconds}\n"
            '[tls]\ncertificate = "server.crt"\nkey = "server.key"\n'
        )
        with Served("--config", str(config)) as served, trio.fail_after(120):
            return await _beside(served, place, connections, handshake_seconds, most_wait)


async def _beside(
    served: Served, place: Path, connections: int, handshake_seconds: float, most_wait: float
) -> Measured:
    dial = tcp(Address("127.0.0.1", served.port), TlsPlan(place / "ca.pem"))
    client = Client(dial, LoginPlan(name="Ana"), first_try_fatal=True)
    waits: list[float] = []
    ended: list[float] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        assert isinstance(await anext(client.events), Connected)

        async def stall() -> None:
            async with await trio.open_tcp_stream("127.0.0.1", served.port) as stream:
                await stream.send_all(HALF_A_HELLO)
                began = time.monotonic()
                try:
                    while await stream.receive_some():
                        pass
                except trio.BrokenResourceError:
                    pass  # closed with what we sent unread
                ended.append(time.monotonic() - began)

        for _number in range(connections):
            nursery.start_soon(stall)
        while len(ended) < connections:
            began = time.monotonic()
            await client.call(LobbyList)
            waits.append(time.monotonic() - began)
            await anyio.sleep(0.02)

        # Another authority's certificate in the same files: who trusts the old one gets in no more, who is in stays.
        server(by=authority("Another")).write(place)
        served.process.send_signal(signal.SIGHUP)
        assert await poll(lambda: "reloaded" in served.log(), 10)
        stranger = Client(dial, LoginPlan(name="Ben"), first_try_fatal=True)
        nursery.start_soon(stranger.run)
        refused = await anext(stranger.events)
        assert isinstance(refused, Ended), refused
        assert refused.code == "tls_unknown_ca", refused.code
        await client.call(LobbyList)
        client.stop()
    assert max(ended) <= handshake_seconds + GRACE, f"a stalled handshake ended after {max(ended):.1f} s"
    assert max(waits) <= most_wait, f"an answer took {max(waits):.2f} s beside them"
    figures = (
        f"slowest answer {max(waits) * 1000:.0f} ms of {len(waits)}; last stalled one gone after {max(ended):.1f} s"
    )
    return Measured(connections, figures)
