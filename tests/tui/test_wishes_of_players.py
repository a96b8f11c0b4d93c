"""Small things that people who tried the client stumbled over, one test each."""

from pathlib import Path

import pytest
from textual.widgets import Input

from robby_client import codes
from robby_client.codes import PASSWORD_NEEDED
from robby_client.events import Ended
from robby_games.robby_solo import Confirm, Confirmed, Revealed, RoundStarted, TakeBack
from robby_protocol import errors
from robby_protocol.errors import PASSWORD_WRONG
from robby_tui.cells import width
from robby_tui.robby_solo.banks import _named
from robby_tui.robby_solo.loot import in_one_line
from robby_tui.robby_solo.recap import Recap
from robby_tui.screens.connect import ConnectScreen, said_here
from robby_tui.screens.help import Help
from robby_tui.screens.lobby import LobbyScreen
from robby_tui.screens.table import TableScreen
from robby_tui.terminal import to_ascii
from robby_tui.widgets.countdown import Countdown
from robby_tui.widgets.story import Story
from robby_tui.widgets.toggles import Tick
from tests.tui.fakes import WILL_NOT_RED, lobby, own, public, table, table_state
from tests.tui.kit import Stage, run
from tests.tui.tables import ASKED, LAYS, REVEAL, sit


@pytest.mark.parametrize("code", [PASSWORD_NEEDED, PASSWORD_WRONG])
def test_a_password_asked_for_is_typed_into_its_field(tmp_path: Path, code: str) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(ConnectScreen)
        stage.client.tell(Ended(code, "The server asks for a password."))
        await stage.sees("asks for a password")
        await stage.press(*"secret")
        assert stage.screen.query_one("#password", Input).value == "secret"
        assert stage.screen.query_one("#name", Input).value == "Ana"
        assert "secret" not in stage.text

    run(scene, tmp_path, connected=False)


def test_what_the_connect_screen_says_names_its_fields_and_no_option_of_the_command_line() -> None:
    for code in codes.CODES | errors.CODES:
        assert "--" not in (said_here(code) or codes.text_for(code)), code


