"""Who was first: credit, waiting, draws, the handicap, and what others notice meanwhile."""

from robby_games.wild_wild_pattern import Click, Cover, Covered, Entrant, Grab, Grabbed, Race, YouShot
from robby_protocol.errors import ILLEGAL_ACTION
from robby_rules.interface import Timer
from tests.rules.wild_wild_pattern_kit import CHALLENGES, WILD, Wild, cards

WHEEL = cards(
    "grey barrel", "white star", "grey gun", "red star", "white loot", "blue barrel", "red dynamite", "blue bottle"
)
HANDS = cards("white gun", "red wanted", "yellow bottle", "yellow gun")


def race(seats: int = 3, slowed: int | None = None) -> Wild:
    """A shoot-out that has begun at 0."""
    play = Wild(seats).lay(WHEEL, HANDS[:seats])
    return play.rig(slowed=tuple(seat == slowed for seat in range(seats))).look()


def at(play: Wild, moment: int) -> Wild:
    play.at = moment
    return play


def test_the_least_moment_wins_not_the_first_arrival() -> None:
    play = at(race(), 500).cover(0, 2, credit=5, rival=150)
    assert play.step.only == 0
    assert play.public == ()
    assert play.step.private == ((0, YouShot(2)),)
    at(play, 560).cover(1, 4, credit=120, rival=150)
    assert WILD.deadline(play.state) == 440 + 150 + 1
    play.expire()
    covered = play.one(Covered)
    assert (covered.seat, covered.place) == (1, 4)
    assert covered.race == Race(1, False, (Entrant(1, 560, 120, 440), Entrant(0, 500, 5, 495)))
    assert WILD.view(play.state, None)[0].race == covered.race  # type: ignore[attr-defined]
    # Who was slower keeps the card.
    assert play.state.cards.hands == (HANDS[0], None, HANDS[2])


def test_the_race_waits_no_longer_than_an_equal_moment_could_arrive() -> None:
    play = at(race(), 500).cover(0, 2, credit=100, rival=30)
    assert WILD.deadline(play.state) == 500  # 400 + 30 is long over
    play = at(race(), 500).cover(0, 2, credit=10, rival=150)
    assert WILD.deadline(play.state) == 641


def test_equal_moments_are_drawn() -> None:
    winners = set()
    for seed in range(20):
        play = Wild(3, key=bytes([seed]) * 32).lay(WHEEL, HANDS[:3]).look()
        at(play, 500).cover(0, 2, credit=0, rival=100)
        position = play.chance.position
        at(play, 600).cover(1, 2, credit=100, rival=100).expire()
        covered = play.one(Covered)
        assert covered.race.drawn
        assert play.chance.position > position
        assert {entrant.moment for entrant in covered.race.entrants} == {500}
        winners.add(covered.seat)
    assert winners == {0, 1}


def test_whoever_is_alone_in_the_race_waits_for_nobody() -> None:
    play = at(race(), 700).click(1, 2).cover(0, 2, credit=40, rival=150)
    # All others have clicked, so it was decided within the step, and all are told.
    assert play.step.only is None
    assert play.one(Covered).race == Race(0, False, (Entrant(0, 700, 40, 660),))
    play = at(race(), 700).cover(0, 2, credit=40, rival=150)
    play.click(1)
    assert play.state.phase == "shootout"
    play.click(2)
    assert play.one(Covered).seat == 0


def test_all_in_the_race_is_the_end_of_it() -> None:
    play = at(race(), 500).cover(0, 2, 0, 150).cover(2, 1, 3, 150)
    assert play.step.only == 2
    play.cover(1, 0, 2, 150)
    assert play.one(Covered).seat == 2
    assert [entrant.seat for entrant in play.one(Covered).race.entrants] == [2, 1, 0]


def test_no_moment_lies_before_the_cards_were_shown() -> None:
    play = at(race(2), 60).cover(0, 2, credit=150, rival=150)
    at(play, 100).cover(1, 2, credit=150, rival=150)
    assert play.one(Covered).race.drawn
    assert {entrant.moment for entrant in play.one(Covered).race.entrants} == {0}


def test_a_shot_is_final_and_only_its_owner_sees_it() -> None:
    play = at(race(), 500).cover(0, 2, 0, 150)
    assert play.refused(0, Cover(3)) == ILLEGAL_ACTION
    assert play.refused(0, Click()) == ILLEGAL_ACTION
    assert WILD.view(play.state, 0)[1].shot == 2  # type: ignore[union-attr]
    assert WILD.view(play.state, 1)[1].shot is None  # type: ignore[union-attr]
    assert WILD.legal(play.state, 0) == ()


def test_a_race_at_the_very_end_is_decided_with_the_phase() -> None:
    play = at(race(), 89_990).cover(0, 2, 0, 150)
    assert WILD.deadline(play.state) == 90_000
    play.expire()
    assert play.one(Covered).seat == 0


def test_whoever_was_wrong_in_a_duel_cannot_cover_for_two_seconds() -> None:
    play = race(slowed=1)
    assert WILD.legal(play.state, 1) == (Click(),)
    assert at(play, 1_999).refused(1, Cover(2)) == ILLEGAL_ACTION
    assert WILD.timer(play.state, 1) == Timer(90_000, 90_000, 2_000)
    assert WILD.timer(play.state, 0) == Timer(90_000, 90_000)
    assert WILD.deadline(play.state) == 2_000
    play.expire()
    assert play.public == ()
    assert WILD.timer(play.state, 1) == Timer(90_000, 90_000)
    at(play, 2_010).cover(1, 2, credit=150, rival=150)
    at(play, 2_020).cover(0, 3, credit=21, rival=150).expire()
    # The credit does not reach back before the two seconds were over.
    assert play.one(Covered).race == Race(0, False, (Entrant(0, 2_020, 21, 1_999), Entrant(1, 2_010, 150, 2_000)))
    assert play.state.slowed == (False, False, False)


def test_the_handicap_holds_for_one_shoot_out() -> None:
    play = race(slowed=1).click(0, 1, 2)
    assert play.state.slowed == (False, False, False)
    play = Wild(3).lay(WHEEL, (CHALLENGES[0], *HANDS[:2])).rig(slowed=(True, False, False)).look()
    assert WILD.legal(play.state, 0) == (Grab(),)
    play.expire()
    # A duel does not use it up.
    assert play.state.slowed == (True, False, False)


def test_grabbing_is_a_race_too() -> None:
    play = Wild(3).lay(WHEEL, (CHALLENGES[0], *HANDS[:2])).look()
    at(play, 800).grab(0, credit=10, rival=90)
    assert play.step.only == 0
    assert WILD.view(play.state, 0)[1].grabbed  # type: ignore[union-attr]
    assert not WILD.view(play.state, 1)[1].grabbed  # type: ignore[union-attr]
    at(play, 830).grab(2, credit=90, rival=90).expire()
    assert play.one(Grabbed) == Grabbed(2, Race(2, False, (Entrant(2, 830, 90, 740), Entrant(0, 800, 10, 790))))
    assert play.state.pending == (2,)
