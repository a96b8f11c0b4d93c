"""Chat on the server: what can be said, how often, who hears it and when, and who does not speak."""

import random
import string
import unicodedata
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from robby_protocol import errors
from robby_protocol.messages import (
    ChatSaid,
    ChatSend,
    LobbyWatch,
    TableJoin,
    TableKick,
    TableLeave,
    TableMute,
    TableWatch,
)
from robby_server.chat import Pace, check_line
from robby_server.rejected import Rejected
from robby_server.settings import Settings
from tests.server.kit import Peer, begin, bot_of, running, settled, sit_down


def said(peer: Peer) -> list[str]:
    """What a client was told that was said, in order; past lines with a tilde before them."""
    return [("~" if line.past else "") + line.text for line in peer.all(ChatSaid)]


# What can be said.


@pytest.mark.parametrize("pile", ["\u0345" * 1000 + "\u0334" * 999, "\u0489" * 11, "\u0300" * 11])
def test_piles_of_accents_are_refused_before_they_cost_anything(pile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without what puts them in order, whose time grows with the square of the pile.
    monkeypatch.setattr("robby_server.chat.unicodedata", SimpleNamespace(category=unicodedata.category))
    with pytest.raises(Rejected) as refused:
        check_line(f"a{pile}", Settings())
    assert refused.value.code == errors.BAD_CHAT
    assert refused.value.details == {"most": 10}


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "[b]not bold[/b] [red] {name} %s \\n <i> &amp; `x` $HOME",
        "שלום, מה שלומך?",
        "مرحبا \u200fعربي\u200e ok",
        "می\u200cخواهم",
        "👩\u200d👩\u200d👧 ❤\ufe0f 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "𝕴𝖙 𝖍𝖆𝖘 你好 안녕하세요",
        "  kept as it is  ",
        "?",
        "x" * 300,
        "q" + "\u0300" * 10 + "z" + "\u0300" * 10,
    ],
)
def test_what_can_be_said_is_passed_on_literally(text: str) -> None:
    assert check_line(text, Settings()) == text


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[2J",
        "\x1b]52;c;aGk=\x07",
        "\x1b]0;title\x07",
        "\x1b[?1000h",
        "bell\x07",
        "line\nline",
        "line\rline",
        "tab\ttab",
        "nul\x00",
        "\x7f",
        "\x9b2J",
        "next\u0085line",
        "line\u2028line",
        "paragraph\u2029paragraph",
        "surrogate\ud800",
        *(f"turned{chr(code)}around" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))),
        "hid\ufff9den",
        "",
        "   ",
        "\u200b\u200d\ufe0f",
        "\u3164\u2800\u00a0",
        "x" * 301,
        "e\u0301" * 301,
    ],
)
def test_what_cannot_be_said_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(Rejected) as refused:
        check_line(text, Settings())
    assert refused.value.code == errors.BAD_CHAT
    assert refused.value.text != errors.text_for(errors.BAD_CHAT)


def test_a_line_is_brought_to_its_composed_form_and_counted_so() -> None:
    assert check_line("e\u0301" * 300, Settings()) == "é" * 300


def test_whatever_is_accepted_is_one_line_without_control_characters() -> None:
    rng = random.Random(1)
    accepted = 0
    for _ in range(4_000):
        text = "".join(chr(rng.choice((rng.randrange(0x3000), rng.randrange(0x110000)))) for _ in range(3))
        try:
            line = check_line(text, Settings())
        except Rejected:
            continue
        accepted += 1
        assert len(line.splitlines()) == 1
        assert all(ord(character) >= 32 and not 127 <= ord(character) < 160 for character in line)
        line.encode()
    assert accepted > 300


def test_the_pace_of_one_speaker() -> None:
    now = 0.0
    pace = Pace(Settings(chat_rate=0.5, chat_burst=3), lambda: now)
    for _ in range(3):
        pace.take("ana")
    with pytest.raises(Rejected) as refused:
        pace.take("ana")
    assert (refused.value.code, refused.value.details) == (errors.CHAT_TOO_FAST, {"wait_ms": 2000})
    pace.take("ben")
    now = 1.5
    with pytest.raises(Rejected) as refused:
        pace.take("ana")
    assert refused.value.details == {"wait_ms": 500}
    now = 2.0
    pace.take("ana")
    with pytest.raises(Rejected):
        pace.take("ana")
    now = 100.0
    for _ in range(3):
        pace.take("ana")
    with pytest.raises(Rejected):
        pace.take("ana")


