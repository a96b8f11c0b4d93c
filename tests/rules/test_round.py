"""The course of a round, step by step: supply, secret plays, the Gentleman, the revision, robbery, police, the end."""

import pytest

from robby_games.robby_solo import (
    Clashed,
    Confirm,
    Confirmed,
    Declaration,
    Declare,
    Declared,
    GameOver,
    GameStarted,
    Give,
    Given,
    Laid,
    Lay,
    Options,
    Police,
    Returned,
    Reveal,
    RevealCalled,
    Revealed,
    Robbed,
    RoundStarted,
    Score,
    Supplied,
    Supply,
    TakeBack,
    TakenBack,
    YouLaid,
    items_of,
)
from robby_protocol.errors import CARD_IN_HAND, ILLEGAL_ACTION
from robby_rules.chance import Chance
from robby_rules.interface import Result
from tests.rules.kit import KEY, SOLO, B, G, Play, R, X, Y

# Setting up.


@pytest.mark.parametrize(
    ("seats", "junior", "banks"),
    [
        (3, False, 4),
        (4, False, 5),
        (5, False, 6),
        (6, False, 7),
        (2, True, 4),
        (3, True, 5),
        (4, True, 6),
        (5, True, 7),
    ],
)
def test_there_is_one_bank_more_than_participants(seats: int, junior: bool, banks: int) -> None:
    play = Play(seats, gentleman=None, junior=junior)
    started, first_round = play.public
    gentleman = play.state.loot.gentleman
    assert started == GameStarted(seats + junior, junior, banks, gentleman, 61)
    assert first_round == RoundStarted(1, gentleman, 61)
    assert play.state.loot.banks == ((),) * banks
    assert play.state.loot.stacks == ((),) * (seats + junior)
    assert sorted(play.state.loot.junior) == (list(range(banks)) if junior else [])
    assert SOLO.pending(play.state) == (gentleman,)


# Supply.


@pytest.mark.parametrize(
    ("side", "cards"), [("left", (1_000, 2_000, 3_000, 4_000)), ("right", (4_000, 3_000, 2_000, 1_000))]
)
def test_the_top_card_goes_to_the_bank_at_the_chosen_end(side: str, cards: tuple[int, ...]) -> None:
    play = Play(3)
    play.rig(deck=[1_000, 2_000, 3_000, 4_000, 5_000], banks=[(9_000,), (), (), (7,)])
    assert SOLO.legal(play.state, 0) == (Supply("left"), Supply("right"))
    play.supply(side)
    assert list(play.public) == [Supplied(side, cards, 1)]
    assert play.state.loot.banks == ((9_000, cards[0]), (cards[1],), (cards[2],), (7, cards[3]))
    assert play.state.loot.deck == (5_000,)


def test_only_the_gentleman_chooses_the_side() -> None:
    play = Play(3)
    assert play.refused(1, Supply("left")) == ILLEGAL_ACTION
    assert play.refused(0, Lay(1)) == ILLEGAL_ACTION
    assert play.refused(0, Supply("middle")) == ILLEGAL_ACTION  # type: ignore[arg-type]
    assert SOLO.legal(play.state, 1) == ()


# Secret plays.


def test_all_but_the_gentleman_lay_and_only_then_does_he() -> None:
    play = Play(4, gentleman=2).supply()
    assert SOLO.pending(play.state) == (0, 1, 3)
    assert play.refused(2, Lay(0)) == ILLEGAL_ACTION
    play.lay(3, R)
    assert (list(play.public), list(play.step.private)) == ([Laid(3)], [(3, YouLaid(R))])
    assert SOLO.pending(play.state) == (0, 1)
    play.lay(0, R).lay(1, Y)
    assert play.state.phase == "gentleman"
    assert SOLO.pending(play.state) == (2,)


def test_a_card_once_laid_stays_until_the_revision() -> None:
    play = Play(3).supply().lay(1, R)
    for action in (Lay(R), Lay(G), TakeBack(), Confirm()):
        assert play.refused(1, action) == ILLEGAL_ACTION


