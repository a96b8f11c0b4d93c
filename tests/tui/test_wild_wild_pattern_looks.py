"""How Wild Wild Pattern's table shows a game: each question at each size, judgements, near-ties, results, help."""

import re
from pathlib import Path

import pytest
from msgspec import Struct, structs

from robby_games.wild_wild_pattern import (
    ATTRIBUTE_NAMES,
    Covered,
    Dealt,
    Discarded,
    DuelOver,
    Entrant,
    Filled,
    GameOver,
    Grabbed,
    Judged,
    Judgement,
    Laid,
    Looked,
    Pattern,
    Payment,
    PlaceView,
    Race,
    RoundOver,
    RoundStarted,
    Score,
    Take,
    Taken,
)
from robby_protocol.messages import GameOffer, ScoreLine
from robby_tui.screens.help import Help, page
from robby_tui.screens.results import ResultsScreen
from robby_tui.screens.setup import SetupScreen
from robby_tui.terminal import to_ascii
from robby_tui.widgets.story import Story
from robby_tui.wild_wild_pattern import help as wild_help
from robby_tui.wild_wild_pattern.results import results
from robby_tui.wild_wild_pattern.table import LIT_SECONDS
from tests.tui.fakes import GREETING, NAMES, lobby, table_state
from tests.tui.kit import Stage, run
from tests.tui.wild import (
    ASKED,
    BARREL,
    BLUE,
    BOTTLE,
    COVERED,
    DYNAMITE,
    GUN,
    LOOKED,
    LOOT,
    MINE,
    PLAYED,
    RACE,
    STAR,
    START,
    VALID,
    WHEEL,
    WRONG,
    acted,
    judged,
    mine,
    people,
    played,
    sit,
    view,
)

SIZES = ((60, 18), (80, 24), (120, 40))

QUESTIONS: dict[str, tuple[str, ...]] = {
    "ready": ("Ready to look at your card? Press Enter.", "Enter ready", "face down"),
    "shoot": ("Which card do you cover with yours? Press its number.", "1–8 cover", "k click", "yours:"),
    "slowed": ("You grabbed in vain, so you may not cover yet. Look!", "you may cover in 2 s", "k click"),
    "declare": ("First! Your new pattern: ← before or → after every …", "← before …", "→ after …"),
    "take": ("Take 1 card: press its number. (Not 4.)", "1–8 take", "under 4:"),
    "grab": ("Ben has a challenge card. Space grabs Clementine!", "Space grab", "CLEMENTINE", "has the challenge card"),
    "name": (
        "You have Clementine: ← before, → after every …, 0 none.",
        "← before …",
        "→ after …",
        "0 none  ",
        "CLEMENTINE",
    ),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("case", QUESTIONS)
def test_everything_needed_to_play_is_visible(tmp_path: Path, case: str, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, case)
        text = stage.text
        for part in (*QUESTIONS[case], *NAMES, "round 1/3 · turn 1 · deck 35 · bank 15 $", " left"):
            assert part in text, part
        for number, name in enumerate(("Star", "Gun", "Loot", None, "bOttle", "bArrel", "Horseshoe", "waNted"), 1):
            assert f"{number} {name or ''}" in text
        for part in ("○ White !bUllets", "■ Red $Coin", "✖ X grey $Coin", "◆ Blue !bUllets"):
            assert part in text
        assert "/ talk" in text
        assert stage.screen.query_one(Story).size.height >= 2
        assert all(len(line) == size[0] for line in text.splitlines())
        assert "…" not in text.splitlines()[0] or size == SIZES[0]

    run(scene, tmp_path, size=size)


@pytest.mark.parametrize("size", SIZES)
def test_a_declaration_grows_before_the_eyes(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "declare")
        await stage.press("right")
        assert "after every …" in stage.text
        for word in ("Gun", "Loot", "Star", "bOttle", "Dynamite", "waNted", "X grey", "White", "Coin", "bUllets"):
            assert word in stage.text.rpartition("after every …")[2].replace("\n", " "), word
        await stage.press("s")
        assert "after every star always …" in stage.text
        below = stage.text.rpartition("after every star always …")[2]
        assert "Red" in below
        assert "Horseshoe" not in below
        await stage.press("escape", "escape")
        assert "First! Your new pattern" in stage.text
        assert acted(stage) == []

    run(scene, tmp_path, size=size)


@pytest.mark.parametrize("size", SIZES)
def test_a_valid_pattern_is_lit_on_the_wheel_and_over_soon(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "declare")
        await judged(stage)
        text = stage.text
        for part in ("[1 Star]", "[2 Gun]", "[4 Star]", "[5 bOttle]", "VALID"):
            assert part in text
        assert text.count("[") - text.count("[_TNT") == 4
        assert "You: after every star always coin; valid." in text
        stage.clock.now += LIT_SECONDS
        await stage.until(lambda: "[1 Star]" not in stage.text)
        assert "4 Dynamite" in stage.text
        assert "VALID" not in stage.text
        # What was said stays to be read until all look.
        assert "You: after every star always coin; valid." in stage.text
        await stage.feed(stage.match.update(view("shootout", turn=2), mine(MINE), events=(LOOKED,)))
        assert "A suit wins the covered card" in stage.text

    run(scene, tmp_path, size=size)


@pytest.mark.parametrize("size", SIZES)
def test_why_a_pattern_does_not_hold_is_said_and_where(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "declare")
        await judged(stage, WRONG, Discarded(PLAYED, MINE, "invalid"))
        text = stage.text
        for part in ("[8 waNted]", "[1 Star]", "(4 Star)", "INVALID"):
            assert part in text
        said = " ".join(text.split())
        assert "You: before every star always bullets; invalid, it is not always so (not at 4)." in said

    run(scene, tmp_path, size=size)


@pytest.mark.parametrize(
    ("judgement", "reason", "stamp"),
    [
        (Judgement(0, Pattern("after", LOOT, BLUE), "too_few", 1), "invalid, fewer than two such cards", "INVALID"),
        (structs.replace(VALID, verdict="not_new"), "invalid, it was there before", "INVALID"),
        (Judgement(0, None, "silent"), "You said nothing in time.", "TOO LATE"),
    ],
)
def test_other_reasons_are_said_too(tmp_path: Path, judgement: Judgement, reason: str, stamp: str) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "declare")
        await judged(stage, judgement, Discarded(PLAYED, MINE, "invalid"))
        assert reason in stage.text
        assert stamp in stage.text

    run(scene, tmp_path)


