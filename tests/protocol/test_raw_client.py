"""The scripted client, written from the page alone, understands our side of the protocol over a real socket."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from robby_protocol import errors
from robby_protocol.connection import NEED_DATA, Connection, ConnectionClosed, Role, UnknownMessage
from robby_protocol.errors import RemoteProtocolError
from robby_protocol.messages import Bye, Error, Hello, LobbyList, LobbyTables, Login, Ok, Ping, Pong
from tests.protocol.raw_client import Answered, Closed, RawClient, frame, guest
from tests.protocol.talk import WELCOME, greeting


def serve(listener: socket.socket, heard: list[object]) -> None:
    """One connection: enough of a server for the tests below."""
    stream, _address = listener.accept()
    with stream:
        connection = Connection(Role.SERVER)
        try:
            while True:
                while (event := connection.next_event()) is not NEED_DATA:
                    heard.append(event)
                    if isinstance(event, Hello):
                        stream.sendall(connection.send(greeting(connection.version)))
                    elif isinstance(event, Login):
                        stream.sendall(connection.send(WELCOME))
                        stream.sendall(connection.send(Ping(n=1)))
                    elif isinstance(event, LobbyList):
                        stream.sendall(connection.send(LobbyTables(tables=[], people=1)))
                        stream.sendall(connection.send(Ok(re=event.id, result={"tables": []})))
                    elif isinstance(event, UnknownMessage):
                        stream.sendall(connection.send(Error(re=event.id, code=errors.UNKNOWN_COMMAND, text="")))
                    elif isinstance(event, Bye):
                        stream.sendall(connection.close_with(errors.SERVER_STOPPING))
                        return
                    elif isinstance(event, ConnectionClosed):
                        return
                connection.receive_data(stream.recv(65536))
        except RemoteProtocolError as error:
            stream.sendall(connection.close_with(error.code))


@contextmanager
def serving() -> Iterator[tuple[int, list[object]]]:
    heard: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)
        thread = threading.Thread(target=serve, args=(listener, heard))
        thread.start()
        try:
            yield listener.getsockname()[1], heard
        finally:
            thread.join(10)
            assert not thread.is_alive()


def test_a_session() -> None:
    with serving() as (port, heard), guest("127.0.0.1", port, "Ana") as client:
        assert client.welcome["identity"] == WELCOME.identity
        assert client.call("lobby.list") == {"tables": []}
        assert client.expect("lobby.tables", lambda found: found["people"] == 1)["tables"] == []
        with pytest.raises(Answered) as caught:
            client.call("table.dance")
        assert caught.value.frame["code"] == errors.UNKNOWN_COMMAND
        client.send("bye")
        assert [found["type"] for found in client.until_closed()] == ["goodbye"]
    assert Pong(n=1) in heard
    assert heard[-1] == Bye()


def test_raw_bytes_and_the_answer_to_them() -> None:
    with serving() as (port, _heard), RawClient("127.0.0.1", port) as client:
        client.send_bytes(b"GET / HTTP/1.1\r\n\r\n")
        assert client.receive()["code"] == errors.NOT_ROBBY
        with pytest.raises(Closed):
            client.receive()


def test_a_frame_in_two_pieces() -> None:
    with serving() as (port, _heard), RawClient("127.0.0.1", port) as client:
        data = frame({"type": "hello", "versions": [[1, 0]]})
        client.send_bytes(data[:7])
        client.send_bytes(data[7:])
        assert client.receive()["type"] == "greeting"


def test_a_guest_that_is_refused_is_told_why() -> None:
    with serving() as (port, heard), RawClient("127.0.0.1", port) as client:
        refused = client.hello(versions=[[9, 0]])
        assert (refused["type"], refused["code"]) == ("refused", errors.SERVER_TOO_OLD)
        assert refused["accepts"] == {"versions": [[1, 0]]}
    assert heard == []
