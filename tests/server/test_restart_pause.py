"""After a restart a match stands still until those who were here are back; nobody gains or loses time by it."""

from dataclasses import replace
from typing import Any

import trio

from robby_protocol import errors
from robby_protocol.messages import Act, TableLeave
from robby_rules.journal import Presence
from tests.server.kit import Peer, settled
from tests.server.lives import USUAL, Lives, back, picture, playing, remaining, to_plays

NAMES = ("Ana", "Ben", "Cleo")
PLAY = 45_000
"""Milliseconds of a secret play by default."""


def laid(peer: Peer) -> dict[str, Any]:
    """The first legal action."""
    assert peer.update.decision is not None
    return peer.update.decision.legal[0]


async def killed_in_a_play(lives: Lives, **create: Any) -> None:
    """A match of three, killed 10 s after the beginning of its first secret play."""
    async with lives.life() as host:
        peers = await playing(host, *NAMES, **create)
        await to_plays(peers)
        await trio.sleep(10 + 1e-6)
        await settled()


async def test_the_match_stands_still_until_all_are_back(autojump_clock: Any) -> None:
    lives = Lives()
    await killed_in_a_play(lives)
    async with lives.life() as host:
        peers = await back(host, "Ana", "Ben")
        await trio.sleep(20)
        for peer in peers:
            assert peer.update.clock is not None
            assert peer.update.clock.paused
            assert peer.update.clock.remaining_ms == PLAY - 10_000
            assert [seat.state for seat in peer.state.table.seats] == ["here", "here", "away"]
        (cleo,) = await back(host, "Cleo")
        await settled()
        for peer in (*peers, cleo):
            assert peer.update.clock is not None
            assert not peer.update.clock.paused
            assert peer.update.clock.remaining_ms == PLAY - 10_000
        since = trio.current_time()
        await cleo.until(lambda: cleo.update.public.view["phase"] != "plays")
        assert round((trio.current_time() - since) * 1000) == PLAY - 10_000


async def test_it_goes_on_where_time_passes_between_two_looks_at_the_clock(autojump_clock: Any) -> None:
    """A clock that stands still while the table works would hide a moment that is always just ahead."""
    lives = Lives()
    await killed_in_a_play(lives)
    autojump_clock.rate = 1.0
    async with lives.life() as host:
        ana, *_others = await back(host, *NAMES)

        def goes_on() -> bool:
            return ana.update.clock is not None and not ana.update.clock.paused

        with trio.fail_after(5):
            await ana.until(goes_on)


async def test_it_goes_on_without_those_who_do_not_come(autojump_clock: Any) -> None:
    lives = Lives(bots=False)
    await killed_in_a_play(lives)
    async with lives.life() as host:
        began = trio.current_time()
        (ana,) = await back(host, "Ana")
        await ana.until(lambda: ana.update.clock is not None and not ana.update.clock.paused)
        assert trio.current_time() - began == USUAL.resume_seconds
        assert remaining(ana) == PLAY - 10_000
        assert [seat.state for seat in ana.state.table.seats] == ["here", "away", "away"]
        assert ana.codes.count("away") == 2
        # Whoever comes later is back like anybody who lost the connection.
        (ben,) = await back(host, "Ben")
        await settled()
        assert ana.codes.count("back") == 1
        assert "server_back" not in ben.codes


async def test_stand_ins_come_a_minute_after_it_goes_on(autojump_clock: Any) -> None:
    lives = Lives(replace(USUAL, grace_seconds=60.0))
    await killed_in_a_play(lives, options={"play_ms": 600_000})
    async with lives.life() as host:
        began = trio.current_time()
        (ana,) = await back(host, "Ana")
        await ana.until(lambda: ana.codes.count("stand_in") == 2)
        assert trio.current_time() - began == USUAL.resume_seconds + 60
        assert [seat.state for seat in ana.state.table.seats] == ["here", "stand_in", "stand_in"]


