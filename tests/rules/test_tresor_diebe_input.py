"""Tresor Diebe and those who send what they must not: refused with a code, nothing changed, the game goes on."""

import random
from typing import Any

import msgspec
import pytest

from robby_games.registry import GAMES
from robby_games.tresor_diebe import (
    NAME,
    Again,
    Failed,
    GameOver,
    Opened,
    OwnView,
    PublicView,
    RoundBegan,
    RoundEnded,
    Thrown,
)
from robby_protocol.errors import ILLEGAL_ACTION, MALFORMED_ACTION, NO_DECISION, STALE_DECISION, TOO_LATE
from robby_rules.interface import BadOptionsError, IllegalActionError, Stamp
from robby_rules.match import Match, read_options
from tests.rules.kit import random_match

TYPES = GAMES[NAME]
THROW = {"type": "throw"}
MALFORMED: list[dict[str, Any]] = [
    {},
    {"type": "cheat"},
    {"type": "throw", "dice": [6, 6, 6, 6, 6]},
    {"type": "stop", "dice": [6, 6, 6, 6, 6]},
    {"type": "pass", "safe": 30},
    {"type": "again"},
    {"type": "again", "dice": []},
    {"type": "again", "dice": 3},
    {"type": "again", "dice": [5]},
    {"type": "again", "dice": [-1]},
    {"type": "again", "dice": [0.0]},
    {"type": "again", "dice": ["0"]},
    {"type": "again", "dice": [True]},
    {"type": "again", "dice": [6, 6, 6, 6, 6]},
    {"type": "again", "dice": [0, 1, 2, 3, 4, 0]},
    {"type": "again", "dice": [0], "values": [6]},
]
ILLEGAL: list[dict[str, Any]] = [
    {"type": "again", "dice": [1, 0]},
    {"type": "again", "dice": [2, 2]},
    {"type": "throw"},
    {"type": "pass"},
]


def new(seats: int = 2, **options: Any) -> tuple[Match, int]:
    """A match, and who is on turn."""
    match = Match.start("m", NAME, options, seats, bytes(range(32)))
    return match, match.pending()[0]


def sent(match: Match, seat: int, decision: int, payload: dict[str, Any], at: int = 0) -> str:
    """`ok`, `again` or the code; what was refused has changed nothing."""
    before = match._standing
    try:
        change = match.submit(seat, decision, payload, Stamp(at))
    except IllegalActionError as error:
        assert match._standing == before
        return error.code
    if change is None:
        return "again"
    match.adopt(change)
    return "ok"


def asked(match: Match, seat: int) -> int:
    decision = match.decision(seat)
    assert decision is not None
    return decision.id


@pytest.mark.parametrize("payload", MALFORMED)
def test_dice_and_other_nonsense_from_a_client_are_malformed(payload: dict[str, Any]) -> None:
    match, seat = new()
    for _asked in range(2):
        assert sent(match, seat, asked(match, seat), payload) == MALFORMED_ACTION
        assert sent(match, 1 - seat, 1, payload) == MALFORMED_ACTION
        assert sent(match, seat, asked(match, seat), THROW) in ("ok", ILLEGAL_ACTION)


@pytest.mark.parametrize("payload", ILLEGAL)
def test_what_is_not_offered_is_refused(payload: dict[str, Any]) -> None:
    match, seat = new()
    assert sent(match, seat, asked(match, seat), {"type": "stop"}) == ILLEGAL_ACTION
    assert sent(match, seat, asked(match, seat), {"type": "again", "dice": [0]}) == ILLEGAL_ACTION
    assert sent(match, seat, asked(match, seat), THROW) == "ok"
    assert sent(match, seat, asked(match, seat), payload) == ILLEGAL_ACTION
    assert sent(match, seat, asked(match, seat), {"type": "stop"}) == "ok"


def test_out_of_turn_nothing_is_asked() -> None:
    match, seat = new(3)
    for other in range(3):
        if other != seat:
            for payload in (THROW, {"type": "pass"}, {"type": "stop"}, {"type": "again", "dice": [0]}):
                assert sent(match, other, 1, payload) == NO_DECISION
    assert sent(match, seat, asked(match, seat), THROW) == "ok"


def test_a_throw_sent_twice_is_thrown_once() -> None:
    match, seat = new()
    ids = asked(match, seat)
    assert [sent(match, seat, ids, THROW) for _click in range(3)] == ["ok", "again", "again"]
    again = {"type": "again", "dice": [0, 1]}
    ids = asked(match, seat)
    assert [sent(match, seat, ids, again) for _click in range(3)] == ["ok", "again", "again"]
    assert sum(isinstance(event, Thrown) for event in match.events) == 2


def test_a_fourth_throw_is_refused() -> None:
    match, seat = new()
    ids = []
    for payload in (THROW, {"type": "again", "dice": [0]}, {"type": "again", "dice": [0, 1]}):
        ids.append(asked(match, seat))
        assert sent(match, seat, ids[-1], payload) == "ok"
    for dice in ([0], [0, 1, 2]):
        payload = {"type": "again", "dice": dice}
        assert sent(match, seat, ids[-1], payload) == STALE_DECISION
        for later in (1, 2, 3):
            assert sent(match, seat, ids[-1] + later, payload) in (NO_DECISION, STALE_DECISION)
    assert match.pending() == (1 - seat,)
    assert sum(isinstance(event, Thrown) for event in match.events) == 3


