"""Clients and bots that lose the server or die: small sizes of the trials in `trials.comebacks`."""

import pytest

from robby_client.client import Timings
from tests.e2e.trials import comebacks
from tests.e2e.trials.served import Served

HASTY = Timings(ping=0.2, silence=1.0, handshake=1.0, first_wait=0.05, longest_wait=0.5)


@pytest.mark.parametrize("blackhole", [False, True], ids=["refused", "silent"])
async def test_everybody_is_back_in_the_seat_after_the_network_was_away(served: Served, blackhole: bool) -> None:
    await comebacks.network_away(served, 6, 1.5, HASTY, blackhole=blackhole)


async def test_everybody_is_in_again_after_the_server_was_away() -> None:
    await comebacks.server_away(6, 0.5, HASTY)


async def test_a_bot_that_is_killed_is_played_for_by_the_clock(served: Served) -> None:
    await comebacks.bot_killed(served, ("plays",))


@pytest.mark.parametrize("grace", [60.0, 0.0], ids=["within the grace time", "after it"])
async def test_a_bot_that_is_started_again_has_its_seat_again(grace: float) -> None:
    await comebacks.bot_restarted(grace=grace)


async def test_bad_answers_are_refused_and_harm_nobody_else(served: Served) -> None:
    await comebacks.bad_answers(served, 200, most_wait=3.0)
