"""What all screens have in common: the banner, the line of keys, and being told when the world changed."""

import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from robby_client.events import ClientEvent
from robby_protocol.i18n import _
from robby_tui.cells import plain
from robby_tui.hints import KeyHint
from robby_tui.link import Link
from robby_tui.screens.talking import Talking
from robby_tui.widgets.banner import Banner
from robby_tui.widgets.headline import Headline
from robby_tui.widgets.keybar import KeyBar

SMALLEST = (60, 18)
"""Columns and rows below which there is only a plain notice: seven banks and six people do not fit in less."""
ROOMY_ROWS = 24
"""Rows from which a warning has room for three lines."""


def always() -> list[KeyHint]:
    """Keys that work everywhere."""
    return [KeyHint("?", _("help"), "app.help"), KeyHint("q", _("quit"), "app.leave")]


class BaseScreen(Talking):
    """A screen that shows part of the world. now: the monotonic clock in seconds."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("d,D", "put_away", show=False)]
    KEY_LINES: ClassVar[int] = 2
    """Lines that the keys may take where one is not enough."""

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(link, now)
        self._too_small = Static("", id="too-small", markup=False)

    def compose(self) -> ComposeResult:
        """The lines at the top, the screen's own body, the line of keys."""
        with Vertical(id="tops"):
            yield Banner(self.now)
            yield Headline("notice-line")
            yield Headline("watching-line")
        yield self._too_small
        yield from self.body()
        yield from self.talk_widgets()
        yield KeyBar(self.KEY_LINES)

    def body(self) -> ComposeResult:
        """The screen's own widgets."""
        yield from ()

    def keys(self) -> Sequence[KeyHint]:
        """The keys that do something now."""
        return ()

    def always(self) -> Sequence[KeyHint]:
        """The keys that work everywhere on this screen."""
        return always()

    def world_changed(self, event: ClientEvent | None) -> None:
        """The world is another now; event: what changed it, None on the first showing."""

    def tell(self, event: ClientEvent | None) -> None:
        """Bring everything on the screen up to date."""
        if not self.is_attached or not self.query(Banner):
            return  # not built yet, or being taken down
        self._show_tops()
        self.world_changed(event)
        self.tell_talk()
        self.show_keys()

    def _show_tops(self) -> None:
        self.query_one(Banner).show(self.link.offline)
        cells = self.app.size.width
        notice, more = self.link.notices.first, self.link.notices.more
        end = _("d puts it away") + (f" (+{more})" if more else "")
        text = "" if notice is None else plain(notice.text)
        loud = notice is not None and notice.loud
        self.query_one("#notice-line", Headline).say(text, end, cells, loud=loud, whole=self._roomy)
        self.query_one("#watching-line", Headline).say(self._watching(), _("l stops"), cells)

    def _watching(self) -> str:
        """That one only watches, and how late; empty where one plays."""
        world = self.link.world
        if not world.watching or world.table is None:
            return ""
        if world.table.delay_s:
            return _("You are watching ({n} s behind).").format(n=world.table.delay_s)
        return _("You are watching.")

    @property
    def _roomy(self) -> bool:
        """Whether a warning may take more than one line without hiding what is asked."""
        return self.app.size.height >= ROOMY_ROWS

    @property
    def top_rows(self) -> int:
        """Lines that those at the top take."""
        first = self.link.notices.first
        loud = 0 if first is None else 3 if first.loud and self._roomy else 1
        return (self.link.offline is not None) + loud + self.link.world.watching

    def action_put_away(self) -> None:
        """The notice at the top was read."""
        if self.link.notices.first is not None:
            self.link.notices.put_away()
            self.tell(None)

    def show_keys(self) -> None:
        """Bring the line of keys up to date."""
        if self.is_attached:
            # Talking is what others wait for an answer to: where room is short its key stays.
            talk, people = self.talk_keys()[:1], self.talk_keys()[1:]
            self.query_one(KeyBar).show([*self.keys(), *people], [*talk, *self.always()])

    def on_mount(self) -> None:
        """Show the world as it is."""
        self.tell(None)

    def on_resize(self) -> None:
        """Below the smallest size show a notice alone."""
        columns, rows = self.app.size
        self.set_class(columns < SMALLEST[0] or rows < SMALLEST[1], "tiny")
        self._too_small.update(self.small_notice())

    def small_notice(self) -> str:
        """What is shown where the terminal is too small."""
        columns, rows = self.app.size
        return _("This terminal has {columns}×{rows} characters; Robby needs {wide}×{high}. Make it larger.").format(
            columns=columns, rows=rows, wide=SMALLEST[0], high=SMALLEST[1]
        )

    async def on_key_bar_chosen(self, message: KeyBar.Chosen) -> None:
        """A key in the last line was clicked."""
        await self.run_action(message.action)

    def say(self, text: str, *, wrong: bool = False) -> None:
        """A short notice over the screen."""
        self.notify(plain(text), severity="warning" if wrong else "information", timeout=5, markup=False)

    def refused(self, _code: str, text: str) -> None:
        """A command was refused: say so."""
        if self.is_attached:
            self.say(text, wrong=True)

    def online(self) -> bool:
        """Whether something can be sent; if not, says so."""
        if self.link.here:
            return True
        self.say(_("There is no connection now; nothing was sent."), wrong=True)
        return False
