"""What else a table keeps through a crash: people, host, results, what is forbidden; and crashes at awkward moments."""

from dataclasses import replace
from typing import Any

import pytest
import trio

from robby_protocol import errors
from robby_protocol.messages import (
    Command,
    TableConfigure,
    TableCreate,
    TableHandOver,
    TableJoin,
    TableKick,
    TableLeave,
    TableReady,
    TableStart,
    TableState,
    Welcome,
)
from robby_server.kept import KeptTable, decode_table, encode_table
from robby_server.store import MemoryStore
from tests.server.kit import Peer, begin, play_all, settled
from tests.server.lives import USUAL, Lives, back, people, person, picture, playing, seated, to_plays

NAMES = ("Ana", "Ben", "Cleo")
SHORT = {"max_rounds": 1}


async def change(lives: Lives, **fields: Any) -> KeptTable:
    """Write other fields into the only snapshot."""
    table = await lives.table()
    fields = {field: getattr(table, field) for field in table.__struct_fields__} | fields
    changed = KeptTable(**fields)
    await lives.store.save_table(changed.table, encode_table(changed))
    return changed


class WatchedStore(MemoryStore):
    """Counts what people have heard by the time that a snapshot is about to be kept, and once it is."""

    def __init__(self, peers: list[Peer]) -> None:
        super().__init__()
        self.peers = peers
        self.kept: list[str] = []
        self.early: list[str] = []

    def __deepcopy__(self, memo: Any) -> "WatchedStore":
        return self

    async def save_table(self, table: str, snapshot: bytes) -> None:
        heard = [len(peer.got) for peer in self.peers]
        await settled()  # give anything that is told too early the time to arrive
        what = decode_table(snapshot).phase
        self.early += [what for peer, before in zip(self.peers, heard, strict=True) if len(peer.got) > before]
        self.kept.append(what)
        await super().save_table(table, snapshot)


async def test_nothing_about_a_table_is_told_before_it_is_kept(autojump_clock: Any) -> None:
    """What somebody was told and a crash takes back would be a broken promise: answers, states, news alike."""
    everybody: list[Peer] = []
    store = WatchedStore(everybody)
    lives = Lives(store=store)
    async with lives.life() as host:
        peers = await people(host, *NAMES)
        everybody += peers
        ana, ben, cleo = peers
        table = (await ana.call(TableCreate, game="robby-solo"))["table"]
        await settled()
        before = len(store.kept)
        commands: list[tuple[Peer, type[Command], dict[str, Any]]] = [
            (ben, TableJoin, {"table": table}),
            (cleo, TableJoin, {"table": table}),
            (ana, TableConfigure, {"options": SHORT}),
            (ana, TableHandOver, {"seat": 1, "name": "Ben"}),
            (ben, TableKick, {"seat": 2, "name": "Cleo"}),
        ]
        for peer, command, fields in commands:
            await peer.call(command, **fields)
            await settled()
        assert len(store.kept) == before + len(commands)
        await cleo.call(TableCreate, game="robby-solo")
        await settled()
        assert store.early == []


