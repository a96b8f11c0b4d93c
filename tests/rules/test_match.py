"""The match around the rules: ids, repeats, codes, adoption, presence, what is told to whom."""

import random
from typing import Any

import msgspec
import pytest

from robby_games.robby_solo import Confirm, Declaration, Declare, Lay, Options, Reveal, Supply, TakeBack, YouLaid
from robby_protocol.errors import (
    CARD_IN_HAND,
    FALSE_DECLARATION,
    ILLEGAL_ACTION,
    MALFORMED_ACTION,
    NO_DECISION,
    STALE_DECISION,
    TOO_LATE,
)
from robby_rules.chance import Chance
from robby_rules.entries import Act, Expire, Presence
from robby_rules.interface import BadOptionsError, IllegalActionError, Stamp
from robby_rules.match import Change, Match, NotDueError, OutdatedChangeError, UnknownGameError, read_options, rules_of
from tests.rules.kit import answer, do, random_match, shown, start


def lay(bank: int) -> dict[str, Any]:
    return {"type": "lay", "bank": bank}


def code_of(match: Match, seat: int, decision: int, payload: dict[str, Any], at: int = 0) -> str:
    """The code with which this is refused; nothing may have changed."""
    before, events = match._standing, len(match.events)
    with pytest.raises(IllegalActionError) as refused:
        match.submit(seat, decision, payload, Stamp(at))
    assert match._standing is before
    assert len(match.events) == events
    return refused.value.code


def at_plays(seats: int = 4, **options: Any) -> tuple[Match, int, list[int]]:
    """A match in its secret plays, the Gentleman's seat, and the others'."""
    match = start(seats, **options)
    gentleman = match.pending()[0]
    answer(match, gentleman, Supply("left"))
    return match, gentleman, [seat for seat in range(seats) if seat != gentleman]


def at_revision(seats: int = 4, **options: Any) -> tuple[Match, int, list[int]]:
    """The same in the revision: all laid bank 0, the Gentleman too and says so."""
    match, gentleman, others = at_plays(seats, **options)
    for seat in others:
        answer(match, seat, Lay(0))
    answer(match, gentleman, Lay(0))
    answer(match, gentleman, Declare(True, 0))
    return match, gentleman, others


# Starting.


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(UnknownGameError):
        Match.start("m", "poker", {}, 3, bytes(32))
    with pytest.raises(UnknownGameError):
        read_options("poker", {})
    with pytest.raises(UnknownGameError):
        rules_of("poker")


def test_a_seed_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="32"):
        Match.start("m", "robby-solo", {}, 3, bytes(31))


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"time": "hasty"}, "time"),
        ({"play_ms": 10}, "play_ms"),
        ({"play_ms": "soon"}, "play_ms"),
        ({"play_ms": 2_000.5}, "play_ms"),
        ({"junior": 1}, "junior"),
        ({"max_rounds": True}, "max_rounds"),
        ({"beer": 3}, "beer"),
        ({"items": 8}, "items"),
        ({"junior": None}, "junior"),
        ({"revision_min_ms": 31_000}, "revision_min_ms"),
        ({"revision_min_ms": 5_000, "revision_max_ms": 4_000}, "revision_min_ms"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], field: str) -> None:
    with pytest.raises(BadOptionsError) as refused:
        Match.start("m", "robby-solo", options, 4, bytes(32))
    assert refused.value.field == field
    assert refused.value.reason


@pytest.mark.parametrize(("seats", "junior"), [(1, True), (2, False), (6, True), (7, False), (7, True), (0, True)])
def test_numbers_of_seats_that_cannot_play_are_refused(seats: int, junior: bool) -> None:
    with pytest.raises(BadOptionsError):
        Match.start("m", "robby-solo", {"junior": junior}, seats, bytes(32))


def test_a_longest_revision_below_the_presets_shortest_shortens_that() -> None:
    match, gentleman, _others = at_revision(3, revision_max_ms=2_000)
    timer = match.timer(gentleman)
    assert timer is not None
    assert (timer.ends_at, timer.total, timer.opens_at) == (2_000, 2_000, 2_000)


def test_the_start_entry_names_all_options() -> None:
    match = start(4, junior=True)
    assert match.start_entry.options == msgspec.to_builtins(Options(junior=True))
    assert (match.start_entry.match, match.start_entry.game, match.start_entry.seats) == ("m1", "robby-solo", 4)
    assert (match.seq, match.seats) == (0, 4)
    assert [type(event).__name__ for event in match.events] == ["GameStarted", "RoundStarted"]
    assert match.start_private == {}


def test_equal_seeds_give_equal_games_and_others_do_not() -> None:
    assert start(seed=1).state == start(seed=1).state
    assert start(seed=1).state != start(seed=2).state


