"""Clients and bots that lose the server or die, and come back by themselves (PR-26, PR-27)."""

import itertools
from dataclasses import dataclass, field

import trio
from msgspec import Struct

from robby_client.address import Address
from robby_client.client import Client, LoginPlan, NotConnected, Timings
from robby_client.dial import tcp
from robby_client.events import Connected, Ended, Lost
from robby_games.robby_solo import Lay
from robby_protocol.messages import TableCreate, TableJoin, TableReady, TableStart
from robby_server.listeners import open_listeners
from robby_server.settings import Settings
from tests.e2e.proxy import Proxy
from tests.e2e.trials.absence import LIMITS, Bot
from tests.e2e.trials.measured import Measured, poll
from tests.e2e.trials.served import Served
from tests.e2e.trials.tables import begin, drive, people, play_all, playing, sit
from tests.e2e.trials.wire import Wire, clients
from tests.protocol.raw_client import Frame, frame
from tests.server.kit import bot_of, running

# PR-26


@dataclass
class Person:
    """The product's own client, with a record of what it said. losses: (attempt, seconds to wait)."""

    client: Client
    connected: int = 0
    resumed: int = 0
    losses: list[Lost] = field(default_factory=list)
    ended: Ended | None = None
    changed: trio.Event = field(default_factory=trio.Event)

    async def run(self) -> None:
        """Run the client and keep the record."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.client.run)
            async for event in self.client.events:
                if isinstance(event, Connected):
                    self.connected += 1
                    self.resumed += event.resumed
                elif isinstance(event, Lost):
                    self.losses.append(event)
                elif isinstance(event, Ended):
                    self.ended = event
                self.changed.set()
                self.changed = trio.Event()


_numbers = itertools.count(1)


def _persons(count: int, port: int, timings: Timings) -> list[Person]:
    return [
        Person(Client(tcp(Address("127.0.0.1", port)), LoginPlan(name=f"Person {next(_numbers)}"), timings=timings))
        for _ in range(count)
    ]


async def _until(persons: list[Person], limit: float, **least: int) -> None:
    """Wait until every person's counts are at least these."""
    with trio.fail_after(limit):
        for person in persons:
            while any(getattr(person, name) < count for name, count in least.items()):
                assert person.ended is None, person.ended
                await person.changed.wait()


async def network_away(served: Served, count: int, seconds: float, timings: Timings, *, blackhole: bool) -> Measured:
    """The network is away in mid-game, by silence or by refusal: everybody is back in the own seat by itself.

    What is tried meanwhile is refused at once, or marked as unsure, and never sent later.
    """
    async with clients() as nursery:
        proxy = Proxy(served.port)
        await nursery.start(proxy.serve)
        persons = _persons(count, proxy.port, timings)
        for person in persons:
            nursery.start_soon(person.run)
        await _until(persons, 30, connected=1)
        for first in range(0, count, 3):
            await _start_game(persons[first : first + 3])
        layers = [person for person in persons if _may_lay(person)]
        assert layers, "somebody is asked for a card"
        if blackhole:
            proxy.blackhole = True
        else:
            proxy.refuse = True
            proxy.reset_all()
        began = trio.current_time()
        with trio.fail_after(timings.silence + 10):
            for person in persons:
                while not person.losses:
                    await person.changed.wait()
        noticed = trio.current_time() - began
        refused = 0
        for person in layers:
            try:
                await person.client.act(Lay(bank=0))
            except NotConnected as problem:
                refused += not problem.unsure
        assert refused == len(layers), "a move made offline was not refused"
        await trio.sleep(max(0.0, seconds - noticed))
        proxy.blackhole = proxy.refuse = False
        restored = trio.current_time()
        # A try that is under way in the blackhole has the handshake's time to fail first.
        await _until(persons, timings.longest_wait + timings.handshake + 10, connected=2, resumed=1)
        back = trio.current_time() - restored
        for person in persons:
            await poll(lambda person=person: person.client.world.game is not None, 10)  # type: ignore[misc]
            game = person.client.world.game
            assert game is not None
            own = [event for event in game.events if getattr(event, "seat", None) == person.client.world.seat]
            assert all(getattr(event, "auto", True) for event in own if type(event).__name__ == "Laid"), own
        waits = _check_waits(persons, timings)
        for person in persons:
            person.client.stop()
    assert noticed <= timings.silence + 2, f"noticed after {noticed:.1f} s"
    return Measured(
        count, f"noticed after {noticed:.1f} s; all resumed {back:.1f} s after the network's return; {waits}"
    )


