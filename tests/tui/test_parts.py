"""The parts that need no running app: cells, key presses, the bar, the terminal's checks, the recap."""

import io
import signal
from pathlib import Path

import pytest
from rich.cells import cell_len

from robby_client.world import RunningClock
from robby_games.robby_solo import Clashed, Given, Police, Revealed, Robbed, Supplied
from robby_tui import terminal
from robby_tui.cells import cut, fit, plain
from robby_tui.presses import Presses
from robby_tui.robby_solo.loot import in_short, worth_text
from robby_tui.robby_solo.recap import gather, loot_sum
from robby_tui.widgets.countdown import bar, draw, left_text, urgency
from robby_tui.widgets.lines import clip, content, line_width, pad, spread

FOREIGN = ("Ana", "漢字漢字", "👨‍👩‍👧", "👍🏽", "☎️", "🇩🇪🇫🇷", "e\u0301" * 5, "שלום", "a\u0301\u0302\u0303\u0304\u0305")


@pytest.mark.parametrize("text", FOREIGN)
@pytest.mark.parametrize("cells", range(9))
@pytest.mark.parametrize("align", ["left", "right", "center"])
def test_any_script_fits_into_exactly_so_many_cells(text: str, cells: int, align: str) -> None:
    harmless = plain(text)
    assert cell_len(fit(harmless, cells, align)) == cells
    assert cell_len(cut(harmless, cells)) <= cells


def test_a_cut_text_says_so_and_a_fitting_one_is_left_alone() -> None:
    assert cut("Anastasia", 5) == "Anas…"
    assert cut("Ana", 3) == "Ana"
    assert cut("漢字漢字", 4) == "漢…"
    assert cut("Ana", 0) == ""


@pytest.mark.parametrize("text", ["\x1b[2J", "a\nb", "a\x9bb", "\u202eabc", "a\u200bb", "\x07", "\u0085"])
def test_nothing_that_steers_a_terminal_stays_in_a_text(text: str) -> None:
    assert all(
        ord(char) >= 32 and not 0x7F <= ord(char) <= 0x9F and ord(char) not in (0x202E, 0x200B) for char in plain(text)
    )


def test_lines_are_cut_padded_and_spread_by_cells() -> None:
    line = [("漢字", "bold"), ("abc", "")]
    assert line_width(line) == 7
    assert line_width(clip(line, 5)) <= 5
    assert line_width(pad(line, 12)) == 12
    assert line_width(spread(line, [("right", "")], 20)) == 20
    assert line_width(spread(line, [("right", "")], 6)) <= 6
    assert content([[("[b]x[/b]", "bold")]]).plain == "[b]x[/b]"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_press_before_the_question_settled_does_nothing() -> None:
    clock = Clock()
    presses = Presses(settle=0.15, held=0.7, now=clock)
    presses.moved("plays")
    assert not presses.admit("b", 99.9)
    assert not presses.admit("y", 100.1)
    assert presses.admit("g", 100.16)
    assert not presses.settled()
    clock.now = 100.2
    presses.moved("plays")
    assert presses.settled()


def test_a_held_key_stays_bound_to_where_it_was_pressed_first() -> None:
    clock = Clock()
    presses = Presses(settle=0.15, held=0.7, now=clock)
    presses.moved("plays")
    assert presses.admit("b", 101.0)
    clock.now = 101.1
    presses.moved("revision")
    repeats = [101.5 + 0.03 * number for number in range(100)]
    assert not any(presses.admit("b", at) for at in repeats)
    assert presses.admit("c", repeats[-1])
    assert presses.admit("b", repeats[-1] + 0.8)


def test_fast_presses_of_one_phase_all_count() -> None:
    clock = Clock()
    presses = Presses(now=clock)
    presses.moved("revision")
    assert all(presses.admit(key, 101.0 + 0.02 * number) for number, key in enumerate("tbtbtb"))


@pytest.mark.parametrize("cells", [1, 4, 52, 300])
def test_the_bar_is_always_as_long_as_it_should_be(cells: int) -> None:
    for step in range(101):
        for fill in "█▓▚":
            assert len(bar(step / 100, cells, fill, mark=0.5)) == cells
    assert bar(1.0, cells) == "█" * cells
    assert bar(0.0, cells) == "░" * cells
    assert bar(-3.0, cells) == "░" * cells
    assert bar(7.0, cells) == "█" * cells


def test_the_bar_shrinks_smoothly() -> None:
    lengths = [bar(step / 416, 52).rstrip("░") for step in range(417)]
    assert len(set(lengths)) == 417


@pytest.mark.parametrize(
    ("remaining", "total", "level"),
    [(30, 30, 0), (11, 45, 0), (10, 45, 1), (5, 45, 2), (0, 45, 2), (3, 5, 0), (1.5, 5, 1), (1, 5, 2)],
)
def test_urgency_goes_by_seconds_and_by_share(remaining: float, total: float, level: int) -> None:
    assert urgency(remaining, total) == level


def test_time_left_is_never_negative_nor_zero_before_the_end() -> None:
    assert left_text(0.01) == "1 s"
    assert left_text(0) == "0 s"
    assert left_text(17.2) == "18 s"
    assert left_text(130) == "2:10"
    clock = RunningClock(total=30.0, ends=1_000.0)
    for now in (-1e6, 999.0, 1_000.0, 1e9):
        assert "-" not in "".join(text for text, _style in draw(clock, now, 80))
        assert line_width(draw(clock, now, 80)) <= 80