# Decision ids.


def test_ids_begin_at_one_and_grow_with_the_seats_actions_and_with_the_phase() -> None:
    match = start(3)
    gentleman = match.pending()[0]
    others = [seat for seat in range(3) if seat != gentleman]
    ids = {seat: [1] for seat in range(3)}

    def note() -> None:
        for seat in range(3):
            decision = match.decision(seat)
            if decision is not None:
                ids[seat].append(decision.id)

    assert match.decision(gentleman).id == 1  # type: ignore[union-attr]
    answer(match, gentleman, Supply("left"))
    note()
    for seat in others:
        answer(match, seat, Lay(1))
    note()
    answer(match, gentleman, Lay(1))
    note()
    answer(match, gentleman, Declare(True, 1))
    note()
    answer(match, others[0], TakeBack())
    note()
    for numbers in ids.values():
        assert numbers == sorted(numbers)
    # Laying secretly, taking back: each moved the seat's own id on, and each phase everybody's; whoever lays last of
    # all has the same ids as the others.
    assert ids[others[0]] == [1, 2, 5, 6]
    assert ids[others[1]] == [1, 2, 5, 5]
    assert ids[gentleman] == [1, 4, 5]


def test_a_seat_that_is_asked_nothing_has_no_decision() -> None:
    match = start(3)
    gentleman = match.pending()[0]
    other = (gentleman + 1) % 3
    assert match.decision(other) is None
    assert code_of(match, other, 1, lay(0)) == NO_DECISION


def test_legal_actions_are_plain_maps_in_a_fixed_order() -> None:
    match, _gentleman, others = at_plays()
    decision = match.decision(others[0])
    assert decision is not None
    assert decision.legal == [lay(bank) for bank in range(5)]


def test_an_id_of_the_future_is_stale_too() -> None:
    match, _gentleman, others = at_plays()
    assert code_of(match, others[0], 99, lay(0)) == STALE_DECISION
    assert code_of(match, others[0], 0, lay(0)) == STALE_DECISION


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"type": "dance"},
        {"type": "lay"},
        {"type": "lay", "bank": "red"},
        {"type": "lay", "bank": -1},
        {"type": "lay", "bank": 7},
        {"type": "lay", "bank": True},
        {"type": "lay", "bank": 1.5},
        {"type": "lay", "bank": 2**64 - 1},
        {"type": "lay", "bank": float("nan")},
        {"type": ["lay"], "bank": 1},
        {"type": None},
        {"type": "supply", "side": "middle"},
        {"type": "give", "card": 0},
        {"type": "declare", "robs": 1, "bank": 1},
    ],
)
def test_what_is_no_action_of_the_game_is_malformed(payload: dict[str, Any]) -> None:
    match, _gentleman, others = at_plays()
    assert code_of(match, others[0], 2, payload) == MALFORMED_ACTION


def test_fields_that_a_newer_client_adds_are_ignored_and_not_kept() -> None:
    match, _gentleman, others = at_plays()
    change = match.submit(others[0], 2, {"type": "lay", "bank": 1, "mood": "good"}, Stamp(0))
    assert change is not None
    assert change.entry == Act(others[0], 2, lay(1), 0)


def test_an_action_that_the_rules_refuse_has_their_code() -> None:
    match, gentleman, others = at_plays()
    assert code_of(match, others[0], 2, lay(5)) == ILLEGAL_ACTION
    assert code_of(match, others[0], 2, {"type": "confirm"}) == ILLEGAL_ACTION
    for seat in others:
        answer(match, seat, Lay(0))
    answer(match, gentleman, Lay(3))
    decision = match.decision(gentleman)
    assert decision is not None
    for robs, bank in ((True, 2), (False, 3)):
        payload = {"type": "declare", "robs": robs, "bank": bank}
        assert code_of(match, gentleman, decision.id, payload) == FALSE_DECLARATION
    answer(match, gentleman, Declare(False, 4))
    answer(match, others[0], TakeBack())
    hand = match.decision(others[0])
    assert hand is not None
    assert code_of(match, others[0], hand.id, {"type": "confirm"}) == CARD_IN_HAND


@pytest.mark.parametrize("seat", [-1, 4])
def test_a_seat_that_does_not_exist_is_the_callers_mistake(seat: int) -> None:
    match = start(4)
    for call in (
        lambda: match.submit(seat, 1, lay(0), Stamp(0)),
        lambda: match.decision(seat),
        lambda: match.view(seat),
        lambda: match.timer(seat),
        lambda: match.presence(seat, True, Stamp(0)),
    ):
        with pytest.raises(ValueError, match="seat"):
            call()


# Repeats.


