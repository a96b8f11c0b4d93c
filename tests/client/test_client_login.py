"""A client that logs in: who it is, passwords, tokens, refusals, servers that are not who they say. Fake clock."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from robby_client.client import Client, LoginPlan, Timings
from robby_client.codes import (
    NO_ROBBY_SERVER,
    PASSWORD_NEEDED,
    SERVER_ID_CHANGED,
    SERVER_PROOF_WRONG,
    STOPPED,
    TIMED_OUT,
)
from robby_client.events import Connected, Ended, Lost
from robby_protocol import errors, identity
from robby_protocol.connection import Connection, Role
from robby_protocol.messages import (
    Bye,
    Hello,
    Login,
)
from robby_protocol.messages import Refused as RefusedMessage
from tests.client.fakes import SERVER_ID, FakeServer, connected, next_event, stream_pair


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


async def test_a_name_longer_than_the_handshake_takes_is_refused_here(autojump_clock: MockClock) -> None:
    server = FakeServer()
    client = server.client(LoginPlan(name="x" * 10_000))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        peer = await server.accept()
        with pytest.raises(AssertionError):
            await peer.greet()
        assert (await next_event(client, Ended)).code == errors.NAME_INVALID
