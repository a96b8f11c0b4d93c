"""What reaches the terminal: harmless, of bounded length, banks by name."""

import unicodedata

import pytest

from robby_client.lines import LEAST_COLUMNS, folded
from robby_client.safe import cells
from robby_client.words.robby_solo import bank_label, bank_name
from robby_games.robby_solo import BANK_SHAPES, BANKS
from robby_plain.output import LONGEST_LINE, Printer


def said(text: str) -> list[str]:
    lines: list[str] = []
    Printer(lines.append).say(text)
    return lines


@pytest.mark.parametrize("evil", ["\x1b[2J", "\x1b]52;c;eA==\x07", "\x9b31m", "\r", "\x00", "\u202e", "\u200b", "\x85"])
def test_no_control_character_gets_out(evil: str) -> None:
    (line,) = said(f"Eve{evil} sat down.")
    assert all(unicodedata.category(character)[0] != "C" for character in line)
    assert line.startswith("Eve\\")


def test_a_line_end_begins_a_line() -> None:
    assert said("one\ntwo") == ["one", "two"]


def test_a_line_is_cut_at_its_longest() -> None:
    (line,) = said("x" * (LONGEST_LINE * 3))
    assert len(line) == LONGEST_LINE


def test_a_line_too_long_for_the_window_is_cut_between_words() -> None:
    line = "  12: create game=NAME title=Friday seats=4 漢字漢字漢字漢字 time=blitz bots=greedy,random private=yes"
    for columns in range(LEAST_COLUMNS + 4, 120):
        pieces = folded(line, columns)
        assert all(cells(piece) <= columns for piece in pieces)
        assert " ".join(piece.strip() for piece in pieces) == line.strip()
        assert pieces[0].startswith("  12: create")
        assert all(piece.startswith("    ") for piece in pieces[1:])
    assert folded(line, 0) == folded(line, 200) == [line]
    assert folded("x" * 50, 30) == ["x" * 50]
    assert folded("", 30) == [""]


@pytest.mark.parametrize("bank", range(len(BANKS)))
def test_a_bank_is_said_by_its_name_alone(bank: int) -> None:
    (line,) = said(f"Lay {bank_label(bank)}, please.")
    assert line == f"Lay {bank_name(bank)}, please."
    assert not set(line) & set(BANK_SHAPES)
