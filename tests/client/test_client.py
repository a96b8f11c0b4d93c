"""The client against a server driven step by step: resume, waits, silence, calls, refusals. Fake clock, no sockets."""

import itertools
import random
from typing import Any

import anyio
import pytest
import trio
from trio.testing import MockClock

from robby_client.client import Client, LoginPlan, NotConnected, Refused, Timings
from robby_client.codes import (
    CLIENT_FAULT,
    CONNECTION_LOST,
    CONNECTION_REFUSED,
    NO_ROBBY_SERVER,
    PASSWORD_NEEDED,
    SERVER_ID_CHANGED,
    SERVER_PROOF_WRONG,
    SERVER_SILENT,
    STOPPED,
    TIMED_OUT,
)
from robby_client.events import Connected, Ended, Lost, Received
from robby_client.link import MAX_WAITING
from robby_games.robby_solo import Lay
from robby_protocol import errors, identity
from robby_protocol.connection import Connection, Role
from robby_protocol.messages import (
    Act,
    Bye,
    Decision,
    Error,
    Goodbye,
    Hello,
    LobbyTables,
    LobbyWatch,
    Login,
    Message,
    Ok,
    Ping,
    Pong,
    TableJoin,
    TableLeave,
)
from robby_protocol.messages import Refused as RefusedMessage
from tests.client.fakes import SERVER_ID, FakeServer, next_event, stream_pair, table_state, update

LAY = [{"type": "lay", "bank": bank} for bank in range(4)]


async def connected(server: FakeServer, client: Client, nursery: trio.Nursery, **welcome: Any) -> Any:
    """Run the client and let it in; the server's end of the connection."""
    nursery.start_soon(client.run)
    peer = await server.accept()
    await peer.welcome(**welcome)
    await next_event(client, Connected)
    return peer


