"""Everything has its words: events, actions, banks, cards, phases, states and news; for me and others; nothing raw."""

import random
import re
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robby_bots.random_bot import RandomBot
from robby_cli.teller import Teller
from robby_client.codes import CODES, LONGEST_REASON, refusal
from robby_client.codes import text_for as client_text
from robby_client.safe import cells, fit, pad, safe
from robby_client.stories.robby_solo import RobbySoloStory
from robby_client.tale.robby_solo import names_of, sentence
from robby_client.tale.table import chat_sentence, news_sentence, notice_sentence
from robby_client.words import robby_solo as words
from robby_client.words.common import amount, duration
from robby_client.world import UnknownEvent
from robby_games import robby_solo as game
from robby_games.robby_solo import (
    Chose,
    Clashed,
    Confirm,
    Confirmed,
    Declare,
    Declared,
    GameOver,
    GameStarted,
    Give,
    Given,
    Laid,
    Lay,
    Options,
    OwnView,
    ParticipantView,
    Police,
    PublicView,
    Returned,
    Reveal,
    RevealCalled,
    Revealed,
    Robbed,
    RoundStarted,
    Score,
    Supplied,
    Supply,
    TakeBack,
    TakenBack,
    YouLaid,
)
from robby_protocol import errors
from robby_protocol.messages import Notice, TableNews
from robby_server.names import BadNameError, check_name
from tests.client.offline import Offline

STORY = RobbySoloStory()
NAMES = ["Ana", "Ben", "Cleo", "Robby Junior"]
SCORES = (
    Score(seat=1, stack=(9_000, 3, 4), money=9_000, items=2, items_worth=10_000, total=19_000, place=1, winner=True),
    Score(seat=0, stack=(9_000,), money=9_000, items=0, items_worth=0, total=9_000, place=2, winner=False),
)
SHARED = (SCORES[0], Score(0, (9_000, 1, 2), 9_000, 2, 10_000, 19_000, 1, True))

EVENTS: list[Any] = [
    GameStarted(participants=4, junior=True, banks=5, gentleman=0, deck=61),
    RoundStarted(round=3, gentleman=0, deck=41),
    Supplied(side="left", cards=(4_000, 7, 1_000), deck=38),
    Supplied(side="right", cards=(4_000, 7, 1_000), deck=38),
    Supplied(side="left", cards=(4_000, 7, 1_000), deck=38, auto=True),
    Laid(seat=0),
    Laid(seat=0, again=True),
    Laid(seat=0, auto=True),
    YouLaid(bank=3),
    YouLaid(bank=3, auto=True),
    Declared(seat=0, robs=True, bank=2),
    Declared(seat=0, robs=False, bank=2),
    Declared(seat=0, robs=False, bank=2, auto=True),
    TakenBack(seat=0),
    Returned(seat=0),
    Confirmed(seat=0),
    Confirmed(seat=0, auto=True),
    RevealCalled(seat=0),
    Revealed(banks=(0, 1, 2, 3)),
    Robbed(seat=0, bank=3, loot=(7_000, 2_000)),
    Robbed(seat=0, bank=3, loot=()),
    Clashed(bank=2, seats=(0, 2), loot=(9_000,)),
    Police(bank=1, cards=(1_000, 2_000, 3_000, 1), most=5, payers=(0, 2), choosing=(2,)),
    Police(bank=1, cards=(1_000, 2_000, 3_000, 1), most=0, payers=(), choosing=()),
    Chose(seat=0),
    Chose(seat=0, auto=True),
    Given(seat=0, card=3),
    GameOver(reason="deck", scores=SCORES),
    GameOver(reason="rounds", scores=SHARED),
    GameOver(reason="deck", scores=()),
]
ACTIONS: list[Any] = [
    Supply(side="left"),
    Supply(side="right"),
    Lay(bank=4),
    Declare(robs=True, bank=2),
    Declare(robs=False, bank=2),
    TakeBack(),
    Confirm(),
    Reveal(),
    Give(card=6),
]
RAW = re.compile(r"\{|\}|_|None|True|False|\(\d|struct|\bseat=", re.ASCII)
"""What would show that a value or a placeholder got through unspoken."""


def test_the_lists_above_have_every_event_and_action() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(game.Event))
    assert {type(action) for action in ACTIONS} == set(get_args(game.Action))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
