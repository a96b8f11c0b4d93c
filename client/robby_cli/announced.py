"""What `robby serve` says when it listens: to a person, to the parent that started it, to systemd."""

import ipaddress
import json
import os
import socket
import sys
from collections.abc import Sequence

import trio

from robby_cli.terminal import abandon
from robby_client.address import DEFAULT_PORT
from robby_protocol.i18n import _
from robby_server.listeners import address_of


def announce(
    name: str,
    server_id: bytes,
    listeners: Sequence[socket.socket],
    metrics: Sequence[socket.socket],
    *,
    tls_names: Sequence[str] | None,
) -> None:
    """Say where the server listens and how to reach it. tls_names: what its certificate is for; None: without TLS.

    A terminal or pipe that has gone is no reason to end: whoever started the server need not stay to watch it.
    """
    lines = [_("The server {name} listens on {place}.").format(name=name, place=_place(one)) for one in listeners]
    for listener in metrics:
        lines.append(_("Metrics and health: {address}").format(address=f"http://{_place(listener)}/metrics"))
    port = address_of(listeners[0])[1]
    host = _reachable(listeners)
    fitting = [one for one in tls_names or () if "*" not in one]
    if fitting:
        host = f"[{fitting[0]}]" if ":" in fitting[0] else fitting[0]
    if port != DEFAULT_PORT:
        host += f":{port}"
    if tls_names is not None:
        host += " --tls"
    lines.append(_("Join from another terminal: robby join {host}").format(host=host))
    lines.append(_("The server's id: {id}").format(id=server_id.hex()))
    try:
        print("\n".join(lines), flush=True)
    except OSError:
        abandon(sys.stdout)


def announce_to_parent(listeners: Sequence[socket.socket]) -> None:
    """One line that the parent reads: where to connect to."""
    host, port = address_of(listeners[0])
    print(json.dumps({"robby": "ready", "host": host, "port": port}), flush=True)


def tell_systemd(state: str) -> None:
    """Tell the service manager that started this process, if one did: `READY=1` and the like (sd_notify(3))."""
    place = os.environ.get("NOTIFY_SOCKET")
    if not place or not hasattr(socket, "AF_UNIX"):
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notifier:
            # An @ stands for the zero byte with which abstract names begin.
            notifier.sendto(state.encode(), f"\0{place[1:]}" if place.startswith("@") else place)
    except OSError:
        return  # it has no ear for us; it will see the process end or go on


async def keep_telling_systemd() -> None:
    """Show the service manager that the loop turns, as often as it asked for."""
    try:
        seconds = int(os.environ.get("WATCHDOG_USEC", "")) / 1_000_000
    except ValueError:
        return
    while True:
        tell_systemd("WATCHDOG=1")
        await trio.sleep(seconds / 3)


def is_loopback(host: str | None) -> bool:
    """Whether only this machine can reach a server that listens there."""
    if host == "localhost":
        return True
    try:
        return host is not None and ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _place(listener: socket.socket) -> str:
    address, port = address_of(listener)
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _reachable(listeners: Sequence[socket.socket]) -> str:
    """A name or address by which others can reach this server."""
    address = address_of(listeners[0])[0]
    if address not in ("0.0.0.0", "::"):
        return f"[{address}]" if ":" in address else address
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            # Nothing is sent: this only asks which of our addresses the way out has.
            probe.connect(("192.0.2.1", DEFAULT_PORT))
            return str(probe.getsockname()[0])
    except OSError:
        return "localhost"
