"""The queue of events between the network and the one who shows them.

It never blocks the network and never grows for ever.
"""

from collections import deque

import anyio
import msgspec

from robby_client.events import ClientEvent, Connected, DealTrouble, Ended, Lost, Received
from robby_protocol.messages import TableState

QUEUE_LIMIT = 256
"""Events kept for a consumer that is behind; then older states that a newer one replaces are dropped."""
NEWS_LIMIT = 64
"""Table news kept when states of the table are taken together."""


class Inbox:
    """An async iterator for one consumer. `put` never waits."""

    def __init__(self) -> None:
        self._queue: deque[ClientEvent] = deque()
        self._arrived: anyio.Event | None = None
        self._ended = False

    def put(self, event: ClientEvent) -> None:
        """Add an event. After Ended nothing is added any more."""
        if self._ended:
            return
        if len(self._queue) >= QUEUE_LIMIT:
            self._compact()
        self._queue.append(event)
        self._ended = isinstance(event, Ended)
        if self._arrived is not None:
            self._arrived.set()
            self._arrived = None

    def _compact(self) -> None:
        """Keep of each kind of event the newest, in order; the world has the rest. News of a table are put together."""
        newest: dict[object, ClientEvent] = {}
        for event in self._queue:
            kind = _kind(event)
            before = newest.pop(kind, None)
            newest[kind] = _merged(before, event)
        self._queue = deque(newest.values())

    def __aiter__(self) -> "Inbox":
        return self

    async def __anext__(self) -> ClientEvent:
        while not self._queue:
            if self._ended:
                raise StopAsyncIteration
            if self._arrived is None:
                self._arrived = anyio.Event()
            await self._arrived.wait()
        return self._queue.popleft()


def _kind(event: ClientEvent) -> object:
    if isinstance(event, Received):
        return type(event.message)
    if isinstance(event, DealTrouble):
        return event  # each is said
    # Only the newest state of the connection matters, whichever of the two it is.
    return Connected if isinstance(event, Connected | Lost) else type(event)


def _merged(before: ClientEvent | None, after: ClientEvent) -> ClientEvent:
    if isinstance(before, Received) and isinstance(after, Received):
        old, new = before.message, after.message
        if isinstance(old, TableState) and isinstance(new, TableState) and old.table.table == new.table.table:
            return Received(msgspec.structs.replace(new, news=[*old.news, *new.news][-NEWS_LIMIT:]))
    return after