@pytest.mark.parametrize("me", [None, 0, 2])
def test_every_event_has_a_sentence(event: Any, me: int | None) -> None:
    text = sentence(event, NAMES, me)
    assert text is not None
    assert not RAW.search(text), text
    assert text[-1] in ".!"
    assert "\n" not in text
    assert text[0].isupper()


@pytest.mark.parametrize(
    "event",
    [event for event in EVENTS if getattr(event, "seat", None) == 0],
    ids=lambda event: type(event).__name__,
)
def test_the_own_seat_is_told_as_you_and_others_by_name(event: Any) -> None:
    mine = sentence(event, NAMES, 0)
    theirs = sentence(event, NAMES, 1)
    assert mine is not None
    assert theirs is not None
    assert re.search(r"\byou", mine, re.IGNORECASE)
    assert "Ana" not in mine
    assert "Ana" in theirs
    assert not re.search(r"\byou", theirs, re.IGNORECASE)


@pytest.mark.parametrize(
    "event", [event for event in EVENTS if getattr(event, "auto", False)], ids=lambda event: type(event).__name__
)
def test_what_the_clock_decided_is_said(event: Any) -> None:
    for me in (0, 1, None):
        assert (sentence(event, NAMES, me) or "").startswith("Time ran out: ")


def test_sentences_say_what_happened() -> None:
    assert sentence(EVENTS[11], NAMES, 1) == "Ana declares: „I will not rob ■ red (R)“."
    assert sentence(Robbed(seat=1, bank=3, loot=(7_000, 2_000)), NAMES, 1) == "You robbed ◆ blue (B): 7,000 + 2,000."
    assert sentence(Clashed(bank=2, seats=(1, 2), loot=(9_000,)), NAMES, None) == (
        "Ben and Cleo clashed at ■ red (R): it keeps 9,000."
    )
    assert sentence(Clashed(bank=2, seats=(1, 2), loot=(9_000,)), NAMES, 1) == (
        "You and Cleo clashed at ■ red (R): it keeps 9,000."
    )
    assert sentence(Given(seat=3, card=3), NAMES, 0) == "Robby Junior returned gold bar (item)."
    assert sentence(Supplied(side="left", cards=(4_000, 2), deck=3), NAMES, 0) == (
        "New loot, dealt from the left: ● yellow (Y) 4,000, ▲ green (G) pearl necklace (item)."
    )
    assert "19,000" in (sentence(GameOver(reason="deck", scores=SCORES), NAMES, 1) or "")


def test_an_unknown_event_or_news_has_no_sentence_rather_than_a_raw_one() -> None:
    assert sentence(UnknownEvent({"type": "earthquake"}), NAMES, 0) is None
    assert news_sentence(TableNews(code="earthquake")) is None


def test_a_seat_without_a_name_is_told_by_its_number() -> None:
    assert sentence(Laid(seat=5), NAMES, 0) == "seat 6 laid a card."


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: type(action).__name__)
def test_every_action_has_a_label(action: Any) -> None:
    label = words.action_label(action)
    assert not RAW.search(label), label
    assert label[0].isupper()


def test_labels_of_different_actions_differ() -> None:
    labels = [words.action_label(action) for action in ACTIONS]
    assert len(set(labels)) == len(labels)
    with pytest.raises(TypeError):
        words.action_label(Laid(seat=0))


@pytest.mark.parametrize("bank", range(7))
def test_a_bank_is_told_by_shape_name_and_letter(bank: int) -> None:
    label = words.bank_label(bank)
    assert label == f"{words.bank_shape(bank)} {words.bank_name(bank)} ({words.bank_letter(bank)})"
    assert cells(words.bank_shape(bank)) == 1
    for other in range(7):
        if other != bank:
            assert words.bank_name(other) != words.bank_name(bank)
            assert words.bank_letter(other) != words.bank_letter(bank)
            assert words.bank_shape(other) != words.bank_shape(bank)


def test_cards_and_loot() -> None:
    assert words.card_label(9_000) == "9,000"
    assert len({words.card_label(item) for item in range(1, 8)}) == 7
    assert words.loot_text((7_000, 3)) == "7,000 + gold bar (item)"
    assert words.loot_text(()) == "nothing"
    assert amount(1_234_000) == "1,234,000"


