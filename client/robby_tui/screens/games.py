"""Which screen shows which game. A second game is a screen of its own and a line here."""

from robby_client.world import GameState
from robby_games.robby_solo import NAME as ROBBY_SOLO
from robby_tui.robby_solo.table import SoloTable
from robby_tui.screens.table import TableScreen

_TABLES: dict[str, type[TableScreen]] = {ROBBY_SOLO: SoloTable}


def table_screen(game: GameState | None) -> type[TableScreen] | None:
    """The screen for a match as it is known now; None: there is nothing to show yet, or no screen for it."""
    if game is None:
        return None
    screen = _TABLES.get(game.name)
    return screen if screen is not None and screen.shows(game) else None
