"""The keys of Tresor Diebe's table: what they answer, and when they do nothing."""

from pathlib import Path

import pytest
from msgspec import Struct, structs

from robby_client.client import Refused
from robby_games.tresor_diebe import (
    Again,
    Failed,
    Pass,
    Stop,
    Throw,
    Thrown,
    TurnBegan,
)
from robby_protocol.messages import SeatInfo
from robby_tui.presses import Presses
from robby_tui.screens.table import TableScreen
from robby_tui.tresor_diebe.throw import Throw as ThrowWidget
from tests.tui.diebe import (
    ALL,
    FIRST_THROW,
    FREE,
    NEXT_ROUND,
    OPEN,
    OWN,
    SIZES,
    THROWN,
    TURN,
    acted,
    beside,
    go_on,
    keys,
    question,
    sit,
    state,
    view,
)
from tests.tui.fakes import NAMES
from tests.tui.kit import Stage, run

ANSWERS: tuple[tuple[bool, tuple[str, ...], Struct], ...] = (
    (False, ("t",), Throw()),
    (False, ("T",), Throw()),
    (False, ("enter",), Throw()),
    (False, ("p",), Pass()),
    (True, ("s",), Stop()),
    (True, ("enter",), Stop()),
    (True, ("1", "t"), Again((0,))),
    (True, ("5", "3", "enter"), Again((2, 4))),
    (True, ("5", "3", "5", "t"), Again((2,))),
    (True, ("a", "t"), Again(ALL)),
    (True, ("a", "2", "t"), Again((0, 2, 3, 4))),
    (True, ("4", "s"), Stop()),
    (True, ("4", "escape", "enter"), Stop()),
    (True, ("a", "escape", "2", "t"), Again((1,))),
)


def test_keys_answer_the_question(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(turn=1))
        for number, (thrown, pressed, action) in enumerate(ANSWERS):
            shown = view(FREE, idle=number % 10) if thrown else view(idle=number % 10)
            await go_on(stage, shown, *(THROWN if thrown else TURN))
            assert question(stage), pressed
            await stage.press(*pressed)
            assert stage.client.acted == [(action, stage.match.decision)], pressed
            stage.client.acted.clear()

    run(scene, tmp_path)


def test_keys_for_anything_else_do_nothing(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(turn=1))
        for number, (shown, legal, pressed) in enumerate(
            (
                (view(), TURN, ("1", "a", "s", "escape", "6", "0", "x")),
                (view(FREE), THROWN, ("t", "p", "6", "0", "escape", "1", "1", "t")),
                (view(OPEN), THROWN, ("enter", "t", "p")),
                (view(turn=2), (), ("t", "p", "s", "enter", "1", "a")),
                (view(FREE, turn=2), (), ("t", "p", "s", "enter", "1", "a")),
            )
        ):
            await go_on(stage, structs.replace(shown, idle=number), *legal)
            for key in pressed:
                await stage.press(key)
                assert stage.client.acted == [], (number, key)
                assert isinstance(stage.screen, TableScreen)

    run(scene, tmp_path)


def test_only_what_was_offered_is_sent(tmp_path: Path) -> None:
    """The screen has no rules of its own: a server that offers less gets no more."""

    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), Again((1,)), Again((1, 2)))
        await stage.press("s", "enter", "a", "t")
        assert acted(stage) == [Again((1, 2))]

    run(scene, tmp_path)


@pytest.mark.parametrize("size", SIZES)
def test_chosen_dice_are_seen_and_what_t_will_do(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN, events=[FIRST_THROW])
        assert "╔" not in stage.text.replace("╔════╗", "")
        await stage.press("2", "4")
        shown = str(stage.screen.query_one(ThrowWidget).render())
        assert shown.count("╔") == 2
        assert shown.count("again") == 2
        assert "t throws 2 dice again" in question(stage)
        assert "t/Enter throw 2 again" in keys(stage)
        await stage.press("2")
        assert str(stage.screen.query_one(ThrowWidget).render()).count("╔") == 1
        await stage.press("escape")
        assert "╔" not in str(stage.screen.query_one(ThrowWidget).render())
        assert stage.client.acted == []

    run(scene, tmp_path, size=size)


def test_dice_thrown_again_are_seen_by_everybody(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE, turn=1), events=[Thrown(1, 1, FREE, ALL)])
        assert " new" not in stage.text
        await go_on(stage, view(OPEN, turn=1, throws=2), events=[Thrown(1, 2, OPEN, (2, 3))])
        under = next(line for line in stage.text.splitlines() if " new" in line)
        assert under.split()[:7] == ["5", "6", "3", "new", "5", "new", "2"]

    run(scene, tmp_path)


def test_dice_roll_for_a_moment_and_never_delay_an_answer(tmp_path: Path) -> None:
    def shown(stage: Stage) -> list[int]:
        """The numbers under the dice."""
        line = str(stage.screen.query_one(ThrowWidget).render()).splitlines()[5]
        return [int(word) for word in line[:49].split() if word.isdigit()]

    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN, events=[FIRST_THROW])
        assert shown(stage) == list(FREE)  # nothing rolls that fell before one came
        await go_on(stage, view(OPEN, throws=2), *THROWN, events=[Thrown(0, 2, OPEN, (2, 3))])
        rolling = shown(stage)
        assert [die == now for die, now in zip(OPEN, rolling, strict=True)] == [True, True, False, False, True]
        assert "= 21" not in beside(stage)
        assert "[21]" not in stage.text
        stage.clock.now += 0.1
        await stage.until(lambda: shown(stage) != rolling)
        stage.clock.now += 0.5
        await stage.until(lambda: shown(stage) == list(OPEN))
        assert "= 21" in beside(stage)
        assert "[21]" in stage.text

    run(scene, tmp_path, presses=Presses(settle=0.2, held=0.0))