async def server_away(count: int, seconds: float, timings: Timings) -> Measured:
    """The server dies and is back on the same port: every client is in again by itself."""
    async with clients() as nursery:
        with Served("--quiet") as served:
            persons = _persons(count, served.port, timings)
            for person in persons:
                nursery.start_soon(person.run)
            await _until(persons, 30, connected=1)
            served.kill()
            with trio.fail_after(10):
                for person in persons:
                    while not person.losses:
                        await person.changed.wait()
            await trio.sleep(seconds)
            served.start()
            up = trio.current_time()
            await _until(persons, timings.longest_wait + 15, connected=2)
            back = trio.current_time() - up
            waits = _check_waits(persons, timings)
            for person in persons:
                person.client.stop()
    return Measured(count, f"all in again {back:.1f} s after the server; {waits}")


def _check_waits(persons: list[Person], timings: Timings) -> str:
    """The waits grow up to their limit and differ between clients."""
    for person in persons:
        assert person.ended is None, person.ended
        waits = [loss.retry_in for loss in person.losses]
        assert all(0 < wait <= timings.longest_wait for wait in waits), waits
    firsts = {round(person.losses[0].retry_in, 4) for person in persons}
    assert len(firsts) > len(persons) // 2, "the waits are not jittered"
    tries = [len(person.losses) for person in persons]
    longest = max(loss.retry_in for person in persons for loss in person.losses)
    return f"{min(tries)}–{max(tries)} tries each, longest wait {longest:.1f} s"


async def _start_game(persons: list[Person]) -> None:
    options = {"time": "untimed"}
    made = await persons[0].client.call(TableCreate, game="robby-solo", capacity=3, options=options)
    for person in persons[1:]:
        await person.client.call(TableJoin, table=made["table"])
        await person.client.call(TableReady, ready=True)
    await persons[0].client.call(TableStart)
    with trio.fail_after(10):
        for person in persons:
            while person.client.world.game is None:
                await person.changed.wait()
    asked = next(person for person in persons if _legal(person))
    await asked.client.act(_legal(asked)[0])
    assert await poll(lambda: sum(map(_may_lay, persons)) == len(persons) - 1, 10), "the plays never began"


def _legal(person: Person) -> tuple[Struct, ...]:
    game = person.client.world.game
    return () if game is None or game.decision is None else game.decision.legal


def _may_lay(person: Person) -> bool:
    return any(isinstance(action, Lay) for action in _legal(person))


# PR-27


async def bot_killed(served: Served, phases: tuple[str, ...]) -> Measured:
    """A bot's process is killed in each phase: the others play on, its seat is kept, nothing is left behind."""
    async with clients() as nursery:
        for phase in phases:
            players = await people(nursery, served.port, 2)
            table = await sit([players[0]], options={**LIMITS, "max_rounds": 2}, capacity=3)
            await players[1].call("table.join", table=table)
            bot = Bot(served.port, table, f"Killed {phase}")
            try:
                await players[0].expect("table.state", _third_is_ready)
                await begin(players)
                await drive(players, phase)
                bot.kill()
                await players[0].expect("table.state", _third_is_away)
                await play_all(players)
                assert players[0].state["seats"][2]["name"] == f"Killed {phase}"
            finally:
                bot.close()
            for player in players:
                await player.call("table.leave")
        assert served.children() == [], "a process is left behind"
    return Measured(len(phases), f"games ended without it; no process left; killed in {', '.join(phases)}")


async def bot_restarted(*, grace: float) -> Measured:
    """A bot's process is killed and started again, within the grace time or after it: it has its seat again.

    grace: seconds until a stand-in plays; 0 for a stand-in that is there before the bot is.
    """
    settings = Settings(grace_seconds=grace, connections_per_address=100)
    listeners = await open_listeners("127.0.0.1", 0)
    port = listeners[0].getsockname()[1]
    async with running(settings, listeners=listeners, spawn_bot=bot_of()), clients() as nursery:
        players = await people(nursery, port, 2)
        table = await sit([players[0]], options={"time": "untimed"}, capacity=3)
        await players[1].call("table.join", table=table)
        bot = Bot(port, table, "Restarted")
        try:
            await players[0].expect("table.state", _third_is_ready)
            await begin(players)
            states = []
            for phase in ("plays", "revision"):
                await drive(players, phase)
                own = players[0].view["participants"][2]
                bot.kill()
                wanted = "away" if grace else "stand_in"
                await players[0].until(lambda: players[0].state["seats"][2]["state"] == wanted)  # noqa: B023
                began = trio.current_time()
                bot.restart()
                await players[0].until(lambda: players[0].state["seats"][2]["state"] == "here")
                states.append(trio.current_time() - began)
                if own["card"] == "laid":
                    assert players[0].view["participants"][2]["card"] != "none", "the card that lay is gone"
            await play_all(players)
        finally:
            bot.close()
    return Measured(len(states), f"in its seat again {max(states):.1f} s after its start")