def test_a_recap_gathers_one_reveal_and_begins_anew_with_the_next() -> None:
    first = gather(
        None,
        [
            Robbed(seat=0, bank=0, loot=()),
            Revealed(banks=(0, 1, 1)),
            Robbed(seat=0, bank=0, loot=(9_000, 7_000, 3)),
            Clashed(bank=1, seats=(1, 2), loot=(2_000,)),
            Police(bank=2, cards=(1, 2, 3, 4), most=3, payers=(0,), choosing=()),
            Given(seat=0, card=9_000),
            Supplied(side="left", cards=(1_000,), deck=5),
        ],
    )
    assert first is not None
    assert first.robbed == {0: (0, (9_000, 7_000, 3))}
    assert first.clashed == {1: (1, 2)}
    assert (first.police, first.given) == ([2], [(0, 9_000)])
    assert first.at(1) == [1, 2]
    second = gather(first, [Revealed(banks=(2, 2, 2))])
    assert second is not None
    assert second.robbed == {}


def test_loot_in_short() -> None:
    assert loot_sum((9_000, 7_000, 3)) == "+16,000 +1◊"
    assert loot_sum(()) == "+0"
    assert in_short((1_000, 2, 9_000)) == "9,000 · ◊ pearl necklace · 1,000"
    assert "21,000" in worth_text((1_000, 4, 9_000, 2_000, 8_000))


class Stream(io.StringIO):
    def __init__(self, tty: bool) -> None:
        super().__init__()
        self._tty = tty

    def isatty(self) -> bool:
        return self._tty


@pytest.mark.parametrize("term", ["", "dumb", "unknown"])
def test_a_terminal_that_cannot_is_told_so_in_one_line(monkeypatch: pytest.MonkeyPatch, term: str) -> None:
    monkeypatch.setattr("sys.__stderr__", Stream(True))
    said = terminal.check_terminal(Stream(True), Stream(True), {"TERM": term})
    assert said is not None
    assert "--plain" in said
    assert "\n" not in said


def test_without_a_terminal_plain_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    good = {"TERM": "xterm-256color"}
    closed = Stream(True)
    monkeypatch.setattr("sys.__stderr__", Stream(True))
    assert terminal.check_terminal(Stream(True), Stream(True), good) is None
    for stdin, stdout in ((Stream(False), Stream(True)), (Stream(True), Stream(False))):
        assert "--plain" in (terminal.check_terminal(stdin, stdout, good) or "")
    monkeypatch.setattr("sys.__stderr__", Stream(False))
    assert "--plain" in (terminal.check_terminal(closed, closed, good) or "")
    monkeypatch.setattr("sys.__stderr__", None)
    assert terminal.check_terminal(closed, closed, good) is not None


@pytest.mark.parametrize(
    ("environ", "encoding", "unicode"),
    [
        ({}, "utf-8", True),
        ({"LANG": "de_DE.UTF-8"}, "UTF8", True),
        ({"LC_ALL": "C"}, "utf-8", False),
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, "utf-8", False),
        ({"LANG": "de_DE.ISO-8859-1"}, "iso8859-1", False),
        ({"ROBBY_ASCII": "1"}, "utf-8", False),
        ({"TERM": "linux"}, "utf-8", False),
        ({"TERM": "vt100"}, "utf-8", False),
        ({"TERM": "xterm-256color"}, "utf-8", True),
    ],
)
def test_which_terminals_get_unicode(environ: dict[str, str], encoding: str, unicode: bool) -> None:
    assert terminal.shows_unicode(environ, encoding) is unicode


def test_plain_characters_are_as_wide_and_banks_stay_apart() -> None:
    text = "● ▲ ■ ◆ ✖ ★ ▼ ♛ ⚙ ▸ ▒ █▓▚░▌▐ ╭─╮│╰╯├┤ „x“ … ✓ ✗ → ← 漢字 Дора ◊ − ↶"
    spelt = terminal.to_ascii(text)
    assert spelt.isascii()
    assert cell_len(spelt) == cell_len(text)
    shapes = terminal.to_ascii("●▲■◆✖★▼")
    assert len(set(shapes)) == 7
    assert "?" not in terminal.to_ascii(text.replace("漢字 Дора", ""))


def test_signals_end_the_app_in_order_and_are_given_back() -> None:
    import asyncio
    import os

    ended: list[tuple[int, bool]] = []

    async def main() -> None:
        told = asyncio.Event()

        def end(code: int, gone: bool) -> None:
            ended.append((code, gone))
            told.set()

        signals = terminal.Signals(end)
        signals.install()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            os.kill(os.getpid(), number)
            await asyncio.wait_for(told.wait(), 10)
            told.clear()
        signals.remove()

    before = signal.getsignal(signal.SIGTERM)
    asyncio.run(main())
    assert ended == [(143, False), (129, True), (130, False)]
    assert signal.getsignal(signal.SIGTERM) == before


def test_styles_are_packaged() -> None:
    from robby_tui.app import RobbyApp

    folder = Path(terminal.__file__).parent
    assert all((folder / path).is_file() for path in RobbyApp.CSS_PATH)
