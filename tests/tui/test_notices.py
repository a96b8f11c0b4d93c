"""What the server announces, a clock that stands still, and the fair deal."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from robby_client.events import DealTrouble
from robby_client.files import NotWritable
from robby_games.robby_solo import GameOver
from robby_protocol import fair
from robby_protocol.messages import (
    Clock,
    DealCommitted,
    DealOpened,
    DealRevealed,
    Notice,
    RecordGet,
    TableNews,
)
from robby_tui.notices import MOST, Notices
from robby_tui.screens.lobby import LobbyScreen
from robby_tui.screens.results import ResultsScreen
from robby_tui.screens.room import RoomScreen
from robby_tui.screens.table import TableScreen
from robby_tui.widgets.story import Story
from tests.tui.fakes import own, public, scores, table_state
from tests.tui.kit import Stage, run
from tests.tui.tables import ASKED, LAYS, acted, sit


async def play(stage: Stage) -> None:
    await sit(stage, *ASKED["play"][:2], *LAYS)


def test_a_notice_is_a_line_at_the_top_until_it_is_put_away(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        await stage.feed(Notice(code="operator", text="[b]Back[/b] at\x1b[2J nine"))
        await stage.sees("The operator says: [b]Back[/b] at\\x1b[2J nine")
        await play(stage)
        assert "The operator says" in stage.text
        assert "Which bank do you rob?" in stage.text
        await stage.press("d")
        assert "The operator says" not in stage.text
        await stage.press("d", "b")
        assert len(acted(stage)) == 1

    run(scene, tmp_path)


@pytest.mark.parametrize("size", [(80, 24), (60, 18)])
def test_with_every_line_at_the_top_all_needed_to_play_is_there(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await play(stage)
        await stage.feed(Notice(code="draining", text=""))
        stage.client.tell(DealTrouble("m1", "deal_changed", "WARNING: the deal is not fair. " + "x" * 100))
        await stage.settle()
        for part in ("WARNING: the deal is not fair.", "Which bank", "18 s left", "y g r b x lay", "Dora"):
            assert part in stage.text, part

    run(scene, tmp_path, size=size)


def test_a_notice_that_is_no_longer_true_goes_by_itself() -> None:
    notices = Notices()
    notices.tell(Notice(code="not_kept", text=""))
    notices.tell(Notice(code="kept", text=""))
    assert notices.first is not None
    assert (notices.first.code, notices.more) == ("kept", 0)
    notices.warn("deal_changed", "WARNING")
    for number in range(3 * MOST):
        notices.tell(Notice(code="operator", text=str(number)))
    assert notices.first.code == "deal_changed"
    assert notices.more < MOST
    notices.put_away()
    assert notices.first.code == "operator"


def test_a_clock_that_stands_still_says_so_and_keys_work(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        update = stage.match.update(*ASKED["play"][:2], *LAYS)
        paused = Clock(remaining_ms=18_000, total_ms=30_000, paused=True)
        await stage.feed(
            table_state(news=[TableNews(code="server_back")]),
            structs.replace(update, clock=paused),
        )
        await stage.at(TableScreen)
        await stage.sees("PAUSED, 18 s left")
        stage.clock.now += 60
        await stage.settle()
        assert "PAUSED, 18 s left" in stage.text
        assert "The server was away and is back" in " ".join(stage.screen.query_one(Story).lines)
        await stage.press("b")
        assert len(acted(stage)) == 1

    run(scene, tmp_path)


def test_a_table_that_would_not_survive_says_so_in_words(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting", kept=False))
        await stage.at(RoomScreen)
        assert "NOT SAVED NOW" in stage.text
        await stage.feed(table_state(kept=False), stage.match.update(*ASKED["play"][:2], *LAYS))
        await stage.at(TableScreen)
        assert "NOT SAVED NOW" in stage.text
        await stage.feed(table_state(kept=True))
        assert "NOT SAVED" not in stage.text

    run(scene, tmp_path)


SECRET = b"s" * 32
COMMITMENT = fair.server_commitment("m1", SECRET)


def test_a_fair_deal_is_told_quietly_and_checked_at_the_end(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        deals = stage.client.world.deals
        await stage.feed(table_state("waiting", next_match="m1", commitment=COMMITMENT))
        await stage.at(RoomScreen)
        mine = deals.commit()
        other = b"n" * 32
        seats = [mine, fair.seat_commitment(other), b"", b""]
        await stage.feed(DealCommitted(table="K7QD", match="m1", server=COMMITMENT, seats=seats, remaining_ms=5_000))
        await stage.sees("committed")
        nonce = deals.deal.nonce if deals.deal is not None else b""
        await stage.feed(DealOpened(table="K7QD", match="m1", nonces=[nonce, other, b"", b""]))
        await play(stage)
        await stage.sees("fair deal: your part is in it")
        over = public("over", ("none",) * 4, scores=scores())
        await stage.feed(
            stage.match.update(over, own(), events=[GameOver(reason="deck", scores=scores())], clock=None),
            table_state("finished"),
            DealRevealed(table="K7QD", match="m1", secret=SECRET),
        )
        await stage.press("enter")
        await stage.at(ResultsScreen)
        await stage.sees("✓ The deal is checked")

    run(scene, tmp_path)


def test_an_unfair_deal_cannot_be_overlooked(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await play(stage)
        stage.client.tell(DealTrouble("m1", "deal_nonce_wrong", "WARNING: the deal is not fair."))
        await stage.sees("WARNING: the deal is not fair.")
        await stage.press("b")
        assert len(acted(stage)) == 1  # it takes no key from the game
        await stage.feed(Notice(code="operator", text="hello"))
        assert "WARNING: the deal is not fair." in stage.text
        await stage.press("d")
        assert "WARNING" not in stage.text

    run(scene, tmp_path)


def test_the_record_is_saved_and_its_path_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(stage: Stage) -> None:
        over = public("over", ("none",) * 4, scores=scores())
        await stage.feed(table_state("finished"), stage.match.update(over, own(), clock=None))
        await stage.at(ResultsScreen)
        await stage.press("f")
        await stage.sees("records/m1.robby")
        assert (RecordGet, {"match": "m1"}) in stage.client.called

        async def full(match: str, folder: Any = None) -> Path:
            raise NotWritable("the disk is full")

        monkeypatch.setattr(stage.client, "save_record", full)
        await stage.press("f")
        await stage.sees("the disk is full")

    run(scene, tmp_path)
