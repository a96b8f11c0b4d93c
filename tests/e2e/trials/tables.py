"""Scripted people at tables: sitting down, starting, playing on to a point, playing to the end."""

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import trio

from tests.e2e.trials.wire import Gone, Refused, Wire, guest
from tests.protocol.raw_client import Frame

NAMES = ("Ana", "Ben", "Cleo", "Dora", "Emil", "Fred")
QUICK: Mapping[str, Mapping[str, Any]] = {"robby-solo": {"revision_min_ms": 0}}
"""Options with which a game runs as fast as people answer; of those not named here all do."""
LATE = frozenset({"stale_decision", "too_late", "no_decision", "not_playing"})
"""What an answer may be refused for when the phase moved on while it was on its way."""


async def sit(
    players: Sequence[Wire],
    *,
    bots: Sequence[str] = (),
    options: Mapping[str, Any] = MappingProxyType({}),
    capacity: int | None = None,
    game: str = "robby-solo",
) -> str:
    """The first creates a table and all sit down. options: the game's. Returns the table's id."""
    seats = capacity or len(players) + len(bots)
    made = await players[0].call(
        "table.create", game=game, bots=list(bots), options={**QUICK.get(game, {}), **options}, capacity=seats
    )
    table: str = made["table"]
    for player in players[1:]:
        await player.call("table.join", table=table)
    return table


async def begin(players: Sequence[Wire]) -> str:
    """All get ready, the host starts, and everybody has the first view. Returns the match's id."""
    for player in players[1:]:
        await player.call("table.ready", ready=True)
    match: str = (await players[0].call("table.start"))["match"]
    for player in players:
        await player.expect("game.update", lambda update: update["match"] == match)
    return match


_numbers = itertools.count(1)


async def people(nursery: trio.Nursery, port: int, count: int, *, keep: bool = True) -> list[Wire]:
    """Guests that are logged in, with names that nobody else on the server has."""
    number = next(_numbers)
    return [await guest(nursery, port, f"{name} {number}", keep=keep) for name in NAMES[:count]]


async def playing(
    nursery: trio.Nursery,
    port: int,
    count: int,
    *,
    bots: Sequence[str] = (),
    keep: bool = True,
    options: Mapping[str, Any] = MappingProxyType({}),
    game: str = "robby-solo",
) -> list[Wire]:
    """People in a match that has just begun."""
    players = await people(nursery, port, count, keep=keep)
    await sit(players, bots=bots, options=options, game=game)
    await begin(players)
    return players


Choose = Callable[[Wire, random.Random], Frame | None]


def choose(player: Wire, rng: random.Random) -> Frame | None:
    """A random legal action; confirms in the revision and never calls *reveal*."""
    actions = [action for action in player.legal() if action["type"] != "reveal"]
    confirm = [action for action in actions if action["type"] == "confirm"]
    if confirm:
        return confirm[0]
    return rng.choice(actions) if actions else None


async def drive(
    players: Sequence[Wire],
    *phases: str,
    rng: random.Random | None = None,
    but: Sequence[Wire] = (),
    choose: Choose = choose,
) -> Frame:
    """Let all but some play until one of these phases runs and all have seen it. Returns the public view."""
    rng = rng or random.Random(1)
    done: dict[Wire, tuple[str, int]] = {}
    with trio.fail_after(60):
        while True:
            lead = max(players, key=lambda player: int(player.update["seq"]))
            if lead.view["phase"] in phases:
                await all_have(players, lead.update["seq"])
                return lead.view
            acted = False
            for player in players:
                decision = player.decision
                if player in but or decision is None:
                    continue
                key = (player.update["match"], decision["id"])
                if done.get(player) == key:
                    continue
                action = choose(player, rng)
                if action is None:
                    continue
                done[player] = key
                try:
                    await player.act(action)
                except Refused as refused:
                    if refused.code not in LATE:
                        raise
                acted = True
                break
            if not acted:
                await any_news(players)


async def all_have(players: Sequence[Wire], seq: int) -> None:
    """Wait until all have been told this change of the match."""
    for player in players:
        await player.expect("game.update", lambda update: update["seq"] >= seq)


async def any_news(players: Sequence[Wire], limit: float = 30.0) -> None:
    """Wait until one of them receives something."""
    events = [player.news for player in players]
    with trio.fail_after(limit):
        async with trio.open_nursery() as nursery:

            async def one(event: trio.Event) -> None:
                await event.wait()
                nursery.cancel_scope.cancel()

            for event in events:
                nursery.start_soon(one, event)


async def next_round(players: Sequence[Wire], *phases: str, rng: random.Random | None = None) -> Frame:
    """Play on to one of these phases of the next round (or the end)."""
    number = players[0].view["round"]
    rng = rng or random.Random(number)
    while True:
        view = await drive(players, *ALL_PHASES, rng=rng)
        if view["phase"] == "over" or (view["round"] > number and view["phase"] in phases):
            return view
        await step(players, rng)


ALL_PHASES = ("supply", "plays", "gentleman", "revision", "police", "over")


async def step(players: Sequence[Wire], rng: random.Random) -> None:
    """Play on until the phase has changed."""
    view = max(players, key=lambda player: int(player.update["seq"])).view
    now = (view["round"], view["phase"])
    others = [phase for phase in ALL_PHASES if phase != now[1]]
    await drive(players, *others, rng=rng)


async def play(player: Wire, rng: random.Random, choose: Choose = choose) -> None:
    """Answer whatever is asked until the match is over or the connection ends."""
    done: tuple[str, int] | None = None
    while not player.closed:
        state = player.newest.get("table.state")
        if state is not None and state["table"]["phase"] == "finished":
            return
        decision = player.decision
        if decision is not None and (player.update["match"], decision["id"]) != done:
            done = (player.update["match"], decision["id"])
            action = choose(player, rng)
            if action is not None:
                try:
                    await player.act(action)
                except Refused as refused:
                    if refused.code not in LATE:
                        raise
                except (Gone, trio.BrokenResourceError, trio.ClosedResourceError):
                    return
                continue
        await player.news.wait()


async def play_all(players: Sequence[Wire], seed: int = 0, choose: Choose = choose) -> None:
    """Play the running match to its end."""
    async with trio.open_nursery() as nursery:
        for number, player in enumerate(players):
            nursery.start_soon(play, player, random.Random(seed * 100 + number), choose)


def told(player: Wire, match: str) -> list[Frame]:
    """All public events of a match that one connection was told, in order."""
    events: dict[int, Frame] = {}
    for sniffed in player.sniffed:
        found = sniffed.frame
        if found.get("match") == match and found["type"] == "game.history":
            events.update(enumerate(found["events"], found["first"]))
        elif found.get("match") == match and found["type"] == "game.update":
            events.update(enumerate(found["public"]["events"], found["public"]["first"]))
    return [events[number] for number in sorted(events)]


def check_whole(player: Wire) -> None:
    """What was told here of a game of Robby Solo is whole: every event, 61 loot cards, and scores that add up."""
    match = player.update["match"]
    events = told(player, match)
    kinds = [event["type"] for event in events]
    assert kinds[0] == "game_started", kinds[:3]
    assert kinds[-1] == "game_over", kinds[-3:]
    view = player.view
    stacks = sum(len(score["stack"]) for score in view["scores"])
    cards = view["deck"] + sum(len(bank) for bank in view["banks"]) + stacks
    assert cards == 61, f"{cards} loot cards instead of 61"
    result = player.state["result"]
    assert sorted(line["score"] for line in result) == sorted(score["total"] for score in view["scores"])
