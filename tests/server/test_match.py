"""A running match at a table: repeats, late answers, deadlines, clocks, automatic decisions, the order of answers."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import msgspec
import pytest
import trio

from robby_protocol import errors
from robby_protocol.messages import (
    Act,
    Error,
    GameUpdate,
    Ok,
    Ping,
    Pong,
    TableAddBot,
    TableConfigure,
    TableJoin,
    TableKick,
    TableReady,
    TableStart,
)
from robby_rules import journal as rules_journal
from robby_rules.journal import replay
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.server.kit import Answered, Peer, begin, legal, play_all, running, settled

LAY = ("lay",)


def gentleman_of(peers: list[Peer]) -> tuple[Peer, list[Peer]]:
    """The Gentleman and the others, by the newest view."""
    seat = peers[0].update.public.view["gentleman"]
    return peers[seat], [peer for peer in peers if peer.seat != seat]


@contextmanager
def suppress_codes(*codes: str) -> Iterator[None]:
    """Refusals with these codes are expected."""
    try:
        yield
    except Answered as answered:
        if answered.code not in codes:
            raise


async def to_plays(peers: list[Peer]) -> tuple[Peer, list[Peer]]:
    """Deal the round's loot; the others owe their secret plays now."""
    gentleman, others = gentleman_of(peers)
    await gentleman.asked("supply")
    await gentleman.act({"type": "supply", "side": "left"})
    await settled()
    return gentleman, others


async def to_revision(peers: list[Peer]) -> tuple[Peer, list[Peer]]:
    """All have laid and the Gentleman has declared."""
    gentleman, others = await to_plays(peers)
    for peer in others:
        await peer.act({"type": "lay", "bank": 1})
    await settled()
    await gentleman.act({"type": "lay", "bank": 0})
    await settled()
    await gentleman.act({"type": "declare", "robs": True, "bank": 0})
    await settled()
    return gentleman, others


async def test_an_answer_comes_before_its_effect(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3)
        gentleman, others = gentleman_of(peers)
        before = len(gentleman.got)
        await gentleman.act({"type": "supply", "side": "right"})
        await settled()
        kinds = [type(message) for message in gentleman.got[before:]]
        assert kinds == [Ok, GameUpdate]
        for peer in others:
            assert peer.update.seq == 1
            assert peer.update.public == gentleman.update.public


async def test_the_same_answer_again_is_answered_and_not_done_twice(autojump_clock: Any) -> None:
    journal = MemoryStore()
    async with running(journal=journal) as host:
        peers = await host.playing(3)
        _gentleman, (ben, *_) = await to_plays(peers)
        decision = ben.update.decision
        assert decision is not None
        command = Act(id=ben.new_id(), table=ben.table, decision=decision.id, action=decision.legal[0])
        repeats = [msgspec.structs.replace(command, id=ben.new_id()) for _ in range(4)]
        other = msgspec.structs.replace(command, id=ben.new_id(), action=decision.legal[1])
        await ben.send(command, *repeats, other)
        for each in (command, *repeats):
            assert await ben.answer(each.id) == {"decision": decision.id}
        with pytest.raises(Answered) as caught:
            await ben.answer(other.id)
        assert caught.value.code == errors.STALE_DECISION
        await settled()
        entries = await journal.read(ben.update.match)
        assert len([entry for entry in entries if isinstance(entry, rules_journal.Act)]) == 2
        assert len([event for event in ben.told() if event["type"] == "laid"]) == 1


async def test_the_last_answer_again_after_a_resume(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3)
        _gentleman, (ben, *_) = await to_plays(peers)
        decision = ben.update.decision
        assert decision is not None
        await ben.act(decision.legal[0])
        await ben.drop()
        again = await host.again(ben)
        await again.expect(GameUpdate)
        seq = again.update.seq
        assert await again.act(decision.legal[0], decision.id) == {"decision": decision.id}
        await settled()
        assert again.update.seq == seq


