"""What was said in one place (the lobby, a table): a bounded list of lines, each with a number. Pure.

The server tells newcomers the last lines again, marked as past; after a reconnect, and on coming back to the lobby,
most of them are known already and are not added twice.
"""

import unicodedata
from collections import deque
from dataclasses import dataclass

from robby_protocol.messages import ChatSaid

MOST_LINES = 200
"""Lines kept of one place; nobody scrolls further back, and a server can send no more memory full than this."""


@dataclass(frozen=True)
class ChatLine:
    """One line. number: counts the lines of its place from 1, without gaps. The rest as in `chat.said`."""

    number: int
    name: str
    kind: str
    seat: int | None
    text: str
    past: bool


class Chat:
    """The lines of one place. lines: the newest, oldest first."""

    def __init__(self) -> None:
        self.lines: deque[ChatLine] = deque(maxlen=MOST_LINES)
        self._count = 0
        self._known: deque[tuple[str, str]] | None = None
        """While past lines come: those of ours that may still come again, oldest first."""

    @property
    def last(self) -> int:
        """The number of the newest line; 0 if there is none."""
        return self._count

    def after(self, number: int) -> list[ChatLine]:
        """The lines kept that are newer than this one."""
        return [line for line in self.lines if line.number > number]

    def begin_anew(self) -> None:
        """The next past lines begin a new telling of what was said."""
        self._known = None

    def add(self, said: ChatSaid) -> None:
        """Take a line."""
        if said.past:
            if self._known is None:
                self._known = deque((line.name, line.text) for line in self.lines)
            if (said.name, said.text) in self._known:
                # Told again: what was said before it will not come any more.
                while self._known.popleft() != (said.name, said.text):
                    pass
                return
        else:
            self._known = None
        self._count += 1
        self.lines.append(
            ChatLine(number=self._count, name=said.name, kind=said.kind, seat=said.seat, text=said.text, past=said.past)
        )


def look_of(name: str) -> str:
    """A name as it looks, for telling whether two are the same person's: letter case, width and spaces aside."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(folded.split())
