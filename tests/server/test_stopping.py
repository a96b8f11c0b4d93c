"""While a server stops: what comes in the last moment."""

from typing import Any

import pytest
import trio

from robby_protocol import errors
from robby_protocol.messages import TableCreate
from robby_server.store import MemoryStore
from tests.server.kit import Answered, running, settled


class SlowStore(MemoryStore):
    """Takes its time to write the clock for the last time."""

    def __init__(self) -> None:
        super().__init__()
        self.stopping = False
        self.go_on = trio.Event()

    async def tick(self, clock_ms: int) -> None:
        if self.stopping:
            await self.go_on.wait()
        await super().tick(clock_ms)


async def test_a_table_in_the_last_moment_is_refused_instead_of_lost(autojump_clock: Any) -> None:
    store = SlowStore()
    async with running(journal=store) as host, trio.open_nursery() as nursery:
        ana = await host.guest("Ana")
        store.stopping = True
        nursery.start_soon(host.server.stop)
        await settled(0.001)
        with pytest.raises(Answered) as refused:
            await ana.call(TableCreate, game="robby-solo")
        assert refused.value.code == errors.DRAINING
        store.go_on.set()
        await ana.until_closed()
