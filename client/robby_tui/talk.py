"""Chat as the screens hold it: what is being typed, which lines were seen, and how a line looks. Knows no widgets."""

from weakref import WeakKeyDictionary

from robby_client.chat import Chat, ChatLine
from robby_client.world import World
from robby_protocol.i18n import _
from robby_tui.cells import cut, plain

LONGEST_TALK = 500
"""Characters of the field; the server's own limit is narrower and is said when it refuses."""
LONGEST_NAME = 30
LONGEST_SHOWN = 600
"""Cells shown of one line: more than any server lets through, and less than a screen."""
SIGN = "»"
"""Begins every line of chat, so that none can be taken for what happened in the game."""


class Talk:
    """One person's talking. open: whether the field is shown. draft: what is in it, kept whatever screen is shown.
    last: what was sent last, to be called back.
    """

    def __init__(self) -> None:
        self.open = False
        self.draft = ""
        self.last = ""
        self._seen: WeakKeyDictionary[Chat, int] = WeakKeyDictionary()

    def saw(self, chat: Chat | None) -> None:
        """All lines of this place are on the screen."""
        if chat is not None:
            self._seen[chat] = chat.last

    def unread(self, world: World, chat: Chat | None) -> int:
        """How many lines others said there that have not been on the screen."""
        if chat is None:
            return 0
        me = "" if world.welcome is None else world.welcome.name
        news = [line for line in chat.after(self._seen.get(chat, 0)) if world.heard(line)]
        return sum(1 for line in news if not line.past and line.name != me)


def who(line: ChatLine) -> str:
    """The sign and the speaker of a line, harmless: the sentence's beginning, up to the colon."""
    name = cut(plain(line.name), LONGEST_NAME)
    if line.kind == "spectator":
        name = _("{name} (watching)").format(name=name)
    elif line.kind == "operator":
        name = _("{name} (OPERATOR)").format(name=name)
    return f"{SIGN} {name}:"


def said(line: ChatLine) -> str:
    """What was said, literally and on one line."""
    return cut(plain(" ".join(line.text.split())), LONGEST_SHOWN)
