"""What time does in Robby Solo: limits, deadlines, the clock's decisions, seats that nobody plays."""

from typing import Any

import pytest
from msgspec import Struct

from robby_games.robby_solo import (
    Chose,
    Confirmed,
    Declared,
    Given,
    Laid,
    Lay,
    Returned,
    Revealed,
    Supplied,
    Supply,
    YouLaid,
)
from robby_rules.interface import Stamp, Timer
from tests.rules.kit import SOLO, G, Play, R, Y

PRESETS = {
    "blitz": (5_000, 15_000, 15_000, 3_000, 12_000, 8_000),
    "standard": (10_000, 45_000, 45_000, 5_000, 30_000, 15_000),
    "relaxed": (30_000, 150_000, 150_000, 10_000, 90_000, 45_000),
}


def police(**options: Any) -> Play:
    """Ana and Ben must each choose an item."""
    play = Play(3, **options)
    play.rig(deck=[2_000] * 20, banks=[(2_000,) * 3, (), (), ()], stacks=[(2, 1), (4, 3), ()])
    return play.round(G, G, G)


@pytest.mark.parametrize("preset", PRESETS)
def test_each_decision_has_its_presets_limit(preset: Any) -> None:
    supply, plays, gentleman, shortest, longest, item = PRESETS[preset]
    play = Play(3, time=preset)
    assert SOLO.deadline(play.state) == supply
    assert SOLO.timer(play.state, None) == Timer(supply, supply)
    play.at = 1_000
    play.supply()
    assert SOLO.deadline(play.state) == 1_000 + plays
    play.at = 2_000
    play.lay(1, Y)
    assert SOLO.deadline(play.state) == 1_000 + plays, "a play gives the others no more time"
    play.lay(2, Y)
    assert SOLO.deadline(play.state) == 2_000 + gentleman
    play.at = 3_000
    play.lay(0, Y)
    assert SOLO.deadline(play.state) == 2_000 + gentleman, "card and declaration share one limit"
    play.declare(True, Y)
    assert SOLO.timer(play.state, 0) == Timer(3_000 + longest, longest, 3_000 + shortest)
    assert SOLO.deadline(play.state) == 3_000 + shortest
    play.expire()
    assert SOLO.timer(play.state, 1) == Timer(3_000 + longest, longest)
    assert SOLO.deadline(play.state) == 3_000 + longest
    paying = police(time=preset)
    assert SOLO.deadline(paying.state) == item


def test_a_supply_that_is_not_chosen_begins_at_the_left() -> None:
    play = Play(3).expire()
    (supplied,) = play.public
    assert isinstance(supplied, Supplied)
    assert (supplied.side, supplied.auto) == ("left", True)
    assert play.chance.position == Play(3).chance.position, "nothing is drawn"


def test_secret_plays_that_are_missing_are_drawn_in_seat_order() -> None:
    play = Play(5, gentleman=2).supply().lay(1, R)
    before = play.chance.position
    play.expire()
    assert list(play.public) == [Laid(0, False, True), Laid(3, False, True), Laid(4, False, True)]
    drawn = [play.state.cards[seat] for seat in (0, 3, 4)]
    assert list(play.step.private) == [(seat, YouLaid(bank, True)) for seat, bank in zip((0, 3, 4), drawn, strict=True)]
    assert play.state.cards[1] == R
    play.chance.position = before
    assert [play.chance.below(6) for _seat in drawn] == drawn


def test_a_silent_gentleman_lays_at_random_and_denies_truly() -> None:
    for number in range(40):
        play = Play(3, key=number.to_bytes(32, "big")).supply().lay(1, Y).lay(2, Y).expire()
        laid, declared = play.public
        assert laid == Laid(0, False, True)
        assert isinstance(declared, Declared)
        assert (declared.robs, declared.auto) == (False, True)
        assert declared.bank != play.state.cards[0]
        assert list(play.step.private) == [(0, YouLaid(play.state.cards[0], True))]


def test_a_gentleman_who_laid_but_does_not_declare_keeps_his_card() -> None:
    play = Play(3).supply().lay(1, Y).lay(2, Y).lay(0, R).expire()
    (declared,) = play.public
    assert play.state.cards[0] == R
    assert (declared.robs, declared.auto) == (False, True)
    assert declared.bank != R


