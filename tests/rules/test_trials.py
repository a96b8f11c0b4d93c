"""Known kinds of failure of such programs, tried on the rules and the match alone, with made-up stamps."""

import random
from typing import Any

import msgspec
import pytest

from robby_games.robby_solo import (
    Declared,
    Laid,
    Lay,
    Revealed,
    Supplied,
    TakeBack,
    YouLaid,
)
from robby_protocol.errors import ILLEGAL_ACTION, NO_DECISION, STALE_DECISION, TOO_LATE
from robby_rules.interface import IllegalActionError, Stamp
from robby_rules.journal import replay
from robby_rules.match import Change, Match
from tests.rules.kit import Play, answer, do, random_match, start
from tests.rules.test_match import at_plays, at_revision, code_of, lay

PLAY_MS = 45_000


def try_submit(match: Match, seat: int, decision: int, payload: dict[str, Any], at: int) -> str:
    """`ok`, `again`, or the code of the refusal; an accepted change is adopted."""
    try:
        change = match.submit(seat, decision, payload, Stamp(at))
    except IllegalActionError as error:
        return error.code
    if change is None:
        return "again"
    match.adopt(change)
    return "ok"


# PR-03: an impatient second click, a retry after a drop.


def test_the_same_card_sent_twice_is_laid_once() -> None:
    match, _gentleman, others = at_plays()
    answers = [try_submit(match, others[0], 2, lay(1), at) for at in range(5)]
    assert answers == ["ok", "again", "again", "again", "again"]
    assert sum(isinstance(event, Laid) for event in match.events) == 1


def test_another_card_behind_the_first_is_refused() -> None:
    match, _gentleman, others = at_plays()
    assert [try_submit(match, others[0], 2, lay(bank), 0) for bank in (1, 2, 1)] == ["ok", STALE_DECISION, "again"]
    assert match.state.cards[others[0]] == 1


def test_take_back_twice_takes_back_once() -> None:
    match, _gentleman, others = at_revision()
    asked = match.decision(others[0])
    assert asked is not None
    payload = {"type": "take_back"}
    assert [try_submit(match, others[0], asked.id, payload, 0) for _click in range(3)] == ["ok", "again", "again"]
    # A confirmation that was meant for the card that lay cannot count for the one laid after it.
    answer(match, others[0], Lay(2))
    assert try_submit(match, others[0], asked.id, {"type": "confirm"}, 0) == STALE_DECISION


def test_the_last_answer_resent_after_a_replay_is_known() -> None:
    match, _gentleman, others = at_plays()
    entries = [match.start_entry]
    match = replay(entries)
    gentleman = match.pending()[0]
    for seat, action in ((gentleman, None), (others[0], Lay(3))):
        entries.append(answer(match, seat, action).entry)  # type: ignore[arg-type]
    again = replay(entries)
    assert try_submit(again, others[0], 2, lay(3), 50) == "again"
    assert again.seq == match.seq


# PR-04: several at once; an answer meant for an earlier question.


def test_all_simultaneous_answers_are_accepted_in_any_order_for_500_rounds() -> None:
    rng = random.Random(4)
    rounds = 0
    while rounds < 500:
        match = start(6, seed=rng.randrange(10**9))
        while match.result() is None and rounds < 500:
            if match.state.phase == "plays":
                seats = list(match.pending())
                assert len(seats) == 5
                rng.shuffle(seats)
                asked = {seat: match.decision(seat) for seat in seats}
                for seat in seats:
                    decision = asked[seat]
                    assert decision is not None
                    assert try_submit(match, seat, decision.id, rng.choice(decision.legal), 0) == "ok"
                assert match.state.phase == "gentleman"
                rounds += 1
            random_match(match, rng, steps=1, silence=0)


def test_any_order_of_arrival_leads_to_the_same_match() -> None:
    rng = random.Random(5)
    matches = []
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        match, gentleman, others = at_plays(seed=9)
        for index in order:
            answer(match, others[index], Lay(index), at=7)
        answer(match, gentleman, Lay(0), at=8)
        matches.append(match)
    assert matches[0]._standing == matches[1]._standing == matches[2]._standing
    for match in matches:
        random_match(match, random.Random(rng.random()), steps=3)


