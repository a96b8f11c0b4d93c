"""Wild Wild Pattern in lines: what typed words mean, how a pattern is asked for in steps, how the table is told."""

from typing import Any

import pytest
from msgspec.structs import replace
from trio.testing import MockClock

from robby_client import codes
from robby_client.quick import QuickTable
from robby_client.world import GameState, OpenDecision, RunningClock
from robby_games.wild_wild_pattern import (
    ATTRIBUTE_NAMES,
    NAME,
    PLACES,
    Click,
    Cover,
    Declare,
    Entrant,
    Grab,
    Judged,
    Judgement,
    NoPattern,
    OwnView,
    ParticipantView,
    Pattern,
    Payment,
    PlaceView,
    PublicView,
    Race,
    Ready,
    RoundOver,
    SaidReady,
    Take,
    YouLook,
)
from robby_games.wild_wild_patterns import ALL
from robby_plain.registry import TEXTS
from tests.client.plain.stage import Person, stage

TEXTS_OF = TEXTS[NAME]
NAMES = ("Ana", "Ben")
STAR, COIN, BLUE, LOOT = map(ATTRIBUTE_NAMES.index, ("star", "coin", "blue", "loot"))
DECLARATIONS = tuple(Declare(one.side, one.a, one.b) for one in ALL)
PUBLIC = PublicView(
    round=1,
    rounds=2,
    turn=3,
    phase="shootout",
    wheel=tuple(map(PlaceView, (0, 9, 18, 27, 36, 5, 14, 23))),
    deck=20,
    discard=(),
    removed=1,
    bank=34,
    participants=(
        ParticipantView(coins=1, target=1, won=(1, 17), challenges=1, slowed=True),
        ParticipantView(coins=0, target=5, won=(), challenges=0, clicked=True),
    ),
)
SHOOT = (*map(Cover, range(PLACES)), Click())


def game(public: PublicView = PUBLIC, own: OwnView | None = None, legal: tuple[Any, ...] = ()) -> GameState:
    state = GameState(name=NAME, match="m")
    state.public, state.own = public, own
    state.decision = OpenDecision(id=1, legal=legal) if legal else None
    return state


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        (" READY ", Ready()),
        ("click", Click()),
        ("grab", Grab()),
        ("none", NoPattern()),
        ("cover 1", Cover(0)),
        ("cover place 8", Cover(7)),
        ("take 3", Take(2)),
        ("before star coin", Declare("before", STAR, COIN)),
        ("before every star always coin", Declare("before", STAR, COIN)),
        ("After every BLUE, always loot", Declare("after", BLUE, LOOT)),
        ("after loot blue", Declare("after", LOOT, BLUE)),
        ("cover 0", None),
        ("cover 9", None),
        ("cover ²", None),
        ("cover", None),
        ("take all 3", None),
        ("ready Ana", None),
        ("before star loot", None),
        ("before blue coin", None),
        ("before star", None),
        ("before star coin blue", None),
        ("before star tree", None),
        ("star coin", None),
        ("before", None),
        ("", None),
    ],
)
def test_words_for_actions(typed: str, action: Any) -> None:
    assert TEXTS_OF.read(typed, game()) == action


def test_every_declaration_can_be_typed_as_it_is_said() -> None:
    state = game()
    assert [TEXTS_OF.read(TEXTS_OF.choice(action, state), state) for action in DECLARATIONS] == list(DECLARATIONS)


def test_ready_is_the_table_s_word_where_no_match_is_played() -> None:
    assert TEXTS_OF.read("ready", None) is None
    assert TEXTS_OF.read("ready", game(replace(PUBLIC, phase="over"))) is None


def test_a_pattern_is_asked_for_in_three_steps() -> None:
    legal = (*DECLARATIONS, NoPattern())
    state = game(replace(PUBLIC, phase="name"), legal=legal)
    sides = TEXTS_OF.menu(legal, state)
    assert [label for label, _actions in sides] == ["before every …", "after every …", "there is no pattern"]
    assert [len(actions) for _label, actions in sides] == [112, 112, 1]
    firsts = TEXTS_OF.menu(sides[1][1], state)
    assert [label for label, _actions in firsts] == [f"after every {name} always …" for name in ATTRIBUTE_NAMES]
    assert tuple(sorted(len(actions) for _label, actions in firsts)) == (7,) * 8 + (8,) * 7
    seconds = TEXTS_OF.menu(firsts[STAR][1], state)
    assert all(len(actions) == 1 for _label, actions in seconds)
    assert seconds[-2] == ("after every star always coin", (Declare("after", STAR, COIN),))


