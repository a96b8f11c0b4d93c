"""`robby bot`: a bot as a client of its own, on any server. Needs no terminal."""

import functools
import secrets
import signal
from pathlib import Path
from typing import Any, NamedTuple

import anyio

from robby_bots.interface import Bot
from robby_bots.registry import BotLoadError, load_bot
from robby_bots.runner import run_bot
from robby_cli import seeds
from robby_cli.exits import CommandError
from robby_cli.game_options import DEFAULT_GAME, options_of
from robby_cli.join import open_store, read_address
from robby_cli.secret import read_password
from robby_cli.tls_options import tls_plan
from robby_cli.watched import WatchedClient
from robby_client import exit_codes
from robby_client.address import Address
from robby_client.client import LoginPlan, NotConnected, Refused
from robby_client.codes import SERVER_ID_CHANGED
from robby_client.dial import TlsPlan, tcp
from robby_client.events import ClientEvent, Connected, Ended, Lost, Received
from robby_client.safe import safe
from robby_client.session import open_client
from robby_client.store import Store
from robby_protocol.errors import NO_SUCH_TABLE, NOT_READY, TOO_FEW_PLAYERS
from robby_protocol.i18n import _
from robby_protocol.messages import TableClosed, TableCreate, TableState

_ENDING = {signal.SIGINT: exit_codes.INTERRUPTED, signal.SIGTERM: exit_codes.TERMINATED}


def bot(
    *,
    spec: str,
    address: str,
    table: str | None,
    create: bool,
    seats: int,
    game: str | None,
    name: str | None,
    password_file: Path | None,
    tls: bool | None,
    tls_ca: Path | None,
    tls_name: str | None,
    trust_new_server: bool,
    think: float | None,
    seed: str | None,
    time: str | None,
    **settings: Any,
) -> int:
    """Let a bot play until it is told to stop or the server ends it. settings: see `options_of`.

    Returns the exit code.
    """
    if table is not None and create:
        raise CommandError(_("Give --table or --create, not both."), exit_codes.USAGE)
    if not create and (time is not None or any(value is not None for value in settings.values())):
        raise CommandError(_("A table's options are for the one that --create makes. Add it."), exit_codes.USAGE)
    server = read_address(address)
    password = read_password(password_file)
    try:
        kind = load_bot(spec, game)
    except BotLoadError as problem:
        raise CommandError(str(problem), exit_codes.USAGE) from problem
    player = kind()
    game = game or player.game or (DEFAULT_GAME if create else None)
    made = None
    if create:
        assert game is not None, "a table is of one game"
        made = _NewTable(game, seats, options_of(game, time, settings))
    runner = _BotRunner(player, game, made)
    store = Store(open_store(None).path / "bots")
    plan = tls_plan(store, server, tls, tls_ca, tls_name)
    if trust_new_server:
        store.trust_next(server)
    client = _client(store, server, name, kind.name, password, plan, runner)

    async def main() -> int:
        return await runner.run(client, table=table, think=think, seed=seed)

    return anyio.run(main, backend="trio")


REFUSED_PAUSE = 3.0
"""Seconds before a table is asked for again after a refusal: the server is not hammered."""


def _client(
    store: Store,
    server: Address,
    name: str | None,
    bot_name: str,
    password: str | None,
    tls: TlsPlan | None,
    runner: "_BotRunner",
) -> WatchedClient:
    """The bot's client. With a name of its own it keeps its token: killed and started again it has its seat again.

    Without one it gets a name with a number, so that several of a kind can come, and people know them for bots.
    """
    make = functools.partial(WatchedClient, watcher=runner.happened, first_try_fatal=True)
    if name is None:
        name = f"{bot_name.capitalize()} bot {secrets.randbelow(900) + 100}"
        return make(tcp(server, tls), LoginPlan(name=name, password=password))
    client = open_client(store, server, name, guest=True, password=password, tls=tls, make=make)
    assert isinstance(client, WatchedClient), "that is what makes it"
    return client


class _NewTable(NamedTuple):
    """A table that a bot makes and hosts."""

    game: str
    seats: int
    options: dict[str, Any]


