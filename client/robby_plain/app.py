"""The plain client itself: what happened is said, what is asked is said with numbered choices, what is typed is done.

One task reads the client's events, another the person's lines; both run in one thread and change state only between
their waits. The lobby is in `lobby`, the own table in `table`, a match in `match`; this module holds them together:
connection, commands, the end.
"""

import shlex
from collections.abc import AsyncIterator, Awaitable, Callable

import anyio

from robby_client.client import NotConnected, Refused
from robby_client.codes import refusal
from robby_client.events import ClientEvent, Connected, DealTrouble, Ended, Lost, Received
from robby_client.quick import QuickTable, sit_down
from robby_client.signal import Signal
from robby_plain.lobby import LobbyPart
from robby_plain.match import LOG_SHOWN, MatchPart
from robby_plain.numbers import Answer, Choice
from robby_plain.output import Printer
from robby_plain.registry import TEXTS
from robby_plain.session import ClientLike, EndOfInput, Session
from robby_plain.table import TablePart
from robby_plain.talk import TalkPart
from robby_protocol.i18n import N_, _
from robby_protocol.messages import Notice, TableClosed, TableState

_ANYWHERE: tuple[tuple[str, str], ...] = (
    ("help", N_("this list")),
    ("rules", N_("the rules, briefly")),
    ("log", N_("the last things that happened; log 50 for more")),
    ("chat", N_("the last lines that were said here")),
    ("/say", N_("/say WORDS says them here; nothing else that is typed is shown to others")),
    ("/mute", N_("/mute NAME: do not hear somebody; /unmute NAME takes it back")),
    ("quit", N_("end; a seat in a running game is kept for you")),
)
_IN_LOBBY: tuple[tuple[str, str], ...] = (
    ("list", N_("the tables, each with a number to sit down there")),
    ("join", N_("join TABLE: sit down, by id or title; a private one: join TABLE invite=CODE or password=WORD")),
    ("watch", N_("watch TABLE: look on without a seat; also with invite or password")),
    (
        "create",
        N_(
            "make a table by questions, or create game=NAME title=Friday seats=4 time=blitz bots=greedy,random "
            "private=yes password=WORD spectators=no delay=30"
        ),
    ),
)
_AT_TABLE: tuple[tuple[str, str], ...] = (
    ("view", N_("the table as it is now")),
    ("ready", N_("ready for the next game; unready takes it back")),
    ("start", N_("host: start the game")),
    ("bot", N_("host: bot NAME seats a bot")),
    ("options", N_("the table's options; host: options time=relaxed private=yes invite=new delay=30 changes them")),
    ("kick", N_("host: kick NAME removes somebody")),
    ("silence", N_("host: silence NAME, nobody at the table hears them; unsilence NAME takes it back")),
    ("host", N_("host: host NAME makes somebody else host")),
    ("close", N_("host: close the table")),
    ("record", N_("save the record of the last game, to replay and verify it")),
    ("leave", N_("leave the table")),
)
_IN_MATCH: tuple[tuple[str, str], ...] = (
    ("view", N_("the whole table and the open question again")),
    ("hand", N_("what you hold: cards, loot or markers")),
    ("time", N_("how much time is left")),
    ("leave", N_("leave the table; a bot plays on for you")),
)
_WATCHING: tuple[tuple[str, str], ...] = (
    ("view", N_("the whole table as it is now")),
    ("time", N_("how much time is left")),
    ("sit", N_("sit down, between games")),
    ("record", N_("save the record of the last game, to replay and verify it")),
    ("leave", N_("watch no longer")),
)

_ALL_COMMANDS = frozenset(name for name, _text in (*_ANYWHERE, *_IN_LOBBY, *_AT_TABLE, *_IN_MATCH, *_WATCHING))

START_SECONDS = 5.0
"""A match that was started is shown within a moment; if it is not, the person gets the usual questions."""


