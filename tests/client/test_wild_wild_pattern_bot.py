"""Wild Wild Pattern's bots: they see every pattern, take the best, and need as long for it as people do."""

import random
import statistics

import msgspec
import pytest

from robby_bots.interface import BotView
from robby_bots.registry import BOTS
from robby_bots.wild_wild_pattern.finder import SHORTEST, FinderBot, QuickBot, SlowBot, WildRandomBot
from robby_bots.wild_wild_pattern.worth import GAME, plays_of, worth_of_card
from robby_games.wild_wild_pattern import NAME, Click, Cover, Grab, NoPattern, Pattern, Ready, Take
from robby_games.wild_wild_patterns import patterns_on
from tests.rules.wild_wild_pattern_kit import CHALLENGES, WILD, Wild, card, cards, pattern
from tests.sim.wild_games import play

PRESENT = cards(
    "red barrel", "white star", "grey gun", "red star", "white loot", "blue barrel", "grey dynamite", "blue bottle"
)
HANDS = cards("red gun", "yellow wanted", "yellow bottle")


def asked(wild: Wild, seat: int) -> BotView:
    public, own = WILD.view(wild.state, seat)
    return BotView(NAME, seat, public, own, tuple(WILD.legal(wild.state, seat)), public, ())


def choice(wild: Wild, seat: int = 0) -> object:
    return FinderBot().choose(asked(wild, seat), random.Random(1))


def test_there_are_bots_of_three_paces_and_one_at_random() -> None:
    assert BOTS[NAME] == {"greedy": FinderBot, "quick": QuickBot, "slow": SlowBot, "random": WildRandomBot}
    assert all(bot.name == name for name, bot in BOTS[NAME].items())
    assert next(iter(BOTS[NAME])) == "slow", "whoever plays for the first time names none"


def test_whatever_it_shoots_at_and_declares_is_a_new_pattern() -> None:
    figures = play(3, ("greedy", "quick", "slow"), "tests")
    assert figures.verdicts["valid"] > 10
    assert set(figures.verdicts) <= {"valid", "nobody", "duel valid", "duel none", "duel nobody"}


def test_random_bots_play_to_the_end_too() -> None:
    assert sum(play(4, ("random",), "tests").ends.values()) == 1


def test_it_takes_the_pattern_that_wins_the_game() -> None:
    loot = cards("red loot", "yellow loot", "grey loot", "white loot")
    blue = cards("blue gun", "blue star", "blue bottle", "blue barrel")
    wheel = [one for pair in zip(blue, loot, strict=True) for one in pair]
    wheel[1] = card("red gun")
    wild = Wild(3).lay(wheel, cards("red loot", "yellow wanted", "yellow bottle")).look()
    best = plays_of(asked(wild, 0).public, 0, card("red loot"))
    assert best[0].worth == GAME
    assert choice(wild) == Cover(1)
    wild.shoot(0, 1)
    declared = choice(wild)
    wild.declare(Pattern(declared.side, declared.a, declared.b))  # type: ignore[attr-defined]
    assert wild.state.phase == "over"


def test_with_nothing_to_find_it_clicks() -> None:
    rng = random.Random(2)
    for _try in range(2_000):
        *wheel, own = rng.sample(range(40), 9)
        others = [one for one in range(40) if one not in (*wheel, own)]
        wild = Wild(2).lay(wheel, (own, others[0])).look()
        if not plays_of(asked(wild, 0).public, 0, own):
            assert choice(wild) == Click()
            return
    raise AssertionError("there was always a pattern to make")


def test_slowed_it_holds_its_shot_back() -> None:
    wild = Wild(3).lay(PRESENT, HANDS).rig(slowed=(True, False, False)).look()
    assert choice(wild) is None
    wild.expire()
    assert isinstance(choice(wild), Cover)


def test_in_a_duel_it_names_a_pattern_or_says_that_there_is_none() -> None:
    wild = Wild(3).lay(PRESENT, (CHALLENGES[0], *HANDS[:2])).look()
    assert choice(wild, 1) == Grab()
    there = patterns_on(PRESENT)
    wild.grab(1).expire()
    named = choice(wild, 1)
    assert isinstance(named, NoPattern) == (not there)


def test_it_takes_what_is_worth_most_to_it() -> None:
    wild = Wild(3).lay(PRESENT, HANDS).look().shoot(0, 2).declare(pattern("before", "star", "red"))
    held = wild.state.cards
    deck = tuple(one for one in held.deck if one != card("white barrel"))
    held = msgspec.structs.replace(held, deck=deck, won=(cards("white barrel"), (), ()))
    wild.rig(cards=held, targets=(1, 0, 2))
    # A second barrel pays 1 $; of two the blue one is also on the way to what blue cards pay.
    assert choice(wild) == Take(5)
    assert worth_of_card(card("blue barrel"), cards("white barrel"), 1) == 130


@pytest.mark.parametrize("phase", ["ready", "shootout"])
def test_it_takes_a_persons_time(phase: str) -> None:
    wild = Wild(3).lay(PRESENT, HANDS)
    if phase == "shootout":
        wild.look()
    else:
        assert choice(wild) == Ready()
    pace = random.Random(3)
    middles = []
    for bot in (QuickBot(), FinderBot(), SlowBot()):
        pauses = [bot.pause(asked(wild, 0), pace) or 0 for _time in range(200)]
        assert min(pauses) >= (SHORTEST if phase == "shootout" else 0.5)
        middles.append(statistics.median(pauses))
    if phase == "shootout":
        assert middles[0] < middles[1] < middles[2]