def test_every_code_of_news_has_a_sentence() -> None:
    doc = re.sub(r"\s+", " ", TableNews.__doc__ or "")
    listed = re.sub(r"\([^)]*\)", "", doc.split("code:")[1]).split(".")[0]
    codes = re.findall(r"\w+", listed)
    assert len(codes) >= 20
    for code in codes:
        text = news_sentence(TableNews(code=code, seat=0, name="Ana\x1b[2J"))
        assert text is not None, code
        assert "\x1b" not in text


def test_every_code_of_notices_has_a_sentence_and_the_operators_words_are_told_as_theirs() -> None:
    doc = re.sub(r"\s+", " ", Notice.__doc__ or "")
    codes = re.findall(r"`(\w+)`", doc)
    assert len(codes) >= 4
    for code in codes:
        sentence = notice_sentence(Notice(code=code, text="hello\x1b[2J\u202e"))
        assert (r"hello\x1b[2J\u202e" in sentence) is (code == "operator")
    # Nobody can have a name with which a line of theirs looks like the operator's.
    assert chat_sentence("x", "hello", kind="operator").startswith("***  ")
    with pytest.raises(BadNameError):
        check_name("***  The operator")


def test_every_code_of_a_client_has_a_text_and_none_is_the_protocols() -> None:
    assert not CODES & errors.CODES
    for code in CODES:
        assert client_text(code) != code
    assert client_text(errors.NAME_TAKEN) == errors.text_for(errors.NAME_TAKEN)
    assert client_text("of_the_future") == "of_the_future"


def test_a_refusal_gives_the_servers_reason_where_there_is_one_and_else_our_own_sentence() -> None:
    reason = "A name takes at most 20 columns. Choose a shorter one."
    assert refusal(errors.NAME_INVALID, reason) == reason
    for said in ("", errors.NAME_INVALID, errors.text_for(errors.NAME_INVALID)):
        assert refusal(errors.NAME_INVALID, said) == errors.text_for(errors.NAME_INVALID)
    assert refusal("of_the_future", "Wait.") == "Wait."
    assert refusal("of_the_future", "") == "of_the_future"


def test_a_foreign_reason_is_harmless_and_of_bounded_length() -> None:
    shown = refusal(errors.NAME_INVALID, "\x1b[2J\nsecond " + "x" * 5_000)
    assert "\x1b" not in shown
    assert "\n" not in shown
    assert cells(shown) <= LONGEST_REASON


def test_what_the_server_has_is_named_from_the_details() -> None:
    general = errors.text_for(errors.UNKNOWN_BOT)
    named = refusal(errors.UNKNOWN_BOT, general, {"bots": ["greedy", "ran\x1bdom"]})
    assert "greedy, ran\\x1bdom" in named
    assert "robby-solo" in refusal(errors.UNKNOWN_GAME, "", {"games": ["robby-solo"]})
    nonsense: dict[str, Any]
    for nonsense in ({}, {"bots": []}, {"bots": "greedy"}, {"bots": [1]}):
        assert refusal(errors.UNKNOWN_BOT, general, nonsense) == general


# What is asked.


def view(phase: str, **fields: Any) -> PublicView:
    cards = fields.pop("cards", ("laid", "laid", "laid"))
    paying = fields.pop("paying", ())
    participants = tuple(
        ParticipantView(card=card, revealed=None, stack=2, top=1_000, paying=seat in paying)
        for seat, card in enumerate(cards)
    )
    values: dict[str, Any] = {"round": 1, "gentleman": 1, "deck": 9, "banks": ((), (), ()), "junior": False}
    return PublicView(phase=phase, participants=participants, **(values | fields))


ME = OwnView(0, 3, (1, 2))
NOT_LAID = OwnView(0, None, ())


@pytest.mark.parametrize(
    ("public", "own", "legal"),
    [
        (view("supply", gentleman=0), NOT_LAID, [Supply(side="left"), Supply(side="right")]),
        (view("plays"), NOT_LAID, [Lay(bank=0)]),
        (view("gentleman", gentleman=0), NOT_LAID, [Lay(bank=0)]),
        (view("gentleman", gentleman=0), ME, [Declare(robs=True, bank=0), Declare(robs=False, bank=1)]),
        (view("revision"), ME, [TakeBack(), Confirm()]),
        (view("revision"), ME, [Lay(bank=0), Lay(bank=1)]),
        (view("revision", gentleman=0), ME, [Reveal()]),
        (view("police"), ME, [Give(card=1), Give(card=2)]),
    ],
)
def test_every_question_is_asked_in_its_own_words(public: PublicView, own: OwnView, legal: list[Any]) -> None:
    asked = words.prompt(public, own, legal, NAMES)
    assert not RAW.search(asked)
    assert asked != words.prompt(public, own, [], NAMES)


