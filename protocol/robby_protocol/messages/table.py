"""Tables: creating, joining, getting ready, and what everyone at a table is told about it."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from robby_protocol.messages.base import (
    Code,
    Command,
    DigestOrNone,
    Integer,
    Message,
    Name,
    Natural,
    SeatNumber,
    Text,
    none_or_whole,
)

Options = dict[str, Any]
"""A game's options by name; the game's own type says which. Left-out ones have their default."""


class SeatInfo(Struct, kw_only=True, frozen=True):
    """One seat, in the order of sitting.

    kind: `person` or `bot`. bot: which bot, for kind bot.
    state: `here`; `away` (connection lost, seat kept); `stand_in` (away, and a bot plays meanwhile);
        `left` (gave the seat up in a running game, a bot plays; may come back by joining).
    """

    name: Name
    kind: Code
    bot: Code | None = None
    state: Code = "here"
    ready: bool = False


class ScoreLine(Struct, kw_only=True, frozen=True):
    """A finished match's result for one participant. seat: none for a participant who has no seat."""

    name: Name
    seat: SeatNumber | None
    score: Integer
    winner: bool


class TableInfo(Struct, kw_only=True, frozen=True):
    """All that is public about a table besides its game.

    table: its id, to join by. phase: `waiting`, `playing` or `finished` (results shown, ready counts for a rematch).
    host: the seat that may configure and start. capacity: how many seats there can be.
    match: id of the match being played or just finished. result: the last match's, once finished.
    private: joining takes the invite code or the table's password. spectators: whether anybody may watch.
    delay_s: how many seconds later spectators, and the lobby while a match is played, are shown everything.
    watchers: how many watch. kept: false while the server cannot write: the table would not survive a crash.
    aborted: how many starts were broken off here because somebody did not open the commitment.
    """

    table: Code
    title: Text
    game: Code
    options: Options
    phase: Code
    host: SeatNumber | None
    capacity: Natural
    seats: list[SeatInfo]
    match: Code | None = None
    result: list[ScoreLine] = []
    private: bool = False
    spectators: bool = True
    delay_s: Natural = 0
    watchers: Natural = 0
    kept: bool = True
    aborted: Natural = 0


class TableNews(Struct, kw_only=True, frozen=True):
    """Something that happened at the table, for the log.

    code: joined, left, away, quit, back, stand_in, host, kicked, bot_added, ready, not_ready, configured, started,
        finished, aborted, start_aborted (the seat did not open its commitment), muted, unmuted, server_back (the server
        was away; nobody lost time), not_kept, kept. A client ignores codes it does not know.
    """

    code: Code
    seat: SeatNumber | None = None
    name: Name = ""


class TableCreate(Command, tag="table.create", kw_only=True, frozen=True):
    """Make a table and sit down as its host. result: {table, seat}.

    bots: names of bots to seat at once, e.g. ["greedy", "random"].
    private: only who has the invite code (in `table.state`) or knows the password may join or watch.
    password_key: a private table's password as a key (see `identity.table_password_key`), or none: invite alone.
    spectators: whether anybody may watch. delay_s: how much later than the players, in seconds.
    """

    game: Code
    title: Annotated[str, Meta(max_length=200)] = ""
    capacity: Natural | None = None
    options: Options = {}
    bots: Annotated[list[Code], Meta(max_length=16)] = []
    private: bool = False
    password_key: DigestOrNone = b""
    spectators: bool = True
    delay_s: Natural = 0

    def __post_init__(self) -> None:
        none_or_whole("password_key", self.password_key, 32)


class TableJoin(Command, tag="table.join", kw_only=True, frozen=True):
    """Sit down at a table, or return to the own seat in a running game. result: {table, seat}.

    invite: a private table's invite code. password_proof: or that one knows its password (see
    `identity.table_password_payload`). Whoever has a seat there already needs neither.
    """

    table: Code
    invite: Code = ""
    password_proof: DigestOrNone = b""

    def __post_init__(self) -> None:
        none_or_whole("password_proof", self.password_proof, 32)


