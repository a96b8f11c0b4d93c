"""What was said, as the client keeps it: numbered, bounded, told once, muted by look."""

import pytest

from robby_client.chat import MOST_LINES, Chat, look_of
from robby_client.safe import fit, safe
from robby_client.tale.table import chat_sentence
from robby_client.world import World
from robby_protocol.messages import ChatSaid
from tests.client.fakes import table_state


def said(
    text: str, *, name: str = "Ben", past: bool = False, table: str | None = None, kind: str = "person"
) -> ChatSaid:
    return ChatSaid(table=table, name=name, text=text, past=past, kind=kind)


def texts(chat: Chat) -> list[str]:
    return [line.text for line in chat.lines]


def test_lines_are_numbered_and_bounded() -> None:
    chat = Chat()
    for number in range(MOST_LINES + 10):
        chat.add(said(str(number)))
    assert len(chat.lines) == MOST_LINES
    assert chat.last == MOST_LINES + 10
    assert [line.text for line in chat.after(MOST_LINES + 8)] == [str(MOST_LINES + 8), str(MOST_LINES + 9)]
    assert chat.after(chat.last) == []


def test_past_lines_that_come_again_are_told_once() -> None:
    chat = Chat()
    for text in ("old", "gg", "gg"):
        chat.add(said(text, past=True))
    chat.add(said("new"))
    chat.begin_anew()
    for text in ("gg", "gg", "new", "while away"):
        chat.add(said(text, past=True))
    chat.add(said("gg"))
    assert texts(chat) == ["old", "gg", "gg", "new", "while away", "gg"]
    # Told twice in a row without a line between: on coming back to the lobby.
    chat.begin_anew()
    for text in ("new", "while away", "gg"):
        chat.add(said(text, past=True))
    assert texts(chat) == ["old", "gg", "gg", "new", "while away", "gg"]


def test_the_same_words_of_somebody_else_are_another_line() -> None:
    chat = Chat()
    chat.add(said("hello", past=True))
    chat.begin_anew()
    chat.add(said("hello", past=True, name="Cleo"))
    assert [line.name for line in chat.lines] == ["Ben", "Cleo"]


def test_lobby_and_table_apart_and_a_left_tables_lines_are_gone() -> None:
    world = World()
    world.apply(table_state())
    world.apply(said("here", table="t1"))
    world.apply(said("there", table="t2"))
    world.apply(said("lobby"))
    assert texts(world.table_chat) == ["here"]
    assert texts(world.lobby_chat) == ["lobby"]
    world.leave_table()
    assert texts(world.table_chat) == []
    assert texts(world.lobby_chat) == ["lobby"]


@pytest.mark.parametrize("other", ["ben", "BEN", "B e n", "Ｂｅｎ"])
def test_a_mute_goes_by_the_look(other: str) -> None:
    world = World()
    world.muted[look_of("Ben")] = "Ben"
    for name in ("Ben", other):
        world.apply(said("x", name=name))
    world.apply(said("x", name="Cleo"))
    world.apply(said("listen", name="Ben", kind="operator"))
    assert [world.heard(line) for line in world.lobby_chat.lines] == [False, False, True, True]


FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"


def test_emoji_of_several_survive_and_everything_that_steers_is_made_visible() -> None:
    line = chat_sentence("Ben", f"[b]{FAMILY} \u2764\ufe0f\u200d\U0001f525[/b]")
    assert line == f"Ben: [b]{FAMILY} \u2764\ufe0f\u200d\U0001f525[/b]"
    line = chat_sentence("Ben", "a\u202eb\x1b[2J\nc\u2066d\x9be\u0085f\u2028g\rh")
    assert line == "Ben: a\\u202eb\\x1b[2J\\x0ac\\u2066d\\x9be\\x85f\\u2028g\\x0dh"


@pytest.mark.parametrize(
    "text", ["a\u200db", "\u200d\U0001f469", "\U0001f469\u200d", "\U0001f469\u200d\u200d\U0001f469", "\u200d"]
)
def test_a_joiner_that_joins_nothing_is_made_visible(text: str) -> None:
    assert "\u200d" not in safe(text)
    assert "\\u200d" in safe(text)


def test_a_cut_emoji_leaves_no_joiner_behind() -> None:
    for width in range(1, 12):
        kept = fit(FAMILY * 5, width)
        assert not kept.removesuffix("…").endswith("\u200d")