def test_new_names_from_one_address_do_not_make_more_lines() -> None:
    now = 0.0
    pace = Pace(Settings(chat_rate=0.5, chat_burst=3), lambda: now)
    for number in range(30):
        pace.take(f"mob {number}", "192.0.2.7")
    with pytest.raises(Rejected) as refused:
        pace.take("mob 31", "192.0.2.7")
    assert (refused.value.code, refused.value.details) == (errors.CHAT_TOO_FAST, {"wait_ms": 200})
    for _ in range(3):  # what was refused did not count, and others are not concerned
        pace.take("mob 31", "192.0.2.8")
    pace.take("ana", "2001:db8::/64")
    for number in range(100):
        pace.take(f"inside {number}")
    now = 0.2
    pace.take("mob 32", "192.0.2.7")
    with pytest.raises(Rejected):
        pace.take("mob 33", "192.0.2.7")


def test_the_pace_forgets_those_who_may_say_everything_again() -> None:
    now = 0.0
    pace = Pace(Settings(), lambda: now)
    for who in range(5_000):
        now += 0.1
        pace.take(str(who), f"192.0.{who // 256}.{who % 256}")
    assert len(pace._full_at) <= 1_000


# In the lobby.


async def test_those_who_watch_the_lobby_hear_it_and_later_ones_its_last_lines(autojump_clock: Any) -> None:
    async with running(Settings(chat_kept=2)) as host:
        ana, ben, cleo = [await host.guest(name) for name in ("Ana", "Ben", "Cleo")]
        for peer in (ana, ben):
            await peer.do(LobbyWatch, on=True)
        before = len(ana.got)
        for text in ("one", "two", "three"):
            await ana.do(ChatSend, text=text)
        assert said(ana) == said(ben) == ["one", "two", "three"]
        assert said(cleo) == []
        assert [type(message).__name__ for message in ana.got[before:]][:2] == ["Ok", "ChatSaid"]
        line = ben.last(ChatSaid)
        assert (line.table, line.name, line.kind, line.seat, line.past) == (None, "Ana", "person", None, False)
        await cleo.do(LobbyWatch, on=True)
        assert said(cleo) == ["~two", "~three"]


