"""A table that is gone sooner than its match's end has been told: messages come together, and the end is not lost."""

from collections.abc import AsyncIterator

import trio
from trio.testing import MockClock

from robby_client.client import Client, LoginPlan
from robby_plain.match import MatchPart
from robby_plain.output import Printer
from robby_plain.session import Session
from robby_protocol.errors import TABLE_CLOSED
from robby_protocol.messages import TableClosed
from tests.client.fakes import FakeServer, table_state, update

LAID = {"type": "laid", "seat": 1}


async def no_lines() -> AsyncIterator[str]:
    for line in list[str]():
        yield line


async def test_the_end_of_a_match_is_told_though_its_table_is_gone(autojump_clock: MockClock) -> None:
    client: Client = FakeServer().client(LoginPlan(name="Ana"))
    world = client.world
    said: list[str] = []
    async with trio.open_nursery() as nursery:
        # The match part starts its countdowns in an anyio task group, of which it uses `start_soon` alone.
        part = MatchPart(Session(client, no_lines(), Printer(said.append)), nursery)  # type: ignore[arg-type]
        world.apply(table_state())
        world.apply(update(1))
        part.refresh()
        said.clear()
        world.apply(update(2, events=[LAID]))
        world.apply(TableClosed(table="t1", code=TABLE_CLOSED, text=""))
        assert world.game is None
        part.catch_up()
        told = list(said)
        assert told
        part.refresh()
        part.refresh()
        assert said == told
        nursery.cancel_scope.cancel()
