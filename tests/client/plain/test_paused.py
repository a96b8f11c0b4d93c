"""A clock that stands still, in lines: said once, no countdown meanwhile, and on again with the time that is left."""

from collections.abc import AsyncIterator

import trio
from trio.testing import MockClock

from robby_client.client import Client, LoginPlan
from robby_plain.match import MatchPart
from robby_plain.output import Printer
from robby_plain.session import Session
from robby_protocol.messages import Clock, Decision
from tests.client.fakes import FakeServer, table_state, update

LEGAL = [{"type": "lay", "bank": 0}]


async def no_lines() -> AsyncIterator[str]:
    for line in list[str]():
        yield line


async def test_a_paused_clock_is_said_and_counts_nothing_down(autojump_clock: MockClock) -> None:
    client: Client = FakeServer().client(LoginPlan(name="Ana"))
    world = client.world
    world.now = trio.current_time
    said: list[str] = []
    async with trio.open_nursery() as nursery:
        # The match part starts its countdowns in an anyio task group, of which it uses `start_soon` alone.
        part = MatchPart(Session(client, no_lines(), Printer(said.append)), nursery)  # type: ignore[arg-type]
        world.apply(table_state())

        def tell(seq: int, *, paused: bool) -> None:
            clock = Clock(remaining_ms=12_000, total_ms=15_000, paused=paused)
            world.apply(update(seq, decision=Decision(id=1, legal=LEGAL), clock=clock))
            part.refresh()

        tell(1, paused=True)
        await trio.sleep(60)
        stands = [line for line in said if "stands still" in line]
        assert stands
        assert not [line for line in said if "left" in line]
        tell(2, paused=True)
        assert [line for line in said if "stands still" in line] == stands
        part.time()
        assert "12 seconds left." in said
        said.clear()
        tell(3, paused=False)
        assert said[0] == "12 seconds left."
        await trio.sleep(60)
        assert said[1:] == ["5 seconds left."]
        said.clear()
        # And if it stops in the middle of a countdown, that stops too.
        tell(4, paused=False)
        tell(5, paused=True)
        await trio.sleep(60)
        assert not [line for line in said if "left" in line]
        nursery.cancel_scope.cancel()
