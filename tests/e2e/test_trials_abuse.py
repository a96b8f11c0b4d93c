"""Strangers, crafted messages, exhausted descriptors: small sizes of the trials in `trials.abuse`."""

from tests.e2e.trials import abuse
from tests.e2e.trials.served import Served

BUSY = 1.0
"""Seconds: the whole suite runs on all cores meanwhile, so that only a standstill is a fault here."""


async def test_strangers_are_closed_and_cost_nothing() -> None:
    await abuse.strangers(1, slow_connections=10, slow_seconds=1.0, silence=False, most_wait=BUSY)


async def test_crafted_messages_are_refused_and_cost_nothing() -> None:
    await abuse.crafted(1, most_wait=BUSY)


async def test_games_go_on_when_descriptors_run_out() -> None:
    await abuse.descriptors_run_out(90, 1.0)


async def test_resets_during_send_end_only_that_connection(served: Served) -> None:
    await abuse.resets_during_send(served, 30)
