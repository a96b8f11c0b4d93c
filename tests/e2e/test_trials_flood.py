"""A flood beside tables of bots: a small size of the trial in `trials.flood`, which judges no times."""

from tests.e2e.trials import flood


async def test_games_beside_a_flood_end_and_the_server_does_not_grow() -> None:
    measured = await flood.flood(
        tables=2, silent=20, trickling=4, deaf=4, garbage=2, rounds=3, think=0.05, most_beyond=None
    )
    assert measured.rounds == 2
