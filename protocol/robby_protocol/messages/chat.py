"""Chat: in the lobby, and at a table among those who sit there or watch. One line each, shown literally."""

from typing import Annotated

from msgspec import Meta

from robby_protocol.messages.base import Code, Command, Message, Name, SeatNumber

ChatText = Annotated[str, Meta(max_length=2000)]
"""A line as sent. The server's own, smaller limit decides; this bound only keeps a message small."""


class ChatSend(Command, tag="chat.send", kw_only=True, frozen=True):
    """Say something. result: {}.

    table: the table where one sits or watches; none: the lobby.
    text: one line. Control characters and line breaks are refused as `bad_chat`.
    """

    table: Code | None = None
    text: ChatText


class ChatSaid(Message, tag="chat.said", kw_only=True, frozen=True):
    """Somebody said something where the receiver is: the lobby (which is to be watched), or a table.

    kind: `person`, `spectator` (of a table), `operator` (of the server). seat: of a person who sits at the table.
    past: said before the receiver came.
    """

    table: Code | None = None
    name: Name
    kind: Code = "person"
    seat: SeatNumber | None = None
    text: ChatText
    past: bool = False