async def test_an_absent_host_is_followed_only_after_it_went_on(autojump_clock: Any) -> None:
    lives = Lives()
    await killed_in_a_play(lives, options={"play_ms": 600_000})
    async with lives.life() as host:
        began = trio.current_time()
        (ben,) = await back(host, "Ben")
        assert ben.state.table.host == 0
        await ben.until(lambda: ben.state.table.host == 1)
        assert trio.current_time() - began == USUAL.resume_seconds + USUAL.host_away_seconds


async def test_a_match_to_which_nobody_comes_back_is_broken_off(autojump_clock: Any) -> None:
    lives = Lives(bots=False)
    await killed_in_a_play(lives, options={"play_ms": 3_600_000, "time": "untimed"})
    async with lives.life() as host:
        ends = USUAL.resume_seconds + USUAL.empty_playing_seconds
        await trio.sleep(ends - 1)
        assert len(host.server.directory) == 1
        await trio.sleep(2)
        assert len(host.server.directory) == 0
        assert await lives.tables() == []


async def test_answers_are_taken_while_it_stands_still(autojump_clock: Any) -> None:
    lives = Lives()
    await killed_in_a_play(lives)
    async with lives.life() as host:
        ana, ben = await back(host, "Ana", "Ben")
        await trio.sleep(5)
        await ana.act(laid(ana))
        await settled()
        assert ana.update.clock is not None
        assert ana.update.clock.paused
        assert ben.update.seq == ana.update.seq
        match = (await lives.store.matches())[0]
        assert [entry.at for entry in (await lives.store.read(match))[-1:]] == [10_000]  # type: ignore[union-attr]


async def test_a_second_crash_while_it_stands_still_changes_nothing(autojump_clock: Any) -> None:
    lives = Lives()
    await killed_in_a_play(lives)
    for pause in (0, 7, 31.5):
        async with lives.life() as host:
            (ana,) = await back(host, "Ana")
            await trio.sleep(pause)
            assert ana.update.clock is not None
            assert ana.update.clock.paused
            assert ana.update.clock.remaining_ms == PLAY - 10_000
            kept = await lives.table()
            assert [seat.state for seat in kept.seats] == ["here"] * 3
            assert kept.paused_ms == 10_000
    async with lives.life() as host:
        peers = await back(host, *NAMES)
        await settled()
        assert [remaining(peer) for peer in peers] == [PLAY - 10_000] * 3
        assert all(peer.codes.count("server_back") == 1 for peer in peers)


async def test_a_crash_right_after_it_went_on(autojump_clock: Any) -> None:
    lives = Lives()
    await killed_in_a_play(lives)
    async with lives.life() as host:
        await trio.sleep(3.25)
        await back(host, *NAMES)
        await trio.sleep(2 - 0.25 + 1e-6)
        await settled()
    async with lives.life() as host:
        peers = await back(host, *NAMES)
        await settled()
        # 1.75 s were played, and the clock was recorded at the end of them.
        assert [remaining(peer) for peer in peers] == [PLAY - 11_750] * 3