def test_every_declaration_is_behind_exactly_one_way_through_the_menu() -> None:
    state = game(replace(PUBLIC, phase="declare"), legal=DECLARATIONS)

    def leaves(actions: tuple[Any, ...]) -> list[Any]:
        if len(actions) == 1:
            return list(actions)
        return [leaf for _label, inner in TEXTS_OF.menu(actions, state) for leaf in leaves(inner)]

    assert sorted(leaves(DECLARATIONS), key=repr) == sorted(DECLARATIONS, key=repr)


def test_places_are_counted_from_one_and_named_by_their_cards() -> None:
    menu = TEXTS_OF.menu(SHOOT, game(legal=SHOOT))
    assert menu[0] == ("cover place 1: red gun (coin)", (Cover(0),))
    assert menu[7] == ("cover place 8: yellow wanted (coin)", (Cover(7),))
    assert menu[8][1] == (Click(),)
    assert TEXTS_OF.choice(Take(2), game()) == "take place 3: yellow star (coin)"


def test_the_own_card_is_in_the_question_and_in_the_hand() -> None:
    own = OwnView(seat=0, card=34)
    assert TEXTS_OF.question(game(own=own, legal=SHOOT), NAMES).startswith("Your card: white star (bullets). Which")
    assert "not cover" in TEXTS_OF.question(game(own=own, legal=(Click(),)), NAMES)
    assert TEXTS_OF.hand(game(own=own)) == [
        "Your card: white star (bullets).",
        "Your target card: blue.",
        "You have won: red loot (bullets), yellow loot (bullets), 1 challenge card.",
    ]
    assert any("place 4" in line for line in TEXTS_OF.hand(game(own=replace(own, shot=3))))


def test_who_only_watches_has_no_cards() -> None:
    (line,) = TEXTS_OF.hand(game())
    assert "watch" in line


def test_whom_everybody_waits_for() -> None:
    assert TEXTS_OF.question(game(replace(PUBLIC, phase="declare", active=1)), NAMES) == "It is Ben's turn to choose."
    over = TEXTS_OF.question(game(replace(PUBLIC, phase="over")), NAMES)
    others = {TEXTS_OF.question(game(replace(PUBLIC, phase=phase)), NAMES) for phase in ("ready", "shootout", "grab")}
    assert len(others | {over}) == 4


def test_while_it_stands_still_the_game_waits() -> None:
    still = game(replace(PUBLIC, phase="shootout"))
    still.clock = RunningClock(total=90.0, ends=80.0, opens=None, paused_at=0.0)
    assert TEXTS_OF.question(still, NAMES) == "The game waits."


def test_whoever_is_not_ready_is_named() -> None:
    people = (replace(PUBLIC.participants[0], ready=True), PUBLIC.participants[1])
    question = TEXTS_OF.question(game(replace(PUBLIC, phase="ready", participants=people)), NAMES)
    assert question == "All look at the same moment; waiting for Ben."
    assert TEXTS_OF.sentences(SaidReady(seat=1), NAMES, 0) == []


def test_a_duel_is_asked_with_the_wheel() -> None:
    question = TEXTS_OF.question(game(replace(PUBLIC, phase="grab"), legal=(Grab(),)), NAMES)
    assert question.startswith("A duel: do you grab Clementine? On the Wheel, clockwise: 1 red gun (coin), 2 blue loot")


@pytest.mark.parametrize(
    ("judgement", "told"),
    [
        (Judgement(1, None, "silent"), "Ben said nothing in time."),
        (Judgement(0, None, "silent"), "You said nothing in time."),
        (Judgement(1, None, "none"), "Ben: right, there is no pattern."),
        (
            Judgement(0, Pattern("after", STAR, COIN), "some", 2, (0, 1)),
            "You: there is no pattern; wrong: after every star always coin.",
        ),
        (
            Judgement(1, Pattern("after", STAR, COIN), "not_always", 3, (0, 1), (3, 6)),
            "Ben: after every star always coin; invalid, it is not always so (not at 4 and 7).",
        ),
        (
            Judgement(1, Pattern("after", STAR, COIN), "valid", 3, (0, 1)),
            "Ben: after every star always coin; valid (3 such cards).",
        ),
        (Judgement(1, Pattern("after", STAR, COIN), "valid", 2), "Ben: after every star always coin; valid."),
    ],
)
def test_what_became_of_a_declaration_is_told_with_its_reason(judgement: Judgement, told: str) -> None:
    assert TEXTS_OF.sentences(Judged(judgement), NAMES, 0) == [told]


