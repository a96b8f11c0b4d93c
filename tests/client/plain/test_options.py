"""A table's options as they are typed."""

import pytest
from msgspec import structs

from robby_client.options import fields_of
from robby_client.stories.registry import STORIES, UnknownGameError, game_named
from robby_client.stories.robby_solo import RobbySoloStory
from robby_games.robby_solo import Options
from robby_plain.options import OptionError, read_plan, read_value

STORY = RobbySoloStory()


@pytest.mark.parametrize("game", STORIES)
def test_every_option_of_a_game_can_be_asked_for_and_has_a_text(game: str) -> None:
    options = STORIES[game].types.options
    fields = fields_of(options)
    assert [field.name for field in fields] == [field.name for field in structs.fields(options)]
    assert {field.name for field in fields} == set(STORIES[game].labels)


def test_bounds_are_read_from_the_type() -> None:
    fields = {field.name: field for field in fields_of(Options)}
    assert (fields["max_rounds"].low, fields["max_rounds"].high, fields["max_rounds"].optional) == (1, 1_000, False)
    assert (fields["play_ms"].low, fields["play_ms"].optional, fields["play_ms"].is_limit) == (1_000, True, True)


def test_a_plan_from_words() -> None:
    plan = read_plan(
        STORY, ["title=Friday night", "seats=5", "bots=greedy, random", "time=Blitz", "junior=yes", "max_rounds=7"]
    )
    assert plan.title == "Friday night"
    assert plan.capacity == 5
    assert plan.bots == ["greedy", "random"]
    assert plan.options == {"time": "blitz", "junior": True, "max_rounds": 7}


@pytest.mark.parametrize(
    "word", ["speed=high", "blitz", "time=slow", "junior=perhaps", "max_rounds=many", "max_rounds=0", "seats=x", "=5"]
)
def test_a_word_that_does_not_fit_is_refused_with_a_sentence(word: str) -> None:
    with pytest.raises(OptionError) as refused:
        read_plan(STORY, [word])
    assert str(refused.value)


@pytest.mark.parametrize(("typed", "meant"), [("yes", True), ("Y", True), ("no", False), ("off", False), ("1", True)])
def test_yes_and_no(typed: str, meant: bool) -> None:
    junior = next(field for field in fields_of(Options) if field.name == "junior")
    assert read_value(junior, typed, "Junior") is meant


@pytest.mark.parametrize("typed", ["robby-solo", "Robby Solo", "ROBBY_SOLO", " robby solo "])
def test_a_game_is_known_however_it_is_written(typed: str) -> None:
    assert game_named(typed) == "robby-solo"


@pytest.mark.parametrize(("typed", "near"), [("robby", True), ("solo", True), ("", False), ("chess\x1b", False)])
def test_an_unknown_game_is_refused_with_the_nearest(typed: str, near: bool) -> None:
    with pytest.raises(UnknownGameError) as refused:
        game_named(typed, ["robby-solo"])
    assert ("mean" in str(refused.value)) is near
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("typed", "meant"), [("wild", "wild-wild-pattern"), ("Tresor", "tresor-diebe"), ("ro", "robby-solo")]
)
def test_the_beginning_of_a_name_is_near_it(typed: str, meant: str) -> None:
    with pytest.raises(UnknownGameError, match=f"Do you mean {meant}"):
        game_named(typed)
