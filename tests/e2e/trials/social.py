"""Names that look like others, hosts that go, kicks that race, tables that come and go (PR-13, PR-14)."""

import gc

import trio

from robby_server.listeners import open_listeners
from robby_server.settings import Settings
from tests.e2e.trials.measured import Measured, poll
from tests.e2e.trials.served import Served
from tests.e2e.trials.tables import begin, people, play_all, sit
from tests.e2e.trials.wire import Gone, Refused, Wire, again, clients, connect, guest
from tests.server.kit import running

# PR-13

NAMES = {
    "lower case": "bob",
    "trailing space": "Bob ",
    "leading space": " Bob",
    "full width": "Ｂｏｂ",
    "Cyrillic o": "B\u043eb",
    "zero width space": "B\u200bob",
    "right-to-left override": "\u202eboB",
    "only zero width": "\u200b",
    "empty": "",
    "spaces": "   ",
    "newline inside": "Bo\nb",
    "escape": "\x1b[2JBob",
    "bell": "Bob\x07",
    "byte 0x9b": "\x9bBob",
    "next line": "Bo\x85b",
    "server": "server",
    "Server": "Server",
    "Gentleman": "Gentleman",
    "too long": "B" * 100,
    "decomposed": "Ren\u0065\u0301",
    "another look-alike": "BOB",
}


async def names(served: Served) -> Measured:
    """Names that look like another's, or harm a terminal, or are reserved: refused with a code and a reason."""
    codes: dict[str, str] = {}
    async with clients() as nursery:
        await guest(nursery, served.port, "Bob")
        await guest(nursery, served.port, "Ren\u00e9")
        for what, name in NAMES.items():
            try:
                other = await guest(nursery, served.port, name)
            except Refused as refused:
                codes[what] = refused.code
                text = refused.frame["text"]
                assert text, "no reason is given"
                assert not any(ord(c) < 32 or ord(c) in (0x85, 0x9B, 0x200B, 0x202E) for c in text), repr(text)
            else:
                # Padding may be taken off; what is left must not look like somebody else's.
                raise AssertionError(f"{what}: {name!r} was let in as {other.name!r}")
        allowed = {"name_invalid", "name_taken", "name_reserved"}
        assert set(codes.values()) <= allowed, codes
        wire = await connect(nursery, served.port)
        try:
            await wire.log_in("B" * 10_000)
        except (Refused, Gone):
            codes["10 kB"] = wire.newest.get("refused", {}).get("code", "closed")
        assert codes["10 kB"] in ("frame_too_large", "name_invalid", "malformed"), codes
        # The token decides who it is; a name that comes with it cannot make somebody another.
        ana = (await people(nursery, served.port, 1))[0]
        token = ana.welcome["resume"]
        await ana.drop()
        try:
            back = await guest(nursery, served.port, "Bob", resume=token)
            assert back.name != "Bob", "a resume took another's name"
        except Refused as refused:
            codes["another's name at resume"] = refused.code
    return Measured(len(codes), f"all {len(codes)} refused")


# PR-14


async def host_goes(rounds: int) -> Measured:
    """The host leaves, says bye, or is killed, waiting and playing: the one longest here is host, all are told."""
    settings = Settings(host_away_seconds=0.3, waiting_seat_seconds=0.6, connections_per_address=100)
    listeners = await open_listeners("127.0.0.1", 0)
    port = listeners[0].getsockname()[1]
    async with running(settings, listeners=listeners), clients() as nursery:
        for number in range(rounds):
            players = await people(nursery, port, 4)
            await sit(players)
            host, second, third, fourth = players
            if number % 2:
                await host.call("table.leave")
            else:
                await host.send("bye")
            for player in (second, third, fourth):
                await player.expect("table.state", lambda state: len(state["table"]["seats"]) == 3)
                assert player.state["host"] == 0
                assert player.state["seats"][0]["name"] == second.name
                assert _news(player, "host") == [second.name]
            for player in (third, fourth):
                await player.call("table.ready", ready=True)
            await second.call("table.start")
            await third.expect("game.update")
            await second.drop()  # killed in the game
            for player in (third, fourth):
                await player.until(lambda player=player: player.state["host"] == 1)  # type: ignore[misc]
                assert _news(player, "host")[-1] == third.name
            assert await third.code_of("table.hand_over", seat=2, name=fourth.name) == "ok"
            assert await third.code_of("table.hand_over", seat=1, name=third.name) == "not_host"
            for player in (third, fourth):
                await player.call("table.leave")
    return Measured(rounds, "each time the one longest here, told to all")


