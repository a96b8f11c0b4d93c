"""Tables that this server cannot go on with are parked: kept untouched, told to their people, tried at each start."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from robby_protocol import errors
from robby_protocol.messages import TableClosed, TableState, Welcome
from robby_rules.journal import Act, Entry
from robby_rules.robby_solo import RobbySolo
from robby_server.kept import encode_table
from robby_server.store import MemoryStore
from tests.server.kit import play_all, settled
from tests.server.lives import Lives, back, people, picture, playing, remaining, seated, to_plays

NAMES = ("Ana", "Ben", "Cleo")


@contextmanager
def rules_version(version: int) -> Iterator[None]:
    """A server program with another version of the rules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RobbySolo, "version", version)
        yield


def everything(store: MemoryStore) -> tuple[Any, ...]:
    """All that is kept of tables and matches."""
    return dict(store._tables), {match: tuple(entries) for match, entries in store._entries.items()}, set(store._ended)


async def test_another_version_of_the_rules_parks_and_the_right_one_goes_on(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        peers = await playing(host, *NAMES)
        await to_plays(peers)
        seen = [picture(peer) for peer in peers]
        waiting = (await seated(host, "Dora", "Emil"))[0].table
        table = peers[0].table
    kept = everything(lives.store)
    for _start in range(2):
        with rules_version(RobbySolo.version + 1):
            async with lives.life() as host:
                ((parked, reason),) = [(one.table, one.reason) for one in host.server.parked]
                assert parked == table
                assert "rules version" in reason
                ana, dora = await people(host, "Ana", "Dora")
                await settled()
                closed = ana.last(TableClosed)
                assert (closed.table, closed.code) == (table, errors.TABLE_PARKED)
                assert ana.last(Welcome).table is None
                assert dora.table == waiting  # what is not played has no rules yet
                assert not dora.all(TableClosed)
        tables, entries, ended = everything(lives.store)
        assert (tables[table], entries, ended) == (kept[0][table], kept[1], kept[2])
    async with lives.life() as host:
        assert host.server.parked == []
        peers = await back(host, *NAMES)
        assert [picture(peer) for peer in peers] == seen
        assert remaining(peers[0]) == 45_000


async def test_an_older_server_with_the_same_rules_is_followed(autojump_clock: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("robby_server.handshake.software", lambda: "robby-solo 0.0.1")
    lives = Lives()
    async with lives.life() as host:
        peers = await playing(host, *NAMES)
        assert peers[0].greeting is not None
        assert peers[0].greeting.software == "robby-solo 0.0.1"
        seen = [picture(peer) for peer in peers]
    monkeypatch.undo()
    async with lives.life() as host:
        peers = await back(host, *NAMES)
        assert peers[0].greeting is not None
        assert peers[0].greeting.software != "robby-solo 0.0.1"
        assert [picture(peer) for peer in peers] == seen


async def test_whoever_sits_elsewhere_by_now_has_left_a_table_that_was_parked(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        peers = await playing(host, *NAMES)
        table = peers[0].table
    with rules_version(RobbySolo.version + 1):
        async with lives.life() as host:
            (ana,) = await seated(host, "Ana")
            elsewhere = ana.table
    async with lives.life() as host:
        ana, ben = await people(host, "Ana", "Ben")
        await settled()
        assert ana.table == elsewhere != table
        assert ben.table == table
        assert [seat.state for seat in ben.state.table.seats] == ["left", "here", "away"]


def spoil(entries: list[Entry]) -> None:
    """An entry that the rules refuse."""
    entries.append(Act(0, 99, {"type": "confirm"}, 1))


def lose_the_start(entries: list[Entry]) -> None:
    del entries[0]


def double(entries: list[Entry]) -> None:
    entries.append(entries[-1])


@pytest.mark.parametrize("damage", [spoil, lose_the_start, double])
async def test_a_damaged_journal_parks_its_table_alone(autojump_clock: Any, damage: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        peers = await playing(host, *NAMES)
        others = await playing(host, "Dora", "Emil", "Fred")
        await to_plays(peers)
        await to_plays(others)
        seen = picture(others[0])
        table, match = peers[0].table, peers[0].update.match
    damage(lives.store._entries[match])
    kept = everything(lives.store)
    async with lives.life() as host:
        assert [one.table for one in host.server.parked] == [table]
        (dora,) = await back(host, "Dora")
        assert picture(dora) == seen
        tables, entries, ended = everything(lives.store)
        assert (tables[table], entries[match], ended) == (kept[0][table], kept[1][match], kept[2])


@pytest.mark.parametrize("damage", ["half", "newer", "rubbish", "empty", "field"])
async def test_a_damaged_snapshot_is_parked_and_kept(autojump_clock: Any, damage: str) -> None:
    lives = Lives()
    async with lives.life() as host:
        peers = await playing(host, *NAMES)
        table, match = peers[0].table, peers[0].update.match
        (dora,) = await seated(host, "Dora")
        good = lives.store._tables[table]
    kept = await lives.tables()
    bad = {
        "half": good[: len(good) // 2],
        "newer": bytes([good[0], 99]) + good[2:],
        "rubbish": b"\xc1",
        "empty": b"",
        "field": encode_table(kept[0]).replace(b"playing", b"dancing"),
    }[damage]
    assert bad != good
    lives.store._tables[table] = bad
    async with lives.life() as host:
        assert [one.table for one in host.server.parked] == [table]
        (dora,) = await people(host, "Dora")
        await dora.expect(TableState)
        assert lives.store._tables[table] == bad
        assert match in await lives.store.matches()  # its entries are not ended with it
    lives.store._tables[table] = good
    async with lives.life() as host:
        assert host.server.parked == []
        await back(host, *NAMES)


async def test_the_operator_may_throw_a_parked_table_away_and_no_other(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        table = (await playing(host, *NAMES))[0].table
        other = (await playing(host, "Dora", "Emil", "Fred"))[0].table
    good = lives.store._tables[table]
    lives.store._tables[table] = good[: len(good) // 2]
    async with lives.life() as host:
        assert not await host.server.discard(other)  # it is played
        assert await host.server.discard(table)
        assert not await host.server.discard(table)
        (ana,) = await people(host, "Ana")
        await settled()
        assert not ana.all(TableClosed)
        assert list(lives.store._tables) == [other]
        assert [match.rpartition("-")[0] for match in await lives.store.matches()] == [other]
    async with lives.life() as host:
        assert host.server.parked == []
        await back(host, "Dora", "Emil", "Fred")


async def test_a_snapshot_of_options_that_do_not_exist_is_parked(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        await seated(host, "Ana")
    table = await lives.table()
    fields = {name: getattr(table, name) for name in table.__struct_fields__}
    for wrong in ({"options": {"colour": "red"}}, {"game": "chess"}, {"host": 7}):
        await lives.store.save_table(table.table, encode_table(type(table)(**{**fields, **wrong})))
        async with lives.life() as host:
            assert [one.table for one in host.server.parked] == [table.table]
            (ana,) = await people(host, "Ana")
            await settled()
            assert ana.last(TableClosed).code == errors.TABLE_PARKED
    await lives.store.save_table(table.table, encode_table(type(table)(**{**fields, "options": {"max_rounds": 9}})))
    async with lives.life() as host:  # an option that came later has its default
        (ana,) = await people(host, "Ana")
        await settled()
        assert ana.state.table.options == {**table.options, "max_rounds": 9}


async def test_a_finished_table_with_an_unplayable_match_keeps_its_results(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        peers = await playing(host, *NAMES, options={"max_rounds": 1})
        await play_all(peers)
        result = peers[0].state.table.result
    with rules_version(RobbySolo.version + 1):
        async with lives.life() as host:
            assert host.server.parked == []
            (ana,) = await people(host, "Ana")
            await settled()
            assert ana.state.table.phase == "finished"
            assert ana.state.table.result == result
            assert ana.state.table.match is None


async def test_one_line_of_the_log_for_a_parked_table(autojump_clock: Any, capsys: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        await playing(host, *NAMES)
    capsys.readouterr()
    with rules_version(RobbySolo.version + 1):
        async with lives.life():
            pass
    assert capsys.readouterr().out.count("table_parked") == 1
