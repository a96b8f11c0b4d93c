"""The client's picture of the world: typed, in order, safe against repeats and stragglers."""

from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from robby_bots.random_bot import RandomBot
from robby_bots.robby_solo.greedy import GreedyBot
from robby_client.world import RunningClock, UnknownEvent, World
from robby_games.robby_solo import Confirm, Laid, Lay, OwnView, PublicView, TakeBack
from robby_protocol.codec import plain
from robby_protocol.errors import CLIENT_TOO_OLD, KICKED
from robby_protocol.fair import events_digest
from robby_protocol.messages import (
    Clock,
    Decision,
    GameHistory,
    GameOffer,
    GameUpdate,
    Goodbye,
    Greeting,
    LobbyTables,
    Notice,
    ScoreLine,
    TableClosed,
    Welcome,
)
from tests.client.fakes import public_view, seat, table, table_state, update
from tests.client.offline import NAMES, Offline

LAID = [{"type": "laid", "seat": number} for number in range(3)]


def seated(now: Any = lambda: 100.0) -> World:
    world = World(now)
    world.apply(table_state(you=0))
    return world


def welcome(table_id: str | None) -> Welcome:
    return Welcome(identity="me", name="Ana", table=table_id, ping_ms=5_000, silence_ms=25_000)


def greeting() -> Greeting:
    return Greeting(
        version=(1, 0), server_id=b"s" * 32, server_name="T", software="", challenge=b"c" * 32, methods=[], games=[]
    )


def test_views_events_and_actions_come_as_the_games_types() -> None:
    world = seated()
    legal: list[dict[str, Any]] = [{"type": "take_back"}, {"type": "confirm"}, {"type": "lay", "bank": 3}]
    world.apply(
        update(
            1,
            events=LAID[:1],
            own={"seat": 0, "card": 2, "stack": [1, 4_000]},
            own_events=[{"type": "you_laid", "bank": 2}],
            decision=Decision(id=9, legal=legal),
        )
    )
    game = world.game
    assert game is not None
    assert isinstance(game.public, PublicView)
    assert game.own == OwnView(0, 2, (1, 4_000))
    assert game.events == [Laid(0)]
    assert len(game.own_events) == 1
    assert game.decision is not None
    assert game.decision.id == 9
    assert game.decision.legal == (TakeBack(), Confirm(), Lay(bank=3))
    assert (game.name, game.match, game.seq, world.seat) == ("robby-solo", "m1", 1, 0)


def test_an_older_view_never_replaces_a_newer_one() -> None:
    world = seated()
    world.apply(update(5, view=public_view(round=5)))
    world.apply(update(4, view=public_view(round=4), decision=Decision(id=1, legal=[])))
    assert world.game is not None
    assert world.game.public.round == 5
    assert world.game.decision is None


def test_the_same_view_again_brings_the_time_anew_but_no_event_twice() -> None:
    times = iter([10.0, 20.0])
    world = seated(lambda: next(times))
    message = update(
        1,
        events=LAID,
        own_events=[{"type": "you_laid", "bank": 2}],
        clock=Clock(remaining_ms=5_000, total_ms=9_000),
    )
    world.apply(message)
    world.apply(message)
    assert world.game is not None
    assert world.game.events == [Laid(0), Laid(1), Laid(2)]
    assert len(world.game.own_events) == 1
    assert world.game.clock is not None
    assert world.game.clock.remaining(20.0) == 5.0


def test_history_after_a_resume_completes_the_story() -> None:
    world = World()
    world.connected(_greeting(), welcome("t1"))
    world.apply(table_state())
    world.apply(GameHistory(table="t1", match="m1", first=0, events=LAID[:2]))
    world.apply(GameHistory(table="t1", match="m1", first=2, events=LAID[2:]))
    world.apply(update(8, first=3))
    assert world.game is not None
    assert world.game.events == [Laid(0), Laid(1), Laid(2)]
    assert world.game.seq == 8


def test_events_after_a_gap_wait_until_it_is_filled() -> None:
    world = seated()
    world.apply(update(3, first=2, events=LAID[2:]))
    assert world.game is not None
    assert world.game.events == []
    world.apply(GameHistory(table="t1", match="m1", first=0, events=LAID[:2]))
    assert world.game.events == [Laid(0), Laid(1), Laid(2)]


