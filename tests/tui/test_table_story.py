"""The table's story: told once, whole, staged at a reveal; and how the table is left."""

from pathlib import Path

from robby_games.robby_solo import (
    Confirm,
    Confirmed,
    GameOver,
    GameStarted,
    RoundStarted,
    Supplied,
    Supply,
    TakeBack,
)
from robby_protocol.messages import TableLeave, TableNews
from robby_tui.robby_solo.banks import BankRow
from robby_tui.screens.confirm import Confirm as ConfirmDialog
from robby_tui.screens.lobby import LobbyScreen
from robby_tui.screens.results import ResultsScreen
from robby_tui.screens.table import TableScreen
from robby_tui.widgets.story import Story
from tests.tui.fakes import Match, own, public, scores, table_state
from tests.tui.kit import Stage, run
from tests.tui.tables import ASKED, LAYS, REVEAL, acted, sit


def test_the_story_is_told_once_and_anew_for_another_match(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        start = (
            GameStarted(participants=4, junior=False, banks=5, gentleman=1, deck=61),
            RoundStarted(round=1, gentleman=1, deck=61),
            Supplied(side="left", cards=(4_000, 3, 9_000, 2_000, 1_000), deck=56),
        )
        view = public("plays", ("none",) * 4, round=1)
        await sit(stage, view, own(), *LAYS, events=start)
        story = stage.app.screen.query_one(Story)
        assert len(story.lines) == 3
        await stage.feed(stage.match.update(view, own(), *LAYS, events=[Confirmed(seat=2)]))
        assert len(story.lines) == 4
        await stage.feed(table_state(news=[TableNews(code="away", seat=1, name="Ben")]))
        assert "Ben" in story.lines[-1]
        stage.client.lose()
        stage.client.connect(resumed=True)
        await stage.feed(stage.match.update(view, own(), *LAYS))
        assert len(story.lines) == 5
        stage.match = Match("m2")
        await stage.feed(table_state(match="m2"), stage.match.update(view, own(), *LAYS, events=start[:1]))
        assert len(story.lines) == 1

    run(scene, tmp_path)


def test_the_story_scrolls_and_comes_back_to_its_end(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        view = public("plays", ("none",) * 4)
        many = [RoundStarted(round=number, gentleman=1, deck=30) for number in range(1, 60)]
        await sit(stage, view, own(), *LAYS, events=many)
        await stage.sees("Round 59")
        await stage.press("pageup")
        await stage.settle()
        assert "Round 59" not in stage.text
        await stage.feed(stage.match.update(view, own(), *LAYS, events=[Confirmed(seat=2)]))
        assert "Cleo confirmed." not in stage.text
        await stage.press("pagedown", "pagedown")
        await stage.sees("Cleo confirmed.")

    run(scene, tmp_path)


def test_a_reveal_is_staged_bank_by_bank_and_never_delays_an_answer(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["revision"][:2], Confirm(), TakeBack())
        after = public("supply", ("none",) * 4, gentleman=0, round=8)
        sides = (Supply(side="left"), Supply(side="right"))
        await stage.feed(stage.match.update(after, own(), *sides, events=REVEAL))
        row = stage.app.screen.query_one(BankRow)
        assert "Ben" not in str(row.render())
        stage.clock.now += 0.7
        await stage.until(lambda: "Ben Cleo" in str(row.render()))
        assert "+9,000" not in str(row.render())
        stage.clock.now += 0.3
        await stage.until(lambda: "+9,000" in str(row.render()))
        await stage.press("left")
        assert acted(stage) == [Supply(side="left")]

    run(scene, tmp_path)


def test_after_the_last_reveal_enter_shows_the_results(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["revision"][:2], Confirm(), TakeBack())
        over = public("over", ("none",) * 4, scores=scores())
        await stage.feed(
            table_state("finished"),
            stage.match.update(over, own(), events=[*REVEAL, GameOver(reason="deck", scores=scores())], clock=None),
        )
        assert isinstance(stage.screen, TableScreen)
        await stage.press("enter")
        await stage.at(ResultsScreen)

    run(scene, tmp_path)


def test_quitting_a_running_game_asks_and_enter_alone_stays(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        await stage.press("q")
        await stage.at(ConfirmDialog)
        await stage.press("enter")
        await stage.at(TableScreen)
        assert not stage.client.stopped
        await stage.press("ctrl+q")
        await stage.at(ConfirmDialog)
        await stage.press("y", "b")
        assert stage.client.acted == []
        await stage.press("right", "enter")
        await stage.until(lambda: stage.client.stopped)

    app = run(scene, tmp_path)
    assert app.return_code == 0


def test_leaving_a_running_game_asks(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        await stage.press("l")
        await stage.at(ConfirmDialog)
        await stage.press("escape")
        await stage.at(TableScreen)
        await stage.press("l")
        await stage.at(ConfirmDialog)
        await stage.press("left", "enter")
        await stage.until(lambda: (TableLeave, {}) in stage.client.called)
        await stage.at(LobbyScreen)

    run(scene, tmp_path)
