"""The flood of the flood trial, in a process of its own: its clients stand for other machines.

    python -m tests.e2e.trials.flood_clients PORT SILENT TRICKLING DEAF GARBAGE [TABLE …]

Prints a line once all of them are there, and goes on until standard input ends; then prints one JSON object: how often
each kind connected, and how many of each there were at most at a time.
"""

import itertools
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import trio

from tests.e2e.trials.wire import Gone, Refused, guest
from tests.protocol.raw_client import frame

BYTE_SECONDS = 1.0
"""Between two bytes of those that send one at a time."""
STORM_SECONDS = 0.5
"""Over which the connections come: nobody opens five hundred in the same millisecond."""
GONE = (trio.BrokenResourceError, trio.ClosedResourceError, OSError, Gone, Refused, trio.TooSlowError)
"""How a client of the flood may end; it comes again."""


@dataclass
class Flood:
    """Whoever is in it, each again and again until cancelled. came: how often each kind connected."""

    port: int
    tables: Sequence[str]
    came: Counter[str] = field(default_factory=Counter)
    now: Counter[str] = field(default_factory=Counter)
    most: Counter[str] = field(default_factory=Counter)
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    async def silent(self) -> None:
        """Says nothing, until the server has had enough."""
        stream = await self._connect("silent")
        try:
            await stream.receive_some(4096)
        finally:
            await self._left("silent", stream)

    async def trickling(self) -> None:
        """A hello, one byte a second."""
        data = frame({"type": "hello", "versions": [[1, 0]], "client": "x" * 200})
        stream = await self._connect("trickling")
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._until_closed, stream, nursery.cancel_scope)
                for byte in data:
                    await stream.send_all(bytes([byte]))
                    await trio.sleep(BYTE_SECONDS)
        finally:
            await self._left("trickling", stream)

    async def deaf(self, number: int) -> None:
        """Logs in, asks for all that is told, and reads nothing of it; keeps sending, so it is not silent."""
        kind = "deaf"
        async with trio.open_nursery() as nursery:
            wire = await guest(nursery, self.port, f"Deaf {next(self.numbers)}", keep=False)
            self._arrived(kind)
            try:
                if number % 2 or not self.tables:
                    await wire.call("lobby.watch", on=True)
                else:
                    await wire.call("table.watch", table=self.tables[number % len(self.tables)])
                wire.stop_reading()
                while True:
                    await wire.send("lobby.list", id=wire.new_id())
                    await trio.sleep(0.2)
            finally:
                self.now[kind] -= 1
                with trio.CancelScope(shield=True):
                    await wire.drop()
                nursery.cancel_scope.cancel()

    async def garbage(self, rng: random.Random) -> None:
        """Random bytes; the next as soon as it is thrown out."""
        stream = await self._connect("garbage")
        try:
            await stream.send_all(rng.randbytes(rng.randrange(1, 400)))
            while await stream.receive_some(4096):
                pass
        finally:
            await self._left("garbage", stream)

    async def again_and_again(self, client: Any, *arguments: Any) -> None:
        """One of these for ever."""
        await trio.sleep(random.Random(next(self.numbers)).uniform(0, STORM_SECONDS))
        while True:
            try:
                await client(*arguments)
            except GONE:
                pass  # thrown out, as is wanted
            except BaseExceptionGroup as group:
                if group.split(GONE)[1] is not None:
                    raise

    async def _connect(self, kind: str) -> trio.SocketStream:
        stream = await trio.open_tcp_stream("127.0.0.1", self.port)
        self._arrived(kind)
        return stream

    def _arrived(self, kind: str) -> None:
        self.came[kind] += 1
        self.now[kind] += 1
        self.most[kind] = max(self.most[kind], self.now[kind])

    async def _left(self, kind: str, stream: trio.SocketStream) -> None:
        self.now[kind] -= 1
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(stream)

    async def _until_closed(self, stream: trio.SocketStream, scope: trio.CancelScope) -> None:
        while await stream.receive_some(4096):
            pass
        scope.cancel()


async def main(port: int, silent: int, trickling: int, deaf: int, garbage: int, tables: Sequence[str]) -> None:
    """Flood until standard input ends."""
    flood = Flood(port, tables)
    async with trio.open_nursery() as nursery:
        for count, client in ((silent, flood.silent), (trickling, flood.trickling)):
            for _ in range(count):
                nursery.start_soon(flood.again_and_again, client)
        for number in range(deaf):
            nursery.start_soon(flood.again_and_again, flood.deaf, number)
        for number in range(garbage):
            nursery.start_soon(flood.again_and_again, flood.garbage, random.Random(number))
        wanted = Counter(silent=silent, trickling=trickling, deaf=deaf, garbage=garbage)
        while wanted - flood.most:  # noqa: ASYNC110 - a moment more or less does not matter here
            await trio.sleep(0.05)
        print(json.dumps({"most": flood.most}), flush=True)
        await trio.to_thread.run_sync(sys.stdin.read)
        nursery.cancel_scope.cancel()
    print(json.dumps({"came": flood.came, "most": flood.most}), flush=True)


if __name__ == "__main__":
    # Other machines would not take processor time from the server: neither must these clients.
    os.nice(19)
    _port, _silent, _trickling, _deaf, _garbage = map(int, sys.argv[1:6])
    trio.run(main, _port, _silent, _trickling, _deaf, _garbage, sys.argv[6:])
