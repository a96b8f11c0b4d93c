"""Tells when a running app has nothing left to do.

Textual's pilot takes an app for idle when the processor was, in slices of 20 ms and several times a key: most of a
test's time was waiting, and on a busy machine idle is never seen. Here it is looked up: the app is idle when its event
loop has nothing that could run, and its screen nothing left to draw. Timers that are not due yet are nothing to do.
"""

import asyncio
import time
from typing import Any

from textual import app as textual_app
from textual import pilot as textual_pilot
from textual._context import active_app
from textual.pilot import Pilot

ROUNDS = 3
"""Looks in a row at which nothing may be left: a future that is done lets whoever waits for it run a round later."""
LONGEST = 1.0
"""Seconds after which an app that never rests is taken as it is; Textual waits as long."""


async def idle() -> None:
    """Let the active app do all that it can do now."""
    app = active_app.get()
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    deadline = time.monotonic() + LONGEST
    rounds = 0
    while rounds < ROUNDS and time.monotonic() < deadline:
        await asyncio.sleep(0)
        if ready:
            rounds = 0
        elif _drawing(app):
            rounds = 0
            # The screen draws at its next sixtieth of a second; here that is at once.
            app.screen._on_timer_update()
        else:
            rounds += 1


def _drawing(app: textual_app.App[Any]) -> bool:
    return bool(app._screen_stack) and app.screen._update_timer._active.is_set()


async def _idle(_least: float = 0.0, _most: float = 0.0) -> None:
    await idle()


async def _screen_idle(_pilot: Pilot[Any], timeout: float = 0.0) -> bool:  # noqa: ASYNC109 - as Textual has it
    await idle()
    return True


def install() -> None:
    """Let every pilot wait this way."""
    for where, name, waits in (
        (textual_app, "wait_for_idle", _idle),
        (textual_pilot, "wait_for_idle", _idle),
        (Pilot, "_wait_for_screen", _screen_idle),
    ):
        assert hasattr(where, name), f"Textual has no {name} any more: see how its pilot waits now"
        setattr(where, name, waits)
