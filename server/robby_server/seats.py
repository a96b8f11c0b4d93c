"""The seats of a table: who sits where and in what state. Knows no messages but the picture of a seat, and no clock."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from robby_protocol.messages import SeatInfo
from robby_server.bots import BotTask
from robby_server.identities import Identity
from robby_server.kept import State
from robby_server.session import Session


@dataclass(eq=False)
class Player:
    """A bot that plays, for a bot's own seat or in an absent person's place."""

    who: Identity
    task: BotTask
    session: Session | None = None


@dataclass(eq=False)
class Seat:
    """One seat.

    owner: the person or bot whose seat it is. bot: which bot, for a bot's seat. session: the person's connection, if
    it is here. player: the bot that plays it now. since: when the present state began, on trio's clock. joined: counts
    up at the table, for who has been here longest. asked, asked_since: the decision a bot owes and since when.
    """

    owner: Identity
    joined: int
    since: float
    bot: str | None = None
    session: Session | None = None
    player: Player | None = None
    state: State = "here"
    ready: bool = False
    commitment: bytes = b""
    asked: int = 0
    asked_since: float = field(default=0.0)

    @property
    def person(self) -> bool:
        """Whether it is a person's seat."""
        return self.bot is None

    @property
    def attended(self) -> bool:
        """Whether its person is here."""
        return self.person and self.state == "here"

    def enter(self, state: State, now: float) -> None:
        """Change the state."""
        self.state = state
        self.since = now

    def unready(self) -> None:
        """Take *ready* back, with what it committed to."""
        self.ready = False
        self.commitment = b""

    def sessions(self) -> Iterator[Session]:
        """The connections that are shown this seat's view."""
        if self.session is not None:
            yield self.session
        if self.player is not None and self.player.session is not None:
            yield self.player.session

    def info(self) -> SeatInfo:
        """What everybody sees of it."""
        return SeatInfo(
            name=self.owner.name,
            kind="person" if self.person else "bot",
            bot=self.bot,
            state=self.state,
            ready=self.ready or not self.person,
        )


def seat_index(seats: Sequence[Seat], session: Session) -> int | None:
    """The seat that this connection plays. A stand-in and its person never play at the same time."""
    for index, seat in enumerate(seats):
        if any(one is session for one in seat.sessions()):
            return index
    return None
