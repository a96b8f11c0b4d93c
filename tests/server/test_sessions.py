"""One connection: its limits in time, size and rate, bad messages, slow and silent peers."""

import struct
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest
import trio
from structlog.testing import capture_logs

from robby_protocol import errors
from robby_protocol.framing import LIMIT_FROM_CLIENT, LIMIT_HANDSHAKE_FROM_CLIENT
from robby_protocol.messages import (
    Error,
    GameUpdate,
    Goodbye,
    Hello,
    LobbyList,
    LobbyTables,
    LobbyWatch,
    Message,
    Ok,
    Ping,
    Refused,
    TableConfigure,
    TableReady,
)
from robby_server.app import Server
from robby_server.memory import memory_stream_pair
from robby_server.settings import Settings
from robby_server.transport import StreamTransport
from tests.server.kit import play_all, running, settled, sit_down


def frame(message: Any) -> bytes:
    body = msgpack.packb(message)
    return struct.pack(">I", len(body)) + bytes(body)


async def test_silence_before_the_handshake(autojump_clock: Any) -> None:
    settings = Settings()
    async with running(settings) as host:
        silent, greeted = host.peer(), host.peer()
        began = trio.current_time()
        await greeted.hello()
        await silent.until_closed()
        await greeted.until_closed()
        assert trio.current_time() - began <= settings.handshake_seconds + settings.farewell_seconds
        for peer in (silent, greeted):
            assert peer.last(Refused).code == errors.HANDSHAKE_TIMEOUT
        await trio.sleep(2)
        assert host.server.connections == 0


async def test_a_handshake_in_drops_ends_in_time(autojump_clock: Any) -> None:
    settings = Settings()
    async with running(settings) as host:
        peer = host.peer()
        data = frame({"type": "hello", "versions": [[1, 0]], "client": "x" * 60})
        began = trio.current_time()
        for byte in data:
            try:
                await peer.stream.send_all(bytes([byte]))
            except trio.BrokenResourceError:
                break
            await trio.sleep(1)
        else:
            raise AssertionError("it was never cut off")
        assert trio.current_time() - began <= settings.handshake_seconds + 2


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", errors.NOT_ROBBY),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500), errors.NOT_ROBBY),
        (b"\x00\x00\x00\x00", errors.FRAME_EMPTY),
        (b"\xff\xff\xff\xff", errors.FRAME_TOO_LARGE),
        (struct.pack(">I", LIMIT_HANDSHAKE_FROM_CLIENT + 1), errors.FRAME_TOO_LARGE),
        (frame(["hello"]), errors.MALFORMED),
        (frame({"type": "hello"}), errors.INVALID_MESSAGE),
        (frame({"type": "login"}), errors.HANDSHAKE_ORDER),
        (frame({"type": "hello", "versions": [[0, 9]]}), errors.CLIENT_TOO_OLD),
        (frame({"type": "hello", "versions": [[2, 0]]}), errors.SERVER_TOO_OLD),
    ],
)
async def test_strangers_are_told_and_closed(data: bytes, code: str, autojump_clock: Any) -> None:
    async with running() as host:
        peer = host.peer()
        began = trio.current_time()
        await peer.stream.send_all(data)
        await peer.until_closed()
        assert peer.last(Refused).code == code
        assert trio.current_time() - began < 0.1


async def test_closing_before_or_in_the_handshake_is_no_fault(autojump_clock: Any) -> None:
    with capture_logs() as logs:
        async with running() as host:
            early, greeted, half = host.peer(), host.peer(), host.peer()
            await early.drop()
            await greeted.hello()
            await greeted.drop()
            await half.stream.send_all(b"\x00\x00")
            await half.drop()
            await settled()
            await trio.sleep(2)
            assert host.server.connections == 0
    assert not [entry for entry in logs if entry["log_level"] in ("error", "critical")]


async def test_a_frame_that_does_not_end(autojump_clock: Any) -> None:
    settings = Settings()
    async with running(settings) as host:
        peer = await host.guest("Ana")
        began = trio.current_time()
        await peer.stream.send_all(struct.pack(">I", LIMIT_FROM_CLIENT))
        while not peer.closed and trio.current_time() < began + 60:
            try:
                await peer.stream.send_all(b"x")
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                break
            await trio.sleep(1)
        assert trio.current_time() - began <= settings.partial_frame_seconds + 3
        await peer.until_closed()
        assert peer.last(Goodbye).code == errors.FRAME_TIMEOUT


async def test_frames_cut_anywhere_and_merged(autojump_clock: Any) -> None:
    async with running() as host:
        peer = await host.guest("Ana")
        data = peer.connection.send(LobbyList(id=1000))
        for cut in range(1, len(data)):
            await peer.stream.send_all(data[:cut])
            await settled()
            await peer.stream.send_all(data[cut:])
            await settled()
        assert len(peer.answers[1000]) == len(data) - 1
        await trio.sleep(10)
        many = [LobbyList(id=number) for number in range(2000, 2050)]
        await peer.send(*many)
        await settled()
        assert all(isinstance(peer.answers[command.id][0], Ok) for command in many)


