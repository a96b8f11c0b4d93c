"""The sans-I/O connection: conversations whole, byte by byte, in pieces, cut, merged."""

import random
from typing import Any

import pytest

from robby_protocol import codec
from robby_protocol.connection import (
    NEED_DATA,
    TRANSITIONS,
    Connection,
    ConnectionClosed,
    Role,
    State,
)
from robby_protocol.errors import LocalProtocolError
from robby_protocol.messages import (
    Greeting,
    Hello,
)
from tests.protocol import samples
from tests.protocol.talk import (
    HELLO,
    LOGIN,
    WELCOME,
    connection_in,
    conversation,
    feed,
    greeting,
    pair,
)

# Splits and merges. The stream has every message that this side may receive, in an order that the protocol allows.


class Listener:
    """A connection that only receives; as a server it says by itself what the handshake asks of it."""

    def __init__(self, role: Role) -> None:
        self.connection = Connection(role)
        if role is Role.CLIENT:
            self.connection.send(HELLO)

    def hear(self, data: bytes) -> list[Any]:
        self.connection.receive_data(data)
        found: list[Any] = []
        while (event := self.connection.next_event()) is not NEED_DATA:
            found.append(event)
            if isinstance(event, Hello):
                self.connection.send(greeting(self.connection.version))
            elif isinstance(event, Greeting):
                self.connection.send(LOGIN)
            elif self.connection.state is State.WELCOME and self.connection.role is Role.SERVER:
                self.connection.send(WELCOME)
            if isinstance(event, ConnectionClosed):
                break
        return found


@pytest.mark.parametrize("sender", Role)
def test_a_whole_conversation_whole_byte_by_byte_and_in_random_pieces(sender: Role) -> None:
    stream, said = conversation(sender)
    role = Role.CLIENT if sender is Role.SERVER else Role.SERVER
    whole = [*said, ConnectionClosed()]
    if sender is Role.SERVER:
        assert Listener(role).hear(stream) == whole
    bytewise = Listener(role)
    found = [event for place in range(len(stream)) for event in bytewise.hear(stream[place : place + 1])]
    assert found == whole
    dice = random.Random(1)
    for _ in range(50):
        listener = Listener(role)
        found, rest = [], stream
        while rest:
            size = dice.choice((1, 2, 3, 5, 40, 400, 4000))
            found += listener.hear(rest[:size])
            rest = rest[size:]
        assert found == whole


@pytest.mark.parametrize("sender", Role)
def test_a_conversation_cut_at_every_byte(sender: Role) -> None:
    stream, said = conversation(sender)
    role = Role.CLIENT if sender is Role.SERVER else Role.SERVER
    ends, end = set(), 0
    for message in said:
        end += len(codec.encode(message))
        ends.add(end)
    assert end == len(stream)
    for cut in range(1, len(stream)):
        listener = Listener(role)
        found = listener.hear(stream[:cut])
        found += listener.hear(b"")
        assert found[:-1] == said[: len(found) - 1]
        assert found[-1] == ConnectionClosed(mid_frame=cut not in ends)
        assert listener.connection.next_event() == found[-1]


@pytest.mark.parametrize("name", samples.MESSAGES)
def test_every_message_cut_at_every_byte_then_the_end(name: str) -> None:
    frame = codec.encode(samples.MESSAGES[name])
    for cut in range(1, len(frame)):
        connection = connection_in(Role.CLIENT, State.OPEN)
        assert feed(connection, [frame[:cut], b""]) == [ConnectionClosed(mid_frame=True)]


@pytest.mark.parametrize("name", [name for name in samples.MESSAGES if not name.startswith(("greeting", "welcome"))])
def test_every_message_with_trailing_data(name: str) -> None:
    """Another whole frame and a half one behind it."""
    message = samples.MESSAGES[name]
    for sender, receiver in ((Role.CLIENT, Role.SERVER), (Role.SERVER, Role.CLIENT)):
        if TRANSITIONS[State.OPEN][sender].get(type(message)) is not State.OPEN:
            continue
        connection = connection_in(receiver, State.OPEN)
        frame = codec.encode(message)
        assert feed(connection, [frame + frame + frame[:-1]]) == [message, message]
        assert feed(connection, [frame[-1:]]) == [message]


def test_data_after_the_end_is_our_own_error() -> None:
    _client, server = pair()
    server.receive_data(b"")
    server.receive_data(b"")
    with pytest.raises(LocalProtocolError):
        server.receive_data(b"x")