@pytest.mark.parametrize("bank", [-1, 4, 6])
def test_a_card_of_a_bank_that_is_not_in_the_row_is_refused(bank: int) -> None:
    play = Play(3).supply()
    assert play.refused(1, Lay(bank)) == ILLEGAL_ACTION
    play.lay(1, Y).lay(2, Y)
    assert play.refused(0, Lay(bank)) == ILLEGAL_ACTION
    play.lay(0, Y).declare(True, Y).take_back(1)
    assert play.refused(1, Lay(bank)) == ILLEGAL_ACTION


# The Gentleman.


def test_the_gentleman_lays_then_declares() -> None:
    play = Play(3).supply().lay(1, Y).lay(2, Y)
    assert play.refused(0, Declare(False, R)) == ILLEGAL_ACTION
    play.lay(0, G)
    assert (list(play.public), list(play.step.private)) == ([Laid(0)], [(0, YouLaid(G))])
    assert SOLO.pending(play.state) == (0,)
    assert play.refused(0, Lay(R)) == ILLEGAL_ACTION
    assert play.refused(1, Confirm()) == ILLEGAL_ACTION
    assert list(SOLO.legal(play.state, 0)) == [
        Declare(True, G),
        Declare(False, Y),
        Declare(False, R),
        Declare(False, B),
    ]
    play.declare(False, B)
    assert list(play.public) == [Declared(0, False, B)]
    assert play.state.declaration == Declaration(False, B)
    assert play.state.phase == "revision"


# The revision.


def test_in_the_revision_the_others_confirm_or_take_back() -> None:
    play = Play(4, gentleman=1).revision(Y, G, R, B)
    assert SOLO.pending(play.state) == (0, 2, 3)
    for seat in (0, 2, 3):
        assert list(SOLO.legal(play.state, seat)) == [Confirm(), TakeBack()]
    assert play.refused(0, Lay(G)) == ILLEGAL_ACTION
    assert play.refused(0, Reveal()) == ILLEGAL_ACTION


def test_the_gentleman_changes_nothing_in_the_revision() -> None:
    play = Play(3).revision(Y, G, R)
    for action in (TakeBack(), Confirm(), Lay(R), Declare(False, R), Reveal()):
        assert play.refused(0, action) == ILLEGAL_ACTION
    play.expire()
    assert play.state.reveal_open
    for action in (TakeBack(), Confirm(), Lay(R), Declare(False, R)):
        assert play.refused(0, action) == ILLEGAL_ACTION


def test_taking_back_and_laying_may_be_repeated_until_confirmed() -> None:
    play = Play(3).revision(Y, G, R)
    for bank in (G, B, B, Y):
        play.take_back(1)
        assert list(play.public) == [TakenBack(1)]
        assert not play.step.private
        assert play.refused(1, TakeBack()) == ILLEGAL_ACTION
        assert play.refused(1, Confirm()) == CARD_IN_HAND
        assert [action.bank for action in SOLO.legal(play.state, 1) if isinstance(action, Lay)] == [Y, G, R, B]
        play.lay(1, bank)
        assert (list(play.public), list(play.step.private)) == ([Laid(1, True)], [(1, YouLaid(bank))])
    play.confirm(1)
    assert list(play.public) == [Confirmed(1)]
    for action in (TakeBack(), Confirm(), Lay(G)):
        assert play.refused(1, action) == ILLEGAL_ACTION
    play.confirm(2)
    assert play.told(Revealed) == [Revealed((Y, Y, R))]


def test_the_revision_ends_when_all_the_others_have_confirmed() -> None:
    play = Play(4).revision(Y, G, R, B).confirm(3, 1)
    assert play.state.phase == "revision"
    play.confirm(2)
    assert [type(event) for event in play.public[:2]] == [Confirmed, Revealed]


