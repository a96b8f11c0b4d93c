"""Strangers, crafted messages and exhausted descriptors, beside a game that must not notice (PR-19, PR-20, PR-23)."""

import random
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import msgpack  # type: ignore[import-untyped]
import trio

from tests.e2e.trials.measured import Measured, percentile, poll
from tests.e2e.trials.served import Served
from tests.e2e.trials.tables import LATE, begin, choose, people, play_all, sit
from tests.e2e.trials.wire import Gone, Wire, clients, connect, guest
from tests.protocol.raw_client import frame

MOST_GROWTH = 20.0
"""Megabytes that hostile peers may make the server grow."""
MOST_WAIT = 0.1
"""Seconds: the 99th percentile of the answer time in a game beside them."""


@dataclass
class Beside:
    """A game that runs beside a trial, over and over.

    waits: seconds until each answer. alone: their 99th percentile before the trial, which is what the machine takes
    for itself. games: how many ended.
    """

    waits: list[float] = field(default_factory=list)
    alone: float = 0.0
    games: int = 0
    pause: float = 0.05

    async def measure_alone(self, seconds: float) -> None:
        """See how long answers take while nothing else is asked of the server."""
        await trio.sleep(seconds)
        self.alone = percentile(self.waits, 99)
        self.waits.clear()


@asynccontextmanager
async def game_beside(nursery: trio.Nursery, port: int) -> AsyncIterator[Beside]:
    """Three scripted players play game after game, and each answer's time is measured."""
    beside = Beside()
    players = await people(nursery, port, 3, keep=False)
    await sit(players)
    async with trio.open_nursery() as playing:
        playing.start_soon(_play_on, players, beside)
        yield beside
        playing.cancel_scope.cancel()
    for player in players:
        assert not player.closed, "a player of the game beside was disconnected"
        await player.call("lobby.list")
        await player.drop()


async def _play_on(players: list[Wire], beside: Beside) -> None:
    while True:
        await begin(players)
        async with trio.open_nursery() as nursery:
            for number, player in enumerate(players):
                nursery.start_soon(_play_measured, player, random.Random(number), beside)
        beside.games += 1


async def _play_measured(player: Wire, rng: random.Random, beside: Beside) -> None:
    done: tuple[str, int] | None = None
    while True:
        if player.state["phase"] == "finished":
            return
        decision = player.decision
        if decision is None or (player.update["match"], decision["id"]) == done:
            await player.news.wait()
            continue
        done = (player.update["match"], decision["id"])
        action = choose(player, rng)
        if action is not None:
            await trio.sleep(beside.pause)  # below the limit of messages per second
            began = trio.current_time()
            code = await player.code_of("game.act", **player.act_fields(action))
            beside.waits.append(player.received_at - began)
            assert code == "ok" or code in LATE, code


def _judge(served: Served, beside: Beside, memory: float, most_wait: float, what: str, tried: int) -> Measured:
    grown = served.memory() - memory
    slow = percentile(beside.waits, 99)
    assert beside.waits, "the game beside did not go on"
    assert grown < MOST_GROWTH, f"memory grew by {grown:.1f} MB"
    assert slow < most_wait + beside.alone, (
        f"the game beside: p99 {slow * 1000:.0f} ms, {beside.alone * 1000:.0f} alone"
    )
    times = f"p99 {slow * 1000:.1f} ms ({beside.alone * 1000:.1f} alone)"
    figures = f"memory {grown:+.1f} MB, game beside: {len(beside.waits)} answers, {times}"
    return Measured(tried, f"{figures}; {what}")


# PR-19

STRANGERS: dict[str, Callable[[random.Random], bytes]] = {
    "HTTP": lambda _: b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
    "TLS": lambda _: bytes.fromhex("1603010200010001fc0303") + bytes(508),
    "SSH": lambda _: b"SSH-2.0-OpenSSH_9.6\r\n",
    "random bytes": lambda rng: rng.randbytes(2000),
    "length 0": lambda _: struct.pack(">I", 0),
    "the largest length": lambda _: b"\xff\xff\xff\xff",
    "a length over the limit": lambda _: struct.pack(">I", 4097) + bytes(100),
    "no map": lambda _: struct.pack(">I", 1) + b"\x01",
    "another message first": lambda _: frame({"type": "lobby.list", "id": 1}),
    "a hello of no version": lambda _: frame({"type": "hello", "versions": []}),
    "50 frames in one segment": lambda _: frame({"type": "hello", "versions": [[1, 0]]}) * 50,
}
CLOSED_AT_ONCE = 2.0
"""Seconds: at once, and a second for the last words, on a busy machine."""