async def test_the_very_last_answer_of_a_match_may_be_repeated(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3, options={"max_rounds": 1})
        _gentleman, others = await to_revision(peers)
        await others[0].act({"type": "confirm"})
        await settled()
        decision = others[1].update.decision
        assert decision is not None
        await others[1].act({"type": "confirm"})
        await settled()
        # The police may have come; whoever must choose does.
        await play_all(peers)
        assert others[1].state.table.phase == "finished"
        assert await others[1].act({"type": "confirm"}, decision.id) == {"decision": decision.id}
        refused = await others[1].refused(
            Act, table=others[1].table, decision=decision.id, action={"type": "take_back"}
        )
        assert refused.code == errors.NOT_PLAYING


async def test_an_answer_of_an_earlier_match_is_refused(autojump_clock: Any) -> None:
    # Decision ids begin anew with each match: only the match tells an answer that was held from one for this one.
    async with running() as host:
        peers = await host.playing(3, options={"max_rounds": 1})
        first = peers[0].update.match
        await play_all(peers)
        results = peers[0].state.table.result
        assert [line.score for line in results] == sorted((line.score for line in results), reverse=True)
        await begin(peers)
        await settled()
        gentleman = next(peer for peer in peers if peer.update.decision is not None)
        decision = gentleman.update.decision
        assert decision is not None
        seq = gentleman.update.seq
        fields = {"table": gentleman.table, "decision": decision.id, "action": decision.legal[0]}
        assert (await gentleman.refused(Act, match=first, **fields)).code == errors.STALE_DECISION
        await settled()
        assert gentleman.update.seq == seq
        await gentleman.do(Act, match=gentleman.update.match, **fields)


async def test_an_answer_of_an_earlier_round_or_phase_is_refused(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3)
        _gentleman, (ben, cleo) = await to_plays(peers)
        laying = ben.update.decision
        assert laying is not None
        await ben.act(laying.legal[0])
        await cleo.act({"type": "lay", "bank": 2})
        await settled()
        held = Act(id=1, table=ben.table, decision=laying.id, action=laying.legal[1])
        for _ in range(2):
            refused = await ben.refused(Act, table=ben.table, decision=held.decision, action=held.action)
            assert refused.code in (errors.STALE_DECISION, errors.NO_DECISION)
            await trio.sleep(200)
        seq = ben.update.seq
        assert ben.update.public.view["round"] > 1
        refused = await ben.refused(Act, table=ben.table, decision=held.decision, action=held.action)
        assert refused.code in (errors.STALE_DECISION, errors.TOO_LATE, errors.NO_DECISION)
        await settled()
        assert ben.update.seq == seq


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ({"type": "dance"}, errors.MALFORMED_ACTION),
        ({}, errors.MALFORMED_ACTION),
        ({"type": "lay"}, errors.MALFORMED_ACTION),
        ({"type": "lay", "bank": "red"}, errors.MALFORMED_ACTION),
        ({"type": "lay", "bank": 6}, errors.ILLEGAL_ACTION),
        ({"type": "confirm"}, errors.ILLEGAL_ACTION),
        ({"type": "declare", "robs": True, "bank": 0}, errors.ILLEGAL_ACTION),
        ({"type": "lay", "bank": True}, errors.MALFORMED_ACTION),
    ],
)
async def test_answers_that_are_no_answers(action: dict[str, Any], code: str, autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3)
        _gentleman, (ben, *_) = await to_plays(peers)
        seq, decision = ben.update.seq, ben.update.decision
        assert decision is not None
        refused = await ben.refused(Act, table=ben.table, decision=decision.id, action=action)
        assert refused.code == code
        await settled()
        assert ben.update.seq == seq
        await ben.act(decision.legal[0])


async def test_a_false_declaration_and_a_card_in_the_hand(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3)
        gentleman, others = await to_plays(peers)
        for peer in others:
            await peer.act({"type": "lay", "bank": 1})
        await settled()
        await gentleman.act({"type": "lay", "bank": 0})
        await settled()
        for robs, bank in ((True, 1), (False, 0)):
            with pytest.raises(Answered) as caught:
                await gentleman.act({"type": "declare", "robs": robs, "bank": bank})
            assert caught.value.code == errors.FALSE_DECLARATION
        await gentleman.act({"type": "declare", "robs": False, "bank": 1})
        await settled()
        await others[0].act({"type": "take_back"})
        await settled()
        with pytest.raises(Answered) as caught:
            await others[0].act({"type": "confirm"})
        assert caught.value.code == errors.CARD_IN_HAND


