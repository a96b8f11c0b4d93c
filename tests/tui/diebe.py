"""Tresor Diebe's table in the middle of a game, for tests."""

from itertools import combinations
from typing import Any

from msgspec import Struct

from robby_games.tresor_diebe import (
    BOARD,
    FIRST_SAFE,
    NOBODY,
    Again,
    GameOver,
    OwnView,
    Pass,
    PublicView,
    RoundBegan,
    RoundEnded,
    Score,
    Stop,
    Throw,
    Thrown,
    TurnBegan,
)
from robby_protocol.messages import TableState
from robby_tui.screens.table import TableScreen
from robby_tui.tresor_diebe.throw import Throw as ThrowWidget
from tests.tui.fakes import table_state
from tests.tui.kit import Stage

TURN = (Pass(), Throw())
THROWN = (Stop(), *(Again(dice) for count in range(1, 6) for dice in combinations(range(5), count)))
"""What the server offers: before the first throw, and after one."""
TAKEN = {7: 1, 14: 0, 21: 2, 26: 3}
"""Safes that are open, and by whom."""
SIZES = [(60, 18), (80, 24), (120, 40)]
FREE = (5, 6, 2, 3, 2)
"""Dice that name safe 18, which is free."""
OPEN = (5, 6, 3, 5, 2)
"""Dice that name safe 21, which Cleo has opened."""
ALL = (0, 1, 2, 3, 4)
OWN = OwnView(0)
FIRST_THROW = Thrown(0, 1, FREE, ALL)
ENDED = RoundEnded(1, "field", (20, 7, 11, 0), (20, 7, 11, 0))
NEXT_ROUND = [ENDED, RoundBegan(2, 3, ()), TurnBegan(3)]


def safes(taken: dict[int, int] | None = None) -> tuple[int, ...]:
    """A view's safes with these owners."""
    taken = TAKEN if taken is None else taken
    return tuple(taken.get(safe, NOBODY) for safe in range(FIRST_SAFE, FIRST_SAFE + len(BOARD)))


def view(dice: tuple[int, ...] = (), *, throws: int | None = None, **fields: Any) -> PublicView:
    """Four players in round 2; Ana, the first, is on turn."""
    base: dict[str, Any] = {
        "round": 2,
        "rounds": 3,
        "phase": "thrown" if dice else "turn",
        "turn": 0,
        "starter": 2,
        "safes": safes(),
        "dice": dice,
        "throws": int(bool(dice)) if throws is None else throws,
        "fields": (1, 4, 1, 3),
        "totals": (20, 7, 11, 0),
        "markers": (10, 10, 10, 10),
        "passes": 0,
        "idle": 0,
        "odds": True,
    }
    return PublicView(**(base | fields))


def state(phase: str = "playing", **changes: Any) -> TableState:
    """The table."""
    fields: dict[str, Any] = {"game": "tresor-diebe", "capacity": 4} | changes
    return table_state(phase, **fields)


async def sit(stage: Stage, shown: PublicView, *legal: Struct, seat: int | None = 0, **fields: Any) -> None:
    """A game in which this is shown and asked; seat None: watched."""
    mine = None if seat is None else OwnView(seat)
    await stage.feed(state(you=seat), stage.match.update(shown, mine, *legal, **fields))
    await stage.at(TableScreen)


async def go_on(stage: Stage, shown: PublicView, *legal: Struct, **fields: Any) -> None:
    """The game goes on to this, for the first seat."""
    await stage.feed(stage.match.update(shown, OwnView(0), *legal, **fields))


def acted(stage: Stage) -> list[Any]:
    """What was answered."""
    return [action for action, _decision in stage.client.acted]


SCORES = (
    Score(seat=1, points=(20, 7, 20), total=47, place=1, winner=True),
    Score(seat=0, points=(4, 20, 11), total=35, place=2, winner=False),
    Score(seat=2, points=(11, 12, 12), total=35, place=2, winner=False),
    Score(seat=3, points=(0, 3, 1), total=4, place=4, winner=False),
)
OVER = view(
    round=3, phase="over", fields=(11, 20, 12, 1), totals=(35, 47, 35, 4), scores=SCORES, turn=1, markers=(5, 5, 5, 5)
)
GAME_OVER = GameOver(scores=SCORES)


def question(stage: Stage) -> str:
    return "".join(line for line in stage.text.splitlines() if line.startswith(" ▸ ") and "(you)" not in line)


def keys(stage: Stage) -> str:
    return stage.text.splitlines()[-1]


def beside(stage: Stage) -> str:
    """What is told beside the dice, or below them, as one line."""
    lines = str(stage.screen.query_one(ThrowWidget).render()).splitlines()
    told = {18: [line[29:] for line in lines], 24: [line[49:] for line in lines], 40: lines[8:]}
    return " ".join(" ".join(told[stage.app.size.height]).split())
