"""Tresor Diebe's table: what it shows at every size, and how a turn, a round and the game end."""

import re
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from robby_games.tresor_diebe import (
    Again,
    Failed,
    Opened,
    Passed,
    RoundEnded,
    Throw,
    Thrown,
    TurnBegan,
)
from robby_protocol.messages import SeatInfo
from robby_tui.screens.help import Help
from robby_tui.screens.results import ResultsScreen
from robby_tui.screens.table import TableScreen
from robby_tui.terminal import to_ascii
from robby_tui.tresor_diebe.throw import Throw as ThrowWidget
from robby_tui.widgets.story import Story
from tests.tui.diebe import (
    ALL,
    FIRST_THROW,
    FREE,
    GAME_OVER,
    NEXT_ROUND,
    OPEN,
    OVER,
    OWN,
    SIZES,
    THROWN,
    TURN,
    acted,
    beside,
    go_on,
    keys,
    question,
    safes,
    sit,
    state,
    view,
)
from tests.tui.fakes import NAMES, Match
from tests.tui.kit import Stage, run

# What is shown.


@pytest.mark.parametrize("size", [*SIZES, (300, 80), (104, 24), (80, 40), (104, 30)])
def test_everything_needed_to_play_is_visible(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE, fields=(1, 4, 20, 3)), *THROWN, events=[FIRST_THROW])
        text = stage.text
        assert all(cell_len(line) == size[0] for line in text.splitlines())
        for name in NAMES:
            assert name in text
        for part in ("round 2/3", "[18]", "22 of 26 safes free", "18 s left", "Your throw 1 of 3", "on turn"):
            assert part in text, part
        for part in ("●An", "▲Be", "■Cl", "◆Do"):
            assert text.count(part) == 1, part
        assert all(f"[{number}]" in text for number in range(1, 6))
        assert text.count("500") >= 4
        assert "s takes safe 18: 100 €" in text
        assert "s/Enter take safe 18" in keys(stage)
        assert "1–5 choose" in keys(stage)
        for track in ("═●╌", "═▲╌", "═■║", "═◆╌"):
            assert track in text, track

    run(scene, tmp_path, size=size)


@pytest.mark.parametrize("size", SIZES)
def test_the_dice_lie_as_they_fell_and_can_be_read_by_number(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN, events=[FIRST_THROW])
        shown = str(stage.screen.query_one(ThrowWidget).render()).splitlines()
        numbers = shown[1] if size == (60, 18) else shown[{24: 5, 40: 7}[size[1]]]
        assert [int(sign) for sign in numbers[: {18: 29, 24: 49, 40: 69}[size[1]]] if sign.isdigit()] == list(FREE)

    run(scene, tmp_path, size=size)


@pytest.mark.parametrize("size", SIZES)
def test_what_stopping_leads_to_is_told(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN, events=[FIRST_THROW])
        assert "Safe 18 is free: 100 €" in stage.text
        assert "→ to field 2" in stage.text
        await go_on(stage, view(OPEN, throws=2), *THROWN, events=[Thrown(0, 2, OPEN, (2, 3))])
        assert "Safe 21 is open: ■ Cleo" in stage.text
        assert "→ back to field 0" in stage.text
        assert "Safe 21 is open already" in question(stage)
        assert "s one field back" in keys(stage)
        assert "(1 left)" in stage.text

    run(scene, tmp_path, size=size)


def test_below_the_smallest_size_the_question_and_keys_that_work(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(), *TURN)
        assert "18 s left" in stage.text
        assert "t throws all five dice" in stage.text
        await stage.press("t")
        assert acted(stage) == [Throw()]

    run(scene, tmp_path, size=(50, 12))


def test_a_storm_of_resizes_keeps_what_was_chosen(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN)
        await stage.press("2", "5")
        for columns, rows in [(1, 1), (40, 12), (300, 80), (2, 60), (200, 3), (60, 18), (59, 17), (104, 30), (80, 24)]:
            await stage.pilot.resize_terminal(columns, rows)
        await stage.settle()
        await stage.sees("t throws 2 dice again")
        await stage.press("t")
        assert acted(stage) == [Again((1, 4))]

    run(scene, tmp_path)


HOSTILE = ("[b]Ana[/b]", "[@click=app.leave]Ben", "$error", "\x1b[2J\x07Dora")
STRANGE = ("Ana", "漢字漢字漢字漢字漢字漢字", "👨‍👩‍👧👍🏽☎️🇩🇪", "x" * 200)