async def strangers(
    rounds: int, *, slow_connections: int, slow_seconds: float, silence: bool, most_wait: float = MOST_WAIT
) -> Measured:
    """Whatever else may connect to a port: closed at once, or after the stated time, and it costs nothing."""
    slowest = 0.0
    rng = random.Random(19)
    async with clients() as nursery:
        with Served() as served:
            async with game_beside(nursery, served.port) as beside:
                await beside.measure_alone(0.5 if rounds < 2 else 5.0)
                memory = served.memory()
                async with trio.open_nursery() as slow:
                    for _ in range(slow_connections):
                        slow.start_soon(_one_byte_a_moment, nursery, served.port, slow_seconds)
                    for _ in range(rounds):
                        for what, data in STRANGERS.items():
                            began = trio.current_time()
                            wire = await connect(nursery, served.port, keep=True)
                            await wire.send_bytes(data(rng))
                            await wire.until_closed(CLOSED_AT_ONCE + 5)
                            took = trio.current_time() - began
                            slowest = max(slowest, took)
                            assert took < CLOSED_AT_ONCE + most_wait, f"{what}: closed after {took:.1f} s"
                            assert "welcome" not in wire.newest
                    if silence:
                        await _silent(nursery, served.port)
                await _every_split(nursery, served.port, step=7)
                measured = _judge(
                    served, beside, memory, most_wait, f"slowest close {slowest:.1f} s", rounds * len(STRANGERS)
                )
            assert served.log_lines() < 100 + 3 * rounds * len(STRANGERS)
    return measured


async def _silent(nursery: trio.Nursery, port: int) -> None:
    """Nothing is said before hello, or only the half of a frame: closed within about ten seconds."""
    for data in (b"", struct.pack(">I", 4000), frame({"type": "hello", "versions": [[1, 0]]})):
        wire = await connect(nursery, port)
        began = trio.current_time()
        await wire.send_bytes(data)
        await wire.until_closed(15)
        assert trio.current_time() - began < 13, "a silent connection was kept"


async def _one_byte_a_moment(nursery: trio.Nursery, port: int, seconds: float) -> None:
    """A legal frame, byte by byte, for so long; then it is given up."""
    wire = await connect(nursery, port)
    data = frame({"type": "hello", "versions": [[1, 0]], "client": "x" * 99, "extensions": {"x": "y" * 3800}})
    with trio.move_on_after(seconds):
        try:
            for byte in data:
                await wire.send_bytes(bytes([byte]))
                await trio.sleep(0.5)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return
    await wire.drop()


async def _every_split(nursery: trio.Nursery, port: int, *, step: int) -> None:
    """A valid hello cut in two at every so many bytes is understood."""
    data = frame({"type": "hello", "versions": [[1, 0]], "client": "trial"})
    for cut in range(1, len(data), step):
        wire = await connect(nursery, port)
        await wire.send_bytes(data[:cut])
        await trio.sleep(0.002)
        await wire.send_bytes(data[cut:])
        await wire.expect("greeting")
        await wire.drop()


# PR-20


def _map(*pairs: tuple[bytes, bytes]) -> bytes:
    return bytes([0x80 + len(pairs)]) + b"".join(key + value for key, value in pairs)


def _text(text: str) -> bytes:
    return bytes(msgpack.packb(text))


