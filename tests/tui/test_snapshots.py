"""How the main screens look.

After a wanted change: `pytest tests/tui/test_snapshots.py --snapshot-update`, then look at the pictures.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from robby_games.robby_solo import Confirm, GameOver, TakeBack
from robby_games.tresor_diebe import Opened, Passed, RoundBegan, RoundEnded, Thrown
from robby_tui.screens.connect import ConnectScreen
from robby_tui.screens.lobby import LobbyScreen
from robby_tui.screens.results import ResultsScreen
from robby_tui.screens.table import TableScreen
from tests.tui import diebe, wild
from tests.tui.fakes import WILL_NOT_RED, lobby, own, public, scores, table, table_state
from tests.tui.kit import Stage, make_app
from tests.tui.tables import LAYS, REVEAL
from tests.tui.test_screens import RESULT

Compare = Callable[..., bool]


async def _connect(stage: Stage) -> None:
    await stage.at(ConnectScreen)
    # A blinking cursor would be there in one picture and not in the next.
    stage.screen.set_focus(None)


async def _lobby(stage: Stage) -> None:
    await stage.feed(lobby(table(), table("waiting", title="漢字 [b]x[/b]", table="B2", options={"junior": True})))
    await stage.at(LobbyScreen)


async def _revision(stage: Stage) -> None:
    view = public("revision", ("laid_again", "laid", "confirmed", "taken_back"), declaration=WILL_NOT_RED)
    update = stage.match.update(view, own(3), Confirm(), TakeBack(), events=REVEAL, clock=(18_000, 30_000, 2_000))
    await stage.feed(table_state(), update)
    await stage.at(TableScreen)


async def _plays(stage: Stage) -> None:
    view = public("plays", ("none", "none", "laid", "none"))
    await stage.feed(table_state(), stage.match.update(view, own(), *LAYS, events=REVEAL, clock=(4_000, 45_000, None)))
    await stage.at(TableScreen)


async def _results(stage: Stage) -> None:
    over = public("over", ("none",) * 4, scores=scores())
    await stage.feed(
        table_state("finished", result=RESULT),
        stage.match.update(over, own(), events=[GameOver(reason="deck", scores=scores())], clock=None),
    )
    await stage.at(ResultsScreen)


async def _dice(stage: Stage) -> None:
    """Dice chosen, the odds shown."""
    dice = (5, 6, 2, 3, 2)
    events = [Passed(3), Thrown(0, 1, (5, 6, 2, 1, 1), (0, 1, 2, 3, 4)), Thrown(0, 2, dice, (3, 4))]
    await diebe.sit(stage, diebe.view(dice, throws=2), *diebe.THROWN, events=events)
    await stage.press("1", "2", "o")


async def _round_over(stage: Stage) -> None:
    """The first turn of a round, what the last one brought still in sight."""
    events = [
        *(Thrown(2, 1, (6, 6, 5, 5, 4), (0, 1, 2, 3, 4)), Opened(2, 26, 300, 17, 20)),
        *(RoundEnded(1, "field", (13, 7, 20, 0), (13, 7, 20, 0)), RoundBegan(2, 0, ())),
    ]
    shown = diebe.view(fields=(0, 0, 0, 0), totals=(13, 7, 20, 0), safes=diebe.safes({}), markers=(11,) * 4)
    await diebe.sit(stage, shown, *diebe.TURN, events=events)


async def _shootout(stage: Stage) -> None:
    await wild.sit(stage, "shoot")


async def _composed(stage: Stage) -> None:
    await wild.sit(stage, "declare")
    await stage.press("right", "s")


async def _lit(stage: Stage) -> None:
    await wild.sit(stage, "declare")
    await wild.judged(stage, wild.WRONG)


@pytest.mark.parametrize(
    ("scene", "size"),
    [
        (_connect, (80, 24)),
        (_lobby, (80, 24)),
        (_revision, (80, 24)),
        (_plays, (120, 40)),
        (_results, (80, 24)),
        (_dice, (80, 24)),
        (_dice, (120, 40)),
        (_round_over, (80, 24)),
        (_round_over, (120, 40)),
        (_shootout, (80, 24)),
        (_composed, (80, 24)),
        (_lit, (120, 40)),
    ],
    ids=[
        *("connect", "lobby", "revision", "plays-wide", "results"),
        *("dice", "dice-wide", "round-over", "round-over-wide"),
        *("shoot-out", "declaration", "judged-wide"),
    ],
)
def test_looks(
    snap_compare: Compare, tmp_path: Path, scene: Callable[[Stage], Awaitable[None]], size: tuple[int, int]
) -> None:
    app, maker, clock = make_app(tmp_path, address=None if scene is _connect else "localhost")

    async def run_before(pilot: Pilot[Any]) -> None:
        stage = Stage(app, pilot, maker, clock)
        await stage.settle()
        if scene is not _connect:
            stage.client.connect()
            await stage.settle()
        await scene(stage)
        await stage.settle()

    try:
        assert snap_compare(app, terminal_size=size, run_before=run_before)
    finally:
        for client in maker.clients:
            client.close()
