"""Chat: said by keys that are free everywhere, shown literally and as chat, and never in the way of the game."""

from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.widgets import OptionList

from robby_client.client import Refused
from robby_games.robby_solo import Lay, RoundStarted
from robby_protocol.messages import ChatSaid, ChatSend, TableMute
from robby_tui.presses import Presses
from robby_tui.screens.lobby import LobbyScreen
from robby_tui.screens.people import PeopleScreen
from robby_tui.screens.results import ResultsScreen
from robby_tui.screens.room import RoomScreen
from robby_tui.screens.table import TableScreen
from robby_tui.widgets.lines import line_width, wrap
from robby_tui.widgets.story import MOST_SAID, Story
from robby_tui.widgets.talkline import TalkField, TalkLine
from tests.tui.fakes import WILL_NOT_RED, lobby, own, public, said, scores, table, table_state
from tests.tui.kit import Stage, run
from tests.tui.tables import ASKED, LAYS, acted, sit


def spoken(stage: Stage) -> list[dict[str, Any]]:
    return [fields for command, fields in stage.client.called if command is ChatSend]


async def play(stage: Stage) -> None:
    await sit(stage, *ASKED["play"][:2], *LAYS)


async def hear(stage: Stage, *lines: ChatSaid) -> None:
    """Lines of chat, and the moment in which they are drawn."""
    await stage.feed(*lines)
    await stage.pilot.pause(0.15)
    await stage.settle()