async def test_whoever_speaks_in_the_lobby_without_watching_it_sees_that_it_was_said(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        await ana.do(ChatSend, text="anybody?")
        assert said(ana) == ["anybody?"]


async def test_a_flood_of_chat_is_slowed_and_costs_nobody_else(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        await ben.do(LobbyWatch, on=True)
        for number in range(5):
            await ana.call(ChatSend, text=str(number))
        refused = await ana.refused(ChatSend, text="x")
        assert refused.code == errors.CHAT_TOO_FAST
        await ben.call(ChatSend, text="me")
        await trio.sleep(refused.details["wait_ms"] / 1000)
        await ana.do(ChatSend, text="5")
        assert (await ana.refused(ChatSend, text="x")).code == errors.CHAT_TOO_FAST
        assert said(ben) == ["0", "1", "2", "3", "4", "me", "5"]


async def test_a_new_connection_brings_no_new_burst(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        for _ in range(5):
            await ana.call(ChatSend, text="x")
        again = await host.again(ana)
        assert (await again.refused(ChatSend, text="x")).code == errors.CHAT_TOO_FAST


async def test_what_cannot_be_said_reaches_nobody_and_does_not_count(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        await ana.do(LobbyWatch, on=True)
        for _ in range(10):
            assert (await ana.refused(ChatSend, text="\x1b[2J")).code == errors.BAD_CHAT
        await ana.do(ChatSend, text="[red]x")
        assert said(ana) == ["[red]x"]


async def test_a_watcher_of_the_lobby_who_does_not_read_is_skipped(autojump_clock: Any) -> None:
    settings = Settings(lobby_outbox_bytes=1_000, chat_rate=1e6, chat_burst=10**6, message_burst=10**6)
    async with running(settings) as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        await ben.do(LobbyWatch, on=True)
        ben.stop_reading()
        for _ in range(200):
            await ana.call(ChatSend, text="x" * 300)
        await settled()
        assert len(said(ana)) == 200
        waiting = [session.waiting_bytes for session in host.server._sessions]
        assert max(waiting) < 10_000
        assert len(waiting) == 2


# At a table.


async def test_a_table_hears_its_seats_and_its_spectators(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = await host.seated(2)
        xenia, yan = await host.guest("Xenia"), await host.guest("Yan")
        for peer in (ana, yan):
            await peer.do(LobbyWatch, on=True)
        await xenia.do(TableWatch, table=ana.table)
        await ben.do(ChatSend, table=ana.table, text="hello")
        await xenia.do(ChatSend, table=f"{ana.table[:4]}-{ana.table[4:].lower()}", text="hi")
        for peer in (ana, ben, xenia):
            lines = [(line.table, line.name, line.kind, line.seat, line.text) for line in peer.all(ChatSaid)]
            assert lines == [
                (ana.table, "Ben", "person", 1, "hello"),
                (ana.table, "Xenia", "spectator", None, "hi"),
            ]
        assert said(yan) == []
        assert (await yan.refused(ChatSend, table=ana.table, text="x")).code == errors.NOT_WATCHING
        assert (await yan.refused(ChatSend, table="NOSUCH00", text="x")).code == errors.NOT_WATCHING
        await ben.do(TableLeave)
        assert (await ben.refused(ChatSend, table=ana.table, text="x")).code == errors.NOT_WATCHING


async def test_whoever_comes_or_comes_back_sees_the_last_lines(autojump_clock: Any) -> None:
    async with running(Settings(chat_kept=3, chat_burst=10)) as host:
        ana, ben = await host.seated(2)
        for text in "abcde":
            await ana.call(ChatSend, table=ana.table, text=text)
        cleo, xenia = await host.guest("Cleo"), await host.guest("Xenia")
        await cleo.do(TableJoin, table=ana.table)
        await xenia.do(TableWatch, table=ana.table)
        again = await host.again(ben)
        await settled()
        for peer in (cleo, xenia, again):
            assert said(peer) == ["~c", "~d", "~e"]
        await ana.do(ChatSend, table=ana.table, text="f")
        for peer in (cleo, xenia, again):
            assert said(peer)[-1] == "f"


async def test_the_host_mutes_and_unmutes_a_person(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben, cleo = await host.seated(3)
        assert (await ben.refused(TableMute, name="Cleo", on=True)).code == errors.NOT_HOST
        for name in ("Ana", "Nobody"):
            assert (await ana.refused(TableMute, name=name, on=True)).code == errors.NO_SUCH_SEAT
        await ana.do(TableMute, name="Ben", on=True)
        await ana.do(TableMute, name="Ben", on=True)
        assert (cleo.codes.count("muted"), cleo.state.news[0].name, cleo.state.news[0].seat) == (1, "Ben", 1)
        assert (await ben.refused(ChatSend, table=ana.table, text="x")).code == errors.MUTED
        await ben.do(ChatSend, text="the lobby hears me")
        # It follows the person, not the seat or the connection.
        again = await host.again(ben)
        await settled()
        assert (await again.refused(ChatSend, table=ana.table, text="x")).code == errors.MUTED
        await again.do(TableLeave)
        await again.do(TableWatch, table=ana.table)
        assert (await again.refused(ChatSend, table=ana.table, text="x")).code == errors.MUTED
        await ana.do(TableMute, name="Ben", on=False)
        assert cleo.codes[-1] == "unmuted"
        await again.do(ChatSend, table=ana.table, text="thanks")
        assert said(cleo) == ["thanks"]


async def test_a_host_mutes_a_spectator_in_a_running_match(autojump_clock: Any) -> None:
    async with running() as host:
        ana, *_others = await host.playing(3)
        xenia = await host.guest("Xenia")
        await xenia.do(TableWatch, table=ana.table)
        await ana.do(TableMute, name="Xenia", on=True)
        assert (ana.state.news[0].code, ana.state.news[0].name, ana.state.news[0].seat) == ("muted", "Xenia", None)
        assert (await xenia.refused(ChatSend, table=ana.table, text="x")).code == errors.MUTED


async def test_a_kicked_person_does_not_speak_there_any_more(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben, _cleo = await host.seated(3)
        await ana.do(TableKick, seat=1, name="Ben")
        assert (await ben.refused(ChatSend, table=ana.table, text="x")).code == errors.NOT_WATCHING


async def test_bots_of_the_server_are_not_sent_chat_and_do_not_speak(autojump_clock: Any) -> None:
    seen: list[Any] = []
    async with running(spawn_bot=bot_of(delay=1, seen=seen)) as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        await sit_down([ana, ben], bots=["greedy"])
        await begin([ana, ben])
        await settled()
        ((_ticket, bot),) = seen
        await ana.do(ChatSend, table=ana.table, text="hello, bot")
        for table in (ana.table, None):
            assert (await bot.refused(ChatSend, table=table, text="x")).code == errors.NOT_WATCHING
        assert said(ben) == ["hello, bot"]
        assert said(bot) == []


async def test_no_line_of_chat_is_logged(autojump_clock: Any) -> None:
    secret = "".join(random.Random(5).choices(string.ascii_lowercase, k=20))
    with capture_logs() as logs:
        async with running() as host:
            ana, _ben = await host.seated(2)
            await ana.do(ChatSend, table=ana.table, text=f"psst {secret}")
            await ana.do(ChatSend, text=f"psst {secret}")
            assert (await ana.refused(ChatSend, text=f"\x1b{secret}")).code == errors.BAD_CHAT
    assert secret not in repr(logs)
