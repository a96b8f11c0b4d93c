"""TLS at a real server: the small size of the trial in `trials.secure`."""

from tests.e2e.trials import secure


async def test_handshakes_that_stop_delay_nobody_and_a_new_certificate_drops_nobody() -> None:
    await secure.stalled_handshakes(100, 2.0, most_wait=1.0)
