"""The sans-I/O connection: every message in every state, farewells, versions."""

import pytest

from robby_protocol import codec, errors
from robby_protocol.connection import (
    NEED_DATA,
    TRANSITIONS,
    Connection,
    ConnectionClosed,
    Role,
    State,
    UnknownMessage,
)
from robby_protocol.errors import LocalProtocolError, RemoteProtocolError
from robby_protocol.messages import (
    COMMANDS,
    FROM_CLIENT,
    FROM_SERVER,
    Bye,
    GameUpdate,
    Goodbye,
    Message,
    Refused,
)
from tests.protocol import samples
from tests.protocol.talk import SERVER_ID, broken, connection_in, feed, greeting, pair, tag

EXPECTED = """
start     client hello    -> greeting
start     server refused  -> closed
greeting  server greeting -> login
greeting  server refused  -> closed
login     client login    -> welcome
login     server refused  -> closed
welcome   server welcome  -> open
welcome   server refused  -> closed
open      client bye      -> parting
open      server goodbye  -> closed
parting   server goodbye  -> closed
"""
"""Every change of state, as docs/protocol.md has it; all other messages keep it or are refused."""

OPEN_FROM_SERVER = {"ping", "pong", "ok", "error", "lobby.tables", "table.state", "table.closed"} | {
    "game.update",
    "game.history",
    "notice",
    "chat.said",
    "deal.committed",
    "deal.opened",
    "deal.revealed",
}
OPEN_FROM_CLIENT = {"ping", "pong"} | {str(kind.__struct_config__.tag) for kind in COMMANDS}


def test_the_table_of_states_is_the_one_that_is_written_down() -> None:
    changes = [
        f"{state.value:9} {role.value} {tag(kind):8} -> {after.value}"
        for state, roles in TRANSITIONS.items()
        for role, moves in roles.items()
        for kind, after in moves.items()
        if after is not state
    ]
    assert changes == EXPECTED.strip().splitlines()
    stays = {
        (state, role): {tag(kind) for kind, after in moves.items() if after is state}
        for state, roles in TRANSITIONS.items()
        for role, moves in roles.items()
    }
    assert stays.pop((State.OPEN, Role.CLIENT)) == OPEN_FROM_CLIENT
    assert stays.pop((State.OPEN, Role.SERVER)) == OPEN_FROM_SERVER
    assert stays.pop((State.PARTING, Role.SERVER)) == OPEN_FROM_SERVER
    assert not any(stays.values())


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("role", Role)
def test_sending_every_message_in_a_state(role: Role, state: State) -> None:
    for name, message in samples.MESSAGES.items():
        connection = connection_in(role, state)
        if type(message) in TRANSITIONS[state][role]:
            assert connection.send(message) == codec.encode(message), name
            assert connection.state is TRANSITIONS[state][role][type(message)], name
        else:
            with pytest.raises(LocalProtocolError):
                connection.send(message)
            assert connection.state is state, name


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("role", Role)
def test_receiving_every_message_in_a_state(role: Role, state: State) -> None:
    for message in samples.MESSAGES.values():
        receive_in_state(role, state, message)


def receive_in_state(role: Role, state: State, message: Message) -> None:
    connection = connection_in(role, state)
    peer = Role.SERVER if role is Role.CLIENT else Role.CLIENT
    known = type(message) in (FROM_CLIENT if peer is Role.CLIENT else FROM_SERVER)
    connection.receive_data(codec.encode(message))
    if state is State.CLOSED or (role is Role.SERVER and state is State.PARTING):
        assert connection.next_event() == ConnectionClosed()
    elif role is Role.SERVER and state in (State.GREETING, State.WELCOME):
        with pytest.raises(LocalProtocolError):
            connection.next_event()
    elif type(message) in TRANSITIONS[state][peer]:
        assert connection.next_event() == message
        assert connection.state is TRANSITIONS[state][peer][type(message)]
    elif state in (State.OPEN, State.PARTING) and not known:
        if role is Role.CLIENT:
            assert connection.next_event() is NEED_DATA
        else:
            assert connection.next_event() == UnknownMessage(tag(type(message)), getattr(message, "id", None))
    else:
        with pytest.raises(RemoteProtocolError) as caught:
            connection.next_event()
        assert caught.value.code == errors.HANDSHAKE_ORDER


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("role", Role)
def test_a_farewell_from_every_state(role: Role, state: State) -> None:
    connection = connection_in(role, state)
    last = connection.close_with(errors.INTERNAL, reconnect=True)
    if role is Role.CLIENT:
        assert last == (codec.encode(Bye()) if state is State.OPEN else b"")
        return
    text = errors.text_for(errors.INTERNAL)
    if state is State.CLOSED:
        assert last == b""
    elif state in (State.OPEN, State.PARTING):
        assert last == codec.encode(Goodbye(code=errors.INTERNAL, text=text, reconnect=True))
    else:
        assert last == codec.encode(Refused(code=errors.INTERNAL, text=text))
    assert connection.state is State.CLOSED
    assert connection.close_with(errors.INTERNAL) == b""


def test_a_farewell_says_what_it_was_given() -> None:
    _client, server = pair(State.LOGIN)
    last = server.close_with(errors.UNKNOWN_METHOD, text="t", accepts={"methods": ["key"]})
    assert last == codec.encode(Refused(code=errors.UNKNOWN_METHOD, text="t", accepts={"methods": ["key"]}))


# Versions and order at sending.


def test_only_the_chosen_version_can_be_greeted() -> None:
    _client, server = pair(State.GREETING)
    with pytest.raises(LocalProtocolError):
        server.send(greeting((1, 7)))
    assert server.state is State.GREETING


@pytest.mark.parametrize("version", [(2, 0), (1, 1), (0, 0)])
def test_a_client_takes_no_version_that_it_did_not_offer(version: tuple[int, int]) -> None:
    client, _server = pair(State.GREETING)
    assert broken(client, codec.encode(greeting(version))) == errors.INVALID_MESSAGE
    assert client.version is None


def test_an_update_with_a_shared_public_part_is_the_whole_message() -> None:
    client, server = pair()
    update = samples.MESSAGES["game.update.full"]
    assert isinstance(update, GameUpdate)
    data = server.send_update(
        table=update.table,
        match=update.match,
        seq=update.seq,
        public=codec.encode_public(update.public),
        own=update.own,
        own_events=update.own_events,
        decision=update.decision,
        clock=update.clock,
    )
    assert data == codec.encode(update)
    assert feed(client, [data]) == [update]
    for wrong in (client, Connection(Role.SERVER)):
        with pytest.raises(LocalProtocolError):
            wrong.send_update(table="t", match="m", seq=0, public=b"\x80")


def test_proofs_need_the_frames_that_they_cover() -> None:
    for role in Role:
        connection = Connection(role)
        with pytest.raises(LocalProtocolError):
            connection.server_proof_payload(SERVER_ID, SERVER_ID)
        with pytest.raises(LocalProtocolError):
            connection.login_proof_payload("Ana", SERVER_ID)
        with pytest.raises(LocalProtocolError):
            connection.password_proof_payload("Ana")
