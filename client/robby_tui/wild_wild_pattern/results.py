"""Wild Wild Pattern's results: each participant's money, round by round, and what it was paid for."""

from robby_client.world import GameState
from robby_games.wild_wild_pattern import Payment, RoundOver, Score
from robby_protocol.i18n import _
from robby_tui.moment import names_of
from robby_tui.widgets.explained import place_line, wrapped
from robby_tui.widgets.lines import Line
from robby_tui.wild_wild_pattern.picture import STORY


def results(game: GameState, cells: int) -> list[Line]:
    """All results of a finished match, best first, in lines of so many cells."""
    names = names_of(STORY, game)
    me = None if game.own is None else game.own.seat
    rounds = [event for event in game.events if isinstance(event, RoundOver)]
    return [line for score in game.public.scores for line in _explained(score, rounds, names, me, cells)]


def _explained(score: Score, rounds: list[RoundOver], names: list[str], me: int | None, cells: int) -> list[Line]:
    """One participant: place and money; what each round paid."""
    name = names[score.seat] if score.seat < len(names) else f"#{score.seat + 1}"
    lines: list[Line] = [place_line(score.place, name, score.coins, winner=score.winner, mine=score.seat == me)]
    for number, over in enumerate(rounds, start=1):
        for payment in over.payments:
            if payment.seat == score.seat:
                label = _("round {round}, {paid} $").format(round=number, paid=payment.paid)
                lines += wrapped(label, _parts(payment), cells)
    return lines


def _parts(payment: Payment) -> list[str]:
    parts = [
        _("objects {coins}").format(coins=payment.objects),
        _("target {coins}").format(coins=payment.target),
        _("challenge cards {coins}").format(coins=payment.challenges),
    ]
    if payment.paid < payment.due:
        parts.append(_("{coins} $ were due, but the bank was empty").format(coins=payment.due))
    return parts
