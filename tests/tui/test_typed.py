"""Keys act in the order typed, however quickly they come; a burst is one write to the terminal."""

import asyncio
import time
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input

from robby_games.robby_solo import Confirm as ConfirmCard
from robby_games.robby_solo import TakeBack
from robby_protocol.messages import TableCreate, TableLeave
from robby_tui.presses import Presses
from robby_tui.screens.confirm import Confirm
from robby_tui.screens.connect import ConnectScreen
from robby_tui.screens.lobby import LobbyScreen
from robby_tui.screens.room import RoomScreen
from robby_tui.screens.table import TableScreen
from robby_tui.typed import MOST_WAITING
from tests.tui.fakes import own, public, table_state
from tests.tui.kit import Stage, run


async def burst(stage: Stage, *keys: str) -> None:
    """All of these at once, as they come from one write."""
    for key in keys:
        stage.app.post_message(events.Key(key, key if len(key) == 1 else None))
    await stage.settle()
    await stage.until(lambda: not stage.app._typed.busy)
    await stage.settle()


def test_letters_do_not_overtake_the_keys_between_them(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(ConnectScreen)
        stage.screen.query_one("#address", Input).focus()
        await stage.settle()
        await burst(stage, "ctrl+u", *"host", "tab", *"xq", "backspace", "backspace", *"Carl", "left", "left", "u")
        assert stage.screen.query_one("#address", Input).value == "host"
        assert stage.screen.query_one("#name", Input).value == "Caurl"

    run(scene, tmp_path, connected=False, address=None, name="")


def test_a_dialog_that_a_key_opened_gets_the_keys_after_it(tmp_path: Path) -> None:
    """With the guard as it is for people: what one's own key opened is what the next keys are for."""

    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        await asyncio.sleep(0.2)
        await burst(stage, "c", *"Monday", "tab", "backspace", "4", "f2")
        command, fields = next((c, f) for c, f in stage.client.called if c is TableCreate)
        assert command is TableCreate
        assert (fields["title"], fields["capacity"]) == ("Monday", 4)

    run(scene, tmp_path, presses=Presses())


def test_arrow_and_enter_choose_in_a_dialog(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        view = public("revision", ("laid",) * 4)
        await stage.feed(table_state(), stage.match.update(view, own(3), ConfirmCard(), TakeBack()))
        await stage.at(TableScreen)
        await asyncio.sleep(0.2)
        await burst(stage, "q", "enter")
        assert not isinstance(stage.screen, Confirm)
        assert not stage.client.stopped
        await asyncio.sleep(0.2)
        await burst(stage, "l", "right", "enter")
        assert any(command is TableLeave for command, _fields in stage.client.called)

    run(scene, tmp_path, presses=Presses(held=0.0))


def test_what_the_server_changed_is_not_meant_by_keys_typed_before(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting"))
        await stage.at(RoomScreen)
        await asyncio.sleep(0.2)
        view = public("revision", ("laid",) * 4)
        pressed = events.Key("c", "c")
        await stage.feed(table_state(), stage.match.update(view, own(3), ConfirmCard(), TakeBack()))
        await stage.at(TableScreen)
        stage.app.post_message(pressed)
        await stage.settle()
        assert stage.client.acted == []

    run(scene, tmp_path, presses=Presses())


def test_closing_a_dialog_keeps_its_keys_from_the_table(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        view = public("revision", ("laid",) * 4)
        await stage.feed(table_state(), stage.match.update(view, own(3), ConfirmCard(), TakeBack()))
        await stage.at(TableScreen)
        await asyncio.sleep(0.2)
        await burst(stage, "l", "escape", "c")
        assert isinstance(stage.screen, TableScreen)
        assert stage.client.acted == []

    run(scene, tmp_path, presses=Presses())


def test_a_flood_of_keys_is_bounded_and_leaving_does_not_wait_for_it(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        for _number in range(MOST_WAITING * 2):
            stage.app._typed.put(events.Key("x", "x"))
        assert stage.app._typed.waiting <= MOST_WAITING
        begin = time.monotonic()
        stage.app._typed.put(events.Key("ctrl+q", None))
        await stage.until(lambda: stage.client.stopped)
        assert time.monotonic() - begin < 5.0

    run(scene, tmp_path)


@pytest.mark.parametrize("text", ["host", "h"])
def test_a_paste_goes_where_the_keys_before_it_led(tmp_path: Path, text: str) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(ConnectScreen)
        stage.screen.query_one("#address", Input).focus()
        await stage.settle()
        stage.app.post_message(events.Key("tab", None))
        stage.app.post_message(events.Paste(text))
        stage.app.post_message(events.Key("z", "z"))
        await stage.settle()
        await stage.until(lambda: not stage.app._typed.busy)
        assert stage.screen.query_one("#name", Input).value == text + "z"

    run(scene, tmp_path, connected=False, address=None, name="")
