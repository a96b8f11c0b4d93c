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
    """The last event: the client does not try any more. code `stopped`: because it was told to.

    known_id, new_id: with `server_id_changed`, the id that the server at this address had, and that it has now: the
    person is to be asked (see `codes.fingerprint`), and if it is well, `Store.trust` and a new client go on.
    """

    code: str
    text: str
    known_id: bytes | None = None
    new_id: bytes | None = None


@dataclass(frozen=True)
class Received:
    """A message arrived; the world already knows it.

    A consumer that falls far behind is not told every message: of each kind of state the newest remains, with the news
    of all. So tell the story from `world.game.events`, which has every event, not from the message.
    """

    message: Message


@dataclass(frozen=True)
class DealTrouble:
    """The deal of a match is not fair: to be said so that nobody can overlook it. code: one of `codes.DEAL_…`."""

    match: str
    code: str
    text: str


ClientEvent = Connected | Lost | Ended | Received | DealTrouble
