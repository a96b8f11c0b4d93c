"""People and peers that vanish: small sizes of the trials in `trials.absence`."""

import pytest

from robby_server.settings import Settings
from tests.e2e.trials import absence
from tests.e2e.trials.served import Served

BUSY = 2.0
"""Seconds: the whole suite runs on all cores meanwhile, so that only a standstill is a fault here."""


@pytest.mark.parametrize("moments", [absence.MOMENTS[:3], absence.MOMENTS[3:]], ids=["before", "after"])
async def test_who_drops_in_any_phase_is_played_for_by_the_clock(served: Served, moments: tuple[str, ...]) -> None:
    await absence.drops_in_each_phase(served, moments, slack=BUSY)


async def test_drops_and_resumes_in_one_phase_move_no_deadline(served: Served) -> None:
    await absence.drop_and_resume_in_one_phase(served, 5, play_ms=1500, most_moved=0.5, slack=BUSY)


async def test_vanished_and_frozen_peers_are_away_in_time_and_come_back() -> None:
    await absence.vanished(2, 1, Settings(ping_seconds=0.2, silence_seconds=1.0, connections_per_address=100))