def test_the_questions_differ() -> None:
    asked = {
        words.prompt(view("plays"), NOT_LAID, [Lay(bank=0)], NAMES),
        words.prompt(view("gentleman", gentleman=0), NOT_LAID, [Lay(bank=0)], NAMES),
        words.prompt(view("revision"), ME, [Lay(bank=0)], NAMES),
        words.prompt(view("revision"), ME, [TakeBack(), Confirm()], NAMES),
        words.prompt(view("revision"), NOT_LAID, [TakeBack(), Confirm()], NAMES),
        words.prompt(view("revision"), ME, [Reveal()], NAMES),
    }
    assert len(asked) == 6


@pytest.mark.parametrize(
    ("public", "expected"),
    [
        (view("supply"), "Ben is the Gentleman and chooses from which end to deal."),
        (view("gentleman"), "Ben is the Gentleman and plays and declares."),
        (view("plays", cards=("laid", "none", "none")), "Waiting for Cleo."),
        (view("plays", cards=("none", "none", "laid")), "Wait a moment."),
        (view("revision", cards=("confirmed", "laid", "taken_back")), "Waiting for Cleo."),
        (
            view("revision", cards=("laid", "laid", "laid", "laid", "laid"), gentleman=0, junior=True),
            "Waiting for Ben, Cleo and Robby Junior.",
        ),
        (view("police", paying=(0, 1, 2)), "Waiting for Ben and Cleo."),
        (view("over"), "The game is over."),
    ],
)
def test_when_nothing_is_asked_it_says_for_whom_all_wait(public: PublicView, expected: str) -> None:
    assert words.prompt(public, ME, [], NAMES) == expected


def test_participants_states() -> None:
    states = {
        words.participant_state(ParticipantView(card=card, revealed=None, stack=0, top=None))
        for card in ("none", "laid", "taken_back", "laid_again", "confirmed")
    }
    states.add(words.participant_state(ParticipantView(card="laid", revealed=2, stack=0, top=None)))
    states.add(words.participant_state(ParticipantView(card="laid", revealed=2, stack=0, top=None, paying=True)))
    assert len(states) == 7
    future = ParticipantView(card="asleep\x1b", revealed=None, stack=0, top=None)
    assert words.participant_state(future) == "asleep\\x1b"


def test_phases() -> None:
    labels = {words.phase_label(phase) for phase in ("supply", "plays", "gentleman", "revision", "police", "over")}
    assert len(labels) == 6
    assert words.phase_label("siesta\x07") == "siesta\\x07"


# Scores and options.


def test_a_score_is_explained_line_by_line() -> None:
    assert words.score_lines(SCORES[0], NAMES) == [
        "1. Ben: 19,000 – wins",
        "money: 1 card, 9,000",
        "items: 2 items, worth 10,000",
        "total: 9,000 + 10,000 = 19,000",
    ]
    assert words.score_lines(SCORES[1], NAMES, me=0)[0] == "2. Ana (you): 9,000"
    assert words.score_lines(SCORES[1], NAMES)[1:] == ["money: 1 card, 9,000", "total: 9,000"]
    assert STORY.explained(SCORES[0], NAMES)[4:] == ["cards: 9,000 + gold bar (item) + diamond ring (item)"]


def test_options_in_words() -> None:
    assert STORY.option_summary(Options()) == "standard"
    assert STORY.option_summary(Options(time="blitz", junior=True, open_loot=True, items=3)) == (
        "blitz, Junior, open loot, own rules"
    )
    for options in (Options(), Options(time="untimed", junior=True, open_loot=True, max_rounds=1)):
        lines = words.option_lines(options)
        assert len(lines) == len(set(lines))
        assert not any(RAW.search(line) for line in lines)
    assert any("no limit" in line for line in words.option_lines(Options(time="untimed")))
    assert STORY.typed_options({"junior": True}) == Options(junior=True)
    assert STORY.typed_options({"horses": 3}) is None
    assert duration(2_500) == "2.5 s"


# Names.


def test_names_of_a_table_are_harmless_and_end_with_junior() -> None:
    assert names_of(("Ana\x1b[2J", "Ben"), junior=True) == ["Ana\\x1b[2J", "Ben", "Robby Junior"]
    assert names_of(("Ana",), junior=False) == ["Ana"]


