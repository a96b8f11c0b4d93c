"""Two ends of a connection that talk in memory, and shortcuts through the handshake."""

from collections.abc import Iterable
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest

from robby_protocol import errors, framing
from robby_protocol.connection import NEED_DATA, TRANSITIONS, Connection, ConnectionClosed, Event, Role, State
from robby_protocol.errors import RemoteProtocolError
from robby_protocol.messages import Bye, Goodbye, Greeting, Hello, Login, Message, Welcome
from tests.protocol import samples

SERVER_ID = bytes(range(32))
CHALLENGE = bytes(range(32, 64))

HELLO = Hello(versions=[(1, 0)], nonce=bytes(range(64, 96)))
LOGIN = Login(method="guest", name="Ana")
WELCOME = Welcome(identity="g1", name="Ana", ping_ms=5_000, silence_ms=25_000)


def greeting(version: tuple[int, int] | None) -> Greeting:
    assert version is not None
    return Greeting(
        version=version,
        server_id=SERVER_ID,
        server_name="s",
        software="t",
        challenge=CHALLENGE,
        methods=["guest"],
        games=[],
    )


def drain(connection: Connection) -> list[Event]:
    """All events that are there, a ConnectionClosed among them once."""
    found: list[Event] = []
    while (event := connection.next_event()) is not NEED_DATA:
        found.append(event)
        if isinstance(event, ConnectionClosed):
            break
    return found


def feed(connection: Connection, pieces: Iterable[bytes]) -> list[Event]:
    """All events, taken after each piece, as a reader of a socket does."""
    found: list[Event] = []
    for piece in pieces:
        connection.receive_data(piece)
        found += drain(connection)
    return found


def tell(sender: Connection, receiver: Connection, message: Message) -> Event:
    receiver.receive_data(sender.send(message))
    return receiver.next_event()


def pair(state: State = State.OPEN) -> tuple[Connection, Connection]:
    """A client and a server that have come as far as `state` (START to OPEN)."""
    client, server = Connection(Role.CLIENT), Connection(Role.SERVER)
    steps = {State.GREETING: HELLO, State.LOGIN: None, State.WELCOME: LOGIN, State.OPEN: WELCOME}
    for reached, message in steps.items():
        if client.state is state:
            break
        sender, receiver = (client, server) if reached in (State.GREETING, State.WELCOME) else (server, client)
        said = greeting(server.version) if message is None else message
        assert tell(sender, receiver, said) == said
        assert sender.state is receiver.state is reached
    assert client.state is server.state is state
    return client, server


def raw(body: bytes) -> bytes:
    return framing.add_header(body)


def tag(kind: type[Message]) -> str:
    return str(kind.__struct_config__.tag)


def packed(**fields: Any) -> bytes:
    body: bytes = msgpack.packb(fields)
    return raw(body)


def broken(connection: Connection, data: bytes) -> str:
    """The code of the error that this data leads to, the same at every further look."""
    connection.receive_data(data)
    with pytest.raises(RemoteProtocolError) as caught:
        drain(connection)
    with pytest.raises(RemoteProtocolError) as again:
        connection.next_event()
    assert again.value.code == caught.value.code
    return caught.value.code


def connection_in(role: Role, state: State) -> Connection:
    if state is State.PARTING:
        client, server = pair()
        tell(client, server, Bye())
    elif state is State.CLOSED:
        client, server = pair()
        tell(server, client, Goodbye(code=errors.SERVER_STOPPING, text="", reconnect=True))
    else:
        client, server = pair(state)
    return client if role is Role.CLIENT else server


def conversation(sender: Role) -> tuple[bytes, list[Message]]:
    """All that one side says in a connection that uses every message of its own."""
    client, server = pair(State.START)
    streams = {Role.CLIENT: b"", Role.SERVER: b""}
    said: dict[Role, list[Message]] = {Role.CLIENT: [], Role.SERVER: []}

    def say(role: Role, message: Message) -> None:
        own, other = (client, server) if role is Role.CLIENT else (server, client)
        data = own.send(message)
        streams[role] += data
        said[role].append(message)
        other.receive_data(data)
        assert other.next_event() == message

    say(Role.CLIENT, HELLO)
    say(Role.SERVER, greeting(server.version))
    say(Role.CLIENT, LOGIN)
    say(Role.SERVER, WELCOME)
    for role in Role:
        for message in samples.MESSAGES.values():
            if TRANSITIONS[State.OPEN][role].get(type(message)) is State.OPEN:
                say(role, message)
    say(Role.CLIENT, Bye())
    say(Role.SERVER, Goodbye(code=errors.SERVER_STOPPING, text="", reconnect=False))
    return streams[sender], said[sender]
