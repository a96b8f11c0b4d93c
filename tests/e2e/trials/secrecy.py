"""What each seat receives: nothing hidden before its time; and deals that nobody can foresee (PR-17, PR-18).

What a seat may know is written down here once more, by hand: the exact fields of every frame and event. A field that
is not on the list is a leak until somebody has thought about it and put it there.
"""

import itertools
import random
from collections.abc import Mapping, Sequence
from typing import Any

import msgpack  # type: ignore[import-untyped]
import trio
import trio.testing

from robby_protocol import fair
from robby_protocol.fresh import new_secret
from robby_rules.chance import Chance
from robby_rules.match import Match
from robby_rules.tresor_diebe.turns import ALL_PLACES, throw
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.e2e.trials.measured import Measured
from tests.e2e.trials.served import Served
from tests.e2e.trials.tables import begin, choose, people, play_all, sit, told
from tests.e2e.trials.wire import Wire, clients
from tests.protocol.raw_client import Frame
from tests.server.kit import running

FRAMES = {
    "greeting": "version server_id server_name software challenge proof password_required methods games extensions",
    "welcome": "identity name resume table ping_ms silence_ms extensions",
    "ping": "n",
    "pong": "n",
    "ok": "re result",
    "error": "re code text details",
    "lobby.tables": "tables people",
    "table.state": "table you news invite next_match commitment",
    "table.closed": "table code text",
    "notice": "code text",
    "chat.said": "table name kind seat text past",
    "deal.committed": "table match server seats remaining_ms",
    "deal.opened": "table match nonces",
    "deal.revealed": "table match secret",
    "game.history": "table match first events",
    "game.update": "table match seq public own own_events decision clock",
}
TABLE = (
    "table title game options phase host capacity seats match result private spectators delay_s watchers kept aborted"
)
SEAT = "name kind bot state ready"
NEWS = "code seat name"
LINE = "name seat score winner"
PUBLIC = "view first events"
VIEW = "round phase gentleman deck banks participants junior declaration reveal_open scores"
PARTICIPANT = "card revealed stack top loot paying"
OWN = "seat card stack giving"
CLOCK = "remaining_ms total_ms opens_ms paused"
EVENTS = {
    "game_started": "participants junior banks gentleman deck",
    "round_started": "round gentleman deck",
    "supplied": "side cards deck auto",
    "laid": "seat again auto",
    "declared": "seat robs bank auto",
    "taken_back": "seat",
    "returned": "seat",
    "confirmed": "seat auto",
    "reveal_called": "seat",
    "revealed": "banks",
    "robbed": "seat bank loot",
    "clashed": "bank seats loot",
    "police": "bank cards most payers choosing",
    "chose": "seat auto",
    "given": "seat card",
    "game_over": "reason scores",
}
ACTIONS = {
    "supply": "side",
    "lay": "bank",
    "declare": "robs bank",
    "take_back": "",
    "confirm": "",
    "reveal": "",
    "give": "card",
}


def _only(found: Mapping[str, Any], allowed: str, what: str) -> None:
    extra = set(found) - set(allowed.split()) - {"type"}
    assert not extra, f"{what} has {sorted(extra)}"


