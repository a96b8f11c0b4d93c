"""Wild Wild Pattern's keys: covering, declaring, taking, grabbing; and what no key can do."""

from pathlib import Path

import pytest
from msgspec import Struct, structs

from robby_client.client import Refused
from robby_games.wild_wild_pattern import (
    Click,
    Cover,
    Declare,
    Discarded,
    Grab,
    Judged,
    NoPattern,
    Ready,
    Take,
)
from robby_protocol.messages import TableLeave, TableUnwatch
from robby_tui.presses import RACE_SETTLE, SETTLE, Presses
from robby_tui.screens.confirm import Confirm
from robby_tui.screens.people import PeopleScreen
from robby_tui.screens.table import TableScreen
from robby_tui.wild_wild_pattern.wheel import WheelView, moved
from tests.tui.kit import Stage, run
from tests.tui.wild import (
    ASKED,
    BARREL,
    BULLETS,
    COIN,
    DECLARES,
    GREY,
    LOOT,
    MINE,
    PLAYED,
    STAR,
    TAKES,
    WRONG,
    acted,
    mine,
    sit,
    view,
)

ANSWERS: tuple[tuple[str, tuple[str, ...], Struct], ...] = (
    ("ready", ("enter",), Ready()),
    *(("shoot", (str(place + 1),), Cover(place)) for place in range(8)),
    ("shoot", ("up", "enter"), Cover(0)),
    ("shoot", ("right", "up", "left", "enter"), Cover(0)),
    ("shoot", ("left", "down", "enter"), Cover(5)),
    ("shoot", ("k",), Click()),
    ("slowed", ("K",), Click()),
    ("declare", ("right", "s", "c"), Declare("after", STAR, COIN)),
    ("declare", ("left", "U", "A"), Declare("before", BULLETS, BARREL)),
    ("declare", ("right", "l", "x"), Declare("after", LOOT, GREY)),
    ("declare", ("right", "s", "left", "c"), Declare("before", STAR, COIN)),
    ("declare", ("right", "g", "escape", "s", "c"), Declare("after", STAR, COIN)),
    ("declare", ("right", "escape", "left", "s", "c"), Declare("before", STAR, COIN)),
    ("declare", ("full_stop", "s", "c"), Declare("after", STAR, COIN)),
    ("declare", ("less_than_sign", "s", "c"), Declare("before", STAR, COIN)),
    ("take", ("3",), Take(2)),
    ("take", ("down", "enter"), Take(4)),
    ("grab", ("space",), Grab()),
    ("name", ("0",), NoPattern()),
    ("name", ("right", "s", "0"), NoPattern()),
    ("name", ("right", "s", "c"), Declare("after", STAR, COIN)),
)

NOT_ASKED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ready", ("1", "space", "k", "0", "s", "right")),
    ("shoot", ("enter", "space", "0", "9", "s", "c", "right")),
    ("slowed", ("1", "4", "right", "enter", "space")),
    ("declare", ("s", "c", "1", "enter", "space", "k", "0", "up")),
    ("declare", ("right", "s", "g", "s", "1", "enter")),
    ("declare", ("right", "c", "r", "u", "y")),
    ("take", ("4", "space", "k", "0", "s")),
    ("grab", ("1", "enter", "k", "0", "c", "right")),
    ("name", ("space", "1", "k", "enter")),
)


async def ask(stage: Stage, case: str) -> None:
    """Put this question, in a turn of its own."""
    public, own, legal, fields = ASKED[case]
    public = structs.replace(public, turn=stage.match.seq + 1)
    await stage.feed(stage.match.update(public, own, *legal, clock=fields["clock"]))


def test_keys_answer_the_question(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "ready")
        for case, keys, action in ANSWERS:
            await ask(stage, case)
            await stage.press(*keys)
            assert stage.client.acted == [(action, stage.match.decision)], (case, keys)
            stage.client.acted.clear()

    run(scene, tmp_path)


