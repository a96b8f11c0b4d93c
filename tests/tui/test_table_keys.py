"""The table's keys: a key answers the question on the screen and no other."""

from pathlib import Path

import anyio
from msgspec import Struct, structs
from textual import events

from robby_client.client import NotConnected, Refused
from robby_games.robby_solo import (
    BANK_LETTERS,
    Confirm,
    Declare,
    Give,
    Lay,
    Reveal,
    Supply,
    TakeBack,
)
from robby_tui.presses import Presses
from robby_tui.robby_solo.banks import BankRow
from robby_tui.screens.help import Help
from robby_tui.screens.table import TableScreen
from tests.tui.fakes import WILL_NOT_RED, own, public
from tests.tui.kit import Stage, run
from tests.tui.tables import ASKED, LAYS, MINE, acted, sit


def question(stage: Stage) -> str:
    lines = [line for line in stage.text.splitlines() if line.startswith(" ▸ ") and "(you)" not in line]
    return "".join(lines)


ANSWERS: tuple[tuple[str, tuple[str, ...], Struct], ...] = (
    ("supply", ("left",), Supply(side="left")),
    ("supply", ("right",), Supply(side="right")),
    *(("play", (letter.lower(),), Lay(bank=bank)) for bank, letter in enumerate(BANK_LETTERS[:5])),
    ("play", ("B",), Lay(bank=3)),
    ("play", ("5",), Lay(bank=4)),
    ("gentleman lays", ("r",), Lay(bank=2)),
    ("gentleman declares", ("w", "enter"), Declare(robs=True, bank=3)),
    ("gentleman declares", ("w", "b"), Declare(robs=True, bank=3)),
    ("gentleman declares", ("n", "x"), Declare(robs=False, bank=4)),
    ("gentleman declares", ("n", "escape", "w", "enter"), Declare(robs=True, bank=3)),
    ("revision", ("c",), Confirm()),
    ("revision", ("t",), TakeBack()),
    ("in the hand", ("b",), Lay(bank=3)),
    ("reveal", ("v",), Reveal()),
    ("item", ("2",), Give(card=4)),
)


async def ask(stage: Stage, case: str) -> None:
    """Put this question, in a round of its own."""
    view, mine, legal, fields = ASKED[case]
    view = structs.replace(view, round=stage.match.seq + 1)
    await stage.feed(stage.match.update(view, mine, *legal, **fields))


def test_keys_answer_the_question(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, public("plays", ("none",) * 4), own())
        for case, keys, action in ANSWERS:
            await ask(stage, case)
            assert question(stage), case
            await stage.press(*keys)
            assert stage.client.acted == [(action, stage.match.decision)], (case, keys)
            stage.client.acted.clear()

    run(scene, tmp_path)


NOT_ASKED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("supply", ("b", "c", "t", "v", "w", "n", "enter", "1")),
    ("play", ("c", "t", "v", "w", "n", "enter", "left", "right", "p", "k", "6", "7")),
    ("gentleman declares", ("b", "r", "1", "enter", "c", "t", "v")),
    ("gentleman declares", ("w", "r")),
    ("gentleman declares", ("n", "b")),
    ("revision", ("b", "y", "v", "w", "enter")),
    ("in the hand", ("c", "t", "v")),
    ("reveal", ("c", "t", "b")),
    ("item", ("4", "7", "b", "c")),
)


def test_keys_for_anything_else_do_nothing(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, public("plays", ("none",) * 4), own())
        for case, keys in NOT_ASKED:
            await ask(stage, case)
            await stage.press(*keys)
            assert stage.client.acted == [], (case, keys)
            assert isinstance(stage.screen, TableScreen)

    run(scene, tmp_path)


def test_a_bank_is_picked_with_the_mouse(tmp_path: Path) -> None:
    view, mine, legal, _fields = ASKED["play"]

    async def scene(stage: Stage) -> None:
        await sit(stage, view, mine, *legal)
        await stage.pilot.click(BankRow, offset=(34, 3))
        await stage.settle()
        assert acted(stage) == [Lay(bank=2)]

    run(scene, tmp_path)


def test_a_key_in_the_last_line_is_clicked(tmp_path: Path) -> None:
    view, mine, legal, _fields = ASKED["revision"]

    async def scene(stage: Stage) -> None:
        await sit(stage, view, mine, *legal)
        x = stage.text.splitlines()[-1].index("take back")
        await stage.pilot.click(offset=(x, 23))
        await stage.settle()
        assert acted(stage) == [TakeBack()]

    run(scene, tmp_path)


def test_a_click_begins_the_only_true_declaration_and_enter_says_it(tmp_path: Path) -> None:
    view, mine, legal, _fields = ASKED["gentleman declares"]

    async def scene(stage: Stage) -> None:
        await sit(stage, view, mine, *legal)
        await stage.pilot.click(BankRow, offset=(50, 3))
        await stage.settle()
        assert acted(stage) == []
        await stage.press("enter")
        assert acted(stage) == [Declare(robs=True, bank=3)]

    run(scene, tmp_path)


