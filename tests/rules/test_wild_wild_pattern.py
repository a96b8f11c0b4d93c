"""The rules page's worked cases of Wild Wild Pattern, and the rest of a turn, each under its own name."""

import random

import pytest

from robby_games.wild_wild_pattern import (
    CHALLENGE_CARDS,
    Clicked,
    Cover,
    Dealt,
    Declare,
    Discarded,
    DuelOver,
    Filled,
    GameOver,
    Grab,
    Grabbed,
    Judged,
    Laid,
    Looked,
    NobodyShot,
    NoPattern,
    Options,
    Pattern,
    Payment,
    Ready,
    RoundOver,
    RoundStarted,
    Take,
    Taken,
    YouLook,
    is_challenge,
)
from robby_games.wild_wild_patterns import patterns_on
from robby_protocol.errors import ILLEGAL_ACTION, MALFORMED_ACTION, NO_DECISION, TOO_LATE
from robby_rules.interface import BadOptionsError, IllegalActionError, Stamp
from robby_rules.match import Match
from robby_rules.wild_wild_pattern.house import score
from tests.rules.wild_wild_pattern_kit import CHALLENGES, WILD, Wild, card, cards, pattern

# Red bottle has a coin and yellow star has one; the others here have bullets, but for grey bottle and blue star.
STARS = cards(
    "grey barrel",  # coin
    "white star",
    "grey gun",  # bullets: to be covered
    "red star",
    "white loot",
    "blue barrel",
    "red dynamite",
    "blue bottle",
)
SUIT = pattern("before", "star", "coin")
HANDS = cards("white gun", "red wanted", "yellow bottle")


def two_stars() -> Wild:
    """White gun (coin) over grey gun gives both stars a coin card before them."""
    return Wild(3).lay(STARS, HANDS).look().shoot(0, 2)


def test_a_suit_that_repeats_once_wins_the_covered_card() -> None:
    play = two_stars().declare(SUIT)
    judged = play.one(Judged).judgement
    assert (judged.verdict, judged.count, judged.involved, judged.wild) == ("valid", 2, (0, 1, 2, 3), False)
    assert play.told(Taken) == [Taken(0, 2, card("grey gun"))]
    assert play.state.cards.won == ((card("grey gun"),), (), ())
    assert play.state.cards.wheel[2] == card("white gun")
    assert play.one(Filled).left == cards("red wanted", "yellow bottle")
    assert play.state.phase == "ready"


def test_a_suit_that_repeats_twice_wins_the_covered_card_and_the_one_played() -> None:
    wheel = (*STARS[:4], card("red barrel"), card("grey star"), *STARS[6:])  # red barrel: coin
    play = Wild(3).lay(wheel, HANDS).look().shoot(0, 2).declare(SUIT)
    assert play.one(Judged).judgement.count == 3
    assert play.state.cards.won[0] == cards("white gun", "grey gun")
    # The next seat's card fills the place.
    assert play.one(Filled).laid == (Laid(2, card("red wanted"), 1),)
    assert play.state.cards.wheel[2] == card("red wanted")
    assert play.told(Discarded) == []


COLOURED = cards(
    "red barrel", "white star", "grey gun", "red star", "white loot", "blue barrel", "grey dynamite", "blue bottle"
)
COLOUR = pattern("before", "star", "red")
RED_HANDS = cards("red gun", "yellow wanted", "yellow bottle")


def test_a_colour_that_repeats_once_wins_one_card_of_choice_but_not_the_one_played() -> None:
    play = Wild(3).lay(COLOURED, RED_HANDS).look().shoot(0, 2).declare(COLOUR)
    assert play.state.phase == "take"
    assert WILD.legal(play.state, 0) == tuple(Take(place) for place in (0, 1, 3, 4, 5, 6, 7))
    assert play.refused(0, Take(2)) == ILLEGAL_ACTION
    assert play.refused(1, Take(3)) == ILLEGAL_ACTION
    play.take(4)
    assert play.told(Taken) == [Taken(0, 4, card("white loot"), chosen=True)]
    # The covered card is nobody's: no piles.
    assert play.told(Discarded) == [Discarded(2, card("grey gun"), "covered")]
    assert play.state.cards.discard[0] == card("grey gun")
    assert play.state.cards.won[0] == cards("white loot")


