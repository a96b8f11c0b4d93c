"""The fair deal on the server: who is asked what and when, starts that are broken off, what is revealed when."""

import base64
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from robby_protocol import fair
from robby_protocol.messages import (
    Act,
    ChatSend,
    DealCommitted,
    DealOpen,
    DealOpened,
    DealRevealed,
    Error,
    GameUpdate,
    Ok,
    RecordGet,
    TableAddBot,
    TableClosed,
    TableConfigure,
    TableHandOver,
    TableInfo,
    TableJoin,
    TableKick,
    TableLeave,
    TableReady,
    TableStart,
    TableState,
    TableWatch,
)
from robby_rules.journal import Start
from robby_rules.record import BROKEN_OFF, FINISHED
from robby_rules.record_check import examine
from robby_server.records import MemoryRecords
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from robby_server.table import Table
from tests.server.kit import Host, Peer, bot_of, play_all, running, settled
from tests.server.lives import Lives, person, seated

NONCES = tuple(bytes([65 + seat]) * 32 for seat in range(6))
"""Of the people at a table, by seat: A…, B…, easy to find anywhere."""


@asynccontextmanager
async def at_a_table(
    count: int = 3, settings: Settings | None = None, *, options: dict[str, Any] | None = None, **server: Any
) -> AsyncIterator[tuple[Host, list[Peer]]]:
    """People at a table of a server that deals fairly."""
    async with running(settings, fair=True, **server) as host:
        yield host, await host.seated(count, options=options or {})


def offered(peer: Peer) -> tuple[str | None, bytes]:
    """What the newest state offers for the next match."""
    return peer.state.next_match, peer.state.commitment


def info(peer: Peer) -> TableInfo:
    return peer.state.table


async def commit(peers: Sequence[Peer], *, seats: Sequence[int] = range(6)) -> str:
    """All get ready, those of `seats` with a commitment, and the host starts. The match's id."""

    def commitment(seat: int) -> bytes:
        return fair.seat_commitment(NONCES[seat]) if seat in seats else b""

    for seat, peer in enumerate(peers[1:], 1):
        await peer.call(TableReady, ready=True, commitment=commitment(seat))
    match: str = (await peers[0].do(TableStart, commitment=commitment(0)))["match"]
    return match


async def open_all(peers: Sequence[Peer], match: str, *, seats: Sequence[int]) -> None:
    for seat in seats:
        await peers[seat].do(DealOpen, match=match, nonce=NONCES[seat])


async def test_a_table_offers_a_commitment_for_its_next_match(autojump_clock: Any) -> None:
    async with at_a_table(2) as (_host, (ana, ben)):
        match, commitment = offered(ana)
        assert match == f"{ana.table}-1"
        assert len(commitment) == 32
        assert offered(ben) == (match, commitment)
        await ben.do(TableReady, ready=True)
        assert offered(ana) == (match, commitment)


