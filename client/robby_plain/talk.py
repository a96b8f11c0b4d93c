"""What is said and announced in lines: chat in the lobby and at the table, own mutes, notices, and the fair deal.

A line is chat only if it begins with `/say`: whatever else is typed, pasted or piped in is never shown to others.
"""

from robby_client.chat import Chat
from robby_client.deal import COMMITTED, Deal
from robby_client.tale.deal import deal_sentence
from robby_client.tale.table import chat_sentence, notice_sentence
from robby_plain.session import Session
from robby_protocol.i18n import _
from robby_protocol.messages import Notice

PAST_SHOWN = 5
"""Earlier lines said by themselves on coming somewhere; `chat` has the others."""
CHAT_SHOWN = 20
SLASHED = ("/say", "/mute", "/unmute")
"""Commands that are taken everywhere, also in the middle of some questions."""


class TalkPart:
    """Chat, notices and the deal's line; says what is new."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lobby_told = 0
        self._table_told = 0
        self._table_chat: Chat | None = None
        self._deal: tuple[str, str] | None = None

    def notice(self, notice: Notice) -> None:
        """Something that everybody on the server should know."""
        self._session.tell(notice_sentence(notice))

    def refresh(self) -> None:
        """The world may have changed: say the new lines."""
        world = self._session.world
        if world.table is None:
            new = world.lobby_chat.after(self._lobby_told)
            self._lobby_told = world.lobby_chat.last
        else:
            if world.table_chat is not self._table_chat:
                self._table_chat = world.table_chat
                self._table_told = 0
            new = world.table_chat.after(self._table_told)
            self._table_told = world.table_chat.last
        new = [line for line in new if world.heard(line)]
        past = [line for line in new if line.past]
        for line in past[-PAST_SHOWN:]:
            said = chat_sentence(line.name, line.text, kind=line.kind)
            self._session.say(_("Earlier: {line}").format(line=said), literal=True)
        for line in new:
            if not line.past:
                self._session.say(chat_sentence(line.name, line.text, kind=line.kind), literal=True)
        self._tell_deal(world.deal)

    def _tell_deal(self, deal: Deal | None) -> None:
        if deal is None or (deal.match, deal.stage) == self._deal:
            return
        self._deal = (deal.match, deal.stage)
        # A trouble has an event of its own, which is said whatever else happens; that all have committed is no news.
        sentence = deal_sentence(deal) if deal.trouble is None and deal.stage != COMMITTED else None
        if sentence is not None:
            self._session.tell(sentence)

    def show(self) -> None:
        """`chat`: the last lines here."""
        world = self._session.world
        chat = world.lobby_chat if world.table is None else world.table_chat
        lines = [line for line in chat.lines if world.heard(line)][-CHAT_SHOWN:]
        for line in lines:
            self._session.say(chat_sentence(line.name, line.text, kind=line.kind), literal=True)
        if not lines:
            self._session.say(_("Nobody has said anything here. Type /say and your words."))

    def _taken(self) -> None:
        """The own line is shown as all others are: to whoever watches with a delay, after it."""
        world = self._session.world
        if world.watching and world.table is not None and world.table.delay_s:
            self._session.say(
                _("Said. You hear it here {n} s later, like all you watch.").format(n=world.table.delay_s)
            )

    async def command(self, line: str) -> bool:
        """Do a line that begins with one of SLASHED. Returns whether it did."""
        session = self._session
        word, _space, text = line.partition(" ")
        word, text = word.casefold(), text.strip()
        if word not in SLASHED:
            return False
        if not text:
            session.say(_("{command} needs a word more: /say hello, /mute NAME, /unmute NAME.").format(command=word))
        elif word == "/say":
            if await session.attempt(session.client.say(text)) is not None:
                self._taken()
        elif word == "/mute":
            session.client.mute(text)
            session.say(_("You do not hear {name} any more. Type /unmute {name} to take it back.").format(name=text))
        else:
            session.client.unmute(text)
            session.say(_("You hear {name} again.").format(name=text))
        return True