@pytest.mark.parametrize("names", [HOSTILE, STRANGE], ids=["hostile", "strange"])
@pytest.mark.parametrize("size", SIZES)
def test_names_of_any_script_are_text_and_keep_the_columns(
    tmp_path: Path, size: tuple[int, int], names: tuple[str, ...]
) -> None:
    async def scene(stage: Stage) -> None:
        events = [Failed(1, 21, 2, 4, 3), TurnBegan(0)]
        await stage.feed(
            state(names=names, title="[red]x[/red]"), stage.match.update(view(), OWN, *TURN, events=events)
        )
        await stage.at(TableScreen)
        lines = stage.text.splitlines()
        assert all(cell_len(line) == size[0] for line in lines)
        tracks = [line for line in lines if "╌┤" in line or "╌║" in line]
        assert len(tracks) == 4
        assert len({cell_len(line[: line.index("┤")]) for line in tracks}) == 1
        assert "[red]x[/red]" in lines[0]
        assert not any(ord(char) < 32 for line in lines for char in line)

    run(scene, tmp_path, size=size)


def test_states_of_people_are_told_in_words(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        seats = [
            SeatInfo(name=f"P{number}", kind="person", state=how)
            for number, how in enumerate(("here", "away", "stand_in", "left"))
        ]
        await stage.feed(state(seats=seats), stage.match.update(view(turn=1), OWN))
        await stage.at(TableScreen)
        for part in ("(away)", "(away, a bot plays)", "(left, a bot plays)", "P1 is to throw, or to pass."):
            assert part in stage.text

    run(scene, tmp_path, size=(100, 24))


def test_signs_have_stand_ins_without_unicode(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN, events=[FIRST_THROW])
        await stage.press("o", "2")
        text = to_ascii(stage.text)
        assert "?" not in text.replace("? help", "")
        for part in ("oAna", "^Ben", "#Cleo", "<Dora", "=[2]=", "-[1]-", "[18]", "=o---", "6 again"):
            assert part in text, part

    run(scene, tmp_path)


# Watching.


@pytest.mark.parametrize("size", SIZES)
def test_a_watcher_sees_the_table_and_is_asked_nothing(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), seat=None, events=[FIRST_THROW])
        for part in ("You are watching.", "Ana: throw 1 of 3", "Ana: safe 18, or throw again? 2 throws left.", "Dora"):
            assert part in stage.text, part
        assert "[1]" not in stage.text
        assert "(you)" not in stage.text
        await stage.press("s", "t", "1", "a", "p", "enter", "escape")
        assert stage.client.acted == []
        await stage.press("o")
        assert "%" in stage.text

    run(scene, tmp_path, size=size)


# Odds.


@pytest.mark.parametrize("size", SIZES)
def test_odds_are_shown_on_demand(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN)
        assert "%" not in stage.text
        await stage.press("o")
        assert "100%" in stage.text  # safe 18: stop here
        assert "Any free safe: 100%" in stage.text
        await stage.press("a")
        assert "100%" not in stage.text
        assert re.search(r"If thrown, any free: (\d\d|>99)%", stage.text)
        await stage.press("o")
        assert "%" not in stage.text

    run(scene, tmp_path, size=size)


def test_the_odds_are_those_of_the_throws_left_and_the_dice_chosen(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view((6, 6, 5, 5, 3), throws=2, safes=safes({})), *THROWN)
        await stage.press("o", "5")
        # One die for 26: a four; and one for 25, 27 and 28 each, out of six.
        row = next(line for line in stage.text.splitlines() if "%" in line and "17%" in line)
        assert row.count("17%") == 6
        assert stage.text.count(" 0%") == 20
        # With another throw after it: 1/6 + 5/6 · 1/6.
        await go_on(stage, view((6, 6, 6, 6, 1), idle=1, safes=safes({})), *THROWN)
        await stage.press("5")
        assert stage.text.count(" 31%") == 6

    run(scene, tmp_path)


def test_a_table_without_odds_shows_none(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE, odds=False), *THROWN)
        assert "odds" not in keys(stage)
        await stage.press("o")
        await stage.sees("This table plays without the odds.")
        assert "%" not in stage.text
        assert stage.client.acted == []

    run(scene, tmp_path)


# Ends.


