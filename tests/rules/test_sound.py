"""Whatever the rules show, offer and tell passes for sound: a client must not refuse a true game."""

import random

import pytest

from robby_games.registry import GAMES
from robby_games.robby_solo import GameOver
from robby_rules.interface import Stamp
from robby_rules.match import Match
from tests.rules.kit import SOLO

TYPES = GAMES["robby-solo"]
EXTREMES = [
    (2, {"junior": True, "max_rounds": 1, "items": 0, "money_copies": 1}),
    (3, {"money_copies": 20, "open_loot": True}),
    (5, {"junior": True, "open_loot": True, "items": 7}),
    (6, {"money_copies": 2, "max_rounds": 1_000}),
]


@pytest.mark.parametrize(("seats", "options"), EXTREMES)
def test_true_games_are_sound(seats: int, options: dict[str, object]) -> None:
    rng = random.Random(seats)
    for _game in range(3 if options.get("money_copies") == 20 else 10):  # with 187 cards a game is long
        match = Match.start("m", "robby-solo", options, seats, rng.randbytes(32))
        told = 0
        while match.result() is None:
            for seat in (None, *range(seats)):
                assert TYPES.sound_view(*match.view(seat))
            seat = rng.choice([seat for seat in range(seats) if match.decision(seat) is not None])
            decision = match.decision(seat)
            assert decision is not None
            legal = SOLO.legal(match.state, seat)
            assert all(TYPES.sound_action(action, match.view(None)[0]) for action in legal)
            change = match.submit(seat, decision.id, rng.choice(decision.legal), Stamp(0))
            assert change is not None
            match.adopt(change)
            assert all(map(TYPES.sound_event, match.events[told:]))
            told = len(match.events)
        assert isinstance(match.events[-1], GameOver)
        assert TYPES.sound_view(*match.view(0))