def test_an_item_that_is_not_chosen_is_the_oldest() -> None:
    play = police()
    play.expire()
    assert list(play.public[:4]) == [Chose(0, True), Chose(1, True), Given(0, 2), Given(1, 4)]
    play = police().give(0, 1).expire()
    assert list(play.public[:3]) == [Chose(1, True), Given(0, 1), Given(1, 4)]


def test_a_revision_whose_shortest_and_longest_time_are_one_just_ends() -> None:
    play = Play(3, revision_min_ms=30_000).revision(Y, G, R)
    assert SOLO.deadline(play.state) == 30_000
    play.expire()
    assert play.told(Revealed)


def test_with_no_shortest_time_reveal_is_open_at_once() -> None:
    play = Play(3, revision_min_ms=0).revision(Y, G, R)
    assert play.state.reveal_open
    assert SOLO.pending(play.state) == (0, 1, 2)
    assert SOLO.deadline(play.state) == 30_000
    play.reveal()
    assert play.told(Revealed)


def test_a_revision_carried_out_late_ends_without_opening_first() -> None:
    play = Play(3).revision(Y, G, R).expire(at=40_000)
    assert play.told(Revealed)


def test_before_the_deadline_nothing_can_be_expired() -> None:
    play = Play(3)
    with pytest.raises(ValueError, match="no deadline"):
        SOLO.expire(play.state, Stamp(9_999), play.chance)
    play.revision(Y, G, R)
    with pytest.raises(ValueError, match="no deadline"):
        SOLO.expire(play.state, Stamp(4_999), play.chance)


# Untimed tables, and seats that nobody plays.


def test_an_untimed_table_limits_the_revision_alone() -> None:
    play = Play(3, time="untimed")
    assert SOLO.deadline(play.state) is None
    assert SOLO.timer(play.state, 0) is None
    play.supply()
    assert SOLO.deadline(play.state) is None
    play.lay(1, Y).lay(2, Y)
    assert SOLO.deadline(play.state) is None
    play.lay(0, Y).declare(True, Y)
    assert SOLO.deadline(play.state) == 300_000
    assert SOLO.pending(play.state) == (0, 1, 2)
    paying = police(time="untimed")
    assert SOLO.deadline(paying.state) is None


def test_single_limits_can_be_given_to_an_untimed_table() -> None:
    play = Play(3, time="untimed", play_ms=7_000)
    assert SOLO.deadline(play.state) is None
    play.supply()
    assert SOLO.deadline(play.state) == 7_000
    play.absent(1)
    assert SOLO.deadline(play.state) == 7_000, "an absent seat has no more time than the others"


@pytest.mark.parametrize("preset", PRESETS)
def test_at_a_timed_table_absence_changes_no_limit(preset: Any) -> None:
    play = Play(3, time=preset)
    actions: list[tuple[int, Struct]] = [(0, Supply("left")), (1, Lay(Y)), (2, Lay(Y)), (0, Lay(Y))]
    for who, action in actions:
        before = [SOLO.timer(play.state, seat) for seat in (None, 0, 1, 2)], SOLO.deadline(play.state)
        for seat in range(3):
            play.absent(seat)
        assert ([SOLO.timer(play.state, seat) for seat in (None, 0, 1, 2)], SOLO.deadline(play.state)) == before
        for seat in range(3):
            play.absent(seat, False)
        play.act(who, action)


def test_an_absent_gentlemans_supply_has_the_standard_limit() -> None:
    play = Play(3, time="untimed")
    play.at = 5_000
    play.absent(0)
    assert SOLO.deadline(play.state) == 15_000
    play.expire()
    assert play.told(Supplied)[0].auto


def test_only_the_absent_seats_secret_play_is_decided_and_the_others_stay_open() -> None:
    play = Play(5, time="untimed").supply()
    play.at = 10_000
    play.absent(3)
    play.at = 20_000
    play.absent(1)
    assert SOLO.timer(play.state, 3) == Timer(55_000, 55_000)
    assert SOLO.timer(play.state, 2) is None
    assert SOLO.timer(play.state, None) is None
    play.expire()
    assert list(play.public) == [Laid(3, False, True)]
    assert SOLO.pending(play.state) == (1, 2, 4)
    assert SOLO.deadline(play.state) == 65_000
    play.absent(1, False)
    assert SOLO.deadline(play.state) is None
    play.lay(1, Y).lay(2, Y).lay(4, Y)
    assert play.state.phase == "gentleman"


