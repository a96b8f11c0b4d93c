"""Names, titles and texts made to drive other people's terminals: refused by the server, harmless in the client."""

import re
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from robby_protocol import identity
from robby_protocol.connection import NEED_DATA, Connection, ConnectionClosed, Role
from robby_protocol.messages import (
    Command,
    Error,
    GameOffer,
    Greeting,
    Hello,
    LobbyTables,
    LobbyWatch,
    Login,
    Message,
    Ok,
    Ping,
    Pong,
    SeatInfo,
    TableInfo,
    Welcome,
)
from tests.e2e.player import PATIENCE, Person, at_lobby
from tests.e2e.stage import START_SECONDS, ServerProcess
from tests.protocol.raw_client import Answered, Closed, guest

HOSTILE = {
    "erase": "\x1b[2J",
    "clipboard": "\x1b]52;c;ZQ==\x07",
    "title": "\x1b]0;taken\x07",
    "mouse": "\x1b[?1000h",
    "bell": "\x07",
    "return": "\r",
    "newline": "\n",
    "c1": "\x9b31m",
    "next-line": "\x85",
    "direction": "\u202e",
    "hidden": "\u200b",
    "markup": "[red]",
}
MARK = "EVIL"


def test_the_server_refuses_them(tmp_path: Path) -> None:
    """And whoever looks on sees nothing of them; not the lobby, not the operator's log."""
    with ServerProcess(tmp_path / "server") as server, at_lobby("Ana", server.address, tmp_path / "ana") as ana:
        for text in HOSTILE.values():
            if text == HOSTILE["markup"]:
                continue
            with pytest.raises(Closed, match="name_"):
                guest("127.0.0.1", server.port, MARK + text + MARK)
            with guest("127.0.0.1", server.port, "Bob") as raw, pytest.raises(Answered):
                raw.call("table.create", game="robby-solo", title=MARK + text + MARK, capacity=3, options={}, bots=[])
        ana.wait_for("No table yet", PATIENCE)
        assert MARK not in ana.text
        server.stop()
        log = server.log.read_bytes()
        assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", log)
        assert "\x9b" not in log.decode()


class HostileServer:
    """Speaks the protocol well, and puts hostile text wherever text can be. One connection; stops when it ends."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._seed = identity.new_key()

    def __enter__(self) -> "HostileServer":
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._listener.close()
        self._thread.join(10)

    def _serve(self) -> None:
        peer, _address = self._listener.accept()
        connection = Connection(Role.SERVER)

        def send(message: Message) -> None:
            peer.sendall(connection.send(message))

        with peer:
            while True:
                event = connection.next_event()
                if event is NEED_DATA:
                    try:
                        connection.receive_data(peer.recv(65_536))
                    except ConnectionError:
                        return
                elif isinstance(event, ConnectionClosed):
                    return
                elif isinstance(event, Message):
                    self._answer(event, connection, send)

    def _answer(self, message: Message, connection: Connection, send: Callable[[Message], None]) -> None:
        text = self._text
        match message:
            case Hello():
                assert connection.version is not None
                server_id, challenge = identity.public_key(self._seed), b"c" * 32
                proof = identity.sign(self._seed, connection.server_proof_payload(server_id, challenge))
                send(
                    Greeting(
                        version=connection.version,
                        server_id=server_id,
                        server_name=text,
                        software=text,
                        challenge=challenge,
                        proof=proof,
                        methods=["guest", "key"],
                        games=[GameOffer(name="robby-solo", version=1, bots=["greedy"])],
                    )
                )
            case Login():
                send(Welcome(identity="me", name=f"Ana{text}"[:60], ping_ms=5_000, silence_ms=25_000))
            case Ping():
                send(Pong(n=message.n))
            case LobbyWatch():
                send(Ok(re=message.id, result={}))
                seats = [SeatInfo(name=text, kind="person"), SeatInfo(name=text, kind="bot", bot="greedy")]
                table = TableInfo(
                    table="T1",
                    title=text,
                    game="robby-solo",
                    options={},
                    phase="waiting",
                    host=0,
                    capacity=4,
                    seats=seats,
                )
                send(LobbyTables(tables=[table], people=2))
            case Command():
                send(Error(re=message.id, code="of_tomorrow", text=text))
            case _:
                pass


def test_a_hostile_server_does_not_drive_the_terminal(tmp_path: Path) -> None:
    """The bytes that reach the terminal hold no control sequence but the client's own."""
    text = "".join(piece + MARK for piece in HOSTILE.values())
    with HostileServer(text) as server, Person("Ana", "join", server.address, "--name", "Ana", home=tmp_path) as ana:
        ana.wait_for(MARK, START_SECONDS)
        ana.wait_for("create a table", PATIENCE)
        ana.open_form()
        ana.press("\x13", lambda shown: MARK in shown.partition("items in the deck")[2])
        # Its control characters are visible.
        assert "\\x1b[2JEVIL" in ana.text
        raw = ana.raw.decode()
        for name in ("clipboard", "title", "c1", "next-line", "direction", "hidden"):
            assert HOSTILE[name] not in raw, name
        assert not re.search(rf"[\x00-\x1f\x7f-\x9f\u200b\u202e]{MARK}", raw)
        assert not re.search(rf"\x1b\[(?:2J|\?1000h){MARK}", raw)