def test_something_is_said_in_the_lobby_the_room_the_game_and_the_results(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(lobby(table("waiting")))
        await stage.at(LobbyScreen)
        await hear(stage, said("Ben", "anybody here?", table=None))
        await stage.sees("» Ben: anybody here?")
        await stage.press("slash")
        await stage.sees("To the lobby:")
        await stage.press(*"yes ", *"cq1", "enter")
        assert spoken(stage) == [{"table": None, "text": "yes cq1"}]
        assert isinstance(stage.screen, LobbyScreen)
        await stage.feed(table_state("waiting"))
        await stage.at(RoomScreen)
        await hear(stage, said("Ben", "hello", seat=1))
        await stage.sees("» Ben: hello")
        await stage.press("slash", *"srl", "enter")
        await play(stage)
        await stage.sees("» Ben: hello")
        await stage.press("slash", *"ygb", "enter")
        over = public("over", ("none",) * 4, scores=scores())
        await stage.feed(table_state("finished"), stage.match.update(over, own(), clock=None))
        await stage.press("enter")
        await stage.at(ResultsScreen)
        await hear(stage, said("Ben", "well played"))
        await stage.sees("» Ben: well played")
        await stage.press("slash", *"thanks", "enter")
        assert spoken(stage)[1:] == [{"table": "K7QD", "text": text} for text in ("srl", "ygb", "thanks")]
        assert stage.client.acted == []

    run(scene, tmp_path)


def test_keys_are_text_while_something_is_typed_and_keys_again_after(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await play(stage)
        await stage.press("slash", *"bank")
        assert stage.client.acted == []
        await stage.press("escape", "b")
        assert acted(stage) == [Lay(bank=3)]
        await stage.press("slash")
        assert stage.screen.query_one(TalkField).value == "bank"

    run(scene, tmp_path)


def test_a_key_typed_after_the_line_does_not_answer_a_question_that_came_meanwhile(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await play(stage)
        await stage.press("slash", *"wait")
        hand = public("revision", ("taken_back", "laid", "laid", "laid"), declaration=WILL_NOT_RED)
        await stage.feed(stage.match.update(hand, own(3), *LAYS))
        await stage.press("escape", "b")
        assert stage.client.acted == []

    run(scene, tmp_path, presses=Presses(settle=1_000.0, held=0.0))


def test_what_is_typed_stays_while_the_screen_changes_under_it(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting"))
        await stage.at(RoomScreen)
        await stage.press("slash", *"good lu")
        await play(stage)
        await stage.press(*"ck", "enter")
        assert spoken(stage) == [{"table": "K7QD", "text": "good luck"}]
        assert stage.client.acted == []
        assert not stage.screen.query_one(TalkLine).has_class("open")

    run(scene, tmp_path)


@pytest.mark.parametrize("code", ["chat_too_fast", "muted", "bad_chat"])
def test_what_is_refused_is_said_and_kept(tmp_path: Path, code: str) -> None:
    async def scene(stage: Stage) -> None:
        await play(stage)
        stage.client.refuse.append(Refused(code, "It was refused."))
        await stage.press("slash", *"hello", "enter")
        await stage.sees("It was refused.")
        await stage.press("slash", "enter")
        assert [one["text"] for one in spoken(stage)] == ["hello", "hello"]
        await stage.press("slash", "ctrl+u", "up")
        assert stage.screen.query_one(TalkField).value == "hello"

    run(scene, tmp_path)


def test_without_a_connection_nothing_is_sent_and_nothing_lost(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await play(stage)
        await stage.press("slash", *"hello")
        stage.client.lose()
        await stage.sees("Connection lost")
        await stage.press("enter")
        assert spoken(stage) == []
        assert stage.screen.query_one(TalkField).value == "hello"

    run(scene, tmp_path)


def test_pasted_lines_become_one_line_without_controls(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await play(stage)
        await stage.press("slash")
        stage.app.post_message(events.Paste("one\r\ntwo\x1b[2J\tthree\n" * 3))
        await stage.settle()
        await stage.press("enter")
        text = spoken(stage)[0]["text"]
        assert text.startswith("one two [2J three one two")
        assert text.isprintable()

    run(scene, tmp_path)


HOSTILE = (
    "[b]bold[/b] [@click=app.leave]x[/]",
    "\x1b[2J\x1b]52;c;x\x07",
    "first\nsecond\rthird",
    "\u202eright to left",
    "👨‍👩‍👧👍🏽☎️🇩🇪 漢字" * 20,
    "x" * 2_000,
)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_chat_of_any_kind_is_text_and_looks_like_nothing_else(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await play(stage)
        for text in HOSTILE:
            await hear(stage, said("[red]Ben[/red]", text))
            assert not any(ord(char) < 32 for line in stage.text.splitlines() for char in line)
        story = stage.screen.query_one(Story)
        assert "» [red]Ben[/red]: [b]bold[/b] [@click=app.leave]x[/]" in story.lines
        assert "» [red]Ben[/red]: first second third" in story.lines
        assert "\\x1b[2J" in story.lines[1]
        assert "\\u202e" in story.lines[3]
        drawn = str(story._static.render()).splitlines()
        # No line of the log but a first one begins where a sentence begins.
        assert sum(not line.startswith("    ") for line in drawn) == len(story.lines)

    run(scene, tmp_path, size=size)


def test_a_line_is_broken_by_cells_and_set_in() -> None:
    for text in ("one two three four five six", "x" * 100, "漢字" * 30, "a 漢字漢字漢字漢字漢字漢字 b", "", "👍" * 30):
        lines = wrap([("» Ben: ", ""), (text, "")], 20, "    ")
        assert all(line_width(line) <= 20 for line in lines)
        assert all(line[0][0] == "    " for line in lines[1:])
        joined = "".join(piece for line in lines for piece, _style in line if piece != "    ")
        assert joined.replace(" ", "") == f"»Ben:{text}".replace(" ", "")


def test_a_flood_hides_nothing_that_is_asked_and_slows_no_key(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        started = [RoundStarted(round=number, gentleman=1, deck=30) for number in range(1, 20)]
        view, mine = ASKED["play"][:2]
        await sit(stage, view, mine, *LAYS, events=started)
        story = stage.screen.query_one(Story)
        before = list(story.lines)
        for burst in range(20):
            stage.client.feed(*(said("Ben", f"{burst} {number} " + "x" * 200) for number in range(40)))
            await stage.until(lambda: stage.client.waiting == 0)
        await hear(stage, said("Ben", "the last"))
        await stage.sees("the last")
        assert "Which bank do you rob?" in stage.text
        assert "18 s left" in stage.text
        assert [line for line in story.lines if not line.startswith("»")] == before
        assert len(story.lines) <= len(before) + MOST_SAID
        await stage.press("b")
        assert acted(stage) == [Lay(bank=3)]

    run(scene, tmp_path)


def test_where_the_log_has_no_room_new_lines_are_counted_and_shown_with_the_field(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(
            table_state(names=("Ana", "Ben", "Cleo", "Dora", "Emil", "Finn")),
            stage.match.update(public("plays", ("none",) * 6), own(), *LAYS),
        )
        await stage.at(TableScreen)
        await hear(stage, said("Ben", "one"), said("Ben", "two"))
        assert "» Ben: one" not in stage.text
        await stage.sees("2 new: /")
        await stage.press("slash")
        await stage.sees("» Ben: two")
        assert "Which bank do you rob?" in stage.text
        assert "18 s left" in stage.text
        await stage.press("escape")
        assert "» Ben" not in stage.text
        assert "new: /" not in stage.text

    run(scene, tmp_path, size=(60, 18))


def test_somebody_is_muted_for_oneself_and_heard_again(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await play(stage)
        await hear(stage, said("Ben", "one"))
        await stage.press("u")
        await stage.at(PeopleScreen)
        names = stage.screen.query_one(OptionList)
        assert names.option_count == 2  # neither oneself nor the bot
        await stage.press("enter")
        await stage.sees("hidden for you")
        await stage.press("escape")
        await hear(stage, said("BEN", "two"), said("Dora", "three"))
        await stage.sees("» Dora: three")
        assert "two" not in stage.text
        await stage.press("u")
        await stage.press("enter", "escape")
        await hear(stage, said("Ben", "four"))
        await stage.sees("» Ben: four")

    run(scene, tmp_path)


def test_the_list_of_people_closes_also_when_it_is_empty(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.at(LobbyScreen)
        await stage.press("u")
        await stage.at(PeopleScreen)
        await stage.sees("Nobody else has said anything")
        await stage.press("escape")
        await stage.at(LobbyScreen)

    run(scene, tmp_path)


def test_the_host_mutes_somebody_for_the_whole_table_and_nobody_else_can(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state("waiting"))
        await stage.at(RoomScreen)
        await stage.press("u")
        await stage.at(PeopleScreen)
        stage.screen.query_one(OptionList).highlighted = 0
        await stage.press("m")
        await stage.sees("Ben is muted at this table.")
        await stage.press("a", "escape")
        muted = [fields for command, fields in stage.client.called if command is TableMute]
        assert muted == [{"name": "Ben", "on": True}, {"name": "Ben", "on": False}]
        await stage.feed(table_state("waiting", you=1))
        await stage.press("u", "down", "m")
        assert len([1 for command, _fields in stage.client.called if command is TableMute]) == 2

    run(scene, tmp_path)


def test_the_operator_and_spectators_are_named_as_such(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await play(stage)
        await hear(stage, said("Sam", "hi", kind="spectator"), said("Server", "hello", kind="operator"))
        await stage.sees("» Sam (watching): hi")
        await stage.sees("» Server (OPERATOR): hello")

    run(scene, tmp_path)