@pytest.mark.parametrize(
    ("message", "code", "re"),
    [
        ({"type": "no.such", "id": 7}, errors.UNKNOWN_COMMAND, 7),
        ({"type": "no.such"}, errors.UNKNOWN_COMMAND, None),
        ({"type": "no.such", "id": "x"}, errors.UNKNOWN_COMMAND, None),
        ({"type": "table.join", "id": 8}, errors.INVALID_MESSAGE, 8),
        ({"type": "table.join", "id": 8, "table": 5}, errors.INVALID_MESSAGE, 8),
        ({"type": "table.join", "id": 0, "table": "x"}, errors.INVALID_MESSAGE, None),
        ({"type": "table.join", "table": "x"}, errors.INVALID_MESSAGE, None),
        ({"type": "game.act", "id": 9, "table": "x", "decision": -1, "action": {}}, errors.INVALID_MESSAGE, 9),
        ({"type": "welcome", "id": 3}, errors.UNKNOWN_COMMAND, 3),
        ({"type": "ping", "n": "x"}, errors.INVALID_MESSAGE, None),
    ],
)
async def test_messages_that_mean_nothing(
    message: dict[str, Any], code: str, re: int | None, autojump_clock: Any
) -> None:
    async with running() as host:
        peer = await host.guest("Ana")
        await peer.stream.send_all(frame(message))
        error = await peer.expect(Error)
        assert (error.code, error.re) == (code, re)
        assert error.text
        await peer.call(LobbyList)


