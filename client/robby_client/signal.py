"""A flag that one task sets and another waits for; setting it twice is the same as once."""

import anyio


class Signal:
    """`wait` returns once `set` was called since the last `wait` returned. For one waiting task."""

    def __init__(self) -> None:
        self._is_set = False
        self._event: anyio.Event | None = None

    def set(self) -> None:
        """Wake the waiting task, or let the next `wait` return at once."""
        self._is_set = True
        if self._event is not None:
            self._event.set()

    async def wait(self) -> None:
        """Wait for `set`."""
        while not self._is_set:
            self._event = anyio.Event()
            await self._event.wait()
        self._event = None
        self._is_set = False
