"""How the table shows a game: every state in words, at every size, whatever people are called."""

from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from robby_games.robby_solo import (
    Chose,
    Confirm,
    Given,
    Lay,
    Police,
    TakeBack,
)
from robby_protocol.messages import SeatInfo
from robby_tui.robby_solo.banks import BankRow
from robby_tui.robby_solo.people import People
from robby_tui.screens.table import TableScreen
from tests.tui.fakes import BANKS, WILL_NOT_RED, Match, own, participant, public, table_state
from tests.tui.kit import Stage, run
from tests.tui.tables import ASKED, LAYS, REVEAL, acted, sit


def test_the_countdown_changes_sign_and_label_when_little_is_left(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS, clock=(18_000, 30_000, None))
        await stage.sees("18 s left")
        assert "█" in stage.text
        stage.clock.now += 9
        await stage.sees("hurry: 9 s")
        assert "▓" in stage.text
        stage.clock.now += 6
        await stage.sees("!! 3 s !!")
        assert "▚" in stage.text
        stage.clock.now += 60
        await stage.sees("!! 0 s !!")

    run(scene, tmp_path)


def test_without_a_limit_no_bar_is_shown(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS, clock=None)
        await stage.sees("no time limit")

    run(scene, tmp_path)


FULL = tuple((1_000, 2, 8_000, 9_000) for _bank in range(7))
STATES = ("laid_again", "laid", "confirmed", "taken_back", "none", "laid")


def test_everything_needed_to_play_is_visible(tmp_path: Path) -> None:
    """Seven full banks and six participants, at the smallest sizes too."""
    names = ("Ana", "Ben", "Cleo", "Dora", "Emil")

    async def scene(stage: Stage) -> None:
        view = public("revision", STATES, declaration=WILL_NOT_RED, junior=True, banks=FULL)
        await stage.feed(
            table_state(names=names), stage.match.update(view, own(3), Confirm(), TakeBack(), events=REVEAL)
        )
        await stage.at(TableScreen)
        for size in [(80, 24), (60, 18), (120, 40), (300, 80), (104, 24)]:
            await stage.pilot.resize_terminal(*size)
            await stage.settle()
            text = stage.text
            for letter, shape in zip("YGRBXPK", "●▲■◆✖★▼", strict=True):
                assert f"{shape} {letter}" in text
            for name in (*names, "Robby Junior"):
                assert name in text
            assert text.count("9,000") >= 7
            assert text.count("1,000") >= 7
            for part in (
                "will not",
                "▒ B ▒",
                "[Y]",
                "BACK",
                "confirmed",
                "18 s left",
                "c confirm",
                "t take",
            ):
                assert part in text, part
            assert "Your card is ◆ blue (B)" in text
            assert "23" in text.splitlines()[0]

    run(scene, tmp_path)


@pytest.mark.parametrize("case", ["play", "item"])
def test_no_window_cuts_the_sixth_player(tmp_path: Path, case: str) -> None:
    names = ("Ana", "Ben", "Cleo", "Dora", "Emil")

    async def scene(stage: Stage) -> None:
        phase, mine, legal = ASKED[case][0].phase, *ASKED[case][1:3]
        view = public(phase, ("none",) * 6, junior=True, banks=FULL)
        await stage.feed(table_state(names=names), stage.match.update(view, mine, *legal, events=REVEAL))
        await stage.at(TableScreen)
        for connected in (True, False):
            for size in [(60, 18), (66, 18), (104, 18), (104, 19), (104, 20), (80, 24)]:
                await stage.pilot.resize_terminal(*size)
                await stage.settle()
                for name in (*names, "Robby Junior"):
                    assert name in stage.text, (size, name)
                assert ("1 pocket watch" in stage.text) == (connected and case == "item")
            stage.client.lose(retry_in=8)
            await stage.sees("No connection")

    run(scene, tmp_path)


def test_below_the_smallest_size_a_notice_with_the_time_left_and_keys_that_work(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        await stage.sees("18 s left")
        assert "too small" in stage.text
        assert "Which bank" in stage.text
        await stage.press("g")
        assert acted(stage) == [Lay(bank=1)]

    run(scene, tmp_path, size=(40, 12))


def test_a_storm_of_resizes_in_the_revision(tmp_path: Path) -> None:
    sizes = [(1, 1), (20, 5), (40, 12), (80, 24), (300, 80), (2, 60), (200, 3), (60, 18), (59, 17), (104, 30)]

    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["revision"][:2], Confirm(), TakeBack(), events=REVEAL)
        for columns, rows in sizes * 2:
            await stage.pilot.resize_terminal(columns, rows)
        await stage.pilot.resize_terminal(80, 24)
        await stage.settle()
        await stage.sees("Your card is ◆ blue (B)")
        await stage.press("c")
        assert acted(stage) == [Confirm()]

    run(scene, tmp_path)


