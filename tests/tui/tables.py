"""Robby Solo's table in the middle of a game, for tests: what can be asked, and how it is put."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from robby_games.robby_solo import (
    Clashed,
    Confirm,
    Declare,
    Give,
    Lay,
    PublicView,
    Reveal,
    Revealed,
    Robbed,
    Supply,
    TakeBack,
)
from robby_tui.screens.table import TableScreen
from tests.tui.fakes import WILL_NOT_RED, own, public, table_state
from tests.tui.kit import Stage

LAYS = tuple(Lay(bank=bank) for bank in range(5))
DECLARATIONS = (Declare(robs=True, bank=3), *(Declare(robs=False, bank=bank) for bank in (0, 1, 2, 4)))
MINE: dict[str, Any] = {"gentleman": 0}
REVEAL = (
    Revealed(banks=(3, 2, 2, 1)),
    Robbed(seat=0, bank=3, loot=(7_000, 2_000)),
    Clashed(bank=2, seats=(1, 2), loot=(9_000,)),
    Robbed(seat=3, bank=1, loot=(3_000, 2)),
)


async def sit(stage: Stage, view: PublicView, mine: Any, *legal: Struct, **fields: Any) -> None:
    """A game in which this is shown and asked."""
    await stage.feed(table_state(), stage.match.update(view, mine, *legal, **fields))
    await stage.at(TableScreen)


def acted(stage: Stage) -> list[Any]:
    return [action for action, _decision in stage.client.acted]


ASKED: dict[str, tuple[PublicView, Any, Sequence[Struct], dict[str, Any]]] = {
    "supply": (public("supply", ("none",) * 4, **MINE), own(), (Supply(side="left"), Supply(side="right")), {}),
    "play": (public("plays", ("none", "none", "laid", "none")), own(), LAYS, {}),
    "gentleman lays": (public("gentleman", ("none", "laid", "laid", "laid"), **MINE), own(), LAYS, {}),
    "gentleman declares": (public("gentleman", **MINE), own(3), DECLARATIONS, {}),
    "revision": (public("revision", declaration=WILL_NOT_RED), own(3), (Confirm(), TakeBack()), {}),
    "in the hand": (
        public("revision", ("taken_back", "laid", "laid", "laid"), declaration=WILL_NOT_RED),
        own(3),
        LAYS,
        {},
    ),
    "reveal": (public("revision", declaration=WILL_NOT_RED, reveal_open=True, **MINE), own(3), (Reveal(),), {}),
    "item": (public("police", ("none",) * 4), own(stack=(1, 4, 6)), (Give(card=1), Give(card=4), Give(card=6)), {}),
}
