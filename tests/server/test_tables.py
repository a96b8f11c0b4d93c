"""Tables between matches: creating, joining, leaving, getting ready, the host, options, bots, the lobby."""

from typing import Any

import pytest
import trio
from msgspec.structs import replace

from robby_protocol import codec, errors
from robby_protocol.messages import (
    Error,
    LobbyList,
    LobbyTables,
    LobbyWatch,
    Ok,
    ScoreLine,
    SeatInfo,
    TableAddBot,
    TableClosed,
    TableConfigure,
    TableCreate,
    TableHandOver,
    TableInfo,
    TableJoin,
    TableKick,
    TableLeave,
    TableReady,
    TableStart,
    TableState,
)
from robby_server.directory import ALPHABET, ID_LENGTH
from robby_server.settings import Settings
from tests.server.kit import Peer, bot_of, running, settled, sit_down


async def tables(peer: Peer) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await peer.call(LobbyList))["tables"]
    return found


async def test_create_and_join(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        created = await ana.do(TableCreate, game="robby-solo", title="Friday", options={"time": "blitz"})
        assert created["seat"] == 0
        assert len(created["table"]) == ID_LENGTH
        assert set(created["table"]) <= set(ALPHABET)
        typed = created["table"].lower()
        assert await ben.do(TableJoin, table=f"{typed[:4]}-{typed[4:]}") == {"table": created["table"], "seat": 1}
        await settled()
        for seat, peer in enumerate((ana, ben)):
            assert peer.state.you == seat
            info = peer.state.table
            assert (info.phase, info.host, info.capacity, info.title) == ("waiting", 0, 6, "Friday")
            assert [seat.name for seat in info.seats] == ["Ana", "Ben"]
            assert info.options["time"] == "blitz"
            assert info.options["max_rounds"] == 100
        assert ana.codes == ["joined"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"options": {"revision_min_ms": 50_000, "revision_max_ms": 1_000}}, "revision_min_ms"),
        ({"options": {"revision_min_ms": 50_000, "revision_max_ms": 1_000, "junior": True}}, "revision_min_ms"),
        ({"capacity": 2}, "capacity"),
        ({"capacity": 7}, "capacity"),
        ({"capacity": 6, "options": {"junior": True}}, "junior"),
    ],
)
async def test_a_refused_table_names_what_is_wrong(fields: dict[str, Any], field: str, autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        refused = await ana.refused(TableCreate, game="robby-solo", **fields)
        assert (refused.code, refused.details["field"]) == (errors.BAD_OPTIONS, field)


async def test_ids_that_are_misread_are_understood(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        table = (await ana.do(TableCreate, game="robby-solo"))["table"]
        misread = table.replace("0", "o").replace("1", "I").lower()
        assert (await ben.do(TableJoin, table=misread))["table"] == table


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"game": "chess"}, errors.UNKNOWN_GAME, None),
        ({"options": {"time": "never"}}, errors.BAD_OPTIONS, "time"),
        ({"options": {"no_such": 1}}, errors.BAD_OPTIONS, "no_such"),
        ({"options": {"play_ms": 1}}, errors.BAD_OPTIONS, "play_ms"),
        ({"options": {"junior": True}, "capacity": 6}, errors.BAD_OPTIONS, "junior"),
        ({"capacity": 1}, errors.BAD_OPTIONS, "capacity"),
        ({"capacity": 7}, errors.BAD_OPTIONS, "capacity"),
        ({"title": "\x1b[2J"}, errors.BAD_OPTIONS, "title"),
        ({"title": "x" * 41}, errors.BAD_OPTIONS, "title"),
        ({"bots": ["nobody"]}, errors.UNKNOWN_BOT, None),
        ({"bots": ["greedy"] * 6}, errors.TABLE_FULL, None),
    ],
)
async def test_tables_that_cannot_be(fields: dict[str, Any], code: str, field: str | None, autojump_clock: Any) -> None:
    async with running(spawn_bot=bot_of()) as host:
        ana = await host.guest("Ana")
        error = await ana.refused(TableCreate, **{"game": "robby-solo", **fields})
        assert error.code == code
        assert error.text
        if field is not None:
            assert error.details["field"] == field
        assert await tables(ana) == []
        await ana.do(TableCreate, game="robby-solo")


