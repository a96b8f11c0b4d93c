"""The sans-I/O connection: what is wrong, what is too much, and noise."""

import tracemalloc
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robby_protocol import codec, errors, framing
from robby_protocol.connection import (
    NEED_DATA,
    Connection,
    ConnectionClosed,
    InvalidMessage,
    Role,
    State,
    UnknownMessage,
)
from robby_protocol.errors import LocalProtocolError, RemoteProtocolError
from robby_protocol.messages import (
    Bye,
    Hello,
    LobbyList,
    Ok,
    Ping,
    PublicPart,
    Refused,
    TableCreate,
    Welcome,
)
from tests.protocol import samples
from tests.protocol.talk import HELLO, LOGIN, broken, connection_in, conversation, feed, packed, pair, raw, tell

# What is wrong with what was received.


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x00\x00\x00\x00", errors.FRAME_EMPTY),
        (b"\xff\xff\xff\xff", errors.FRAME_TOO_LARGE),
        (b"\x00\x00\x10\x01", errors.FRAME_TOO_LARGE),
        (b"GET / HTTP/1.1\r\n", errors.NOT_ROBBY),
        (b"\x16\x03\x01\x02\x00\x01", errors.NOT_ROBBY),
        (raw(b"\xc1"), errors.MALFORMED),
        (packed(type="ping", n=1), errors.HANDSHAKE_ORDER),
        (packed(type="something.new"), errors.HANDSHAKE_ORDER),
        (packed(type="greeting"), errors.HANDSHAKE_ORDER),
        (packed(type="hello"), errors.INVALID_MESSAGE),
        (packed(type="hello", versions=[]), errors.INVALID_MESSAGE),
        (packed(type="hello", versions="1.0"), errors.INVALID_MESSAGE),
        (packed(type="hello", versions=[[True, 0]]), errors.INVALID_MESSAGE),
        (packed(type="hello", versions=[[1, 0]], client=5), errors.INVALID_MESSAGE),
        (packed(type="hello", versions=[[1, 0]], nonce=b"short"), errors.INVALID_MESSAGE),
        (packed(type="hello", versions=[[1, 0]], nonce="a" * 32), errors.INVALID_MESSAGE),
        (packed(type="hello", versions=[[1, 0]], extensions=None), errors.INVALID_MESSAGE),
        (packed(type="hello", versions=[[0, 9]]), errors.CLIENT_TOO_OLD),
        (packed(type="hello", versions=[[2, 0]]), errors.SERVER_TOO_OLD),
    ],
)
def test_a_wrong_first_frame_is_refused(data: bytes, code: str) -> None:
    server = Connection(Role.SERVER)
    assert broken(server, data) == code
    last = codec.unpack(server.close_with(code)[4:])
    assert (last["type"], last["code"]) == ("refused", code)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x00\x00\x00\x00", errors.FRAME_EMPTY),
        (b"\x00\x01\x00\x01", errors.FRAME_TOO_LARGE),
        (b"GET ", errors.FRAME_TOO_LARGE),
        (raw(b"\x80"), errors.MALFORMED),
        (raw(b"\x91" * 60_000), errors.MALFORMED),
        (codec.encode(HELLO), errors.HANDSHAKE_ORDER),
        (codec.encode(LOGIN), errors.HANDSHAKE_ORDER),
    ],
)
def test_a_wrong_frame_later_ends_the_connection_with_goodbye(data: bytes, code: str) -> None:
    _client, server = pair()
    assert broken(server, data) == code
    last = codec.unpack(server.close_with(code)[4:])
    assert (last["type"], last["code"]) == ("goodbye", code)


def test_what_came_before_the_wrong_frame_is_still_seen() -> None:
    _client, server = pair()
    server.receive_data(codec.encode(Ping(n=1)) + raw(b"\xc1") + codec.encode(Ping(n=2)))
    assert server.next_event() == Ping(n=1)
    with pytest.raises(RemoteProtocolError):
        server.next_event()


def test_a_login_that_is_wrong_is_refused() -> None:
    for fields in ({"method": "key"}, {"method": "guest", "name": "A", "key": b"short"}, {"method": 1, "name": "A"}):
        _client, server = pair(State.LOGIN)
        assert broken(server, packed(type="login", **fields)) == errors.INVALID_MESSAGE