HOSTILE = ("[b]Ana[/b]", "[@click=app.leave]Ben", "$error", "\x1b[2J\x07Dora")
WIDE_NAMES = ("Ana", "漢字漢字漢字漢字漢字漢字", "👨‍👩‍👧👍🏽☎️🇩🇪", "éééé\u0301\u0302\u0303\u0304\u0305")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_names_of_any_script_are_text_and_keep_the_columns(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        for number, names in enumerate((HOSTILE, WIDE_NAMES, ("Ana", "שלום עולם", "", "x" * 200))):
            stage.match = Match(f"m{number}")
            await check(stage, names)

    async def check(stage: Stage, names: tuple[str, ...]) -> None:

        view = public("plays", ("none", "none", "laid", "none"))
        await stage.feed(
            table_state(names=names, title="[red]x[/red]", match=stage.match.name),
            stage.match.update(view, own(), *LAYS, events=REVEAL),
        )
        await stage.at(TableScreen)
        lines = stage.text.splitlines()
        assert all(cell_len(line) == size[0] for line in lines)
        rows = [line for line in lines if " cards" in line and " top " in line]
        assert len(rows) == 4
        assert len({cell_len(row[: row.index(" cards")]) for row in rows}) == 1
        assert len({cell_len(row[: row.index(" top ")]) for row in rows}) == 1
        assert "[red]x[/red]" in lines[0]
        assert not any(ord(char) < 32 for line in lines for char in line)
        if names is HOSTILE:
            assert "[b]Ana[/b]" in stage.text
            assert "\\x1b[2J" in stage.text

    run(scene, tmp_path, size=size)


def test_what_the_police_did_is_seen_at_the_bank_and_beside_the_payer(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        events = (
            *REVEAL,
            Police(bank=0, cards=(1_000, 2_000, 3_000, 4_000), most=8, payers=(3,), choosing=()),
            Given(seat=3, card=9_000),
        )
        await sit(stage, public("supply", ("none",) * 4), own(), events=events)
        assert "police" in str(stage.app.screen.query_one(BankRow).render())
        assert "police: −9,000" in str(stage.app.screen.query_one(People).render())

    run(scene, tmp_path)


def test_states_of_people_are_told_in_words(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        one = participant("none", paying=True)
        view = public("police", ("none",) * 4, participants=(participant(), one, participant(), participant()))
        seats = table_state(seats=[*_seats("here", "away", "stand_in", "left")])
        await stage.feed(seats, stage.match.update(view, own(), events=[Chose(seat=0)]))
        await stage.at(TableScreen)
        for part in ("chooses an item", "(away)", "away, a bot plays", "left, a bot plays"):
            assert part in stage.text

    run(scene, tmp_path, size=(100, 24))


def _seats(*states: str) -> list[Any]:
    return [SeatInfo(name=f"P{number}", kind="person", state=state) for number, state in enumerate(states)]


def test_open_stacks_are_shown_where_there_is_room(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        open_one = participant(loot=(1_000, 2, 7_000))
        view = public("plays", participants=(open_one,) * 4)
        await sit(stage, view, own(), *LAYS)
        assert "7,000 + pearl necklace (item) + 1,000" in stage.text

    run(scene, tmp_path, size=(120, 40))


def test_a_spectator_sees_the_table_and_is_asked_nothing(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state(you=None), stage.match.update(public("plays", ("none",) * 4), None))
        await stage.at(TableScreen)
        assert "You are watching." in stage.text
        assert "[Y]" not in stage.text
        await stage.press("y", "c")
        assert stage.client.acted == []

    run(scene, tmp_path)


def test_the_row_of_banks_is_the_one_that_was_sent(tmp_path: Path) -> None:
    """Newest on top: the first line of loot is the last card of each bank."""

    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        first = str(stage.app.screen.query_one(BankRow).render()).splitlines()[1]
        assert first.split() == [f"{bank[-1]:,}" for bank in BANKS]

    run(scene, tmp_path)