def three_coloured() -> Wild:
    wheel = (*COLOURED[:4], card("red loot"), card("grey star"), *COLOURED[6:])
    return Wild(3).lay(wheel, RED_HANDS).look().shoot(0, 2).declare(COLOUR)


def test_a_colour_that_repeats_twice_wins_two_cards_of_choice() -> None:
    play = three_coloured()
    assert play.one(Judged).judgement.count == 3
    assert len(WILD.legal(play.state, 0)) == 8
    play.take(6)
    assert play.state.phase == "take"
    assert play.refused(0, Take(6)) == ILLEGAL_ACTION  # empty now
    play.take(7)
    assert play.state.cards.won[0] == cards("grey dynamite", "blue bottle")
    assert play.one(Filled).laid == (Laid(6, card("yellow wanted"), 1), Laid(7, card("yellow bottle"), 2))


def test_the_covered_card_can_be_taken_after_the_one_above_it() -> None:
    play = three_coloured().take(2)
    assert play.state.cards.wheel[2] == card("grey gun")
    play.take(2)
    assert play.state.cards.won[0] == cards("red gun", "grey gun")
    assert play.told(Discarded) == []
    # Only the played card: the covered one stays open.
    play = three_coloured().take(2).take(0)
    assert play.state.cards.wheel[2] == card("grey gun")
    assert play.told(Discarded) == []


def test_a_pattern_that_was_present_before_is_invalid() -> None:
    wheel = cards(
        "red barrel", "white star", "grey gun", "blue star", "red loot", "grey star", "grey dynamite", "blue bottle"
    )
    # Two of three stars after a red card once the third is covered; then a third comes back: growing is not new.
    both = (*wheel[:3], card("white bottle"), *wheel[4:])
    play = Wild(3).lay(both, cards("white horseshoe", "red wanted", "yellow bottle")).look().shoot(0, 7)
    play.declare(COLOUR)
    assert play.one(Judged).judgement.verdict == "not_new"
    grown = (*both[:2], card("red gun"), *both[3:])
    play = Wild(3).lay(grown, cards("blue star", "red wanted", "yellow bottle")).look().shoot(0, 3)
    play.declare(COLOUR)
    judged = play.one(Judged).judgement
    assert (judged.verdict, judged.count) == ("not_new", 3)


def test_a_pattern_with_only_one_card_is_invalid() -> None:
    wheel = (*COLOURED[:3], card("white bottle"), *COLOURED[4:])
    play = Wild(3).lay(wheel, RED_HANDS).look().shoot(0, 2).declare(COLOUR)
    judged = play.one(Judged).judgement
    assert (judged.verdict, judged.count, judged.lacking) == ("too_few", 1, ())


def test_a_card_without_such_a_neighbour_makes_it_invalid() -> None:
    play = Wild(3).lay(COLOURED, RED_HANDS).look().shoot(0, 6).declare(COLOUR)
    judged = play.one(Judged).judgement
    assert (judged.verdict, judged.count, judged.involved, judged.lacking) == ("not_always", 2, (0, 1), (3,))


@pytest.mark.parametrize(("a", "b"), [(0, 1), (3, 3), (8, 9), (13, 8), (0, 15), (-1, 8)])
def test_a_malformed_declaration_is_refused_and_nothing_is_lost(a: int, b: int) -> None:
    play = two_stars()
    assert play.refused(0, Declare("after", a, b)) == MALFORMED_ACTION
    assert play.refused(0, Declare("beside", 0, 8)) == MALFORMED_ACTION  # type: ignore[arg-type]
    play.declare(SUIT)
    assert play.one(Judged).judgement.verdict == "valid"


