"""The app: one worker owns the connection, one place decides which screen is shown, and the terminal is left in order.

Everything the network does arrives here as a message; every command leaves through `Link`. A fault of the network task
is a message as well and never ends the app.
"""

import sys
import time
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import anyio
from textual import events, work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.notifications import Notify, SeverityLevel
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

from robby_client.address import Address
from robby_client.client import NotConnected, Refused
from robby_client.codes import CLIENT_FAULT, SERVER_ID_CHANGED, STOPPED, fingerprint
from robby_client.dial import TlsPlan
from robby_client.events import ClientEvent, Connected, DealTrouble, Ended, Lost, Received
from robby_client.quick import QuickTable, sit_down
from robby_client.session import kept_by
from robby_client.store import Store, StoreError
from robby_client.tale.table import result_sentence
from robby_client.world import RunningClock
from robby_protocol.i18n import _
from robby_protocol.messages import ChatSaid, Notice, TableClosed, TableLeave
from robby_tui import terminal, wishes
from robby_tui.cells import plain
from robby_tui.link import Link, Offline
from robby_tui.screens.base import BaseScreen
from robby_tui.screens.confirm import Confirm
from robby_tui.screens.connect import ConnectScreen
from robby_tui.screens.games import table_screen
from robby_tui.screens.help import Help
from robby_tui.screens.lobby import LobbyScreen
from robby_tui.screens.results import ResultsScreen
from robby_tui.screens.room import RoomScreen
from robby_tui.screens.table import TableScreen
from robby_tui.source import ClientLike, MakeClient
from robby_tui.toasts import Toast
from robby_tui.typed import Typed

LAST_LOOK = 4.0
"""Seconds in which the last reveal stays on screen before the results come by themselves; Enter is quicker."""
FAREWELL = 1.0
"""Seconds for saying bye when leaving; then the program ends all the same."""
_MOVING = frozenset({"pageup", "pagedown", "home", "end", "up", "down", "tab", "shift+tab", "f1", "question_mark"})
"""Keys that only move about: they decide nothing, so they may be held."""


class Happened(Message):
    """Something came from the client. taken: set once the app has shown it."""

    def __init__(self, client: ClientLike, event: ClientEvent) -> None:
        super().__init__()
        self.client = client
        self.event = event
        self.taken = anyio.Event()


