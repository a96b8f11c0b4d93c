"""What a client tells its one consumer, in the order in which it happened."""

from dataclasses import dataclass

from robby_protocol.messages import Message, Welcome


@dataclass(frozen=True)
class Connected:
    """Logged in. resumed: this client had been connected before, and comes back as the same identity."""

    welcome: Welcome
    resumed: bool


@dataclass(frozen=True)
class Lost:
    """No connection; the client tries again by itself.

    code, text: why. attempt: how many tries have failed since the connection was lost, 0 for the loss itself.
    retry_in: seconds until the next try.
    """

    code: str
    text: str
    attempt: int
    retry_in: float


@dataclass(frozen=True)
class Ended:
    """The last event: the client does not try any more. code `stopped`: because it was told to."""

    code: str
    text: str


@dataclass(frozen=True)
class Received:
    """A message arrived; the world already knows it.

    A consumer that falls far behind is not told every message: of each kind of state the newest remains, with the news
    of all. So tell the story from `world.game.events`, which has every event, not from the message.
    """

    message: Message


ClientEvent = Connected | Lost | Ended | Received