async def test_an_answer_counts_for_the_time_where_the_clock_was_not_recorded(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        peers = await playing(host, *NAMES)
        await to_plays(peers)
        await trio.sleep(2.75)
        answering = next(peer for peer in peers if peer.update.decision is not None)
        await answering.act(laid(answering))
        await trio.sleep(0.125)
    async with lives.life() as host:
        peers = await back(host, *NAMES)
        assert [remaining(peer) for peer in peers] == [PLAY - 2_750] * 3


async def test_a_deadline_that_had_passed_is_carried_out_at_once(autojump_clock: Any) -> None:
    lives = Lives()
    await killed_in_a_play(lives)
    await lives.store.tick(60_000)  # as if the machine had died while the server hung
    async with lives.life() as host:
        (ana,) = await back(host, "Ana")
        await settled()
        assert ana.update.public.view["phase"] != "plays"


async def test_a_match_of_bots_alone_does_not_wait(autojump_clock: Any) -> None:
    """The only person was away when the server went: there is nobody to wait for."""
    lives = Lives(replace(USUAL, resume_seconds=1e6, grace_seconds=1e6))
    async with lives.life() as host:
        (ana,) = await playing(host, "Ana", bots=["greedy", "random"], options={"play_ms": 600_000})
        await ana.drop()
        await trio.sleep(2)
        assert [seat.state for seat in (await lives.table()).seats] == ["away", "here", "here"]
    async with lives.life() as host:
        await trio.sleep(1)
        (ana,) = await back(host, "Ana")
        await settled()
        assert ana.update.clock is not None
        assert not ana.update.clock.paused


async def test_bots_of_a_table_are_sent_again(autojump_clock: Any) -> None:
    lives = Lives(replace(USUAL, grace_seconds=5.0))
    async with lives.life() as host:
        ana, ben = await playing(host, "Ana", "Ben", bots=["greedy"], options={"supply_ms": 1_000})
        await ben.drop()
        await trio.sleep(6)
        assert ana.state.table.seats[2].state == "stand_in"
        before = [(seat.name, seat.kind, seat.bot, seat.state) for seat in ana.state.table.seats]
    async with lives.life() as host:
        (ana,) = await back(host, "Ana")
        await settled()
        seats = [(seat.name, seat.kind, seat.bot, seat.state) for seat in ana.state.table.seats]
        assert seats == before
        assert sorted(session.who.kind for session in host.server.sessions if session.who) == ["bot", "bot", "person"]
        (ben,) = await back(host, "Ben")
        await settled()
        assert ana.state.table.seats[2].state == "here"


async def test_a_server_without_bots_takes_over(autojump_clock: Any) -> None:
    """The bots' seats count as absent: on an untimed table the clock decides for them."""
    lives = Lives()
    async with lives.life() as host:
        await playing(host, "Ana", bots=["greedy", "greedy"], options={"time": "untimed", "max_rounds": 1})
    lives.bots = False
    async with lives.life() as host:
        (ana,) = await back(host, "Ana")
        await settled()
        assert [seat.state for seat in ana.state.table.seats] == ["here", "away", "away"]
        match = (await lives.store.matches())[0]
        entries = await lives.store.read(match)
        assert [entry.seat for entry in entries if isinstance(entry, Presence) and entry.absent] == [1, 2]


async def test_leaving_while_it_stands_still(autojump_clock: Any) -> None:
    lives = Lives()
    await killed_in_a_play(lives)
    async with lives.life() as host:
        ana, ben = await back(host, "Ana", "Ben")
        await ben.do(TableLeave)
        assert ana.state.table.seats[1].state == "left"
        await back(host, "Cleo")
        await settled()
        assert ana.update.clock is not None
        assert not ana.update.clock.paused
        assert remaining(ana) == PLAY - 10_000


async def test_going_again_while_it_stands_still_is_not_waited_for(autojump_clock: Any) -> None:
    lives = Lives()
    await killed_in_a_play(lives)
    async with lives.life() as host:
        ana, ben = await back(host, "Ana", "Ben")
        await ben.drop()
        await settled()
        assert ana.codes.count("away") == 1
        await back(host, "Cleo")
        await settled()
        assert ana.update.clock is not None
        assert not ana.update.clock.paused


async def test_the_last_answer_again_after_a_restart_is_answered_as_before(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        peers = await playing(host, *NAMES)
        await to_plays(peers)
        ana = peers[0]
        before = ana.update.decision
        assert before is not None
        decision, action = before.id, before.legal[0]
        answer = await ana.act(action, decision)
        await settled()
        told = picture(ana)
    async with lives.life() as host:
        ana, ben, _cleo = await back(host, *NAMES)
        assert picture(ana) == told
        assert await ana.call(Act, table=ana.table, decision=decision, action=action) == answer
        await settled()
        assert ben.update.seq == told[1]
        other = next(legal for legal in before.legal if legal != action)
        refused = await ana.refused(Act, table=ana.table, decision=decision, action=other)
        assert refused.code == errors.STALE_DECISION
