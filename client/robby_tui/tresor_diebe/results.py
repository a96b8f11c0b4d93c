"""Tresor Diebe's results: each place, and the points of each round."""

from robby_client.world import GameState
from robby_tui.moment import names_of
from robby_tui.signs import MUTED
from robby_tui.tresor_diebe.picture import STORY
from robby_tui.widgets.explained import INDENT, place_line
from robby_tui.widgets.lines import Line, clip


def results(game: GameState, cells: int) -> list[Line]:
    """All results of a finished match, best first, in lines of so many cells."""
    names = names_of(STORY, game)
    me = None if game.own is None else game.own.seat
    lines: list[Line] = []
    for score in game.public.scores:
        name = names[score.seat] if score.seat < len(names) else f"#{score.seat + 1}"
        lines.append(place_line(score.place, name, score.total, winner=score.winner, mine=score.seat == me))
        lines += [clip([(INDENT + line, MUTED)], cells) for line in STORY.explained(score, names, me)[1:]]
    return lines
