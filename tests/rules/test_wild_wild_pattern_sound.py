"""Whatever Wild Wild Pattern shows, offers and tells passes for sound, and what there cannot be does not."""

import random
from typing import Any

import msgspec
import pytest

from robby_games.registry import GAMES
from robby_games.wild_wild_pattern import (
    Covered,
    Declare,
    Entrant,
    GameOver,
    Judged,
    Judgement,
    Looked,
    Pattern,
    Race,
    RoundStarted,
    Score,
    Take,
)
from robby_rules.match import Match
from tests.rules.kit import random_match
from tests.rules.wild_wild_pattern_kit import WILD, Wild

TYPES = GAMES["wild-wild-pattern"]


@pytest.mark.parametrize(("seats", "options"), [(2, {"rounds": 5}), (3, {}), (4, {"time": "relaxed"})])
def test_true_games_are_sound(seats: int, options: dict[str, Any]) -> None:
    rng = random.Random(seats)
    match = Match.start("m", "wild-wild-pattern", options, seats, rng.randbytes(32))
    told = 0
    while True:
        for seat in (None, *range(seats)):
            assert TYPES.sound_view(*match.view(seat))
        public = match.view(None)[0]
        for seat in match.pending():
            assert all(TYPES.sound_action(action, public) for action in WILD.legal(match.state, seat))
        assert all(map(TYPES.sound_event, match.events[told:]))
        told = len(match.events)
        if not random_match(match, rng, steps=1):
            break
    assert isinstance(match.events[-1], GameOver)


RACE = Race(0, False, (Entrant(0, 5, 1, 4),))
WRONG: list[Any] = [
    Looked((4,)),
    RoundStarted(1, (1, 2, 3), 0, (0, 1), 30),
    RoundStarted(1, (1, 2, 3, 4, 5, 6, 7, 40), 0, (0, 1), 30),
    RoundStarted(1, (1, 2, 3, 4, 5, 6, 7, 8), 0, (0, 7), 30),
    Covered(0, 0, 1, 2, Race(1, False, RACE.entrants)),
    Covered(0, 0, 1, 2, Race(0, False, (Entrant(0, -5, 1, 4),))),
    Judged(Judgement(0, Pattern("after", 1, 2), "valid")),
    Judged(Judgement(0, None, "valid", involved=(8,))),
    GameOver("rounds", (Score(0, 36, 1, True),)),
    GameOver("rounds", (Score(0, 3, 0, True),)),
]


@pytest.mark.parametrize("event", WRONG)
def test_what_there_cannot_be_is_not_sound(event: Any) -> None:
    assert not TYPES.sound_event(event)


def test_views_and_actions_of_what_there_cannot_be_are_not_sound() -> None:
    public, own = WILD.view(Wild(3).look().state, 0)
    assert TYPES.sound_view(public, own)
    one = public.participants[0]  # type: ignore[attr-defined]
    for change in (
        {"wheel": public.wheel[:7]},  # type: ignore[attr-defined]
        {"participants": (one,)},
        {"participants": (msgspec.structs.replace(one, won=(40,)), one)},
        {"participants": (msgspec.structs.replace(one, target=7), one)},
        {"bank": 36},
        {"discard": (-1,)},
        {"shooter": 3},
        {"race": Race(3, False, (Entrant(3, 1, 0, 1),))},
        {"scores": (Score(3, 0, 1, True),)},
    ):
        assert not TYPES.sound_view(msgspec.structs.replace(public, **change), own), change
    assert not TYPES.sound_view(public, msgspec.structs.replace(own, seat=3))  # type: ignore[type-var]
    assert TYPES.sound_action(Take(7), public)
    assert not TYPES.sound_action(Declare("after", 1, 2), public)