def test_what_a_round_paid_is_told_with_what_for() -> None:
    over = RoundOver("wheel", (Payment(0, 1, 0, 2, 3, 2, 5), Payment(1, 0, 0, 0, 0, 0, 4)), 0)
    assert TEXTS_OF.sentences(over, NAMES, 0) == [
        "The round is over: the deck cannot fill the Wheel. Ana +2 = 5 $ (objects 1, challenge cards 2, "
        "3 $ were due, but the bank was empty); Ben +0 = 4 $. In the bank: 0 $."
    ]


def test_an_answer_never_waits_for_the_next_turn() -> None:
    """A shot that comes too late must not hit the Wheel of the turn after, not in a script either."""
    for legal in ((Ready(),), (Grab(),), SHOOT, DECLARATIONS):
        assert not TEXTS_OF.can_be_passed(legal)


def test_the_own_card_is_said_once_by_the_question() -> None:
    assert TEXTS_OF.sentences(YouLook(card=34), NAMES, 0) == []
    assert len(TEXTS_OF.sentences(YouLook(card=None), NAMES, 0)) == 1


def test_the_whole_table() -> None:
    lines = TEXTS_OF.view(game(), NAMES, 0)
    assert lines[0] == "Round 1 of 2, turn 3. 20 cards in the deck, 34 $ in the bank."
    assert lines[2:10] == [
        "Place 1: red gun (coin).",
        "Place 2: blue loot (coin).",
        "Place 3: yellow star (coin).",
        "Place 4: grey bottle (coin).",
        "Place 5: white horseshoe (bullets).",
        "Place 6: red dynamite (bullets).",
        "Place 7: blue barrel (bullets).",
        "Place 8: yellow wanted (coin).",
    ]
    assert lines[10] == (
        "Ana (you): 1 $; target blue; won red loot (bullets), yellow loot (bullets), 1 challenge card; "
        "worth 2 $ so far; may not cover at once in the next shoot-out"
    )
    assert lines[11:] == ["Ben: 0 $; target coin; won nothing; has clicked"]


def test_who_is_ready_is_told_as_long_as_that_is_waited_for() -> None:
    people = (PUBLIC.participants[0], replace(PUBLIC.participants[1], ready=True))
    for phase, told in (("ready", True), ("shootout", False)):
        lines = TEXTS_OF.view(game(replace(PUBLIC, phase=phase, participants=people)), NAMES, 0)
        assert ("; ready" in lines[11]) is told


def test_the_table_says_what_was_covered_how_close_the_race_was_and_what_was_declared() -> None:
    wheel = (PlaceView(34, 0), PlaceView(None), *PUBLIC.wheel[2:])
    race = Race(winner=1, drawn=False, entrants=(Entrant(1, 900, 0, 900), Entrant(0, 960, 20, 940)))
    judgement = Judgement(seat=1, pattern=Pattern("before", STAR, COIN), verdict="not_new", count=2)
    public = replace(PUBLIC, wheel=wheel, race=race, judgement=judgement, forbidden=0, duel=True)
    lines = TEXTS_OF.view(game(public), NAMES, 0)
    assert lines[2:4] == ["Place 1: white star (bullets), played over red gun (coin).", "Place 2: empty."]
    told = "\n".join(lines[12:])
    assert "Ben was first." in told
    assert "you +40 ms (credit 20 ms)" in told
    assert "before every star always coin" in told
    assert "duel" in told
    assert "From place 1 " in told


ANSWERS = {
    "Ready to look": "ready",
    "Which card of the Wheel": "click",
    "You may not cover yet": "click",
    "do you grab": "grab",
    "You have Clementine: which": "none",
    "from which place": "",
}
"""What a careful person types at each question; nothing: the number of the first choice."""


async def play_to_the_end(person: Person) -> None:
    while True:
        line = await person.wait_for(
            lambda line: any(asked in line for asked in ANSWERS) or line.startswith("The last round is played")
        )
        answer = next((answer for asked, answer in ANSWERS.items() if asked in line), None)
        if answer is None:
            return
        person.type(answer or await person.number_of("take place"))


async def test_a_whole_game_in_words(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=QuickTable(NAME, options={"rounds": 1}, bots=["greedy"]))
        await play_to_the_end(ana)
        await ana.wait_for("The game has ended.")
        assert not any("Nothing is asked" in line or "not asked now" in line for line in ana.heard)
        assert any(line.startswith("Your card: ") for line in ana.heard)
        ana.type("quit")
        assert (await scene.ended(ana)).code == codes.STOPPED