class TableWatch(Command, tag="table.watch", kw_only=True, frozen=True):
    """Watch a table without a seat: `table.state`, `game.history` and `game.update` follow with the public part alone,
    as late as the table says. One table at a time; not one's own. After a new connection it is to be asked anew.
    result: {table, delay_s}. invite, password_proof: as in `table.join`.
    """

    table: Code
    invite: Code = ""
    password_proof: DigestOrNone = b""

    def __post_init__(self) -> None:
        none_or_whole("password_proof", self.password_proof, 32)


class TableUnwatch(Command, tag="table.unwatch", kw_only=True, frozen=True):
    """Watch no longer. result: {}."""


class TableLeave(Command, tag="table.leave", kw_only=True, frozen=True):
    """Give the seat up. In a running game a bot plays on, and joining again returns to it. result: {}."""


class TableReady(Command, tag="table.ready", kw_only=True, frozen=True):
    """Say whether one is ready for the next match (the first or a rematch). result: {}.

    commitment: a hash that commits the client to a nonce for the fair deal (32 bytes), or none.
    """

    ready: bool
    commitment: DigestOrNone = b""

    def __post_init__(self) -> None:
        none_or_whole("commitment", self.commitment, 32)


class TableStart(Command, tag="table.start", kw_only=True, frozen=True):
    """Host: start the match. All other people at the table must be ready; the host is by asking.

    result: {match}. commitment: the host's own, as in `table.ready`. Where anybody committed, `deal.committed` follows
    and the match begins once all have opened; else it begins at once.
    """

    commitment: DigestOrNone = b""

    def __post_init__(self) -> None:
        none_or_whole("commitment", self.commitment, 32)


class TableConfigure(Command, tag="table.configure", kw_only=True, frozen=True):
    """Host, between matches: change options (all anew), capacity, title or access. Everybody's ready is taken back.

    result: {}. What is none stays as it is. password_key: no bytes take the password away; making a table public does
    too. new_invite: the old invite code is worthless from now on.
    """

    options: Options | None = None
    capacity: Natural | None = None
    title: Annotated[str, Meta(max_length=200)] | None = None
    private: bool | None = None
    password_key: DigestOrNone | None = None
    spectators: bool | None = None
    delay_s: Natural | None = None
    new_invite: bool = False

    def __post_init__(self) -> None:
        none_or_whole("password_key", self.password_key or b"", 32)


class TableAddBot(Command, tag="table.add_bot", kw_only=True, frozen=True):
    """Host, between matches: seat a bot. result: {seat}."""

    bot: Code


class TableKick(Command, tag="table.kick", kw_only=True, frozen=True):
    """Host, between matches: remove a bot or a person. A person kicked cannot join this table again. result: {}.

    name: who sits there as the host sees it, so that a seat that has moved up meanwhile is not hit.
    """

    seat: SeatNumber
    name: Name


class TableHandOver(Command, tag="table.hand_over", kw_only=True, frozen=True):
    """Host: make another person host. result: {}."""

    seat: SeatNumber
    name: Name


class TableClose(Command, tag="table.close", kw_only=True, frozen=True):
    """Host, between matches: close the table. result: {}."""


class TableMute(Command, tag="table.mute", kw_only=True, frozen=True):
    """Host: let nobody at the table hear what this person says, or hear it again. result: {}."""

    name: Name
    on: bool


class TableState(Message, tag="table.state", kw_only=True, frozen=True):
    """Sent to everyone at a table whenever anything of it but the game changes.

    you: the receiver's seat, none for a spectator. invite: a private table's code, for those who sit there.
    next_match, commitment: id of the next match, and what commits the server to its secret for it (none: no fair deal).
    """

    table: TableInfo
    you: SeatNumber | None
    news: list[TableNews] = []
    invite: Code | None = None
    next_match: Code | None = None
    commitment: DigestOrNone = b""

    def __post_init__(self) -> None:
        none_or_whole("commitment", self.commitment, 32)


class TableClosed(Message, tag="table.closed", kw_only=True, frozen=True):
    """The receiver is no longer at this table: kicked, closed, or broken by a fault. code says which."""

    table: Code
    code: Code
    text: Text
