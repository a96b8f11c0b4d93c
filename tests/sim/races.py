"""Races of Wild Wild Pattern by players at different distances: who wins how often, on the real server, a fake clock.

The way of each player's bytes is simulated; sessions measure it, tables stamp, and the rules decide, as ever. Nothing
is random but by the seed.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import trio

from robby_games.wild_wild_patterns import patterns_on
from robby_protocol.connection import NEED_DATA, Connection, ConnectionClosed, Role
from robby_protocol.framing import add_header
from robby_protocol.messages import (
    Act,
    Decision,
    GameUpdate,
    Greeting,
    Hello,
    Login,
    Message,
    Ok,
    Ping,
    Pong,
    TableCreate,
    TableJoin,
    TableReady,
    TableStart,
    TableState,
    Welcome,
)
from robby_server.app import Server
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.server.far import dial
from tests.sim.deterministic import run, source

GAME = "wild-wild-pattern"
RACES = ("shootout", "grab")
"""The phases in which being first counts."""
REACTION = 0.5
"""Seconds that everybody takes at least; longer than the longest way, so that nobody shoots blindly."""
MOOD = 0.25
"""By how many seconds races differ for everybody alike."""
WARM_UP = 10.0
"""Seconds before the first race: some pings must have been answered."""
LONGEST = 36_000.0
"""Seconds of the fake clock that a run may take: somebody who waits for ever is found out."""


@dataclass(frozen=True)
class Racer:
    """One player.

    round_trip: seconds there and back. holds: so many seconds late each ping is answered. kernel: whether the kernel's
    own measurement is known. lies: makes up whatever a client can make up about time.
    """

    round_trip: float
    holds: float = 0.0
    kernel: bool = False
    lies: bool = False


@dataclass(frozen=True)
class Trial:
    """What is tried. says: in words. spread: by how many seconds reactions differ."""

    name: str
    says: str
    racers: tuple[Racer, ...]
    spread: float = 0.001


@dataclass
class Outcome:
    """wins: by racer. raced: how many races. drawn: of them, between equals. credits, moments: sums by racer over the
    races that it was in time for (`entered`), in milliseconds; moments are counted from the winner's."""

    wins: Counter[int] = field(default_factory=Counter)
    raced: int = 0
    drawn: int = 0
    entered: Counter[int] = field(default_factory=Counter)
    credits: Counter[int] = field(default_factory=Counter)
    most_credit: int = 0

    def add(self, race: dict[str, Any]) -> None:
        """Count a shoot-out, as the event tells it."""
        self.raced += 1
        self.drawn += race["drawn"]
        self.wins[race["winner"]] += 1
        for entrant in race["entrants"]:
            self.entered[entrant["seat"]] += 1
            self.credits[entrant["seat"]] += entrant["credit"]
            self.most_credit = max(self.most_credit, entrant["credit"])

    def share(self, racer: int) -> float:
        """Which part of the races it won."""
        return self.wins[racer] / self.raced

    def credit(self, racer: int) -> float:
        """Its mean credit in milliseconds, in the races that it was in time for."""
        return self.credits[racer] / max(1, self.entered[racer])


def total(outcomes: Iterable[Outcome]) -> Outcome:
    """All together."""
    whole = Outcome()
    for one in outcomes:
        whole.raced += one.raced
        whole.drawn += one.drawn
        whole.wins.update(one.wins)
        whole.entered.update(one.entered)
        whole.credits.update(one.credits)
        whole.most_credit = max(whole.most_credit, one.most_credit)
    return whole


class _Player:
    """A client with reflexes. race: called with each race that the events tell of."""

    def __init__(self, course: "_Course", number: int, racer: Racer) -> None:
        self.course = course
        self.number = number
        self.racer = racer
        self.table = ""
        self.over = trio.Event()
        self._connection = Connection(Role.CLIENT)
        self._stream = dial(course.server, racer.round_trip, kernel=racer.round_trip if racer.kernel else None)
        self._answers: dict[int, trio.Event] = {}
        self._results: dict[int, Ok] = {}
        self._welcome = trio.Event()
        self._answered: tuple[str, int] | None = None
        self._ids = 0

    # Talking.

    def tell(self, message: Message) -> None:
        """Send."""
        self._stream.send(self._connection.send(message))

    async def call(self, kind: Any, **fields: Any) -> dict[str, Any]:
        """A command that must be done."""
        self._ids += 1
        number, done = self._ids, trio.Event()
        self._answers[number] = done
        self.tell(kind(id=number, **fields))
        await done.wait()
        return self._results.pop(number).result

    async def come(self) -> None:
        """Log in."""
        self.tell(Hello(versions=[(1, 0)], client="racer"))
        self.course.nursery.start_soon(self.live)
        await self._welcome.wait()

    async def live(self) -> None:
        """Take in and answer."""
        while True:
            event = self._connection.next_event()
            if isinstance(event, ConnectionClosed):
                return
            if event is NEED_DATA:
                self._connection.receive_data(await self._stream.receive_some())
            elif isinstance(event, Message):
                self._take(event)

    def _take(self, message: Message) -> None:
        if isinstance(message, GameUpdate):
            self._look(message)
        elif isinstance(message, Ping):
            self.course.nursery.start_soon(self._pong, message.n)
        elif isinstance(message, Ok):
            if message.re in self._answers:
                self._results[message.re] = message
                self._answers.pop(message.re).set()
        elif isinstance(message, TableState):
            if message.table.phase == "finished":
                self.over.set()
                self.over = trio.Event()
        elif isinstance(message, Welcome):
            self._welcome.set()
        elif isinstance(message, Greeting):
            self.tell(Login(method="guest", name=f"Racer {'ABCD'[self.number]}"))

    async def _pong(self, number: int) -> None:
        if self.racer.holds:
            await trio.sleep(self.racer.holds)
        self.tell(Pong(n=number))
        if self.racer.lies:
            for made_up in (number, number + 1, number + 7):
                self.tell(Pong(n=made_up))

    # Playing.

    def _look(self, update: GameUpdate) -> None:
        if self.number == 0:
            for event in update.public.events:
                if event["type"] == "covered":  # in a duel not all race
                    self.course.outcome.add(event["race"])
                    if self.course.outcome.raced >= self.course.races:
                        self.course.done.set()
        decision = update.decision
        if decision is None or (update.match, decision.id) == self._answered:
            return
        self._answered = (update.match, decision.id)
        view = update.public.view
        wait = 0.0
        if view["phase"] in RACES:
            turn = self.course.seed, update.match, view["round"], view["turn"]
            wait = REACTION + source(*turn).random() * MOOD
            wait += source(*turn, self.number).random() * self.course.trial.spread
        self.course.nursery.start_soon(self._act, update.table, decision.id, _choice(decision, view), wait)

    async def _act(self, table: str, decision: int, action: dict[str, Any], wait: float) -> None:
        await trio.sleep(wait)
        self._ids += 1
        act = Act(id=self._ids, table=table, decision=decision, action=action)
        if not self.racer.lies:
            self.tell(act)
            return
        # There is no field for a time, so all that can be done is to send some that nobody asked for.
        claims = {"at": 0, "credit": 150, "sent": 0, "round_trip": 1_000}
        told = {**msgspec.to_builtins(act), "type": "game.act", **claims, "action": {**action, **claims}}
        self._stream.send(add_header(msgspec.msgpack.encode(told)))


