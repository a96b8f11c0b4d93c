"""What runs beside a server for whoever runs it: the admin's socket, metrics and health, sums of the log.

Nothing here can stop the server or a game: a fault is logged, and the part that had it begins anew.
"""

import socket
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import structlog
import trio

from robby_server.admin import Admin, Reload, Steered
from robby_server.admin_socket import SOCKET_FILE, serve_socket
from robby_server.health import complaints
from robby_server.local_http import Page, Pages, serve_http
from robby_server.log import tell_repeats
from robby_server.tally import Tally

log = structlog.get_logger("robby.operation")

LAG_SECONDS = 0.25
"""How often the loop's lag is measured."""
REPEATS_SECONDS = 1.0
"""How often the log is asked whether something that was repeated has ended."""
AGAIN_SECONDS = 5.0
"""Before a part that failed begins anew."""


async def operate(
    server: Steered,
    *,
    data: Path | None = None,
    listeners: Sequence[socket.socket] = (),
    reload: Reload | None = None,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Run everything beside a server until cancelled. Has started once the admin's socket is open, if it can be.

    data: the folder of the admin's socket; none: it is not offered. listeners: for metrics and health.
    """
    if hasattr(server.store, "on_commit"):
        server.store.on_commit = server.tally.commits.add
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_watch_lag, server.tally)
            nursery.start_soon(_sum_up)
            if data is not None and server.settings.admin:
                admin = Admin(server, nursery, reload)
                tried = trio.Event()
                serve = partial(serve_socket, data / SOCKET_FILE, admin.answer, tried=tried)
                nursery.start_soon(_again_and_again, "admin", serve)
                await tried.wait()
            if listeners:
                nursery.start_soon(serve_http, listeners, pages(server))
            task_status.started()
    finally:
        tell_repeats(all_now=True)


def pages(server: Steered) -> Pages:
    """What is served over HTTP."""
    # Only here, as nobody else needs the library: a server without metrics starts without it.
    from robby_server.metrics import CONTENT_TYPE, Metrics

    metrics = Metrics(server)

    def page(path: str) -> Page | None:
        if path == "/metrics":
            return Page(200, metrics.text(), CONTENT_TYPE)
        if path == "/healthz":
            found = complaints(server)
            return Page(503 if found else 200, "".join(f"{line}\n" for line in found or ["ok"]).encode())
        return None

    return page


async def _again_and_again(part: str, run: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            await run()
        except Exception:  # what serves the operator must not end what serves the players
            log.exception("operation_failed", part=part)
            await trio.sleep(AGAIN_SECONDS)
        else:
            return


async def _watch_lag(tally: Tally) -> None:
    while True:
        due = trio.current_time() + LAG_SECONDS
        await trio.sleep_until(due)
        tally.lag.add(max(0.0, trio.current_time() - due))


async def _sum_up() -> None:
    while True:
        await trio.sleep(REPEATS_SECONDS)
        tell_repeats()
