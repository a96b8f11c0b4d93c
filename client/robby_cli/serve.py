"""`robby serve`: the server with its bots, its store and its sockets, until a signal or the parent ends it."""

import gc
import os
import secrets
import signal
import socket
import sys
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import trio

from robby_cli import seated_bots, seeds
from robby_cli.announced import announce, announce_to_parent, is_loopback, keep_telling_systemd, tell_systemd
from robby_cli.descriptors import allow_descriptors
from robby_cli.exits import CommandError
from robby_cli.reload import Reloader, log_problem, start_logging
from robby_cli.serve_options import ServeOptions, check, folder_of, open_tls
from robby_cli.server_folder import KEY_BYTES, RECORDS_FOLDER, key_is_missed, server_key, tell_missed_key
from robby_client import exit_codes
from robby_protocol import identity
from robby_protocol.i18n import _
from robby_server.app import Server
from robby_server.config import Config
from robby_server.config_page import example
from robby_server.listeners import CannotListen, address_of, open_listeners
from robby_server.operation import operate
from robby_server.records import FileRecords, Records
from robby_server.store import MemoryStore, SqliteStore, Store, StoreError

HANG_UP = getattr(signal, "SIGHUP", None)
SIGNALS = tuple(number for number in (signal.SIGINT, signal.SIGTERM, HANG_UP) if number is not None)


def serve(*, parent_pipe: bool, seed: str | None, bot_think: float | None, **given: Any) -> int:
    """Run the server. given: as `ServeOptions`. Returns the exit code; raises CommandError if it cannot start.

    parent_pipe: it belongs to the process at the other end of standard input: nothing is kept, and it ends with that.
    """
    options = ServeOptions(**given)
    config = options.read()
    if seed is not None and not all(map(is_loopback, config.serving.hosts or (None,))):
        raise CommandError(
            _("A seed makes the cards known beforehand; it is for local play alone. Leave --seed out."),
            exit_codes.USAGE,
        )
    missed = False
    if parent_pipe:
        config = config.over(log_level="warning", admin=False)
        key = secrets.token_bytes(KEY_BYTES)  # it is met once: nobody needs to know it again
    else:
        missed = key_is_missed(folder_of(config))
        key = server_key(folder_of(config))
    tls = open_tls(config)
    try:
        start_logging(config)
    except OSError as problem:
        raise CommandError(log_problem(config, problem), exit_codes.BAD_CONFIG) from problem
    allow_descriptors(config.settings.connections)
    think = seated_bots.THINK if bot_think is None else (bot_think, bot_think)
    server = Server(
        config.settings,
        MemoryStore() if parent_pipe else _open_store(config),
        records=None if parent_pipe else _open_records(config),
        spawn_bot=seated_bots.spawner(think=think, seed=seed),
        bots=seated_bots.offered(),
        key=key,
        match_seed=seeds.match_seeds(seed),
        tls=tls,
    )
    if missed:  # said only of a store that can be used
        tell_missed_key(folder_of(config))
    return trio.run(_run, server, key, config, Reloader(server, options, config), parent_pipe)


def check_config(**given: Any) -> int:
    """`robby serve --check-config`: say "ok", or all that is wrong. Returns the exit code that a server would have."""
    problems, warnings, code = check(ServeOptions(**given))
    for sentence in (*problems, *warnings):
        print(sentence, file=sys.stderr)
    if not problems:
        print(_("ok"))
    return code


def example_config() -> int:
    """`robby serve --example-config`: a whole file, to begin with."""
    print(example(), end="")
    return exit_codes.WELL


def _open_store(config: Config) -> Store:
    settings = config.settings
    try:
        return SqliteStore(
            folder_of(config),
            durability=config.serving.durability,
            keep=settings.ended_matches,
            retry_seconds=settings.store_retry_seconds,
        )
    except StoreError as problem:
        raise CommandError(problem.sentence, exit_codes.BAD_STORE) from problem


def _open_records(config: Config) -> Records:
    folder = folder_of(config) / RECORDS_FOLDER
    try:
        return FileRecords(folder, config.settings.records)
    except OSError as problem:
        text = _("Records of games cannot be kept in {folder}: {cause}. Give the folder to the server's user.")
        raise CommandError(text.format(folder=folder, cause=problem.strerror), exit_codes.BAD_STORE) from problem


async def _run(server: Server, key: bytes, config: Config, reloader: Reloader, parent_pipe: bool) -> int:
    with trio.open_signal_receiver(*SIGNALS) as signals:
        try:
            listeners, metrics = await _listen(config)
        except CannotListen as problem:
            await server.store.close()
            raise CommandError(problem.sentence, exit_codes.CANNOT_LISTEN) from problem
        async with trio.open_nursery() as nursery:

            async def serving(task_status: trio.TaskStatus[Any]) -> None:
                try:
                    await server.serve(listeners, task_status=task_status)
                except StoreError as problem:
                    raise CommandError(problem.sentence, exit_codes.BAD_STORE) from problem
                nursery.cancel_scope.cancel()

            await nursery.start(serving)
            folder = None if parent_pipe else folder_of(config)
            reload = reloader.reload if reloader.useful else None
            # Before anything is announced: whoever reads that the server is there may steer it.
            await nursery.start(partial(operate, server, data=folder, listeners=metrics, reload=reload))
            if parent_pipe:
                nursery.start_soon(_stop_with_parent, server)
                announce_to_parent(listeners)
            else:
                names = None if server.tls is None else server.tls.names
                announce(config.settings.server_name, identity.public_key(key), listeners, metrics, tls_names=names)
            nursery.start_soon(reloader.keep_warning)
            nursery.start_soon(keep_telling_systemd)
            nursery.start_soon(_heed_signals, server, signals, reloader, nursery)
            tell_systemd("READY=1")
            # What is here stays: a look for garbage through all of it would hold up the games for a tenth of a second.
            gc.collect()
            gc.freeze()
    return exit_codes.WELL


async def _listen(config: Config) -> tuple[list[socket.socket], list[socket.socket]]:
    """Sockets for every host, and those for metrics. Raises CannotListen, with none left open."""
    opened: list[socket.socket] = []
    metrics: list[socket.socket] = []
    port = config.serving.port
    settings = config.settings
    try:
        for host in config.serving.hosts or (None,):
            opened += await open_listeners(host, port)
            port = address_of(opened[0])[1]  # where any was asked for, all have the same
        if settings.metrics_port is not None:
            metrics = await open_listeners(settings.metrics_host, settings.metrics_port)
    except BaseException:  # also when cancelled: no socket may stay open
        for sock in opened:
            sock.close()
        raise
    return opened, metrics


async def _heed_signals(server: Server, signals: AsyncIterator[int], reloader: Reloader, nursery: trio.Nursery) -> None:
    """SIGHUP reloads where there is something to read again. Any other stops in good order, the next one at once."""
    async for number in signals:
        if number == HANG_UP and reloader.useful:
            await reloader.reload()
            continue
        tell_systemd("STOPPING=1")
        nursery.start_soon(server.stop)
        break
    async for number in signals:
        if number != HANG_UP or not reloader.useful:
            nursery.cancel_scope.cancel()


async def _stop_with_parent(server: Server) -> None:
    """Stop once standard input is at its end: whoever started this server has gone."""
    fd = sys.stdin.fileno()
    # Not through sys.stdin: a thread that waits in it would hold its lock when the process ends.
    while await trio.to_thread.run_sync(os.read, fd, 1024, abandon_on_cancel=True):
        pass
    await server.stop()