class Auditor:
    """Reads everything that one seat received, in order, and raises AssertionError at the first thing it may not know.

    seat: None for somebody who has none: a spectator, who is shown nothing but what all are.
    """

    def __init__(self, seat: int | None, *, participants: int) -> None:
        self.seat = seat
        self.participants = participants
        self.frames = 0
        self._revealed: Sequence[int] | None = None
        self._card: int | None = None
        self._stack: list[int] = []
        self._over = False

    def audit(self, frames: Sequence[Frame]) -> None:
        """Read them all."""
        for found in frames:
            kind = found["type"]
            assert kind in FRAMES, f"a frame of type {kind}"
            _only(found, FRAMES[kind], kind)
            if kind == "game.update":
                self._update(found)
            elif kind == "game.history":
                self._events(found["events"])
            elif kind == "table.state":
                assert self.seat is not None or (found["you"], found["invite"]) == (None, None), "told like a player"
                self._table(found["table"])
                for news in found["news"]:
                    _only(news, NEWS, "news")
            elif kind == "lobby.tables":
                for table in found["tables"]:
                    self._table(table)
            elif kind == "ok":
                _only(found["result"], "table seat match decision tables delay_s", "an ok's result")
            if kind == "table.state":
                found = {**found, "commitment": None}
            if kind not in ("greeting", "welcome", "deal.committed", "deal.opened", "deal.revealed"):
                assert not _has_bytes(found), f"bytes in {kind}: a seed or a key?"
            self.frames += 1

    def _table(self, table: Frame) -> None:
        _only(table, TABLE, "a table")
        for seat in table["seats"]:
            _only(seat, SEAT, "a seat")
        for line in table["result"]:
            _only(line, LINE, "a result")

    def _update(self, update: Frame) -> None:
        public, own = update["public"], update["own"]
        if self.seat is None:
            assert (own, update["own_events"], update["decision"]) == (None, [], None), "a spectator is told privately"
        _only(public, PUBLIC, "the public part")
        self._events(public["events"])
        for event in update["own_events"]:
            assert event["type"] == "you_laid", event
            _only(event, "bank auto", "you_laid")
            self._card = event["bank"]
        if own is not None:
            _only(own, OWN, "the own view")
            assert own["seat"] == self.seat, "somebody else's own view"
            assert own["card"] in (None, self._card), "another card than the own one"
            assert own["stack"] == self._stack, "the own stack is not what was told"
        self._view(public["view"])
        if update["clock"] is not None:
            _only(update["clock"], CLOCK, "the clock")
        if update["decision"] is not None:
            _only(update["decision"], "id legal", "the decision")
            for action in update["decision"]["legal"]:
                _only(action, ACTIONS[action["type"]], "an action")
            lay = [action["bank"] for action in update["decision"]["legal"] if action["type"] == "lay"]
            assert not lay or lay == list(range(len(public["view"]["banks"]))), "the choice of banks tells something"

    def _view(self, view: Frame) -> None:
        _only(view, VIEW, "the public view")
        assert isinstance(view["deck"], int), "the deck is shown"
        assert (view["scores"] is not None) == (view["phase"] == "over"), "scores before the end"
        assert len(view["participants"]) == self.participants
        for index, participant in enumerate(view["participants"]):
            _only(participant, PARTICIPANT, "a participant")
            assert participant["loot"] is None, "a stack is open"
            assert isinstance(participant["stack"], int)
            shown = None if self._revealed is None else self._revealed[index]
            assert participant["revealed"] in (None, shown), "a card is shown before its time"

    def _events(self, events: Sequence[Frame]) -> None:
        for event in events:
            kind = event["type"]
            assert kind in EVENTS, f"a public event of type {kind}"
            _only(event, EVENTS[kind], kind)
            if kind == "game_started":
                self._card, self._revealed, self._stack = None, None, []
            elif kind == "round_started":
                self._revealed = None
            elif kind == "revealed":
                self._revealed = event["banks"]
            elif kind == "robbed" and event["seat"] == self.seat:
                self._stack = [*self._stack, *event["loot"]]
            elif kind == "given" and event["seat"] == self.seat:
                self._stack.remove(event["card"])


def _has_bytes(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_bytes(key) or _has_bytes(item) for key, item in value.items())
    if isinstance(value, list):
        return any(map(_has_bytes, value))
    return isinstance(value, bytes)


# PR-17


async def whole_games(served: Served, games: int) -> Measured:
    """Whole games with bluffs; everything that each seat, spectators from the start and from the middle on, and a
    watcher of the lobby received is read by an auditor."""
    frames = 0
    async with clients() as nursery:
        watcher = (await people(nursery, served.port, 1))[0]
        await watcher.call("lobby.watch", on=True)
        for game in range(games):
            count = 3 + game % 3
            junior = game % 2 == 1
            players = await people(nursery, served.port, count)
            table = await sit(players, options={"junior": junior})
            spectators = await people(nursery, served.port, 2)
            await spectators[0].call("table.watch", table=table)
            match = await begin(players)
            async with trio.open_nursery() as game_nursery:
                game_nursery.start_soon(_come_late, spectators[1], players[0], table)
                await play_all(players, seed=game, choose=bluffing)
            first = told(players[0], match)
            for spectator in spectators:
                frames += await _audit_spectator(spectator, match, first, participants=count + junior)
            for seat, player in enumerate(players):
                auditor = Auditor(seat, participants=count + junior)
                auditor.audit([sniffed.frame for sniffed in player.sniffed])
                frames += auditor.frames
                assert told(player, match) == first, "not all were told the same"
            for player in players:
                await player.call("table.leave")
        kinds = {sniffed.frame["type"] for sniffed in watcher.sniffed}
        assert kinds <= {"greeting", "welcome", "ok", "ping", "lobby.tables"}, kinds
        auditor = Auditor(None, participants=0)
        auditor.audit([sniffed.frame for sniffed in watcher.sniffed])
        tokens = [player.welcome["resume"].hex() for player in players] + [
            player.welcome["resume"] for player in players
        ]
        log = served.log()
        assert not any(str(token) in log for token in tokens), "a token is in the log"
    return Measured(games, f"{frames} frames read, nothing hidden before its time")