def test_a_card_held_back_into_the_next_round_is_refused() -> None:
    match, gentleman, others = at_plays(3)
    held = match.decision(others[0])
    assert held is not None
    answer(match, others[0], Lay(1))
    answer(match, others[1], Lay(1))
    answer(match, gentleman, Lay(1))
    do(match, match.expire(Stamp(PLAY_MS)))  # the declaration
    while match.state.phase != "plays":
        do(match, match.expire(Stamp(match.deadline() or 0)))
    assert match.state.loot.round == 2
    for seat in match.pending():
        old = held.id if seat == others[0] else 2
        assert code_of(match, seat, old, lay(3), at=match._standing.now) in (STALE_DECISION, TOO_LATE)


def test_a_lay_held_from_the_revision_is_not_the_next_rounds_secret_play() -> None:
    match, gentleman, others = at_revision(3)
    answer(match, others[0], TakeBack())
    in_hand = match.decision(others[0])
    assert in_hand is not None
    assert lay(3) in in_hand.legal
    while match.state.loot.round == 1 or match.state.phase != "plays":
        do(match, match.expire(Stamp(match.deadline() or 0)))
    now = match._standing.now
    for seat in range(3):
        assert try_submit(match, seat, in_hand.id, lay(3), now) in (STALE_DECISION, TOO_LATE, NO_DECISION)
    assert match.state.cards == (-1, -1, -1)
    assert match.state.loot.gentleman == (gentleman + 1) % 3


def test_a_secret_play_held_into_the_revision_is_refused() -> None:
    match, gentleman, others = at_plays(3)
    held = match.decision(others[0])
    assert held is not None
    do(match, match.expire(Stamp(PLAY_MS)))
    answer(match, gentleman, at=PLAY_MS)
    answer(match, gentleman, at=PLAY_MS)
    answer(match, others[0], TakeBack(), at=PLAY_MS)
    assert lay(2) in match.decision(others[0]).legal  # type: ignore[union-attr]
    assert try_submit(match, others[0], held.id, lay(2), PLAY_MS) == TOO_LATE
    # Even where the seat's own answer had been taken in time.
    match, gentleman, others = at_plays(3)
    for seat in others:
        answer(match, seat, Lay(0))
    answer(match, gentleman)
    answer(match, gentleman)
    answer(match, others[0], TakeBack())
    assert try_submit(match, others[0], 2, lay(2), 0) == STALE_DECISION


# PR-05: an answer racing the deadline.


def test_an_answer_counts_exactly_if_it_was_acknowledged_in_5000_rounds_around_the_deadline() -> None:
    """The table expires first whatever is due by a stamp; the stamp alone decides."""
    rng = random.Random(5_000)
    rounds = accepted = late = 0
    while rounds < 5_000:
        match = start(3, seed=rng.randrange(10**9), time="blitz", max_rounds=1_000)
        while match.result() is None and rounds < 5_000:
            if match.state.phase != "plays":
                due = match.deadline()
                assert due is not None
                do(match, match.expire(Stamp(due)))
                continue
            deadline = match.deadline()
            assert deadline is not None
            inputs = sorted((deadline + rng.randint(-15, 15), seat, rng.randrange(4)) for seat in match.pending())
            asked = {seat: match.decision(seat) for _at, seat, _bank in inputs}
            acknowledged: dict[int, int] = {}
            changes: list[Change] = []
            for at, seat, bank in inputs:
                due = match.deadline()
                # Later deadlines lie far behind; what is due by this stamp comes first.
                if due is not None and at >= due:
                    changes.append(do(match, match.expire(Stamp(at))))
                decision = asked[seat]
                assert decision is not None
                answered = try_submit(match, seat, decision.id, lay(bank), at)
                assert answered == ("ok" if at < deadline else TOO_LATE)
                if answered == "ok":
                    acknowledged[seat] = bank
                else:
                    late += 1
            if match.state.phase == "plays":
                changes.append(do(match, match.expire(Stamp(deadline))))
            assert match.state.phase == "gentleman"
            cards = match.state.cards
            assert all(cards[seat] == bank for seat, bank in acknowledged.items())
            drawn = [seat for change in changes for seat in change.private]
            expected = [seat for seat in asked if seat not in acknowledged]
            assert sorted(drawn) == sorted(expected), "the clock decides once, and only for whoever has not"
            while match.state.phase != "supply" and match.result() is None:
                change = do(match, match.expire(Stamp(match.deadline() or 0)))
                for event in change.public:
                    if isinstance(event, Revealed):
                        assert all(event.banks[seat] == bank for seat, bank in acknowledged.items())
            rounds += 1
            accepted += len(acknowledged)
    assert accepted > 3_000
    assert late > 3_000


