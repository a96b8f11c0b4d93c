"""People and peers that vanish: in every phase, again and again, without a word, frozen (PR-07, PR-09, PR-10)."""

import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import trio

from robby_server.listeners import open_listeners
from robby_server.settings import Settings
from tests.e2e.proxy import Proxy
from tests.e2e.trials.measured import Measured, poll
from tests.e2e.trials.served import Served, environment
from tests.e2e.trials.tables import all_have, any_news, choose, drive, people, playing, told
from tests.e2e.trials.wire import Wire, again, clients
from tests.protocol.raw_client import Frame
from tests.server.kit import running

LIMITS = {"supply_ms": 1000, "play_ms": 1000, "gentleman_ms": 1000, "revision_max_ms": 1000, "item_ms": 1000}
"""The shortest limits that a table may have."""
SLACK = 0.5
"""Seconds that a busy machine may be late in telling that a phase has ended."""

# PR-07

MOMENTS = ("supply", "before laying", "before placing", "before declaring", "after declaring", "card in hand")


async def drops_in_each_phase(served: Served, moments: Sequence[str], *, slack: float = SLACK) -> Measured:
    """Somebody drops at each moment of a round; the phase ends in time, by the automatic action that is written."""
    tried = 0
    slowest = 0.0
    async with clients() as nursery:
        players = await playing(nursery, served.port, 5, options={**LIMITS, "max_rounds": len(moments) + 2})
        for moment in moments:
            if (await drive(players, "supply", "over"))["phase"] == "over":
                break
            victim = await _lead_to(players, moment)
            rest = [player for player in players if player is not victim]
            number, seq, phase = rest[0].view["round"], rest[0].update["seq"], rest[0].view["phase"]
            own, seat = victim.update["own"], victim.seat
            began = trio.current_time()
            await victim.drop()
            while rest[0].view["phase"] == phase and rest[0].view["round"] == number:
                await _answer_once(rest)
            slowest = max(slowest, trio.current_time() - began)
            while rest[0].view["round"] == number and rest[0].view["phase"] != "over":
                await _answer_once(rest)
            await all_have(rest, max(player.update["seq"] for player in rest))
            _check_automatic(_round(rest[0], number), moment, seat, own)
            assert rest[0].update["seq"] > seq
            back = await again(nursery, served.port, victim)
            await back.expect("game.update")
            players[players.index(victim)] = back
            for player in rest:
                await player.expect(
                    "table.state", lambda state: all(s["state"] == "here" for s in state["table"]["seats"])
                )
            tried += 1
        await drive(players, "over")
        for player in players:
            await player.expect("table.state", lambda state: bool(state["table"]["result"]))
    assert slowest < 1.0 + slack, f"a phase of 1 s took {slowest:.2f} s"
    return Measured(tried, f"longest phase of 1 s took {slowest:.2f} s")


async def _lead_to(players: Sequence[Wire], moment: str) -> Wire:
    """Play to a moment of the round that has just begun. Returns who shall drop there."""
    gentleman = players[players[0].view["gentleman"]]
    other = next(player for player in players if player is not gentleman)
    if moment == "supply":
        return gentleman
    if moment == "before laying":
        await drive(players, "plays")
        return other
    await drive(players, "gentleman")
    if moment == "before placing":
        return gentleman
    if moment == "before declaring":
        await gentleman.act(gentleman.legal("lay")[0])
        await gentleman.expect("game.update", lambda update: update["own"]["card"] is not None)
        await all_have(players, gentleman.update["seq"])
        return gentleman
    await drive(players, "revision")
    if moment == "after declaring":
        return gentleman
    await other.act({"type": "take_back"})
    await other.until(lambda: bool(other.legal("lay")))
    return other


async def _answer_once(players: Sequence[Wire]) -> None:
    """Everybody answers what is asked now; then wait for something to happen."""
    for player in players:
        if player.decision is not None and (action := choose(player, random.Random(player.update["seq"]))) is not None:
            await player.code_of("game.act", **player.act_fields(action))
    await any_news(players)


def _round(player: Wire, number: int) -> list[Frame]:
    """The public events of one round."""
    events = told(player, player.update["match"])
    starts = [index for index, event in enumerate(events) if event["type"] == "round_started"]
    end = starts[number] if number < len(starts) else len(events)
    return events[starts[number - 1] : end]


def _check_automatic(events: Sequence[Frame], moment: str, seat: int, own: Frame) -> None:
    """What the clock did for the one who dropped is what the rules say, and it is marked."""
    revealed = next(event["banks"][seat] for event in events if event["type"] == "revealed")
    laid = [event for event in events if event["type"] == "laid" and event["seat"] == seat]
    declared = [event for event in events if event["type"] == "declared"]
    assert len(declared) == 1, declared
    if moment == "supply":
        supplied = next(event for event in events if event["type"] == "supplied")
        assert supplied["side"] == "left", supplied
        assert supplied["auto"], supplied
    if moment in ("supply", "before placing", "before declaring"):
        assert declared[0]["auto"], declared
        assert not declared[0]["robs"], declared
        assert declared[0]["bank"] != revealed, "the automatic declaration is false"
    if moment in ("supply", "before laying", "before placing"):
        assert [event["auto"] for event in laid] == [True], laid
    else:
        assert not any(event["auto"] for event in laid), laid
        assert revealed == own["card"], "the card that lay does not count"
    if moment == "card in hand":
        assert any(event["type"] == "returned" and event["seat"] == seat for event in events), "not laid again"


# PR-09


