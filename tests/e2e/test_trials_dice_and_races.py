"""What the games with dice and with races bring: small sizes of the trials in `trials.dice_and_races`."""

from tests.e2e.trials import dice_and_races
from tests.e2e.trials.served import Served


async def test_five_throws_and_a_pass_in_one_segment_are_one_throw(served: Served) -> None:
    await dice_and_races.throws_in_one_segment(served, 4)


async def test_of_four_who_claim_at_once_one_wins_and_all_are_told_the_same(served: Served) -> None:
    await dice_and_races.claims_at_once(served, 4)


async def test_a_thief_who_drops_passes_or_stops_at_the_limit(served: Served) -> None:
    await dice_and_races.the_thief_drops(served, 2, slack=1.0)