async def test_who_may_not_act(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3)
        stranger = await host.guest("Xenia")
        gentleman, others = gentleman_of(peers)
        decision = gentleman.update.decision
        assert decision is not None
        fields: dict[str, Any] = {"decision": decision.id, "action": decision.legal[0]}
        assert (await stranger.refused(Act, table=gentleman.table, **fields)).code == errors.NOT_SEATED
        assert (await gentleman.refused(Act, table="ZZZZZZZZ", **fields)).code == errors.NOT_SEATED
        assert (await others[0].refused(Act, table=gentleman.table, **fields)).code == errors.NO_DECISION
        assert (await stranger.refused(TableJoin, table=gentleman.table)).code == errors.TABLE_PLAYING
        ana, ben = peers[0], peers[1]
        assert (await ben.refused(TableReady, ready=True)).code == errors.TABLE_PLAYING
        for kind, host_only in (
            (TableStart, {}),
            (TableConfigure, {"title": "x"}),
            (TableAddBot, {"bot": "greedy"}),
            (TableKick, {"seat": 1, "name": "Ben"}),
        ):
            assert (await ana.refused(kind, **host_only)).code == errors.TABLE_PLAYING


async def test_acting_before_the_first_match(autojump_clock: Any) -> None:
    async with running() as host:
        ana, _ben = await host.seated(2)
        refused = await ana.refused(Act, table=ana.table, decision=1, action={"type": "supply", "side": "left"})
        assert refused.code == errors.NOT_PLAYING


async def next_round(peers: list[Peer]) -> bool:
    """Let the clock do the rest of the round. Returns whether there is another."""
    now = peers[0].update.public.view["round"]
    await peers[0].until(lambda: peers[0].over or peers[0].update.public.view["round"] > now)
    await settled()
    return not peers[0].over


async def test_six_at_a_barrier(autojump_clock: Any) -> None:
    """All who owe a secret play send it at the same moment, round after round: all are accepted."""
    async with running() as host:
        peers = await host.playing(6, options={"money_copies": 20})
        for _ in range(6):
            _gentleman, others = await to_plays(peers)
            barrier = trio.Event()

            async def lay(peer: Peer, barrier: trio.Event = barrier) -> None:
                await barrier.wait()
                decision = peer.update.decision
                assert decision is not None
                await peer.act(decision.legal[random.randrange(7)], decision.id)

            async with trio.open_nursery() as nursery:
                for peer in others:
                    nursery.start_soon(lay, peer)
                await settled()
                barrier.set()
            await settled()
            assert all(view["card"] == "laid" for view in _others_views(peers))
            if not await next_round(peers):
                break


def _others_views(peers: list[Peer]) -> list[dict[str, Any]]:
    view = peers[0].update.public.view
    return [each for seat, each in enumerate(view["participants"]) if seat != view["gentleman"]]


@pytest.mark.parametrize("offset_ms", [-15, -1, 0, 1, 15])
async def test_answers_around_the_deadline(offset_ms: int, autojump_clock: Any) -> None:
    """Acknowledged if and only if it counts; the automatic play exactly once, for whoever has no acknowledged one."""
    async with running() as host:
        peers = await host.playing(5)
        for _round in range(3):
            _gentleman, others = await to_plays(peers)
            began = trio.current_time()
            clock = others[0].update.clock
            assert clock is not None
            assert clock.remaining_ms == clock.total_ms == 45_000
            acknowledged: dict[int, int] = {}

            async def lay(peer: Peer, at: float, acknowledged: dict[int, int] = acknowledged) -> None:
                decision = peer.update.decision
                assert decision is not None
                bank = peer.seat % 3
                await trio.sleep_until(at)
                with suppress_codes(errors.TOO_LATE):
                    await peer.act({"type": "lay", "bank": bank}, decision.id)
                    acknowledged[peer.seat] = bank

            marks = [len(peer.told()) for peer in others]
            async with trio.open_nursery() as nursery:
                for peer in others:
                    nursery.start_soon(lay, peer, began + 45 + offset_ms / 1000)
            await settled()
            if offset_ms < 0:
                assert len(acknowledged) == len(others)
            if offset_ms > 0:
                assert acknowledged == {}
            for peer, mark in zip(others, marks, strict=True):
                told = peer.told()[mark:]
                laid = [event for event in told if event["type"] == "laid" and event["seat"] == peer.seat]
                assert len(laid) == 1
                assert laid[0]["auto"] == (peer.seat not in acknowledged)
                own = peer.update.own
                assert own is not None
                if peer.seat in acknowledged:
                    assert own["card"] == acknowledged[peer.seat]
            if not await next_round(peers):
                break


