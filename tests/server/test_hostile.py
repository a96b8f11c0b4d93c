"""Clients that spoil other people's evening: seats held by nobody, places taken up, work made for nothing."""

from functools import partial
from typing import Any

import pytest
import trio

from robby_protocol.messages import Bye, TableCreate, TableJoin
from tests.server.kit import Peer, running, settled, sit_down


def seated(peer: Peer) -> list[tuple[str, str]]:
    return [(seat.name, seat.state) for seat in peer.state.table.seats]


async def test_sitting_down_and_hanging_up_in_one_breath_leaves_no_seat(autojump_clock: Any) -> None:
    """The table takes the join only after the connection has ended: nobody would ever leave that seat again."""
    async with running() as host:
        ana = await host.guest("Ana")
        table = await sit_down([ana])
        for number in range(10):
            ben = await host.guest(f"Ben{chr(97 + number)}")
            await ben.send(TableJoin(id=7, table=table), Bye())
            await ben.drop()
            await settled()
        assert seated(ana) == [("Ana", "here")]


async def test_sitting_down_and_vanishing_leaves_no_seat_that_is_not_freed(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        table = await sit_down([ana])
        ben = await host.guest("Ben")
        await ben.send(TableJoin(id=7, table=table))
        await ben.drop()
        await settled()
        assert ("Ben", "here") not in seated(ana)


@pytest.mark.parametrize("kind", ["join", "create"])
async def test_what_a_replaced_connection_still_asks_seats_nobody(kind: str, autojump_clock: Any) -> None:
    """Whoever logs in anew has the seat that was taken by the older connection, or none: never a ghost on it."""
    async with running() as host:
        ana = await host.guest("Ana")
        table = await sit_down([ana])
        for number in range(20):
            ben = await host.guest(f"Ben{chr(97 + number)}")
            assert ben.welcome is not None
            name, token = ben.welcome.name, ben.welcome.resume
            command = TableJoin(id=7, table=table) if kind == "join" else TableCreate(id=7, game="robby-solo")
            new = host.peer()
            await new.hello()
            await settled()
            async with trio.open_nursery() as nursery:  # in any order
                nursery.start_soon(ben.send, command)
                nursery.start_soon(partial(new.login, name, resume=token))
            await settled()
            await new.bye()
            await settled()
            assert seated(ana) == [("Ana", "here")]
            assert len(host.server.directory) == 1