async def test_broken_bytes_end_the_connection_and_no_other(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        await ana.stream.send_all(struct.pack(">I", 3) + b"\xc1\xc1\xc1")
        await ana.until_closed()
        assert ana.last(Goodbye).code == errors.MALFORMED
        await ben.call(LobbyList)
        again = await host.again(ana)
        assert again.welcome is not None


async def test_saying_hello_twice(autojump_clock: Any) -> None:
    async with running() as host:
        peer = await host.guest("Ana")
        await peer.stream.send_all(frame({"type": "hello", "versions": [[1, 0]]}))
        await peer.until_closed()
        assert peer.last(Goodbye).code == errors.HANDSHAKE_ORDER


async def test_one_answer_for_each_of_many_commands(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = await host.seated(2)
        commands: list[Message] = []
        for _ in range(25):
            commands += [TableReady(id=ben.new_id(), ready=True), TableConfigure(id=ben.new_id(), title="x")]
        await ben.send(*commands)
        await settled()
        for command in commands:
            assert len(ben.answers[command.id]) == 1  # type: ignore[attr-defined]
        assert not ana.closed


async def test_a_flooder_is_slowed_told_once_and_delays_nobody(autojump_clock: Any) -> None:
    settings = Settings()
    async with running(settings) as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        count = settings.message_burst * 5
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: ana.send(*(LobbyList(id=number) for number in range(1, count + 1))))
            for _ in range(20):
                asked = trio.current_time()
                await ben.call(LobbyList)
                assert trio.current_time() - asked < 0.01
                await trio.sleep(0.5)
        await ana.until(lambda: count in ana.answers)
        assert trio.current_time() - began >= (count - settings.message_burst) / settings.message_rate * 0.9
        assert all(isinstance(ana.answers[number][0], Ok) for number in range(1, count + 1))
        notices = [error for error in ana.all(Error) if error.code == errors.TOO_MANY_MESSAGES]
        assert len(notices) == 1
        assert notices[0].re is None


async def test_pings_and_silence(autojump_clock: Any) -> None:
    settings = Settings()
    async with running(settings) as host:
        alive, dead = await host.guest("Ana"), await host.guest("Ben")
        dead.pongs = False
        began = trio.current_time()
        await dead.until_closed()
        assert settings.silence_seconds <= trio.current_time() - began <= 30
        assert dead.last(Goodbye).code == errors.SILENT
        await trio.sleep(300)
        assert not alive.closed
        pings = alive.all(Ping)
        assert [ping.n for ping in pings] == list(range(1, len(pings) + 1))
        assert len(pings) == pytest.approx((300 + settings.silence_seconds) / settings.ping_seconds, abs=3)
        assert alive.welcome is not None
        assert (alive.welcome.ping_ms, alive.welcome.silence_ms) == (5_000, 25_000)


async def test_standing_still_is_nobodys_silence(autojump_clock: Any) -> None:
    """The whole process was stopped, or the machine paused: all peers are still there when it goes on."""
    settings = Settings()
    async with running(settings) as host:
        alive, dead = await host.guest("Ana"), await host.guest("Ben")
        autojump_clock.jump(10 * settings.silence_seconds)
        await alive.call(LobbyList)
        assert not alive.closed
        assert not dead.closed
        dead.pongs = False
        began = trio.current_time()
        await dead.until_closed()
        assert trio.current_time() - began <= 30
        assert not alive.closed


async def test_anything_counts_as_life(autojump_clock: Any) -> None:
    async with running() as host:
        peer = await host.guest("Ana")
        peer.pongs = False
        for _ in range(20):
            await trio.sleep(10)
            await peer.call(LobbyList)


def stall(stream: Any) -> trio.Event:
    """Let the reader of a stream hang until the event is set."""
    receive = stream.receive_some
    gate = trio.Event()

    async def gated(most: int | None = None) -> bytes:
        await gate.wait()
        return bytes(await receive(most))

    stream.receive_some = gated
    return gate


class NarrowServer(Server):
    """Streams in memory hold little, so that an outbox fills soon."""

    def connect_narrow(self) -> Any:
        ours, theirs = memory_stream_pair(limit=1_000)
        self._begin(StreamTransport(ours), trusted=True)
        return theirs


async def test_a_reader_that_stops_is_dropped_and_nobody_waits_for_it(autojump_clock: Any) -> None:
    """The table plays on, the slow one is told `too_slow`, and comes back to its seat."""
    settings = Settings(outbox_bytes=20_000, message_burst=100_000)
    async with running(settings) as host:
        host.server.__class__ = NarrowServer
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        slow_stream = host.server.connect_narrow()  # type: ignore[attr-defined]
        cleo = await host.guest("Cleo", stream=slow_stream)
        await sit_down([ana, ben, cleo])
        cleo.stop_reading()
        waits: list[float] = []
        for number in range(200):
            asked = trio.current_time()
            await ana.do(TableConfigure, title=f"{number}")
            waits.append(trio.current_time() - asked)
            if ana.state.table.seats[2].state == "away":
                break
        assert ana.state.table.seats[2].state == "away"
        assert max(waits) < 0.01
        again = await host.again(cleo)
        await settled()
        assert again.state.you == 2
        await trio.sleep(5)
        assert host.server.connections == 3


async def test_last_words_after_a_full_outbox_can_be_read(autojump_clock: Any) -> None:
    """A frame that has begun is finished; what follows is dropped; then comes the goodbye."""
    settings = Settings(outbox_bytes=20_000, message_burst=100_000)
    async with running(settings) as host:
        host.server.__class__ = NarrowServer
        stream = host.server.connect_narrow()  # type: ignore[attr-defined]
        peer = await host.guest("Ana", stream=stream)
        gate = stall(stream)
        await peer.send(*(LobbyList(id=number) for number in range(1, 1_500)))
        await settled()
        gate.set()
        await peer.until_closed()
        assert peer.last(Goodbye).code == errors.TOO_SLOW
        assert peer.last(Goodbye).reconnect


async def test_lobby_pushes_wait_for_a_slow_watcher(autojump_clock: Any) -> None:
    settings = Settings(lobby_outbox_bytes=2_000, message_burst=100_000)
    async with running(settings) as host:
        host.server.__class__ = NarrowServer
        stream = host.server.connect_narrow()  # type: ignore[attr-defined]
        watcher = await host.guest("Xenia", stream=stream)
        await watcher.call(LobbyWatch, on=True)
        gate = stall(stream)
        (ana,) = await host.seated(1)
        for number in range(60):
            await ana.do(TableConfigure, title=f"title {number}")
            await trio.sleep(settings.lobby_seconds)
        assert not watcher.closed
        received = len(watcher.all(LobbyTables))
        gate.set()
        await trio.sleep(2)
        assert len(watcher.all(LobbyTables)) < received + 30
        assert watcher.last(LobbyTables).tables[0].title == "title 59"


async def test_a_fault_in_one_sessions_handler_ends_that_session(
    autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running() as host:
        ana, ben, cleo = peers = await host.playing(3, options={"max_rounds": 2})
        dora = await host.guest("Dora")
        real = host.server.directory.listing

        def broken() -> Any:
            raise RuntimeError("a fault of ours")

        monkeypatch.setattr(host.server.directory, "listing", broken)
        with capture_logs() as logs:
            await dora.send(LobbyList(id=1))
            await dora.until_closed()
        assert dora.last(Goodbye).code == errors.INTERNAL
        assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["session_failed"]
        monkeypatch.setattr(host.server.directory, "listing", real)
        await play_all(peers)
        assert ana.over
        assert ben.newest(GameUpdate) is not None
        assert not cleo.closed


async def test_a_message_that_cannot_be_sent_ends_that_session(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        session = next(iter(host.server._sessions))
        with capture_logs() as logs:
            session.send(Hello(versions=[(1, 0)]))
            await ana.until_closed()
        assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["message_not_sent"]
        assert ana.last(Goodbye).code == errors.INTERNAL