def test_two_absent_seats_due_at_once_are_decided_in_seat_order() -> None:
    play = Play(4, time="untimed").absent(3).absent(1).supply()
    play.expire()
    assert list(play.public) == [Laid(1, False, True), Laid(3, False, True)]
    assert SOLO.pending(play.state) == (2,)


def test_an_absence_from_before_counts_from_the_phases_beginning() -> None:
    play = Play(3, time="untimed").absent(1)
    play.at = 50_000
    play.supply()
    assert SOLO.deadline(play.state) == 95_000


def test_an_absent_gentleman_has_the_standard_limit_for_card_and_declaration() -> None:
    play = Play(3, time="untimed").supply().lay(1, Y).lay(2, Y).absent(0)
    assert SOLO.deadline(play.state) == 45_000
    play.expire()
    assert [type(event) for event in play.public] == [Laid, Declared]


def test_an_absent_seats_revision_ends_with_its_card_lying() -> None:
    play = Play(4, time="untimed").revision(Y, G, R, R).take_back(1)
    play.absent(1).absent(2)
    assert SOLO.deadline(play.state) == 30_000
    play.expire()
    assert list(play.public) == [Returned(1), Confirmed(1, True), Confirmed(2, True)]
    assert SOLO.pending(play.state) == (0, 3)
    assert SOLO.deadline(play.state) == 300_000
    play.confirm(3)
    assert play.told(Revealed) == [Revealed((Y, G, R, R))]


def test_absent_seats_that_are_all_that_is_waited_for_end_the_revision() -> None:
    play = Play(3, time="untimed").revision(Y, G, R).confirm(1).absent(2)
    play.expire()
    assert list(play.public[:2]) == [Confirmed(2, True), Revealed((Y, G, R))]


def test_nobody_waits_for_an_absent_gentlemans_reveal() -> None:
    play = Play(3, time="untimed").revision(Y, G, R).absent(0)
    assert SOLO.pending(play.state) == (0, 1, 2)
    assert SOLO.deadline(play.state) == 300_000
    assert SOLO.timer(play.state, 0) == Timer(300_000, 300_000)


def test_an_absent_payers_item_is_the_oldest_while_the_other_still_chooses() -> None:
    play = police(time="untimed").absent(1)
    assert SOLO.deadline(play.state) == 15_000
    play.expire()
    assert list(play.public) == [Chose(1, True)]
    assert SOLO.pending(play.state) == (0,)
    assert SOLO.deadline(play.state) is None
    play.give(0, 1)
    assert play.told(Given) == [Given(0, 1), Given(1, 4)]


def test_a_card_that_the_deadline_returned_is_shown_lying() -> None:
    play = Play(3)
    play.rig(deck=[2_000] * 20, banks=[(2_000,) * 3, (), (), ()], stacks=[(2, 1), (), ()])
    play.revision(G, G, G).take_back(1).confirm(2).expire().expire()
    assert play.state.phase == "police"
    assert play.state.marks == ("laid", "laid", "confirmed")


def test_an_untimed_revision_opens_by_itself_beside_absent_seats() -> None:
    play = Play(4, time="untimed", revision_min_ms=60_000).revision(Y, G, R, R).absent(1)
    assert SOLO.deadline(play.state) == 30_000
    play.expire()
    assert list(play.public) == [Confirmed(1, True)]
    assert SOLO.deadline(play.state) == 60_000
    play.expire()
    assert play.state.reveal_open
    assert SOLO.deadline(play.state) == 300_000


def test_coming_back_gives_the_time_back_that_all_have() -> None:
    play = Play(3, time="untimed").supply().absent(1)
    assert SOLO.deadline(play.state) == 45_000
    play.at = 44_999
    play.absent(1, False)
    assert SOLO.deadline(play.state) is None
    play.absent(1)
    assert SOLO.deadline(play.state) == 44_999 + 45_000


def test_presence_that_is_no_news_changes_nothing() -> None:
    play = Play(3, time="untimed").absent(1)
    state = play.state
    play.at = 9_000
    assert play.absent(1).state is state
    assert play.absent(2, False).state is state


def test_after_the_end_no_limit_runs_for_a_seat_that_was_left() -> None:
    play = Play(3, time="untimed", max_rounds=1).supply().absent(1)
    play.lay(1, Y).lay(2, Y).lay(0, Y).declare(True, Y).reveal()
    assert play.state.phase == "over"
    assert SOLO.timer(play.state, 1) is None
    assert SOLO.deadline(play.state) is None