def test_a_key_for_the_question_before_is_not_an_answer_to_the_next(tmp_path: Path) -> None:
    """The world has gone on, the screen not yet: the key is bound to the decision shown."""

    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        later = stage.match.update(
            public("revision", ("taken_back", "laid", "laid", "laid"), declaration=WILL_NOT_RED), own(3), *LAYS
        )
        stage.client.world.apply(later)
        await stage.press("y")
        assert stage.client.acted == []
        await stage.sees("earlier question")

    run(scene, tmp_path)


def test_keys_pressed_just_as_another_question_appears_do_nothing(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        await stage.press("b")
        assert stage.client.acted == []
        stage.app.link.presses.settle = 0.0
        await stage.press("y")
        assert acted(stage) == [Lay(bank=0)]

    run(scene, tmp_path, presses=Presses(settle=1_000.0, held=0.0))


def test_a_dialogs_keys_act_whatever_is_asked_behind_it(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        await stage.press("question_mark")
        await stage.at(Help)
        stage.app.link.presses.settle = 1_000.0
        await ask(stage, "revision")
        await stage.press("escape")
        await stage.at(TableScreen)
        await stage.press("c")
        assert stage.client.acted == []

    run(scene, tmp_path)


def test_a_key_held_from_one_question_to_the_next_counts_once(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        await stage.press("b")
        assert acted(stage) == [Lay(bank=3)]
        hand = public("revision", ("taken_back", "laid", "laid", "laid"), declaration=WILL_NOT_RED)
        await stage.feed(stage.match.update(hand, own(3), *LAYS))
        await stage.press("b", "b", "b", "b")
        assert acted(stage) == [Lay(bank=3)]
        await stage.press("y")
        assert acted(stage) == [Lay(bank=3), Lay(bank=0)]

    run(scene, tmp_path, presses=Presses(settle=0.0, held=1_000.0))


def test_fast_keys_of_one_phase_all_count_in_order(tmp_path: Path) -> None:
    """Take back and lay at once, faster than the server answers."""

    async def scene(stage: Stage) -> None:
        stage.client.hold = anyio.Event()
        await sit(stage, *ASKED["revision"][:2], Confirm(), TakeBack())
        await stage.pilot.press("t", "t", "b")
        await stage.settle()
        assert acted(stage) == [TakeBack()]
        stage.client.hold.set()
        await stage.settle()
        hand = public("revision", ("taken_back", "laid", "laid", "laid"), declaration=WILL_NOT_RED)
        await stage.feed(stage.match.update(hand, own(3), *LAYS))
        await stage.until(lambda: len(stage.client.acted) == 2)
        assert acted(stage) == [TakeBack(), Lay(bank=3)]

    run(scene, tmp_path)


def test_keys_typed_ahead_end_with_their_phase(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        stage.client.hold = anyio.Event()
        await sit(stage, *ASKED["revision"][:2], Confirm(), TakeBack())
        await stage.pilot.press("t", "b")
        stage.client.hold.set()
        await stage.feed(stage.match.update(public("plays", ("none",) * 4, round=8), own(), *LAYS))
        await stage.settle()
        assert acted(stage) == [TakeBack()]

    run(scene, tmp_path)


def test_a_refused_answer_is_said_and_may_be_given_again(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        stage.client.refuse.append(Refused("too_late", "Time was up before this arrived."))
        await stage.press("b")
        await stage.sees("Time was up before this arrived.")
        await stage.press("y")
        assert acted(stage) == [Lay(bank=3), Lay(bank=0)]

    run(scene, tmp_path)


def test_an_answer_lost_with_the_connection_is_said_and_not_sent_again(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        stage.client.refuse.append(NotConnected(unsure=True))
        await stage.press("b")
        stage.client.lose()
        await stage.settle()
        stage.client.connect(resumed=True)
        await stage.feed(stage.match.update(ASKED["play"][0], own(), *LAYS))
        assert acted(stage) == [Lay(bank=3)]

    run(scene, tmp_path)


def test_offline_says_so_answers_keys_and_never_sends_them_later(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        view, mine, legal, _fields = ASKED["play"]
        await sit(stage, view, mine, *legal)
        stage.client.lose(retry_in=8)
        await stage.sees("trying again in 8 s")
        assert "keys do nothing now; your seat is kept" in stage.text
        stage.clock.now += 5
        await stage.sees("trying again in 3 s")
        await stage.press("b", "c", "left", "1")
        await stage.sees("nothing was sent")
        stage.client.connect(resumed=True)
        await stage.feed(stage.match.update(view, mine, *legal))
        assert "trying again" not in stage.text
        assert stage.client.acted == []
        await stage.press("y")
        assert acted(stage) == [Lay(bank=0)]

    run(scene, tmp_path)


def test_reveal_says_when_it_opens(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, public("revision", declaration=WILL_NOT_RED, **MINE), own(3), clock=(28_000, 30_000, 3_000))
        await stage.sees("reveal possible in 3 s")
        await stage.press("v")
        await stage.sees("Reveal is allowed in 3 s.")
        assert stage.client.acted == []

    run(scene, tmp_path)


def test_pasted_text_does_nothing_at_the_table(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        stage.app.post_message(events.Paste("b\nctrl+q enter\n" * 75_000))
        await stage.settle()
        assert stage.client.acted == []
        assert isinstance(stage.screen, TableScreen)

    run(scene, tmp_path)