def test_a_server_that_speaks_tls_alone_is_reached_by_enter(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(ConnectScreen)
        assert not stage.screen.query_one("#tls", Tick).value
        stage.client.tell(Ended(errors.TLS_REQUIRED, "This server speaks TLS alone."))
        await stage.sees("Enter connects")
        assert stage.screen.query_one("#tls", Tick).value
        await stage.press("enter")
        await stage.sees("Connecting to")

    run(scene, tmp_path, connected=False)


def test_a_passing_note_does_not_hide_the_question(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        await stage.sees("Which bank do you rob?")
        stage.app.notify("The connection is back.")
        await stage.sees("The connection is back.")
        assert "Which bank do you rob? Lay its card face down" in stage.text
        assert "lay  PgUp log" in stage.text

    run(scene, tmp_path)


def test_the_connect_screen_names_keys_that_work_in_a_field(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(ConnectScreen)
        assert stage.text.count("quit") == 1
        for part in ("F1 help", "Ctrl+Q quit"):
            assert part in stage.text
        stage.screen.query_one("#name", Input).focus()
        await stage.press("f1")
        await stage.at(Help)

    run(scene, tmp_path, connected=False, address=None)


def test_the_lobby_says_who_sits_at_the_table_under_the_cursor(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        await stage.feed(lobby(table("waiting"), table("finished", table="B2", names=("Emil", "Fay"))))
        await stage.sees("At this table: Ana, Ben, Cleo ⚙, Dora")
        assert "between games" in stage.text
        await stage.press("down")
        await stage.sees("At this table: Emil, Fay")

    run(scene, tmp_path)


async def _asked(stage: Stage) -> None:
    view = public("revision", ("laid",) * 4, declaration=WILL_NOT_RED)
    await stage.feed(table_state(), stage.match.update(view, own(3), Confirm(), TakeBack(), events=REVEAL))
    await stage.at(TableScreen)


def test_the_time_left_stays_in_sight_over_the_help(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await _asked(stage)
        await stage.press("?")
        await stage.at(Help)
        assert stage.screen.query_one(Countdown).display
        assert "18 s left" in stage.text

    run(scene, tmp_path)


def test_keys_in_the_help_stay_with_what_they_do(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await _asked(stage)
        await stage.press("?")
        await stage.at(Help)
        seen = ""
        for _page in range(12):
            seen += stage.text
            await stage.press("pagedown")
        for part in ("q quit", "k remove who sits there", "c create a table"):
            assert part in seen, part

    run(scene, tmp_path)


def test_a_parked_log_says_so_and_end_or_a_question_comes_back(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        view = public("plays", ("none",) * 4)
        many = [RoundStarted(round=number, gentleman=1, deck=30) for number in range(1, 60)]
        await stage.feed(table_state(), stage.match.update(view, own(), *LAYS, events=many))
        await stage.at(TableScreen)
        await stage.sees("Round 59")
        await stage.press("pageup")
        await stage.sees("End newest lines")
        assert "newer lines below" not in stage.text
        await stage.feed(stage.match.update(view, own(), *LAYS, events=[Confirmed(seat=2)]))
        await stage.sees("newer lines below")
        await stage.press("end")
        await stage.sees("Cleo confirmed.")
        assert "newer lines below" not in stage.text
        assert "PgUp log" in stage.text
        await stage.press("pageup")
        later = public("revision", ("laid",) * 4)
        await stage.feed(stage.match.update(later, own(3), Confirm(), TakeBack(), events=[Confirmed(seat=3)]))
        await stage.sees("Dora confirmed.")
        assert not stage.screen.query_one(Story).parked

    run(scene, tmp_path)


def test_the_first_picture_of_a_long_log_is_its_end(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        view = public("plays", ("none",) * 4)
        many = [RoundStarted(round=number, gentleman=1, deck=30) for number in range(1, 200)]
        await stage.feed(table_state(), stage.match.update(view, own(), *LAYS, events=many))
        await stage.at(TableScreen)
        await stage.sees("Round 199")

    run(scene, tmp_path)


def test_what_was_said_of_one_question_ends_with_it(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await _asked(stage)
        await stage.press("v")
        await stage.sees("Only the Gentleman may reveal")
        await stage.feed(stage.match.update(public("plays", ("none",) * 4, round=8), own(), *LAYS))
        assert "Only the Gentleman may reveal" not in stage.text

    run(scene, tmp_path)


@pytest.mark.parametrize("names", [("Ana", "Ben", "Cleo", "Dora"), ("Ana", "Ben", "Cleo", "Dora", "Emil", "Fay")])
def test_all_rows_are_there_in_the_smallest_window(tmp_path: Path, names: tuple[str, ...]) -> None:
    async def scene(stage: Stage) -> None:
        view = public("revision", ("laid",) * len(names), declaration=WILL_NOT_RED)
        await stage.feed(
            table_state(names=names), stage.match.update(view, own(3), Confirm(), TakeBack(), events=REVEAL)
        )
        await stage.at(TableScreen)
        rows = [line for line in stage.text.splitlines() if " cards " in line]
        assert len(rows) == len(names)
        assert "c confirm" in stage.text
        assert "18 s left" in stage.text
        if len(names) == 4:
            assert "your loot: worth" in stage.text
            assert stage.screen.query_one(Story).size.height >= 1

    run(scene, tmp_path, size=(60, 18))


def test_the_own_loot_tells_its_worth_and_cuts_no_number() -> None:
    stack = (1_000, 4, 9_000, 2_000, 8_000, 3, 7_000, 6_000, 5_000, 4_000)
    whole = in_one_line(stack, 200)
    assert whole.startswith("your loot: worth 52,000 (money 42,000, 2 items); newest 4,000 · 5,000")
    assert whole.endswith("1,000")
    for cells in range(50, 120):
        text = in_one_line(stack, cells)
        assert width(text) <= cells
        assert whole.startswith(text.removesuffix(" …"))
        rest = whole[len(text.removesuffix(" …")) :]
        assert rest == "" or rest.startswith((" · ", "; newest"))


def test_names_at_a_bank_all_leave_a_trace() -> None:
    assert _named(["Mabel", "Cleo"], 20) == "Mabel Cleo"
    assert _named(["Mabel", "Cleo"], 8) == "Mab Cle"
    assert _named(["Mabel", "Cleo", "Dora"], 8) == "Mabel +2"
    assert _named(["Mabel"], 3) == "Mabel"


def test_the_last_round_is_told_beside_each_while_the_next_card_is_chosen(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        view = public("plays", ("none",) * 4)
        await stage.feed(table_state(), stage.match.update(view, own(), *LAYS, events=REVEAL))
        await stage.at(TableScreen)
        revealed = next(event for event in REVEAL if isinstance(event, Revealed))
        assert stage.text.count("last: ") == len(Recap(revealed.banks).named)

    run(scene, tmp_path)


def test_plain_characters_for_people_are_no_banks_letters() -> None:
    assert not set(to_ascii("♛⚙")) & set("YGRBXPKygrbxpk")
    assert "?" not in to_ascii("".join(map(chr, range(0x2500, 0x25A0))))