class RobbyApp(App[None]):
    """The Textual client.

    make_client: makes the client for a server. store: what this machine remembers. address, name: connect at once where
    both are known. tls: how to connect there by TLS. quick: a table to be made at once. now: the monotonic clock in
    seconds.
    """

    CSS_PATH = ["styles/app.tcss", "styles/dialogs.tcss", "styles/screens.tcss", "styles/table.tcss"]
    TITLE = "Robby"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q,ctrl+c", "leave", show=False, priority=True),
        Binding("q,Q", "leave", show=False),
        Binding("f1,question_mark", "help", show=False),
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
    ]

    def __init__(
        self,
        make_client: MakeClient,
        *,
        store: Store,
        address: Address | None = None,
        name: str | None = None,
        guest: bool = False,
        password: str | None = None,
        tls: TlsPlan | None = None,
        quick: QuickTable | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(driver_class=terminal.driver_class(terminal.shows_unicode(), self._terminal_lost))
        self._make_client = make_client
        self._store = store
        self._now = now
        self._login = wishes.Connect(
            address or Address("localhost"), name or store.last_name or "", guest, password, tls
        )
        self._address_given = address is not None
        self._quick = quick
        self.link = Link(self._start)
        self._base: BaseScreen | None = None
        self._was_connected = False
        self._trusted: dict[Address, bytes] = {}
        """Servers that the person has said are the right ones, even where nothing can be remembered."""
        self._finished_seen: str | None = None
        self._room_wanted = False
        self._last_look: str | None = None
        self._leaving: int | None = None
        self._typed = Typed(self, self._press)
        self._depth = 0
        self.fault: BaseException | None = None
        self._signals = terminal.Signals(self._signalled)

    # Life of the program.

    async def on_mount(self) -> None:
        """Show the first screen, or connect at once."""
        self._signals.install()
        self.run_worker(self._typed.run(), group="keys")
        self.screen_change_signal.subscribe(self, self._screen_changed, immediate=True)
        for warning in self._store.take_warnings():
            self.notify(plain(warning), severity="warning", markup=False)
        await self._show(self._connect_screen())
        if self._address_given and self._login.name:
            self._connect(self._login)

    def on_unmount(self) -> None:
        """Leave the signals as they were."""
        self._signals.remove()

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show a notice over the screen for a moment. timeout: seconds; None: as usual."""
        lasts = self.NOTIFICATION_TIMEOUT if timeout is None else timeout
        self.post_message(Notify(Toast(message, title, severity, lasts, markup=markup)))

    def _signalled(self, code: int, terminal_gone: bool) -> None:
        if terminal_gone:
            terminal.end_soon(code)
        self._goodbye(code)

    def _terminal_lost(self) -> None:
        """Called from another thread: the terminal is gone."""
        terminal.end_soon(terminal.HANG_UP)
        self.call_later(self._goodbye, terminal.HANG_UP)

    def _goodbye(self, code: int = 0) -> None:
        """Say bye to the server and exit; without waiting for it for long."""
        self._leaving = code
        if self.link.client is None:
            self.exit(return_code=code)
            return
        self.link.client.stop()
        self.set_timer(FAREWELL, partial(self.exit, return_code=code))

    def _fatal_error(self) -> None:
        """Our own mistake: leave the screens in order, and let whoever ran the app say it in a sentence.

        Textual would print a traceback with all local variables, which no person is to see.
        """
        self.fault = sys.exc_info()[1]
        self._close_messages_no_wait()

    # The network.

    def _start(self, work_to_do: Coroutine[Any, Any, None]) -> object:
        return self.run_worker(work_to_do, group="calls", exit_on_error=False)

    def on_connect(self, wish: wishes.Connect) -> None:
        """A screen wants a connection."""
        self._connect(wish)

    def _connect(self, wish: wishes.Connect) -> None:
        self._login = wish
        self._address_given = True
        if isinstance(self._base, ConnectScreen):
            self._base.show_busy(str(wish.address))
        try:
            plan = self._store.plan(wish.address, wish.name, guest=wish.guest, password=wish.password)
        except StoreError as error:
            self._problem(str(error), "")
            return
        if wish.address in self._trusted:
            plan = replace(plan, known_server_id=self._trusted[wish.address])
        kept = kept_by(self._store, wish.address, wish.name, wish.tls)
        client = self._make_client(wish.address, plan, tls=wish.tls, kept=kept)
        self.link.client = client
        self.link.own_server = self._quick is not None or (self.link.own_server and wish.address == self.link.address)
        self.link.address = wish.address
        self.link.tls = wish.tls
        self.link.notices.clear()
        self.link.offline = None
        self.link.logged_in = False
        self._was_connected = False
        self._network(client)

    @work(group="network", exclusive=True, exit_on_error=False)
    async def _network(self, client: ClientLike) -> None:
        """Own the connection: the only task that does."""
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(client.run)
                async for event in client.events:
                    happened = Happened(client, event)
                    # One at a time: the client's inbox drops what is out of date, the app's queue only grows.
                    if self.post_message(happened):
                        await happened.taken.wait()
        except* Exception as errors:  # noqa: BLE001 - the boundary of the network task: a fault in it must not end the app
            self.log.error(repr(errors.exceptions))
            text = _("The network part of Robby failed ({fault}). Connect again.").format(
                fault=type(errors.exceptions[0]).__name__
            )
            self.post_message(Happened(client, Ended(CLIENT_FAULT, text)))

    async def on_happened(self, message: Happened) -> None:
        """Take over what the client tells."""
        try:
            if message.client is self.link.client:
                await self._take_over(message.client, message.event)
        finally:
            message.taken.set()

    async def _take_over(self, client: ClientLike, event: ClientEvent) -> None:
        match event:
            case Connected():
                self._arrived(client, event)
            case Lost():
                self.link.offline = Offline(event.code, event.text, event.attempt, self._now() + event.retry_in)
            case Ended():
                await self._ended(event)
                return
            case Received(ChatSaid()):
                if self._base is not None:
                    self._base.talk_changed()
                return
            case Received(Notice() as notice):
                self.link.notices.tell(notice)
            case Received(TableClosed()):
                self._result_of_closed(client)
            case DealTrouble():
                self.link.notices.warn(event.code, event.text)
                self.bell()
            case _:
                pass
        await self._route()
        if self._base is not None:
            self._base.tell(event)
        if isinstance(event, Received) and isinstance(event.message, TableClosed):
            self.notify(plain(event.message.text), severity="warning", timeout=8, markup=False)

    def _result_of_closed(self, client: ClientLike) -> None:
        """A table that closes at its match's end leaves no time for its results: they stay at the top of the lobby."""
        ended = client.world.ended_table
        result = None if ended is None or isinstance(self._base, ResultsScreen) else result_sentence(ended)
        if result is not None:
            self.link.notices.remember("result", result)

    def _arrived(self, client: ClientLike, event: Connected) -> None:
        self.link.offline = None
        self.link.logged_in = True
        if not self._was_connected:
            self._was_connected = True
            for warning in self._store.take_warnings():
                self.notify(plain(warning), severity="warning", markup=False)
            if self._quick is not None:
                quick, self._quick = self._quick, None
                self._start(self._sit_down(client, quick))
        elif event.resumed:
            self.notify(_("The connection is back."), timeout=3, markup=False)

    async def _sit_down(self, client: ClientLike, quick: QuickTable) -> None:
        try:
            await sit_down(client, quick)
        except (Refused, NotConnected) as error:
            self.notify(plain(error.text), severity="error", markup=False)

    async def _ended(self, event: Ended) -> None:
        self.link.offline = None
        self.link.logged_in = False
        self.link.client = None
        if self._leaving is not None:
            self.exit(return_code=self._leaving)
            return
        if event.code == STOPPED:
            return
        if event.code == SERVER_ID_CHANGED and event.known_id is not None and event.new_id is not None:
            self.run_worker(self._ask_about_server(event.text, event.known_id, event.new_id), group="screens")
            return
        self._problem(event.text, event.code)

    async def _ask_about_server(self, text: str, known: bytes, new: bytes) -> None:
        if isinstance(self._base, ConnectScreen):
            self._base.show_problem(text, SERVER_ID_CHANGED)
        else:
            await self._show(self._connect_screen(text, SERVER_ID_CHANGED))
        address = self._login.address

        def answered(yes: bool | None) -> None:
            if yes:
                self._trusted[address] = new
                self._store.trust(address, new)
                self._connect(self._login)

        detail = _(
            "This is not the server that was here before.\n"
            "known:    {known}\n"
            "answers:  {new}\n"
            "Either it was set up anew, or somebody else answers in its place, who could play in your name there. Ask "
            "whoever runs it to read out its fingerprint; if you cannot, say no."
        ).format(known=fingerprint(known), new=fingerprint(new))
        question = _("Another server answers at {address}.").format(address=plain(str(address)))
        self.push_screen(Confirm(question, detail, yes=_("Trust it from now on")), answered)

    def _problem(self, text: str, code: str) -> None:
        """Show the connect screen with what went wrong."""
        if isinstance(self._base, ConnectScreen):
            self._base.show_problem(text, code)
        else:
            self.run_worker(self._show(self._connect_screen(text, code)), group="screens")

    # Which screen is shown.

    def _connect_screen(self, problem: str = "", code: str = "") -> ConnectScreen:
        known = self._store.recent()
        # Until a server is known, the likeliest is one on this machine.
        address = str(known[0].address if known and not self._address_given else self._login.address)
        return ConnectScreen(
            self.link,
            self._now,
            recent=known,
            address=address,
            name=self._login.name,
            guest=self._login.guest,
            tls=self._login.tls if self._address_given or not known else self._store.tls(known[0].address),
            problem=problem,
            code=code,
        )

    def _wanted(self) -> type[BaseScreen]:
        """The kind of screen that fits the world."""
        world = self.link.world
        table = world.table
        if not self.link.logged_in:
            return ConnectScreen
        if table is None:
            return LobbyScreen
        if table.phase == "waiting":
            return RoomScreen
        shown = table_screen(world.game)
        if table.phase == "playing":
            self._finished_seen = None
            self._room_wanted = False
            # The state of the table comes a moment before the game's first view.
            return shown or RoomScreen
        if self._room_wanted:
            return RoomScreen
        if isinstance(self._base, TableScreen) and self._finished_seen != table.match:
            self._look_for_a_while(table.match)
            return type(self._base)
        return ResultsScreen

    def _look_for_a_while(self, match: str | None) -> None:
        if self._last_look != match:
            self._last_look = match
            self.set_timer(LAST_LOOK, lambda: self.post_message(wishes.ShowResults()))

    async def _route(self) -> None:
        """Go to the screen that fits the world, if another is shown."""
        wanted = self._wanted()
        if wanted is ConnectScreen or isinstance(self._base, wanted):
            return
        if issubclass(wanted, ConnectScreen):
            return
        await self._show(wanted(self.link, self._now))

    async def _show(self, screen: BaseScreen) -> None:
        """Put this screen in the place of the one before, closing the dialogs over it."""
        while self._base is not None and self.screen is not self._base:
            await self.pop_screen()
        if self._base is None:
            await self.push_screen(screen)
        else:
            await self.switch_screen(screen)
        self._base = screen
        self._moved()

    async def on_look_again(self) -> None:
        """Something changed by our own doing."""
        await self._route()

    async def on_show_results(self) -> None:
        """Leave the last look at the table, or the room, for the results."""
        table = self.link.world.table
        if table is not None and table.phase == "finished":
            self._finished_seen = table.match
            self._room_wanted = False
            await self._route()

    async def on_show_room(self) -> None:
        """Show seats and options."""
        self._room_wanted = True
        await self._route()

    async def on_disconnect(self) -> None:
        """Leave the server."""
        if self.link.client is not None:
            self.link.client.stop()
        self.link.client = None
        self.link.logged_in = False
        await self._show(self._connect_screen())

    # Keys.

    def _moved(self, *, own: bool = False) -> None:
        """Keys pressed for what was shown before must not act on what is shown now."""
        screen = self.screen
        context = getattr(screen, "context", None)
        self.link.presses.moved((id(screen), context), own=own, race=getattr(screen, "is_race", False))

    def _screen_changed(self, _screen: Screen[Any]) -> None:
        """A dialog opened or closed, or another screen took its place."""
        depth, self._depth = self._depth, len(self.screen_stack)
        # What a person's own key opened is what the next keys were pressed for.
        self._moved(own=self._typed.busy and self._depth > depth and isinstance(self.screen, ModalScreen))

    async def on_event(self, event: events.Event) -> None:
        """Keys and pasted text wait until all that the key before set off is done; see `typed`."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            self._typed.put(event)
            return
        await super().on_event(event)

    async def _press(self, event: events.Key | events.Paste) -> None:
        """Judge a key press before anything else sees it; pasted text goes to a field or nowhere."""
        self._moved()
        in_field = isinstance(self.focused, Input)
        if isinstance(event, events.Key):
            typing = in_field and (event.is_printable or event.key in ("backspace", "delete"))
            # In a dialog the arrows decide nothing either; at the table they deal.
            moving = event.key in _MOVING or (isinstance(self.screen, ModalScreen) and event.key in ("left", "right"))
            if not moving and not typing and not self.link.presses.admit(event.key, event.time):
                return
        elif not in_field:
            return
        await super().on_event(event)

    # Actions.

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """What the command palette offers."""
        yield SystemCommand(_("Help"), _("Rules and keys"), self.action_help)
        if self.link.world.table is not None:
            yield SystemCommand(_("Leave the table"), _("Back to the lobby"), self.on_leave_table)
        if self.link.logged_in:
            yield SystemCommand(_("Other server"), _("Leave this server"), self.on_disconnect)
        yield SystemCommand(_("Colours"), _("Choose a colour theme"), self.action_change_theme)
        yield SystemCommand(_("Quit"), _("End Robby"), self.action_leave)

    @property
    def playing(self) -> bool:
        """Whether a game runs in which this person has a seat."""
        world = self.link.world
        return world.table is not None and world.table.phase == "playing" and world.seat is not None

    def action_help(self) -> None:
        """Open the help, once."""
        if not isinstance(self.screen, Help):
            table = self.link.world.table
            self.push_screen(Help(None if table is None else table.game, self._running_clock, self._now))

    def _running_clock(self) -> RunningClock | None:
        game = self.link.world.game
        return None if game is None or not self.playing else game.clock

    def action_leave(self) -> None:
        """End the program; while a game runs, after a question."""
        if isinstance(self.screen, Confirm):
            return
        if not self.playing:
            self._goodbye()
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._goodbye()

        self.push_screen(
            Confirm(
                _("Quit in the middle of the game?"),
                _("Your seat is kept; the clock plays for you, and after a while a bot. Come back at any time."),
                yes=_("Quit"),
            ),
            answered,
        )

    def on_leave_table(self) -> None:
        """Give the seat up; while a game runs, after a question."""
        if not self.link.here:
            self.notify(_("There is no connection now; nothing was sent."), severity="warning", markup=False)
            return
        if self.link.world.watching:
            self.link.ask(lambda client: client.unwatch(), done=self._look, refused=self._complain)
            return
        if not self.playing:
            self._leave_table()
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._leave_table()

        self.push_screen(
            Confirm(
                _("Leave the table in the middle of the game?"),
                _("A bot plays on for you. While the game runs you may come back by joining the table again."),
                yes=_("Leave"),
            ),
            answered,
        )

    def _leave_table(self) -> None:
        self.link.call(TableLeave, done=self._look, refused=self._complain)

    def _look(self, _result: dict[str, Any]) -> None:
        self.post_message(wishes.LookAgain())

    def _complain(self, _code: str, text: str) -> None:
        self.notify(plain(text), severity="warning", markup=False)