async def drop_and_resume_in_one_phase(
    served: Served, times: int, *, play_ms: int, most_moved: float = 0.1, slack: float = SLACK
) -> Measured:
    """One player drops and comes back again and again within one phase: nobody's time moves."""
    async with clients() as nursery:
        players = await playing(nursery, served.port, 3, options={**LIMITS, "play_ms": play_ms})
        await drive(players, "plays")
        index = next(i for i, player in enumerate(players) if player.legal("lay"))
        others = [player for i, player in enumerate(players) if i != index]
        deadlines = [player.update_at + player.update["clock"]["remaining_ms"] / 1000 for player in players]
        due = min(deadlines)
        shown: list[float] = []
        for _ in range(times):
            old = players[index]
            await old.drop()
            for other in others:
                await other.expect("table.state", lambda state: state["table"]["seats"][index]["state"] == "away")
            players[index] = back = await again(nursery, served.port, old)
            await back.expect("game.update")
            assert back.update["decision"] is not None
            for player in players:
                shown.append(player.update_at + player.update["clock"]["remaining_ms"] / 1000)
            for other in others:
                await other.expect("table.state", lambda state: state["table"]["seats"][index]["state"] == "here")
        moved = max(abs(end - due) for end in shown)
        ended = []
        for player in players:
            await player.expect("game.update", lambda update: update["public"]["view"]["phase"] != "plays")
            ended.append(player.update_at)
        assert moved < most_moved, f"a deadline moved by {moved * 1000:.0f} ms"
        late = max(ended) - due
        assert abs(late) < slack, f"the phase ended {late:.2f} s late"
    return Measured(times, f"deadlines moved by at most {moved * 1000:.0f} ms; the phase ended {late * 1000:+.0f} ms")


# PR-10


async def vanished(tables: int, frozen: int, settings: Settings) -> Measured:
    """Seated clients vanish without FIN behind a proxy, and processes are frozen: away in time, nothing left over.

    The frozen ones are thawed at the end: they are told, come back by themselves and have their seats again.
    """
    listeners = await open_listeners("127.0.0.1", 0)
    port = listeners[0].getsockname()[1]
    async with running(settings, listeners=listeners) as host, clients() as nursery:
        proxy = Proxy(port)
        await nursery.start(proxy.serve)
        baseline = trio.lowlevel.current_statistics().tasks_living
        watchers: list[Wire] = []
        gone: list[Wire] = []
        programs: list[Bot] = []
        try:
            for number in range(tables):
                watcher = (await people(nursery, port, 1))[0]
                lost = await people(nursery, proxy.port, 3)
                made = await watcher.call("table.create", game="robby-solo", capacity=6)
                for wire in lost:
                    await wire.call("table.join", table=made["table"])
                if number < frozen:
                    bot = Bot(port, made["table"], f"Frozen {number}")
                    programs.append(bot)
                    await watcher.until(lambda: len(watcher.state["seats"]) == 5)  # noqa: B023 - waited for here
                watchers.append(watcher)
                gone += lost
            tasks = trio.lowlevel.current_statistics().tasks_living
            for link in [proxy.link_of(wire.port) for wire in gone]:
                link.silent = True
            for bot in programs:
                bot.freeze()
            since = trio.current_time()
            for watcher in watchers:
                await watcher.until(lambda: _away(watcher) == len(watcher.state["seats"]) - 1, 60)  # noqa: B023
            took = trio.current_time() - since
            limit = settings.silence_seconds + 5
            assert took <= limit, f"marked away after {took:.1f} s"
            for wire in gone:
                await wire.drop()
            assert await poll(lambda: host.server.connections <= tables, 10), "connections are left over"
            left = trio.lowlevel.current_statistics().tasks_living
            held = [len(watcher.state["seats"]) for watcher in watchers]
            for bot in programs:
                bot.thaw()
            for watcher in watchers[:frozen]:
                await watcher.until(lambda: watcher.state["seats"][4]["state"] == "here", 45)  # noqa: B023
            for bot in programs:
                assert await bot.said("again"), "a thawed client does not say what happened"
        finally:
            for bot in programs:
                bot.close()
    assert held == [5] * min(frozen, tables) + [4] * (tables - frozen), "a seat was not held"
    count = len(gone) + frozen
    figures = f"{count} away after {took:.1f} s (limit {limit:.0f}); tasks {baseline} → {tasks} → {left}"
    return Measured(count, f"{figures}; {frozen} thawed and back")


def _away(watcher: Wire) -> int:
    return sum(seat["state"] == "away" for seat in watcher.state["seats"])


class Bot:
    """`robby bot` as a process."""

    def __init__(self, port: int, table: str, name: str, *arguments: str, bot: str = "random") -> None:
        self._home = tempfile.TemporaryDirectory()
        self._out = Path(self._home.name) / "output"
        command = [sys.executable, "-P", "-m", "robby_cli", "bot", bot, f"127.0.0.1:{port}"]
        self._command = [*command, "--table", table, "--name", name, *arguments]
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        with self._out.open("ab") as out:
            return subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=environment(self._home.name),
            )

    def restart(self) -> None:
        """Start it again after `kill`, as whoever runs it would: the same command in the same place."""
        self.process = self._start()

    def freeze(self) -> None:
        """SIGSTOP."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.process.wait()

    def output(self) -> str:
        """What it has said."""
        return self._out.read_text(encoding="utf-8", errors="replace")

    async def said(self, text: str, limit: float = 15.0) -> bool:
        """Whether it says this within the time."""
        return await poll(lambda: text in self.output(), limit)

    def close(self) -> None:
        """End it, and give back the files."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._home.cleanup()
