"""A server that says nonsense: nothing of it reaches whoever draws, tells or plays by the picture of the world."""

from typing import Any

import pytest

from robby_client.words.robby_solo import prompt
from robby_client.world import RunningClock, UnknownEvent, World
from robby_games.robby_solo import Lay
from robby_protocol.errors import CLIENT_TOO_OLD
from robby_protocol.messages import Clock, Decision, GameHistory, LobbyTables, TableState
from tests.client.fakes import public_view, seat, table, table_state, update

PERSON = {"card": "none", "revealed": None, "stack": 0, "top": None}
SCORE = {"seat": 0, "stack": [], "money": 0, "items": 0, "items_worth": 0, "total": 0, "place": 1, "winner": True}

VIEWS: dict[str, dict[str, Any]] = {
    "nobody plays": {"participants": []},
    "a crowd plays": {"participants": [PERSON] * 8},
    "no banks": {"banks": []},
    "too many banks": {"banks": [[1_000]] * 8},
    "a card that is none": {"banks": [[8], [1_000], [1_000], [1_000]]},
    "a card below all": {"banks": [[-1], [1_000], [1_000], [1_000]]},
    "more cards than there are": {"banks": [[1_000] * 201, [], [], []]},
    "the Gentleman is nobody": {"gentleman": 3},
    "a bank revealed that is none": {"participants": [PERSON, PERSON, PERSON | {"revealed": 4}]},
    "a bank revealed below all": {"participants": [PERSON, PERSON, PERSON | {"revealed": -1}]},
    "a newest card that is none": {"participants": [PERSON, PERSON, PERSON | {"top": 500}]},
    "a stack without end": {"participants": [PERSON, PERSON, PERSON | {"stack": 2**50}]},
    "eight items": {"participants": [PERSON, PERSON, PERSON | {"loot": [1] * 8}]},
    "a declared bank that is none": {"declaration": {"robs": True, "bank": 4}},
    "a round without end": {"round": 2**50},
    "a result of nobody": {"scores": [SCORE | {"seat": 3}]},
    "a result beyond all": {"scores": [SCORE | {"total": 2**50}]},
}

OWN: dict[str, dict[str, Any]] = {
    "a seat that is none": {"seat": 3},
    "a bank that is none": {"card": 4},
    "a bank below all": {"card": -1},
    "eight items": {"stack": [1] * 8},
    "a given card that is none": {"giving": 99},
}

EVENTS: dict[str, dict[str, Any]] = {
    "a crowd": {"type": "game_started", "participants": 2**50, "junior": False, "banks": 7, "gentleman": 0, "deck": 57},
    "eight banks": {"type": "supplied", "side": "left", "cards": [1_000] * 8, "deck": 1},
    "no card": {"type": "supplied", "side": "left", "cards": [0], "deck": 1},
    "no bank": {"type": "revealed", "banks": [0, 7]},
    "below all banks": {"type": "revealed", "banks": [-1]},
    "no loot": {"type": "robbed", "seat": 0, "bank": 0, "loot": [999]},
    "nobody clashes": {"type": "clashed", "bank": 0, "seats": [7], "loot": []},
    "nobody pays": {"type": "police", "bank": 0, "cards": [], "most": 1, "payers": [-1], "choosing": []},
    "nothing given": {"type": "given", "seat": 0, "card": 8},
    "no round": {"type": "round_started", "round": -1, "gentleman": 0, "deck": 0},
    "no result": {"type": "game_over", "reason": "deck", "scores": [SCORE | {"stack": [0]}]},
}


def seated() -> World:
    world = World(lambda: 100.0)
    world.apply(table_state(you=0))
    return world


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_of_nonsense_is_not_shown(name: str) -> None:
    world = seated()
    world.apply(update(1))
    assert world.game is not None
    before = world.game.public
    world.apply(update(2, view=public_view(**VIEWS[name])))
    assert world.trouble == CLIENT_TOO_OLD
    assert world.game.public is before
    assert world.game.decision is None


@pytest.mark.parametrize("name", OWN)
def test_an_own_view_of_nonsense_is_not_shown(name: str) -> None:
    world = seated()
    world.apply(update(1, own={"seat": 0, "card": None, "stack": []} | OWN[name]))
    assert world.trouble == CLIENT_TOO_OLD
    assert world.game is not None
    assert world.game.public is None


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_of_nonsense_is_not_told(name: str) -> None:
    world = seated()
    world.apply(update(1, events=[EVENTS[name], {"type": "laid", "seat": 1}]))
    assert world.game is not None
    assert isinstance(world.game.events[0], UnknownEvent)
    assert not isinstance(world.game.events[1], UnknownEvent)


def test_actions_of_nonsense_are_not_offered_and_each_only_once() -> None:
    world = seated()
    legal = [{"type": "lay", "bank": bank} for bank in (4, 1, 1)] + [{"type": "give", "card": 500}]
    world.apply(update(1, decision=Decision(id=1, legal=legal)))
    game = world.game
    assert game is not None
    assert game.decision is not None
    assert game.decision.legal == (Lay(1),)
    assert prompt(game.public, game.own, game.decision.legal, ["Ana", "Ben", "Cleo"])
    world.apply(update(2, decision=Decision(id=2, legal=[{"type": "give", "card": 500}])))
    assert game.decision is None


def test_a_story_without_end_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robby_client.world._MOST_EVENTS", 10)
    world = seated()
    for first in range(0, 40, 4):
        world.apply(GameHistory(table="t1", match="m1", first=first, events=[{"type": "laid", "seat": 1}] * 4))
        world.apply(update(first, first=first, own_events=[{"type": "you_laid", "bank": 1}] * 4))
    assert world.game is not None
    assert len(world.game.events) == 10
    assert len(world.game.own_events) == 10


def test_a_clock_of_ages_is_a_day() -> None:
    clock = RunningClock.from_message(Clock(remaining_ms=2**53 - 1, total_ms=2**53 - 1, opens_ms=2**53 - 1), 0.0)
    assert clock.remaining(0.0) == clock.opens_in(0.0) == clock.total == 24 * 3_600


def test_a_table_without_end_has_one() -> None:
    """Seats are drawn one by one, those that are free too: a capacity of 2**50 froze the client."""
    endless = table(seats=[seat("Ana")] * 100, host=63, capacity=2**50)
    world = World(lambda: 100.0)
    world.apply(TableState(table=endless, you=50))
    world.apply(LobbyTables(tables=[endless], people=1))
    assert world.table is not None
    assert world.lobby is not None
    assert world.seat is None
    for shown in (world.table, world.lobby.tables[0]):
        assert shown.capacity == len(shown.seats) == 16
        assert shown.host is None


def test_a_seat_that_is_none_is_nobody() -> None:
    world = World(lambda: 100.0)
    world.apply(TableState(table=table(seats=[seat("Ana")]), you=1))
    assert world.seat is None