def _news(player: Wire, code: str) -> list[str]:
    return [news["name"] for state in player.all("table.state") for news in state["news"] if news["code"] == code]


async def kick_races(served: Served, rounds: int) -> Measured:
    """The host kicks somebody who is leaving, or dropping and coming back, at that moment: one clean end."""
    counts = {"kicked": 0, "left first": 0}
    async with clients() as nursery:
        host, victim = await people(nursery, served.port, 2)
        watcher = (await people(nursery, served.port, 1))[0]
        for number in range(rounds):
            table = await sit([host], capacity=3)
            await victim.call("table.join", table=table)
            name = victim.name
            if number % 2 == 0:
                kick = await host.ask("table.kick", seat=1, name=name)
                leave = await victim.ask("table.leave")
                codes = (await host.code(kick), await victim.code(leave))
                assert codes in (("ok", "not_seated"), ("no_such_seat", "ok")), codes
            else:
                await victim.drop()
                kick = await host.ask("table.kick", seat=1, name=name)
                victim = await again(nursery, served.port, victim)
                codes = (await host.code(kick), "")
                assert codes[0] == "ok", codes
            kicked = codes[0] == "ok"
            counts["kicked" if kicked else "left first"] += 1
            await host.expect("table.state", lambda state: len(state["table"]["seats"]) == 1)
            assert await victim.code_of("table.ready", ready=True) == "not_seated"
            joined = await victim.code_of("table.join", table=table)
            assert joined == ("kicked" if kicked else "ok"), joined
            if number % 2 == 0 and kicked:
                closed = [frame for frame in victim.all("table.closed") if frame["table"] == table]
                assert [frame["code"] for frame in closed] == ["kicked"], closed
            if not kicked:
                await victim.call("table.leave")
            await host.call("table.leave")
            tables = (await watcher.call("lobby.list"))["tables"]
            assert table not in [info["table"] for info in tables], "a ghost is left"
            await trio.sleep(0.1 if rounds > 20 else 0)  # below the limit of messages per second
    return Measured(rounds, ", ".join(f"{count} {what}" for what, count in counts.items()))


async def last_person_leaves(served: Served) -> Measured:
    """The last person leaves a table with two bots: it closes at once, waiting or after a game."""
    async with clients() as nursery:
        watcher, host = await people(nursery, served.port, 2)
        for played in (False, True):
            table = await sit([host], bots=["random", "random"], options={"max_rounds": 1})
            if played:
                await host.call("table.start")
                await host.expect("game.update")
                await play_all([host])
            await host.call("table.leave")
            tables = (await watcher.call("lobby.list"))["tables"]
            assert table not in [info["table"] for info in tables], "a table without people is listed"
    return Measured(2, "closed at once")


async def cycles(port: int, count: int) -> None:
    """So many times: a table is made, played for a round, played again, and left."""
    async with clients() as nursery:
        players = await people(nursery, port, 3, keep=False)
        for _ in range(count):
            await sit(players, options={"max_rounds": 1})
            for _match in range(2):
                await begin(players)
                await play_all(players)
            for player in players:
                await player.call("table.leave")
        assert (await players[0].call("lobby.list"))["tables"] == [], "tables are left over"


async def tables_come_and_go(count: int, *, growth: float) -> Measured:
    """Memory and descriptors of the server's process are back at the baseline after many tables."""
    with Served("--quiet") as served:
        await cycles(served.port, min(count, 20))  # what the first tables load stays
        memory, files = served.memory(), served.open_files()
        await cycles(served.port, count)
        await trio.sleep(0.2)
        grown = served.memory() - memory
        assert await poll(lambda: served.open_files() <= files, 5), "descriptors are left over"
    assert grown < growth, f"memory grew by {grown:.1f} MB"
    return Measured(count, f"memory {memory:.0f} MB {grown:+.1f} MB, {files} descriptors as before")


async def tasks_come_back(count: int) -> Measured:
    """Tasks and tables of a server in this process are back at the baseline after many tables."""
    listeners = await open_listeners("127.0.0.1", 0)
    port = listeners[0].getsockname()[1]
    async with running(Settings(connections_per_address=100), listeners=listeners) as host:
        await cycles(port, 1)
        await poll(lambda: host.server.connections == 0, 5)
        baseline = trio.lowlevel.current_statistics().tasks_living
        await cycles(port, count)
        assert await poll(lambda: host.server.connections == 0, 5), "connections are left over"
        tasks = trio.lowlevel.current_statistics().tasks_living
        gc.collect()
        assert list(host.server.directory.all()) == []
    assert tasks <= baseline, f"tasks {baseline} → {tasks}"
    return Measured(count, f"tasks {baseline} → {tasks}, no table left")