def _choice(decision: Decision, view: dict[str, Any]) -> dict[str, Any]:
    """What a racer does: anything, but for the right answer in a duel, since a wrong one slows in the next race."""
    if view["phase"] != "name":
        return decision.legal[0]
    patterns = patterns_on([place["card"] for place in view["wheel"]])
    return {"type": "declare", **msgspec.to_builtins(patterns[0])} if patterns else {"type": "no_pattern"}


class _Course:
    """One table and its racers."""

    def __init__(self, seed: int, trial: Trial, races: int, server: Server, nursery: trio.Nursery) -> None:
        self.seed = seed
        self.trial = trial
        self.races = races
        self.server = server
        self.nursery = nursery
        self.outcome = Outcome()
        self.done = trio.Event()

    async def run(self) -> None:
        players = [_Player(self, number, racer) for number, racer in enumerate(self.trial.racers)]
        for player in players:
            await player.come()
        host, others = players[0], players[1:]
        made = await host.call(TableCreate, game=GAME, options={"rounds": 5}, capacity=len(players))
        for player in others:
            await player.call(TableJoin, table=made["table"])
        await trio.sleep(WARM_UP)
        while True:
            for player in others:
                await player.call(TableReady, ready=True)
            over = host.over
            await host.call(TableStart)
            await over.wait()


def race(seed: int, trial: Trial, races: int) -> Outcome:
    """Let them race so often. The same seed gives the same races."""

    async def main() -> Outcome:
        settings = Settings(message_burst=10**6)
        server = Server(settings, MemoryStore(), key=bytes(32), match_seed=lambda: source(seed, "deal").randbytes(32))
        with trio.fail_after(LONGEST):
            async with trio.open_nursery() as nursery:
                await nursery.start(server.serve)
                course = _Course(seed, trial, races, server, nursery)
                nursery.start_soon(course.run)
                await course.done.wait()
                nursery.cancel_scope.cancel()
        return course.outcome

    return run(seed, main)


ROUND_TRIPS = (0.005, 0.040, 0.120, 0.300)
CAP_MS = Settings().race_credit_ms
HONEST = tuple(Racer(round_trip) for round_trip in ROUND_TRIPS)
HOLDS = 0.4
"""Seconds by which the pongs of whoever plays for time are late: more than the cap."""
_DELAYER = (replace(HONEST[0], holds=HOLDS), *HONEST[1:])

TRIALS = (
    Trial("equal", "reactions equal to within 1 ms", HONEST),
    Trial("varied", "reactions that vary by 400 ms", HONEST, spread=0.4),
    Trial("liar", "the first sends made-up times and pongs", (replace(HONEST[0], lies=True), *HONEST[1:])),
    Trial("delayer", "the first answers every ping 400 ms late", _DELAYER),
    Trial(
        "delayer found out",
        "the same where the kernel's own measurements are known",
        tuple(replace(one, kernel=True) for one in _DELAYER),
    ),
)

_CERTAINTY = 5.0
"""By how many standard deviations a share may be off, where so few races are run that chance alone is more than the two
points that are promised."""


def faults(trial: Trial, outcome: Outcome) -> list[str]:
    """What is not as docs/architecture.md promises."""
    found = []
    if outcome.most_credit > CAP_MS:
        found.append(f"a credit of {outcome.most_credit} ms")
    if trial.spread > 0.001:
        return found
    if trial.name == "delayer":
        if outcome.credit(0) > CAP_MS:
            found.append("delaying gained more than the cap")
        return found
    third = 1 / 3
    allowed = max(0.02, _CERTAINTY * (third * (1 - third) / outcome.raced) ** 0.5)
    for racer in range(3):
        if abs(outcome.share(racer) - third) > allowed:
            found.append(f"racer {racer} won {outcome.share(racer):.1%}")
        if abs(outcome.credit(racer) - ROUND_TRIPS[racer] * 1000) > 1:
            found.append(f"racer {racer} had {outcome.credit(racer):.1f} ms of credit")
    if outcome.share(3) > 0.01:
        found.append(f"the one beyond the cap won {outcome.share(3):.1%}")
    return found