async def _audit_spectator(spectator: Wire, match: str, events: Sequence[Frame], *, participants: int) -> int:
    """Wait for the end, then read everything. Returns how many frames there were."""
    await spectator.until(lambda: told(spectator, match)[-1:] == list(events[-1:]))
    auditor = Auditor(None, participants=participants)
    auditor.audit([sniffed.frame for sniffed in spectator.sniffed])
    assert told(spectator, match) == list(events), "spectators were told something else"
    return auditor.frames


async def _come_late(spectator: Wire, player: Wire, table: str) -> None:
    """Watch from the second round on."""
    await player.until(lambda: player.update["public"]["view"]["round"] > 1)
    await spectator.call("table.watch", table=table)


def bluffing(player: Wire, rng: random.Random) -> Frame | None:
    """Takes back and lays again, the same card or another, in a third of the revisions."""
    if player.legal("take_back") and rng.random() < 0.33:
        return {"type": "take_back"}
    return choose(player, rng)


async def other_hidden_cards(pairs: int) -> Measured:
    """Two games that differ only in what one seat lays: up to the reveal all others receive the same, byte for byte.

    Under a fake clock and over memory, so that times are the same too.
    """
    compared = 0
    for number in range(pairs):
        one = await _up_to_reveal(number, bank=0, bluff=number % 2 == 1)
        two = await _up_to_reveal(number, bank=1, bluff=number % 2 == 1)
        for seat, (a, b) in enumerate(zip(one, two, strict=True)):
            if seat != 2:
                assert a == b, f"seat {seat} receives something else"
                compared += len(a)
        assert one[2] != two[2], "the seat itself is told of its card"
    return Measured(pairs, f"{compared} bytes equal")


async def _up_to_reveal(number: int, *, bank: int, bluff: bool) -> list[bytes]:
    """What each seat received of the game until just before the reveal, where seat 2 lays this bank."""
    async with running(match_seed=lambda: (100 + number).to_bytes(32, "big")) as host, clients() as nursery:
        wires = []
        for name in ("Ana", "Ben", "Cleo", "Dora"):
            wire = Wire(host.server.connect_memory())
            nursery.start_soon(wire.read)
            await wire.log_in(name)
            wires.append(wire)
        await sit(wires)
        await begin(wires)
        gentleman = wires[wires[0].view["gentleman"]]
        await gentleman.act({"type": "supply", "side": "left"})
        for seat, wire in enumerate(wires):
            if wire is not gentleman:
                await wire.until(lambda wire=wire: bool(wire.legal("lay")))  # type: ignore[misc]
                await wire.act({"type": "lay", "bank": bank if seat == 2 else 3})
        await gentleman.until(lambda: bool(gentleman.legal("lay")))
        if gentleman is not wires[2]:
            await gentleman.act({"type": "lay", "bank": 2})
        else:
            await gentleman.act({"type": "lay", "bank": bank})
        await gentleman.until(lambda: bool(gentleman.legal("declare")))
        await gentleman.act({"type": "declare", "robs": False, "bank": 3 if gentleman is wires[2] else 1})
        for wire in wires:
            await wire.expect("game.update", lambda update: update["public"]["view"]["phase"] == "revision")
        if bluff and gentleman is not wires[2]:
            await wires[2].act({"type": "take_back"})
            await wires[2].until(lambda: bool(wires[2].legal("lay")))
            await wires[2].act({"type": "lay", "bank": bank})
        await wires[0].send("ping", n=1)
        for wire in wires:
            seq = max(wire.update["seq"] for wire in wires)
            await wire.expect("game.update", lambda update: update["seq"] >= seq)  # noqa: B023 - waited for here
        return [_normal(wire) for wire in wires]


def _normal(wire: Wire) -> bytes:
    """All frames but the handshake's, with the ids that are drawn anew each time replaced."""
    table = wire.state["table"]
    frames = [sniffed.frame for sniffed in wire.sniffed if sniffed.frame["type"] not in ("greeting", "welcome", "pong")]
    return bytes(msgpack.packb(frames)).replace(table.encode(), b"T" * len(table))