def test_keys_for_anything_else_do_nothing(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "ready")
        for case, keys in NOT_ASKED:
            await ask(stage, case)
            await stage.press(*keys)
            assert stage.client.acted == [], (case, keys)
            assert isinstance(stage.screen, TableScreen)

    run(scene, tmp_path)


def test_whatever_is_pressed_only_an_offered_declaration_leaves(tmp_path: Path) -> None:
    """Every letter after every letter: what leaves was offered, and everything that was offered with this side left."""
    offered = tuple(one for one in DECLARES if one.side == "after" and one.a in (STAR, COIN))

    async def scene(stage: Stage) -> None:
        await sit(stage, "declare")
        public, own, _legal, _fields = ASKED["declare"]
        for a in "sc":
            for b in "glsohdanrbyxwcuefijkmpqtvz"[:15]:
                await stage.feed(stage.match.update(structs.replace(public, turn=stage.match.seq + 1), own, *offered))
                await stage.press("right", a, b)
        assert set(acted(stage)) == set(offered)
        assert len(acted(stage)) == len(offered)

    run(scene, tmp_path)


def test_a_card_is_picked_with_the_mouse(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        for size, where in (((80, 24), (30, 2)), ((60, 18), (22, 0)), ((120, 40), (35, 3))):
            await stage.pilot.resize_terminal(*size)
            await sit(stage, "ready")
            await ask(stage, "shoot")
            await stage.pilot.click(WheelView, offset=where)
            await stage.settle()
            assert acted(stage) == [Cover(0)], size
            stage.client.acted.clear()
        await ask(stage, "shoot")
        await stage.pilot.click(WheelView, offset=(35, 10))  # the middle
        await stage.settle()
        assert acted(stage) == []

    run(scene, tmp_path)


def test_arrows_lead_round_the_ring_and_over_the_middle() -> None:
    assert [moved(None, arrow) for arrow in ("up", "right", "down", "left")] == [0, 2, 4, 6]
    assert moved(0, "down") == 4
    assert moved(6, "right") == 2
    assert moved(7, "right") == 0
    assert moved(0, "up") == 4


def test_the_place_chosen_is_shown_and_forgotten_with_the_question(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "ready")
        await ask(stage, "shoot")
        await stage.press("down")
        assert "▸5 bOttle◂" in stage.text
        assert "Cover place 5 with your card? Enter shoots." in stage.text
        await ask(stage, "shoot")
        await stage.press("enter")
        assert acted(stage) == []

    run(scene, tmp_path)


def test_what_a_key_cannot_do_now_is_said(tmp_path: Path) -> None:
    cases = (
        ("shoot", "space", "Clementine cannot be grabbed now."),
        ("shoot", "0", "That can only be said with Clementine in the hand."),
        ("slowed", "4", "You may cover in 2 s."),
        ("ready", "4", "No card is asked of you now."),
        ("ready", "k", "You cannot click now."),
        ("declare", "4", "Now the pattern: ← before or → after, then two letters."),
        ("declare", "s", "First the side: ← before every …, or → after every …"),
        ("take", "4", "Place 4 is not allowed now."),
        ("shoot", "l", "L is the loot here: e leaves the table."),
        ("shoot", "u", "U are the bullets here: p shows the people."),
    )

    async def scene(stage: Stage) -> None:
        await sit(stage, "ready")
        for case, key, said in cases:
            await ask(stage, case)
            await stage.press(key)
            assert said in stage.text, (case, key)
        await ask(stage, "declare")
        await stage.press("right", "s", "g")
        assert "G does not fit here; Esc goes back." in stage.text
        assert acted(stage) == []

    run(scene, tmp_path)


def test_a_refused_answer_is_said_and_may_be_given_again(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "ready")
        await ask(stage, "shoot")
        stage.client.refuse.append(Refused("too_late", "Somebody was first."))
        await stage.press("4")
        assert "Somebody was first." in stage.text
        await stage.press("5")
        assert acted(stage) == [Cover(3), Cover(4)]

    run(scene, tmp_path)


def test_letters_of_a_declaration_too_late_leave_no_table(tmp_path: Path) -> None:
    """L is the loot, and Y would say yes."""

    async def scene(stage: Stage) -> None:
        await sit(stage, "declare")
        await stage.press("right")
        late = view("take", active=1, takes=1, judgement=structs.replace(WRONG, pattern=None, verdict="silent"))
        await stage.feed(stage.match.update(late, mine()))
        await stage.press("l", "y", "u", "d")
        assert isinstance(stage.screen, TableScreen)
        assert TableLeave not in [command for command, _fields in stage.client.called]
        await stage.press("e")
        await stage.at(Confirm)
        await stage.press("escape", "p")
        await stage.at(PeopleScreen)

    run(scene, tmp_path)


def test_a_watcher_leaves_by_l_as_at_every_table(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, (view("shootout"), None, (), {}))
        await stage.press("1", "enter", "space", "k", "right", "s", "c")
        assert stage.client.acted == []
        await stage.press("l")
        called = [command for command, _fields in stage.client.called]
        assert called.count(TableUnwatch) == 1
        assert TableLeave not in called

    run(scene, tmp_path)


def test_a_card_that_is_not_the_one_shown_is_not_taken(tmp_path: Path) -> None:
    """An invalid pattern is still lit with the card played; under it another lies open by now."""

    async def scene(stage: Stage) -> None:
        public, own, _legal, fields = ASKED["declare"]
        theirs = structs.replace(public, active=1, shooter=1)
        await sit(stage, (theirs, own, (), fields))
        taking = view("take", active=0, takes=1, shooter=1, played=PLAYED, judgement=WRONG)
        events = (Judged(WRONG), Discarded(PLAYED, MINE, "invalid"))
        await stage.feed(stage.match.update(taking, mine(), *TAKES, events=events))
        assert "INVALID" in stage.text
        assert "(4 Star)" in stage.text
        await stage.press("4")
        assert acted(stage) == []
        assert "Another card lies at 4 now" in stage.text
        assert "4 Dynamite" in stage.text
        await stage.press("4")
        assert acted(stage) == [Take(PLAYED)]

    run(scene, tmp_path)


# Which presses count.


class Now:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("race", "settle"), [(False, SETTLE), (True, RACE_SETTLE)])
def test_where_the_first_press_counts_keys_settle_sooner(race: bool, settle: float) -> None:
    presses = Presses(now=Now())
    presses.moved("shoot", race=race)
    assert not presses.admit("4", 100.0 + settle - 0.01)
    assert presses.admit("4", 100.0 + settle + 0.01)
    assert RACE_SETTLE < SETTLE


