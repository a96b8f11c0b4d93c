"""The server as a program: stopping, starting, addresses, clocks; and faults put into it on purpose.

PR-08, PR-23 (the hooks), PR-25, PR-27 (a bot that raises), PR-34.
"""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

import trio

from robby_client.address import Address
from robby_client.client import Client, LoginPlan
from robby_client.dial import tcp
from robby_protocol.messages import TableJoin, TableReady
from robby_rules.journal import Entry
from robby_server.bots import BotTicket
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.e2e.proxy import Proxy
from tests.e2e.trials.comebacks import Person
from tests.e2e.trials.measured import Measured, poll
from tests.e2e.trials.served import STOP_LIMIT, Served, environment
from tests.e2e.trials.tables import begin, drive, people, play, play_all, playing, sit
from tests.e2e.trials.wire import Wire, clients
from tests.protocol.raw_client import frame
from tests.server.kit import running

# PR-08


async def clock_through_delay(served: Served, rounds: int, *, delay: float = 0.3) -> Measured:
    """A client behind a slow network shows the time left within 0.3 s and the delay of what the server counts."""
    errors: list[float] = []
    async with clients() as nursery:
        proxy = Proxy(served.port, delay=delay)
        await nursery.start(proxy.serve)
        direct = (await people(nursery, served.port, 1))[0]
        table = await sit([direct], bots=["random"], options={"time": "blitz", "max_rounds": rounds}, capacity=3)
        name = f"Slow {direct.name}"
        person = Person(Client(tcp(Address("127.0.0.1", proxy.port)), LoginPlan(name=name)))
        nursery.start_soon(person.run)
        while person.connected == 0:
            await person.changed.wait()
        await person.client.call(TableJoin, table=table)
        await person.client.call(TableReady, ready=True)
        await direct.call("table.start")
        nursery.start_soon(play, direct, random.Random(8))
        seen = -1
        while direct.state["phase"] != "finished":
            await person.changed.wait()
            game = person.client.world.game
            if game is None or game.clock is None or game.seq == seen:
                continue
            seen = game.seq
            shown = game.clock.remaining(time.monotonic())
            assert 0 <= shown <= game.clock.total
            if direct.update["seq"] == game.seq and direct.update["clock"] is not None:
                real = direct.update_at + direct.update["clock"]["remaining_ms"] / 1000 - trio.current_time()
                errors.append(shown - max(0.0, real))
            if game.decision is not None:
                nursery.start_soon(_answer, person)
        person.client.stop()
    assert errors, "nothing was measured"
    worst = max(map(abs, errors))
    assert worst <= 0.3 + delay, f"shown {worst:.2f} s wrong"
    return Measured(len(errors), f"shown at most {worst * 1000:.0f} ms wrong at {delay * 1000:.0f} ms delay")


async def _answer(person: Person) -> None:
    game = person.client.world.game
    if game is not None and game.decision is not None:
        actions = [action for action in game.decision.legal if type(action).__name__ not in ("Reveal", "TakeBack")]
        if actions:
            await person.client.act(actions[0])


# PR-25


async def stop_by_sigterm(games: int, *, twice: bool) -> Measured:
    """SIGTERM with games and a client that never reads: all are told, exit code 0 within the stated time."""
    async with clients() as nursery:
        with Served() as served:
            tables = [await playing(nursery, served.port, 3) for _ in range(games)]
            for players in tables:
                await drive(players, "plays")
            deaf = await _never_reads(served.port)
            began = time.monotonic()
            served.signal(signal.SIGTERM)
            if twice:
                served.signal(signal.SIGTERM)
            assert await poll(lambda: served.process.poll() is not None, STOP_LIMIT), "it does not stop"
            took = time.monotonic() - began
            for players in tables:
                for player in players:
                    await player.until_closed(5)
                    if not twice:
                        goodbye = player.newest["goodbye"]
                        assert goodbye["code"] == "server_stopping", goodbye
                        assert goodbye["reconnect"], goodbye
            deaf.close()
            assert served.process.returncode == 0
    assert took < 5.5, f"stopped after {took:.1f} s"
    return Measured(1, f"exit 0 after {took:.1f} s")


async def _never_reads(port: int) -> socket.socket:
    """A client that logs in, asks for a lot, and reads nothing."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", port))
    sock.sendall(frame({"type": "hello", "versions": [[1, 0]]}))
    sock.sendall(frame({"type": "login", "method": "guest", "name": "Deaf"}))
    await trio.sleep(0.2)
    sock.sendall(b"".join(frame({"type": "lobby.list", "id": number}) for number in range(1, 90)))
    await trio.sleep(0.3)
    return sock


def interrupted_at_start(delays: Sequence[float]) -> Measured:
    """SIGINT while the program is still starting: it ends with a code of its own and without a traceback."""
    codes = []
    for delay in delays:
        with tempfile.TemporaryDirectory() as home:
            command = [sys.executable, "-P", "-m", "robby_cli", "serve", "--host", "127.0.0.1", "--port", "0"]
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(home)
            )
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            _out, errors = process.communicate(timeout=10)
            codes.append(process.returncode)
            text = errors.decode(errors="replace")
            # Before the program's first line the interpreter alone is at work, and what it says is its own.
            ours = re.search(r"/robby_\w+/\w+\.py", text)
            assert ours is None or "Traceback" not in text, f"after {delay} s: {text[-1500:]}"
            assert process.returncode in ((0, 130) if ours else (0, 130, 1, -signal.SIGINT)), (
                f"after {delay} s: exit {process.returncode}"
            )
    return Measured(len(codes), f"exit codes {sorted(set(codes))}, no traceback")


# PR-34


def addresses() -> Measured:
    """A taken port, a wrong address, a name that is none: one plain line and a code of its own."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        _fails("--port", port, says=port)
    _fails("--host", "192.0.2.1", says="192.0.2.1")
    _fails("--host", "no.such.name.invalid", says="no.such.name.invalid")
    tried = 3
    if os.geteuid() != 0:
        _fails("--port", "80", says="80")
        tried += 1
    return Measured(tried, "one line and code 3 each")


