"""What all screens have in common: the banner, the line of keys, and being told when the world changed."""

import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Static

from robby_client.events import ClientEvent
from robby_protocol.i18n import _
from robby_tui.asked import KeyHint
from robby_tui.cells import plain
from robby_tui.link import Link
from robby_tui.widgets.banner import Banner
from robby_tui.widgets.keybar import KeyBar

SMALLEST = (60, 18)
"""Columns and rows below which there is only a plain notice: seven banks and six people do not fit in less."""


def always() -> list[KeyHint]:
    """Keys that work everywhere."""
    return [KeyHint("?", _("help"), "app.help"), KeyHint("q", _("quit"), "app.leave")]


class BaseScreen(Screen[None]):
    """A screen that shows part of the world. now: the monotonic clock in seconds."""

    BINDINGS: ClassVar[list[BindingType]] = []
    KEY_LINES: ClassVar[int] = 2
    """Lines that the keys may take where one is not enough."""

    def __init__(self, link: Link, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.link = link
        self.now = now
        self._too_small = Static("", id="too-small", markup=False)

    def compose(self) -> ComposeResult:
        """Banner, the screen's own body, the line of keys."""
        yield Banner(self.now)
        yield self._too_small
        yield from self.body()
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
        self.query_one(Banner).show(self.link.offline)
        self.world_changed(event)
        self.show_keys()

    def show_keys(self) -> None:
        """Bring the line of keys up to date."""
        if self.is_attached:
            self.query_one(KeyBar).show(self.keys(), self.always())

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