def test_after_an_invalid_pattern_every_opponent_takes_a_card_counter_clockwise() -> None:
    hands = (*RED_HANDS, card("yellow dynamite"))
    play = Wild(4).lay(COLOURED, hands).look().shoot(1, 2).declare(COLOUR)
    assert play.told(Discarded) == [Discarded(2, card("yellow wanted"), "invalid")]
    assert play.state.cards.wheel == COLOURED
    taken = []
    while play.state.phase == "take":
        (seat,) = play.state.pending
        taken.append(seat)
        play.take({0: 2, 3: 3, 2: 5}[seat])
    assert taken == [0, 3, 2]
    assert [len(won) for won in play.state.cards.won] == [1, 0, 1, 1]
    # Clockwise from the shooter: 2, 3, 0; the first empty place clockwise from the top first.
    assert [one.seat for one in play.one(Filled).laid] == [2, 3, 0]
    assert [one.place for one in play.one(Filled).laid] == [2, 3, 5]


def test_no_declaration_in_time_is_as_bad_as_an_invalid_one() -> None:
    play = two_stars()
    began = play.state.began
    play.expire()
    assert play.at == began + 8_000
    assert play.one(Judged).judgement.verdict == "silent"
    assert play.state.phase == "take"
    assert play.state.pending == (2,)


def test_four_blue_and_four_loot_in_turn_win_the_game() -> None:
    loot = cards("red loot", "yellow loot", "grey loot", "white loot")
    blue = cards("blue gun", "blue star", "blue bottle", "blue barrel")
    wheel = [one for pair in zip(blue, loot, strict=True) for one in pair]
    wheel[1] = card("red gun")
    play = Wild(3).lay(wheel, cards("red star", "red loot", "yellow wanted")).look()
    play.rig(coins=(30, 0, 0), bank=5).shoot(1, 1).declare(pattern("after", "blue", "loot"))
    judged = play.one(Judged).judgement
    assert (judged.verdict, judged.wild, judged.involved) == ("valid", True, tuple(range(8)))
    over = play.one(GameOver)
    assert over.reason == "wild"
    assert [(line.seat, line.place, line.winner) for line in over.scores] == [
        (1, 1, True),
        (0, 2, False),
        (2, 3, False),
    ]
    assert play.told(RoundOver) == []
    outcome = WILD.outcome(play.state)
    assert outcome is not None
    assert [result.winner for result in outcome] == [False, True, False]


def test_the_eight_places_are_a_circle() -> None:
    wheel = (card("red star"), *COLOURED[1:3], card("blue horseshoe"), *COLOURED[4:7], card("white bottle"))
    play = Wild(3).lay(wheel, RED_HANDS).look().shoot(0, 7)
    # Place 8's *after* is place 1: one gun lies before the star at the top, the other before the horseshoe.
    judged = play.declare(pattern("after", "gun", "bullets")).one(Judged).judgement
    assert (judged.verdict, judged.involved) == ("valid", (0, 2, 3, 7))


# Looking, clicking, the end of a turn.


def test_all_look_at_the_same_moment() -> None:
    play = Wild(3).lay(STARS, HANDS)
    for seat in (2, 0):
        play.act(seat, Ready())
        assert play.step.private == ()
        assert [WILD.view(play.state, own)[1].card for own in range(3)] == [None] * 3  # type: ignore[union-attr]
    play.act(1, Ready())
    assert play.step.private == tuple((seat, YouLook(own)) for seat, own in enumerate(HANDS))
    assert play.told(Looked) == [Looked()]
    assert [WILD.view(play.state, own)[1].card for own in range(3)] == list(HANDS)  # type: ignore[union-attr]


def test_after_ten_seconds_all_look() -> None:
    play = Wild(3).lay(STARS, HANDS).act(1, Ready()).expire()
    assert play.at == 10_000
    assert play.told(Looked) == [Looked(auto=True)]


def test_a_claim_before_the_cards_are_shown_is_refused() -> None:
    match = Match.start("m", "wild-wild-pattern", {}, 2, bytes(32))
    shot = {"type": "cover", "place": 0}
    with pytest.raises(IllegalActionError) as refused:
        match.submit(0, 1, shot, Stamp(1))
    assert refused.value.code == ILLEGAL_ACTION
    change = match.submit(0, 1, {"type": "ready"}, Stamp(1))
    assert change is not None
    match.adopt(change)
    with pytest.raises(IllegalActionError) as refused:
        match.submit(0, 2, shot, Stamp(2))
    assert refused.value.code == NO_DECISION


