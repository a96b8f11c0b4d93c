"""In-process connections: a trio stream as a byte stream of anyio, for clients in the server's own process."""

from typing import Protocol

import anyio
import trio
from anyio.abc import ByteStream

_CHUNK = 65_536


class TrioStream(Protocol):
    """What is used of `trio.abc.Stream`."""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None: ...

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray: ...

    async def aclose(self) -> None: ...


class _OverTrio(ByteStream):
    def __init__(self, stream: TrioStream) -> None:
        self._stream = stream

    async def receive(self, max_bytes: int = _CHUNK) -> bytes:
        try:
            data = await self._stream.receive_some(max_bytes)
        except trio.BrokenResourceError as error:
            raise anyio.BrokenResourceError from error
        except trio.ClosedResourceError as error:
            raise anyio.ClosedResourceError from error
        if not data:
            raise anyio.EndOfStream
        return bytes(data)

    async def send(self, item: bytes) -> None:
        try:
            await self._stream.send_all(item)
        except trio.BrokenResourceError as error:
            raise anyio.BrokenResourceError from error
        except trio.ClosedResourceError as error:
            raise anyio.ClosedResourceError from error

    async def send_eof(self) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._stream.aclose()


def over_trio(stream: TrioStream) -> ByteStream:
    """The stream as anyio's. Only under trio."""
    return _OverTrio(stream)
