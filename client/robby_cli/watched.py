"""A client whose events a second party may see: a bot plays through it, and a teller or a host looks on."""

from collections.abc import AsyncIterator, Callable
from typing import Any

from robby_client.client import Client
from robby_client.events import ClientEvent


class WatchedClient(Client):
    """Calls `watcher` with each event before its one consumer gets it; the watcher must not wait."""

    def __init__(self, *arguments: Any, watcher: Callable[[ClientEvent], None], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._watcher = watcher

    @property
    def events(self) -> AsyncIterator[ClientEvent]:
        return self._watched(super().events)

    async def _watched(self, events: AsyncIterator[ClientEvent]) -> AsyncIterator[ClientEvent]:
        async for event in events:
            self._watcher(event)
            yield event