def test_reveal_is_offered_once_the_shortest_time_has_passed_and_no_card_is_in_a_hand() -> None:
    play = Play(4).revision(Y, G, R, B)
    play.take_back(2).expire()
    assert not play.public
    assert play.state.reveal_open
    assert SOLO.pending(play.state) == (1, 2, 3)
    assert play.refused(0, Reveal()) == ILLEGAL_ACTION
    play.take_back(1).lay(2, R)
    assert SOLO.pending(play.state) == (1, 2, 3)
    play.lay(1, G)
    assert SOLO.pending(play.state) == (0, 1, 2, 3)
    assert list(SOLO.legal(play.state, 0)) == [Reveal()]
    play.confirm(1)
    assert SOLO.pending(play.state) == (0, 2, 3)
    play.take_back(3)
    assert SOLO.pending(play.state) == (2, 3)
    play.lay(3, Y).reveal()
    assert list(play.public[:2]) == [RevealCalled(0), Revealed((Y, G, R, Y))]


def test_the_deadline_returns_cards_in_hands_in_seat_order() -> None:
    play = Play(4).revision(Y, G, R, B).take_back(3).take_back(1).confirm(2)
    play.expire().expire()
    assert list(play.public[:3]) == [Returned(1), Returned(3), Revealed((Y, G, R, B))]


# The reveal and the robbery.


def test_each_alone_robs_and_a_bank_that_nobody_names_keeps_its_loot() -> None:
    play = Play(3)
    play.rig(deck=[1_000, 2_000, 3_000, 4_000] + [5_000] * 20, banks=[(6_000,), (), (), (7,)])
    play.round(B, Y, R)
    assert play.told(Robbed) == [
        Robbed(1, Y, (6_000, 1_000)),
        Robbed(2, R, (3_000,)),
        Robbed(0, B, (7, 4_000)),
    ]
    assert play.told(Clashed) == []
    assert play.state.loot.banks == ((), (2_000,), (), ())
    assert play.state.loot.stacks == ((7, 4_000), (6_000, 1_000), (3_000,))


def test_loot_goes_on_top_of_what_one_has() -> None:
    play = Play(3)
    play.rig(deck=[1_000] * 24, banks=[(6_000, 9_000), (), (), ()], stacks=[(5,), (), ()])
    play.round(Y, G, G)
    assert play.state.loot.stacks[0] == (5, 6_000, 9_000, 1_000)


def test_the_gentleman_clashes_like_anyone() -> None:
    play = Play(3)
    play.rig(deck=[1_000] * 24)
    play.round(Y, Y, G)
    assert play.told(Clashed) == [Clashed(Y, (0, 1), (1_000,))]


def test_the_deck_passes_clockwise_and_cards_come_back() -> None:
    play = Play(3, gentleman=2)
    play.round(Y, Y, Y)
    assert play.told(RoundStarted) == [RoundStarted(2, 0, 57)]
    assert play.state.cards == (-1, -1, -1)
    assert set(play.state.marks) == {"none"}
    assert play.state.declaration is None
    assert SOLO.pending(play.state) == (0,)


# The police.


@pytest.mark.parametrize("lying", [2, 4])
def test_the_police_come_for_exactly_four_cards_only(lying: int) -> None:
    play = Play(3)
    play.rig(deck=[1_000] * 24, banks=[(2_000,) * lying, (), (), ()])
    play.round(G, G, G)
    assert play.told(Police) == []
    assert len(play.state.loot.banks[Y]) == lying + 1


def test_a_bank_with_four_cards_that_is_robbed_is_not_visited() -> None:
    play = Play(3)
    play.rig(deck=[1_000] * 24, banks=[(2_000,) * 3, (), (), ()])
    play.round(Y, G, G)
    assert play.told(Police) == []
    assert play.state.loot.stacks[0] == (2_000, 2_000, 2_000, 1_000)