def test_the_lit_wheel_gives_way_to_the_next_race_at_once(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "declare")
        await judged(stage)
        assert "[1 Star]" in stage.text
        await stage.feed(stage.match.update(view("shootout", turn=2), mine(MINE), events=(LOOKED,)))
        assert "[1 Star]" not in stage.text
        assert "yours:" in stage.text

    run(scene, tmp_path)


def test_a_wild_wild_pattern_is_shown_as_what_it_is(tmp_path: Path) -> None:
    wild = structs.replace(VALID, involved=tuple(range(8)), count=4, wild=True)

    async def scene(stage: Stage) -> None:
        await sit(stage, "declare")
        scores = tuple(Score(seat, people()[seat].coins, 1 + (seat > 0), seat == 0) for seat in range(4))
        over = view("over", wheel=played(), scores=scores, judgement=wild)
        await stage.feed(stage.match.update(over, mine(), events=(Judged(wild), GameOver("wild", scores)), clock=None))
        assert "WILD WILD" in stage.text
        assert "3 $" in stage.text
        assert "+2" not in stage.text
        assert stage.text.count("[") == 8
        assert "The game is over. Enter shows the results." in stage.text

    run(scene, tmp_path)


FOUR = Race(
    2,
    True,
    (
        Entrant(2, 2_040, 30, 2_010),
        Entrant(0, 2_050, 40, 2_010),
        Entrant(1, 2_044, 22, 2_022),
        Entrant(3, 2_100, 0, 2_100),
    ),
)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("phase", ["declare", "name"])
def test_near_ties_are_told_who_by_how_much_with_which_credit(
    tmp_path: Path, phase: str, size: tuple[int, int]
) -> None:
    told: Struct = Covered(2, PLAYED, MINE, WHEEL[PLAYED], FOUR) if phase == "declare" else Grabbed(2, FOUR)
    wheel = played() if phase == "declare" else view("name").wheel
    public = view(phase, active=2, shooter=2, race=FOUR, wheel=wheel, duel=phase == "name")

    async def scene(stage: Stage) -> None:
        await sit(stage, (public, mine(), (), {"events": (*START, LOOKED, told)}))
        said = " ".join(stage.text.rpartition("…")[2].split())
        assert (
            "Close, and drawn: Cleo +0 ms (credit 30 ms), you +0 (credit 40), Ben +12 (credit 22), Dora +90 (credit 0)"
            in said
        )
        log = " ".join(stage.screen.query_one(Story).lines)
        assert "It was close, and drawn: Cleo +0 ms (credit 30 ms), you +0 ms (credit 40 ms)" in log

    run(scene, tmp_path, size=size)


