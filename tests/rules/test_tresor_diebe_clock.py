"""What time does in Tresor Diebe: limits, what is decided for those who did not, seats that nobody plays."""

from typing import Any

import pytest

from robby_games.tresor_diebe import Failed, Opened, Passed, RoundEnded, Thrown, TurnBegan
from robby_rules.interface import Stamp, Timer
from tests.rules.tresor_diebe_kit import DIEBE, Heist

PRESETS = {"blitz": 10_000, "standard": 30_000, "relaxed": 90_000}


@pytest.mark.parametrize("preset", PRESETS)
def test_each_decision_has_the_presets_limit(preset: Any) -> None:
    limit = PRESETS[preset]
    heist = Heist(3, time=preset)
    assert DIEBE.deadline(heist.state) == limit
    for seat in (None, 0, 1, 2):
        assert DIEBE.timer(heist.state, seat) == Timer(limit, limit)
    heist.at = 1_000
    heist.throw(1, 2, 3, 4, 5)
    assert DIEBE.deadline(heist.state) == 1_000 + limit
    heist.at = 2_500
    heist.again((0,), 6)
    assert DIEBE.deadline(heist.state) == 2_500 + limit
    heist.at = 3_000
    heist.again((0,), 6)
    assert heist.state.turn == 1
    assert DIEBE.timer(heist.state, None) == Timer(3_000 + limit, limit)


def test_a_limit_of_its_own_replaces_the_presets() -> None:
    assert DIEBE.deadline(Heist(decision_ms=7_000).state) == 7_000
    assert DIEBE.deadline(Heist(time="untimed", decision_ms=7_000).state) == 7_000


def test_who_has_not_thrown_passes() -> None:
    heist = Heist(3)
    position = heist.chance.position
    heist.expire()
    assert heist.public == (Passed(0, auto=True), TurnBegan(1))
    assert heist.state.began == 30_000
    assert heist.chance.position == position


@pytest.mark.parametrize(("throws", "safe", "value"), [(1, 24, 200), (2, 26, 300)])
def test_who_has_thrown_stops_with_the_dice_as_they_lie(throws: int, safe: int, value: int) -> None:
    heist = Heist().throw(6, 6, 5, 5, 2)
    if throws == 2:
        heist.again((4,), 4)
    position = heist.chance.position
    heist.expire()
    assert heist.public == (Opened(0, safe, value, 0, value // 100, auto=True), TurnBegan(1))
    assert heist.chance.position == position


def test_the_clock_fails_like_a_person() -> None:
    heist = Heist().rig(opened={26: 1}, fields=(4, 3)).throw(6, 6, 5, 5, 4).expire()
    assert heist.public == (Failed(0, 26, 1, 4, 3, auto=True), TurnBegan(1))


def test_a_table_of_the_silent_ends_its_rounds_by_passes() -> None:
    heist = Heist(4, rounds=2)
    for _turn in range(8):
        assert heist.state.scores is None
        heist.expire()
    assert heist.told(RoundEnded) == [RoundEnded(2, "passes", (0,) * 4, (0,) * 4)]
    assert heist.state.scores is not None
    assert DIEBE.deadline(heist.state) is None
    assert DIEBE.timer(heist.state, 0) is None


def test_before_the_deadline_nothing_can_be_expired() -> None:
    heist = Heist()
    with pytest.raises(ValueError, match="no deadline"):
        DIEBE.expire(heist.state, Stamp(29_999), heist.chance)
    with pytest.raises(ValueError, match="no deadline"):
        DIEBE.expire(Heist(time="untimed").state, Stamp(10**9), heist.chance)


# Untimed tables, and seats that nobody plays.


def test_an_untimed_table_has_no_limit_for_those_who_are_there() -> None:
    heist = Heist(time="untimed")
    assert DIEBE.deadline(heist.state) is None
    assert DIEBE.timer(heist.state, 0) is None
    heist.absent(1)
    assert DIEBE.deadline(heist.state) is None, "it is not the absent one's turn"


def test_an_absent_seat_has_the_standard_limit_from_when_it_was_left() -> None:
    heist = Heist(time="untimed")
    heist.at = 5_000
    heist.absent(0)
    assert DIEBE.deadline(heist.state) == 35_000
    assert DIEBE.timer(heist.state, 0) == Timer(35_000, 35_000)
    assert DIEBE.timer(heist.state, 1) is None
    assert DIEBE.timer(heist.state, None) is None
    heist.expire()
    assert heist.public == (Passed(0, auto=True), TurnBegan(1))
    assert DIEBE.deadline(heist.state) is None


def test_an_absence_from_before_counts_from_the_turns_beginning() -> None:
    heist = Heist(time="untimed").absent(1)
    heist.at = 50_000
    heist.passes()
    assert DIEBE.deadline(heist.state) == 80_000


def test_who_leaves_after_throwing_stops() -> None:
    heist = Heist(time="untimed")
    heist.at = 1_000
    heist.throw(1, 1, 1, 1, 1)
    heist.at = 9_000
    heist.absent(0).expire()
    assert heist.at == 39_000
    assert heist.told(Thrown) == []
    assert heist.told(Opened) == [Opened(0, 5, 500, 0, 5, auto=True)]


def test_coming_back_gives_the_time_back_that_all_have() -> None:
    heist = Heist(time="untimed").absent(0)
    heist.at = 29_999
    heist.absent(0, False)
    assert DIEBE.deadline(heist.state) is None
    heist.absent(0)
    assert DIEBE.deadline(heist.state) == 59_999


def test_an_absent_seat_has_no_more_time_than_the_others() -> None:
    heist = Heist(time="untimed", decision_ms=7_000)
    heist.at = 1_000
    heist.absent(0)
    assert DIEBE.deadline(heist.state) == 7_000
    slow = Heist(time="untimed", decision_ms=100_000).absent(0)
    assert DIEBE.deadline(slow.state) == 30_000
    assert DIEBE.timer(slow.state, 1) == Timer(100_000, 100_000)


@pytest.mark.parametrize("preset", PRESETS)
def test_at_a_timed_table_absence_changes_no_limit(preset: Any) -> None:
    heist = Heist(time=preset)
    before = DIEBE.deadline(heist.state)
    heist.absent(0).absent(1)
    assert DIEBE.deadline(heist.state) == before


def test_presence_that_is_no_news_changes_nothing() -> None:
    heist = Heist(time="untimed").absent(1)
    state = heist.state
    heist.at = 9_000
    assert heist.absent(1).state is state
    assert heist.absent(0, False).state is state


def test_after_the_end_presence_changes_nothing() -> None:
    heist = Heist(rounds=1, time="untimed").passes(2)
    state = heist.state
    assert heist.absent(0).state is state
    assert DIEBE.timer(heist.state, 0) is None