async def test_logs_in_as_a_guest_and_is_told_so(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client(LoginPlan(name="Ana"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        peer = await server.accept()
        await peer.welcome()
        event = await next_event(client, Connected)
        assert not event.resumed
        assert event.welcome.name == "Ana"
        assert peer.login.method == "guest"
        assert len(peer.hello.nonce) == 32
        assert client.world.greeting is not None
        assert client.world.greeting.server_id == SERVER_ID
        client.stop()
        await peer.expect(Bye)
        await peer.close()
        assert (await next_event(client, Ended)).code == STOPPED


async def test_logs_in_with_a_key_that_depends_on_the_server(autojump_clock: MockClock) -> None:
    seed = b"k" * 32
    asked: list[bytes] = []

    def key_for(server_id: bytes) -> bytes:
        asked.append(server_id)
        return seed

    server = FakeServer()
    client = server.client(LoginPlan(name="Ana", key_for=key_for))
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        login: Login = peer.login
        assert asked == [SERVER_ID]
        assert login.method == "key"
        assert login.key == identity.public_key(seed)
        assert identity.verify(login.key, peer.connection.login_proof_payload("Ana", login.key), login.proof)
        client.stop()


async def test_sends_a_proof_of_the_password_and_never_the_password(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client(LoginPlan(name="Ana", password="secret"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        peer = await server.accept()
        login = await peer.greet(password_required=True)
        expected = identity.password_proof(
            identity.password_key("secret", SERVER_ID), peer.connection.password_proof_payload("Ana")
        )
        assert login.password_proof == expected
        client.stop()


async def test_a_password_that_is_asked_for_and_not_known_ends_it(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        peer = await server.accept()
        with pytest.raises(AssertionError):
            await peer.greet(password_required=True)
        assert (await next_event(client, Ended)).code == PASSWORD_NEEDED


@pytest.mark.parametrize(
    "code",
    [
        errors.NAME_TAKEN,
        errors.NAME_INVALID,
        errors.PASSWORD_WRONG,
        errors.BAD_PROOF,
        errors.UNKNOWN_METHOD,
        errors.CLIENT_TOO_OLD,
        "a_code_of_the_future",
    ],
)
async def test_a_refusal_that_cannot_heal_ends_it(code: str, autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        peer = await server.accept()
        await peer.greet()
        await peer.send(RefusedMessage(code=code, text="no\x1b[2J"))
        ended = await next_event(client, Ended)
        assert ended.code == code
        assert "\x1b" not in ended.text
    assert len(server.dials) == 1


async def test_a_refusal_at_hello_is_read_although_the_server_closes_at_once(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        peer = await server.accept()
        await peer.stream.send(peer.connection.close_with(errors.SERVER_TOO_OLD))
        await peer.close()
        assert (await next_event(client, Ended)).code == errors.SERVER_TOO_OLD


async def test_a_refusal_before_hello_could_be_sent_is_read(autojump_clock: MockClock) -> None:
    """A server over its limits says so and closes, maybe before our hello is on its way."""

    async def dial() -> Any:
        ours, theirs = stream_pair()
        await theirs.send(Connection(Role.SERVER).close_with(errors.SERVER_FULL))
        await theirs.aclose()
        return ours

    client = Client(dial, LoginPlan(name="Ana"), first_try_fatal=True)
    await client.run()
    assert (await next_event(client, Ended)).code == errors.SERVER_FULL


async def test_a_full_server_is_tried_again(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        peer = await server.accept()
        await peer.expect(Hello)
        await peer.send(RefusedMessage(code=errors.SERVER_FULL, text="full"))
        lost = await next_event(client, Lost)
        assert (lost.code, lost.attempt) == (errors.SERVER_FULL, 1)
        await (await server.accept()).welcome()
        await next_event(client, Connected)
        client.stop()


async def test_something_else_than_a_robby_server_is_said_so(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        peer = await server.accept()
        await peer.stream.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        assert (await next_event(client, Ended)).code == NO_ROBBY_SERVER


async def test_a_server_that_says_nothing_is_given_up_in_time(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client(first_try_fatal=True)
    await client.run()
    assert (await next_event(client, Ended)).code == TIMED_OUT
    assert trio.current_time() == pytest.approx(Timings().handshake)


async def test_first_try_fatal_ends_it_and_otherwise_it_goes_on(autojump_clock: MockClock) -> None:
    server = FakeServer()
    server.up = False
    client = server.client(first_try_fatal=True)
    await client.run()
    assert await next_event(client, Ended) == Ended(CONNECTION_REFUSED, (await _refused_text()))
    patient = server.client()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(patient.run)
        for attempt in range(1, 6):
            lost = await next_event(patient, Lost)
            assert (lost.code, lost.attempt) == (CONNECTION_REFUSED, attempt)
        server.up = True
        await (await server.accept()).welcome()
        await next_event(patient, Connected)
        patient.stop()


async def _refused_text() -> str:
    from robby_client.codes import text_for

    return text_for(CONNECTION_REFUSED)


async def test_five_minutes_away_the_waits_grow_stay_below_thirty_seconds_and_it_comes_back(
    autojump_clock: MockClock,
) -> None:
    server = FakeServer()
    client = server.client(rng=random.Random(1))
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        server.up = False
        await peer.close()
        began = trio.current_time()
        waits = []
        while trio.current_time() < began + 300:
            lost = await next_event(client, Lost)
            waits.append(lost.retry_in)
            await trio.sleep(lost.retry_in)
        assert waits[0] <= 0.5
        assert all(wait <= 30 for wait in waits)
        growing = [wait for wait in waits if wait < 15]
        assert growing == sorted(growing)
        assert max(waits) > 15
        assert len(set(waits)) == len(waits), "jittered"
        gaps = [later - earlier for earlier, later in itertools.pairwise(server.dials[1:])]
        assert gaps == pytest.approx(waits[1 : len(gaps) + 1])
        server.up = True
        again = await server.accept()
        assert trio.current_time() < began + 300 + 61
        await again.welcome()
        while not isinstance(event := await client.events.__anext__(), Connected):
            assert isinstance(event, Lost)
        assert event.resumed
        assert again.login.resume == b"token"
        client.stop()


async def test_two_clients_do_not_come_back_in_the_same_moment() -> None:
    from robby_client.backoff import Backoff

    one, two = Backoff(0.5, 30, random.Random(1)), Backoff(0.5, 30, random.Random(2))
    assert [one.next() for _try in range(8)] != [two.next() for _try in range(8)]


async def test_a_server_that_lets_in_and_drops_at_once_is_not_hammered(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        for _try in range(8):
            peer = await server.accept()
            await peer.welcome()
            await next_event(client, Connected)
            await peer.close()
            await next_event(client, Lost)
        assert server.dials[-1] - server.dials[-2] > 10
        peer = await server.accept()
        await peer.welcome()
        await next_event(client, Connected)
        for _second in range(4):
            await trio.sleep(5)
            await peer.send(Ping(n=1))
        await peer.close()
        assert (await next_event(client, Lost)).retry_in <= 0.5, "a connection that held makes the waits begin anew"
        client.stop()


async def test_a_silent_server_is_noticed_within_thirty_seconds(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        peer.stream.stalled = True
        began = trio.current_time()
        lost = await next_event(client, Lost)
        assert lost.code == SERVER_SILENT
        assert 24 <= trio.current_time() - began <= 30
        await (await server.accept()).welcome()
        assert (await next_event(client, Connected)).resumed
        client.stop()


async def test_heartbeats_go_both_ways_and_keep_a_quiet_connection(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        for number in range(30):
            ping = await peer.expect(Ping)
            await peer.send(Pong(n=ping.n))
            await peer.send(Ping(n=number))
            assert (await peer.expect(Pong)).n == number
        assert trio.current_time() >= 100
        assert client.connected
        client.stop()


async def test_replaced_ends_it_even_if_it_says_to_come_back(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.send(Goodbye(code=errors.REPLACED, text="elsewhere", reconnect=True))
        assert isinstance((await next_event(client, Received)).message, Goodbye)
        assert (await next_event(client, Ended)).code == errors.REPLACED
    assert len(server.dials) == 1


@pytest.mark.parametrize("reconnect", [True, False])
async def test_goodbye_says_whether_to_come_back(reconnect: bool, autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.send(Goodbye(code=errors.SERVER_STOPPING, text="", reconnect=reconnect))
        await next_event(client, Received)
        event = await client.events.__anext__()
        assert isinstance(event, Lost if reconnect else Ended)
        assert event.code == errors.SERVER_STOPPING
        client.stop()


async def test_without_reconnect_any_loss_ends_it(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client(reconnect=False)
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.close()
        assert (await next_event(client, Ended)).code == CONNECTION_LOST


async def test_a_guest_whom_the_server_forgot_comes_back_as_a_new_one(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client(LoginPlan(name="Ana", resume=b"old"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        peer = await server.accept()
        assert (await peer.greet()).resume == b"old"
        await peer.send(RefusedMessage(code=errors.RESUME_UNKNOWN, text=""))
        peer = await server.accept()
        await peer.welcome(identity="new", resume=b"fresh")
        assert peer.login.resume == b""
        assert not (await next_event(client, Connected)).resumed
        await peer.close()
        await next_event(client, Lost)
        peer = await server.accept()
        await peer.welcome(identity="new")
        assert peer.login.resume == b"fresh"
        assert (await next_event(client, Connected)).resumed
        client.stop()


async def test_another_server_in_the_same_place_is_not_given_the_token(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        server.seed = b"other" + bytes(27)
        await peer.close()
        await next_event(client, Lost)
        peer = await server.accept()
        with pytest.raises(AssertionError):
            await peer.greet()
        with pytest.raises(AssertionError):
            _nothing = peer.login
        ended = await next_event(client, Ended)
        assert ended.code == SERVER_ID_CHANGED
        assert ended.known_id == SERVER_ID
        assert ended.new_id == identity.public_key(server.seed)


async def test_a_changed_server_can_be_accepted_by_the_person(autojump_clock: MockClock) -> None:
    asked: list[tuple[bytes, bytes]] = []

    def accept(known: bytes, new: bytes) -> bool:
        asked.append((known, new))
        return True

    server = FakeServer()
    client = server.client(LoginPlan(name="Ana", known_server_id=b"k" * 32, resume=b"old"), accept_server_id=accept)
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        assert asked == [(b"k" * 32, SERVER_ID)]
        assert peer.login.resume == b"", "the token was another server's"
        client.stop()


@pytest.mark.parametrize(
    ("known", "proof", "code"),
    [
        (None, bytes(64), SERVER_PROOF_WRONG),
        (SERVER_ID, bytes(64), SERVER_PROOF_WRONG),
        (SERVER_ID, b"", SERVER_PROOF_WRONG),
        (b"k" * 32, None, SERVER_ID_CHANGED),
    ],
)
async def test_a_server_that_is_not_who_it_says_ends_it(
    known: bytes | None, proof: bytes | None, code: str, autojump_clock: MockClock
) -> None:
    server = FakeServer()
    client = server.client(LoginPlan(name="Ana", known_server_id=known))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        peer = await server.accept()
        with pytest.raises(AssertionError):
            await peer.greet(proof=proof)
        assert (await next_event(client, Ended)).code == code


# Calls.


async def test_a_call_returns_the_result_or_raises_the_refusal(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    results: list[Any] = []

    async def ask() -> None:
        results.append(await client.call(TableJoin, table="t1"))
        with pytest.raises(Refused) as refused:
            await client.call(TableJoin, table="t2")
        results.append((refused.value.code, refused.value.details))
        done.set()

    done = trio.Event()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        nursery.start_soon(ask)
        first = await peer.answer(TableJoin, {"table": "t1", "seat": 2})
        second = await peer.expect(TableJoin)
        assert first.id != second.id
        await peer.send(Error(re=second.id, code=errors.TABLE_FULL, text="full", details={"seats": 6}))
        await done.wait()
        assert results == [{"table": "t1", "seat": 2}, (errors.TABLE_FULL, {"seats": 6})]
        client.stop()


async def test_answers_find_their_calls_in_any_order(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    results: dict[str, Any] = {}

    async def ask(name: str) -> None:
        results[name] = (await client.call(TableJoin, table=name))["table"]

    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        async with trio.open_nursery() as calls:
            for name in ("a", "b", "c"):
                calls.start_soon(ask, name)
            commands = [await peer.expect(TableJoin) for _name in "abc"]
            for command in reversed(commands):
                await peer.send(Ok(re=command.id, result={"table": command.table}))
        assert results == {"a": "a", "b": "b", "c": "c"}
        client.stop()


async def test_a_call_without_a_connection_is_not_kept_for_later(autojump_clock: MockClock) -> None:
    server = FakeServer()
    server.up = False
    client = server.client()
    with pytest.raises(NotConnected) as early:
        await client.call(LobbyWatch, on=True)
    assert not early.value.unsure
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        await next_event(client, Lost)
        with pytest.raises(NotConnected):
            await client.call(TableJoin, table="t1")
        server.up = True
        peer = await server.accept()
        await peer.welcome()
        with trio.move_on_after(20):
            message = await peer.expect(TableJoin)
            pytest.fail(f"sent by surprise: {message}")
        client.stop()


async def test_a_call_whose_connection_is_lost_is_unsure_and_never_sent_again(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    unsure: list[bool] = []

    async def ask() -> None:
        with pytest.raises(NotConnected) as lost:
            await client.call(TableJoin, table="t1")
        unsure.append(lost.value.unsure)

    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        nursery.start_soon(ask)
        await peer.expect(TableJoin)
        await peer.close()
        await next_event(client, Lost)
        again = await server.accept()
        await again.welcome()
        await next_event(client, Connected)
        assert unsure == [True]
        with trio.move_on_after(20):
            message = await again.expect(TableJoin)
            pytest.fail(f"sent again: {message}")
        client.stop()


async def test_a_call_that_never_left_is_known_not_to_be_done(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    unsure: list[bool] = []

    async def ask() -> None:
        with pytest.raises(NotConnected) as lost:
            await client.call(TableJoin, table="t1")
        unsure.append(lost.value.unsure)

    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.close()
        # The end has not been seen yet: the call is taken, but its bytes find a closed stream.
        await ask()
        assert unsure in ([True], [False])
        client.stop()


async def test_a_call_too_long_for_the_protocol_is_refused_here(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        await connected(server, client, nursery)
        with pytest.raises(Refused) as refused:
            await client.call(TableJoin, table="x" * 100_000)
        assert refused.value.code == errors.FRAME_TOO_LARGE
        assert client.connected
        client.stop()


async def test_a_call_after_the_servers_last_word_is_not_connected(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    outcomes: list[type[Exception]] = []

    async def call() -> None:
        try:
            await client.call(TableJoin, table="t1")
        except (Refused, NotConnected) as error:
            outcomes.append(type(error))

    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        apply = client.world.apply

        def apply_and_call(message: Message) -> None:
            apply(message)
            nursery.start_soon(call)

        client.world.apply = apply_and_call  # type: ignore[method-assign]
        await peer.send(Goodbye(code=errors.SERVER_STOPPING, text="", reconnect=False))
        assert isinstance((await next_event(client, Received)).message, Goodbye)
        await next_event(client, Ended)
    assert outcomes == [NotConnected]


async def test_an_answer_that_cannot_be_read_ends_the_call(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)

        async def answer_badly() -> None:
            command = await peer.expect(TableJoin)
            body = b"\x83\xa4type\xa2ok\xa2re" + bytes([command.id]) + b"\xa6result\x07"
            await peer.stream.send(len(body).to_bytes(4, "big") + body)

        nursery.start_soon(answer_badly)
        with pytest.raises(Refused) as refused:
            await client.call(TableJoin, table="t1")
        assert refused.value.code == errors.INVALID_MESSAGE
        client.stop()


async def test_a_caller_that_gives_up_leaves_nothing_behind(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        with trio.move_on_after(1):
            await client.call(TableJoin, table="t1")
        command = await peer.expect(TableJoin)
        await peer.send(Ok(re=command.id))
        await peer.send(LobbyTables(tables=[], people=1))
        assert isinstance((await next_event(client, Received)).message, LobbyTables)
        client.stop()


# Acting.


async def test_act_answers_the_open_decision_once(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery, table="t1")
        await peer.send(table_state())
        await peer.send(update(1, decision=Decision(id=7, legal=LAY)))
        await next_event(client, Received)
        await next_event(client, Received)
        game = client.world.game
        assert game is not None
        with pytest.raises(Refused) as stale:
            await client.act(Lay(bank=2), decision=6)
        assert stale.value.code == errors.STALE_DECISION

        async def take() -> None:
            act = await peer.answer(Act, {"decision": 7})
            assert (act.table, act.decision, act.action) == ("t1", 7, {"type": "lay", "bank": 2})

        nursery.start_soon(take)
        await client.act(Lay(bank=2), decision=7)
        assert game.decision is None
        with pytest.raises(Refused) as nothing:
            await client.act(Lay(bank=2))
        assert nothing.value.code == errors.NO_DECISION
        client.stop()


async def test_a_refused_act_leaves_the_decision_open(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery, table="t1")
        await peer.send(table_state())
        await peer.send(update(1, decision=Decision(id=7, legal=LAY)))
        await next_event(client, Received)
        await next_event(client, Received)

        async def refuse() -> None:
            act = await peer.expect(Act)
            await peer.send(Error(re=act.id, code=errors.ILLEGAL_ACTION, text=""))

        nursery.start_soon(refuse)
        with pytest.raises(Refused):
            await client.act(Lay(bank=6))
        assert client.world.game is not None
        assert client.world.game.decision is not None
        client.stop()


async def test_after_a_resume_the_view_tells_whether_the_act_was_taken(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    outcome: list[bool] = []

    async def act() -> None:
        with pytest.raises(NotConnected) as lost:
            await client.act(Lay(bank=2))
        outcome.append(lost.value.unsure)

    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery, table="t1")
        await peer.send(table_state())
        await peer.send(update(1, decision=Decision(id=7, legal=LAY)))
        await next_event(client, Received)
        await next_event(client, Received)
        nursery.start_soon(act)
        await peer.expect(Act)
        await peer.close()
        await next_event(client, Lost)
        assert client.world.game is not None
        assert client.world.game.decision is None, "nothing can be answered without a connection"
        with pytest.raises(NotConnected):
            await client.act(Lay(bank=1))
        again = await server.accept()
        await again.welcome(table="t1")
        await again.send(table_state())
        await again.send(update(2, own={"seat": 0, "card": 2, "stack": []}))
        await next_event(client, Connected)
        await next_event(client, Received)
        await next_event(client, Received)
        assert outcome == [True]
        assert client.world.game.decision is None
        assert client.world.game.own.card == 2
        client.stop()


async def test_leaving_clears_the_table_the_moment_the_server_agrees(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery, table="t1")
        await peer.send(table_state())
        await next_event(client, Received)
        nursery.start_soon(peer.answer, TableLeave)
        await client.call(TableLeave)
        assert client.world.table is None
        client.stop()


# Ending, and faults.


async def test_stop_says_bye_after_what_was_asked_before(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)

        async def ask() -> None:
            with pytest.raises(NotConnected):
                await client.call(LobbyWatch, on=True)

        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        client.stop()
        client.stop()
        await peer.expect(LobbyWatch)
        await peer.expect(Bye)
        with pytest.raises(NotConnected):
            await client.call(LobbyWatch, on=True)
    assert trio.current_time() <= Timings().farewell, "a server that does not close is not waited for"


@pytest.mark.parametrize("moment", ["before", "dialling", "waiting", "handshake"])
async def test_stop_ends_it_at_any_moment(moment: str, autojump_clock: MockClock) -> None:
    server = FakeServer()
    server.up = moment == "handshake"

    async def dial_for_ever() -> Any:
        await trio.sleep_forever()

    client = Client(dial_for_ever, LoginPlan(name="Ana")) if moment == "dialling" else server.client()
    if moment == "before":
        client.stop()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        await trio.testing.wait_all_tasks_blocked()
        client.stop()
    events = [event async for event in client.events]
    assert isinstance(events[-1], Ended)
    assert events[-1].code == STOPPED
    assert trio.current_time() < 1


async def test_a_cancelled_run_still_ends_the_events(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        await connected(server, client, nursery)
        nursery.cancel_scope.cancel()
    assert isinstance(await next_event(client, Ended), Ended)
    with pytest.raises(StopAsyncIteration):
        await client.events.__anext__()


async def test_a_mistake_of_ours_is_a_loss_and_not_a_traceback(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)

        def broken(message: object) -> None:
            raise ZeroDivisionError("in\nthe world")

        with monkeypatch.context() as patch:
            patch.setattr(client.world, "apply", broken)
            await peer.send(LobbyTables(tables=[], people=1))
            assert (await next_event(client, Lost)).code == "client_fault"
        await (await server.accept()).welcome()
        await next_event(client, Connected)
        client.stop()
    assert len(caplog.records) == 1
    assert "\n" not in caplog.records[0].getMessage()


async def test_a_server_that_breaks_the_protocol_is_left_and_tried_again(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.stream.send(b"\xff\xff\xff\xff")
        assert (await next_event(client, Lost)).code == errors.FRAME_TOO_LARGE
        await (await server.accept()).welcome()
        await next_event(client, Connected)
        client.stop()


def test_the_same_under_asyncio() -> None:
    """The client runs in Textual's loop too: login, call, loss, resume and stop, on asyncio's own clock."""

    async def story() -> None:
        server = FakeServer()
        client = server.client(timings=Timings(first_wait=0.001))
        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                group.start_soon(client.run)
                peer = await server.accept()
                await peer.welcome()
                await next_event(client, Connected)
                group.start_soon(peer.answer, TableJoin, {"table": "t1", "seat": 0})
                assert (await client.call(TableJoin, table="t1"))["seat"] == 0
                await peer.close()
                assert (await next_event(client, Lost)).code == CONNECTION_LOST
                again = await server.accept()
                await again.welcome()
                assert (await next_event(client, Connected)).resumed
                client.stop()
                await again.expect(Bye)
                await again.close()
            assert (await next_event(client, Ended)).code == STOPPED

    anyio.run(story, backend="asyncio")


async def test_a_server_that_does_not_read_is_given_up(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        await connected(server, client, nursery)
        ours = server.streams[-1]

        async def never(item: bytes) -> None:
            await trio.sleep_forever()

        ours.send = never  # type: ignore[method-assign]

        async def ask() -> None:
            with pytest.raises(NotConnected) as lost:
                await client.call(TableJoin, table="t1")
            unsure.append(lost.value.unsure)

        unsure: list[bool] = []
        for _call in range(MAX_WAITING + 10):
            nursery.start_soon(ask)
        assert (await next_event(client, Lost)).code == SERVER_SILENT
        assert trio.current_time() < 25
        await trio.testing.wait_all_tasks_blocked()
        assert len(unsure) == MAX_WAITING + 10
        assert unsure.count(True) == 1, "only the first was given to the network"
        client.stop()


async def test_a_callback_that_fails_leaves_no_connection_behind(autojump_clock: MockClock) -> None:
    failures = [ZeroDivisionError()]

    def remember(greeting: object, welcome: object) -> None:
        if failures:
            raise failures.pop()

    server = FakeServer()
    client = server.client(on_welcome=remember)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        await (await server.accept()).welcome()
        assert (await next_event(client, Lost)).code == CLIENT_FAULT
        assert not client.connected
        assert server.streams[0].closed
        await (await server.accept()).welcome()
        await next_event(client, Connected)
        client.stop()


async def test_every_connection_is_closed_in_the_end(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.close()
        await next_event(client, Lost)
        await server.accept()  # says nothing: the handshake runs into its limit
        await next_event(client, Lost)
        await (await server.accept()).welcome()
        await next_event(client, Connected)
        client.stop()
    assert len(server.streams) == 3
    assert all(stream.closed for stream in server.streams)


async def test_a_name_longer_than_the_handshake_takes_is_refused_here(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client(LoginPlan(name="x" * 10_000))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        peer = await server.accept()
        with pytest.raises(AssertionError):
            await peer.greet()
        assert (await next_event(client, Ended)).code == errors.NAME_INVALID


async def test_a_client_runs_once(autojump_clock: MockClock) -> None:
    client = FakeServer().client()
    client.stop()
    await client.run()
    with pytest.raises(RuntimeError):
        await client.run()


async def test_what_is_no_answer_is_passed_on_and_a_stray_answer_ignored(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client()
    async with trio.open_nursery() as nursery:
        peer = await connected(server, client, nursery)
        await peer.send(Ok(re=4_711))
        await peer.send(Error(code=errors.INVALID_MESSAGE, text=""))
        assert isinstance((await next_event(client, Received)).message, Error)
        client.stop()


@pytest.mark.parametrize("moment", ["waiting", "connected"])
def test_stop_under_asyncio(moment: str) -> None:
    """Stopping from another task works there too, and a server that does not close is not waited for."""

    async def story() -> None:
        server = FakeServer()
        server.up = moment == "connected"
        client = server.client(timings=Timings(farewell=0.05))
        with anyio.fail_after(5):
            async with anyio.create_task_group() as group:
                group.start_soon(client.run)
                if moment == "connected":
                    await (await server.accept()).welcome()
                await client.events.__anext__()
                client.stop()
            events = [event async for event in client.events]
        assert isinstance(events[-1], Ended)
        assert events[-1].code == STOPPED

    anyio.run(story, backend="asyncio")