async def test_a_finished_table_keeps_its_results_and_its_match(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        peers = await playing(host, *NAMES, options=SHORT)
        await play_all(peers)
        before = peers[0].state.table
        seen, told = [picture(peer) for peer in peers], peers[0].told()
        assert before.phase == "finished"
        assert not await lives.store.matches()
    async with lives.life() as host:
        peers = await back(host, *NAMES)
        await settled()
        assert peers[0].state.table == before
        assert [picture(peer) for peer in peers] == seen
        assert peers[0].told() == told
        match = await begin(peers)
        assert match != before.match


async def test_whoever_left_after_the_match_still_stands_in_its_results(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        peers = await playing(host, *NAMES, options=SHORT)
        await play_all(peers)
        await peers[1].do(TableLeave)
        before = peers[0].state.table
    async with lives.life() as host:
        ana, cleo = await back(host, "Ana", "Cleo")
        await settled()
        assert ana.state.table == before
        assert [line.name for line in before.result].count("Ben") == 1
        assert cleo.told()[-1]["type"] == "game_over"


async def test_a_match_whose_end_nobody_was_told_of_is_finished(autojump_clock: Any) -> None:
    """The server went after the last entry was kept and before the table's snapshot was."""
    lives = Lives()
    async with lives.life() as host:
        peers = await playing(host, *NAMES, options=SHORT)
        during = await lives.table()
        await play_all(peers)
        result, seen = peers[0].state.table.result, picture(peers[0])
        await lives.store.save_table(during.table, encode_table(during))
    async with lives.life() as host:
        ana, *_others = await people(host, *NAMES)
        await settled()
        assert ana.state.table.phase == "finished"
        assert ana.state.table.result == result
        assert picture(ana) == seen
        assert (await lives.table()).phase == "finished"
        assert not await lives.store.matches()


async def test_a_start_that_nobody_was_told_of_has_not_happened(autojump_clock: Any) -> None:
    """The server went after the match's first entry was kept and before the table's snapshot was."""
    lives = Lives()
    async with lives.life() as host:
        peers = await seated(host, *NAMES)
        before = await lives.table()
        match = await begin(peers)
        await lives.store.save_table(before.table, encode_table(before))
    for _crash in range(2):
        async with lives.life() as host:
            ana, *_others = await people(host, *NAMES)
            await settled()
            assert ana.state.table.phase == "waiting"
            assert not await lives.store.matches()
    async with lives.life() as host:
        peers = await people(host, *NAMES)
        await settled()
        assert await begin(peers) != match


async def test_a_snapshot_that_names_a_match_without_entries_waits(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        await seated(host, *NAMES)
    owners = tuple((seat.owner, seat.name) for seat in (await lives.table()).seats)
    await change(lives, phase="playing", match="NOWHERE0-1", owners=owners)
    async with lives.life() as host:
        peers = await people(host, *NAMES)
        await settled()
        assert peers[0].state.table.phase == "waiting"
        await begin(peers)


async def test_seats_at_a_waiting_table_are_kept_for_a_minute_anew(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        _ana, ben, _cleo = await seated(host, *NAMES)
        await ben.drop()
        await trio.sleep(USUAL.waiting_seat_seconds - 1)
    async with lives.life() as host:
        began = trio.current_time()
        (ana,) = await people(host, "Ana")
        await trio.sleep(USUAL.waiting_seat_seconds - 1)
        assert [seat.state for seat in ana.state.table.seats] == ["here", "away", "away"]
        await ana.until(lambda: len(ana.state.table.seats) == 1)
        assert trio.current_time() - began == USUAL.waiting_seat_seconds


async def test_a_waiting_table_to_which_nobody_comes_back_closes(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        await seated(host, *NAMES)
    async with lives.life() as host:
        await trio.sleep(USUAL.waiting_seat_seconds + 1)
        assert len(host.server.directory) == 0
        assert await lives.tables() == []
        again = await person(host, "Ana")
        assert again.last(Welcome).table is None


async def test_the_host_and_the_order_of_coming_are_kept(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        ana, _ben, _cleo = await seated(host, *NAMES)
        await ana.do(TableHandOver, seat=2, name="Cleo")
    async with lives.life() as host:
        ana, ben, cleo = await people(host, *NAMES)
        await settled()
        assert ana.state.table.host == 2
        await cleo.do(TableLeave)
        assert ana.state.table.host == 0
        dora = await person(host, "Dora")
        await dora.do(TableJoin, table=ana.table)
        await ana.do(TableLeave)
        assert ben.state.table.host == 0
        assert ben.state.table.seats[0].name == "Ben"


async def test_kicked_stays_kicked(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        ana, ben, _cleo = await seated(host, *NAMES)
        await ana.do(TableKick, seat=1, name="Ben")
        table = ana.table
    async with lives.life() as host:
        ben = await person(host, "Ben")
        assert (await ben.refused(TableJoin, table=table)).code == errors.KICKED


async def test_configured_is_kept_before_it_is_answered(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        ana, *_others = await seated(host, "Ana", "Ben")
        await ana.call(TableConfigure, title="Later", capacity=5, options={"max_rounds": 7})
    async with lives.life() as host:
        (ana,) = await people(host, "Ana")
        await settled()
        info = ana.state.table
        assert (info.title, info.capacity, info.options["max_rounds"]) == ("Later", 5, 7)


async def test_what_a_table_forbids_is_kept(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        await seated(host, "Ana", "Ben")
    who = (await lives.table()).seats[1].owner
    fields = {
        "private": True,
        "invite": "ABCD1234",
        "password_key": bytes(range(32)),
        "spectators": False,
        "delay_s": 30,
        "muted": (who,),
        "kicked": (who,),
        "aborted": 2,
    }
    await change(lives, **fields)
    async with lives.life() as host:
        (ana,) = await people(host, "Ana")
        await settled()
        await ana.do(TableConfigure, title="Written anew")
        kept = await lives.table()
        assert {name: getattr(kept, name) for name in fields} == fields
        info = ana.state.table
        assert (info.private, info.spectators, info.delay_s, info.aborted) == (True, False, 30, 2)


async def test_ready_is_asked_for_again(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        _ana, ben = await seated(host, "Ana", "Ben")
        await ben.do(TableReady, ready=True)
    async with lives.life() as host:
        ana, _ben = await people(host, "Ana", "Ben")
        await settled()
        assert (await ana.refused(TableStart)).code == errors.NOT_READY


async def test_somebody_who_left_a_match_can_come_back_to_it(autojump_clock: Any) -> None:
    lives = Lives(replace(USUAL, resume_seconds=1.0))
    async with lives.life() as host:
        peers = await playing(host, *NAMES)
        await peers[1].do(TableLeave)
        table = peers[0].table
    async with lives.life() as host:
        ben = await person(host, "Ben")
        assert ben.last(Welcome).table is None
        ana, _cleo = await back(host, "Ana", "Cleo")
        await settled()
        assert ana.update.clock is None or not ana.update.clock.paused
        assert [seat.state for seat in ana.state.table.seats] == ["here", "left", "here"]
        await ben.do(TableJoin, table=table)
        assert [seat.state for seat in ana.state.table.seats] == ["here", "here", "here"]


async def test_a_person_whom_the_server_does_not_know_any_more(autojump_clock: Any) -> None:
    """In a match a bot plays the seat on; at a waiting table it is free."""
    lives = Lives(replace(USUAL, resume_seconds=1.0))
    async with lives.life() as host:
        peers = await playing(host, *NAMES, options={"play_ms": 600_000})
        await to_plays(peers)
        waiting = await seated(host, "Dora", "Emil")
        playing_table, waiting_table = peers[0].table, waiting[0].table
    for table in await lives.tables():
        await lives.store.forget_identity(table.seats[1].owner)
    async with lives.life() as host:
        (ana, dora) = await people(host, "Ana", "Dora")
        await trio.sleep(2)
        assert (ana.table, dora.table) == (playing_table, waiting_table)
        assert [(seat.name, seat.state) for seat in ana.state.table.seats][1] == ("Ben", "left")
        assert [seat.name for seat in dora.state.table.seats] == ["Dora"]


async def test_guests_come_back_by_their_tokens(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        peers = await host.playing(3)
        before = [picture(peer) for peer in peers]
        tokens = [(peer.last(Welcome).name, peer.last(Welcome).resume) for peer in peers]
    async with lives.life() as host:
        again: list[Peer] = [await host.guest(name, resume=token) for name, token in tokens]
        await settled()
        assert [picture(peer) for peer in again] == before
        stranger = host.peer()
        await stranger.hello()
        with pytest.raises(Exception, match="name_taken"):
            await stranger.login("Ana")


async def test_a_table_is_kept_before_its_maker_is_answered(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        (ana,) = await people(host, "Ana")
        made = await ana.call(TableCreate, game="robby-solo")
        assert (await lives.table()).table == made["table"]
    async with lives.life() as host:
        (ana,) = await people(host, "Ana")
        await ana.expect(TableState)
        assert ana.table == made["table"]


async def test_a_closed_table_does_not_come_back(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        (ana,) = await seated(host, "Ana")
        await ana.call(TableLeave)
        assert await lives.tables() == []


async def test_a_match_that_was_broken_off_does_not_come_back(autojump_clock: Any) -> None:
    lives = Lives(replace(USUAL, empty_playing_seconds=10.0), bots=False)
    async with lives.life() as host:
        peers = await playing(host, *NAMES)
        for peer in peers:
            await peer.drop()
        await trio.sleep(11)
        assert await lives.tables() == []
        assert not await lives.store.matches()
