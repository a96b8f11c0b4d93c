"""The stream in memory keeps trio's contract, and waits where a socket would."""

from typing import Any

import pytest
import trio
from trio.testing import check_half_closeable_stream, wait_all_tasks_blocked

from robby_server.memory import memory_stream_pair


async def test_it_keeps_trios_contract_of_streams(autojump_clock: Any) -> None:
    async def pair() -> tuple[trio.abc.HalfCloseableStream, trio.abc.HalfCloseableStream]:
        return memory_stream_pair()

    async def clogged() -> tuple[trio.abc.HalfCloseableStream, trio.abc.HalfCloseableStream]:
        one, other = memory_stream_pair(limit=1)
        await one.send_all(b"x")
        await other.send_all(b"x")
        return one, other

    await check_half_closeable_stream(pair, clogged)


async def test_a_full_buffer_makes_the_sender_wait() -> None:
    one, other = memory_stream_pair(limit=10)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(one.send_all, b"x" * 25)
        await wait_all_tasks_blocked()
        assert await other.receive_some() == b"x" * 10
        received = 10
        while received < 25:
            received += len(await other.receive_some(7))
    assert received == 25


async def test_a_closed_end_is_the_end_of_file_for_the_other() -> None:
    one, other = memory_stream_pair()
    await one.send_all(b"last")
    await one.aclose()
    assert await other.receive_some() == b"last"
    assert await other.receive_some() == b""
    with pytest.raises(trio.BrokenResourceError):
        await other.send_all(b"x")
