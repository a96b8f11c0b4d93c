"""trio with every choice of its scheduler drawn from a seed. Uses two private names of trio, here and nowhere else."""

import math
import random
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TypeVar
from unittest import mock

import trio
import trio._core._run as scheduler  # the only way to a seeded scheduler; test_deterministic notices a change
from trio.testing import MockClock

from robby_server import wall

Result = TypeVar("Result")

GRAIN = 0.05
"""Seconds: what happens is put on multiples of it, so that many moments are one and the clock jumps less often. In what
order all that falls on one moment is done, the seed decides."""


def moment(delay: float) -> float:
    """The first moment of the grid that is so many seconds from now, or later."""
    return math.ceil((trio.current_time() + delay) / GRAIN - 1e-6) * GRAIN


async def nap(seconds: float) -> None:
    """Sleep for so long, and on to the next moment of the grid."""
    await trio.sleep_until(moment(seconds))


def run(seed: int, main: Callable[[], Awaitable[Result]]) -> Result:
    """Run `main` under a clock that jumps to the next deadline, the same way at each run with the same seed."""
    with _seeded(seed), _no_secrets(seed):
        return trio.run(main, clock=MockClock(autojump_threshold=0))


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    allowed, state = scheduler._ALLOW_DETERMINISTIC_SCHEDULING, scheduler._r.getstate()
    scheduler._ALLOW_DETERMINISTIC_SCHEDULING = True  # type: ignore[misc]
    scheduler._r.seed(seed)
    try:
        yield
    finally:
        scheduler._ALLOW_DETERMINISTIC_SCHEDULING = allowed  # type: ignore[misc]
        scheduler._r.setstate(state)


@contextmanager
def _no_secrets(seed: int) -> Iterator[None]:
    """Ids, tokens, deals and the date from the seed and the fake clock, instead of the operating system."""
    rng = source(seed, "secrets")
    with (
        mock.patch.object(secrets, "token_bytes", rng.randbytes),
        mock.patch.object(secrets, "token_hex", lambda count: rng.randbytes(count).hex()),
        mock.patch.object(secrets, "choice", rng.choice),
        mock.patch.object(wall, "time", SimpleNamespace(time=trio.current_time)),
    ):
        yield


def source(seed: int, *purpose: object) -> random.Random:
    """A random source of its own for one purpose, so that what one draws does not move the others."""
    return random.Random(repr((seed, *purpose)))