def test_a_key_acts_while_dice_roll(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(), *TURN)
        stage.app.link.presses.settle = 1_000.0
        await go_on(stage, view(FREE), *THROWN, events=[FIRST_THROW])
        assert "= 18" not in beside(stage)
        stage.app.link.presses.settle = 0.0
        await stage.press("s")
        assert acted(stage) == [Stop()]

    run(scene, tmp_path)


@pytest.mark.parametrize(("size", "column"), [((60, 18), 7), ((80, 24), 12), ((120, 40), 16)])
def test_a_die_is_chosen_with_the_mouse(tmp_path: Path, size: tuple[int, int], column: int) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN)
        await stage.pilot.click(ThrowWidget, offset=(column, 1))
        await stage.settle()
        await stage.press("t")
        assert acted(stage) == [Again((1,))]

    run(scene, tmp_path, size=size)


def test_what_was_chosen_is_forgotten_with_its_dice(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN)
        await stage.press("1", "2", "t")
        await go_on(stage, view(OPEN, throws=2), *THROWN)
        assert "╔" not in str(stage.screen.query_one(ThrowWidget).render())
        await stage.press("t")
        assert acted(stage) == [Again((0, 1))]
        await stage.sees("Which dice?")

    run(scene, tmp_path)


def test_what_was_chosen_stays_while_others_talk_or_go_away(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        shown = stage.match.update(view(FREE), OWN, *THROWN)
        await stage.feed(state(), shown)
        await stage.at(TableScreen)
        await stage.press("3")
        await stage.feed(state(seats=[SeatInfo(name=name, kind="person", state="away") for name in NAMES]))
        await stage.press("t")
        assert acted(stage) == [Again((2,))]

    run(scene, tmp_path)


def test_keys_pressed_just_as_the_dice_fall_do_nothing(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN)
        await go_on(stage, view(OPEN, throws=2), *THROWN)
        await stage.press("s", "1", "t")
        assert stage.client.acted == []
        stage.app.link.presses.settle = 0.0
        await stage.press("s")
        assert acted(stage) == [Stop()]

    run(scene, tmp_path, presses=Presses(settle=1_000.0, held=0.0))


def test_enter_held_from_the_throw_does_not_take_the_safe(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(), *TURN)
        await stage.press("enter")
        assert acted(stage) == [Throw()]
        await go_on(stage, view(FREE), *THROWN)
        await stage.press("enter", "enter", "enter")
        assert acted(stage) == [Throw()]

    run(scene, tmp_path, presses=Presses(settle=0.0, held=1_000.0))


def test_a_key_for_the_question_before_is_not_an_answer_to_the_next(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN)
        stage.client.world.apply(stage.match.update(view(OPEN, throws=2), OWN, *THROWN))
        await stage.press("s")
        assert stage.client.acted == []
        await stage.sees("earlier question")

    run(scene, tmp_path)


def test_a_refused_answer_is_said_and_may_be_given_again(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN)
        stage.client.refuse.append(Refused("too_late", "Time was up before this arrived."))
        await stage.press("1", "t")
        await stage.sees("Time was up before this arrived.")
        await stage.press("2", "t")
        assert acted(stage) == [Again((0,)), Again((1,))]

    run(scene, tmp_path)


def test_offline_says_so_and_sends_nothing_later(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN)
        stage.client.lose(retry_in=8)
        await stage.sees("trying again in 8 s")
        assert "keys do nothing now; your seat is kept" in stage.text
        await stage.press("s", "1", "t", "enter")
        await stage.sees("nothing was sent")
        stage.client.connect(resumed=True)
        await stage.feed(stage.match.update(view(FREE), OWN, *THROWN))
        assert stage.client.acted == []
        await stage.press("s")
        assert acted(stage) == [Stop()]

    run(scene, tmp_path)


def test_every_thief_stays_in_sight_when_much_is_to_be_told(tmp_path: Path) -> None:
    """The end of a round under the question; in the smallest window a watcher whose connection is lost."""

    async def scene(stage: Stage) -> None:
        await sit(stage, view(turn=3), seat=None, events=[Failed(0, 21, 2, 15, 14), *NEXT_ROUND])
        await stage.feed(stage.match.update(view(FREE, turn=3), None, events=[Thrown(3, 1, FREE, ALL)]))
        for lost in (False, True):
            if lost:
                stage.client.lose(retry_in=8)
                await stage.sees("trying again in 8 s")
            for size in SIZES:
                await stage.pilot.resize_terminal(*size)
                await stage.settle()
                for part in ("◆ Dora", "18 s left", "throw 1 of 3", "You are watching."):
                    assert part in stage.text, (size, part)
        assert "this is how the table stood" in stage.text

    run(scene, tmp_path)


@pytest.mark.parametrize("size", SIZES)
def test_offline_hides_nothing_that_is_needed(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(FREE), *THROWN, events=[FIRST_THROW])
        stage.client.lose(retry_in=8)
        await stage.sees("trying again in 8 s")
        for part in ("Dora", "18 s left", "No connection", "Your throw 1 of 3"):
            assert part in stage.text, part

    run(scene, tmp_path, size=size)


@pytest.mark.parametrize("size", [*SIZES, (66, 18)])
def test_offline_the_last_turn_takes_no_thief_s_line(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, view(), *TURN, events=[Thrown(3, 1, OPEN, ALL), Failed(3, 21, 2, 4, 3), TurnBegan(0)])
        stage.client.lose(retry_in=8)
        await stage.sees("trying again in 8 s")
        for sign, name in zip("●▲■◆", NAMES, strict=True):
            assert f"{sign} {name}" in stage.text

    run(scene, tmp_path, size=size)
