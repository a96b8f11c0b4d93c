"""The screens of each game. A further game is a folder of its own and an entry here."""

from collections.abc import Callable
from dataclasses import dataclass

from robby_client.world import GameState
from robby_games.robby_solo import NAME as ROBBY_SOLO
from robby_games.tresor_diebe import NAME as TRESOR_DIEBE
from robby_games.wild_wild_pattern import NAME as WILD_WILD_PATTERN
from robby_tui.robby_solo import help as solo_help
from robby_tui.robby_solo import results as solo_results
from robby_tui.robby_solo.table import SoloTable
from robby_tui.screens.table import TableScreen
from robby_tui.tresor_diebe import help as diebe_help
from robby_tui.tresor_diebe import results as diebe_results
from robby_tui.tresor_diebe.table import DiebeTable
from robby_tui.widgets.lines import Line
from robby_tui.wild_wild_pattern import help as wild_help
from robby_tui.wild_wild_pattern import results as wild_results
from robby_tui.wild_wild_pattern.table import WildTable


@dataclass(frozen=True)
class GameScreens:
    """What the screens need of one game.

    table: shows a match. chapters: (heading, text) of its part of the help: rules, how to read the table, keys.
    results: a finished match's results in lines of so many cells.
    """

    table: type[TableScreen]
    chapters: Callable[[], list[tuple[str, str]]]
    results: Callable[[GameState, int], list[Line]]


SCREENS: dict[str, GameScreens] = {
    ROBBY_SOLO: GameScreens(table=SoloTable, chapters=solo_help.chapters, results=solo_results.results),
    TRESOR_DIEBE: GameScreens(table=DiebeTable, chapters=diebe_help.chapters, results=diebe_results.results),
    WILD_WILD_PATTERN: GameScreens(table=WildTable, chapters=wild_help.chapters, results=wild_results.results),
}


def table_screen(game: GameState | None) -> type[TableScreen] | None:
    """The screen for a match as it is known now; None: there is nothing to show yet, or no screen for it."""
    screens = None if game is None else SCREENS.get(game.name)
    return screens.table if screens is not None and game is not None and screens.table.shows(game) else None