@pytest.mark.parametrize("size", SIZES)
def test_the_last_turn_stays_readable_until_the_next_one_ends(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        dice = (6, 6, 5, 5, 3)
        events = [Thrown(3, 3, dice, (0, 1)), Opened(3, 25, 300, 0, 3), TurnBegan(0)]
        await sit(stage, view(), *TURN, events=events)
        told = "Dora opens safe 25: 300 €, to field 3."
        assert told in notice(stage)
        assert "6 6 5 5 3 = 25" in beside(stage)
        shown = str(stage.screen.query_one(ThrowWidget).render())
        assert [int(sign) for sign in shown if sign in "653"][:3]
        assert "[1]" not in shown
        await go_on(stage, view(FREE), *THROWN, events=[FIRST_THROW])
        assert told in stage.text
        await go_on(stage, view(turn=1), events=[Failed(0, 18, 1, 1, 0), TurnBegan(1)])
        assert told not in notice(stage)
        assert "you go to field 0" in notice(stage)

    run(scene, tmp_path, size=size)


def notice(stage: Stage) -> str:
    return str(stage.screen.query_one("#notice").render())


@pytest.mark.parametrize("size", SIZES)
def test_passing_is_told_clearly(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        events = [Passed(1), TurnBegan(2), Passed(2, auto=True), TurnBegan(3), Passed(3, no_markers=True), TurnBegan(0)]
        await sit(stage, view(passes=2, turn=3), events=events[:4])
        rows = [line for line in stage.text.splitlines() if "╌" in line]
        assert ["passed" in row for row in rows] == [False, True, True, False]
        text = " ".join(stage.text.split())
        assert "Time ran out: Cleo passes." in text
        assert "2 of 4 passed one after another." in beside(stage)
        await go_on(stage, view(passes=3), *TURN, events=events[4:])
        assert "p passes and ends the round." in " ".join(stage.text.split())
        assert "Dora has no marker left." in notice(stage)

    run(scene, tmp_path, size=size)


@pytest.mark.parametrize("size", SIZES)
def test_the_end_of_a_round_is_told_until_the_next_turn_is_over(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        fresh: dict[str, Any] = {"fields": (0, 0, 0, 0), "turn": 3, "starter": 3, "safes": safes({})}
        last = [Thrown(0, 1, (6, 6, 6, 6, 6), ALL), Opened(0, 30, 500, 15, 20)]
        await sit(stage, view(**fresh), events=[*last, *NEXT_ROUND])
        assert "Round 1 is over: you have reached the last field. Ana +20 = 20, Ben +7 = 7," in beside(stage)
        rows = [line for line in stage.text.splitlines() if "╌" in line]
        assert [part in row for part, row in zip(("+20", "+7", "+11", "on turn"), rows, strict=True)] == [True] * 4
        assert "You open safe 30: 500 €, to field 20." in notice(stage)
        await go_on(stage, view(FREE, **fresh), events=[Thrown(3, 1, FREE, ALL)])
        assert "Round 1 is over: you have reached the last field." in notice(stage)
        await go_on(stage, view(**(fresh | {"turn": 0})), *TURN, events=[Opened(3, 18, 100, 0, 1), TurnBegan(0)])
        assert "Round 1" not in notice(stage)

    run(scene, tmp_path, size=size)


@pytest.mark.parametrize("size", SIZES)
def test_the_end_of_the_game_is_told_and_enter_shows_the_results(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE, turn=1, round=3), events=[Thrown(1, 1, FREE, ALL)])
        ended = RoundEnded(3, "field", (11, 20, 12, 1), (35, 47, 35, 4))
        await stage.feed(
            state("finished"),
            stage.match.update(OVER, OWN, events=[Opened(1, 18, 100, 19, 20), ended, GAME_OVER], clock=None),
        )
        assert isinstance(stage.screen, TableScreen)
        assert "The game is over. Enter shows the results." in stage.text
        assert "Round 3 is over" in stage.text
        rows = [line for line in stage.text.splitlines() if "Ben" in line and "║" in line]
        assert len(rows) == 1
        assert "★ wins" in rows[0]
        assert " 47" in rows[0]  # the last round is in the totals already
        await stage.press("t", "s", "o", "1")
        assert stage.client.acted == []
        assert "%" not in stage.text
        await stage.press("enter")
        await stage.at(ResultsScreen)
        for part in ("1. Ben", "2. Ana (you)", "2. Cleo", "4. Dora", "20 + 7 + 20 = 47"):
            assert part in stage.text, part

    run(scene, tmp_path, size=size)


def test_the_story_is_told_once_and_anew_for_another_match(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(), *TURN, events=[Passed(3), TurnBegan(0)])
        story = stage.screen.query_one(Story)
        assert story.lines == ["Dora passes."]
        stage.client.lose()
        stage.client.connect(resumed=True)
        await go_on(stage, view(FREE), *THROWN, events=[FIRST_THROW])
        assert story.lines == ["Dora passes.", "You throw all dice: 5 6 2 3 2 = 18."]
        stage.match = Match("m2")
        await stage.feed(state(match="m2"), stage.match.update(view(), OWN, *TURN))
        assert story.lines == []
        assert "Dora" not in notice(stage)

    run(scene, tmp_path)


def test_the_log_can_be_read_while_others_throw(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        many = [Passed(number % 4) for number in range(60)]
        await sit(stage, view(turn=1), events=many)
        await stage.press("pageup")
        story = stage.screen.query_one(Story)
        assert story.parked
        await go_on(stage, view(FREE, turn=1), events=[Thrown(1, 1, FREE, ALL)])
        assert story.parked
        await go_on(stage, view(), *TURN, events=[Opened(1, 18, 100, 4, 5), TurnBegan(0)])
        assert not story.parked

    run(scene, tmp_path)


def test_the_help_tells_rules_table_and_keys(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(), *TURN)
        await stage.press("question_mark")
        await stage.at(Help)
        page = str(stage.screen.query("#help-body Static").first().render())
        for part in ("Your turn", "What the safes hold", "5–6: 500 €", "13–22: 100 €", "The odds", "1–5 a die"):
            assert part in page, part

    run(scene, tmp_path)
