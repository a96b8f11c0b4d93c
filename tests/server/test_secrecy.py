"""Nothing that a seat receives tells what it may not know, and no two deals are alike or can be foretold."""

import secrets
from typing import Any

import trio
from structlog.testing import capture_logs

from robby_protocol import codec
from robby_protocol.messages import GameUpdate, TableCreate, TableJoin, TableLeave, TableReady, TableStart
from robby_rules.journal import Act, Start, replay
from robby_server.app import Server
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.server.kit import SERVER_KEY, Host, Peer, play_all, running, settled
from tests.server.test_match import to_plays, to_revision


async def test_no_seed_and_no_token_in_any_frame(autojump_clock: Any) -> None:
    seeds: list[bytes] = []

    def seed() -> bytes:
        seeds.append(secrets.token_bytes(32))
        return seeds[-1]

    journal = MemoryStore()
    async with running(journal=journal, match_seed=seed) as host:
        peers = await host.playing(4, options={"junior": True})
        await play_all(peers)
        again = await host.again(peers[1])
        await settled()
        (start, *_) = await journal.read(peers[0].update.match)
        assert isinstance(start, Start)
        assert start.seed == seeds[0]
        everyone = [*peers, again]
        tokens = {peer.welcome.resume for peer in peers if peer.welcome is not None}
        assert len(tokens) == 4
        for peer in everyone:
            assert peer.welcome is not None
            for secret in (*seeds, *(seed.hex().encode() for seed in seeds)):
                assert secret not in peer.bytes_received
            assert not any(token in peer.bytes_received for token in tokens - {peer.welcome.resume})


async def test_a_card_is_seen_by_its_owner_alone_until_the_reveal(autojump_clock: Any) -> None:
    """Two games that differ only in what one seat lays: all others receive byte-equal frames up to the reveal."""

    async def received(banks: tuple[int, int]) -> tuple[list[bytes], bytes]:
        async with running(match_seed=lambda: b"s" * 32) as host:
            peers = await host.playing(3)
            gentleman, (ben, cleo) = await to_plays(peers)
            await ben.act({"type": "lay", "bank": banks[0]})
            await cleo.act({"type": "lay", "bank": 2})
            await settled()
            await gentleman.act({"type": "lay", "bank": 0})
            await settled()
            await gentleman.act({"type": "declare", "robs": True, "bank": 0})
            await settled()
            await ben.act({"type": "take_back"})
            await settled()
            await ben.act({"type": "lay", "bank": banks[1]})
            await settled()
            dropped = await host.again(cleo)
            await settled()
            return [_updates(peer) for peer in (gentleman, cleo, dropped)], _updates(ben)

    first, own_first = await received((1, 1))
    second, own_second = await received((3, 0))
    assert first == second
    assert own_first != own_second


def _updates(peer: Peer) -> bytes:
    """All game updates as bytes, but for ids that are random: table and match."""
    table, match = peer.table.encode(), peer.update.match.encode()
    frames = [codec.pack(update).replace(match, b"M").replace(table, b"T") for update in peer.all(GameUpdate)]
    return b"".join(frames)


async def test_what_each_seat_is_sent_while_cards_lie(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(4)
        _gentleman, others = await to_revision(peers)
        for peer in peers:
            view = peer.update.public.view
            assert all(each["revealed"] is None for each in view["participants"])
            assert peer.update.own is not None
            assert peer.update.own["seat"] == peer.seat
            for update in peer.all(GameUpdate):
                assert all(event["type"] == "you_laid" for event in update.own_events)
                assert all(event["type"] != "you_laid" for event in update.public.events)
            mine = [event for update in peer.all(GameUpdate) for event in update.own_events]
            assert [event["bank"] for event in mine] == [1 if peer in others else 0]


async def test_nobody_sees_a_table_at_which_they_do_not_sit(autojump_clock: Any) -> None:
    async with running() as host:
        stranger = await host.guest("Xenia")
        peers = await host.playing(3, options={"max_rounds": 2})
        await play_all(peers)
        assert not stranger.all(GameUpdate)
        assert peers[0].update.match.encode() not in stranger.bytes_received


async def test_many_tables_in_a_second_repeat_no_deal(autojump_clock: Any) -> None:
    """The clock stands still meanwhile, and no test's seeds are given: they come from the operating system."""
    count = 120
    journal = MemoryStore()
    server = Server(Settings(message_burst=10**6), journal, key=SERVER_KEY)
    deals: set[str] = set()
    async with trio.open_nursery() as nursery:
        await nursery.start(server.serve)
        host = Host(server, nursery)
        began = trio.current_time()
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        for _ in range(count):
            table = (await ana.call(TableCreate, game="robby-solo", options={"junior": True}))["table"]
            await ben.call(TableJoin, table=table)
            await ben.call(TableReady, ready=True)
            match = (await ana.call(TableStart))["match"]
            deals.add(repr(replay(await journal.read(match)).state))
            for peer in (ana, ben):
                await peer.call(TableLeave)
                peer.got.clear()
        assert trio.current_time() - began < 1
        assert len(server.directory) == count
        nursery.cancel_scope.cancel()
    assert len(deals) == count


async def test_the_log_tells_no_secret(autojump_clock: Any) -> None:
    journal = MemoryStore()
    with capture_logs() as logs:
        async with running(journal=journal, match_seed=lambda: b"\x01secret-seed-of-the-match-------"[:32]) as host:
            ana, ben, cleo = peers = await host.playing(3, options={"max_rounds": 3})
            await play_all(peers)
            entries = await journal.read(ana.update.match)
            assert ben.welcome is not None
            token = ben.welcome.resume
            assert not cleo.closed
    text = repr(logs)
    assert "secret-seed" not in text
    assert repr(token)[2:-1] not in text
    assert token.hex() not in text
    assert any(isinstance(entry, Act) for entry in entries)
    assert "bank" not in text


async def test_ready_carries_a_commitment_that_nobody_is_shown(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben, cleo = await host.seated(3)
        await ben.do(TableReady, ready=True, commitment=b"c" * 32)
        await cleo.do(TableReady, ready=True)
        assert b"c" * 32 not in ana.bytes_received
        await ana.do(TableStart)
