"""A table's options as they are typed."""

import pytest
from msgspec import structs

from robby_games.robby_solo import Options
from robby_plain.options import OptionError, fields_of, read_plan, read_value


def test_every_option_of_the_game_can_be_asked_for_and_has_a_text() -> None:
    fields = fields_of(Options)
    assert [field.name for field in fields] == [field.name for field in structs.fields(Options)]
    assert all(field.text != field.name for field in fields)


def test_a_plan_from_words() -> None:
    plan = read_plan(
        Options, ["title=Friday night", "seats=5", "bots=greedy, random", "time=Blitz", "junior=yes", "max_rounds=7"]
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
        read_plan(Options, [word])
    assert str(refused.value)


@pytest.mark.parametrize(("typed", "meant"), [("yes", True), ("Y", True), ("no", False), ("off", False), ("1", True)])
def test_yes_and_no(typed: str, meant: bool) -> None:
    junior = next(field for field in fields_of(Options) if field.name == "junior")
    assert read_value(junior, typed) is meant