def _third_is_ready(state: Frame) -> bool:
    seats = state["table"]["seats"]
    return len(seats) == 3 and bool(seats[2]["ready"])


def _third_is_away(state: Frame) -> bool:
    return bool(state["table"]["seats"][2]["state"] == "away")


async def bad_answers(served: Served, answers: int, *, most_wait: float = 0.5) -> Measured:
    """Answers that no rule allows, too long, or a thousand at once: refused with a reason; nobody else is harmed."""
    codes: dict[str, str] = {}
    async with clients() as nursery:
        players = await playing(nursery, served.port, 3, options={**LIMITS, "play_ms": 5000, "gentleman_ms": 5000})
        await drive(players, "plays")
        bad = next(player for player in players if player.legal("lay"))
        wrong: dict[str, Frame] = {
            "a bank not in the row": {"type": "lay", "bank": 6},
            "a bank that is none": {"type": "lay", "bank": 99},
            "a bank in words": {"type": "lay", "bank": "red"},
            "no such action": {"type": "rob"},
            "no action": {},
            "not one's turn": {"type": "reveal"},
            "a confirmation": {"type": "confirm"},
        }
        before = bad.update["own"]
        for what, action in wrong.items():
            codes[what] = await bad.code_of("game.act", **bad.act_fields(action))
        fields = bad.act_fields({"type": "lay", "bank": 0})
        codes["an old decision"] = await bad.code_of("game.act", **{**fields, "decision": 0})
        codes["a coming decision"] = await bad.code_of("game.act", **{**fields, "decision": fields["decision"] + 1})
        assert bad.update["own"] == before, "a refused answer changed something"
        allowed = {"illegal_action", "malformed_action", "stale_decision", "no_decision"}
        assert set(codes.values()) <= allowed, codes

        await drive(players, "gentleman")
        gentleman = players[players[0].view["gentleman"]]
        await gentleman.act(gentleman.legal("lay")[1])
        await gentleman.until(lambda: bool(gentleman.legal("declare")))
        card = gentleman.update["own"]["card"]
        lie = {"type": "declare", "robs": True, "bank": (card + 1) % 3}
        codes["a lie"] = await gentleman.code_of("game.act", **gentleman.act_fields(lie))
        lie = {"type": "declare", "robs": False, "bank": card}
        codes["another lie"] = await gentleman.code_of("game.act", **gentleman.act_fields(lie))
        assert codes["a lie"] == codes["another lie"] == "false_declaration", codes
        await drive(players, "revision")

        # A thousand at once: the sender waits for its own turn, the others do not.
        index = next(i for i, player in enumerate(players) if player.seat != players[0].view["gentleman"])
        flooder = players[index]
        flood = [
            frame({"type": "game.act", "id": 1000 + number, **fields, "action": {"type": "rob"}})
            for number in range(answers)
        ]
        others = [player for player in players if player is not flooder]
        waits = []
        async with trio.open_nursery() as flooding:
            flooding.start_soon(flooder.send_bytes, b"".join(flood))
            for number in range(10):
                began = trio.current_time()
                await others[number % 2].call("lobby.list")
                waits.append(trio.current_time() - began)
        assert max(waits) < most_wait, f"others waited {max(waits):.2f} s"
        await flooder.expect("error", lambda error: error["code"] == "too_many_messages" or error["re"] is not None)
        notices = [error for error in flooder.all("error") if error["code"] == "too_many_messages"]
        assert answers < 200 or len(notices) == 1, f"told {len(notices)} times"

        # A megabyte: more than any frame may have.
        big = next(player for player in others)
        await _a_megabyte(big)
        rest = [player for player in others if player is not big]
        await rest[0].until(lambda: rest[0].state["seats"][big.seat]["state"] == "away")
    return Measured(
        len(codes) + answers, f"{len(codes)} kinds refused; others waited {max(waits) * 1000:.0f} ms at most"
    )


async def _a_megabyte(wire: Wire) -> None:
    with trio.move_on_after(5):
        try:
            await wire.send("game.act", id=5, table="x", decision=1, action={"type": "x" * 1_000_000})
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return
    await wire.until_closed(5)
    assert wire.newest["goodbye"]["code"] == "frame_too_large", wire.last(1)