def test_a_new_match_begins_anew_and_stragglers_of_the_old_are_dropped() -> None:
    world = seated()
    world.apply(update(7, events=LAID, view=public_view(round=9)))
    world.apply(table_state(match="m2"))
    world.apply(update(0, match="m2", view=public_view(round=1)))
    assert world.game is not None
    assert (world.game.match, world.game.seq, world.game.events) == ("m2", 0, [])
    world.apply(update(8, view=public_view(round=10)))
    world.apply(GameHistory(table="t1", match="m1", first=0, events=LAID))
    assert (world.game.match, world.game.public.round, world.game.events) == ("m2", 1, [])


def test_messages_of_another_table_are_dropped() -> None:
    world = seated()
    world.apply(update(1, table="t9"))
    assert world.game is None
    world.apply(table_state(table="t2"))
    world.apply(update(1))
    assert world.game is None


def test_another_table_begins_anew() -> None:
    world = seated()
    world.apply(update(1))
    world.apply(table_state(table="t2", match=None))
    assert world.game is None
    assert world.table is not None
    assert world.table.table == "t2"


@pytest.mark.parametrize("match", ["m1", None])
def test_the_result_is_still_shown_when_the_table_waits_again(match: str | None) -> None:
    world = seated()
    world.apply(update(1))
    world.apply(table_state(phase="finished", match=match))
    assert world.game is not None


def test_a_closed_table_is_gone_and_another_ones_end_is_nothing() -> None:
    world = seated()
    world.apply(update(1))
    world.apply(TableClosed(table="t9", code=KICKED, text=""))
    assert world.table is not None
    world.apply(TableClosed(table="t1", code=KICKED, text=""))
    assert [world.table, world.game, world.seat] == [None, None, None]


def test_a_login_without_the_table_clears_it_and_with_it_keeps_the_story() -> None:
    world = seated()
    world.apply(update(1, events=LAID, decision=Decision(id=3, legal=[])))
    world.disconnected()
    assert world.game is not None
    assert world.game.decision is None
    world.connected(_greeting(), welcome("t1"))
    assert world.game.events == [Laid(0), Laid(1), Laid(2)]
    world.connected(_greeting(), welcome(None))
    assert [world.table, world.game] == [None, None]


def test_the_first_view_of_a_connection_is_the_truth_whatever_its_number() -> None:
    world = seated()
    world.apply(update(9, view=public_view(round=9)))
    world.connected(_greeting(), welcome("t1"))
    world.apply(table_state())
    world.apply(update(4, view=public_view(round=4)))
    assert world.game is not None
    assert world.game.public.round == 4
    world.apply(update(3, view=public_view(round=3)))
    assert world.game.public.round == 4


def test_an_event_and_an_action_of_the_future_do_no_harm() -> None:
    world = seated()
    events = [LAID[0], {"type": "earthquake", "size": 3}, LAID[1]]
    world.apply(update(1, events=events, decision=Decision(id=1, legal=[{"type": "flee"}, {"type": "confirm"}])))
    assert world.game is not None
    assert world.game.events == [Laid(0), UnknownEvent({"type": "earthquake", "size": 3}), Laid(1)]
    assert world.game.decision is not None
    assert world.game.decision.legal == (Confirm(),)
    assert world.trouble is None


def test_a_view_that_cannot_be_read_is_not_shown_and_said() -> None:
    world = seated()
    world.apply(update(1, view={"round": "seven"}, decision=Decision(id=1, legal=[{"type": "confirm"}])))
    assert world.trouble == CLIENT_TOO_OLD
    assert world.game is not None
    assert world.game.public is None
    assert world.game.decision is None
    world.apply(update(2))
    assert world.trouble is None


def test_a_game_that_this_client_does_not_know_is_said() -> None:
    world = World()
    world.apply(table_state(game="chess"))
    world.apply(update(1))
    assert world.trouble == CLIENT_TOO_OLD
    assert world.game is None


def test_a_game_of_another_version_is_said_and_not_guessed_at() -> None:
    world = World()
    offer = GameOffer(name="robby-solo", version=2)
    world.connected(msgspec.structs.replace(_greeting(), games=[offer]), welcome(None))
    assert not world.knows("robby-solo")
    assert not world.knows("chess")
    world.apply(table_state())
    world.apply(update(1))
    assert world.trouble == CLIENT_TOO_OLD
    assert world.game is None
    world.connected(_greeting(), welcome(None))
    assert world.knows("robby-solo")


