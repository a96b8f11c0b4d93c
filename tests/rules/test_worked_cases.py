"""The rules page's worked cases, each under its own name."""

import random

import pytest

from robby_games.robby_solo import (
    Chose,
    Clashed,
    Confirm,
    Declare,
    GameOver,
    Given,
    Options,
    Police,
    Returned,
    Revealed,
    Robbed,
    RoundStarted,
    Supplied,
    loot_deck,
)
from robby_protocol.errors import CARD_IN_HAND, FALSE_DECLARATION, ILLEGAL_ACTION
from robby_rules.chance import Chance
from robby_rules.interface import BadOptionsError, Stamp
from tests.rules.kit import SOLO, B, G, K, P, Play, R, X, Y, all_loot


def test_four_players_with_junior_have_six_banks() -> None:
    play = Play(4, junior=True)
    assert play.state.setting.banks == 6
    public, _own = SOLO.view(play.state, None)
    assert len(public.banks) == 6  # type: ignore[attr-defined]


def test_junior_is_refused_with_six_players() -> None:
    SOLO.check(Options(junior=True), 5)
    SOLO.check(Options(), 6)
    with pytest.raises(BadOptionsError) as refused:
        SOLO.check(Options(junior=True), 6)
    assert refused.value.field == "junior"


def test_a_deck_of_as_many_cards_as_banks_gives_one_more_round() -> None:
    play = Play(3)
    play.rig(deck=[*range(1_000, 8_001, 1_000)])
    play.round(Y, Y, Y)
    # Eight cards, four banks: the first round leaves four, which are dealt once more.
    assert play.told(RoundStarted) == [RoundStarted(2, 1, 4)]
    play.round(G, G, G)
    (over,) = play.told(GameOver)
    assert over.reason == "deck"


def test_a_deck_of_fewer_cards_than_banks_ends_the_game_with_nothing_dealt() -> None:
    play = Play(3)
    play.rig(deck=[*range(1_000, 7_001, 1_000)])
    play.round(Y, Y, Y)
    (over,) = play.told(GameOver)
    assert over.reason == "deck"
    assert play.state.loot.deck == (5_000, 6_000, 7_000)
    assert play.told(Supplied) == []
    assert play.told(RoundStarted) == []
    assert SOLO.pending(play.state) == ()
    assert SOLO.outcome(play.state) is not None


def test_three_rob_red_and_one_robs_blue() -> None:
    play = Play(4)
    play.rig(deck=[1_000, 2_000, 9_000, 4_000, 5_000] + [1_000] * 10, banks=[(), (), (), (3_000, 7), ()])
    play.round(R, R, R, B)
    assert play.told(Revealed) == [Revealed((R, R, R, B))]
    assert play.told(Clashed) == [Clashed(R, (0, 1, 2), (9_000,))]
    assert play.told(Robbed) == [Robbed(3, B, (3_000, 7, 4_000))]
    assert play.state.loot.banks == ((1_000,), (2_000,), (9_000,), (), (5_000,))
    # The newest card ends on top of the stack.
    assert play.state.loot.stacks == ((), (), (), (3_000, 7, 4_000))


def test_two_banks_with_four_cards_are_two_visits_the_second_counting_after_the_first_was_paid() -> None:
    play = Play(3)
    play.rig(
        deck=[1_000] * 4 + [8_000] * 20,
        banks=[(2_000,) * 3, (3_000,) * 3, (), ()],
        stacks=[(5_000, 6_000, 7_000), (4_000, 9_000), ()],
    )
    play.round(R, R, B)
    # Ben robs nothing and has two, Ana clashes and keeps three, Cleo takes one: the first visit is Ana's alone.
    first, second = play.told(Police)
    assert first == Police(Y, (2_000, 2_000, 2_000, 1_000), 3, (0,), ())
    # Now Ana has two like Ben.
    assert second == Police(G, (3_000, 3_000, 3_000, 1_000), 2, (0, 1), ())
    assert play.told(Given) == [Given(0, 7_000), Given(0, 6_000), Given(1, 9_000)]
    assert play.state.loot.stacks == ((5_000,), (4_000,), (1_000,))
    under = (2_000, 2_000, 2_000, 1_000, 7_000, 3_000, 3_000, 3_000, 1_000, 6_000, 9_000)
    assert play.state.loot.deck == (*(8_000,) * 20, *under)
    order = [type(event) for event in play.public if isinstance(event, Police | Given)]
    assert order == [Police, Given, Police, Given, Given]


def test_three_tied_at_five_cards_all_return_one() -> None:
    play = Play(4, gentleman=2)
    five = (1_000, 9_000, 2_000, 3_000, 4_000)
    play.rig(deck=[1_000] * 20, banks=[(1_000,) * 3, (), (), (), ()], stacks=[five, five, (1_000,), five])
    play.round(G, G, G, G)
    assert play.told(Police) == [Police(Y, (1_000,) * 4, 5, (3, 0, 1), ())]
    # Clockwise from the Gentleman.
    assert play.told(Given) == [Given(3, 9_000), Given(0, 9_000), Given(1, 9_000)]
    left = (1_000, 2_000, 3_000, 4_000)
    assert play.state.loot.stacks == (left, left, (1_000,), left)


