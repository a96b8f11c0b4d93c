"""A misbehaving proxy in a thread of its own, for tests that wait on terminals and know no event loop."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

import trio

from tests.e2e.proxy import Proxy


class ProxyThread:
    """Runs a `Proxy` before one server; use it as a context manager. port: where clients connect to."""

    def __init__(self, target_port: int) -> None:
        self._proxy = Proxy(target_port)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=trio.run, args=(self._run,), daemon=True)
        self._token: trio.lowlevel.TrioToken | None = None
        self._scope = trio.CancelScope()

    async def _run(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        with self._scope:
            async with trio.open_nursery() as nursery:
                await nursery.start(self._proxy.serve)
                self._ready.set()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10), "the proxy did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._call(self._scope.cancel)
        self._thread.join(10)

    @property
    def address(self) -> str:
        """As a client types it."""
        return f"127.0.0.1:{self._proxy.port}"

    def lead_to(self, port: int) -> None:
        """From now on new connections go there; where nothing listens they are closed at once."""
        self._call(lambda: setattr(self._proxy, "target_port", port))

    def reset_all(self) -> None:
        """Reset every connection."""
        self._call(self._proxy.reset_all)

    def _call(self, function: Callable[[], None]) -> None:
        assert self._token is not None
        trio.from_thread.run_sync(function, trio_token=self._token)
