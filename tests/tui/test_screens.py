"""All screens but the table: connecting, the lobby, making a table, the room, results, help, and losing the network."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from textual import events
from textual.widgets import DataTable, Input, OptionList

from robby_client.address import Address
from robby_client.client import Refused
from robby_client.codes import fingerprint
from robby_client.events import Ended
from robby_client.quick import QuickTable
from robby_client.session import kept_by
from robby_client.store import Store
from robby_client.stories.registry import STORIES
from robby_games.robby_solo import GameOver, Options
from robby_protocol.messages import (
    GameOffer,
    ScoreLine,
    TableAddBot,
    TableClosed,
    TableConfigure,
    TableCreate,
    TableHandOver,
    TableJoin,
    TableKick,
    TableNews,
    TableReady,
    TableStart,
)
from robby_tui.screens.ask import AskText, Choose
from robby_tui.screens.confirm import Confirm
from robby_tui.screens.connect import LONGEST_ADDRESS, ConnectScreen
from robby_tui.screens.help import Help
from robby_tui.screens.lobby import LobbyScreen
from robby_tui.screens.results import ResultsScreen
from robby_tui.screens.room import RoomScreen
from robby_tui.screens.setup import SetupScreen
from robby_tui.screens.table import TableScreen
from robby_tui.widgets.choices import Choices
from robby_tui.widgets.options_form import OptionsForm
from robby_tui.widgets.toggles import Tick
from tests.tui.fakes import GREETING, WELCOME, lobby, own, public, scores, table, table_state
from tests.tui.kit import Stage, run


def calls(stage: Stage, command: type) -> list[dict[str, Any]]:
    return [fields for called, fields in stage.client.called if called is command]


# Connecting.


def test_address_and_name_are_asked_and_taken(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(ConnectScreen)
        await stage.press("enter")
        assert stage.maker.clients == []
        assert "Alone: robby play" in stage.text
        await stage.press("shift+tab", "ctrl+u", *"[::1]:99")
        await stage.press("tab", *"Ana", "enter")
        address, plan = stage.maker.asked[0]
        assert (address.host, address.port, plan.name) == ("::1", 99, "Ana")
        stage.client.connect()
        await stage.at(LobbyScreen)

    run(scene, tmp_path, connected=False, address=None, name=None)


def test_a_wrong_address_is_said_beside_its_field(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        stage.screen.query_one("#address").focus()
        await stage.press("ctrl+u", *"host:99999999", "enter")
        await stage.sees("A port is a number")
        assert stage.maker.clients == []
        assert stage.app.focused is stage.screen.query_one("#address")

    run(scene, tmp_path, connected=False, address=None)


@pytest.mark.parametrize(
    ("code", "field"),
    [("name_taken", "name"), ("name_invalid", "name"), ("password_wrong", "password"), ("connection_refused", None)],
)
def test_a_refusal_is_said_where_it_is_made_right(tmp_path: Path, code: str, field: str | None) -> None:
    async def scene(stage: Stage) -> None:
        stage.client.tell(Ended(code, "What went wrong."))
        await stage.sees("What went wrong.")
        if field is not None:
            assert stage.app.focused is stage.screen.query_one(f"#{field}")
        stage.screen.query_one("#address").focus()
        await stage.press("enter")
        assert len(stage.maker.clients) == 2

    run(scene, tmp_path, connected=False)


def test_another_server_at_the_address_is_gone_on_with_only_if_wanted(tmp_path: Path) -> None:
    changed = Ended("server_id_changed", "This is not the server.", known_id=b"o" * 32, new_id=b"n" * 32)

    async def scene(stage: Stage) -> None:
        stage.client.connect()
        kept_by(Store(tmp_path), Address.parse("localhost"), "Ana")["on_welcome"](
            structs.replace(GREETING, server_id=b"o" * 32), WELCOME
        )
        stage.client.tell(changed)
        await stage.at(Confirm)
        assert fingerprint(b"o" * 32) in stage.text
        assert fingerprint(b"n" * 32) in stage.text
        await stage.press("enter")
        assert len(stage.maker.clients) == 1
        await stage.press("enter")
        assert len(stage.maker.clients) == 2
        stage.client.tell(changed)
        await stage.at(Confirm)
        await stage.press("left", "enter")
        assert len(stage.maker.clients) == 3
        assert stage.maker.asked[-1][1].known_server_id == b"n" * 32
        assert Store(tmp_path).recent()[0].server_id == b"n" * 32

    run(scene, tmp_path, connected=False)


def test_a_pasted_book_is_cut_and_freezes_nothing(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        stage.screen.query_one("#address").focus()
        await stage.press("ctrl+u")
        stage.app.post_message(events.Paste("x y\n" * 250_000))
        await stage.settle()
        assert len(stage.screen.query_one("#address", Input).value) <= LONGEST_ADDRESS
        assert stage.maker.clients == []
        await stage.press("tab", *"Ben")
        assert stage.screen.query_one("#name", Input).value.endswith("Ben")

    run(scene, tmp_path, connected=False, address=None)


# The network.


def test_a_fault_of_the_network_task_is_a_message_and_no_exit(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        stage.client.fail(RuntimeError("boom"))
        await stage.at(ConnectScreen)
        await stage.sees("RuntimeError")
        stage.screen.query_one("#address").focus()
        await stage.press("enter")
        assert len(stage.maker.clients) == 2

    run(scene, tmp_path)


def test_what_the_app_cannot_show_yet_stays_with_the_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's inbox drops what is out of date; a queue in front of it would grow with every flood."""

    async def scene(stage: Stage) -> None:
        shown = asyncio.Event()
        take_over = stage.app._take_over

        async def slowly(client: Any, event: Any) -> None:
            await shown.wait()
            await take_over(client, event)

        monkeypatch.setattr(stage.app, "_take_over", slowly)
        stage.client.feed(*(lobby(people=number) for number in range(50)))
        await asyncio.sleep(0.1)
        assert stage.client.waiting >= 48
        shown.set()
        await stage.settle()
        assert stage.client.waiting == 0

    run(scene, tmp_path)