def test_the_table_says_what_is_a_race(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "ready")
        for case in ASKED:
            await ask(stage, case)
            assert isinstance(stage.screen, TableScreen)
            assert stage.screen.is_race == (case in ("shoot", "slowed", "grab"))

    run(scene, tmp_path)


def test_an_arrow_that_chose_a_place_chooses_the_side_at_once(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "ready")
        await ask(stage, "shoot")
        await stage.press("right", "enter")
        assert acted(stage) == [Cover(2)]
        await ask(stage, "declare")
        await stage.press("right", "s", "c")
        assert acted(stage)[1:] == [Declare("after", STAR, COIN)]

    run(scene, tmp_path, presses=Presses(settle=0.0, held=1_000.0))


def test_a_digit_held_from_covering_takes_no_card(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "ready")
        await ask(stage, "shoot")
        await stage.press("3")
        await ask(stage, "take")
        await stage.press("3", "3")
        assert acted(stage) == [Cover(2)]
        public, own, legal, _fields = ASKED["take"]
        two = structs.replace(public, takes=2, turn=99)
        await stage.feed(stage.match.update(two, own, *legal))
        await stage.press("5")
        await stage.feed(stage.match.update(structs.replace(two, takes=1), own, *legal))
        await stage.press("5")
        assert acted(stage) == [Cover(2), Take(4)]

    run(scene, tmp_path, presses=Presses(settle=0.0, held=1_000.0))
