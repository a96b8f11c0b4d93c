"""What screens ask of the app: going somewhere else, which no screen does by itself. Typed messages, no logic."""

from dataclasses import dataclass

from textual.message import Message

from robby_client.address import Address
from robby_client.dial import TlsPlan


@dataclass
class Connect(Message):
    """Connect to this server as this person. guest: without a key. tls: how by TLS; None: without."""

    address: Address
    name: str
    guest: bool
    password: str | None
    tls: TlsPlan | None = None


class Disconnect(Message):
    """Leave the server and show the connect screen."""


class LeaveTable(Message):
    """Give the seat up (after a question, while a game runs)."""


class LookAgain(Message):
    """The world is another without a message from the server: show what fits it."""


class ShowResults(Message):
    """Show the results of the finished match."""


class ShowRoom(Message):
    """Show the table's seats and options between two matches."""