def test_names_in_a_match() -> None:
    offline = Offline(3, options={"junior": True})
    state = offline.worlds[0].game
    assert state is not None
    assert STORY.names_in(state) == ["Ana", "Ben", "Cleo", "Robby Junior"]


def test_a_whole_game_is_told_without_a_raw_word() -> None:
    offline = Offline(4, options={"junior": True})
    offline.play([RandomBot() for _seat in range(4)])
    state = offline.worlds[1].game
    assert state is not None
    names = STORY.names_in(state)
    for event in [*state.events, *state.own_events]:
        text = sentence(event, names, 1)
        assert text is not None
        assert not RAW.search(text), text
    over = state.events[-1]
    assert isinstance(over, GameOver)
    for score in over.scores:
        assert words.score_lines(score, names)[-1].endswith(f" {amount(score.total)}")


def test_in_seat_order_a_tale_does_not_depend_on_who_was_quicker() -> None:
    told = []
    jumble = random.Random(4)
    for order in (min, max, jumble.choice):
        offline = Offline(4)
        offline.play([RandomBot() for _seat in range(4)], 2, order=order)
        state = offline.watcher.game
        assert state is not None
        lines: list[str] = []
        Teller(STORY, lines.append).take(state.events, NAMES)
        told.append(lines)
    assert told[0] == told[1] == told[2]
    assert len(told[0]) > 20
    lines = []
    teller = Teller(STORY, lines.append)
    teller.take([Laid(2), Laid(0), Declared(1, True, 0), Confirmed(2), TakenBack(0), Laid(0, True)], NAMES)
    teller.take([RevealCalled(1)], NAMES)
    assert lines == [
        sentence(event, NAMES, None)
        for event in (
            Laid(0),
            Laid(2),
            Declared(1, True, 0),
            TakenBack(0),
            Laid(0, True),
            Confirmed(2),
            RevealCalled(1),
        )
    ]


# Foreign text.


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ana", "Ana"),
        ("Zoë Müller", "Zoë Müller"),
        ("日本", "日本"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x1b]52;c;AAAA\x07", "\\x1b]52;c;AAAA\\x07"),
        ("a\nb\rc\td", "a\\x0ab\\x0dc\\x09d"),
        ("\x9b31m", "\\x9b31m"),
        ("\x85", "\\x85"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u2066b\u2069", "a\\u2066b\\u2069"),
        ("B\u200bob", "B\\u200bob"),
        ("\ufeff", "\\ufeff"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\u3164", "\\u3164"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
        ("a\u00a0b\u3000c", "a b c"),
        ("e" + "\u0301" * 50, "e" + "\u0301" * 3),
        ("\u1100" + "\u1161" * 50, "\u1100" + "\u1161" * 3),
    ],
)
def test_foreign_text_is_made_harmless(text: str, shown: str) -> None:
    assert safe(text) == shown
    assert safe(shown) == shown


@given(st.text())
def test_nothing_that_drives_a_terminal_ever_gets_through(text: str) -> None:
    shown = safe(text)
    assert shown.isprintable()
    shown.encode()
    assert safe(shown) == shown


@given(st.text(max_size=30), st.integers(0, 20))
def test_cutting_and_padding_is_by_cells(text: str, width: int) -> None:
    assert cells(fit(text, width)) <= width
    assert cells(pad(text, width)) == width


def test_a_cut_is_shown() -> None:
    assert fit("Robby Junior", 6) == "Robby…"
    assert fit("日本語", 4) == "日…"
    assert pad("日本語", 4) == "日… "
    assert fit("Ana", 3) == "Ana"
    assert fit("Ana", 0) == ""
    assert fit("e\u0301e\u0301e\u0301", 2) == "e\u0301…"
    assert cells(fit("x" * 1_000_000, 20)) == 20


@pytest.mark.parametrize(
    "details", [{}, {"late_ms": 4}, {"late_ms": -4, "credit_ms": 0}, {"late_ms": 2**50, "credit_ms": 0}]
)
def test_a_race_is_lost_by_so_much_or_by_nobody_knows_how_much(details: dict[str, Any]) -> None:
    general = errors.text_for(errors.TOO_LATE)
    assert refusal(errors.TOO_LATE, general, details) == general
    told = refusal(errors.TOO_LATE, general, {"late_ms": 4, "credit_ms": 0})
    assert told == "Too late by 4 ms (your credit: 0 ms): somebody was quicker."