async def test_a_server_that_was_given_its_seeds_offers_none(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.seated(3)
        assert offered(peers[0]) == (None, b"")
        match = await commit(peers)
        await peers[0].expect(GameUpdate, lambda update: update.match == match)
        assert not peers[0].all(DealCommitted)
        assert (await peers[1].refused(DealOpen, match=match, nonce=NONCES[1])).code == "no_deal"


async def test_all_commit_all_open_and_the_seed_follows(autojump_clock: Any) -> None:
    store = MemoryStore()
    async with at_a_table(options={"max_rounds": 2}, journal=store) as (_host, peers):
        _next, commitment = offered(peers[1])
        match = await commit(peers, seats=(0, 2))
        expected = [fair.seat_commitment(NONCES[0]), b"", fair.seat_commitment(NONCES[2])]
        for peer in peers:
            asked = peer.last(DealCommitted)
            assert (asked.table, asked.match, asked.server, asked.seats) == (peer.table, match, commitment, expected)
            assert asked.remaining_ms == 10_000
            assert not peer.all(GameUpdate)
            assert offered(peer) != (match, commitment) or peer.state.table.phase == "waiting"
        await open_all(peers, match, seats=(2,))
        assert not peers[0].all(DealOpened)
        await open_all(peers, match, seats=(0,))
        for peer in peers:
            assert peer.last(DealOpened).nonces == [NONCES[0], b"", NONCES[2]]
            kinds = [type(message) for message in peer.got if isinstance(message, DealOpened | GameUpdate)]
            assert kinds[:2] == [DealOpened, GameUpdate]
            assert info(peer).phase == "playing"
            assert offered(peer) == (None, b"")
        await play_all(peers)
        (start, *_) = await store.read(match)
        assert isinstance(start, Start)
        assert start.deal is not None
        for peer in peers:
            secret = peer.last(DealRevealed).secret
            assert fair.server_commitment(match, secret) == commitment
            assert start.seed == fair.seed(match, secret, peer.last(DealOpened).nonces)
            assert start.deal.secret == secret
            finished = next(
                number
                for number, message in enumerate(peer.got)
                if isinstance(message, TableState) and message.table.phase == "finished"
            )
            assert not [message for message in peer.got[:finished] if isinstance(message, DealRevealed)]


async def test_where_nobody_commits_the_match_begins_at_once(autojump_clock: Any) -> None:
    store = MemoryStore()
    async with at_a_table(options={"max_rounds": 1}, journal=store) as (_host, peers):
        _next, commitment = offered(peers[0])
        match = await commit(peers, seats=())
        assert peers[2].last(GameUpdate).match == match
        assert not peers[2].all(DealCommitted)
        await play_all(peers)
        secret = peers[2].last(DealRevealed).secret
        assert fair.server_commitment(match, secret) == commitment
        (start, *_) = await store.read(match)
        assert isinstance(start, Start)
        assert start.seed == fair.seed(match, secret, [b"", b"", b""])


async def test_the_answer_to_the_last_nonce_comes_before_what_it_leads_to(autojump_clock: Any) -> None:
    async with at_a_table() as (_host, peers):
        match = await commit(peers, seats=(1,))
        before = len(peers[1].got)
        await peers[1].do(DealOpen, match=match, nonce=NONCES[1])
        kinds = [type(message) for message in peers[1].got[before:]]
        assert kinds[:4] == [Ok, DealOpened, TableState, GameUpdate]


async def test_what_is_not_asked_is_not_opened(autojump_clock: Any) -> None:
    async with at_a_table() as (host, peers):
        _ana, ben, cleo = peers
        assert (await ben.refused(DealOpen, match=f"{ben.table}-1", nonce=NONCES[1])).code == "no_deal"
        match = await commit(peers, seats=(0, 1))
        assert (await ben.refused(DealOpen, match="other-1", nonce=NONCES[1])).code == "no_deal"
        assert (await ben.refused(DealOpen, match=match, nonce=NONCES[0])).code == "bad_nonce"
        assert (await ben.refused(DealOpen, match=match, nonce=bytes(32))).code == "bad_nonce"
        assert (await cleo.refused(DealOpen, match=match, nonce=NONCES[2])).code == "no_deal"
        stranger = await host.guest("Xenia")
        assert (await stranger.refused(DealOpen, match=match, nonce=NONCES[1])).code == "not_seated"
        assert await ben.call(DealOpen, match=match, nonce=NONCES[1]) == {}
        assert await ben.call(DealOpen, match=match, nonce=NONCES[1]) == {}
        assert (await ben.refused(DealOpen, match=match, nonce=NONCES[0])).code == "bad_nonce"
        assert not ben.all(DealOpened)
        await open_all(peers, match, seats=(0,))
        assert info(ben).phase == "playing"
        assert (await ben.refused(DealOpen, match=match, nonce=NONCES[1])).code == "no_deal"


def assert_aborted(peers: Sequence[Peer], match: str, names: set[str], commitment: bytes) -> None:
    """Everybody has been told that this start was broken off because of these people."""
    for peer in peers:
        blamed = {news.name for state in peer.all(TableState) for news in state.news if news.code == "start_aborted"}
        assert blamed == names
        assert info(peer).phase == "waiting"
        assert info(peer).aborted == 1
        assert not any(seat.ready for seat in info(peer).seats)
        revealed = peer.last(DealRevealed)
        assert revealed.match == match
        assert fair.server_commitment(match, revealed.secret) == commitment
        later, other = offered(peer)
        assert later == f"{peer.table}-2"
        assert other not in (commitment, b"")
        assert not peer.all(DealOpened)
        assert not peer.all(GameUpdate)


async def test_a_seat_that_does_not_open_in_time_breaks_the_start_off(autojump_clock: Any) -> None:
    async with at_a_table() as (_host, peers):
        _next, commitment = offered(peers[0])
        match = await commit(peers)
        await open_all(peers, match, seats=(0, 2))
        began = trio.current_time()
        state = await peers[0].expect(TableState, lambda state: state.table.aborted == 1)
        assert trio.current_time() - began == pytest.approx(10, abs=0.01)
        assert [news.seat for news in state.news] == [1]
        await settled()
        assert_aborted(peers, match, {"Ben"}, commitment)
        assert (await peers[1].refused(DealOpen, match=match, nonce=NONCES[1])).code == "no_deal"


async def test_several_that_do_not_open_are_all_named(autojump_clock: Any) -> None:
    async with at_a_table() as (_host, peers):
        _next, commitment = offered(peers[0])
        match = await commit(peers)
        await trio.sleep(11)
        assert_aborted(peers, match, {"Ana", "Ben", "Cleo"}, commitment)


async def test_a_nonce_at_the_last_moment_counts(autojump_clock: Any) -> None:
    async with at_a_table() as (_host, peers):
        match = await commit(peers, seats=(1,))
        await trio.sleep(9.99)
        await open_all(peers, match, seats=(1,))
        assert info(peers[1]).phase == "playing"
        assert info(peers[1]).aborted == 0


async def test_who_loses_the_connection_before_opening_breaks_the_start_off(autojump_clock: Any) -> None:
    async with at_a_table() as (_host, peers):
        ana, ben, cleo = peers
        _next, commitment = offered(ana)
        match = await commit(peers)
        await ben.drop()
        await settled()
        assert_aborted([ana, cleo], match, {"Ben"}, commitment)
        assert info(ana).seats[1].state == "away"


@pytest.mark.parametrize("on_purpose", [True, False])
async def test_who_leaves_breaks_the_start_off_even_after_opening(on_purpose: bool, autojump_clock: Any) -> None:
    async with at_a_table() as (_host, peers):
        ana, ben, cleo = peers
        _next, commitment = offered(ana)
        match = await commit(peers)
        await open_all(peers, match, seats=(1,))
        if on_purpose:
            await ben.bye()
        else:
            answered = len(ben.got)
            await ben.do(TableLeave)
            assert [type(message) for message in ben.got[answered:]] == [Ok]
        await settled()
        assert_aborted([ana, cleo], match, {"Ben"}, commitment)
        assert [seat.name for seat in info(ana).seats] == ["Ana", "Cleo"]


async def test_who_loses_the_connection_after_opening_plays_as_absent(autojump_clock: Any) -> None:
    async with at_a_table() as (host, peers):
        ana, ben, _cleo = peers
        match = await commit(peers)
        await open_all(peers, match, seats=(1,))
        await ben.drop()
        await settled()
        await open_all(peers, match, seats=(0, 2))
        assert info(ana).phase == "playing"
        assert info(ana).seats[1].state == "away"
        again = await host.again(ben)
        assert (await again.expect(GameUpdate)).match == match
        assert info(again).seats[1].state == "here"


async def test_a_new_connection_is_asked_again(autojump_clock: Any) -> None:
    """The older connection is replaced, not lost: the seat may still open."""
    async with at_a_table() as (host, peers):
        match = await commit(peers, seats=(0, 1))
        await trio.sleep(4)
        again = await host.again(peers[1])
        asked = await again.expect(DealCommitted)
        assert asked.match == match
        assert asked.remaining_ms == pytest.approx(6_000, abs=20)
        await again.do(DealOpen, match=match, nonce=NONCES[1])
        await open_all(peers, match, seats=(0,))
        assert info(again).phase == "playing"


async def test_the_table_changes_no_more_while_commitments_are_opened(autojump_clock: Any) -> None:
    async with at_a_table(spawn_bot=bot_of()) as (host, peers):
        ana, ben, _cleo = peers
        match = await commit(peers)
        late = await host.guest("Dora")
        refusals = [
            await late.refused(TableJoin, table=ana.table),
            await ben.refused(TableReady, ready=False),
            await ana.refused(TableStart),
            await ana.refused(TableConfigure, title="x"),
            await ana.refused(TableAddBot, bot="greedy"),
            await ana.refused(TableKick, seat=1, name="Ben"),
        ]
        assert [error.code for error in refusals] == ["table_playing"] * 6
        assert (await ben.refused(Act, table=ben.table, decision=1, action={"type": "confirm"})).code == "not_playing"
        await ana.do(TableHandOver, seat=1, name="Ben")
        await ana.do(ChatSend, table=ana.table, text="wait")
        await open_all(peers, match, seats=(0, 1, 2))
        assert info(ben).phase == "playing"
        assert info(ben).host == 1


async def test_after_a_start_that_was_broken_off_the_next_one_works(autojump_clock: Any) -> None:
    async with at_a_table(options={"max_rounds": 1}) as (_host, peers):
        await commit(peers)
        await trio.sleep(11)
        _next, commitment = offered(peers[0])
        match = await commit(peers, seats=(0, 1, 2))
        assert match == f"{peers[0].table}-2"
        assert peers[0].last(DealCommitted).server == commitment
        await open_all(peers, match, seats=(0, 1, 2))
        await play_all(peers)
        assert info(peers[0]).aborted == 1
        record = examine((await peers[0].call(RecordGet, match=match))["record"])
        assert record.holds
        assert record.record.aborted == 1


async def test_a_rematch_commits_anew(autojump_clock: Any) -> None:
    async with at_a_table(options={"max_rounds": 1}) as (_host, peers):
        seen = set()
        for number in (1, 2, 3):
            match, commitment = offered(peers[1])
            assert match == f"{peers[1].table}-{number}"
            seen.add(commitment)
            assert await commit(peers, seats=(1,)) == match
            await open_all(peers, match, seats=(1,))
            await play_all(peers)
            assert fair.server_commitment(match, peers[1].last(DealRevealed).secret) == commitment
        assert len(seen) == 3


async def test_ready_taken_back_takes_the_commitment_back(autojump_clock: Any) -> None:
    async with at_a_table() as (_host, peers):
        ana, ben, cleo = peers
        await ben.do(TableReady, ready=True, commitment=fair.seat_commitment(NONCES[1]))
        await ben.do(TableReady, ready=False)
        await ben.do(TableReady, ready=True)
        await cleo.do(TableReady, ready=True, commitment=fair.seat_commitment(NONCES[0]))
        await cleo.do(TableReady, ready=True, commitment=fair.seat_commitment(NONCES[2]))
        await ana.do(TableStart)
        assert ana.last(DealCommitted).seats == [b"", b"", fair.seat_commitment(NONCES[2])]


async def test_the_servers_own_bots_contribute_nothing(autojump_clock: Any) -> None:
    async with at_a_table(1, spawn_bot=bot_of()) as (_host, (ana,)):
        for _ in range(2):
            await ana.do(TableAddBot, bot="greedy")
        match = (await ana.do(TableStart, commitment=fair.seat_commitment(NONCES[0])))["match"]
        assert ana.last(DealCommitted).seats == [fair.seat_commitment(NONCES[0]), b"", b""]
        await ana.do(DealOpen, match=match, nonce=NONCES[0])
        assert ana.last(DealOpened).nonces == [NONCES[0], b"", b""]
        assert info(ana).phase == "playing"


async def test_a_match_that_is_broken_off_is_revealed_and_recorded(autojump_clock: Any) -> None:
    """Nobody has been here for a while; somebody still watches."""
    records = MemoryRecords()
    async with at_a_table(settings=Settings(empty_playing_seconds=60), records=records) as (host, peers):
        watcher = await host.guest("Xenia")
        await watcher.do(TableWatch, table=peers[0].table)
        _next, commitment = offered(watcher)
        match = await commit(peers, seats=(0,))
        await open_all(peers, match, seats=(0,))
        assert watcher.last(DealCommitted).server == commitment
        for peer in peers:
            await peer.drop()
        assert (await watcher.refused(RecordGet, match=match)).code == "no_such_record"
        await trio.sleep(61)
        revealed = watcher.last(DealRevealed)
        assert fair.server_commitment(match, revealed.secret) == commitment
        assert watcher.got.index(revealed) < watcher.got.index(watcher.last(TableClosed))
        found = examine(records.kept[match])
        assert found.holds
        assert found.record.ending == BROKEN_OFF
        assert found.record.results == ()
        assert found.record.deal is not None
        again = await host.again(peers[0])
        assert (await again.call(RecordGet, match=match))["record"] == records.kept[match]


async def test_a_crash_while_commitments_are_opened_is_a_start_broken_off(autojump_clock: Any) -> None:
    lives = Lives(fair=True)
    async with lives.life() as host:
        peers = await seated(host, "Ana", "Ben", "Cleo")
        _next, commitment = offered(peers[0])
        match = await commit(peers)
        await open_all(peers, match, seats=(0, 1))
        assert (await lives.table()).opening
    async with lives.life() as host:
        ana, ben, cleo = peers = [await person(host, name) for name in ("Ana", "Ben", "Cleo")]
        state = await cleo.expect(TableState)
        assert state.table.phase == "waiting"
        assert state.table.aborted == 1
        assert not any(seat.ready for seat in state.table.seats)
        later, other = state.next_match, state.commitment
        assert later not in (None, match)
        assert other != commitment
        assert (await ben.refused(DealOpen, match=match, nonce=NONCES[1])).code == "no_deal"
        await settled()
        second = await commit(peers)
        assert second == later
        await open_all(peers, second, seats=(0, 1, 2))
        assert info(ana).phase == "playing"
        assert not (await lives.table()).opening
        assert info(ana).aborted == 1


async def test_a_restart_never_shows_another_commitment_for_the_same_match(autojump_clock: Any) -> None:
    lives = Lives(fair=True)
    seen: dict[str | None, bytes] = {}
    async with lives.life() as host:
        peers = await seated(host, "Ana", "Ben", "Cleo")
        seen[peers[0].state.next_match] = peers[0].state.commitment
    for _ in range(3):
        async with lives.life() as host:
            ana = await person(host, "Ana")
            state = await ana.expect(TableState)
            assert state.next_match not in seen
            seen[state.next_match] = state.commitment
    assert len(set(seen.values())) == 4


async def test_a_match_that_went_on_after_a_crash_is_revealed_and_its_record_holds(autojump_clock: Any) -> None:
    lives = Lives(fair=True)
    async with lives.life() as host:
        peers = await seated(host, "Ana", "Ben", "Cleo", options={"max_rounds": 2})
        _next, commitment = offered(peers[0])
        match = await commit(peers, seats=(1, 2))
        await open_all(peers, match, seats=(1, 2))
    async with lives.life() as host:
        peers = [await person(host, name) for name in ("Ana", "Ben", "Cleo")]
        await play_all(peers)
        assert fair.server_commitment(match, peers[0].last(DealRevealed).secret) == commitment
        found = examine((await peers[0].call(RecordGet, match=match))["record"])
        assert found.holds
        assert found.record.ending == FINISHED
        assert found.record.deal is not None
        assert found.record.deal.nonces == (b"", NONCES[1], NONCES[2])
        assert found.record.began > 0


def spellings(secret: bytes) -> list[bytes]:
    """How a secret might stand somewhere."""
    return [
        secret,
        secret.hex().encode(),
        secret.hex().upper().encode(),
        base64.b64encode(secret)[:40],
        repr(secret)[2:-1].encode(),
        repr(list(secret))[1:-1].encode(),
    ]


async def test_no_secret_anywhere_before_its_time(autojump_clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that anybody receives, all that is logged, and all that can be printed, up to the end of the match."""
    made: list[bytes] = []

    def secret() -> bytes:
        made.append(random.Random(len(made)).randbytes(32))
        return made[-1]

    monkeypatch.setattr("robby_server.dealing.new_secret", secret)
    store = MemoryStore()
    with capture_logs() as logs:
        async with at_a_table(options={"max_rounds": 3}, journal=store) as (host, peers):
            ana, ben, _cleo = peers
            watcher = await host.guest("Xenia")
            await commit(peers)
            await open_all(peers, f"{ana.table}-1", seats=(0, 1))
            table = host.server.directory.find(ana.table)
            assert isinstance(table, Table)
            printed = [repr(table), repr(vars(table)), repr(table.dealing), repr(table.dealing.opening)]
            for hidden in (*spellings(made[0]), *NONCES[:3]):
                assert hidden not in repr(printed).encode() + repr(logs).encode()
            for peer in (*peers, watcher):
                for hidden in spellings(made[-1]):
                    assert hidden not in peer.bytes_received
                for seat in (0, 1, 2):
                    assert (NONCES[seat] in peer.bytes_received) is False
            await trio.sleep(11)  # Cleo does not open
            assert made[0] in ben.bytes_received
            match = await commit(peers)
            await open_all(peers, match, seats=(0, 1, 2))
            (start, *_) = await store.read(match)
            assert isinstance(start, Start)
            printed += [repr(start), repr(start.deal), repr(vars(table)), repr(vars(table.play))]
            for peer in (*peers, watcher):
                for hidden in (*spellings(made[1]), *spellings(made[2]), *spellings(start.seed)):
                    assert hidden not in peer.bytes_received
            assert NONCES[2] in ana.bytes_received
            assert NONCES[2] not in watcher.bytes_received
            assert (await ana.refused(RecordGet, match=match)).code == "no_such_record"
            before_the_end = repr(logs).encode() + repr(printed).encode()
            await play_all(peers)
            for peer in (*peers, watcher):
                assert start.seed not in peer.bytes_received
                assert made[2] not in peer.bytes_received
            assert made[1] in ana.bytes_received
            assert made[1] not in watcher.bytes_received
    logged = repr(logs).encode() + before_the_end
    for hidden in (*spellings(made[1]), *spellings(made[2]), *spellings(start.seed), *NONCES[:3]):
        assert hidden not in logged


async def test_records_are_for_those_who_were_there(autojump_clock: Any) -> None:
    async with at_a_table(options={"max_rounds": 1}) as (host, peers):
        ana, ben, _cleo = peers
        stranger = await host.guest("Xenia")
        match = await commit(peers, seats=(1,))
        await open_all(peers, match, seats=(1,))
        assert (await ben.refused(RecordGet, match=match)).code == "no_such_record"
        await play_all(peers)
        data = (await ben.call(RecordGet, match=match))["record"]
        assert examine(data).holds
        await ben.do(TableLeave)
        assert (await ben.call(RecordGet, match=match))["record"] == data
        for other in ("", "x", f"{ana.table}-9", "../../etc/passwd", match.lower() + "x"):
            assert (await ben.refused(RecordGet, match=other)).code == "no_such_record"
        error: Error = await stranger.refused(RecordGet, match=match)
        assert error.code == "no_such_record"
