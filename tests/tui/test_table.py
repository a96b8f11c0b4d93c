"""The table: every phase's question and keys, and that a key answers the question on the screen and no other."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec import Struct, structs
from rich.cells import cell_len
from textual import events

from robby_client.client import NotConnected, Refused
from robby_games.robby_solo import (
    BANK_LETTERS,
    Chose,
    Clashed,
    Confirm,
    Confirmed,
    Declare,
    GameOver,
    GameStarted,
    Give,
    Given,
    Lay,
    Police,
    PublicView,
    Reveal,
    Revealed,
    Robbed,
    RoundStarted,
    Supplied,
    Supply,
    TakeBack,
)
from robby_protocol.messages import SeatInfo, TableLeave, TableNews
from robby_tui.presses import Presses
from robby_tui.screens.confirm import Confirm as ConfirmDialog
from robby_tui.screens.lobby import LobbyScreen
from robby_tui.screens.results import ResultsScreen
from robby_tui.screens.table import TableScreen
from robby_tui.widgets.banks import BankRow
from robby_tui.widgets.people import People
from robby_tui.widgets.story import Story
from tests.tui.fakes import BANKS, WILL_NOT_RED, Match, own, participant, public, scores, table_state
from tests.tui.kit import Stage, run

LAYS = tuple(Lay(bank=bank) for bank in range(5))
DECLARATIONS = (Declare(robs=True, bank=3), *(Declare(robs=False, bank=bank) for bank in (0, 1, 2, 4)))
MINE: dict[str, Any] = {"gentleman": 0}
REVEAL = (
    Revealed(banks=(3, 2, 2, 1)),
    Robbed(seat=0, bank=3, loot=(7_000, 2_000)),
    Clashed(bank=2, seats=(1, 2), loot=(9_000,)),
    Robbed(seat=3, bank=1, loot=(3_000, 2)),
)


async def sit(stage: Stage, view: PublicView, mine: Any, *legal: Struct, **fields: Any) -> None:
    """A game in which this is shown and asked."""
    await stage.feed(table_state(), stage.match.update(view, mine, *legal, **fields))
    await stage.at(TableScreen)


def question(stage: Stage) -> str:
    lines = [line for line in stage.text.splitlines() if line.startswith(" ▸ ") and "(you)" not in line]
    return "".join(lines)


def acted(stage: Stage) -> list[Any]:
    return [action for action, _decision in stage.client.acted]


ASKED: dict[str, tuple[PublicView, Any, Sequence[Struct], dict[str, Any]]] = {
    "supply": (public("supply", ("none",) * 4, **MINE), own(), (Supply(side="left"), Supply(side="right")), {}),
    "play": (public("plays", ("none", "none", "laid", "none")), own(), LAYS, {}),
    "gentleman lays": (public("gentleman", ("none", "laid", "laid", "laid"), **MINE), own(), LAYS, {}),
    "gentleman declares": (public("gentleman", **MINE), own(3), DECLARATIONS, {}),
    "revision": (public("revision", declaration=WILL_NOT_RED), own(3), (Confirm(), TakeBack()), {}),
    "in the hand": (
        public("revision", ("taken_back", "laid", "laid", "laid"), declaration=WILL_NOT_RED),
        own(3),
        LAYS,
        {},
    ),
    "reveal": (public("revision", declaration=WILL_NOT_RED, reveal_open=True, **MINE), own(3), (Reveal(),), {}),
    "item": (public("police", ("none",) * 4), own(stack=(1, 4, 6)), (Give(card=1), Give(card=4), Give(card=6)), {}),
}
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
        assert "keys work again once it is back" in stage.text
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


def test_the_countdown_changes_sign_and_label_when_little_is_left(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS, clock=(18_000, 30_000, None))
        await stage.sees("18 s left")
        assert "█" in stage.text
        stage.clock.now += 9
        await stage.sees("hurry: 9 s")
        assert "▓" in stage.text
        stage.clock.now += 6
        await stage.sees("!! 3 s !!")
        assert "▚" in stage.text
        stage.clock.now += 60
        await stage.sees("!! 0 s !!")

    run(scene, tmp_path)


def test_without_a_limit_no_bar_is_shown(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS, clock=None)
        await stage.sees("no time limit")

    run(scene, tmp_path)


FULL = tuple((1_000, 2, 8_000, 9_000) for _bank in range(7))
STATES = ("laid_again", "laid", "confirmed", "taken_back", "none", "laid")


def test_everything_needed_to_play_is_visible(tmp_path: Path) -> None:
    """Seven full banks and six participants, at the smallest sizes too."""
    names = ("Ana", "Ben", "Cleo", "Dora", "Emil")

    async def scene(stage: Stage) -> None:
        view = public("revision", STATES, declaration=WILL_NOT_RED, junior=True, banks=FULL)
        await stage.feed(
            table_state(names=names), stage.match.update(view, own(3), Confirm(), TakeBack(), events=REVEAL)
        )
        await stage.at(TableScreen)
        for size in [(80, 24), (60, 18), (120, 40), (300, 80), (104, 24)]:
            await stage.pilot.resize_terminal(*size)
            await stage.settle()
            text = stage.text
            for letter, shape in zip("YGRBXPK", "●▲■◆✖★▼", strict=True):
                assert f"{shape} {letter}" in text
            for name in (*names, "Robby Junior"):
                assert name in text
            assert text.count("9,000") >= 7
            assert text.count("1,000") >= 7
            for part in (
                "will not",
                "▒ B ▒",
                "[Y]",
                "BACK",
                "confirmed",
                "18 s left",
                "c confirm",
                "t take",
            ):
                assert part in text, part
            assert "Your card is ◆ blue (B)" in text
            assert "23" in text.splitlines()[0]

    run(scene, tmp_path)


def test_below_the_smallest_size_a_notice_with_the_time_left_and_keys_that_work(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        await stage.sees("18 s left")
        assert "too small" in stage.text
        assert "Which bank" in stage.text
        await stage.press("g")
        assert acted(stage) == [Lay(bank=1)]

    run(scene, tmp_path, size=(40, 12))


def test_a_storm_of_resizes_in_the_revision(tmp_path: Path) -> None:
    sizes = [(1, 1), (20, 5), (40, 12), (80, 24), (300, 80), (2, 60), (200, 3), (60, 18), (59, 17), (104, 30)]

    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["revision"][:2], Confirm(), TakeBack(), events=REVEAL)
        for columns, rows in sizes * 2:
            await stage.pilot.resize_terminal(columns, rows)
        await stage.pilot.resize_terminal(80, 24)
        await stage.settle()
        await stage.sees("Your card is ◆ blue (B)")
        await stage.press("c")
        assert acted(stage) == [Confirm()]

    run(scene, tmp_path)


HOSTILE = ("[b]Ana[/b]", "[@click=app.leave]Ben", "$error", "\x1b[2J\x07Dora")
WIDE_NAMES = ("Ana", "漢字漢字漢字漢字漢字漢字", "👨‍👩‍👧👍🏽☎️🇩🇪", "éééé\u0301\u0302\u0303\u0304\u0305")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_names_of_any_script_are_text_and_keep_the_columns(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        for number, names in enumerate((HOSTILE, WIDE_NAMES, ("Ana", "שלום עולם", "", "x" * 200))):
            stage.match = Match(f"m{number}")
            await check(stage, names)

    async def check(stage: Stage, names: tuple[str, ...]) -> None:

        view = public("plays", ("none", "none", "laid", "none"))
        await stage.feed(
            table_state(names=names, title="[red]x[/red]", match=stage.match.name),
            stage.match.update(view, own(), *LAYS, events=REVEAL),
        )
        await stage.at(TableScreen)
        lines = stage.text.splitlines()
        assert all(cell_len(line) == size[0] for line in lines)
        rows = [line for line in lines if " cards" in line and " top " in line]
        assert len(rows) == 4
        assert len({cell_len(row[: row.index(" cards")]) for row in rows}) == 1
        assert len({cell_len(row[: row.index(" top ")]) for row in rows}) == 1
        assert "[red]x[/red]" in lines[0]
        assert not any(ord(char) < 32 for line in lines for char in line)
        if names is HOSTILE:
            assert "[b]Ana[/b]" in stage.text
            assert "\\x1b[2J" in stage.text

    run(scene, tmp_path, size=size)


def test_pasted_text_does_nothing_at_the_table(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        stage.app.post_message(events.Paste("b\nctrl+q enter\n" * 75_000))
        await stage.settle()
        assert stage.client.acted == []
        assert isinstance(stage.screen, TableScreen)

    run(scene, tmp_path)


def test_the_story_is_told_once_and_anew_for_another_match(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        start = (
            GameStarted(participants=4, junior=False, banks=5, gentleman=1, deck=61),
            RoundStarted(round=1, gentleman=1, deck=61),
            Supplied(side="left", cards=(4_000, 3, 9_000, 2_000, 1_000), deck=56),
        )
        view = public("plays", ("none",) * 4, round=1)
        await sit(stage, view, own(), *LAYS, events=start)
        story = stage.app.screen.query_one(Story)
        assert len(story.lines) == 3
        await stage.feed(stage.match.update(view, own(), *LAYS, events=[Confirmed(seat=2)]))
        assert len(story.lines) == 4
        await stage.feed(table_state(news=[TableNews(code="away", seat=1, name="Ben")]))
        assert "Ben" in story.lines[-1]
        stage.client.lose()
        stage.client.connect(resumed=True)
        await stage.feed(stage.match.update(view, own(), *LAYS))
        assert len(story.lines) == 5
        stage.match = Match("m2")
        await stage.feed(table_state(match="m2"), stage.match.update(view, own(), *LAYS, events=start[:1]))
        assert len(story.lines) == 1

    run(scene, tmp_path)


def test_the_story_scrolls_and_comes_back_to_its_end(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        view = public("plays", ("none",) * 4)
        many = [RoundStarted(round=number, gentleman=1, deck=30) for number in range(1, 60)]
        await sit(stage, view, own(), *LAYS, events=many)
        await stage.sees("Round 59")
        await stage.press("pageup")
        await stage.settle()
        assert "Round 59" not in stage.text
        await stage.feed(stage.match.update(view, own(), *LAYS, events=[Confirmed(seat=2)]))
        assert "Cleo confirmed." not in stage.text
        await stage.press("pagedown", "pagedown")
        await stage.sees("Cleo confirmed.")

    run(scene, tmp_path)


def test_a_reveal_is_staged_bank_by_bank_and_never_delays_an_answer(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["revision"][:2], Confirm(), TakeBack())
        after = public("supply", ("none",) * 4, gentleman=0, round=8)
        sides = (Supply(side="left"), Supply(side="right"))
        await stage.feed(stage.match.update(after, own(), *sides, events=REVEAL))
        row = stage.app.screen.query_one(BankRow)
        assert "Ben" not in str(row.render())
        stage.clock.now += 0.7
        await stage.until(lambda: "Ben Cleo" in str(row.render()))
        assert "+9,000" not in str(row.render())
        stage.clock.now += 0.3
        await stage.until(lambda: "+9,000" in str(row.render()))
        await stage.press("left")
        assert acted(stage) == [Supply(side="left")]

    run(scene, tmp_path)


def test_what_the_police_did_is_seen_at_the_bank_and_beside_the_payer(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        events = (
            *REVEAL,
            Police(bank=0, cards=(1_000, 2_000, 3_000, 4_000), most=8, payers=(3,), choosing=()),
            Given(seat=3, card=9_000),
        )
        await sit(stage, public("supply", ("none",) * 4), own(), events=events)
        assert "police" in str(stage.app.screen.query_one(BankRow).render())
        assert "police: −9,000" in str(stage.app.screen.query_one(People).render())

    run(scene, tmp_path)


def test_states_of_people_are_told_in_words(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        one = participant("none", paying=True)
        view = public("police", ("none",) * 4, participants=(participant(), one, participant(), participant()))
        seats = table_state(seats=[*_seats("here", "away", "stand_in", "left")])
        await stage.feed(seats, stage.match.update(view, own(), events=[Chose(seat=0)]))
        await stage.at(TableScreen)
        for part in ("chooses an item", "(away)", "away, a bot plays", "left, a bot plays"):
            assert part in stage.text

    run(scene, tmp_path, size=(100, 24))


def _seats(*states: str) -> list[Any]:
    return [SeatInfo(name=f"P{number}", kind="person", state=state) for number, state in enumerate(states)]


def test_open_stacks_are_shown_where_there_is_room(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        open_one = participant(loot=(1_000, 2, 7_000))
        view = public("plays", participants=(open_one,) * 4)
        await sit(stage, view, own(), *LAYS)
        assert "7,000 + pearl necklace (item) + 1,000" in stage.text

    run(scene, tmp_path, size=(120, 40))


def test_a_spectator_sees_the_table_and_is_asked_nothing(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await stage.feed(table_state(you=None), stage.match.update(public("plays", ("none",) * 4), None))
        await stage.at(TableScreen)
        assert "You are watching." in stage.text
        assert "[Y]" not in stage.text
        await stage.press("y", "c")
        assert stage.client.acted == []

    run(scene, tmp_path)


def test_after_the_last_reveal_enter_shows_the_results(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["revision"][:2], Confirm(), TakeBack())
        over = public("over", ("none",) * 4, scores=scores())
        await stage.feed(
            table_state("finished"),
            stage.match.update(over, own(), events=[*REVEAL, GameOver(reason="deck", scores=scores())], clock=None),
        )
        assert isinstance(stage.screen, TableScreen)
        await stage.press("enter")
        await stage.at(ResultsScreen)

    run(scene, tmp_path)


def test_quitting_a_running_game_asks_and_enter_alone_stays(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        await stage.press("q")
        await stage.at(ConfirmDialog)
        await stage.press("enter")
        await stage.at(TableScreen)
        assert not stage.client.stopped
        await stage.press("ctrl+q")
        await stage.at(ConfirmDialog)
        await stage.press("y", "b")
        assert stage.client.acted == []
        await stage.press("right", "enter")
        await stage.until(lambda: stage.client.stopped)

    app = run(scene, tmp_path)
    assert app.return_code == 0


def test_leaving_a_running_game_asks(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        await stage.press("l")
        await stage.at(ConfirmDialog)
        await stage.press("escape")
        await stage.at(TableScreen)
        await stage.press("l")
        await stage.at(ConfirmDialog)
        await stage.press("left", "enter")
        await stage.until(lambda: (TableLeave, {}) in stage.client.called)
        await stage.at(LobbyScreen)

    run(scene, tmp_path)


def test_the_row_of_banks_is_the_one_that_was_sent(tmp_path: Path) -> None:
    """Newest on top: the first line of loot is the last card of each bank."""

    async def scene(stage: Stage) -> None:
        await sit(stage, *ASKED["play"][:2], *LAYS)
        first = str(stage.app.screen.query_one(BankRow).render()).splitlines()[1]
        assert first.split() == [f"{bank[-1]:,}" for bank in BANKS]

    run(scene, tmp_path)
