"""Words that answer Robby Solo's questions."""

import pytest

from robby_client.words.robby_solo import bank_letter, bank_name
from robby_games.robby_solo import (
    BANKS,
    ITEM_NAMES,
    Action,
    Confirm,
    Declare,
    Give,
    Lay,
    Reveal,
    Supply,
    TakeBack,
)
from robby_plain.robby_solo_answers import read


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("left", Supply(side="left")),
        ("deal from the Right", Supply(side="right")),
        ("y", Lay(bank=0)),
        ("lay grey", Lay(bank=4)),
        ("rob red", Declare(robs=True, bank=2)),
        ("I will not rob B", Declare(robs=False, bank=3)),
        ("not blue", Declare(robs=False, bank=3)),
        ("take back", TakeBack()),
        ("Take the card back", TakeBack()),
        ("CONFIRM", Confirm()),
        ("reveal", Reveal()),
        ("gold bar", Give(card=3)),
        ("return the gold bar", Give(card=3)),
    ],
)
def test_words_and_what_they_mean(text: str, action: Action) -> None:
    assert read(text) == action


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the",
        "back",
        "leave",
        "ready",
        "not",
        "will yellow",
        "kick y",
        "bot red",
        "rob",
        "left right",
        "return",
        "z",
    ],
)
def test_other_words_mean_no_action(text: str) -> None:
    assert read(text) is None


def test_every_bank_and_item_can_be_named() -> None:
    for bank in range(len(BANKS)):
        assert read(bank_name(bank)) == read(bank_letter(bank)) == Lay(bank=bank)
    for number, name in enumerate(ITEM_NAMES, start=1):
        assert read(name) == Give(card=number)