def test_a_declaration_after_time_is_too_late() -> None:
    match = shooting_match()
    decision = match.decision(0)
    assert decision is not None
    due = match.deadline()
    assert due is not None
    for late in (due, due + 5):
        with pytest.raises(IllegalActionError) as refused:
            match.submit(0, decision.id, decision.legal[0], Stamp(late))
        assert refused.value.code == TOO_LATE
    match.adopt(match.expire(Stamp(due)))
    with pytest.raises(IllegalActionError) as refused:
        match.submit(0, decision.id, decision.legal[0], Stamp(due))
    assert refused.value.code == TOO_LATE


def shooting_match() -> Match:
    """A match in which seat 0 has just covered a card."""
    for seed in range(50):
        match = Match.start("m", "wild-wild-pattern", {}, 2, bytes([seed]) * 32)
        for seat in range(2):
            answer(match, seat, {"type": "ready"})
        if match.state.phase == "shootout":
            answer(match, 0, {"type": "cover", "place": 3})
            match.adopt(match.expire(Stamp(match.deadline() or 0)))
            return match
    raise AssertionError("every first turn was a duel")


def answer(match: Match, seat: int, action: dict[str, object]) -> None:
    decision = match.decision(seat)
    assert decision is not None
    change = match.submit(seat, decision.id, action, Stamp(match.now))
    assert change is not None
    match.adopt(change)


def test_when_all_have_clicked_nobody_wins() -> None:
    play = Wild(3).lay(STARS, HANDS).look().click(1)
    assert play.told(Clicked) == [Clicked(1)]
    assert play.state.pending == (0, 2)
    assert play.refused(1, Cover(0)) == ILLEGAL_ACTION
    play.click(0, 2)
    assert play.told(NobodyShot) == [NobodyShot()]
    filled = play.one(Filled)
    # The Wheel was full: all cards are left over, from the first seat in the first turn.
    assert (filled.laid, filled.left) == ((), HANDS)
    assert play.told(Dealt) == [Dealt(2, len(play.state.cards.deck))]
    play.rig(cards=play.state.cards).look()
    if play.state.phase == "shootout":
        hands = play.state.cards.hands
        play.click(0, 1, 2)
        # In the second turn from the second seat.
        assert play.one(Filled).left == (hands[1], hands[2], hands[0])


def test_after_ninety_seconds_nobody_wins() -> None:
    play = Wild(3).lay(STARS, HANDS).look().expire()
    assert play.at == 90_000
    assert play.told(NobodyShot) == [NobodyShot(auto=True)]


def test_a_choice_not_made_in_time_is_the_first_permitted_place_clockwise_from_the_played_one() -> None:
    play = Wild(3).lay(COLOURED, RED_HANDS).look().shoot(0, 7).expire()
    assert play.state.phase == "take"
    began = play.state.began
    play.expire()
    assert play.at == began + 15_000
    assert play.told(Taken) == [Taken(2, 0, card("red barrel"), chosen=True, auto=True)]
    play.expire()
    # The place taken from is empty, so it is passed over.
    assert play.told(Taken) == [Taken(1, 1, card("white star"), chosen=True, auto=True)]
    play = three_coloured().expire().expire()
    assert play.state.cards.won[0] == (COLOURED[3], card("red loot"))


def test_a_deck_too_short_in_mid_refill_ends_the_round() -> None:
    play = three_coloured()
    played = play.state
    deck = (CHALLENGES[0], card("grey horseshoe"))
    aside = tuple(one for one in (*played.cards.deck, *played.cards.hands) if one is not None and one not in deck)
    play.rig(
        cards=type(played.cards)(
            deck=deck,
            wheel=played.cards.wheel,
            hands=(None, None, None),
            won=played.cards.won,
            challenges=played.cards.challenges,
            discard=tuple(one for one in aside if not is_challenge(one)),
            removed=tuple(one for one in aside if is_challenge(one)),
            covered=played.cards.covered,
        )
    )
    play.take(0).take(1)
    filled = play.one(Filled)
    assert (filled.laid, filled.removed, filled.deck) == ((Laid(0, card("grey horseshoe")),), 1, 0)
    assert play.one(RoundOver).reason == "wheel"
    assert play.one(RoundStarted).round == 2
    assert play.state.phase == "ready"