def restarts() -> Measured:
    """A restart at once after SIGKILL, with a connection open, on the same port; and IPv6."""
    with Served() as served:
        with socket.create_connection(("127.0.0.1", served.port)):
            served.kill()
            began = time.monotonic()
            served.start()
            again = time.monotonic() - began
        with socket.create_connection(("127.0.0.1", served.port), timeout=2):
            pass
    if _has_ipv6():
        with Served("--host", "::1") as served, socket.create_connection(("::1", served.port), timeout=2):
            pass
    return Measured(1 + _has_ipv6(), f"again on the same port after {again:.1f} s")


def _fails(*arguments: str, says: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-P", "-m", "robby_cli", "serve", "--host", "127.0.0.1", "--port", "0", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, env=environment(home), check=False)
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 3, (done.returncode, done.stderr)
    assert len(lines) == 1, done.stderr
    assert says in lines[0], lines


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as sock:
            sock.bind(("::1", 0))
    except OSError:
        return False
    return True


# PR-23 and PR-27: faults put in on purpose, under a fake clock and over memory.


class BrokenJournal(MemoryStore):
    """Raises for the match named `broken` from its n-th entry on."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after
        self.broken = ""

    async def append(self, match: str, entry: Entry) -> None:
        if match == self.broken and self.after <= 0:
            raise RuntimeError("a fault put in on purpose")
        self.after -= match == self.broken
        await super().append(match, entry)


async def one_table_fails(after: int) -> Measured:
    """A fault inside one table ends this table alone: its people are told, the other table plays on."""
    journal = BrokenJournal(after)
    async with running(journal=journal) as host, clients() as nursery:

        async def table(names: Sequence[str]) -> list[Wire]:
            wires = []
            for name in names:
                wire = Wire(host.server.connect_memory())
                nursery.start_soon(wire.read)
                await wire.log_in(name)
                wires.append(wire)
            await sit(wires)
            return wires

        broken, sound = await table(["Ana", "Ben", "Cleo"]), await table(["Dora", "Emil", "Fred"])
        await begin(sound)
        journal.broken = await begin(broken)
        async with trio.open_nursery() as games:
            for number, wire in enumerate(broken):
                games.start_soon(_until_closed, wire, random.Random(number))
            for wire in broken:
                await wire.expect("table.closed")
            games.cancel_scope.cancel()
        for wire in broken:
            assert wire.newest["table.closed"]["code"] == "internal"
            assert not wire.closed, "the connection ended with the table"
            assert (await wire.call("lobby.list"))["tables"][0]["table"] == sound[0].state["table"]
        await play_all(sound)
        assert all(wire.state["phase"] == "finished" for wire in sound)
    return Measured(1, "one table closed, the other played to its end")


async def _until_closed(wire: Wire, rng: random.Random) -> None:
    while "table.closed" not in wire.newest:
        action = rng.choice(wire.legal()) if wire.legal() else None
        if action is None:
            await wire.news.wait()
        else:
            await wire.code_of("game.act", **wire.act_fields(action))


async def server_bots_misbehave() -> Measured:
    """Bots that the server runs raise, hang or talk nonsense: the clock decides for them and others are not harmed."""
    spawned: list[str] = []

    async def spawn(ticket: BotTicket, stream: trio.abc.Stream) -> None:
        spawned.append(ticket.name)
        kind = len(spawned) % 3
        if kind == 0:
            raise RuntimeError("a fault put in on purpose")
        if kind == 1:
            await trio.sleep_forever()
        await stream.send_all(b"\xff" * 100)
        await trio.sleep_forever()

    async with running(Settings(), spawn_bot=spawn) as host, clients() as nursery:
        baseline = trio.lowlevel.current_statistics().tasks_living
        wire = Wire(host.server.connect_memory())
        nursery.start_soon(wire.read)
        await wire.log_in("Ana")
        await sit([wire], bots=["random", "random", "greedy"], options={"max_rounds": 3})
        await begin([wire])
        with trio.fail_after(3600):
            await play(wire, random.Random(1))
        await wire.until(lambda: wire.state["phase"] == "finished", 3600)
        assert wire.state["result"]
        await wire.call("table.leave")
        await trio.sleep(10)
        tasks = trio.lowlevel.current_statistics().tasks_living
        assert tasks <= baseline + 6, f"tasks {baseline} → {tasks}"
        assert list(host.server.directory.all()) == []
    return Measured(len(spawned), "the game ended; no table and no task left")
