"""Thousands of games of Robby Solo at random, for every number of participants, with every card accounted for."""

import random
import statistics

import pytest

from robby_games.robby_solo import GameOver, Options, loot_deck, total_of
from robby_rules.interface import Stamp
from robby_rules.robby_solo.state import State
from tests.rules.games import new_chance
from tests.rules.kit import SOLO, all_loot

GAMES_EACH = 400
TABLES = [(seats, False) for seats in (3, 4, 5, 6)] + [(seats, True) for seats in (2, 3, 4, 5)]
DECK = sorted(loot_deck(Options()))


def play(seats: int, junior: bool, rng: random.Random, silence: float) -> State:
    """One game; a part of the decisions is left to the clock. 61 cards at every step."""
    chance = new_chance(rng)
    step = SOLO.setup(Options(junior=junior), seats, chance)
    state = step.state
    at = 0
    while pending := state.pending:
        assert all_loot(state) == DECK
        due = SOLO.deadline(state)
        if due is not None and rng.random() < silence:
            at = due
            step = SOLO.expire(state, Stamp(at), chance)
        else:
            seat = pending[int(rng.random() * len(pending))]
            legal = SOLO.legal(state, seat)
            step = SOLO.apply(state, seat, legal[int(rng.random() * len(legal))], Stamp(at), chance)
        state = step.state
    assert all_loot(state) == DECK
    (over,) = [event for event in step.public if isinstance(event, GameOver)]
    assert over.scores == state.scores
    assert over.reason == ("deck" if len(state.loot.deck) < state.setting.banks else "rounds")
    assert {line.seat: line.stack for line in over.scores} == dict(enumerate(state.loot.stacks))
    assert all(line.total == total_of(line.stack) == line.money + line.items_worth for line in over.scores)
    return state


@pytest.mark.parametrize(("seats", "junior"), TABLES)
def test_random_games_end_with_sixty_one_cards_at_every_step(seats: int, junior: bool) -> None:
    rng = random.Random(seats * 2 + junior)
    rounds = []
    for number in range(GAMES_EACH):
        state = play(seats, junior, rng, silence=(0, 0.05, 0.5)[number % 3])
        rounds.append(state.loot.round)
    # The rules page: random play lasts about 20 rounds with three participants and 11 with six.
    expected = {3: 20, 4: 16, 5: 13, 6: 11}[seats + junior]
    assert statistics.mean(rounds) == pytest.approx(expected, rel=0.15)