def test_the_round_ends_when_the_deck_cannot_deal_to_all() -> None:
    play = Wild(3).lay(STARS, HANDS, deck=cards("blue gun", "blue star")).look().click(0, 1, 2)
    assert play.one(RoundOver).reason == "deck"


@pytest.mark.parametrize(("seats", "most"), [(2, 23), (3, 17), (4, 15)])
def test_a_round_has_at_most_so_many_turns(seats: int, most: int) -> None:
    turns = []
    for seed in range(40):
        play = Wild(seats, key=bytes([seed]) * 32, rounds=1)
        while play.state.phase != "over":
            turns.append(play.state.turn)
            play.look().expire()
    assert max(turns) <= most
    assert max(turns) > most - 5


# Duels.


def duel(seats: int = 3, *, wheel: tuple[int, ...] = STARS, count: int = 1) -> Wild:
    hands = (*CHALLENGES[:count], *HANDS)[:seats]
    return Wild(seats).lay(wheel, hands).look()


PRESENT = cards(
    "red barrel", "white star", "red gun", "red star", "white loot", "blue barrel", "grey dynamite", "blue bottle"
)


def no_pattern_wheel() -> tuple[int, ...]:
    rng = random.Random(1)
    others = [one for one in range(40) if one not in HANDS]
    while True:
        wheel = tuple(rng.sample(others, 8))
        if not patterns_on(wheel):
            return wheel


def test_two_challenge_cards_are_one_duel_and_one_removed() -> None:
    play = duel(count=2)
    assert play.told(Looked) == [Looked((0, 1))]
    assert play.step.private == ((0, YouLook(None)), (1, YouLook(None)), (2, YouLook(HANDS[0])))
    assert play.state.phase == "grab"
    assert play.state.cards.prize == CHALLENGES[0]
    assert play.state.cards.removed == (CHALLENGES[1],)
    assert play.state.cards.deck[-1] == HANDS[0]
    view = WILD.view(play.state, 2)
    assert view[0].duel  # type: ignore[attr-defined]
    assert view[1].card is None  # type: ignore[union-attr]


def test_a_pattern_rightly_named_wins_the_challenge_card() -> None:
    play = duel(wheel=PRESENT).grab(1).expire()
    assert play.one(Grabbed).seat == 1
    assert play.state.pending == (1,)
    assert play.refused(1, Grab()) == ILLEGAL_ACTION
    play.declare(COLOUR)
    over = play.one(DuelOver)
    assert (over.judgement.verdict, over.winner, over.slowed) == ("valid", 1, None)
    assert play.state.cards.challenges == ((), (CHALLENGES[0],), ())
    assert play.told(Dealt)


def test_a_pattern_wrongly_named_loses_it_and_slows_the_next_shot() -> None:
    play = duel(wheel=PRESENT).grab(1).expire().declare(pattern("before", "star", "blue"))
    over = play.one(DuelOver)
    assert (over.judgement.verdict, over.winner, over.slowed, over.removed) == ("not_always", None, 1, 1)
    assert play.state.slowed == (False, True, False)


def test_saying_rightly_that_there_is_none() -> None:
    play = duel(wheel=no_pattern_wheel()).grab(2).expire().say_none()
    assert play.one(DuelOver).judgement.verdict == "none"
    assert play.one(DuelOver).winner == 2


def test_saying_wrongly_that_there_is_none_shows_one() -> None:
    play = duel(wheel=PRESENT).grab(2).expire().say_none()
    over = play.one(DuelOver)
    assert (over.judgement.verdict, over.winner, over.slowed) == ("some", None, 2)
    assert over.judgement.pattern in patterns_on(PRESENT)