def test_the_dearest_money_card_is_returned_and_of_equal_ones_the_oldest() -> None:
    play = Play(3)
    play.rig(deck=[1_000] * 24, banks=[(2_000,) * 3, (), (), ()], stacks=[(9_000, 1, 3_000, 9_000, 2), (), ()])
    play.round(G, G, G)
    assert play.told(Given) == [Given(0, 9_000)]
    assert play.state.loot.stacks[0] == (1, 3_000, 9_000, 2)


def test_only_own_items_can_be_given() -> None:
    play = Play(3)
    play.rig(deck=[2_000] * 20, banks=[(2_000,) * 3, (), (), ()], stacks=[(1, 2, 3), (4, 5), ()])
    play.round(G, G, G)
    assert list(SOLO.legal(play.state, 0)) == [Give(1), Give(2), Give(3)]
    for action in (Give(4), Give(6), Give(1_000), Lay(1)):
        assert play.refused(0, action) == ILLEGAL_ACTION
    assert play.refused(1, Give(4)) == ILLEGAL_ACTION


def test_a_choice_is_final() -> None:
    play = Play(3)
    play.rig(deck=[2_000] * 20, banks=[(2_000,) * 3, (), (), ()], stacks=[(1, 2), (3, 4), ()])
    play.round(G, G, G).give(1, 4)
    assert play.refused(1, Give(3)) == ILLEGAL_ACTION
    assert SOLO.pending(play.state) == (0,)


def test_a_single_item_is_a_choice_too() -> None:
    play = Play(3)
    play.rig(deck=[2_000] * 20, banks=[(2_000,) * 3, (), (), ()], stacks=[(1,), (), ()])
    play.round(G, G, G)
    assert play.told(Police) == [Police(Y, (2_000,) * 4, 1, (0,), (0,))]
    assert list(SOLO.legal(play.state, 0)) == [Give(1)]
    play.give(0, 1)
    assert play.state.loot.stacks == ((), (), ())


def test_a_second_visit_waits_until_the_first_is_paid() -> None:
    play = Play(3)
    play.rig(
        deck=[2_000] * 20,
        banks=[(2_000,) * 3, (1_000,) * 3, (), ()],
        stacks=[(1, 2, 3), (4, 5), (6,)],
    )
    play.round(R, R, R)
    assert [visit.bank for visit in play.told(Police)] == [Y]
    serial = SOLO.phase(play.state)
    play.give(0, 3)
    # Two each now: both are asked, in a phase of its own.
    assert play.told(Police) == [Police(G, (1_000, 1_000, 1_000, 2_000), 2, (0, 1), (0, 1))]
    assert SOLO.phase(play.state) == serial + 1
    play.give(1, 4).give(0, 1)
    assert play.told(Given) == [Given(0, 1), Given(1, 4)]
    assert play.state.loot.stacks == ((2,), (5,), (6,))
    assert play.state.loot.deck[-6:] == (1_000, 1_000, 1_000, 2_000, 1, 4)
    assert play.state.phase == "supply"


def test_what_lies_openly_stays_shown_while_the_police_wait() -> None:
    play = Play(3)
    play.rig(deck=[2_000] * 20, banks=[(2_000,) * 3, (), (), ()], stacks=[(1, 2), (), ()])
    play.revision(G, G, G).confirm(1)
    play.confirm(2)
    public = SOLO.view(play.state, None)[0]
    assert [seen.revealed for seen in public.participants] == [G, G, G]  # type: ignore[attr-defined]
    assert [seen.paying for seen in public.participants] == [True, False, False]  # type: ignore[attr-defined]


# Junior.


def test_juniors_top_card_is_laid_for_him_and_goes_under() -> None:
    play = Play(3, junior=True)
    play.rig(deck=[1_000] * 40, junior=(R, Y, X, G, B))
    play.supply()
    assert list(play.public)[1:] == [Laid(3)]
    assert play.state.cards[3] == R
    play.lay(1, Y).lay(2, Y).lay(0, Y).declare(True, Y).confirm(1, 2)
    assert play.told(Revealed) == [Revealed((Y, Y, Y, R))]
    assert play.told(Robbed) == [Robbed(3, R, (1_000,))]
    assert play.state.loot.junior == (Y, X, G, B, R)
    for expected in (Y, X, G, B, R, Y):
        assert play.state.loot.junior[0] == expected
        play.round(B, B, B)


