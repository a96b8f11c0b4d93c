"""Tresor Diebe's safes, dice and thieves in lines, and what is kept of the last turn."""

from fractions import Fraction

import pytest

from robby_games.tresor_diebe import BOARD, FIRST_SAFE, NOBODY, Failed, Opened, Passed, RoundBegan, RoundEnded, Thrown
from robby_tui.cells import width
from robby_tui.terminal import to_ascii
from robby_tui.tresor_diebe import dice, safes
from robby_tui.tresor_diebe.dice import dice_lines
from robby_tui.tresor_diebe.recap import Recap, Turn, gather
from robby_tui.tresor_diebe.safes import percent, safe_lines
from robby_tui.tresor_diebe.tracks import Thief, track_lines
from robby_tui.widgets.lines import Line

NAMES = ("Ana", "Ben", "漢字漢字漢字漢字", "Dora")
ALL_FREE = (NOBODY,) * len(BOARD)


def text_of(lines: list[Line]) -> list[str]:
    return ["".join(text for text, _style in line) for line in lines]


def owned(**by_safe: int) -> tuple[int, ...]:
    """A board with these safes (`s26=1`) taken by these seats."""
    board = list(ALL_FREE)
    for safe, seat in by_safe.items():
        board[int(safe[1:]) - FIRST_SAFE] = seat
    return tuple(board)


# Safes.


@pytest.mark.parametrize(("cells", "size"), [(58, "tight"), (58, "compact"), (78, "compact"), (83, "framed")])
def test_all_safes_lie_in_their_order_with_what_they_hold(cells: int, size: safes.Size) -> None:
    lines = text_of(safe_lines(ALL_FREE, NAMES, cells, size))
    assert len(lines) == safes.HEIGHTS[size]
    assert all(width(line) <= cells for line in lines)
    rows = [[int(word) for word in line.replace("€", "").replace("│", " ").split() if word.isdigit()] for line in lines]
    numbers, held = [row for row in rows if row][::2], [row for row in rows if row][1::2]
    assert numbers[0] + numbers[1] == list(range(5, 31))
    assert held[0] + held[1] == list(BOARD)


@pytest.mark.parametrize(("cells", "size"), [(58, "tight"), (58, "compact"), (78, "compact"), (83, "framed")])
def test_an_open_safe_shows_its_owner_by_shape_and_name(cells: int, size: safes.Size) -> None:
    board = owned(s5=0, s17=1, s26=2, s30=3)
    lines = text_of(safe_lines(board, NAMES, cells, size))
    assert len({width(line) for line in lines}) == 1
    text = "\n".join(lines)
    for part in ("●An", "▲Be", "■漢", "◆Do"):
        assert text.count(part) == 1, text
    assert all(to_ascii(text).count(part) == 1 for part in ("oAn", "^Be", "#??", "<Do"))
    # A shape stands under the number of its own safe.
    upper = next(number for number, line in enumerate(lines) if "17" in line)
    below = next(line for line in lines[upper:] if "▲" in line)
    assert abs(lines[upper].index("17") - below.index("▲")) <= 2


@pytest.mark.parametrize("size", ["tight", "compact", "framed"])
def test_the_safe_that_the_dice_name_is_marked_by_more_than_colour(size: safes.Size) -> None:
    plain, marked = (
        to_ascii("\n".join(text_of(safe_lines(ALL_FREE, NAMES, 83, size, target=target)))) for target in (None, 21)
    )
    assert "[21]" in marked
    assert marked.count("[") == 1
    assert "[" not in plain


@pytest.mark.parametrize("size", ["tight", "compact", "framed"])
def test_odds_stand_at_the_free_safes_alone(size: safes.Size) -> None:
    odds = {safe: Fraction(safe, 100) for safe in range(5, 31)}
    for cells in (78, 83):
        text = "\n".join(text_of(safe_lines(owned(s12=0, s13=1), NAMES, cells, size, odds=odds)))
        assert "11%" in text
        assert "14%" in text
        assert "12%" not in text
        assert "13%" not in text
        assert text.count("%") == 24
    assert "%" not in "\n".join(text_of(safe_lines(ALL_FREE, NAMES, 78, size)))


@pytest.mark.parametrize(
    ("chance", "shown"),
    [(0, "0%"), (Fraction(1, 7776), "<1%"), (Fraction(37, 100), "37%"), (Fraction(7775, 7776), ">99%"), (1, "100%")],
)
def test_a_chance_is_never_called_certain_unless_it_is(chance: Fraction, shown: str) -> None:
    assert percent(Fraction(chance)) == shown


# Dice.


@pytest.mark.parametrize(("size", "cells"), [("small", 29), ("big", 49), ("huge", 69)])
def test_dice_are_boxes_of_one_width(size: dice.Size, cells: int) -> None:
    assert dice.width_of(size) == cells
    for lying in ((), (1, 2, 3, 5, 6)):
        lines = text_of(dice_lines(lying, size, keys=True, chosen={1}))
        assert len(lines) == dice.height_of(size)
        assert {width(line) for line in lines} == {cells}