def test_being_replaced_ends_at_the_connect_screen_with_the_reason(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        stage.client.tell(Ended("replaced", "The same player connected from somewhere else."))
        await stage.at(ConnectScreen)
        await stage.sees("connected from somewhere else")

    run(scene, tmp_path)


def test_a_dialog_closes_when_the_world_moves_on(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        await stage.press("c")
        await stage.at(SetupScreen)
        await stage.feed(table_state("waiting"))
        await stage.at(RoomScreen)

    run(scene, tmp_path)


def test_a_table_at_once(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.until(lambda: bool(calls(stage, TableStart)))
        assert calls(stage, TableCreate)[0]["bots"] == ["greedy", "greedy"]
        assert calls(stage, TableStart) == [{}]

    run(scene, tmp_path, quick=QuickTable("robby-solo", bots=["greedy", "greedy"]))


# The lobby.


def test_the_lobby_lists_tables_and_joins(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        await stage.sees("No table yet.")
        tables = [table("waiting", title="[b]One[/b]"), table(title="漢字" * 40, table="B2")]
        await stage.feed(lobby(*tables))
        await stage.sees("[b]One[/b]")
        assert "playing" in stage.text
        await stage.press("down")
        await stage.feed(lobby(table("waiting", table="A0"), *tables))
        await stage.press("enter")
        assert calls(stage, TableJoin) == [{"table": "B2"}]
        stage.client.refuse.append(Refused("table_full", "The table is full."))
        await stage.press("i")
        await stage.at(AskText)
        await stage.press(*"ZZ9", "enter")
        assert calls(stage, TableJoin)[-1] == {"table": "ZZ9"}
        await stage.sees("The table is full.")

    run(scene, tmp_path)


def test_options_that_the_list_has_no_room_for_are_told_below_it(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        await stage.feed(lobby(table("waiting", game="wild-wild-pattern", names=("Ana",), options={"rounds": 1})))
        await stage.sees("At this table: Ana")
        assert "standard, own rules" in stage.text

    run(scene, tmp_path)


def test_each_game_to_choose_is_said_to_be_what_it_is(tmp_path: Path) -> None:
    offers = [GameOffer(name=name, version=1, bots=["greedy"]) for name in STORIES]

    async def scene(stage: Stage) -> None:
        stage.client.connect(greeting=structs.replace(GREETING, games=offers))
        await stage.feed(lobby())
        await stage.press("c")
        await stage.at(Choose)
        for line in (
            "Robby Solo – bluff at the banks, 3–6",
            "Tresor Diebe – dice to press your luck, 2–4",
            "Wild Wild Pattern – a race of quick eyes, 2–4",
        ):
            assert line in stage.text

    run(scene, tmp_path, size=(60, 18), connected=False)


def test_the_lobby_asks_for_the_list_again_after_a_loss(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        watching = len(stage.client.called)
        stage.client.lose()
        await stage.sees("Connection lost")
        await stage.press("enter", "c")
        assert isinstance(stage.screen, LobbyScreen)
        stage.client.connect(resumed=True)
        await stage.until(lambda: len(stage.client.called) > watching)

    run(scene, tmp_path)


def test_a_table_is_made_with_all_options(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        await stage.press("c")
        await stage.at(SetupScreen)
        await stage.press(*"Friday")
        form = stage.screen.query_one(OptionsForm)
        for name, value in (("supply_ms", "2.5"), ("revision_min_ms", "0"), ("max_rounds", "12"), ("items", "3")):
            form.query_one(f"#opt-{name}", Input).value = value
        form.query_one("#opt-junior", Tick).value = True
        form.query_one("#opt-open_loot", Tick).value = True
        form.query_one("#opt-time").focus()
        await stage.press("up", "enter")
        stage.screen.query_one("#capacity", Input).value = "4"
        stage.screen.query_one("#bots-1", Input).value = "2"
        stage.client.refuse.append(Refused("bad_options", "Robby Junior needs fewer players."))
        await stage.press("f2")
        await stage.sees("Robby Junior needs fewer players.")
        await stage.press("f2")
        await stage.at(LobbyScreen)
        made = calls(stage, TableCreate)[-1]
        assert made == {
            "game": "robby-solo",
            "title": "Friday",
            "capacity": 4,
            "bots": ["random", "random"],
            "private": False,
            "spectators": True,
            "delay_s": 0,
            "options": {
                "time": "blitz",
                "supply_ms": 2_500,
                "revision_min_ms": 0,
                "max_rounds": 12,
                "items": 3,
                "junior": True,
                "open_loot": True,
            },
        }

    run(scene, tmp_path)


def test_wrong_numbers_are_said_and_nothing_is_sent(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.press("c")
        await stage.at(SetupScreen)
        field = stage.screen.query_one("#opt-items", Input)
        for wrong in ("8", "1.5", ".", "1.2.3"):
            field.value = wrong
            await stage.press("f2")
            await stage.sees("items in the deck: a number from 0 to 7")
            assert stage.app.focused is field
        field.value = "7"
        stage.screen.query_one("#capacity", Input).value = "9"
        await stage.press("f2")
        await stage.sees("Seats: a number from 2 to 6")
        stage.screen.query_one("#capacity", Input).value = "3"
        stage.screen.query_one("#bots-0", Input).value = "3"
        await stage.press("f2")
        await stage.sees("seat fewer bots")
        await stage.press("escape")
        await stage.at(LobbyScreen)
        assert calls(stage, TableCreate) == []

    run(scene, tmp_path)


def test_the_form_has_a_field_for_every_option(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.press("c")
        await stage.at(SetupScreen)
        for name in Options.__struct_fields__:
            assert stage.screen.query(f"#opt-{name}"), name
        assert stage.screen.query_one(OptionsForm).read() == {}

    run(scene, tmp_path)


# The room.


def test_the_room_shows_seats_and_the_host_acts(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting", news=[TableNews(code="joined", seat=1, name="Ben")]))
        await stage.at(RoomScreen)
        for part in ("Ana", "Ben", "Cleo", "K7QD", "free", "not ready", "Ben sat down.", "Ben and Dora"):
            assert part in stage.text
        seats = stage.screen.query_one(OptionList)
        seats.highlighted = 1
        for part in ("↑ ↓ choose a seat", "k remove", "h make host", "l leave", "q quit"):
            assert part in stage.text
        await stage.press("k", "enter")
        assert calls(stage, TableKick) == []
        await stage.press("k", "right", "enter")
        assert calls(stage, TableKick) == [{"seat": 1, "name": "Ben"}]
        await stage.press("h")
        assert calls(stage, TableHandOver) == [{"seat": 1, "name": "Ben"}]
        seats.highlighted = 0
        await stage.press("k")
        assert len(calls(stage, TableKick)) == 1
        await stage.press("a")
        await stage.at(Choose)
        await stage.press("down", "enter")
        assert calls(stage, TableAddBot) == [{"bot": "random"}]
        await stage.press("s")
        assert calls(stage, TableStart) == [{}]
        await stage.press("o")
        await stage.at(SetupScreen)
        stage.screen.query_one("#opt-max_rounds", Input).value = "9"
        await stage.press("f2")
        await stage.at(RoomScreen)
        assert calls(stage, TableConfigure)[0]["options"] == {"max_rounds": 9}

    run(scene, tmp_path)


def test_a_guest_of_the_table_gets_ready_and_cannot_do_the_hosts_things(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting", you=1))
        await stage.at(RoomScreen)
        await stage.sees("Press r when you are ready.")
        await stage.press("a", "s", "k", "h", "o")
        assert isinstance(stage.screen, RoomScreen)
        await stage.press("r")
        assert calls(stage, TableReady) == [{"ready": True}]
        commands = {command for command, _fields in stage.client.called}
        assert not commands & {TableStart, TableKick, TableHandOver, TableConfigure, TableAddBot}

    run(scene, tmp_path)


@pytest.mark.parametrize("key", ["page_down", "page_up"])
def test_paging_through_lines_that_are_not_laid_out_does_nothing(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """Textual looks up lines that do not exist, in the moment after the options were put in anew."""

    def no_such_line(_list: OptionList) -> None:
        raise KeyError(4)

    monkeypatch.setattr(OptionList, f"action_{key}", no_such_line)
    getattr(Choices("one"), f"action_{key}")()


def test_a_closed_table_leads_back_to_the_lobby(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting"))
        await stage.at(RoomScreen)
        await stage.feed(TableClosed(table="K7QD", code="kicked", text="The host removed you from the table."))
        await stage.at(LobbyScreen)
        await stage.sees("The host removed you")

    run(scene, tmp_path)


# Results.


RESULT = [
    ScoreLine(name="Cleo", seat=2, score=43_000, winner=True),
    ScoreLine(name="Ana", seat=0, score=21_000, winner=False),
    ScoreLine(name="Ben", seat=1, score=5_000, winner=False),
    ScoreLine(name="Dora", seat=3, score=0, winner=False),
]


async def finish(stage: Stage, **fields: Any) -> None:
    over = public("over", ("none",) * 4, scores=scores())
    await stage.feed(
        table_state("finished", result=RESULT, **fields),
        stage.match.update(over, own(), events=[GameOver(reason="deck", scores=scores())], clock=None),
    )
    await stage.at(ResultsScreen)


def test_scores_are_explained_line_by_line(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await finish(stage)
        lines = [" ".join(line.split()) for line in stage.text.splitlines()]
        at = lines.index("★ 1. Cleo 43,000")
        assert lines[at + 1] == "33,000 in 4 money cards: 2×9,000, 8,000, 7,000"
        assert lines[at + 2] == "+ 10,000 for 2 items: pocket watch, diamond ring"
        assert "▸ 2. Ana (you) 21,000" in lines
        assert "Cleo wins." in lines[0]
        await stage.press("s")
        assert calls(stage, TableStart) == [{}]
        await stage.press("o")
        await stage.at(RoomScreen)
        await stage.press("e")
        await stage.at(ResultsScreen)

    run(scene, tmp_path)


def test_a_rematch_leads_from_the_results_to_the_table(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await finish(stage, you=1)
        await stage.press("r")
        assert calls(stage, TableReady) == [{"ready": True}]
        stage.match = type(stage.match)("m2")
        await stage.feed(
            table_state("playing", match="m2", you=1), stage.match.update(public("plays", ("none",) * 4), own(seat=1))
        )
        await stage.at(TableScreen)

    run(scene, tmp_path)


def test_a_match_that_was_broken_off_has_no_winner(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("finished"))
        await stage.at(ResultsScreen)
        await stage.sees("broken off")

    run(scene, tmp_path)


# Everywhere.


def test_help_and_the_palette_open_and_close(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        await stage.press("question_mark")
        await stage.at(Help)
        await stage.sees("Keys everywhere")
        await stage.press("pagedown", "escape")
        await stage.at(LobbyScreen)
        await stage.press("f1")
        await stage.at(Help)
        await stage.press("q")
        await stage.at(LobbyScreen)
        await stage.press("ctrl+p")
        await stage.sees("Other server")
        await stage.press("escape")
        await stage.at(LobbyScreen)
        await stage.press("escape")
        await stage.at(ConnectScreen)

    run(scene, tmp_path)


def test_quitting_outside_a_game_asks_nothing_and_says_bye(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        await stage.pilot.press("q")
        await stage.until(lambda: stage.client.stopped)

    assert run(scene, tmp_path).return_code == 0


@pytest.mark.parametrize(
    ("game", "options", "shown"),
    [
        (
            "robby-solo",
            {"max_rounds": 77},
            ("rounds at most", "77", "revision, sho", "revision, lon", "item for"),
        ),
        (
            "tresor-diebe",
            {"time": "blitz", "rounds": 4, "decision_ms": 45_000},
            ("rounds ", " 4 ", "each decision", "45"),
        ),
        ("wild-wild-pattern", {"rounds": 5}, ("rounds", " 5 ")),
    ],
)
def test_every_option_can_be_read_in_the_smallest_window(
    tmp_path: Path, game: str, options: dict[str, Any], shown: tuple[str, ...]
) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting", game=game, options=options, capacity=4))
        await stage.at(RoomScreen)
        await stage.press("o")
        await stage.at(SetupScreen)
        for part in (*shown, "OK (F2)", "Back (Esc)"):
            assert part in stage.text, part
        for field in stage.screen.query(Input):
            assert field.region.right <= 57, field.id

    run(scene, tmp_path, size=(60, 18))


@pytest.mark.parametrize("size", [(80, 24), (60, 18), (40, 12), (1, 1)])
def test_every_screen_bears_every_size(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(lobby(table(), table("waiting")))
        await stage.press("c")
        await stage.press("escape", "i", "escape", "f1", "escape")
        await stage.feed(table_state("waiting"))
        await stage.at(RoomScreen)
        await finish(stage)

    run(scene, tmp_path, size=size)


def test_no_color_leaves_no_colour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def scene(stage: Stage) -> None:
        await stage.feed(table_state(), stage.match.update(public("plays", ("none",) * 4), own()))
        await stage.at(TableScreen)
        for strip in stage.app.screen._compositor.render_strips():
            for segment in strip.apply_filter(stage.app._filters[-1], stage.app.screen.background_colors[1]):
                for color in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                    if color is not None and color.triplet is not None:
                        assert color.triplet.red == color.triplet.green == color.triplet.blue

    run(scene, tmp_path)


def test_grid_of_tables_shows_cells_as_text(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(lobby(table("waiting", title="[@click=quit]x[/]")))
        await stage.sees("[@click=quit]x[/]")
        assert stage.screen.query_one(DataTable).row_count == 1

    run(scene, tmp_path)
