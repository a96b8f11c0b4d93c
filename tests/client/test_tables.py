"""A client at tables: private ones, watching through losses, the fair deal by itself, chat, records."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from robby_client import codes
from robby_client.client import Client, Refused
from robby_client.events import Connected, DealTrouble, Ended, Lost, Received
from robby_client.files import NotWritable
from robby_client.keeper import Keeper
from robby_client.link import FINAL
from robby_client.receipt import from_bytes
from robby_protocol import errors, fair, identity
from robby_protocol.messages import (
    ChatSaid,
    ChatSend,
    DealCommitted,
    DealOpen,
    DealOpened,
    DealRevealed,
    Error,
    Goodbye,
    LobbyTables,
    LobbyWatch,
    RecordGet,
    ScoreLine,
    TableClosed,
    TableConfigure,
    TableCreate,
    TableJoin,
    TableReady,
    TableStart,
    TableState,
    TableUnwatch,
    TableWatch,
)
from tests.client.fakes import SERVER_ID, FakeServer, Peer, connected, next_event, table, table_state, update

SECRET = b"s" * 32
COMMITMENT = fair.server_commitment("m1", SECRET)


async def refuse(peer: Peer, kind: Any, code: str) -> Any:
    command = await peer.expect(kind)
    await peer.send(Error(re=command.id, code=code, text=""))
    return command


async def told(client: Client, kind: type[Any]) -> Any:
    """The next message of this kind; others are passed over."""
    while True:
        event = await next_event(client, Received)
        if isinstance(event.message, kind):
            return event.message


# Private tables. Real clock: the key is made in a thread.


async def test_a_password_is_proven_over_the_connection_and_worked_for_the_next_time_too() -> None:
    server = FakeServer()
    client = server.client()
    key = identity.table_password_key("friday", SERVER_ID)
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)

        async def expect_proof() -> None:
            command = await peer.answer(TableJoin, {"table": "AB12", "seat": 1})
            assert command.table == "AB12"
            assert command.invite == ""
            proof = identity.password_proof(key, peer.connection.table_password_payload("AB12"))
            assert command.password_proof == proof

        for password in ("friday", None):
            nursery.start_soon(expect_proof)
            assert (await client.join("ab-i2", password=password))["seat"] == 1
        client.stop()


async def test_what_was_refused_is_not_remembered() -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        nursery.start_soon(refuse, peer, TableJoin, errors.ACCESS_DENIED)
        with pytest.raises(Refused) as refused:
            await client.join("AB12", invite="wrong")
        assert refused.value.code == errors.ACCESS_DENIED
        commands: list[TableJoin] = []

        async def answer() -> None:
            commands.append(await peer.answer(TableJoin))

        nursery.start_soon(answer)
        await client.join("AB12")
        assert commands[0].invite == ""
        client.stop()


async def test_creating_and_changing_a_private_table_sends_the_key_and_never_the_password() -> None:
    server = FakeServer()
    client = server.client()
    key = identity.table_password_key("friday", SERVER_ID)
    seen: list[bytes | None] = []
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)

        async def answers() -> None:
            seen.append((await peer.answer(TableCreate, {"table": "AB12", "seat": 0})).password_key)
            for _number in range(3):
                seen.append((await peer.answer(TableConfigure)).password_key)

        nursery.start_soon(answers)
        await client.create(password="friday", game="robby-solo", private=True)
        await client.configure(password="friday")
        await client.configure(password="")
        await client.configure(spectators=False)
        assert seen == [key, key, b"", None]
        client.stop()


# Watching.


async def watching(server: FakeServer, client: Client, nursery: trio.Nursery, peer: Peer) -> None:
    nursery.start_soon(peer.answer, TableWatch, {"table": "T1", "delay_s": 0})
    await client.watch("t1", invite="CODE")
    await peer.send(table_state(None))
    await peer.send(update(1, own=None))
    await next_event(client, Received)
    await next_event(client, Received)
    assert client.world.watching
    assert client.world.game is not None


async def test_a_watcher_comes_back_by_itself_and_goes_on_watching(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await watching(server, client, nursery, peer)
        await peer.close()
        await next_event(client, Lost)
        peer = await server.accept()
        await peer.welcome()
        command = await peer.answer(TableWatch)
        assert (command.table, command.invite) == ("T1", "CODE")
        await next_event(client, Connected)
        assert client.world.watching  # the picture stays meanwhile
        client.stop()


@pytest.mark.parametrize("code", [errors.NO_SUCH_TABLE, errors.ACCESS_DENIED, errors.SPECTATORS_FORBIDDEN])
async def test_a_watcher_who_is_refused_after_a_loss_is_told_and_back_in_the_lobby(
    code: str, autojump_clock: MockClock
) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await watching(server, client, nursery, peer)
        await peer.close()
        await next_event(client, Lost)
        peer = await server.accept()
        await peer.welcome()
        await refuse(peer, TableWatch, code)
        await next_event(client, Connected)
        closed = await told(client, TableClosed)
        assert closed.code == code
        assert client.world.table is None
        # And it is not tried again.
        await peer.close()
        await next_event(client, Lost)
        peer = await server.accept()
        await peer.welcome()
        await next_event(client, Connected)
        nursery.start_soon(partial(client.call, LobbyWatch, on=True))
        await peer.answer(LobbyWatch)
        client.stop()


async def test_who_stopped_watching_does_not_watch_again(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await watching(server, client, nursery, peer)
        nursery.start_soon(peer.answer, TableUnwatch)
        await client.unwatch()
        assert client.world.table is None
        await peer.close()
        await next_event(client, Lost)
        peer = await server.accept()
        await peer.welcome()
        await next_event(client, Connected)
        nursery.start_soon(partial(client.call, LobbyWatch, on=True))
        await peer.answer(LobbyWatch)
        client.stop()


# The fair deal.


def next_match(**fields: Any) -> TableState:
    values: dict[str, Any] = {"phase": "waiting", "match": None}
    return TableState(table=table(**(values | fields)), you=0, next_match="m1", commitment=COMMITMENT)


async def ready(client: Client, peer: Peer, nursery: trio.Nursery) -> bytes:
    """Get ready; the commitment that was sent."""
    await peer.send(next_match())
    await told(client, TableState)
    commands: list[TableReady] = []

    async def answer() -> None:
        commands.append(await peer.answer(TableReady))

    nursery.start_soon(answer)
    await client.call(TableReady, ready=True)
    return commands[0].commitment


async def test_ready_commits_and_the_client_opens_by_itself_and_keeps_a_receipt(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    server = FakeServer()
    client = server.client(keeper=Keeper(tmp_path))
    ben = b"b" * 32
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        own = await ready(client, peer, nursery)
        assert len(own) == 32
        seats = [own, fair.seat_commitment(ben), b""]
        await peer.send(DealCommitted(table="t1", match="m1", server=COMMITMENT, seats=seats, remaining_ms=10_000))
        command = await peer.answer(DealOpen)
        assert command.match == "m1"
        assert fair.seat_commitment(command.nonce) == own
        nonces = [command.nonce, ben, b""]
        await peer.send(DealOpened(table="t1", match="m1", nonces=nonces))
        await peer.send(table_state())
        events: list[dict[str, Any]] = [{"type": "round_began", "n": 1}, {"type": "other"}]
        await peer.send(update(1, events=events))
        result = [ScoreLine(name="Ana", seat=0, score=5, winner=True)]
        await peer.send(table_state(phase="finished", result=result))
        await peer.send(DealRevealed(table="t1", match="m1", secret=SECRET))
        await told(client, DealRevealed)
        client.stop()
    [file] = (tmp_path / "receipts").iterdir()
    receipt = from_bytes(file.read_bytes())
    assert receipt.server_id == SERVER_ID.hex()
    assert receipt.match == "m1"
    assert receipt.names == ["Ana", "Ben", "Cleo"]
    assert receipt.commitment == COMMITMENT.hex()
    assert receipt.commitments == [seat.hex() for seat in seats]
    assert receipt.nonces == [nonce.hex() for nonce in nonces]
    assert (receipt.seat, receipt.nonce) == (0, command.nonce.hex())
    assert (receipt.events, receipt.events_digest) == (2, fair.events_digest(events).hex())
    assert receipt.finished
    assert receipt.results == result
    assert receipt.secret == SECRET.hex()


async def test_the_start_commits_too_and_not_ready_does_not(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await ready(client, peer, nursery)
        seen: list[bytes] = []

        async def answers() -> None:
            seen.append((await peer.answer(TableReady)).commitment)
            seen.append((await peer.answer(TableStart, {"match": "m1"})).commitment)

        nursery.start_soon(answers)
        await client.call(TableReady, ready=False)
        await client.call(TableStart)
        assert seen[0] == b""
        assert len(seen[1]) == 32
        client.stop()


async def test_a_deal_without_the_own_commitment_is_not_opened_and_shouted_about(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await ready(client, peer, nursery)
        seats = [fair.seat_commitment(SECRET), b"", b""]
        await peer.send(DealCommitted(table="t1", match="m1", server=COMMITMENT, seats=seats, remaining_ms=10_000))
        trouble = await next_event(client, DealTrouble)
        assert (trouble.match, trouble.code) == ("m1", codes.DEAL_COMMITMENT_MISSING)
        # Nothing was opened: the next that is sent is what is asked now.
        nursery.start_soon(partial(client.call, LobbyWatch, on=True))
        await peer.answer(LobbyWatch)
        client.stop()


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (DealOpened(table="t1", match="m1", nonces=[b"x" * 32, b"", b""]), codes.DEAL_NONCE_WRONG),
        (DealRevealed(table="t1", match="m1", secret=b"x" * 32), codes.DEAL_SECRET_WRONG),
    ],
)
async def test_what_does_not_fit_the_commitments_is_shouted_about(
    wrong: DealOpened | DealRevealed, code: str, autojump_clock: MockClock
) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        own = await ready(client, peer, nursery)
        seats = [own, b"", b""]
        await peer.send(DealCommitted(table="t1", match="m1", server=COMMITMENT, seats=seats, remaining_ms=10_000))
        await peer.answer(DealOpen)
        await told(client, DealCommitted)
        await peer.send(wrong)
        assert (await next_event(client, DealTrouble)).code == code
        client.stop()


# Chat.


async def test_what_is_said_goes_to_the_table_or_the_lobby(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    said: list[tuple[str | None, str]] = []
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)

        async def answers() -> None:
            for _number in range(3):
                command = await peer.answer(ChatSend)
                said.append((command.table, command.text))

        nursery.start_soon(answers)
        await client.say("hello")
        await peer.send(table_state())
        await told(client, TableState)
        await client.say("[b]here")
        await client.say("all", lobby=True)
        assert said == [(None, "hello"), ("t1", "[b]here"), (None, "all")]
        client.stop()


async def test_the_lobbys_past_lines_are_not_doubled_by_looking_again(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        for _time in range(2):
            nursery.start_soon(peer.answer, LobbyWatch)
            await client.call(LobbyWatch, on=True)
            for text in ("one", "two"):
                await peer.send(ChatSaid(name="Ben", text=text, past=True))
                await told(client, ChatSaid)
        assert [line.text for line in client.world.lobby_chat.lines] == ["one", "two"]
        client.stop()


async def test_mutes_are_kept_by_whoever_was_asked_to() -> None:
    kept: list[list[str]] = []
    client = FakeServer().client(mutes=["Ben"], on_mutes=kept.append)
    client.mute("Cleo")
    client.unmute("BEN")
    assert kept == [["Ben", "Cleo"], ["Cleo"]]


# Records.


async def test_a_record_is_saved_once_and_under_a_harmless_name(autojump_clock: MockClock, tmp_path: Path) -> None:
    server = FakeServer()
    client = server.client(keeper=Keeper(tmp_path))
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)

        async def answers() -> None:
            for record in (b"one", b"one", b"two", b"three"):
                await peer.answer(RecordGet, {"record": record})

        nursery.start_soon(answers)
        first = await client.save_record("AB12-1")
        assert first == tmp_path / "records" / "AB12-1.robby"
        assert await client.save_record("AB12-1") == first
        second = await client.save_record("AB12-1")
        assert (first.read_bytes(), second.read_bytes()) == (b"one", b"two")
        third = await client.save_record("../../etc/x", tmp_path / "mine")
        assert third.parent == tmp_path / "mine"
        client.stop()


@pytest.mark.parametrize("result", [{}, {"record": "text"}, {"record": b""}])
async def test_an_answer_without_a_record_is_a_refusal(result: dict[str, Any], autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        nursery.start_soon(peer.answer, RecordGet, result)
        with pytest.raises(Refused) as refused:
            await client.save_record("m1")
        assert refused.value.code == errors.NO_SUCH_RECORD
        client.stop()


async def test_a_record_that_cannot_be_written_says_so(autojump_clock: MockClock, tmp_path: Path) -> None:
    server = FakeServer()
    client = server.client()
    (tmp_path / "file").write_bytes(b"")
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        nursery.start_soon(peer.answer, RecordGet, {"record": b"one"})
        with pytest.raises(NotWritable):
            await client.save_record("m1", tmp_path / "file")
        client.stop()


# Ends.


@pytest.mark.parametrize("code", sorted(FINAL))
async def test_after_a_final_farewell_it_does_not_come_back(code: str, autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.send(Goodbye(code=code, text="", reconnect=True))
        await next_event(client, Received)
        assert (await next_event(client, Ended)).code == code
    assert len(server.dials) == 1


@pytest.mark.parametrize("how", ["join", "watch"])
async def test_a_table_whose_game_is_not_known_here_is_refused_before_anything_is_sent(
    how: str, autojump_clock: MockClock
) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        listed = table(table="AB12", game="chess")
        await peer.send(LobbyTables(people=1, tables=[listed]))
        await told(client, LobbyTables)
        with pytest.raises(Refused) as refused:
            await getattr(client, how)(listed.table)
        assert refused.value.code == codes.GAME_UNKNOWN
        client.stop()