async def test_an_input_stamped_before_the_deadline_is_taken_before_it(autojump_clock: Any) -> None:
    """The journal is slow: what was received in time waits in the inbox past the deadline, and still counts."""

    class SlowJournal(MemoryStore):
        slow = 0.0

        async def append(self, match: str, entry: rules_journal.Entry) -> None:
            await trio.sleep(self.slow)
            await super().append(match, entry)

    journal = SlowJournal()
    async with running(journal=journal) as host:
        peers = await host.playing(3)
        _gentleman, (ben, cleo) = await to_plays(peers)
        began = trio.current_time()
        journal.slow = 2.0
        await trio.sleep_until(began + 44)
        acts = []
        for peer in (ben, cleo):
            decision = peer.update.decision
            assert decision is not None
            action = {"type": "lay", "bank": 3}
            acts.append(Act(id=peer.new_id(), table=peer.table, decision=decision.id, action=action))
        await ben.send(acts[0])
        await cleo.send(acts[1])
        assert await ben.answer(acts[0].id)
        assert trio.current_time() > began + 45
        assert await cleo.answer(acts[1].id)
        await settled()
        assert [event["auto"] for event in ben.told() if event["type"] == "laid"] == [False, False]


async def test_nothing_is_shown_that_is_not_in_the_journal(autojump_clock: Any) -> None:
    seen: list[int] = []

    class WatchedJournal(MemoryStore):
        async def append(self, match: str, entry: rules_journal.Entry) -> None:
            await settled()  # give anything that is told too early the time to arrive
            seen.append(max((peer.update.seq for peer in peers if peer.newest(GameUpdate)), default=-1))
            await super().append(match, entry)

    peers: list[Peer] = []
    async with running(journal=WatchedJournal()) as host:
        peers = await host.seated(3, options={"max_rounds": 2})
        await begin(peers)
        await play_all(peers)
    assert seen == list(range(-1, len(seen) - 1))


async def test_everyone_is_away_and_the_clock_plays_on(autojump_clock: Any) -> None:
    """The Gentleman and others drop in every phase; the rest finish, and the story says what was automatic."""
    journal = MemoryStore()
    async with running(Settings(grace_seconds=1e6), journal=journal) as host:
        peers = await host.playing(5, options={"max_rounds": 6, "time": "blitz"})
        stay = peers[0]
        drops = iter(peers[1:])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_play_slowly, stay)
            for phase in ("plays", "gentleman", "revision", "supply"):
                await stay.until(partial(_in_phase, stay, phase))
                await next(drops).drop()
        await stay.until(lambda: stay.over)
        told = stay.told()
        assert any(event.get("auto") for event in told if event["type"] == "declared")
        assert told[-1]["type"] == "game_over"
        _check_declarations(told)
        match = replay(await journal.read(stay.update.match))
        assert match.result() is not None


def _in_phase(peer: Peer, phase: str) -> bool:
    return bool(peer.update.public.view["phase"] == phase)


def _check_declarations(told: list[dict[str, Any]]) -> None:
    declared: dict[str, Any] = {}
    for event in told:
        if event["type"] == "declared":
            declared = event
        elif event["type"] == "revealed":
            assert (event["banks"][declared["seat"]] == declared["bank"]) == declared["robs"]