def test_junior_is_never_the_gentleman() -> None:
    play = Play(3, junior=True, gentleman=2)
    play.round(Y, Y, Y)
    assert play.state.loot.gentleman == 0


def test_junior_pays_the_police_with_his_oldest_item_and_is_not_asked() -> None:
    play = Play(3, junior=True, gentleman=1)
    play.rig(
        deck=[2_000] * 30,
        banks=[(2_000,) * 3, (), (), (), ()],
        stacks=[(1, 2), (), (), (4, 3)],
        junior=(G, Y, X, R, B),
    )
    play.round(G, G, G)
    assert play.told(Police) == [Police(Y, (2_000,) * 4, 2, (3, 0), (0,))]
    assert play.told(Given) == []
    play.give(0, 1)
    assert play.told(Given) == [Given(3, 4), Given(0, 1)]


def test_junior_with_items_alone_does_not_hold_up_the_game() -> None:
    play = Play(2, junior=True)
    play.rig(deck=[2_000] * 30, banks=[(2_000,) * 3, (), (), ()], stacks=[(), (), (4, 3)], junior=(G, Y, R, B))
    play.round(G, G)
    assert play.told(Given) == [Given(2, 4)]
    assert play.state.phase == "supply"


def test_junior_pays_his_dearest_money_card_where_he_has_one() -> None:
    play = Play(2, junior=True)
    play.rig(
        deck=[2_000] * 30, banks=[(2_000,) * 3, (), (), ()], stacks=[(), (), (4, 3_000, 5_000)], junior=(G, Y, R, B)
    )
    play.round(G, G)
    assert play.told(Given) == [Given(2, 5_000)]


def test_junior_can_win() -> None:
    play = Play(2, junior=True)
    play.rig(deck=[2_000] * 7, stacks=[(1_000,), (2_000,), (9_000, 1)], junior=(G, Y, R, B))
    play.round(G, G)
    assert SOLO.outcome(play.state) == (
        Result(0, 1_000, False),
        Result(1, 2_000, False),
        Result(None, 10_000, True, "Robby Junior"),
    )


# The end.


def test_scores_are_explained_line_by_line_best_first() -> None:
    play = Play(4)
    play.rig(deck=[1_000] * 9, stacks=[(9_000,), (1, 5, 3, 2_000), (22_000,), (5_000,)])
    play.round(Y, Y, Y, Y)
    scores = (
        Score(1, (1, 5, 3, 2_000), 2_000, 3, 20_000, 22_000, 1, True),
        Score(2, (22_000,), 22_000, 0, 0, 22_000, 1, True),
        Score(0, (9_000,), 9_000, 0, 0, 9_000, 3, False),
        Score(3, (5_000,), 5_000, 0, 0, 5_000, 4, False),
    )
    assert play.told(GameOver) == [GameOver("deck", scores)]
    assert SOLO.view(play.state, None)[0].scores == scores  # type: ignore[attr-defined]
    assert [result.winner for result in SOLO.outcome(play.state) or ()] == [False, True, True, False]


def test_a_game_in_which_nobody_has_anything_is_won_by_all() -> None:
    play = Play(3)
    play.rig(deck=[1_000] * 7)
    play.round(Y, Y, Y)
    assert all(result == Result(seat, 0, True) for seat, result in enumerate(SOLO.outcome(play.state) or ()))


def test_after_the_last_round_the_game_is_scored() -> None:
    play = Play(3, max_rounds=2)
    play.round(Y, Y, Y).round(Y, Y, Y)
    (over,) = play.told(GameOver)
    assert over.reason == "rounds"
    assert play.told(RoundStarted) == []


