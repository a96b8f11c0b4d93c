"""The race in small: `scripts/race` runs ten thousand."""

from collections import Counter

import pytest

from tests.sim.races import CAP_MS, TRIALS, Outcome, Trial, faults, race

BY_NAME = {trial.name: trial for trial in TRIALS}
FEW = 16


def few(name: str, seed: int = 1) -> Outcome:
    return race(seed, BY_NAME[name], FEW)


def test_three_distances_are_as_good_as_each_other_and_one_beyond_the_cap_is_too_late() -> None:
    outcome = few("equal")
    assert outcome.raced == FEW
    assert [outcome.entered[racer] for racer in range(4)] == [FEW, FEW, FEW, 0]
    assert [round(outcome.credit(racer)) for racer in range(3)] == [5, 40, 120]
    assert all(outcome.wins[racer] for racer in range(3))
    assert 0 < outcome.drawn < FEW, "reactions within a millisecond are often, and not always, equal"
    assert faults(BY_NAME["equal"], outcome) == []


def test_made_up_times_and_pongs_change_nothing() -> None:
    assert few("liar") == few("equal")


def test_delaying_gains_the_cap_at_most_and_nothing_where_the_kernel_measures() -> None:
    outcome = few("delayer")
    assert outcome.wins[0] == FEW
    assert outcome.credit(0) == outcome.most_credit == CAP_MS
    assert few("delayer found out") == few("equal")


@pytest.mark.parametrize(
    ("outcome", "fault"),
    [
        (Outcome(raced=900, wins=Counter({0: 500, 1: 200, 2: 200})), "won 55.6%"),
        (Outcome(raced=900, wins=Counter({0: 300, 1: 300, 2: 280, 3: 20})), "beyond the cap"),
        (Outcome(raced=900, most_credit=CAP_MS + 1), "credit of"),
    ],
)
def test_a_race_that_is_not_fair_is_found_out(outcome: Outcome, fault: str) -> None:
    trial: Trial = BY_NAME["equal"]
    assert any(fault in found for found in faults(trial, outcome))
