"""A match: what is shown, what is asked, what is answered. The payloads' types belong to the game (robby_games)."""

from typing import Any

from msgspec import Struct

from robby_protocol.messages.base import Code, Command, Message, Natural

Payload = dict[str, Any]


class Decision(Struct, kw_only=True, frozen=True):
    """What the receiver's seat is asked.

    id: to be echoed by `game.act`; it belongs to the seat and changes with every accepted action and every phase.
    legal: all actions that would be accepted now, as the game's action maps, in a fixed order.
    """

    id: Natural
    legal: list[Payload]


class Clock(Struct, kw_only=True, frozen=True):
    """Time of the running phase, in milliseconds from the moment of sending; never a wall-clock time.

    remaining_ms: until the phase ends by itself. total_ms: the phase's whole length, for a bar.
    opens_ms: until something more becomes allowed, if that is still to come.
    paused: the time stands still until those who played are back after the server was away.
    """

    remaining_ms: Natural
    total_ms: Natural
    opens_ms: Natural | None = None
    paused: bool = False


class PublicPart(Struct, kw_only=True, frozen=True):
    """The part of an update that is the same, byte for byte, for everyone.

    view: the game's public view. first: number of the first of `events` in the match (0-based).
    events: the public events since the update before.
    """

    view: Payload
    first: Natural
    events: list[Payload]


class GameUpdate(Message, tag="game.update", kw_only=True, frozen=True):
    """Sent to everyone at the table after every change of its game, and after each resume.

    seq: grows by one with every change of the match; a client shows the newest it has.
    own: the receiver's own view (hand, own stack, …), none for a spectator. own_events: private events of this change.
    decision: what is asked of the receiver, none if nothing. clock: none where no limit runs.
    """

    table: Code
    match: Code
    seq: Natural
    public: PublicPart
    own: Payload | None = None
    own_events: list[Payload] = []
    decision: Decision | None = None
    clock: Clock | None = None


class GameHistory(Message, tag="game.history", kw_only=True, frozen=True):
    """Public events of the running match again, after a resume, in one or more pieces before the `game.update`."""

    table: Code
    match: Code
    first: Natural
    events: list[Payload]


class Act(Command, tag="game.act", kw_only=True, frozen=True):
    """Answer a decision. result: {decision} with the id answered.

    Sent again with the same decision and action (after a lost answer), it is answered with the same result and
    not done twice. An id that is no longer asked is refused as `stale_decision`.
    match: the match that asked, since the ids begin anew with each; left out, the one being played is meant.
    """

    table: Code
    match: Code | None = None
    decision: Natural
    action: Payload