def test_a_hundred_rounds_are_the_most_by_default() -> None:
    play = Play(3)
    play.rig(round_number=99)
    play.round(Y, Y, Y)
    assert play.told(RoundStarted)[0].round == 100
    play.round(Y, Y, Y)
    assert play.told(GameOver)[0].reason == "rounds"


def test_nothing_is_asked_or_taken_after_the_end() -> None:
    play = Play(3, max_rounds=1).round(Y, Y, Y)
    for seat in range(3):
        assert SOLO.legal(play.state, seat) == ()
        assert play.refused(seat, Supply("left")) == ILLEGAL_ACTION
    assert (SOLO.deadline(play.state), SOLO.timer(play.state, None)) == (None, None)


def test_the_end_comes_after_the_police() -> None:
    """The deck may grow by what the police bring, and then there is another round."""
    play = Play(3)
    play.rig(deck=[1_000] * 4, banks=[(2_000,) * 3, (), (), ()])
    play.round(G, G, G)
    assert play.told(RoundStarted) == [RoundStarted(2, 1, 4)]


# Views.


def test_a_view_shows_of_other_stacks_the_number_and_the_top_card() -> None:
    play = Play(3)
    play.rig(stacks=[(1, 9_000, 2_000), (), (5_000,)])
    public, own = SOLO.view(play.state, 0)
    seen = public.participants  # type: ignore[attr-defined]
    assert [(one.stack, one.top, one.loot) for one in seen] == [(3, 2_000, None), (0, None, None), (1, 5_000, None)]
    assert (own.seat, own.stack, own.card) == (0, (1, 9_000, 2_000), None)  # type: ignore[union-attr]
    assert SOLO.view(play.state, None) == (public, None)
    assert all(SOLO.view(play.state, seat)[0] == public for seat in range(3))


def test_open_loot_shows_whole_stacks() -> None:
    play = Play(3, open_loot=True)
    play.rig(stacks=[(1, 9_000, 2_000), (), (5_000,)])
    public, _own = SOLO.view(play.state, None)
    assert [one.loot for one in public.participants] == [(1, 9_000, 2_000), (), (5_000,)]  # type: ignore[attr-defined]


def test_an_own_view_keeps_naming_the_card_that_was_taken_back() -> None:
    play = Play(3).revision(Y, G, R).take_back(1)
    assert SOLO.view(play.state, 1)[1].card == G  # type: ignore[union-attr]
    assert SOLO.view(play.state, 1)[0].participants[1].card == "taken_back"  # type: ignore[attr-defined]


def test_marks_tell_who_laid_took_back_and_confirmed() -> None:
    play = Play(4, junior=True, revision_min_ms=0)
    play.supply()

    def marks() -> list[str]:
        return [seen.card for seen in SOLO.view(play.state, None)[0].participants]  # type: ignore[attr-defined]

    assert marks() == ["none", "none", "none", "none", "laid"]
    play.lay(1, Y).lay(2, Y).lay(3, Y)
    assert marks() == ["none", "laid", "laid", "laid", "laid"]
    play.lay(0, Y).declare(True, Y)
    play.take_back(1).take_back(2).lay(2, Y).confirm(3)
    assert marks() == ["laid", "taken_back", "laid_again", "confirmed", "laid"]


def test_an_own_view_names_the_item_chosen_while_others_still_choose() -> None:
    play = Play(3)
    play.rig(deck=[2_000] * 20, banks=[(2_000,) * 3, (), (), ()], stacks=[(1, 2), (3, 4), ()])
    play.round(G, G, G).give(0, 2)
    assert SOLO.view(play.state, 0)[1].giving == 2  # type: ignore[union-attr]
    assert SOLO.view(play.state, 1)[1].giving is None  # type: ignore[union-attr]


def test_setting_up_checks_what_it_is_given() -> None:
    with pytest.raises(Exception, match="seats"):
        SOLO.setup(Options(), 2, Chance(KEY))


def test_the_items_of_a_stack_are_counted() -> None:
    assert items_of((1, 2_000, 7)) == 2
