"""The server's process is killed under running games, in small; `scripts/soak kill` is the whole trial."""

import trio

from tests.e2e.trials import kills


async def test_pr25_nothing_acknowledged_is_lost_by_sigkill() -> None:
    with trio.fail_after(110):
        measured = await kills.kills(5, tables=3)
    assert measured.rounds == 5
