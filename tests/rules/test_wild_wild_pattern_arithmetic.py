"""Patterns on a Wheel: the fast arithmetic against the plain definition, and the cards themselves."""

import random

from robby_games.wild_wild_pattern import (
    ATTRIBUTE_LETTERS,
    ATTRIBUTE_NAMES,
    ATTRIBUTES,
    PATTERN_CARDS,
    Pattern,
    attributes_of,
    worth_of_objects,
    worth_of_target,
)
from robby_games.wild_wild_patterns import (
    ALL,
    all_plays,
    covering,
    listed,
    look_for,
    new_patterns,
    number_of,
    pattern_of,
    patterns_on,
    well_formed,
)
from tests.rules import plain_patterns
from tests.rules.wild_wild_pattern_kit import card, cards, pattern

WHEELS = 20_000


def test_the_checker_agrees_with_the_plain_definition_about_every_declaration() -> None:
    rng = random.Random("wheels")
    there = 0
    for _wheel in range(WHEELS):
        wheel = plain_patterns.random_wheel(rng)
        assert plain_patterns.disagreements(wheel) == []
        there += len(patterns_on(wheel)) > 0
    assert WHEELS * 0.5 < there < WHEELS, "patterns must be there now and then, and now and then not"


def test_looking_for_one_pattern_finds_it_where_it_is() -> None:
    rng = random.Random("one")
    for _wheel in range(500):
        wheel = plain_patterns.random_wheel(rng)
        found = [one for one in ALL if look_for(wheel, one).present]
        assert sorted(map(number_of, found)) == sorted(map(number_of, patterns_on(wheel)))


def test_a_wrong_neighbour_is_noticed_by_the_plain_definition() -> None:
    wheel = cards(
        "red gun", "red star", "blue gun", "red loot", "grey barrel", "white wanted", "yellow bottle", "blue horseshoe"
    )
    there = {f"{one.side} {ATTRIBUTE_NAMES[one.a]} {ATTRIBUTE_NAMES[one.b]}" for one in patterns_on(wheel)}
    assert "after gun red" in there
    assert "before gun red" not in there
    assert plain_patterns.holds(wheel, "after", "gun", "red")
    assert not plain_patterns.holds(wheel, "before", "gun", "red")


def test_every_card_has_the_attributes_of_the_rules() -> None:
    for number in range(PATTERN_CARDS):
        assert [ATTRIBUTE_NAMES[one] for one in attributes_of(number)] == plain_patterns.words_on(number)
    known = {"yellow star": "coin", "white star": "bullets", "blue gun": "bullets", "yellow loot": "bullets"}
    assert {name: ATTRIBUTE_NAMES[attributes_of(card(name))[2]] for name in known} == known
    assert len(set(ATTRIBUTE_LETTERS)) == len(ATTRIBUTE_NAMES) == ATTRIBUTES


def test_there_are_224_declarations_and_each_has_a_number() -> None:
    assert len(ALL) == len({number_of(one) for one in ALL}) == 224
    assert all(well_formed(one) and pattern_of(number_of(one)) == one for one in ALL)
    assert not well_formed(Pattern("after", 0, 1))
    assert not well_formed(Pattern("after", 9, 13))
    assert not well_formed(Pattern("after", 15, 1))


def test_new_patterns_are_those_that_were_not_there() -> None:
    rng = random.Random("plays")
    for _wheel in range(40):
        *wheel, played = rng.sample(range(PATTERN_CARDS), 9)
        for place, made in enumerate(all_plays(wheel, played)):
            assert made == new_patterns(wheel, place, played)
            after = covering(wheel, place, played)
            expected = [one for one in ALL if look_for(after, one).present and not look_for(wheel, one).present]
            assert sorted(listed(made), key=number_of) == sorted(expected, key=number_of)


def test_an_empty_place_is_nobodys_neighbour() -> None:
    wheel = [*cards("red gun", "red star", "blue gun"), None, *cards("grey barrel", "white wanted"), None, None]
    found = look_for(wheel, pattern("after", "gun", "red"))
    assert (found.count, found.involved, found.lacking, found.present) == (2, (0, 1), (2,), False)
    assert pattern("after", "gun", "red") not in patterns_on(wheel)


def test_the_involved_cards_are_those_with_a_and_their_neighbours() -> None:
    wheel = cards(
        "red gun", "red star", "blue gun", "red loot", "grey barrel", "white wanted", "yellow bottle", "blue horseshoe"
    )
    found = look_for(wheel, pattern("before", "red", "gun"))
    # Red gun lies first, with blue horseshoe before it; red star and red loot have a gun before them.
    assert (found.count, found.involved, found.lacking) == (3, (0, 1, 2, 3), (0,))
    assert look_for(wheel, pattern("after", "gun", "red")).involved == (0, 1, 2, 3)


def test_what_cards_are_worth() -> None:
    guns = cards("red gun", "blue gun", "yellow gun", "grey gun", "white gun")
    assert [worth_of_objects(guns[:count]) for count in range(6)] == [0, 0, 1, 2, 3, 5]
    assert worth_of_objects((*guns[:2], *cards("red star", "blue star", "grey loot"))) == 2
    reds = cards("red gun", "red loot", "red star", "red bottle", "red barrel")
    assert [worth_of_target(0, reds[:count]) for count in range(6)] == [0, 0, 1, 1, 2, 2]
    assert worth_of_target(1, reds) == 0
    coins = cards("red gun", "red bottle", "blue loot", "blue star", "grey loot", "grey bottle", "white gun")
    assert [worth_of_target(5, coins[:count]) for count in range(8)] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert worth_of_target(6, coins) == 0