def test_a_game_that_this_client_cannot_show_is_not_known_to_it() -> None:
    world = World(games=["tresor-diebe"])
    world.connected(_greeting(), welcome(None))
    assert world.knows("tresor-diebe")
    assert not world.knows("robby-solo")
    world.apply(table_state())
    world.apply(update(1))
    assert world.trouble == CLIENT_TOO_OLD
    assert world.game is None


def test_the_start_of_a_phase_is_remembered_while_it_runs() -> None:
    world = seated()
    world.apply(update(1, view=public_view("revision", deck=10)))
    world.apply(update(2, view=public_view("revision", deck=9)))
    assert world.game is not None
    assert world.game.phase_start.deck == 10
    world.apply(update(3, view=public_view("supply", round=2, deck=8)))
    assert world.game.phase_start.deck == 8


def test_names_of_a_match_stay_when_the_tables_seats_move_up() -> None:
    world = seated()
    world.apply(update(1))
    assert world.game is not None
    assert world.game.names == ["Ana", "Ben", "Cleo"]
    result = [
        ScoreLine(name="Robby Junior", seat=None, score=5, winner=True),
        *(ScoreLine(name=name, seat=number, score=1, winner=False) for number, name in [(2, "Cleo"), (0, "Ana")]),
        ScoreLine(name="Ben", seat=1, score=0, winner=False),
    ]
    seats = [seat("Ben"), seat("Cleo")]
    world.apply(table_state(phase="finished", result=result, seats=seats))
    assert world.game.names == ["Ana", "Ben", "Cleo"]
    late = World()
    late.apply(table_state(phase="finished", result=result, seats=seats))
    late.apply(update(1))
    assert late.game is not None
    assert late.game.names == ["Ana", "Ben", "Cleo"]


def test_lobby_and_goodbye_are_kept() -> None:
    world = World()
    world.apply(LobbyTables(tables=[table()], people=3))
    world.apply(Goodbye(code="replaced", text="", reconnect=False))
    assert world.lobby is not None
    assert world.lobby.people == 3
    assert world.goodbye is not None
    world.disconnected()
    assert world.lobby is None


# Time.


def test_a_paused_clock_stands_still() -> None:
    clock = RunningClock.from_message(Clock(remaining_ms=4_500, total_ms=9_000, opens_ms=1_500, paused=True), 100.0)
    assert clock.paused
    for now in (100.0, 103.5, 1e9):
        assert clock.remaining(now) == 4.5
        assert clock.opens_in(now) == 1.5
    assert not RunningClock.from_message(Clock(remaining_ms=4_500, total_ms=9_000), 100.0).paused


def test_notices_say_what_the_server_is_about() -> None:
    world = World()
    for code, draining, not_kept in (
        ("draining", True, False),
        ("not_kept", True, True),
        ("operator", True, True),
        ("kept", True, False),
        ("undrained", False, False),
    ):
        world.apply(Notice(code=code, text="x"))
        assert (world.draining, world.not_kept) == (draining, not_kept)
    assert len(world.notices) == 5
    for _number in range(100):
        world.apply(Notice(code="operator", text="x"))
    assert len(world.notices) == 20


def test_who_watches_has_no_seat_and_keeps_the_picture_over_a_reconnect() -> None:
    world = World()
    watching = [world.watching]
    world.apply(table_state(None))
    world.apply(update(3, own=None))
    watching.append(world.watching)
    world.connected(greeting(), welcome(None))
    watching.append(world.watching)
    assert watching == [False, True, True]
    world.apply(update(1, own=None))
    assert world.game is not None
    assert world.game.seq == 1, "the first view of a connection is the truth"
    world.connected(greeting(), welcome("t2"))
    assert world.table is None


def test_the_tables_invite_and_next_match_come_and_go_with_it() -> None:
    world = World()
    state = table_state(private=True)
    world.apply(structs.replace(state, invite="CODE", next_match="m2", commitment=b"c" * 32))
    assert (world.invite, world.next_match, world.commitment) == ("CODE", "m2", b"c" * 32)
    world.leave_table()
    assert (world.invite, world.next_match, world.commitment) == (None, None, b"")


def test_the_digest_is_of_the_events_as_they_were_sent_known_or_not() -> None:
    world = World()
    world.apply(table_state())
    events: list[dict[str, Any]] = [{"type": "new_thing", "b": 1, "a": [2]}, {"type": "other"}, {"type": "third"}]
    world.apply(update(2, first=1, events=events[1:]))
    assert world.game is not None
    assert world.game.digest.count == 0
    world.apply(update(1, first=0, events=events[:2]))
    assert world.game.digest.count == 3
    assert world.game.digest.digest() == events_digest(events)