class _BotRunner:
    """One bot on a server. game: which it plays; None: any. made: the table that it makes and hosts; None: none."""

    def __init__(self, player: Bot, game: str | None, made: _NewTable | None) -> None:
        self._player = player
        self._game = game
        self._made = made
        self._client: WatchedClient | None = None
        self._was_connected = False
        self._table_given = False
        self._no_table: Refused | None = None
        self._refusals: set[str] = {NOT_READY, TOO_FEW_PLAYERS}
        """Codes of refusals that are not said: nothing but somebody not there yet, or said before."""
        self._due = anyio.Event()

    async def run(self, client: WatchedClient, *, table: str | None, think: float | None, seed: str | None) -> int:
        self._client = client
        self._table_given = table is not None
        signalled: list[int] = []
        async with anyio.create_task_group() as tasks:

            async def watch_signals() -> None:
                with anyio.open_signal_receiver(*_ENDING) as signals:
                    async for number in signals:
                        signalled.append(_ENDING[number])
                        client.stop()

            tasks.start_soon(watch_signals)
            if self._made is not None:
                tasks.start_soon(self._host, self._made)
            ended = await run_bot(
                client,
                self._player,
                seeds.stream(seed, "bot"),
                think=None if think is None else (think, think),
                game=self._game,
                table=table,
                seek=table is None and self._made is None,
                stay=table is None,
                start=None if self._made is None else self._made.seats,
                refused=self._was_refused,
                waiting=lambda: print(_("There is no table with a free seat yet; waiting for one."), flush=True),
            )
            tasks.cancel_scope.cancel()
        return signalled[0] if signalled else self._conclude(ended)

    def _was_refused(self, refused: Refused) -> None:
        """The server refused a seat or a start: say it once; without its table the bot has nothing to do."""
        if refused.code == NO_SUCH_TABLE and self._table_given:
            self._no_table = refused
            assert self._client is not None, "run has set it"
            self._client.stop()
        elif refused.code not in self._refusals:
            self._refusals.add(refused.code)
            print(refused.text, flush=True)

    def _conclude(self, ended: Ended) -> int:
        if self._no_table is not None:
            raise CommandError(self._no_table.text, exit_codes.REFUSED)
        code = exit_codes.of_end(ended, was_connected=self._was_connected)
        if code != exit_codes.WELL:
            text = ended.text
            if ended.code == SERVER_ID_CHANGED:
                # Nobody is there to be asked.
                text = _("{text} To go on all the same, give --trust-new-server.").format(text=text)
            raise CommandError(text, code)
        return code

    def happened(self, event: ClientEvent) -> None:
        """Say what whoever runs the bot wants to know, in a line."""
        client = self._client
        assert client is not None, "events come from a client that runs"
        if isinstance(event, Connected):
            self._was_connected = True
            print(_("Connected as {name}.").format(name=safe(event.welcome.name)), flush=True)
        elif isinstance(event, Lost) and event.attempt == 0:
            print(_("{reason} Trying again.").format(reason=safe(event.text)), flush=True)
        elif isinstance(event, Received) and isinstance(event.message, TableClosed):
            print(safe(event.message.text), flush=True)
        elif isinstance(event, Received) and isinstance(event.message, TableState):
            self._table(event.message)
        self._due.set()

    def _table(self, state: TableState) -> None:
        for news in state.news:
            if news.code == "started":
                print(_("A game starts."), flush=True)
            elif news.code == "finished":
                scores = ", ".join(f"{safe(line.name)} {line.score:,}" for line in state.table.result)
                print(_("The game has ended: {scores}.").format(scores=scores), flush=True)

    async def _host(self, new: _NewTable) -> None:
        """Make a table whenever there is none; starting its games is the bot's runner's."""
        client = self._client
        assert client is not None, "run has set it"
        while True:
            await self._due.wait()
            self._due = anyio.Event()
            welcome = client.world.welcome
            if not client.connected or client.world.table is not None or welcome is None or welcome.table is not None:
                continue
            try:
                made = await client.call(TableCreate, game=new.game, capacity=new.seats, options=new.options)
            except (Refused, NotConnected) as problem:
                print(problem.text, flush=True)
                await anyio.sleep(REFUSED_PAUSE)
            else:
                print(_("The table's id is {table}.").format(table=made["table"]), flush=True)
