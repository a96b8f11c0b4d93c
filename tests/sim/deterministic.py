"""trio with every choice of its scheduler drawn from a seed. Uses two private names of trio, here and nowhere else."""

import gc
import heapq
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

GRAIN = 0.1
"""Seconds: what happens is put on multiples of it, so that many moments are one and the clock jumps less often. In what
order all that falls on one moment is done, the seed decides."""


def moment(delay: float) -> float:
    """The first moment of the grid that is so many seconds from now, or later."""
    return math.ceil((trio.current_time() + delay) / GRAIN - 1e-6) * GRAIN


class Wheel:
    """What is to be done at which moment. One deadline for all that falls on the same: a cancel scope for each sleeper
    and each piece on its way would cost more than the server does."""

    def __init__(self) -> None:
        self._moments: list[float] = []
        self._calls: dict[float, list[Callable[[], None]]] = {}
        self._earlier = trio.Event()

    def at(self, when: float, call: Callable[[], None]) -> None:
        """Call it then."""
        if when in self._calls:
            self._calls[when].append(call)
            return
        self._calls[when] = [call]
        heapq.heappush(self._moments, when)
        if self._moments[0] == when:
            self._earlier.set()

    async def turn(self) -> None:
        """Do all at its time, for ever."""
        while True:
            self._earlier = trio.Event()
            with trio.move_on_at(self._moments[0] if self._moments else math.inf):
                await self._earlier.wait()
            while self._moments and self._moments[0] <= trio.current_time():
                for call in self._calls.pop(heapq.heappop(self._moments)):
                    call()


_wheel: trio.lowlevel.RunVar[Wheel] = trio.lowlevel.RunVar("wheel")


def at(when: float, call: Callable[[], None]) -> None:
    """Call something at a moment of the grid."""
    _wheel.get().at(when, call)


async def nap(seconds: float) -> None:
    """Sleep for so long, and on to the next moment of the grid."""
    over = trio.Event()
    at(moment(seconds), over.set)
    await over.wait()


def run(seed: int, main: Callable[[], Awaitable[Result]]) -> Result:
    """Run `main` under a clock that jumps to the next deadline, the same way at each run with the same seed."""

    async def wheeled() -> Result:
        _wheel.set(Wheel())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_wheel.get().turn)
            result = await main()
            nursery.cancel_scope.cancel()
        return result

    with _seeded(seed), _no_secrets(seed), _rarely_collected():
        return trio.run(wheeled, clock=MockClock(autojump_threshold=0))


@contextmanager
def _rarely_collected() -> Iterator[None]:
    """Look for garbage seldom: what a run holds on to is looked through each time."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)


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