# PR-18


async def deals_at_once(matches: int) -> Measured:
    """Many tables start within moments: no seed and no deal comes twice."""
    journal = MemoryStore(keep=matches + 10)
    settings = Settings(tables=matches + 10, connections=2 * matches + 10, connections_per_address=2 * matches + 10)
    seeds: set[bytes] = set()
    decks: set[tuple[int, ...]] = set()
    async with running(settings, journal=journal, fair=True) as host, clients() as nursery:
        began = trio.current_time()
        ids: list[str] = []
        for number in range(matches):
            pair = []
            for side in ("a", "b"):
                wire = Wire(host.server.connect_memory(), keep=False)
                nursery.start_soon(wire.read)
                await wire.log_in(f"P {number} {side}")
                pair.append(wire)
            await sit(pair, options={"junior": True})
            ids.append(await begin(pair))
        took = trio.current_time() - began
        for match in ids:
            start = (await journal.read(match))[0]
            seed: bytes = start.seed  # type: ignore[union-attr]
            assert len(seed) == 32
            seeds.add(seed)
            decks.add(_deck(seed))
    assert len(seeds) == matches, "a seed came twice"
    assert len(decks) == matches, "a deal came twice"
    return Measured(matches, f"{len(decks)} different deals within {took:.1f} s")


async def _first_deal() -> bytes:
    """The seed of the first match of a server that has just started."""
    journal = MemoryStore()
    async with running(journal=journal, fair=True) as host, clients() as nursery:
        pair = [Wire(host.server.connect_memory(), keep=False) for _ in range(2)]
        for number, wire in enumerate(pair):
            nursery.start_soon(wire.read)
            await wire.log_in(f"P {number}")
        await sit(pair, options={"junior": True})
        start = (await journal.read(await begin(pair)))[0]
        seed: bytes = start.seed  # type: ignore[union-attr]
        return seed


def _of_the_system() -> bytes:
    """A seed as the server makes it for a table where nobody commits."""
    return fair.seed("m-1", new_secret(), [b""] * 5)


def _deck(seed: bytes) -> tuple[int, ...]:
    match = Match.start("m", "robby-solo", {}, 3, seed)
    return tuple(match.state.loot.deck)


def restarts_differ(restarts: int) -> Measured:
    """Servers that start at the same moment of a frozen clock deal differently."""
    decks = set()
    for _ in range(restarts):
        decks.add(_deck(trio.run(_first_deal, clock=trio.testing.MockClock(autojump_threshold=0))))
    assert len(decks) == restarts
    return Measured(restarts, "all deals different")


def cards_lie_evenly(deals: int) -> Measured:
    """Chi-square of the place of one item and of one seat as first Gentleman over many deals."""
    places = [0] * 61
    gentlemen = [0] * 5
    for _ in range(deals):
        match = Match.start("m", "robby-solo", {}, 5, _of_the_system())
        places[list(match.state.loot.deck).index(1)] += 1
        gentlemen[match.state.loot.gentleman] += 1
    place, gentleman = _chi_square(places), _chi_square(gentlemen)
    # One in a million fair runs is above: 60 degrees of freedom, and 4.
    assert place < 128, f"chi-square of places {place:.1f}"
    assert gentleman < 34, f"chi-square of Gentlemen {gentleman:.1f}"
    return Measured(deals, f"chi-square {place:.1f} (60 degrees of freedom), {gentleman:.1f} (4)")


def dice_fall_evenly(throws: int) -> Measured:
    """Chi-square of the sides of dice that the rules throw, and of what follows on what."""
    match = Match.start("m", "tresor-diebe", {}, 2, _of_the_system())
    chance = Chance(new_secret())
    sides = [0] * 6
    pairs = [0] * 36
    for _ in range(throws):
        dice = throw(match.state, ALL_PLACES, 0, chance, []).dice
        for die in dice:
            sides[die - 1] += 1
        for one, other in itertools.pairwise(dice):
            pairs[6 * one + other - 7] += 1
    side, pair = _chi_square(sides), _chi_square(pairs)
    # One in a million fair runs is above: 5 degrees of freedom, and 35.
    assert side < 36, f"chi-square of sides {side:.1f}"
    assert pair < 91, f"chi-square of pairs {pair:.1f}"
    return Measured(throws, f"chi-square {side:.1f} (5 degrees of freedom), of pairs {pair:.1f} (35)")


def _chi_square(counts: Sequence[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)