async def _play_slowly(peer: Peer) -> None:
    while not peer.over:
        decision = peer.update.decision
        if decision is not None:
            actions = [action for action in decision.legal if action["type"] != "take_back"]
            with suppress_codes(errors.STALE_DECISION, errors.TOO_LATE):
                await peer.act(actions[0], decision.id)
        await trio.sleep(1)


async def test_the_clock_is_not_the_wall_clock(autojump_clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's wall clock jumps an hour either way in mid-phase: phases keep their lengths."""
    async with running() as host:
        peers = await host.playing(3)
        _gentleman, others = await to_plays(peers)
        began = trio.current_time()
        real = time.time
        for jump in (3_600, -3_600, 0):
            monkeypatch.setattr(time, "time", lambda jump=jump: real() + jump)
            monkeypatch.setattr(time, "time_ns", lambda jump=jump: int((real() + jump) * 1e9))
            await trio.sleep(10)
            assert others[0].update.public.view["phase"] == "plays"
        await others[0].until(lambda: others[0].update.public.view["phase"] == "gentleman")
        assert trio.current_time() - began == pytest.approx(45, abs=0.01)


async def test_the_time_that_remains(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3)
        _gentleman, (ben, cleo) = await to_plays(peers)
        await trio.sleep(10)
        await ben.act({"type": "lay", "bank": 0})
        await settled()
        clock = cleo.update.clock
        assert clock is not None
        assert (clock.remaining_ms, clock.total_ms) == (35_000, 45_000)


async def test_when_the_reveal_opens(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3)
        gentleman, _others = await to_revision(peers)
        clock = gentleman.update.clock
        assert clock is not None
        assert (clock.remaining_ms, clock.opens_ms) == (30_000, 5_000)
        assert gentleman.update.decision is None or not legal(gentleman.update)
        began = trio.current_time()
        await gentleman.asked("reveal")
        assert trio.current_time() - began == pytest.approx(5, abs=0.01)
        assert gentleman.update.clock is not None
        assert gentleman.update.clock.opens_ms is None
        await gentleman.act({"type": "reveal"})
        await settled()
        assert any(event["type"] == "reveal_called" for event in gentleman.told())


async def test_a_player_who_drops_ten_times_gains_no_time_and_costs_nobody_any(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(4)
        _gentleman, others = await to_plays(peers)
        ben, idle = others[0], others[1]
        began = trio.current_time()
        for _ in range(10):
            await trio.sleep(2)
            await ben.drop()
            await trio.sleep(2)
            ben = await host.again(ben)
            update = await ben.expect(GameUpdate)
            assert update.decision is not None
            assert update.clock is not None
            assert update.clock.remaining_ms == pytest.approx(45_000 - (trio.current_time() - began) * 1000, abs=2)
        await idle.until(lambda: idle.update.public.view["phase"] == "gentleman")
        assert trio.current_time() - began == pytest.approx(45, abs=0.01)
        laid = [event for event in idle.told() if event["type"] == "laid"]
        assert [event["auto"] for event in laid] == [True] * 3


async def test_a_rematch(autojump_clock: Any) -> None:
    journal = MemoryStore()
    async with running(journal=journal) as host:
        ana, ben, cleo = peers = await host.playing(3, options={"max_rounds": 2})
        await play_all(peers)
        first = ana.update.match
        assert not any(seat.ready for seat in ana.state.table.seats)
        assert ana.state.table.result
        dora = await host.guest("Dora")
        await dora.do(TableJoin, table=ana.table)
        assert dora.newest(GameUpdate) is None
        await ben.do(TableReady, ready=True)
        await cleo.do(TableReady, ready=True)
        assert (await ana.refused(TableStart)).details["names"] == ["Dora"]
        await begin([ana, ben, cleo, dora])
        assert dora.update.match == ana.update.match != first
        assert ana.update.seq == 0
        assert ana.state.table.result == []
        await play_all([*peers, dora])
        assert len(ana.state.table.result) == 4
        assert await journal.matches() == ()
        assert len(await journal.read(first)) > 1


async def test_pongs_have_their_pings_number(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        await ana.send(Ping(n=77))
        assert (await ana.expect(Pong)).n == 77
        assert not ana.all(Error)
