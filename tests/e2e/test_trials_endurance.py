"""Hours in minutes: a small size of the trial in `trials.endurance`."""

from tests.e2e.trials import endurance


async def test_memory_and_descriptors_level_out_and_phases_keep_their_length() -> None:
    await endurance.endurance(4, tables=3, storm_every=1.5, growth=20, most_error=0.5)
