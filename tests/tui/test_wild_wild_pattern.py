"""Wild Wild Pattern's drawing without an app: composing a declaration, the Wheel, and the Wheel that events tell of."""

import random

import pytest

from robby_games.wild_wild_pattern import (
    ATTRIBUTE_LETTERS,
    ATTRIBUTES,
    COLOURS,
    OBJECTS,
    PATTERN_CARDS,
    Declare,
    DuelOver,
    Judged,
    Looked,
    Options,
    PlaceView,
    PublicView,
    attributes_of,
)
from robby_games.wild_wild_patterns import ALL, listed, present
from robby_rules.interface import Stamp
from robby_rules.wild_wild_pattern import WildWildPattern
from robby_rules.wild_wild_pattern.state import State
from robby_tui.cells import width
from robby_tui.terminal import to_ascii
from robby_tui.widgets.lines import Line, line_width
from robby_tui.wild_wild_pattern import cards
from robby_tui.wild_wild_pattern.composing import Composing
from robby_tui.wild_wild_pattern.told import Told, gather
from robby_tui.wild_wild_pattern.wheel import GAPS, LEAST_CELLS, Mark, Middle, Size, column_of, height_of, wheel_lines
from tests.rules.game_kit import new_chance

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


SIZES: tuple[tuple[Size, int], ...] = (("ring", 60), ("cards", 80), ("pictures", 84), ("cards", 120))


@pytest.mark.parametrize(("size", "cells"), SIZES)
def test_every_card_is_whole_at_every_place_and_mark_in_every_size(size: Size, cells: int) -> None:
    marks: tuple[Mark | None, ...] = (None, "lit", "lacking", "cursor", "played", "barred", "laid")
    for first in range(0, PATTERN_CARDS, 4):
        for mark in marks:
            wheel = [PlaceView((first + place) % PATTERN_CARDS) for place in range(8)]
            marked = {} if mark is None else dict.fromkeys(range(8), mark)
            lines = wheel_lines(wheel, cells, size, marks=marked, middle=Middle("yours:", first))
            assert len(lines) == height_of(size)
            assert all(line_width(line) == cells for line in lines)
            assert not any("…" in text_of(line) for line in lines)
            text = "\n".join(map(text_of, lines))
            for view in wheel:
                assert view.card is not None
                thing, colour, suit = (text_of(cards.keyed(one)) for one in attributes_of(view.card))
                assert thing in text
                assert f"{cards.shape(attributes_of(view.card)[1])} {colour}" in text
                assert f"{cards.shape(attributes_of(view.card)[2])}{suit}" in text


def test_places_are_not_narrower_than_the_longest_card() -> None:
    for size in GAPS:
        assert column_of(size, 60) >= LEAST_CELLS
    longest = max(
        line_width([*cards.with_shape(colour), *cards.keyed(suit)]) for colour in range(8, 13) for suit in (13, 14)
    )
    assert longest + 2 <= LEAST_CELLS


def test_each_attribute_s_letter_is_the_one_capital_of_its_word() -> None:
    for attribute in range(ATTRIBUTES):
        line = cards.keyed(attribute)
        assert [char for char in text_of(line) if char.isupper()] == [ATTRIBUTE_LETTERS[attribute]]
        assert [text for text, style in line if style == cards.KEYED] == [ATTRIBUTE_LETTERS[attribute]]


def test_each_object_has_its_picture_in_plain_letters_and_each_sign_its_own_stand_in() -> None:
    assert len(set(cards.PICTURES)) == len(OBJECTS)
    assert all(len(line) <= cards.PICTURE_CELLS and line.isascii() for picture in cards.PICTURES for line in picture)
    assert len(cards.COLOURS) == len(cards.GROUNDS) == len(COLOURS)
    signs = to_ascii("".join(map(cards.shape, range(ATTRIBUTES))))
    assert len(set(signs)) == len(COLOURS) + 2
    assert "?" not in signs + to_ascii("→←↑↓▸◂{}[]()+═║╔╗╚╝")


def seen(rules: WildWildPattern, state: State) -> PublicView:
    public, _own = rules.view(state, None)
    assert isinstance(public, PublicView)
    return public


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_wheel_that_the_events_tell_of_is_the_one_of_the_view(seats: int) -> None:
    rules, rng, judged = WildWildPattern(), random.Random(seats), 0
    for _game in range(4):
        chance = new_chance(rng)
        step = rules.setup(Options(), seats, chance)
        told, at = gather(Told(), step.public), 0
        while pending := rules.pending(step.state):
            before = seen(rules, step.state).wheel
            seat = rng.choice(pending)
            legal = rules.legal(step.state, seat)
            if isinstance(legal[0], Declare) and rng.random() < 0.7:
                fitting = list(listed(present([place.card for place in before])))
                legal = [Declare(one.side, one.a, one.b) for one in fitting] or legal
            at += rng.randrange(400)
            deadline = rules.deadline(step.state)
            if deadline is not None and at >= deadline:
                at = deadline
                step = rules.expire(step.state, Stamp(at), chance)
            else:
                step = rules.apply(step.state, seat, rng.choice(legal), Stamp(at), chance)
            told = gather(told, step.public)
            public = seen(rules, step.state)
            assert told.wheel == public.wheel
            if any(isinstance(event, Judged | DuelOver) for event in step.public):
                judged += 1
                assert told.judged is None or told.judged.wheel == before
            if any(isinstance(event, Looked) for event in step.public):
                assert told.judged is None
                assert bool(told.duel) == public.duel
    assert judged > 20
