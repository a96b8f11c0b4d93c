"""Keys act one after the other, in the order typed.

Textual hands a key to the widget with the focus and goes on to the next key at once; only when nobody up to the app has
stopped it are the bindings asked. Letters act in the first step, Tab, Enter, arrows and Backspace in the last, so in a
burst the letters would come first, and in the field that had the focus before. Here a key waits until everything that
the key before it set off is done: the focus has moved, the dialog has opened.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from textual import events
from textual.app import App

MOST_WAITING = 4_000
"""Keys that may wait. More than anybody types ahead: a book pasted into a terminal that does not say so; the rest is
dropped."""
FLOOD = 200
"""Waiting keys from which leaving does not stand in line."""
_LEAVING = frozenset({"ctrl+q", "ctrl+c"})
LONGEST = 3.0
"""Seconds after which a key no longer waits for the one before: something hangs, and keys must still work."""
_LOOK_AGAIN = 0.05
"""Seconds after which a widget that has not done its work is looked at again: it may have been taken away meanwhile."""

Press = events.Key | events.Paste


class Typed:
    """The line in which key presses and pasted texts wait. press: lets one act."""

    def __init__(self, app: App[Any], press: Callable[[Press], Awaitable[None]]) -> None:
        self._app = app
        self._press = press
        self._waiting: asyncio.Queue[Press] = asyncio.Queue()
        self.busy = False

    @property
    def waiting(self) -> int:
        """How many stand in line."""
        return self._waiting.qsize()

    def put(self, event: Press) -> None:
        """Stand in line."""
        if isinstance(event, events.Key) and event.key in _LEAVING and self._waiting.qsize() > FLOOD:
            while not self._waiting.empty():
                self._waiting.get_nowait()
        if self._waiting.qsize() < MOST_WAITING:
            self._waiting.put_nowait(event)

    async def run(self) -> None:
        """Let them act, one after the other, for as long as the app runs. busy: one is acting."""
        while True:
            event = await self._waiting.get()
            self.busy = True
            try:
                await self._press(event)
                with anyio.move_on_after(LONGEST):
                    await self._quiet()
            finally:
                self.busy = False

    async def _quiet(self) -> None:
        """Wait until nothing on the screen has anything left to do.

        Events go up to the app, one queue after the other; what they set off begins somewhere below. So all are looked
        through from below, until twice in a row nothing was found.
        """
        idle = 0
        while idle < 2:
            idle += 1
            for node in (*self._app.screen.walk_children(with_self=True, reverse=True, method="breadth"), self._app):
                if not node.is_running:
                    continue
                if node.message_queue_size:
                    idle = 0
                done = asyncio.Event()
                if not node.call_later(done.set):
                    continue
                with anyio.move_on_after(_LOOK_AGAIN) as waiting:
                    await done.wait()
                if waiting.cancelled_caught:
                    idle = 0