def test_nobody_holds_a_card_and_nobody_pays() -> None:
    play = Play(3)
    play.rig(deck=[1_000] * 20, banks=[(1_000,) * 3, (), (), ()])
    play.round(G, G, G)
    assert play.told(Police) == [Police(Y, (1_000,) * 4, 0, (), ())]
    assert play.told(Given) == []
    assert play.state.phase == "supply"


def test_six_items_and_one_thousand_return_the_thousand() -> None:
    play = Play(3)
    play.rig(deck=[2_000] * 20, banks=[(2_000,) * 3, (), (), ()], stacks=[(1, 2, 3, 1_000, 4, 5, 6), (9_000,), ()])
    play.round(G, G, G)
    assert play.told(Given) == [Given(0, 1_000)]
    assert play.state.loot.stacks[0] == (1, 2, 3, 4, 5, 6)


def test_items_alone_ask_for_a_choice() -> None:
    play = Play(3)
    play.rig(deck=[2_000] * 20, banks=[(2_000,) * 3, (), (), ()], stacks=[(1, 2, 3), (9_000,), ()])
    play.round(G, G, G)
    assert play.told(Police) == [Police(Y, (2_000,) * 4, 3, (0,), (0,))]
    assert play.state.phase == "police"
    assert SOLO.pending(play.state) == (0,)
    play.give(0, 2)
    assert play.public[:2] == (Chose(0), Given(0, 2))
    assert play.state.loot.stacks[0] == (1, 3)
    assert play.state.loot.deck[-1] == 2


def test_two_with_items_alone_are_asked_at_the_same_time() -> None:
    play = Play(4, gentleman=1)
    play.rig(
        deck=[2_000] * 20,
        banks=[(2_000,) * 3, (), (), (), ()],
        stacks=[(1, 2), (3_000, 7_000), (), (3, 4)],
    )
    play.round(G, G, G, G)
    assert play.told(Police) == [Police(Y, (2_000,) * 4, 2, (1, 3, 0), (3, 0))]
    assert SOLO.pending(play.state) == (0, 3)
    play.give(0, 2)
    # Nothing moves and nothing is shown before the last has chosen, the money card included.
    assert list(play.public) == [Chose(0)]
    assert play.state.loot.stacks == ((1, 2), (3_000, 7_000), (), (3, 4))
    play.give(3, 3)
    assert play.public[:4] == (Chose(3), Given(1, 7_000), Given(3, 3), Given(0, 2))
    assert play.state.loot.deck[-3:] == (7_000, 3, 2)


def test_a_declaration_to_rob_with_another_card_laid_is_refused() -> None:
    play = Play(4).supply().lay(1, Y).lay(2, Y).lay(3, Y).lay(0, B)
    assert play.refused(0, Declare(True, R)) == FALSE_DECLARATION


def test_a_declaration_not_to_rob_the_bank_on_the_card_is_refused() -> None:
    play = Play(4).supply().lay(1, Y).lay(2, Y).lay(3, Y).lay(0, B)
    assert play.refused(0, Declare(False, B)) == FALSE_DECLARATION


@pytest.mark.parametrize("bank", [P, K])
@pytest.mark.parametrize("robs", [True, False])
def test_a_declaration_about_a_bank_that_is_not_in_the_row_is_refused(robs: bool, bank: int) -> None:
    play = Play(4).supply().lay(1, Y).lay(2, Y).lay(3, Y).lay(0, X)
    assert play.state.setting.banks == 5
    assert play.refused(0, Declare(robs, bank)) == ILLEGAL_ACTION


def test_a_card_taken_back_and_not_laid_again_at_the_deadline_counts_as_it_was() -> None:
    play = Play(3).revision(Y, G, R).take_back(1)
    play.expire().expire()
    assert play.told(Returned) == [Returned(1)]
    assert play.told(Revealed) == [Revealed((Y, G, R))]


def test_confirming_with_the_card_in_the_hand_is_refused() -> None:
    play = Play(3).revision(Y, G, R).take_back(1)
    assert play.refused(1, Confirm()) == CARD_IN_HAND


def test_cards_of_an_emptied_bank_and_of_the_police_are_dealt_again() -> None:
    play = Play(3)
    play.rig(deck=[1_000] * 4, banks=[(5_000, 6_000, 7), (), (), ()], stacks=[(9_000, 2), (), ()])
    play.round(G, G, G)
    assert play.state.loot.deck == (5_000, 6_000, 7, 1_000, 9_000)
    play.supply("right")
    assert play.told(Supplied) == [Supplied("right", (1_000, 7, 6_000, 5_000), 1)]
    assert play.state.loot.banks == ((1_000,), (1_000, 7), (1_000, 6_000), (1_000, 5_000))


def test_sixty_one_loot_cards_exist_at_every_moment() -> None:
    rng = random.Random(61)
    chance = Chance(rng.randbytes(32))
    state = SOLO.setup(Options(), 4, chance).state
    all_cards = sorted(loot_deck(Options()))
    assert len(all_cards) == 61
    police = 0
    while SOLO.pending(state):
        assert all_loot(state) == all_cards
        seat = rng.choice(SOLO.pending(state))
        step = SOLO.apply(state, seat, rng.choice(SOLO.legal(state, seat)), Stamp(0), chance)
        police += any(isinstance(event, Police) for event in step.public)
        state = step.state
    assert all_loot(state) == all_cards
    assert police, "a game without the police would show too little"