def test_the_clock_counts_down_to_zero_and_never_shows_more_than_the_whole() -> None:
    clock = RunningClock.from_message(Clock(remaining_ms=4_500, total_ms=9_000, opens_ms=1_500), 100.0)
    assert clock.total == 9.0
    assert clock.remaining(100.0) == 4.5
    assert clock.remaining(103.5) == 1.0
    assert clock.remaining(1e9) == 0.0
    assert clock.remaining(0.0) == 9.0
    assert clock.opens_in(101.0) == 0.5
    assert clock.opens_in(1e9) == 0.0
    assert RunningClock.from_message(Clock(remaining_ms=1, total_ms=1), 0.0).opens_in(0.0) == 0.0


def test_a_wrong_wall_clock_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    world = World()
    world.apply(table_state())
    for wrong in (90.0, -86_400.0, 3_600.0):
        monkeypatch.setattr(time, "time", lambda wrong=wrong: 1_700_000_000.0 + wrong)
        world.apply(update(1, clock=Clock(remaining_ms=30_000, total_ms=30_000)))
        assert world.game is not None
        assert world.game.clock is not None
        assert 29.5 < world.game.clock.remaining(time.monotonic()) <= 30.0


# Whole games, disturbed.


@cache
def whole_game() -> Offline:
    game = Offline(3, seed=b"w" * 32, options={"max_rounds": 2})
    game.play([GreedyBot(), RandomBot(), GreedyBot()])
    return game


def _state(world: World) -> Any:
    game = world.game
    assert game is not None
    return (game.seq, game.public, game.own, game.decision, game.events, game.own_events)


def test_a_whole_game_is_followed_event_by_event() -> None:
    game = whole_game()
    for number, world in enumerate(game.worlds):
        state = world.game
        assert state is not None
        assert state.events == list(game.match.events)
        assert (state.public, state.own) == game.match.view(number)
        assert state.names == list(NAMES[:3])
    assert game.watcher.game is not None
    assert game.watcher.game.own is None
    assert game.watcher.game.own_events == []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_repeats_and_stragglers_change_nothing(data: st.DataObject) -> None:
    """Each message may come again later, among the new ones: the end is the same, and no event is double."""
    sent = whole_game().sent
    disturbed: list[GameUpdate] = []
    for number, message in enumerate(sent):
        disturbed.append(message)
        for again in data.draw(st.lists(st.integers(0, number), max_size=2)):
            disturbed.append(sent[again])
    world = World()
    world.apply(table_state(names=NAMES[:3]))
    for message in disturbed:
        world.apply(message)
    assert _state(world) == _state(whole_game().worlds[0])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.randoms(use_true_random=False))
def test_any_order_of_arrival_ends_with_the_newest_view_and_the_whole_story(rng: Any) -> None:
    sent = list(whole_game().sent)
    rng.shuffle(sent)
    world = World()
    world.apply(table_state(names=NAMES[:3]))
    for message in sent:
        world.apply(message)
    assert _state(world)[:5] == _state(whole_game().worlds[0])[:5]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_resume_at_any_moment_loses_no_event(data: st.DataObject) -> None:
    game = whole_game()
    sent = game.sent
    cut = data.draw(st.integers(0, len(sent) - 1))
    back = data.draw(st.integers(cut, len(sent) - 1))
    world = World()
    world.apply(table_state(names=NAMES[:3]))
    for message in sent[:cut]:
        world.apply(message)
    world.disconnected()
    world.connected(_greeting(), welcome("t1"))
    world.apply(table_state(names=NAMES[:3]))
    newest = sent[back]
    told = newest.public.first + len(newest.public.events)
    events = [plain(event) for event in game.match.events[:told]]
    piece = data.draw(st.integers(1, max(1, told)))
    for first in range(0, told, piece):
        world.apply(GameHistory(table="t1", match="m1", first=first, events=events[first : first + piece]))
    again = msgspec.structs.replace(
        newest, public=msgspec.structs.replace(newest.public, first=told, events=[]), own_events=[]
    )
    for message in [again, *sent[back + 1 :]]:
        world.apply(message)
    assert _state(world)[:5] == _state(game.worlds[0])[:5]


def _greeting() -> Any:
    from robby_protocol.messages import Greeting

    return Greeting(
        version=(1, 0),
        server_id=b"s" * 32,
        server_name="Test",
        software="fake",
        challenge=b"c" * 32,
        methods=["guest"],
        games=[],
    )