@pytest.mark.parametrize(
    ("fields", "known_id"),
    [
        ({"type": "lobby.watch", "id": 5}, 5),
        ({"type": "lobby.watch", "id": 5, "on": 1}, 5),
        ({"type": "lobby.list"}, None),
        ({"type": "lobby.list", "id": 0}, None),
        ({"type": "lobby.list", "id": 2**31}, None),
        ({"type": "lobby.list", "id": True}, None),
        ({"type": "lobby.list", "id": "5"}, None),
        ({"type": "table.join", "id": 5, "table": "x" * 65}, 5),
        ({"type": "table.join", "id": 5, "table": b"t1"}, 5),
        ({"type": "table.ready", "id": 5, "ready": True, "commitment": b"short"}, 5),
        ({"type": "game.act", "id": 5, "table": "t", "decision": -1, "action": {}}, 5),
        ({"type": "game.act", "id": 5, "table": "t", "decision": 1, "action": []}, 5),
        ({"type": "ping"}, None),
    ],
)
def test_a_wrong_field_keeps_the_connection(fields: dict[str, Any], known_id: int | None) -> None:
    _client, server = pair()
    server.receive_data(packed(**fields) + codec.encode(LobbyList(id=6)))
    event = server.next_event()
    assert isinstance(event, InvalidMessage)
    assert (event.type, event.id) == (fields["type"], known_id)
    assert event.detail
    assert server.next_event() == LobbyList(id=6)


def test_an_unknown_command_keeps_the_connection() -> None:
    _client, server = pair()
    server.receive_data(packed(type="table.\x1b[2Jdance" + "e" * 500, id=9, x={"deep": [[[]]]}))
    event = server.next_event()
    assert isinstance(event, UnknownMessage)
    assert event.id == 9
    assert event.type.isprintable()
    assert len(event.type) <= codec.MAX_DETAIL
    assert server.next_event() is NEED_DATA


def test_a_client_ignores_unknown_messages_and_fields() -> None:
    client, _server = pair()
    assert feed(client, [packed(type="table.fireworks", x=1) + packed(type="ping", n=3, colour="red")]) == [Ping(n=3)]


def test_a_wrong_answer_names_the_request_to_a_client() -> None:
    client, _server = pair()
    client.receive_data(packed(type="ok", re=4, result=5))
    event = client.next_event()
    assert isinstance(event, InvalidMessage)
    assert (event.type, event.id) == ("ok", 4)


def test_another_protocol_is_recognised_by_a_client_too() -> None:
    for data in (b"HTTP/1.1 400 Bad Request\r\n", b"\x15\x03\x03\x00\x02\x02\x46"):
        client = Connection(Role.CLIENT)
        client.send(HELLO)
        assert broken(client, data) == errors.NOT_ROBBY


def test_a_full_server_refuses_before_it_has_heard_anything() -> None:
    client, server = Connection(Role.CLIENT), Connection(Role.SERVER)
    last = server.close_with(errors.SERVER_FULL)
    client.receive_data(last)
    refused = client.next_event()
    assert isinstance(refused, Refused)
    assert refused.code == errors.SERVER_FULL
    assert client.next_event() == ConnectionClosed()
    with pytest.raises(LocalProtocolError):
        client.send(HELLO)


def test_a_refusal_crosses_the_login() -> None:
    client, server = pair(State.LOGIN)
    client.send(LOGIN)
    client.receive_data(server.close_with(errors.HANDSHAKE_TIMEOUT))
    assert isinstance(client.next_event(), Refused)
    assert client.state is State.CLOSED


def test_a_server_may_finish_after_bye() -> None:
    client, server = pair()
    assert tell(client, server, Bye()) == Bye()
    assert server.next_event() == ConnectionClosed()
    assert tell(server, client, Ok(re=1)) == Ok(re=1)
    with pytest.raises(LocalProtocolError):
        client.send(Ping(n=1))


# Limits.


def test_the_limits_follow_the_state() -> None:
    handshake = framing.LIMIT_HANDSHAKE_FROM_CLIENT
    server = Connection(Role.SERVER)
    assert broken(server, (handshake + 1).to_bytes(4, "big")) == errors.FRAME_TOO_LARGE
    for state in (State.LOGIN, State.START):
        server = connection_in(Role.SERVER, state)
        server.receive_data(handshake.to_bytes(4, "big"))
        assert server.next_event() is NEED_DATA
    for role, limit in ((Role.SERVER, framing.LIMIT_FROM_CLIENT), (Role.CLIENT, framing.LIMIT_FROM_SERVER)):
        connection = connection_in(role, State.OPEN)
        connection.receive_data(limit.to_bytes(4, "big"))
        assert connection.next_event() is NEED_DATA
        connection = connection_in(role, State.OPEN)
        assert broken(connection, (limit + 1).to_bytes(4, "big")) == errors.FRAME_TOO_LARGE