_PING = (_text("type"), _text("ping"))
_N = _text("n")
CRAFTED: dict[str, bytes] = {
    "nested arrays": b"\x91" * 60_000,
    "nested maps": b"\x81\xa1x" * 20_000,
    "array of 2^32-1": b"\xdd\xff\xff\xff\xff",
    "map of 2^32-1": b"\xdf\xff\xff\xff\xff",
    "bytes of 2^32-1": b"\xc6\xff\xff\xff\xff",
    "text of 2^32-1": b"\xdb\xff\xff\xff\xff",
    "full of empty maps": b"\xdd" + struct.pack(">I", 65_000) + b"\x80" * 65_000,
    "integer keys": b"\xdf"
    + struct.pack(">I", 13_000)
    + b"".join(b"\xcd" + struct.pack(">H", n) + b"\x01" for n in range(13_000)),
    "a list as key": _map((b"\x91\x01", b"\x01")),
    "a key twice": _map(_PING, (_N, b"\x01"), (_N, b"\x02")),
    "NaN": _map(_PING, (_N, b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00")),
    "infinity": _map(_PING, (_N, b"\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00")),
    "2^64-1": _map(_PING, (_N, b"\xcf" + b"\xff" * 8)),
    "true for an integer": _map(_PING, (_N, b"\xc3")),
    "an extension": _map(_PING, (_N, b"\xd4\x05\x00")),
    "a bad timestamp": _map(_PING, (_N, b"\xd6\xff\xff\xff\xff\xff")),
    "0xc1": b"\xc1",
    "trailing bytes": _map(_PING, (_N, b"\x01")) + b"\x00",
    "bad UTF-8": _map((_text("type"), b"\xa2\xff\xfe"), (_N, b"\x01")),
    "deep in an unknown field": _map(_PING, (_N, b"\x01"), (_text("x"), b"\x91" * 50_000 + b"\xc0")),
    "an integer type": _map((_text("type"), b"\x05")),
    "no type": _map((_N, b"\x01")),
}


async def crafted(rounds: int, *, most_wait: float = MOST_WAIT) -> Measured:
    """Crafted messages in valid frames: refused in one way, without a traceback, and the game beside goes on."""
    closed: set[str] = set()
    answered: set[str] = set()
    slowest = 0.0
    async with clients() as nursery:
        with Served() as served:
            async with game_beside(nursery, served.port) as beside:
                await beside.measure_alone(0.5 if rounds < 2 else 5.0)
                memory = served.memory()
                for number in range(rounds):
                    for index, (what, body) in enumerate(CRAFTED.items()):
                        wire = await guest(nursery, served.port, f"Crafty {number} {index}")
                        began = trio.current_time()
                        await wire.send_bytes(struct.pack(">I", len(body)) + body)
                        try:
                            await wire.until(lambda: "error" in wire.newest or "goodbye" in wire.newest, 5)  # noqa: B023
                        except Gone:
                            raise AssertionError(f"{what}: closed without a word") from None
                        slowest = max(slowest, trio.current_time() - began)
                        (answered if "error" in wire.newest else closed).add(what)
                        assert "pong" not in wire.newest, f"{what}: taken for a ping"
                        await wire.drop()
                figures = f"{len(closed)} kinds closed, {len(answered)} answered, slowest {slowest * 1000:.0f} ms"
                measured = _judge(served, beside, memory, most_wait, figures, rounds * len(CRAFTED))
            assert "Traceback" not in served.log()
    return measured


# PR-23


async def descriptors_run_out(connections: int, seconds: float) -> Measured:
    """With few descriptors and many connections, games go on, the log is quiet, and accepting recovers by itself."""
    async with clients() as nursery:
        with Served("--max-connections", "500", "--quiet", descriptors=64) as served:
            async with game_beside(nursery, served.port) as beside:
                cpu, began = served.cpu(), trio.current_time()
                await trio.sleep(max(0.5, seconds / 4))
                alone = (served.cpu() - cpu) / (trio.current_time() - began) * 100
                lines, cpu = served.log_lines(), served.cpu()
                began = trio.current_time()
                others: list[trio.SocketStream] = []
                for _ in range(connections):
                    with trio.move_on_after(0.2):
                        others.append(await trio.open_tcp_stream("127.0.0.1", served.port))
                before = len(beside.waits)
                await trio.sleep(seconds)
                took = trio.current_time() - began
                assert len(beside.waits) > before, "the game beside stands still"
                assert len(others) > 64, "the limit was not reached"
                used = (served.cpu() - cpu) / took * 100
                logged = served.log_lines() - lines
                files = served.open_files()
                for stream in others:
                    await stream.aclose()
                closed = trio.current_time()
                back = await guest(nursery, served.port, "Afterwards")
                recovered = trio.current_time() - closed
                await back.drop()
                slow = percentile(beside.waits, 99)
    assert recovered < 5, f"accepting recovered after {recovered:.1f} s"
    assert logged <= took + 2, f"{logged} lines in {took:.0f} s"
    assert used - alone < 20, f"{used:.0f} % CPU, {alone:.0f} % without the flood"
    figures = f"{files} descriptors, recovered after {recovered:.1f} s, {logged} log lines in {took:.0f} s"
    cost = f"{used:.0f} % CPU with the game beside, {alone:.0f} % before; its p99 {slow * 1000:.0f} ms"
    return Measured(connections, f"{figures}; {cost}")


async def resets_during_send(served: Served, times: int) -> Measured:
    """Connections reset while the server sends to them: only they end, and no traceback is logged."""
    async with clients() as nursery:
        players = await people(nursery, served.port, 3)
        await sit(players, options={"time": "untimed"})
        files = served.open_files()
        for number in range(times):
            wire = await guest(nursery, served.port, f"Reset {number}", keep=False)
            # Answers to all of these are on their way when the connection is reset.
            await wire.send_bytes(b"".join(frame({"type": "lobby.list", "id": i}) for i in range(1, 21)))
            if number % 2:
                await trio.sleep(0.001)
            await wire.reset()
        assert await poll(lambda: served.open_files() <= files, 10), "descriptors are left over"
        await begin(players)
        await play_all(players)
        assert "Traceback" not in served.log()
    return Measured(times, "a game was played afterwards; descriptors as before; no traceback")
