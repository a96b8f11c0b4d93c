"""Tresor Diebe in lines: what typed words mean, how many dice are asked for first, how the table is told."""

from itertools import combinations
from typing import Any

import pytest
from msgspec.structs import replace
from trio.testing import MockClock

from robby_client import codes
from robby_client.quick import QuickTable
from robby_client.world import GameState, OpenDecision
from robby_games.tresor_diebe import (
    DICE,
    NAME,
    NOBODY,
    Again,
    OwnView,
    Pass,
    PublicView,
    RoundEnded,
    Stop,
    Throw,
)
from robby_plain.registry import TEXTS
from tests.client.plain.stage import stage

TEXTS_OF = TEXTS[NAME]
PLACES = range(DICE)
AGAIN = tuple(Again(dice=dice) for count in range(1, 6) for dice in combinations(PLACES, count))
NAMES = ("Ana", "Ben")
PUBLIC = PublicView(
    round=2,
    rounds=3,
    phase="thrown",
    turn=0,
    starter=1,
    safes=(0, *(NOBODY,) * 12, 1, *(NOBODY,) * 12),
    dice=(6, 5, 2, 1, 4),
    throws=1,
    fields=(5, 1),
    totals=(12, 1_020),
    markers=(10, 10),
    passes=1,
    idle=1,
    odds=True,
)


def game(public: PublicView = PUBLIC, legal: tuple[Any, ...] = ()) -> GameState:
    state = GameState(name=NAME, match="m")
    state.public, state.own = public, OwnView(seat=0)
    state.decision = OpenDecision(id=1, legal=legal) if legal else None
    return state


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("throw", Throw()),
        (" PASS ", Pass()),
        ("stop", Stop()),
        ("again", Again(dice=(0, 1, 2, 3, 4))),
        ("again 5 1 3", Again(dice=(0, 2, 4))),
        ("again 1,3", Again(dice=(0, 2))),
        ("again 31", Again(dice=(0, 2))),
        ("again 6", None),
        ("again 1 1", None),
        ("again x", None),
        ("throw now", None),
        ("", None),
        ("6 6 5 5 4", None),
    ],
)
def test_words_for_actions(typed: str, action: Any) -> None:
    assert TEXTS_OF.read(typed, None) == action


def test_first_how_many_dice_then_which() -> None:
    legal = (Stop(), *AGAIN)
    state = game(legal=legal)
    menu = TEXTS_OF.menu(legal, state)
    assert [len(actions) for _label, actions in menu] == [1, 1, 5, 10, 10, 5]
    assert menu[0][0] == "stop: safe 18 is open already, one field back"
    assert sorted((action for _label, actions in menu for action in actions), key=repr) == sorted(legal, key=repr)
    inner = TEXTS_OF.menu(menu[2][1], state)
    assert next(label for label, _actions in inner) == "throw again the die in place 1 (6)"
    assert all(len(actions) == 1 for _label, actions in inner)


def test_stopping_at_a_free_safe_says_what_it_holds() -> None:
    public = replace(PUBLIC, dice=(6, 6, 5, 5, 4))
    assert TEXTS_OF.choice(Stop(), game(public)) == "stop: safe 26 is free and holds 300 €"


def test_the_question_says_what_is_left() -> None:
    asked = TEXTS_OF.question(game(legal=(Stop(), *AGAIN)), NAMES)
    assert asked == "6 5 2 1 4 = 18. Stop, or throw some of them again? 2 throws left."
    assert TEXTS_OF.question(game(replace(PUBLIC, turn=1, phase="turn", dice=())), NAMES) == "It is Ben's turn."


def test_the_whole_table() -> None:
    lines = TEXTS_OF.view(game(), NAMES, 0)
    assert lines[0] == "Round 2 of 3."
    assert lines[1].startswith("Free safes: 6 (500 €), 7 (400 €),")
    assert " 18 (" not in lines[1]
    assert lines[2] == "Ana (you): field 5 of 20, 12 points before; opened 5."
    assert lines[3] == "Ben: field 1 of 20, 1,020 points before; opened 18."
    assert "The dice: 6 5 2 1 4 = 18." in lines
    assert TEXTS_OF.hand(game()) == ["You have 10 markers left."]


async def test_a_whole_game_in_words_and_help_that_names_them(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=QuickTable(NAME, options={"rounds": 1}, bots=["greedy"]))
        answers = {"throw the dice, or pass?": "throw", "Stop, or throw": "stop"}
        ana.type("help")
        await ana.wait_for("throw the dice, or pass?")
        ana.type("help")
        line = await ana.wait_for("Words answer as well")
        assert "again 1 3 5" in line
        assert "rob red" not in line
        ana.type("throw")
        while True:
            line = await ana.wait_for(lambda line: "The game has ended" in line or any(one in line for one in answers))
            answer = next((answer for asked, answer in answers.items() if asked in line), None)
            if answer is None:
                break
            ana.type(answer)
        assert not any("not asked now" in line for line in ana.heard)
        assert any(line.startswith("You open safe ") for line in ana.heard)
        ana.type("quit")
        assert (await scene.ended(ana)).code == codes.STOPPED


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (RoundEnded(1, "field", (3, 20), (3, 20)), "Round 1 is over: Ben has reached the last field. Ana +3 = 3, "),
        (RoundEnded(1, "field", (20, 3), (20, 3)), "Round 1 is over: you have reached the last field. Ana +20 = 20, "),
        (RoundEnded(2, "open", (4, 3), (9, 3)), "Round 2 is over: all safes are open. Ana +4 = 9, "),
        (RoundEnded(2, "earthquake", (4, 3), (9, 3)), "Round 2 is over. Ana +4 = 9, "),
    ],
)
def test_why_a_round_is_over_is_told_and_by_whom(event: RoundEnded, told: str) -> None:
    (line,) = TEXTS_OF.sentences(event, NAMES, 0)
    assert line.startswith(told)
