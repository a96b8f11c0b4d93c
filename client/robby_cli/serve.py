"""`robby serve`: the server with its bots, its key and its sockets, until a signal or the parent ends it."""

import ipaddress
import json
import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import trio

from robby_cli import seated_bots, seeds
from robby_cli.exits import CommandError
from robby_cli.secret import read_password
from robby_client import exit_codes
from robby_client.address import DEFAULT_PORT
from robby_protocol import identity
from robby_protocol.i18n import _
from robby_server.app import Server
from robby_server.listeners import CannotListen, address_of, open_listeners
from robby_server.log import set_up_logging
from robby_server.settings import Settings
from robby_server.store import MemoryStore

KEY_FILE = "server-key"
KEY_BYTES = 32
STOP_SIGNALS = tuple(
    number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)


def serve(
    *,
    host: str | None,
    port: int,
    name: str,
    max_connections: int | None,
    max_per_address: int | None,
    max_tables: int | None,
    password_file: Path | None,
    data: Path | None,
    quiet: bool,
    parent_pipe: bool,
    seed: str | None,
    bot_think: float | None,
) -> int:
    """Run the server. Returns the exit code; raises CommandError if it cannot start."""
    if seed is not None and not is_loopback(host):
        raise CommandError(
            _("A seed makes the cards known beforehand; it is for local play alone. Leave --seed out."),
            exit_codes.USAGE,
        )
    usual = Settings()
    settings = Settings(
        server_name=name,
        password=read_password(password_file),
        connections=usual.connections if max_connections is None else max_connections,
        connections_per_address=usual.connections_per_address if max_per_address is None else max_per_address,
        tables=usual.tables if max_tables is None else max_tables,
    )
    # A server that ends with its parent is met once: nobody needs to know it again.
    key = secrets.token_bytes(KEY_BYTES) if parent_pipe else server_key(data or data_folder())
    set_up_logging(level=logging.WARNING if quiet or parent_pipe else logging.INFO)
    think = seated_bots.THINK if bot_think is None else (bot_think, bot_think)
    server = Server(
        settings,
        MemoryStore(),
        spawn_bot=seated_bots.spawner(think=think, seed=seed),
        bots=seated_bots.offered(),
        key=key,
        match_seed=seeds.match_seeds(seed),
    )
    return trio.run(_run, server, key, host, port, name, parent_pipe)


async def _run(server: Server, key: bytes, host: str | None, port: int, name: str, parent_pipe: bool) -> int:
    with trio.open_signal_receiver(*STOP_SIGNALS) as signals:
        try:
            listeners = await open_listeners(host, port)
        except CannotListen as problem:
            raise CommandError(problem.sentence, exit_codes.CANNOT_LISTEN) from problem
        async with trio.open_nursery() as nursery:

            async def serving(task_status: trio.TaskStatus[Any]) -> None:
                await server.serve(listeners, task_status=task_status)
                nursery.cancel_scope.cancel()

            await nursery.start(serving)
            if parent_pipe:
                nursery.start_soon(_stop_with_parent, server)
                announce_to_parent(listeners)
            else:
                announce(name, identity.public_key(key), listeners)
            nursery.start_soon(_stop_on_signal, server, signals, nursery)
    return exit_codes.WELL


async def _stop_on_signal(server: Server, signals: AsyncIterator[int], nursery: trio.Nursery) -> None:
    """The first signal stops the server in good order; the second at once."""
    async for _number in signals:
        nursery.start_soon(server.stop)
        break
    async for _number in signals:
        nursery.cancel_scope.cancel()


async def _stop_with_parent(server: Server) -> None:
    """Stop once standard input is at its end: whoever started this server has gone."""
    fd = sys.stdin.fileno()
    # Not through sys.stdin: a thread that waits in it would hold its lock when the process ends.
    while await trio.to_thread.run_sync(os.read, fd, 1024, abandon_on_cancel=True):
        pass
    await server.stop()


def announce(name: str, server_id: bytes, listeners: Sequence[socket.socket]) -> None:
    """Say where the server listens and how to reach it."""
    for listener in listeners:
        address, port = address_of(listener)
        place = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        print(_("The server {name} listens on {place}.").format(name=name, place=place))
    port = address_of(listeners[0])[1]
    suffix = "" if port == DEFAULT_PORT else f":{port}"
    print(_("Join from another terminal: robby join {host}").format(host=f"{_reachable(listeners)}{suffix}"))
    print(_("The server's id: {id}").format(id=server_id.hex()), flush=True)


def announce_to_parent(listeners: Sequence[socket.socket]) -> None:
    """One line that the parent reads: where to connect to."""
    host, port = address_of(listeners[0])
    print(json.dumps({"robby": "ready", "host": host, "port": port}), flush=True)


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


def is_loopback(host: str | None) -> bool:
    """Whether only this machine can reach a server that listens there."""
    if host == "localhost":
        return True
    try:
        return host is not None and ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def data_folder() -> Path:
    """Where the server's data lie: $ROBBY_HOME/server, or the platform's place for a user's data."""
    own = os.environ.get("ROBBY_HOME")
    if own:
        return Path(own) / "server"
    import platformdirs

    return platformdirs.user_data_path("robby-solo") / "server"


def server_key(folder: Path) -> bytes:
    """The server's private seed: the one kept in the folder, or a new one that is kept there. Raises CommandError."""
    path = folder / KEY_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            key = bytes.fromhex(path.read_text(encoding="ascii"))
        except FileNotFoundError:
            return _new_key(path)
        except ValueError:
            key = b""
    except OSError as problem:
        raise CommandError(
            _("The server's key cannot be kept in {folder}: {cause}. Choose another folder with --data.").format(
                folder=folder, cause=problem.strerror
            ),
            exit_codes.USAGE,
        ) from problem
    if len(key) != KEY_BYTES:
        raise CommandError(
            _("The server's key in {path} is damaged. Put back a good copy, or delete it for a new one.").format(
                path=path
            ),
            exit_codes.USAGE,
        )
    return key


def _new_key(path: Path) -> bytes:
    """A new key in its file, which only its owner may read: whole or not at all, and never in place of another."""
    key = secrets.token_bytes(KEY_BYTES)
    whole = path.with_name(f"{path.name}.{os.getpid()}.new")
    fd = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write(key.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(whole, path)
        except FileExistsError:
            # Another server was quicker: its key is the one.
            return bytes.fromhex(path.read_text(encoding="ascii"))
    finally:
        whole.unlink(missing_ok=True)
    return key