def test_a_repeat_of_the_last_accepted_answer_is_known_and_done_once() -> None:
    match, _gentleman, others = at_plays()
    do(match, match.submit(others[0], 2, lay(1), Stamp(0)))
    standing = match._standing
    assert match.submit(others[0], 2, lay(1), Stamp(5)) is None
    assert match._standing is standing
    # The same id with another action is not a repeat.
    assert code_of(match, others[0], 2, lay(2)) == STALE_DECISION


def test_a_repeat_is_known_long_after() -> None:
    match, _gentleman, others = at_plays()
    do(match, match.submit(others[0], 2, lay(1), Stamp(0)))
    while match.state.phase != "over":
        due = match.deadline()
        assert due is not None
        do(match, match.expire(Stamp(due)))
    assert match.submit(others[0], 2, lay(1), Stamp(10**9)) is None


# Adoption.


def test_nothing_changes_before_a_change_is_adopted() -> None:
    match, _gentleman, others = at_plays()
    before = (match._standing, list(match.events), match.chance_position)
    change = match.submit(others[0], 2, lay(1), Stamp(0))
    expiry = match.expire(Stamp(45_000))
    assert (match._standing, list(match.events), match.chance_position) == before
    assert change is not None
    match.adopt(change)
    assert match.seq == change.seq == 2
    assert list(match.events[change.first :]) == list(change.public)
    with pytest.raises(OutdatedChangeError):
        match.adopt(expiry)
    with pytest.raises(OutdatedChangeError):
        match.adopt(change)


def test_a_change_of_another_match_cannot_be_adopted() -> None:
    one, gentleman, _others = start(seed=1), start(seed=1).pending()[0], None
    other = start(seed=1)
    change = one.submit(gentleman, 1, {"type": "supply", "side": "left"}, Stamp(0))
    assert change is not None
    with pytest.raises(OutdatedChangeError):
        other.adopt(change)


def test_draws_of_a_change_that_is_not_adopted_are_not_lost() -> None:
    match, _gentleman, _others = at_plays()
    first = match.expire(Stamp(45_000))
    again = match.expire(Stamp(45_000))
    assert first == again
    match.adopt(again)
    assert match.chance_position > 0


def test_draws_follow_each_other_through_the_whole_match() -> None:
    """No word of the stream is used twice, nor one left out."""
    match, gentleman, others = at_plays()
    stream = Chance(match.start_entry.seed, match.chance_position)
    for number in range(1, 4):
        do(match, match.expire(Stamp(match.deadline() or 0)))
        assert [match.state.cards[seat] for seat in others] == [stream.below(5) for _seat in others]
        assert match.chance_position == stream.position
        do(match, match.expire(Stamp(match.deadline() or 0)))
        card = stream.below(5)
        denied = [bank for bank in range(5) if bank != card][stream.below(4)]
        assert match.state.cards[gentleman] == card
        assert match.state.declaration == Declaration(False, denied)
        assert match.chance_position == stream.position
        while match.state.loot.round == number or match.state.phase != "plays":
            do(match, match.expire(Stamp(match.deadline() or 0)))
        gentleman = (gentleman + 1) % 4
        others = [seat for seat in range(4) if seat != gentleman]


def test_private_events_are_for_their_seat_alone() -> None:
    match, _gentleman, others = at_plays()
    change = answer(match, others[0], Lay(3))
    assert change.private == {others[0]: (YouLaid(3),)}
    assert "bank" not in msgspec.to_builtins(change.public[0])
    expiry = match.expire(Stamp(45_000))
    assert set(expiry.private) == set(others[1:])
    assert all(isinstance(event, YouLaid) and event.auto for (event,) in expiry.private.values())


# Time.


def test_an_answer_at_the_deadline_is_too_late_and_one_before_counts() -> None:
    match, _gentleman, others = at_plays()
    assert match.deadline() == 45_000
    assert code_of(match, others[0], 2, lay(1), at=45_000) == TOO_LATE
    assert code_of(match, others[0], 2, lay(1), at=45_001) == TOO_LATE
    answer(match, others[0], Lay(1), at=44_999)


def test_an_answer_to_what_the_clock_decided_is_too_late_until_the_next_such() -> None:
    match, _gentleman, others = at_plays()
    do(match, match.expire(Stamp(45_000)))
    assert match.state.phase == "gentleman"
    assert code_of(match, others[0], 2, lay(1), at=45_001) == TOO_LATE
    do(match, match.expire(Stamp(90_000)))
    assert code_of(match, others[0], 2, lay(1), at=90_001) == TOO_LATE
    do(match, match.expire(Stamp(95_000)))  # the reveal opens
    assert code_of(match, others[0], 2, lay(1), at=95_001) == TOO_LATE
    do(match, match.expire(Stamp(120_000)))
    assert code_of(match, others[0], 2, lay(1), at=120_001) == STALE_DECISION


