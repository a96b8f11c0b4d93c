"""The games' vocabulary: banks, deck, worth, presets, and the wire types."""

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robby_games import robby_solo as solo
from robby_games.registry import GAMES


def test_seven_banks_each_with_a_name_a_letter_and_a_shape_of_its_own() -> None:
    assert solo.BANKS == ("yellow", "green", "red", "blue", "grey", "purple", "khaki")
    for names in (solo.BANKS, solo.BANK_NAMES, solo.BANK_LETTERS, solo.BANK_SHAPES):
        assert len(names) == len(set(names)) == 7


def test_the_deck_has_sixty_one_cards() -> None:
    deck = solo.loot_deck(solo.Options())
    assert len(deck) == 61
    assert sum(solo.is_item(card) for card in deck) == 7 == len(set(solo.ITEM_NAMES))
    for value in range(1_000, 9_001, 1_000):
        assert deck.count(value) == 6
    assert solo.money_of(deck) == 6 * 45_000
    assert solo.items_of(deck) == 7


def test_another_deck_can_be_given() -> None:
    deck = solo.loot_deck(solo.Options(money_copies=2, items=3))
    assert len(deck) == 21
    assert sorted(card for card in deck if solo.is_item(card)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("items", "worth"),
    [(0, 0), (1, 1_000), (2, 10_000), (3, 20_000), (4, 40_000), (5, 60_000), (6, 80_000), (7, 100_000)],
)
def test_items_count_together(items: int, worth: int) -> None:
    stack = tuple(range(1, items + 1))
    assert solo.worth_of_items(items) == worth
    assert solo.total_of(stack) == worth
    assert solo.total_of((*stack, 9_000, 1_000)) == worth + 10_000


@given(st.lists(st.sampled_from(solo.loot_deck(solo.Options())), max_size=20, unique=True))
def test_the_order_of_a_stack_does_not_change_its_worth(stack: list[int]) -> None:
    assert solo.total_of(stack) == solo.total_of(sorted(stack)) == solo.total_of(stack[::-1])


@pytest.mark.parametrize(
    ("preset", "limits"),
    [
        ("blitz", (5, 15, 15, 3, 12, 8)),
        ("standard", (10, 45, 45, 5, 30, 15)),
        ("relaxed", (30, 150, 150, 10, 90, 45)),
        ("untimed", (None, None, None, 0, 300, None)),
    ],
)
def test_the_presets_are_those_of_the_rules(preset: Any, limits: tuple[int | None, ...]) -> None:
    found = solo.limits_of(solo.Options(time=preset))
    seconds = [None if limit is None else limit / 1_000 for limit in msgspec.structs.astuple(found)]
    assert tuple(seconds) == limits


def test_each_limit_can_be_replaced() -> None:
    options = solo.Options(
        time="untimed",
        supply_ms=1_000,
        play_ms=2_000,
        gentleman_ms=3_000,
        revision_min_ms=4_000,
        revision_max_ms=5_000,
        item_ms=6_000,
    )
    assert msgspec.structs.astuple(solo.limits_of(options)) == (1_000, 2_000, 3_000, 4_000, 5_000, 6_000)
    assert solo.limits_of(solo.Options(revision_min_ms=0)).revision_min == 0
    assert solo.limits_of(solo.Options(revision_max_ms=1_000)).revision_min == 1_000


@pytest.mark.parametrize("name", GAMES)
def test_a_games_actions_and_events_are_told_apart_by_their_tags(name: str) -> None:
    types = GAMES[name]
    assert types.name == name
    for union in (types.action, types.event):
        tags = [kind.__struct_config__.tag for kind in get_args(union)]
        assert len(tags) == len(set(tags)) > 1
        assert all(isinstance(tag, str) for tag in tags)


@pytest.mark.parametrize("name", GAMES)
def test_a_games_default_options_are_valid(name: str) -> None:
    types = GAMES[name]
    assert msgspec.convert({}, types.options, strict=True) == types.options()
    assert types.seats[0] <= types.seats[1]