@pytest.mark.parametrize("size", ["big", "huge"])
def test_every_die_has_its_pips_and_its_number_under_it(size: dice.Size) -> None:
    for first in (1, 2):
        lying = tuple(range(first, first + 5))
        lines = text_of(dice_lines(lying, size))
        cells = (dice.width_of(size) - 4) // 5
        for place, die in enumerate(lying):
            column = [line[place * (cells + 1) :][:cells] for line in lines]
            assert sum(line.count(dice.PIP) for line in column) == die
            assert column[-1].strip() == str(die)


def test_a_small_die_is_its_number() -> None:
    assert text_of(dice_lines((4, 2, 3, 5, 6), "small"))[1].split() == [
        *("│", "4", "│", "│", "2", "│", "│", "3", "│", "│", "5", "│", "│", "6", "│"),
    ]


@pytest.mark.parametrize("size", ["small", "big", "huge"])
def test_dice_to_be_thrown_again_are_told_by_frame_and_word(size: dice.Size) -> None:
    lines = [to_ascii(line) for line in text_of(dice_lines((4, 2, 3, 5, 6), size, keys=True, chosen={1, 3}))]
    assert lines[-1].count("again") == 2
    assert lines[1].count("#") == 4
    assert all(f"[{place}]" in lines[0] for place in range(1, 6))
    words = text_of(dice_lines((4, 2, 3, 5, 6), size, fresh={0, 1}, chosen={1}))[-1].split()
    assert [word for word in words if not word.isdigit()] == ["new", "again"]
    plain = [to_ascii(line) for line in text_of(dice_lines((4, 2, 3, 5, 6), size))]
    assert not any(sign in line for line in plain for sign in "=#[")


@pytest.mark.parametrize("size", ["small", "big", "huge"])
def test_a_click_finds_its_die(size: dice.Size) -> None:
    cells = (dice.width_of(size) - 4) // 5
    found = [dice.place_at(column, size) for column in range(dice.width_of(size) + 3)]
    expected = [one for place in range(5) for one in [*[place] * cells, None]]
    assert found == [*expected, None, None]


# Thieves.


def thieves(*fields: int) -> list[Thief]:
    return [
        Thief(seat, name, field, field + 20, 11 - seat, mine=seat == 1, bot=seat == 2)
        for seat, (name, field) in enumerate(zip(NAMES, fields, strict=False))
    ]


@pytest.mark.parametrize("cells", [58, 78, 83])
def test_all_thieves_stand_on_one_track_from_start_to_field_20(cells: int) -> None:
    lines = text_of(track_lines(thieves(0, 7, 20, 19), cells))
    assert [width(line) for line in lines] == [cells] * 4
    starts = [width(line[: line.index("╌")]) for line in lines[:2]]
    for line, sign, field in zip(lines, "●▲■◆", (0, 7, 20, 19), strict=True):
        before = line[: line.rindex(sign)]
        assert width(before) == starts[0] - 1 + field, line  # the first thief stands on the start field
        assert line[line.rindex(sign) :].count("╌") == 20 - field
        assert f" {field} " in line
        assert f" {field + 20} " in line
    assert "Ben (you)" in lines[1]


def test_what_is_said_of_a_thief_has_room_at_60_columns() -> None:
    some = [
        Thief(seat, "Wilhelmina-Charlotte", 3, 100, 11, mine=seat == 0, more=(("on turn", ""),)) for seat in range(4)
    ]
    lines = text_of(track_lines(some, 58))
    assert all(line.rstrip().endswith("on turn") for line in lines)
    assert all("Wilhelmi" in line for line in lines)
    assert not track_lines([], 58)


@pytest.mark.parametrize(
    ("cells", "points"), [(118, "3 · in all 100 · 11 markers"), (76, "3 · in all 100"), (58, "3 all 100")]
)
def test_what_a_thief_has_is_said_as_plainly_as_there_is_room(cells: int, points: str) -> None:
    (line,) = text_of(track_lines([Thief(0, "Wilhelmina-Charlotte", 3, 100, 11, more=(("on turn", ""),))], cells))
    assert f"{points}  on turn" in line


# The last turn.


def test_the_last_turn_keeps_its_dice_and_what_came_of_it() -> None:
    throws = [Thrown(1, 1, (1, 2, 3, 4, 5), (0, 1, 2, 3, 4)), Thrown(1, 2, (6, 2, 3, 4, 5), (0,))]
    recap = gather(Recap(), throws)
    assert recap.thrown == throws[1]
    assert recap.last is None
    opened = Opened(1, 20, 100, 0, 1)
    recap = gather(recap, [opened])
    assert recap.last == Turn(opened, (6, 2, 3, 4, 5), 2)
    assert recap.thrown is None
    recap = gather(recap, [Passed(0)])
    assert recap.last == Turn(Passed(0))


def test_a_round_s_end_is_kept_until_the_next_turn_ends() -> None:
    ended = RoundEnded(1, "field", (20, 7), (20, 7))
    failed = Failed(0, 20, 1, 5, 4)
    recap = gather(Recap(), [failed, ended, RoundBegan(2, 1, ()), Thrown(1, 1, (1, 1, 1, 1, 1), (0, 1, 2, 3, 4))])
    assert recap.ended == ended
    assert recap.last is not None
    assert recap.last.end == failed
    recap = gather(recap, [Opened(1, 5, 500, 0, 5)])
    assert recap.ended is None
    assert recap.fields == ((20, 7),)
