"""Watching a table without a seat, private tables, and what the host may do about both."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from textual.widgets import Input

from robby_client.address import Address
from robby_client.client import Refused
from robby_client.dial import TlsPlan
from robby_client.quick import QuickTable
from robby_protocol.messages import (
    ScoreLine,
    TableClose,
    TableClosed,
    TableConfigure,
    TableCreate,
    TableJoin,
    TableLeave,
    TableUnwatch,
    TableWatch,
)
from robby_tui.screens.access import AccessScreen
from robby_tui.screens.confirm import Confirm
from robby_tui.screens.lobby import LobbyScreen
from robby_tui.screens.results import ResultsScreen
from robby_tui.screens.room import RoomScreen
from robby_tui.screens.setup import SetupScreen
from robby_tui.screens.table import TableScreen
from robby_tui.widgets.toggles import Tick
from tests.tui.fakes import lobby, own, public, scores, seats, table, table_state
from tests.tui.kit import Stage, run


def calls(stage: Stage, command: type) -> list[dict[str, Any]]:
    return [fields for called, fields in stage.client.called if called is command]


async def watch(stage: Stage, **fields: Any) -> None:
    """A running game, watched."""
    await stage.feed(
        table_state(you=None, delay_s=30, **fields), stage.match.update(public("plays", ("none",) * 4), None)
    )
    await stage.at(TableScreen)


def test_a_table_is_watched_from_the_lobby_and_left_without_a_question(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(lobby(table(), table("waiting", table="B2")))
        await stage.press("down", "w")
        assert calls(stage, TableWatch) == [{"table": "B2"}]
        await watch(stage)
        assert "You are watching (30 s behind)." in stage.text
        assert "[Y]" not in stage.text
        await stage.press("y", "c", "t", "1", "left", "enter")
        assert stage.client.acted == []
        await stage.press("l")
        await stage.at(LobbyScreen)
        assert calls(stage, TableUnwatch) == [{}]
        assert calls(stage, TableLeave) == []

    run(scene, tmp_path)


@pytest.mark.parametrize("size", [(80, 24), (60, 18), (120, 40)])
def test_a_table_of_bots_alone_is_shown_to_a_watcher(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        bots = [structs.replace(one, kind="bot", bot="greedy") for one in seats()]
        await watch(stage, seats=bots, host=None)
        for part in ("You are watching", "Ana ⚙", "Dora ⚙", "18 s left", "l stop"):
            assert part in stage.text

    run(scene, tmp_path, size=size)


def test_a_watcher_sits_down_where_a_seat_is_free_and_nowhere_else(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting", you=None))
        await stage.at(RoomScreen)
        assert "sit down" in stage.text
        await stage.press("r", "s", "a", "o", "x", "k")
        assert [command for command, _fields in stage.client.called[-1:]] != [TableClose]
        await stage.press("j")
        assert calls(stage, TableJoin) == [{"table": "K7QD"}]
        await stage.feed(table_state("waiting", you=None, capacity=4))
        assert "sit down" not in stage.text

    run(scene, tmp_path)


def test_a_watcher_sees_the_results(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        over = public("over", ("none",) * 4, scores=scores())
        await stage.feed(table_state("finished", you=None), stage.match.update(over, None, clock=None))
        await stage.at(ResultsScreen)
        assert "43,000" in stage.text
        assert "You are watching." in stage.text

    run(scene, tmp_path)


def test_a_win_that_four_long_names_share_is_told_whole(tmp_path: Path) -> None:
    names = ("Maximiliana von Kuhn", "一二三四五六七八九十", "Wolfeschlegelsteinha", "Bartholomew the Grea")
    result = [ScoreLine(name=name, seat=seat, score=9, winner=True) for seat, name in enumerate(names)]

    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("finished", you=None, names=names, result=result))
        await stage.at(ResultsScreen)
        told = " ".join(stage.text.split())
        assert "Wolfeschlegelsteinha and Bartholomew the Grea share the win. Friday · final scores" in told
        rows = [line.strip() for line in stage.text.splitlines() if "… " in line]
        assert rows == [f"✓ {names[0]}   … {names[1]}", f"… {names[2]}   … {names[3]}"]

    run(scene, tmp_path, size=(60, 18))


def test_watching_that_the_host_ends_leads_back_with_the_reason(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await watch(stage)
        await stage.feed(TableClosed(table="K7QD", code="spectators_forbidden", text="The host lets nobody watch."))
        await stage.at(LobbyScreen)
        await stage.sees("The host lets nobody watch.")

    run(scene, tmp_path)


def test_the_result_stays_at_the_top_of_the_lobby_when_a_watched_table_closes_at_the_end(tmp_path: Path) -> None:
    result = [
        ScoreLine(name="Cleo", seat=2, score=43_000, winner=True),
        ScoreLine(name="[b]Ana", seat=0, score=21_000, winner=False),
    ]

    async def scene(stage: Stage) -> None:
        await watch(stage)
        await stage.feed(
            table_state("finished", you=None, result=result), TableClosed(table="K7QD", code="empty", text="Closed.")
        )
        await stage.at(LobbyScreen)
        await stage.sees("Cleo wins: Cleo 43,000, [b]Ana 21,000.")
        await stage.press("d")
        assert "43,000" not in stage.text

    run(scene, tmp_path)


def test_a_watched_table_that_closes_before_the_end_has_no_result_to_show(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await watch(stage, result=[ScoreLine(name="Cleo", seat=2, score=43_000, winner=True)])
        await stage.feed(TableClosed(table="K7QD", code="empty", text="Closed."))
        await stage.at(LobbyScreen)
        await stage.sees("Closed.")
        assert "43,000" not in stage.text

    run(scene, tmp_path)


def test_the_lobby_says_in_words_what_is_private_and_what_may_be_watched(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        tables = [table("waiting", private=True, spectators=False), table(table="B2", delay_s=30, watchers=2)]
        await stage.feed(lobby(*tables))
        await stage.sees("private")
        assert "nobody may watch" in stage.text
        await stage.press("down")
        assert "watched by 2, 30 s behind" in stage.text
        assert "open" in stage.text

    run(scene, tmp_path)


@pytest.mark.parametrize(("key", "command"), [("enter", TableJoin), ("w", TableWatch)])
def test_a_private_table_asks_for_its_invite_or_its_password_until_one_is_right(
    tmp_path: Path, key: str, command: type
) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(lobby(table("waiting", private=True)))
        stage.client.refuse += [Refused("table_private"), Refused("access_denied"), Refused("too_many_attempts")]
        await stage.press(key)
        await stage.at(AccessScreen)
        await stage.press("enter")
        assert len(calls(stage, command)) == 1
        await stage.press(*"WRONG", "enter")
        await stage.sees("invite code or the password is wrong")
        await stage.sees("If that was the password")
        await stage.press("tab", *"secret", "enter")
        await stage.sees("Too many wrong attempts")
        assert "secret" not in stage.text
        stage.screen.query_one("#invite", Input).value = " ABCD "
        stage.screen.query_one("#table-password", Input).value = ""
        await stage.press("enter")
        await stage.at(LobbyScreen)
        assert calls(stage, command)[1] == {"table": "K7QD", "invite": "WRONG"}
        assert "password_proof" in calls(stage, command)[2]
        assert calls(stage, command)[3] == {"table": "K7QD", "invite": "ABCD"}

    run(scene, tmp_path)


def test_a_private_table_is_made_with_a_password_and_without_watchers(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.press("c")
        await stage.at(SetupScreen)
        screen = stage.screen
        screen.query_one("#table-password", Input).value = "hidden thing"
        await stage.press("f2")
        await stage.sees("Only a private table has a password")
        screen.query_one("#private", Tick).value = True
        screen.query_one("#spectators", Tick).value = False
        screen.query_one("#delay", Input).value = "45"
        await stage.press("f2")
        await stage.at(LobbyScreen)
        made = calls(stage, TableCreate)[0]
        assert made["private"] is True
        assert made["spectators"] is False
        assert made["delay_s"] == 45
        assert made["password_key"]

    run(scene, tmp_path)


@pytest.mark.parametrize(("typed", "sent"), [("", None), ("-", b""), ("new", b"new".ljust(32))])
def test_a_password_left_out_stays(tmp_path: Path, typed: str, sent: bytes | None) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting", private=True, delay_s=20, invite="ABCD"))
        await stage.at(RoomScreen)
        await stage.press("o")
        await stage.at(SetupScreen)
        stage.screen.query_one("#table-password", Input).value = typed
        await stage.press("f2")
        await stage.at(RoomScreen)
        changed = calls(stage, TableConfigure)[0]
        assert (changed["private"], changed["spectators"], changed["delay_s"]) == (True, True, 20)
        assert changed.get("password_key") == sent

    run(scene, tmp_path)


def test_the_room_shows_invite_and_address_and_the_host_renews_or_closes(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting", private=True, invite="ABCD-EFGH"))
        await stage.at(RoomScreen)
        for part in ("Invite code:", "ABCD-EFGH", "robby join example.org:99", "y copy invite", "i new invite"):
            assert part in stage.text
        await stage.press("y")
        assert stage.app.clipboard == "ABCD-EFGH"
        await stage.press("i")
        assert calls(stage, TableConfigure) == [{"new_invite": True}]
        await stage.press("x")
        await stage.at(Confirm)
        await stage.press("enter")
        assert calls(stage, TableClose) == []
        await stage.press("x", "right", "enter")
        assert calls(stage, TableClose) == [{}]

    run(scene, tmp_path, address="example.org:99")


@pytest.mark.parametrize(
    ("tls", "option"), [(TlsPlan(), "--tls"), (TlsPlan(ca=Path("certificates/ca.crt")), "--tls-ca ca.crt")]
)
def test_friends_are_told_to_come_by_tls_and_with_the_authority_if_it_has_a_file(
    tmp_path: Path, tls: TlsPlan, option: str
) -> None:
    async def scene(stage: Stage) -> None:
        stage.app.link.tls = tls
        await stage.feed(table_state("waiting"))
        await stage.sees(f"Friends: robby join example.org:99 {option}")

    run(scene, tmp_path, address="example.org:99")


def test_a_server_on_this_machine_is_not_given_out_as_if_others_could_reach_it(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        assert stage.app.link.address == Address("localhost")
        await stage.feed(table_state("waiting", you=1))
        await stage.sees("Friends: robby join localhost (from elsewhere: this machine's address)")
        assert "Invite" not in stage.text
        await stage.press("y", "i", "x")
        assert calls(stage, TableConfigure) == []
        assert isinstance(stage.screen, RoomScreen)

    run(scene, tmp_path)


def test_nobody_is_asked_to_come_to_a_game_against_bots(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting"))
        await stage.at(RoomScreen)
        await stage.sees("1. Ana")
        assert "Friends" not in stage.text

    run(scene, tmp_path, quick=QuickTable("robby-solo"))


def test_own_seat_and_watching_are_told_apart(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state(), stage.match.update(public("plays", ("none",) * 4), own()))
        await stage.at(TableScreen)
        assert "watching" not in stage.text
        await stage.press("j")
        assert calls(stage, TableJoin) == []

    run(scene, tmp_path)


def test_escape_gives_no_seat_up_without_a_question(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting"))
        await stage.at(RoomScreen)
        await stage.press("escape")
        await stage.at(Confirm)
        await stage.press("escape")
        await stage.at(RoomScreen)
        assert calls(stage, TableLeave) == []
        await stage.press("escape", "right", "enter")
        await stage.until(lambda: len(calls(stage, TableLeave)) == 1)

    run(scene, tmp_path)