def test_a_due_deadline_that_nobody_carried_out_lets_nothing_through() -> None:
    match, _gentleman, others = at_plays()
    assert try_submit(match, others[0], 2, lay(1), PLAY_MS) == TOO_LATE
    assert try_submit(match, others[0], 2, lay(1), PLAY_MS - 1) == "ok"


# PR-07: nobody there.


@pytest.mark.parametrize("junior", [False, True])
def test_a_table_whose_players_vanish_one_by_one_plays_on_to_a_result(junior: bool) -> None:
    play = Play(5, junior=junior)
    # One is silent in the secret plays.
    play.supply()
    for seat in (1, 2, 3):
        play.lay(seat, seat)
    play.expire()
    assert play.told(Laid) == [Laid(4, False, True)]
    assert play.step.private[0][1] == YouLaid(play.state.cards[4], True)
    # The Gentleman is silent before placing.
    play.expire()
    (declared,) = play.told(Declared)
    assert play.told(Laid) == [Laid(0, False, True)]
    assert declared == Declared(0, False, declared.bank, True)
    assert declared.bank != play.state.cards[0]
    while play.state.phase != "supply":
        play.expire()
    # The next Gentleman is silent from the supply on.
    play.expire()
    (supplied,) = play.told(Supplied)
    assert (supplied.side, supplied.auto) == ("left", True)
    for seat in (0, 2, 3, 4):
        play.lay(seat, 1)
    # …places, but does not declare.
    play.lay(1, 2).expire()
    (declared,) = play.told(Declared)
    assert declared == Declared(1, False, declared.bank, True)
    assert declared.bank != 2
    # …and after declaring nobody does anything any more.
    while play.state.pending:
        play.expire()
    assert play.state.scores is not None


def test_automatic_declarations_are_always_true_and_never_claim_a_robbery() -> None:
    rng = random.Random(7)
    seen: set[int] = set()
    for _game in range(30):
        match = start(4, seed=rng.randrange(10**9), max_rounds=10)
        while match.result() is None:
            gentleman, cards = match.state.loot.gentleman, match.state.cards
            change = do(match, match.expire(Stamp(match.deadline() or 0)))
            for event in change.public:
                if isinstance(event, Declared):
                    assert event.auto
                    assert not event.robs
                    assert event.bank != match.state.cards[gentleman]
                    assert cards[gentleman] == -1
                    seen.add(event.bank)
    assert seen == {0, 1, 2, 3, 4}


def test_illegal_answers_of_a_wild_bot_change_nothing() -> None:
    match, gentleman, others = at_revision()
    asked = match.decision(others[0])
    assert asked is not None
    wild = [
        lay(0),
        {"type": "declare", "robs": False, "bank": 1},
        {"type": "reveal"},
        {"type": "supply", "side": "left"},
        {"type": "give", "card": 1},
    ]
    for payload in wild:
        assert code_of(match, others[0], asked.id, payload) == ILLEGAL_ACTION
        assert code_of(match, gentleman, match._standing.ids[gentleman], payload) == NO_DECISION
    assert match.decision(others[0]) == msgspec.structs.replace(asked)