def test_a_throw_held_back_into_the_next_turn_is_refused() -> None:
    match, seat = new()
    held = asked(match, seat)
    match.adopt(match.expire(Stamp(30_000)))
    assert sent(match, seat, held, THROW, 30_000) == TOO_LATE
    assert sent(match, 1 - seat, asked(match, 1 - seat), {"type": "throw"}, 30_000) == "ok"
    assert sent(match, seat, held, THROW, 30_001) == TOO_LATE


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"rounds": 0}, "rounds"),
        ({"rounds": 6}, "rounds"),
        ({"decision_ms": 10}, "decision_ms"),
        ({"time": "slow"}, "time"),
        ({"odds": 1}, "odds"),
        ({"junior": True}, "junior"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], field: str) -> None:
    with pytest.raises(BadOptionsError) as refused:
        read_options(NAME, options)
    assert refused.value.field == field


# What a client must be able to rely on, and what it must not believe.


@pytest.mark.parametrize(("seats", "rounds"), [(2, 5), (3, 1), (4, 3)])
def test_true_games_are_sound(seats: int, rounds: int) -> None:
    rng = random.Random(seats)
    for _game in range(10):
        match = Match.start("m", NAME, {"rounds": rounds}, seats, rng.randbytes(32))
        while match.result() is None:
            for seat in (None, *range(seats)):
                assert TYPES.sound_view(*match.view(seat))
            public = match.view(None)[0]
            for seat in match.pending():
                assert all(TYPES.sound_action(action, public) for action in match.rules.legal(match.state, seat))
            random_match(match, rng, steps=1)
        assert all(map(TYPES.sound_event, match.events))
        assert TYPES.sound_view(*match.view(0))


@pytest.mark.parametrize(
    "wrong",
    [
        {"phase": "dream"},
        {"round": 0},
        {"round": 4},
        {"rounds": 99},
        {"turn": 2},
        {"starter": 3},
        {"safes": (-1,) * 25},
        {"safes": (-1,) * 25 + (2,)},
        {"safes": (-2,) * 26},
        {"dice": (1, 2, 3, 4)},
        {"dice": (1, 2, 3, 4, 7)},
        {"dice": ()},
        {"throws": 0},
        {"throws": 3},
        {"fields": (0, 21)},
        {"fields": (0,)},
        {"fields": (0,) * 5},
        {"totals": (0, 101)},
        {"totals": (0, 0, 0)},
        {"markers": (12, 0)},
        {"passes": 3},
        {"idle": 9},
    ],
)
def test_a_view_of_what_there_cannot_be_is_not_sound(wrong: dict[str, Any]) -> None:
    match, seat = new()
    assert sent(match, seat, asked(match, seat), THROW) == "ok"
    public, own = match.view(seat)
    assert isinstance(public, PublicView)
    assert TYPES.sound_view(public, own)
    assert not TYPES.sound_view(msgspec.structs.replace(public, **wrong), own)
    assert not TYPES.sound_view(public, OwnView(2))


@pytest.mark.parametrize(
    "event",
    [
        RoundBegan(6, 0, ()),
        RoundBegan(1, 0, (4,)),
        Thrown(0, 4, (1, 2, 3, 4, 5), (0,)),
        Thrown(0, 1, (0, 2, 3, 4, 5), (0,)),
        Thrown(0, 1, (1, 2, 3, 4, 5), ()),
        Thrown(0, 1, (1, 2, 3, 4, 5), (1, 0)),
        Opened(0, 31, 500, 0, 5),
        Opened(0, 5, 550, 0, 5),
        Opened(0, 5, 500, 0, 21),
        Failed(0, 4, 0, 0, 0),
        Failed(0, 5, 0, 0, -1),
        RoundEnded(1, "field", (20,), (20,)),
        RoundEnded(1, "field", (20, 0), (20, 0, 0)),
    ],
)
def test_an_event_of_what_there_cannot_be_is_not_sound(event: Any) -> None:
    assert not TYPES.sound_event(event)


def test_a_result_of_what_there_cannot_be_is_not_sound() -> None:
    match, _seat = new(rounds=1)
    while match.result() is None:
        match.adopt(match.expire(Stamp(match.deadline() or 0)))
    over = match.events[-1]
    assert isinstance(over, GameOver)
    assert TYPES.sound_event(over)
    (first, *rest) = over.scores
    for wrong in ({"seat": 4}, {"points": (21,)}, {"points": (0,) * 6}, {"total": 101}, {"place": 0}, {"place": 5}):
        assert not TYPES.sound_event(GameOver((msgspec.structs.replace(first, **wrong), *rest)))


def test_an_offer_to_throw_dice_that_there_are_not_is_not_sound() -> None:
    public = new()[0].view(None)[0]
    assert TYPES.sound_action(Again((0, 4)), public)
    for places in ((), (4, 0), (1, 1), (0, 5)):
        assert not TYPES.sound_action(Again(places), public)
