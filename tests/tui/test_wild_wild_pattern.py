"""Wild Wild Pattern at the table: composing a declaration, and the Wheel."""

from robby_games.wild_wild_pattern import Declare, PlaceView
from robby_games.wild_wild_patterns import ALL
from robby_tui.cells import width
from robby_tui.widgets.lines import Line
from robby_tui.wild_wild_pattern.composing import Composing
from robby_tui.wild_wild_pattern.wheel import wheel_lines

OFFERED = tuple(Declare(side=one.side, a=one.a, b=one.b) for one in ALL)


def test_three_keys_lead_to_every_declaration_offered_and_to_no_other() -> None:
    made: list[Declare] = []
    for side in Composing().keys(OFFERED).values():
        assert isinstance(side, Composing)
        for a in side.keys(OFFERED).values():
            assert isinstance(a, Composing)
            assert a.back() == side
            made += [step for step in a.keys(OFFERED).values() if isinstance(step, Declare)]
    assert len(made) == len(OFFERED)
    assert set(made) == set(OFFERED)


def test_what_was_not_offered_has_no_key() -> None:
    assert not Composing("after", 0).keys([one for one in OFFERED if one.a != 0])
    assert Composing().keys([one for one in OFFERED if one.side == "after"]) == {"right": Composing("after")}
    assert Composing().back() == Composing("after").back() == Composing()


def text_of(line: Line) -> str:
    return "".join(text for text, _ in line)


def test_the_wheel_reads_like_a_clock_and_fits_the_smallest_window() -> None:
    lines = [text_of(line) for line in wheel_lines([PlaceView(card=card) for card in range(0, 40, 5)], 60)]
    assert [[sign for sign in line if sign.isdigit()] for line in lines[::2]] == [
        ["8", "1", "2"],
        ["7", "3"],
        list("654"),
    ]
    assert all(width(line) == 60 for line in lines)


def test_what_is_lit_or_lacks_its_neighbour_is_marked_by_signs_too() -> None:
    wheel = [PlaceView(card=None), *(PlaceView(card=card) for card in range(7))]
    lines = [text_of(line) for line in wheel_lines(wheel, 60, marks={1: "lit", 4: "lacking"})]
    assert "[2 Gun]" in lines[0]
    assert "(5 bOttle)" in lines[4]
    assert sum(line.count("[") + line.count("(") for line in lines) == 2
