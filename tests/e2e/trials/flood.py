"""A flood of clients that say nothing, next to nothing, rubbish, or read nothing, beside tables of bots that must not
notice (PR-19, PR-36): the games end, answers stay quick, the server's memory stays where it was.

The bots are a process of their own (`flood_bots`), the server is one, and the flood another (`flood_clients`).
"""

import json
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import trio

from tests.e2e.trials.measured import Measured
from tests.e2e.trials.served import Served

ROOT = Path(__file__).resolve().parents[3]
MOST_BEYOND = 0.1
"""Seconds by which the 99th percentile of the bots' answer times may grow beside the flood."""
MOST_GROWTH = 64 * 2**20 / 1e6
"""Megabytes (64 MiB) that the server may grow."""

FLOOD_SECONDS = 30.0
"""Until all of the flood have come."""


class Helper:
    """A process of the trial. module: in `tests.e2e.trials`."""

    def __init__(self, module: str, *arguments: object) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"tests.e2e.trials.{module}", *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )

    async def said(self) -> dict[str, Any]:
        """The next line that it prints."""
        assert self._process.stdout is not None
        line = await trio.to_thread.run_sync(self._process.stdout.readline, abandon_on_cancel=True)
        assert line, "it has ended"
        found: dict[str, Any] = json.loads(line)
        return found

    async def go_on(self) -> dict[str, Any]:
        """Give it a line; what it prints then."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()
        return await self.said()

    async def finish(self) -> dict[str, Any]:
        """Close its standard input; what it prints then."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return await self.said()

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()


async def flood(
    *,
    tables: int,
    silent: int,
    trickling: int,
    deaf: int,
    garbage: int,
    seats: int = 3,
    rounds: int = 12,
    think: float = 0.5,
    most_beyond: float | None = MOST_BEYOND,
    growth: float = MOST_GROWTH,
) -> Measured:
    """The games alone, then beside the flood. most_beyond: seconds; None: times are not judged."""
    everybody = silent + trickling + deaf + garbage + tables * seats
    limit = str(2 * everybody + 100)
    port = _free_port()
    with _configured(port) as config, Served(*config, "--max-connections", limit, "--max-per-address", limit) as served:
        bots = Helper("flood_bots", served.port, tables, seats, rounds, think)
        others: Helper | None = None
        try:
            ids = (await bots.said())["ids"]
            alone = await bots.go_on()
            before = await _metrics(port)
            memory = served.memory()
            heights: list[float] = []
            others = Helper("flood_clients", served.port, silent, trickling, deaf, garbage, *ids)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_watch_memory, served, heights)
                with trio.fail_after(FLOOD_SECONDS):
                    await others.said()
                began, cpu = trio.current_time(), served.cpu()
                beside = await bots.go_on()
                took = trio.current_time() - began
                nursery.cancel_scope.cancel()
            used = (served.cpu() - cpu) / took
            after = await _metrics(port)
            found = await others.finish()
            grown = max(heights) - memory
            served.check_alive()
        finally:
            bots.end()
            if others is not None:
                others.end()
        log = served.log()
    beyond = beside["p99"] - alone["p99"]
    figures = [
        f"{beside['games']} games of {beside['games']} beside it, {beside['answers']} answers in {took:.0f} s",
        f"p99 {beside['p99'] * 1000:.1f} ms, alone {alone['p99'] * 1000:.1f} ms ({beyond * 1000:+.1f})",
        f"median {beside['p50'] * 1000:.1f} and {alone['p50'] * 1000:.1f} ms, "
        f"slowest {beside['most'] * 1000:.0f} and {alone['most'] * 1000:.0f} ms",
        f"memory {memory:.0f} MB, at most {grown:+.1f} MB beside it",
        f"server {used * 100:.0f} % of a processor; log {len(log)} bytes",
        "by its own clocks p99: "
        + ", ".join(f"{name} {_p99(before, after, name) * 1000:.0f} ms" for name in ("answer", "commit", "loop_lag")),
        "connections made: " + ", ".join(f"{count} {kind}" for kind, count in sorted(found["came"].items())),
    ]
    told = "; ".join(figures)
    assert alone["games"] == beside["games"] == tables, told
    assert grown < growth, f"memory grew too much: {told}"
    assert most_beyond is None or beyond < most_beyond, f"answers were too slow: {told}"
    assert "Traceback" not in log
    return Measured(beside["games"], told)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _configured(metrics_port: int) -> Iterator[tuple[str, str]]:
    """The option that makes a server show its metrics."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "robby.toml"
        file.write_text(f"[metrics]\nport = {metrics_port}\n", encoding="utf-8")
        yield "--config", str(file)


async def _metrics(port: int) -> str:
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    async with stream:
        await stream.send_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return b"".join([bytes(data) async for data in stream]).decode()


def _p99(before: str, after: str, name: str) -> float:
    """The bound below which 99 of 100 lie of what a histogram counted in between; seconds."""
    pattern = re.compile(rf'^robby_{name}_seconds_bucket{{le="(.+?)"}} (\S+)$', re.MULTILINE)
    old, new = ({float(bound): float(count) for bound, count in pattern.findall(text)} for text in (before, after))
    counts = {bound: new[bound] - old[bound] for bound in sorted(new)}
    return next((bound for bound, count in counts.items() if count >= 0.99 * counts[max(counts)]), 0.0)


async def _watch_memory(served: Served, heights: list[float]) -> None:
    while True:
        heights.append(served.memory())
        await trio.sleep(0.2)
