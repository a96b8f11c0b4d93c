"""Runs the real app, headless, over a scripted client. Each test runs its own event loop."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen

from robby_client.address import Address
from robby_client.quick import QuickTable
from robby_client.store import Store
from robby_tui.app import RobbyApp
from robby_tui.presses import Presses
from tests.tui import idle
from tests.tui.fakes import FakeClock, Maker, Match, ScriptedClient

idle.install()

PATIENCE = 40.0
"""Seconds after which something that should have shown is taken for missing; only a failing test waits so long."""


class Stage:
    """One running app and its script."""

    def __init__(self, app: RobbyApp, pilot: Pilot[None], maker: Maker, clock: FakeClock) -> None:
        self.app = app
        self.pilot = pilot
        self.maker = maker
        self.clock = clock
        self.match = Match()

    @property
    def client(self) -> ScriptedClient:
        return self.maker.client

    @property
    def screen(self) -> Screen[Any]:
        return self.app.screen

    @property
    def text(self) -> str:
        """The screen as lines of text, as wide as the terminal."""
        return screen_text(self.app)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Let the app work until this holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"never came true; the screen shows:\n{self.text}"
            await self.pilot.pause(0.01)

    async def sees(self, text: str) -> None:
        """Wait until the screen shows this."""
        await self.until(lambda: text in self.text)

    async def at(self, kind: type[Screen[Any]]) -> None:
        """Wait until this screen is shown."""
        await self.until(lambda: isinstance(self.app.screen, kind))
        await self.pilot.pause()

    async def feed(self, *messages: Any) -> None:
        """Messages from the server, and the time to show them."""
        self.client.feed(*messages)
        await self.settle()

    async def settle(self) -> None:
        """Let the app do all that it has to do now, and first take over all that the client told."""
        await self.pilot.pause()
        if self.maker.clients:
            await self.until(lambda: self.client.waiting == 0)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.settle()


Scene = Callable[[Stage], Awaitable[None]]


def screen_text(app: RobbyApp) -> str:
    # Textual has no public way to read the screen as text; its own snapshots draw from the same strips.
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in strips)


def make_app(
    folder: Path,
    *,
    address: str | None = "localhost",
    name: str | None = "Ana",
    quick: QuickTable | None = None,
    presses: Presses | None = None,
) -> tuple[RobbyApp, Maker, FakeClock]:
    clock = FakeClock()
    maker = Maker(clock)
    app = RobbyApp(
        maker,
        store=Store(folder),
        address=None if address is None else Address.parse(address),
        name=name,
        quick=quick,
        now=clock,
    )
    # Pilots press keys faster than anybody; tests of the guard bring their own.
    app.link.presses = presses or Presses(settle=0.0, held=0.0)
    return app, maker, clock


def run(
    scene: Scene,
    folder: Path,
    *,
    size: tuple[int, int] = (80, 24),
    connected: bool = True,
    **settings: Any,
) -> RobbyApp:
    """Run one scene. connected: the login has already succeeded."""
    app, maker, clock = make_app(folder, **settings)

    async def play() -> None:
        try:
            async with app.run_test(size=size, notifications=True) as pilot:
                stage = Stage(app, pilot, maker, clock)
                await stage.settle()
                if connected:
                    stage.client.connect()
                    await stage.settle()
                await scene(stage)
        finally:
            for client in maker.clients:
                client.close()

    asyncio.run(play())
    return app