def test_grabbing_and_saying_nothing_is_wrong() -> None:
    play = duel(wheel=PRESENT).grab(0).expire()
    began = play.state.began
    play.expire()
    assert play.at == began + 8_000
    over = play.one(DuelOver)
    assert (over.judgement.verdict, over.winner, over.slowed) == ("silent", None, 0)


def test_nobody_grabbing_removes_the_challenge_card() -> None:
    play = duel().expire()
    assert play.at == 30_000
    over = play.one(DuelOver)
    assert (over.judgement, over.winner, over.slowed) == (None, None, None)
    assert play.state.cards.removed == (CHALLENGES[0],)
    assert play.state.phase == "ready"


def test_there_is_none_can_only_be_said_in_a_duel() -> None:
    assert two_stars().refused(0, NoPattern()) == ILLEGAL_ACTION


# Rounds, and the end.


def test_a_round_is_paid_from_the_seat_after_the_last_shooter_until_the_bank_is_empty() -> None:
    play = Wild(3).lay(STARS, HANDS, deck=()).look()
    guns = cards("red gun", "blue gun", "yellow gun", "white horseshoe")
    held = play.state.cards
    discard = tuple(one for one in held.discard if one not in (*guns, *cards("red loot", "blue loot")))
    play.rig(
        cards=type(held)(
            deck=(),
            wheel=held.wheel,
            hands=held.hands,
            won=(guns, cards("red loot", "blue loot"), ()),
            challenges=((), (), CHALLENGES[:2]),
            discard=discard,
            removed=CHALLENGES[2:],
        ),
        targets=(0, 1, 5),
        coins=(10, 10, 12),
        bank=3,
        last_shooter=0,
    )
    play.click(0, 1, 2)
    paid = play.one(RoundOver)
    assert paid.payments == (
        Payment(1, 1, 0, 0, 1, 1, 11),
        Payment(2, 0, 0, 2, 2, 2, 14),
        Payment(0, 2, 0, 0, 2, 0, 10),
    )
    assert paid.bank == 0
    over = play.one(GameOver)
    assert over.reason == "bank"
    assert [(line.seat, line.place) for line in over.scores] == [(2, 1), (1, 2), (0, 3)]


@pytest.mark.parametrize(("seats", "rounds", "expected"), [(2, None, 2), (3, None, 3), (4, None, 3), (4, 5, 5)])
def test_so_many_rounds_are_played(seats: int, rounds: int | None, expected: int) -> None:
    play = Wild(seats, rounds=rounds)
    begun = 1
    while play.state.phase != "over":
        play.look().expire()
        begun += len(play.told(RoundStarted))
    assert begun == expected
    assert play.one(GameOver).reason == "rounds"


def test_every_round_is_set_up_anew_with_no_challenge_card_on_the_wheel() -> None:
    removed = 0
    for seed in range(60):
        play = Wild(4, key=bytes([seed]) * 32)
        held = play.state.cards
        assert not any(one is None or is_challenge(one) for one in held.wheel)
        assert len(set(play.state.targets)) == 4
        removed += len(held.removed)
        assert len(held.removed) <= CHALLENGE_CARDS
    assert removed


def test_equal_money_shares_the_place() -> None:
    lines = score((5, 7, 7, 0), None)
    assert [(line.seat, line.place, line.winner) for line in lines] == [
        (1, 1, True),
        (2, 1, True),
        (0, 3, False),
        (3, 4, False),
    ]


def test_two_to_four_can_play() -> None:
    for seats in (2, 3, 4):
        WILD.check(Options(), seats)
    for seats in (1, 5):
        with pytest.raises(BadOptionsError) as refused:
            WILD.check(Options(), seats)
        assert refused.value.field == "seats"


def test_a_declaration_is_asked_for_in_all_224_ways() -> None:
    play = two_stars()
    legal = WILD.legal(play.state, 0)
    assert len(legal) == 224
    assert Declare("before", SUIT.a, SUIT.b) in legal
    assert Pattern("before", SUIT.a, SUIT.b) == SUIT