def test_expiring_before_the_deadline_is_refused() -> None:
    match = start(4)
    with pytest.raises(NotDueError):
        match.expire(Stamp(9_999))
    untimed = start(4, time="untimed")
    assert untimed.deadline() is None
    with pytest.raises(NotDueError):
        untimed.expire(Stamp(10**9))


def test_a_deadline_carried_out_late_gives_the_next_phase_its_full_time() -> None:
    match = start(4)
    change = do(match, match.expire(Stamp(12_345)))
    assert change.entry == Expire(12_345)
    assert match.deadline() == 12_345 + 45_000


def test_time_never_runs_backwards() -> None:
    match = start(4)
    do(match, match.expire(Stamp(12_345)))
    seat = match.pending()[0]
    change = answer(match, seat, Lay(0), at=10_500)
    assert isinstance(change.entry, Act)
    assert change.entry.at == 12_345


def test_the_stamps_credit_is_kept() -> None:
    match, _gentleman, others = at_plays()
    change = match.submit(others[0], 2, lay(1), Stamp(7, 30))
    assert change is not None
    assert change.entry == Act(others[0], 2, lay(1), 7, 30)


def test_reveal_is_asked_of_the_gentleman_only_while_it_is_open() -> None:
    match, gentleman, others = at_revision()
    assert match.decision(gentleman) is None
    do(match, match.expire(Stamp(5_000)))
    asked = match.decision(gentleman)
    assert asked is not None
    assert asked.legal == [{"type": "reveal"}]
    answer(match, others[0], TakeBack(), at=5_001)
    assert code_of(match, gentleman, asked.id, {"type": "reveal"}, at=5_002) == NO_DECISION
    answer(match, others[0], Lay(0), at=5_003)
    change = answer(match, gentleman, Reveal(), at=5_004)
    assert [type(event).__name__ for event in change.public[:2]] == ["RevealCalled", "Revealed"]


# Presence.


def test_presence_is_a_change_without_events_and_only_if_it_is_one() -> None:
    match, _gentleman, others = at_plays(time="untimed")
    change = match.presence(others[0], True, Stamp(7))
    assert change is not None
    assert (change.entry, change.public, change.private) == (Presence(others[0], True, 7), (), {})
    assert match.deadline() is None
    match.adopt(change)
    assert match.deadline() == 7 + 45_000
    assert match.presence(others[0], True, Stamp(8)) is None
    do(match, match.presence(others[0], False, Stamp(9)))
    assert match.deadline() is None
    assert match.presence(others[0], False, Stamp(10)) is None


def test_presence_leaves_the_question_and_its_id_as_they_are() -> None:
    match, _gentleman, others = at_plays()
    before = match.decision(others[0])
    do(match, match.presence(others[0], True, Stamp(1)))
    do(match, match.presence(others[0], False, Stamp(2)))
    assert match.decision(others[0]) == before
    assert match.deadline() == 45_000


# The bluff.


@pytest.mark.parametrize("confirms", [True, False])
def test_laying_the_same_card_again_looks_like_laying_another(confirms: bool) -> None:
    """Two matches alike but for that: views, events, ids, sequence numbers, timers are equal for all others."""
    trails = []
    for again in (0, 3):
        match, gentleman, others = at_revision()
        seat = others[1]
        outsiders = [None, gentleman, others[0], others[2]]
        trail: list[bytes] = []

        def note(
            change: Change, match: Match = match, outsiders: list[int | None] = outsiders, trail: list[bytes] = trail
        ) -> None:
            for outsider in outsiders:
                asked = None if outsider is None else match.decision(outsider)
                private = () if outsider is None else change.private.get(outsider, ())
                trail.append(shown(*match.view(outsider), asked, match.timer(outsider), private))
            trail.append(shown(change.public, change.seq, change.first, match.deadline(), match.pending()))

        note(answer(match, seat, TakeBack(), at=10))
        note(answer(match, seat, Lay(again), at=20))
        note(answer(match, others[0], Confirm(), at=25))
        if confirms:
            note(answer(match, seat, Confirm(), at=30))
        note(do(match, match.expire(Stamp(5_000))))
        trails.append(trail)
    assert trails[0] == trails[1]


def test_the_result_is_known_once_the_game_is_over() -> None:
    match = start(4, junior=True)
    assert match.result() is None
    random_match(match, random.Random(4))
    results = match.result()
    assert results is not None
    assert [result.seat for result in results] == [0, 1, 2, 3, None]
    assert match.pending() == ()
    assert code_of(match, 0, match._standing.ids[0], lay(0), at=10**9) in (NO_DECISION, TOO_LATE)
    assert match.presence(0, True, Stamp(10**9)) is None