class PlainClient:
    """One run. ended: why the client ended, once `run` has returned.

    script: the lines come from a file or a program. A number or an answer in words then waits until something is asked.
    """

    def __init__(
        self,
        client: ClientLike,
        lines: AsyncIterator[str],
        write: Callable[[str], None],
        *,
        quick: QuickTable | None = None,
        script: bool = False,
    ) -> None:
        self.ended: Ended | None = None
        self._client = client
        self._quick = quick
        self._script = script
        self._idle_told = False
        self._changed = Signal()
        self._session = Session(client, lines, Printer(write))
        self._first_connection = anyio.Event()
        self._settled = anyio.Event()
        self._playing_begun = anyio.Event()
        self._watching: bool | None = None
        """Whether the server has been asked to tell of the lobby; None: not yet, on this connection."""
        self._tasks = anyio.create_task_group()
        self._lobby = LobbyPart(self._session)
        self._table = TablePart(self._session)
        self._match = MatchPart(self._session, self._tasks)
        self._talk = TalkPart(self._session)
        self._session.script = script
        self._session.aside = self._talk.command

    async def run(self) -> Ended:
        """Until the person leaves, the input ends, or the client gives up."""
        async with self._tasks:
            self._tasks.start_soon(self._client.run)
            self._tasks.start_soon(self._typing)
            async for event in self._client.events:
                await self._event(event)
                self._changed.set()
                if isinstance(event, Ended):
                    self.ended = event
            self._tasks.cancel_scope.cancel()
        assert self.ended is not None, "the events end with Ended"
        return self.ended

    @property
    def was_connected(self) -> bool:
        """Whether there has been a login."""
        return self._first_connection.is_set()

    def stop(self) -> None:
        """Leave in good order, as `quit` does."""
        self._session.leaving = True
        self._client.stop()

    # What happens

    async def _event(self, event: ClientEvent) -> None:
        session = self._session
        if isinstance(event, Connected):
            self._connected(event)
        elif isinstance(event, Lost):
            self._lost(event)
        elif isinstance(event, Ended):
            self._match.pause()
            if event.code != "stopped":
                session.say(event.text)
        elif isinstance(event, DealTrouble):
            session.tell(event.text)
        elif isinstance(event, Received):
            message = event.message
            if isinstance(message, TableClosed):
                self._match.catch_up()
                session.tell(refusal(message.code, message.text))
            if isinstance(message, Notice):
                self._talk.notice(message)
            if isinstance(message, TableState):
                self._table.news(message)
                session.saw_table()
            if session.world.game is not None:
                self._playing_begun.set()
            self._refresh()

    def _connected(self, event: Connected) -> None:
        session = self._session
        greeting = session.world.greeting
        if event.resumed:
            session.say(_("Connected again."))
        else:
            session.say(
                _("Connected to {server} as {name}. Type help for the commands.").format(
                    server="?" if greeting is None else greeting.server_name, name=event.welcome.name
                )
            )
        self._tasks.start_soon(self._settle, not self._first_connection.is_set())
        self._first_connection.set()

    async def _settle(self, first: bool) -> None:
        """After each login: take the seat that was wished for, or look at the lobby."""
        session = self._session
        if first and self._quick is not None:
            # The game is about to start by itself: no questions on the way.
            session.in_dialog = True
            try:
                await sit_down(self._client, self._quick)
                with anyio.move_on_after(START_SECONDS):
                    await self._playing_begun.wait()
            except (Refused, NotConnected) as problem:
                session.say(problem.text)
            finally:
                session.in_dialog = False
        self._watching = session.world.table is None
        if self._watching:
            await self._lobby.watch(True)
        self._refresh()
        self._settled.set()

    def _lost(self, event: Lost) -> None:
        self._watching = None
        self._match.pause()
        # The first loss, then ever more seldom: 1, 2, 4, 8 … tries.
        if event.attempt & (event.attempt - 1) == 0:
            seconds = round(event.retry_in)
            text = _("{reason} Trying again in {seconds} s.") if seconds else _("{reason} Trying again now.")
            self._session.say(text.format(reason=event.text, seconds=seconds))

    def _refresh(self) -> None:
        table = self._session.world.table
        if self._watching is not None and self._watching != (table is None):
            self._watching = table is None
            self._tasks.start_soon(self._lobby.watch, self._watching)
        if table is None:
            self._table.leave()
            self._match.pause()
            self._lobby.refresh()
            self._talk.refresh()
            return
        self._lobby.leave()
        self._talk.refresh()
        # What happened in a match comes before what can be done after it.
        self._match.refresh(self._table.found_match)
        self._table.refresh()

    # What is typed

    async def _typing(self) -> None:
        await self._settled.wait()
        try:
            while True:
                line = await self._session.next_line()
                if line and not await self._line(line):
                    break
        except EndOfInput:
            if self._playing and not self._session.world.watching:
                session = self._session
                session.say(_("The input has ended in the middle of the game: this client leaves it."))
        self.stop()

    async def _line(self, line: str) -> bool:
        """Do what was typed. Returns whether to go on."""
        session = self._session
        if await self._talk.command(line):
            return True
        # The other commands may be written with the sign as well: /ready is ready.
        line = line.removeprefix("/")
        if line.isascii() and line.isdigit():
            while (found := session.numbers.look_up(int(line))) is Answer.UNKNOWN and not session.numbers.open:
                if not self._holds():
                    break
                await self._changed.wait()
            if isinstance(found, Answer):
                session.not_a_choice(found)
            else:
                await self._do(found)
            return True
        action = self._match.read(line)
        if action is not None:
            while not await self._match.answer(action, patient=self._script):
                if not self._holds():
                    self._nothing_asked()
                    break
                await self._changed.wait()
            else:
                self._idle_told = False
            self._refresh()
            return True
        try:
            words = shlex.split(line)
        except ValueError:
            words = line.split()
        command, *rest = words or [""]
        command = command.casefold()
        if command in ("quit", "exit", "bye"):
            return False
        await self._command(command, rest)
        self._refresh()
        return True

    async def _do(self, choice: "Choice[Callable[[], Awaitable[None]]]") -> None:
        await choice.value()
        self._refresh()

    async def _command(self, command: str, words: list[str]) -> None:
        if command in ("help", "?"):
            self._help()
        elif command == "log":
            self._match.log(int(words[0][:4]) if words and words[0].isascii() and words[0].isdigit() else LOG_SHOWN)
        elif command == "rules":
            self._match.rules()
        elif command == "chat":
            self._talk.show()
        elif self._session.world.table is None:
            await self._lobby_command(command, words)
        else:
            await self._table_command(command, words)

    async def _lobby_command(self, command: str, words: list[str]) -> None:
        if command in ("list", "view"):
            self._lobby.show()
        elif command == "join" and words:
            await self._lobby.enter_by_words(words, watch=False)
        elif command == "watch" and words:
            await self._lobby.enter_by_words(words, watch=True)
        elif command == "create":
            await self._lobby.create(words)
        else:
            self._unknown(command)

    async def _table_command(self, command: str, words: list[str]) -> None:
        name = " ".join(words)
        playing = self._playing
        if command == "view":
            if playing:
                self._match.view()
            else:
                self._table.again()
        elif command == "hand":
            self._match.hand()
        elif command == "time":
            self._match.time()
        elif command == "leave":
            await self._table.give_up()
        elif command in ("ready", "unready"):
            await self._table.ready(command == "ready")
        elif command in ("start", "rematch"):
            await self._start_or_ready()
        elif command == "bot" and name:
            await self._table.add_bot(name)
        elif command == "options":
            await self._table.configure(words)
        elif command == "record":
            await self._table.record()
        elif command == "close":
            await self._table.close()
        elif command == "sit":
            await self._table.sit_down()
        elif command in ("silence", "unsilence") and name:
            await self._table.silence(name, command == "silence")
        elif command == "kick" and name:
            await self._table.kick(name)
        elif command == "host" and name:
            await self._table.hand_over(name)
        else:
            self._unknown(command)

    async def _start_or_ready(self) -> None:
        """`start`, `rematch`: the host starts, anybody else says ready."""
        world = self._session.world
        if world.table is not None and world.table.host == world.seat:
            await self._table.start()
        else:
            await self._table.ready(True)

    @property
    def _playing(self) -> bool:
        table = self._session.world.table
        return table is not None and table.phase == "playing"

    def _nothing_asked(self) -> None:
        """An answer without a question; a script's remaining ones after the game's end are told once."""
        if not self._script or not self._idle_told:
            self._session.say(_("Nothing is asked now. Type help for the commands."))
        self._idle_told = True

    def _holds(self) -> bool:
        """Whether an answer waits for its question: in a script, as long as a match can still ask something."""
        world = self._session.world
        table = world.table
        if world.watching:
            return False  # who watches is asked nothing
        waits_for_start = table is not None and table.phase == "waiting" and table.host != world.seat
        return self._script and (self._playing or waits_for_start or not self._client.connected)

    def _unknown(self, command: str) -> None:
        known = ", ".join(name for name, _text in self._commands())
        if command in _ALL_COMMANDS:
            text = _("{command} cannot be done here, or needs a word more. Commands: {known}. Type help for more.")
        else:
            text = _("There is no command {command}. Commands: {known}. Type help for more.")
        self._session.say(text.format(command=command, known=known))

    def _commands(self) -> list[tuple[str, str]]:
        world = self._session.world
        if world.watching:
            return [*_WATCHING, *_ANYWHERE]
        here = _IN_LOBBY if world.table is None else _IN_MATCH if self._playing else _AT_TABLE
        return [*here, *_ANYWHERE]

    def _help(self) -> None:
        self._session.say(_("Type the number of a choice, or one of these commands:"))
        for name, text in self._commands():
            self._session.say(f"  {name}: {_(text)}")
        self._session.say(
            _("The numbers go on counting, so that an answer that comes late is never taken for another.")
        )
        table = self._session.world.table
        texts = None if table is None else TEXTS.get(table.game)
        words = "" if texts is None else texts.words()
        if words and self._playing and not self._session.world.watching:
            self._session.say(_("Words answer as well, whatever is asked: {words}.").format(words=words))