def test_a_message_too_long_to_be_sent_is_our_own_error() -> None:
    client, server = pair()
    with pytest.raises(LocalProtocolError):
        server.send(Ok(re=1, result={"x": "x" * framing.LIMIT_FROM_SERVER}))
    assert server.state is State.OPEN
    with pytest.raises(LocalProtocolError):
        client.send(TableCreate(id=1, game="g", options={"x": "x" * framing.LIMIT_FROM_CLIENT}))
    public = codec.encode_public(PublicPart(view={"x": "x" * framing.LIMIT_FROM_SERVER}, first=0, events=[]))
    with pytest.raises(LocalProtocolError):
        server.send_update(table="t", match="m", seq=0, public=public)


def test_two_hundred_slow_senders_hold_what_they_sent_and_no_more() -> None:
    """PR-19: a legal maximum frame announced on 200 connections, a byte at a time."""
    servers = [pair()[1] for _ in range(200)]
    tracemalloc.start()
    try:
        for server in servers:
            assert feed(server, [framing.LIMIT_FROM_CLIENT.to_bytes(4, "big"), *[b"x"] * 100]) == []
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_how_much_of_a_frame_has_come_can_be_seen() -> None:
    _client, server = pair()
    assert server.held == 0
    assert feed(server, [codec.encode(Ping(n=1)) + b"\x00\x00"]) == [Ping(n=1)]
    assert server.held == 2


def test_a_connection_that_is_over_keeps_nothing() -> None:
    _client, server = pair()
    broken(server, b"\x00\x00\x00\x00" + bytes(50_000))
    tracemalloc.start()
    try:
        for _ in range(100):
            server.receive_data(bytes(100_000))
        now, _peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert now < 50_000


# Noise.

STREAMS = [conversation(role)[0] for role in Role]


def only_events_or_remote_errors(connection: Connection, pieces: list[bytes]) -> bool:
    try:
        for event in feed(connection, pieces):
            if isinstance(event, Hello | Welcome):
                break
    except RemoteProtocolError as error:
        return error.code in errors.CODES
    except LocalProtocolError:
        return connection.role is Role.SERVER and connection.state in (State.GREETING, State.WELCOME)
    return True


@given(st.sampled_from(Role), st.sampled_from([State.START, State.LOGIN, State.OPEN]), st.lists(st.binary(min_size=1)))
def test_random_bytes_lead_to_events_or_remote_errors(role: Role, state: State, pieces: list[bytes]) -> None:
    assert only_events_or_remote_errors(connection_in(role, state), pieces)


@given(st.sampled_from(Role), st.sampled_from([State.START, State.LOGIN, State.OPEN]), st.lists(st.binary(min_size=1)))
def test_random_bodies_lead_to_events_or_remote_errors(role: Role, state: State, bodies: list[bytes]) -> None:
    assert only_events_or_remote_errors(connection_in(role, state), list(map(raw, bodies)))


@given(st.sampled_from(sorted(samples.MESSAGES)), st.data())
@settings(max_examples=300)
def test_messages_with_changed_fields_lead_to_events_or_remote_errors(name: str, data: st.DataObject) -> None:
    fields = codec.unpack(codec.pack(samples.MESSAGES[name]))
    field = data.draw(st.sampled_from(sorted(fields)))
    junk = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary()
    fields[field] = data.draw(junk | st.lists(junk) | st.dictionaries(st.text() | st.integers(0, 9), junk))
    frame = raw(msgpack.packb(fields))
    for role in Role:
        for state in (State.START, State.GREETING, State.LOGIN, State.OPEN):
            assert only_events_or_remote_errors(connection_in(role, state), [frame])


@given(st.sampled_from(STREAMS), st.sampled_from(Role), st.data())
def test_damaged_conversations_lead_to_events_or_remote_errors(stream: bytes, role: Role, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(stream) - 1))
    damaged = stream[:place] + data.draw(st.binary(max_size=4)) + stream[place + 1 :]
    assert only_events_or_remote_errors(connection_in(role, State.OPEN), [damaged])
    assert only_events_or_remote_errors(connection_in(role, State.START), [damaged])