def test_who_alone_was_first_is_no_near_tie(tmp_path: Path) -> None:
    alone = structs.replace(RACE, entrants=RACE.entrants[:1])
    public, own, legal, _fields = ASKED["declare"]

    async def scene(stage: Stage) -> None:
        await sit(stage, (structs.replace(public, race=alone), own, legal, {}))
        assert "Close" not in stage.text

    run(scene, tmp_path)


WAITING: tuple[tuple[str, dict[str, object], dict[str, object], str], ...] = (
    ("ready", {"participants": people(ready=(0, 2))}, {}, "All look at the same moment; waiting for Ben and Dora."),
    ("shootout", {}, {"card": MINE, "shot": 3}, "Your shot at 4 is out: who was first shows in a moment."),
    ("shootout", {"participants": people(clicked=(0,))}, {}, "You clicked; the others look for a new pattern."),
    ("declare", {"active": 1, "shooter": 1, "played": 3}, {}, "Ben was first and declares a new pattern …"),
    ("take", {"active": 1, "takes": 2}, {}, "Ben takes a card of the Wheel …"),
    ("grab", {"duel": True}, {"grabbed": True}, "Your hand is out: who was first shows in a moment."),
    ("name", {"duel": True, "active": 3}, {}, "Dora has Clementine and names a pattern …"),
)


@pytest.mark.parametrize(("phase", "public", "own", "said"), WAITING)
def test_whom_everybody_waits_for_is_said(
    tmp_path: Path, phase: str, public: dict[str, object], own: dict[str, object], said: str
) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, (view(phase, **public), mine(**own), (), {}))  # type: ignore[arg-type]
        assert said in " ".join(stage.text.split())

    run(scene, tmp_path)


def test_while_it_stands_still_everybody_waits_for_those_who_are_not_back(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "shoot")
        shown = stage.match.update(view("shootout"), mine(MINE), clock=(80_000, 90_000, None))
        assert shown.clock is not None
        await stage.feed(structs.replace(shown, clock=structs.replace(shown.clock, paused=True)))
        assert "The game waits until everybody is back." in stage.text
        await stage.press("3")
        assert acted(stage) == []

    run(scene, tmp_path)


@pytest.mark.parametrize("size", SIZES)
def test_a_watcher_sees_the_race_and_no_card_of_anybody(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, (view("shootout", participants=people(clicked=(2,))), None, (), {"events": (*START, LOOKED)}))
        for part in (
            "You are watching",
            "All look for a card to cover",
            "clicked: no pattern",
            "l stop",
        ):
            assert part in stage.text
        assert "yours:" not in stage.text
        await stage.feed(stage.match.update(view("grab", duel=True), None, events=(Looked((1, 3)),)))
        assert "Ben and Dora have challenge cards." in stage.text

    run(scene, tmp_path, size=size)


def test_offline_says_so_and_nothing_is_sent(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "shoot")
        stage.client.lose()
        await stage.sees("keys do nothing now; your seat is kept")
        await stage.press("4", "k", "right", "enter")
        await stage.sees("nothing was sent")
        assert acted(stage) == []
        stage.client.connect(resumed=True)
        public, own, legal, _fields = ASKED["shoot"]
        await stage.feed(stage.match.update(public, own, *legal))
        assert "Which card do you cover" in stage.text

    run(scene, tmp_path)