async def test_junior_leaves_room_for_five(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        await ana.do(TableCreate, game="robby-solo", options={"junior": True})
        assert ana.state.table.capacity == 5


async def test_one_seat_a_person(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        table = await sit_down([ana])
        other = await sit_down([ben])
        assert (await ana.refused(TableCreate, game="robby-solo")).code == errors.ALREADY_SEATED
        assert (await ana.refused(TableJoin, table=other)).details["table"] == table
        assert (await ana.refused(TableJoin, table="ZZZZZZZZ")).code == errors.NO_SUCH_TABLE
        assert await ana.do(TableJoin, table=table) == {"table": table, "seat": 0}


async def test_ten_joins_in_one_segment_give_one_seat(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        table = await sit_down([ana])
        joins = [TableJoin(id=ben.new_id(), table=table) for _ in range(10)]
        await ben.send(*joins)
        for join in joins:
            assert await ben.answer(join.id) == {"table": table, "seat": 1}
        assert [seat.name for seat in ben.state.table.seats] == ["Ana", "Ben"]


async def test_leave_and_join_elsewhere_in_one_segment(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        table = await sit_down([ana])
        for _ in range(20):
            create = TableCreate(id=ben.new_id(), game="robby-solo")
            ready, leave = TableReady(id=ben.new_id(), ready=True), TableLeave(id=ben.new_id())
            join, again = TableJoin(id=ben.new_id(), table=table), TableLeave(id=ben.new_id())
            await ben.send(create, ready, leave, join, again)
            for command in (create, ready, leave, join, again):
                await ben.answer(command.id)
        assert len(await tables(ana)) == 1


async def test_two_race_for_the_last_seat(autojump_clock: Any) -> None:
    """150 times: one sits, the other is told that it is full."""
    async with running(Settings(message_burst=5_000)) as host:
        ana, ben, cleo = await host.guest("Ana"), await host.guest("Ben"), await host.guest("Cleo")
        table = await sit_down([ana, await host.guest("Dora")], capacity=3)
        for _ in range(150):
            results: list[str] = []

            async def join(peer: Peer, results: list[str] = results) -> None:
                command = TableJoin(id=peer.new_id(), table=table)
                await peer.send(command)
                try:
                    await peer.answer(command.id)
                except Exception as error:  # noqa: BLE001 - the code is looked at below
                    results.append(str(getattr(error, "code", error)))
                else:
                    results.append("seated")
                    await peer.do(TableLeave)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(join, ben)
                nursery.start_soon(join, cleo)
            assert "seated" in results
            assert set(results) <= {"seated", errors.TABLE_FULL}
            for peer in (ben, cleo):
                peer.got.clear()
            assert all(len(state.table.seats) <= 3 for state in ana.all(TableState))
            ana.got = ana.got[-1:]


async def test_everyone_must_be_ready(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben, cleo = peers = await host.seated(3)
        assert (await ben.refused(TableStart)).code == errors.NOT_HOST
        await ben.do(TableReady, ready=True, commitment=b"c" * 32)
        assert (await ana.refused(TableStart)).details["names"] == ["Cleo"]
        await cleo.do(TableReady, ready=True)
        await cleo.do(TableReady, ready=False)
        await cleo.do(TableReady, ready=False)
        assert (await ana.refused(TableStart)).code == errors.NOT_READY
        await cleo.do(TableReady, ready=True)
        match = (await ana.do(TableStart))["match"]
        await settled()
        for peer in peers:
            assert peer.state.table.match == match
            assert peer.state.table.phase == "playing"
            assert not any(seat.ready for seat in peer.state.table.seats)
        assert ana.codes == ["joined", "joined", "ready", "ready", "not_ready", "ready", "started"]


async def test_too_few(autojump_clock: Any) -> None:
    async with running() as host:
        (ana, ben) = await host.seated(2)
        await ben.do(TableReady, ready=True)
        error = await ana.refused(TableStart)
        assert (error.code, error.details) == (errors.TOO_FEW_PLAYERS, {"needed": 3})
        await ana.do(TableConfigure, options={"junior": True})
        assert (await ana.refused(TableStart)).code == errors.NOT_READY
        await ben.do(TableReady, ready=True)
        await ana.do(TableStart)


async def test_configure(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = await host.seated(2)
        await ben.do(TableReady, ready=True)
        assert (await ben.refused(TableConfigure, title="mine")).code == errors.NOT_HOST
        await ana.do(TableConfigure, title=" new ", capacity=4, options={"time": "relaxed"})
        info = ana.state.table
        assert (info.title, info.capacity, info.options["time"]) == ("new", 4, "relaxed")
        assert not info.seats[1].ready
        await ana.do(TableConfigure, options={"open_loot": True})
        assert ana.state.table.options["time"] == "standard"
        assert ana.state.table.capacity == 4
        wrong: list[dict[str, Any]] = [{"capacity": 1}, {"capacity": 9}, {"options": {"x": 1}}, {"title": "\x07"}]
        for fields in wrong:
            assert (await ana.refused(TableConfigure, **fields)).code == errors.BAD_OPTIONS
        assert ana.state.table.capacity == 4
        await ana.do(TableConfigure, capacity=6)
        await ana.do(TableConfigure, options={"junior": True})
        assert ana.state.table.capacity == 5


async def test_a_table_cannot_become_smaller_than_its_company(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.seated(4)
        assert (await peers[0].refused(TableConfigure, capacity=3)).details["fewest"] == 4
        assert peers[0].state.table.capacity == 6


async def test_a_full_table(autojump_clock: Any) -> None:
    async with running(spawn_bot=bot_of()) as host:
        ana, ben, cleo, dora = [await host.guest(name) for name in ("Ana", "Ben", "Cleo", "Dora")]
        table = await sit_down([ana, ben, dora], capacity=3)
        assert (await cleo.refused(TableJoin, table=table)).code == errors.TABLE_FULL
        assert (await ana.refused(TableAddBot, bot="greedy")).code == errors.TABLE_FULL


async def test_bots_are_seated_and_removed(autojump_clock: Any) -> None:
    async with running(spawn_bot=bot_of()) as host:
        (ana, ben) = await host.seated(2, bots=["greedy", "random"])
        assert (await ana.do(TableAddBot, bot="greedy"))["seat"] == 4
        assert [seat.name for seat in ana.state.table.seats] == ["Ana", "Dusty", "Hattie", "Ben", "Rufus"]
        assert [seat.bot for seat in ana.state.table.seats] == [None, "greedy", "random", None, "greedy"]
        assert ana.state.table.seats[1].ready
        assert (await ana.refused(TableAddBot, bot="best")).details["bots"] == ["greedy", "random"]
        assert (await ben.refused(TableAddBot, bot="greedy")).code == errors.NOT_HOST
        await ana.do(TableKick, seat=1, name="Dusty")
        assert [seat.name for seat in ana.state.table.seats] == ["Ana", "Hattie", "Ben", "Rufus"]
        assert ben.state.you == 2


async def test_a_bot_makes_way_for_a_person_of_its_name(autojump_clock: Any) -> None:
    async with running(spawn_bot=bot_of()) as host:
        ana, hattie = await host.guest("Dusty"), await host.guest("HATTIE")
        await sit_down([ana], bots=["greedy", "greedy"])
        assert [seat.name for seat in ana.state.table.seats] == ["Dusty", "Hattie", "Rufus"]
        await hattie.do(TableJoin, table=ana.table)
        assert [seat.name for seat in ana.state.table.seats] == ["Dusty", "Mabel", "Rufus", "HATTIE"]


async def test_kicking(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben, cleo = await host.seated(3)
        table = ana.table
        assert (await ben.refused(TableKick, seat=2, name="Cleo")).code == errors.NOT_HOST
        assert (await ana.refused(TableKick, seat=2, name="Ben")).code == errors.NO_SUCH_SEAT
        assert (await ana.refused(TableKick, seat=9, name="Ben")).code == errors.NO_SUCH_SEAT
        assert (await ana.refused(TableKick, seat=0, name="Ana")).code == errors.NO_SUCH_SEAT
        await ana.do(TableKick, seat=1, name="Ben")
        closed = await ben.expect(TableClosed)
        assert (closed.table, closed.code) == (table, errors.KICKED)
        await settled()
        assert len(ben.all(TableClosed)) == 1
        assert cleo.state.you == 1
        assert (await ben.refused(TableJoin, table=table)).code == errors.KICKED
        assert (await ben.refused(TableReady, ready=True)).code == errors.NOT_SEATED
        await ben.drop()
        again = await host.again(ben)
        assert again.welcome is not None
        assert again.welcome.table is None
        assert (await again.refused(TableJoin, table=table)).code == errors.KICKED
        await again.do(TableCreate, game="robby-solo")


@pytest.mark.parametrize("going", ["leave", "drop", "resume"])
async def test_kicking_somebody_who_is_going_or_coming(going: str, autojump_clock: Any) -> None:
    """Many times at the same moment: one clean answer for the host, and the seat is free exactly once."""
    async with running(Settings(message_burst=100_000, guests=100_000)) as host:
        ana = await host.guest("Ana")
        table = await sit_down([ana])
        for number in range(70):
            ben = await host.guest(f"Ben {number}")
            await ben.do(TableJoin, table=table)
            kick = TableKick(id=ana.new_id(), seat=1, name=f"Ben {number}")
            coming: list[Peer] = []
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ana.send, kick)
                if going == "leave":
                    nursery.start_soon(ben.send, TableLeave(id=ben.new_id()))
                else:
                    nursery.start_soon(ben.drop)
            if going == "resume":
                coming.append(await host.again(ben))
            await settled()
            answers = [answer for answer in ana.got if isinstance(answer, Ok | Error) and answer.re == kick.id]
            assert len(answers) == 1
            assert isinstance(answers[0], Ok) or answers[0].code == errors.NO_SUCH_SEAT
            assert [seat.name for seat in ana.state.table.seats] == ["Ana"]
            assert len(ben.all(TableClosed)) <= 1
            for peer in coming:
                assert (await peer.refused(TableReady, ready=True)).code == errors.NOT_SEATED
            for peer in (ben, *coming):
                await peer.drop()
            ana.got = ana.got[-1:]


async def test_hand_over(autojump_clock: Any) -> None:
    async with running(spawn_bot=bot_of()) as host:
        ana, ben, cleo = await host.seated(3, bots=["greedy"])
        assert (await ben.refused(TableHandOver, seat=3, name="Cleo")).code == errors.NOT_HOST
        assert (await ana.refused(TableHandOver, seat=1, name="Dusty")).code == errors.NO_SUCH_SEAT
        await ana.do(TableHandOver, seat=3, name="Cleo")
        await settled()
        assert [peer.state.table.host for peer in (ana, ben, cleo)] == [3, 3, 3]
        assert ana.codes[-1] == "host"
        await ana.do(TableReady, ready=True)
        await ben.do(TableReady, ready=True)
        await cleo.do(TableStart)


async def test_when_the_host_leaves_the_longest_there_follows(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben, cleo = await host.seated(3)
        await ben.do(TableLeave)
        await ben.do(TableJoin, table=ana.table)
        await ana.do(TableLeave)
        await settled()
        assert cleo.state.table.host == cleo.state.you == 0
        assert [seat.name for seat in cleo.state.table.seats] == ["Cleo", "Ben"]
        assert cleo.codes[-1] == "host"
        assert ben.state.you == 1


async def test_a_host_who_is_away_stays_host_for_a_while(autojump_clock: Any) -> None:
    settings = Settings()
    async with running(settings) as host:
        ana, ben, cleo = await host.seated(3)
        await ana.drop()
        await trio.sleep(settings.host_away_seconds - 1)
        assert ben.state.table.host == 0
        assert ben.state.table.seats[0].state == "away"
        again = await host.again(ana)
        await trio.sleep(settings.host_away_seconds + 1)
        assert again.state.table.host == 0
        await again.drop()
        await trio.sleep(settings.host_away_seconds + 1)
        assert ben.state.table.host == 1
        await cleo.do(TableReady, ready=True)


async def test_a_kept_seat_at_a_waiting_table_is_given_up_in_time(autojump_clock: Any) -> None:
    settings = Settings()
    async with running(settings) as host:
        ana, ben, cleo = await host.seated(3)
        await ben.do(TableReady, ready=True)
        await ben.drop()
        await cleo.bye()
        await settled()
        assert [(seat.name, seat.state, seat.ready) for seat in ana.state.table.seats] == [
            ("Ana", "here", False),
            ("Ben", "away", False),
        ]
        await trio.sleep(settings.waiting_seat_seconds - 1)
        assert len(ana.state.table.seats) == 2
        await trio.sleep(2)
        assert [seat.name for seat in ana.state.table.seats] == ["Ana"]
        again = await host.again(ben)
        assert again.welcome is not None
        assert again.welcome.table is None


async def test_a_waiting_table_without_people_closes_at_once(autojump_clock: Any) -> None:
    async with running(spawn_bot=bot_of()) as host:
        watcher = await host.guest("Xenia")
        (ana, ben) = await host.seated(2, bots=["greedy", "greedy"])
        await ben.do(TableLeave)
        await ana.do(TableLeave)
        assert await tables(watcher) == []
        assert (await watcher.refused(TableJoin, table=ana.table)).code == errors.NO_SUCH_TABLE
        await ana.do(TableCreate, game="robby-solo")


async def test_a_waiting_table_whose_last_person_is_away_closes_in_time(autojump_clock: Any) -> None:
    settings = Settings()
    async with running(settings) as host:
        watcher = await host.guest("Xenia")
        (ana,) = await host.seated(1)
        await ana.drop()
        await trio.sleep(settings.waiting_seat_seconds - 1)
        assert len(await tables(watcher)) == 1
        await trio.sleep(2)
        assert await tables(watcher) == []


async def test_many_tables_come_and_go_without_a_trace(autojump_clock: Any) -> None:
    async with running(Settings(message_burst=10_000)) as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        await settled()
        tasks = trio.lowlevel.current_statistics().tasks_living
        for _ in range(60):
            await sit_down([ana, ben])
            await ben.do(TableLeave)
            await ana.do(TableLeave)
        await settled()
        assert trio.lowlevel.current_statistics().tasks_living == tasks
        assert len(host.server.directory) == 0
        assert await tables(ana) == []


async def test_too_many_tables(autojump_clock: Any) -> None:
    async with running(Settings(tables=2)) as host:
        ana, ben, cleo = [await host.guest(name) for name in ("Ana", "Ben", "Cleo")]
        await sit_down([ana])
        await sit_down([ben])
        assert (await cleo.refused(TableCreate, game="robby-solo")).code == errors.TOO_MANY_TABLES
        await ana.do(TableLeave)
        await sit_down([cleo])


async def test_watching_the_lobby(autojump_clock: Any) -> None:
    settings = Settings()
    async with running(settings) as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        await ana.call(LobbyWatch, on=True)
        first = await ana.expect(LobbyTables)
        assert (first.tables, first.people) == ([], 2)
        await trio.sleep(1)
        before = len(ana.all(LobbyTables))
        await sit_down([ben], title="Friday")
        await ben.do(TableConfigure, title="Saturday")
        await trio.sleep(settings.lobby_seconds * 2)
        assert len(ana.all(LobbyTables)) == before + 1
        assert [table.title for table in ana.last(LobbyTables).tables] == ["Saturday"]
        await ana.call(LobbyWatch, on=False)
        await ben.do(TableLeave)
        await trio.sleep(1)
        assert len(ana.all(LobbyTables)) == before + 1


class Big:
    """A table with as much to show as there can be."""

    def __init__(self, number: int, phase: str) -> None:
        self.id = f"{number:08}"
        self.origin = ""
        self.phase = phase

    def listed(self) -> TableInfo:
        seat = SeatInfo(name="é" * 40, kind="bot", bot="x" * 60, state="stand_in")
        line = ScoreLine(name="é" * 40, seat=1, score=10**9, winner=True)
        options: dict[str, Any] = {f"an option's name {number}": 10**9 for number in range(11)}
        return TableInfo(
            table=self.id,
            title="é" * 200,
            game="robby-solo",
            options=options,
            phase=self.phase,
            host=0,
            capacity=6,
            seats=[seat] * 6,
            match=self.id,
            result=[line] * 7,
        )


class Terse(Big):
    """Few bytes, and as many values as any other."""

    def listed(self) -> TableInfo:
        seat = SeatInfo(name="A", kind="bot", bot="x", state="here")
        line = ScoreLine(name="A", seat=1, score=1, winner=True)
        return replace(super().listed(), title="", seats=[seat] * 6, result=[line] * 7)


async def test_a_lobby_of_many_terse_tables_can_be_read(autojump_clock: Any) -> None:
    """A client reads so many values of one frame and no more."""
    async with running(Settings(listed_tables=1_000)) as host:
        for number in range(1_000):
            host.server.directory.add(Terse(number, "waiting"))
        watcher = await host.guest("Xenia")
        await watcher.call(LobbyWatch, on=True)
        picture = await watcher.expect(LobbyTables)
        assert 300 <= len(picture.tables) < 1_000
        assert len(await tables(watcher)) == len(picture.tables)
        size = codec.count_values(codec.plain(picture.tables[0]))
        assert len(picture.tables) + 1 > (codec.MAX_VALUES_FROM_SERVER - 20) // size  # as many as there is room for


@pytest.mark.parametrize("listed", [300, 2_000])
async def test_a_lobby_of_many_full_tables_fits_a_frame(listed: int, autojump_clock: Any) -> None:
    async with running(Settings(listed_tables=listed)) as host:
        for number in range(1_000):
            host.server.directory.add(Big(number, "playing" if number < 800 else "waiting"))
        watcher = await host.guest("Xenia")
        await watcher.call(LobbyWatch, on=True)
        picture = await watcher.expect(LobbyTables)
        assert 200 < len(picture.tables) <= listed
        assert [table.phase for table in picture.tables[:201]] == ["waiting"] * 200 + ["playing"]
        assert len(await tables(watcher)) == len(picture.tables)
        assert (await watcher.refused(TableJoin, table="00000001")).code == errors.NO_SUCH_TABLE