def test_what_one_was_dealt_oneself_is_said_in_a_duel(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        for dealt, said in (
            ((0,), "You have a challenge card."),
            ((0, 2), "You and Cleo have challenge cards."),
            ((), "A duel for a challenge card."),
        ):
            await stage.feed(table_state(game="wild-wild-pattern"))
            public, own, legal, _fields = ASKED["grab"]
            events = (Dealt(stage.match.seq + 2, 35), Looked(dealt))
            await sit(stage, (public, own, legal, {"events": events}))
            assert said in stage.text

    run(scene, tmp_path)


def test_new_cards_are_marked_until_all_look(tmp_path: Path) -> None:
    filled = Filled((Laid(3, 20, 1), Laid(6, 22)), (), 0, 30)
    wheel = list(map(PlaceView, WHEEL))
    wheel[3], wheel[6] = PlaceView(20), PlaceView(22)

    async def scene(stage: Stage) -> None:
        await sit(stage, "declare")
        await judged(stage, VALID, Taken(0, 3, 21), Taken(0, 3, MINE), filled, wheel=tuple(wheel))
        stage.clock.now += LIT_SECONDS
        await stage.sees("+4 Horseshoe")
        assert "+7 bArrel" in stage.text
        assert "New cards lie at 4 and 7." in stage.screen.query_one(Story).lines
        await stage.feed(stage.match.update(view("shootout", turn=2, wheel=tuple(wheel)), mine(MINE), events=(LOOKED,)))
        assert "+4" not in stage.text

    run(scene, tmp_path)


@pytest.mark.parametrize("size", SIZES)
def test_what_a_round_paid_is_said_until_all_look(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "declare")
        events = (Taken(0, 3, 21), PAID, RoundStarted(2, WHEEL, 0, (0, 1, 2, 3), 39), Dealt(1, 35))
        await judged(stage, VALID, *events)
        assert "You: after every star always coin; valid." in stage.text
        stage.clock.now += LIT_SECONDS
        await stage.sees("The round is over: you +3 $, Ben +3 $, Cleo +2 $, Dora")
        await stage.feed(stage.match.update(view("shootout", turn=2), mine(MINE), events=(LOOKED,)))
        assert "The round is over: you" not in stage.text

    run(scene, tmp_path, size=size)


def test_choosing_a_place_shows_the_wheel_as_it_lies(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "declare")
        taking = view("take", active=0, takes=1, shooter=0, played=PLAYED, wheel=played(), forbidden=PLAYED)
        await stage.feed(stage.match.update(taking, mine(), *ASKED["take"][2], events=(Judged(VALID),)))
        assert "[1 Star]" in stage.text
        await stage.press("up")
        assert "▸1 Star◂" in stage.text
        assert "[" not in stage.text.replace("[_TNT", "")
        await stage.press("enter")
        assert acted(stage) == [Take(0)]

    run(scene, tmp_path)


def test_a_duel_is_lit_too(tmp_path: Path) -> None:
    named = structs.replace(
        VALID, pattern=Pattern("after", LOOT, BLUE), verdict="not_always", lacking=(2,), involved=()
    )

    async def scene(stage: Stage) -> None:
        await sit(stage, "name")
        over = (DuelOver(named, None, 0, 1, 35), Dealt(2, 31))
        await stage.feed(
            stage.match.update(view("ready", turn=2, participants=people(slowed=(0,))), mine(), events=over)
        )
        assert "(3 Loot)" in stage.text
        assert "(not at 3)." in " ".join(stage.text.split())
        assert "INVALID" in stage.text

    run(scene, tmp_path)


SCORES = (Score(3, 12, 1, True), Score(1, 5, 2, False), Score(0, 3, 3, False), Score(2, 0, 4, False))
PAID = RoundOver("deck", tuple(Payment(seat, 2, 1, 0, 3, 3 - (seat == 2), 3) for seat in range(4)), 15)


@pytest.mark.parametrize("size", SIZES)
def test_results_tell_what_each_round_paid(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        over = view("over", scores=SCORES)
        result = [ScoreLine(seat=one.seat, name=NAMES[one.seat], score=one.coins, winner=one.winner) for one in SCORES]
        await stage.feed(
            table_state("finished", result=result, game="wild-wild-pattern"),
            stage.match.update(over, mine(), events=(*START, PAID, PAID, PAID, GameOver("rounds", SCORES)), clock=None),
        )
        await stage.at(ResultsScreen)
        game = stage.client.world.game
        assert game is not None
        lines = ["".join(text for text, _style in line) for line in results(game, size[0] - 4)]
        assert all(len(line) <= size[0] - 4 for line in lines)
        told = " ".join(" ".join(lines).split())
        assert told.startswith("★ 1. Dora 12")
        assert "▸ 3. Ana (you) 3" in told
        assert "round 1, 3 $: objects 2, target 1, challenge cards 0" in told
        assert "round 1, 2 $: objects 2, target 1, challenge cards 0, 3 $ were due, but the bank was empty" in told
        for one in SCORES:  # who has what is seen without scrolling, whatever the window
            assert re.search(rf"{NAMES[one.seat]} .* {one.coins}\b", stage.text)

    run(scene, tmp_path, size=size)


def test_the_help_tells_letters_signs_and_how_a_race_is_decided(tmp_path: Path) -> None:
    text = " ".join(" ".join((heading, body)) for heading, body in wild_help.chapters())
    assert len(wild_help.chapters()) >= 7
    for name in ATTRIBUTE_NAMES:
        assert name in text
    for part in ("150 ms", "credit", "$ coin", "! bullets", "■ red", "counter-clockwise", "Clementine", "{ }", "0"):
        assert part in text

    async def scene(stage: Stage) -> None:
        await sit(stage, "shoot")
        await stage.press("question_mark")
        await stage.at(Help)
        assert "What a pattern is" in stage.text
        assert "What it is about" in stage.text

    run(scene, tmp_path, size=(120, 40))
    everywhere = " ".join(text for _heading, text in page("wild-wild-pattern"))
    assert "e leave the table" in everywhere
    assert "p people: mute" in everywhere
    assert "l leave the table" not in everywhere


@pytest.mark.parametrize("size", SIZES)
def test_without_unicode_everything_can_still_be_told_apart(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        await sit(stage, "shoot")
        await stage.press("down")
        spelt = to_ascii(stage.text)
        assert spelt.isascii()
        assert spelt.count("?") == stage.text.count("?")
        for part in ("# Red $Coin", "< Blue !bUllets", "o Yellow", "x X grey", "~ White", ">5 bOttle<", "-8 cover"):
            assert part in spelt, part

    run(scene, tmp_path, size=size)


def test_a_log_begun_in_the_middle_lights_nothing(tmp_path: Path) -> None:
    """After a reconnect the events come again; what was judged before is no news."""

    async def scene(stage: Stage) -> None:
        events = (*START, LOOKED, COVERED, Judged(VALID), Taken(0, 3, 21), Filled((), (), 0, 34), Dealt(2, 30))
        await sit(stage, (view("ready", turn=2), mine(), (), {"events": events}))
        assert "[1 Star]" not in stage.text
        assert "You: after every star always coin; valid." in stage.text

    run(scene, tmp_path)


@pytest.mark.parametrize("size", SIZES)
def test_many_cards_won_are_all_told(tmp_path: Path, size: tuple[int, int]) -> None:
    """By letters where words have no room; none is cut off."""
    many = people()
    won = (GUN, GUN + 8, GUN + 16, STAR, STAR + 8, BOTTLE, DYNAMITE, BARREL)
    many = (structs.replace(many[0], won=won, challenges=2), *many[1:])

    async def scene(stage: Stage) -> None:
        await sit(stage, (view("grab", duel=True, participants=many), mine(), (), {"events": START}))
        row = next(line for line in stage.text.splitlines() if "Ana (you)" in line)
        told = row if size != SIZES[2] else stage.text
        for part in ("GGG SS O D A 2 duels",) if size != SIZES[2] else ("gun", "star", "bottle", "barrel", "2 duels"):
            assert part in told
        assert "…" not in row

    run(scene, tmp_path, size=size)


def test_a_game_without_limits_to_choose_is_not_asked_for_any(tmp_path: Path) -> None:
    offers = [GameOffer(name="wild-wild-pattern", version=1, bots=["greedy"])]

    async def scene(stage: Stage) -> None:
        stage.client.connect(greeting=structs.replace(GREETING, games=offers))
        await stage.feed(lobby())
        await stage.press("c")
        await stage.at(SetupScreen)
        assert "A new table of Wild Wild Pattern" in stage.text
        assert any("rounds" in line and "as usual" in line for line in stage.text.splitlines())
        assert "Limits in seconds" not in stage.text

    run(scene, tmp_path, connected=False)


@pytest.mark.parametrize("size", SIZES)
def test_what_cannot_be_saved_is_said_in_any_window(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(stage: Stage) -> None:
        public, own, legal, fields = ASKED["shoot"]
        await stage.feed(
            table_state(game="wild-wild-pattern", kept=False), stage.match.update(public, own, *legal, **fields)
        )
        assert "NOT SAVED NOW · round 1/3 · turn 1 · deck 35 · bank 15 $" in stage.text

    run(scene, tmp_path, size=size)
