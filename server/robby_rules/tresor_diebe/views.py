"""What is seen of a game. Only the dice to come are hidden, and they are in no state."""

from robby_games.tresor_diebe import PublicView
from robby_rules.tresor_diebe.state import State, markers_left


def public_view(state: State) -> PublicView:
    """What everybody sees."""
    setting = state.setting
    return PublicView(
        round=state.round,
        rounds=setting.rounds,
        phase=state.phase,
        turn=state.turn,
        starter=state.starter,
        safes=state.owners,
        dice=state.dice,
        throws=state.throws,
        fields=state.fields,
        totals=state.totals,
        markers=tuple(markers_left(state, seat) for seat in range(setting.seats)),
        passes=state.passes,
        idle=state.idle,
        odds=setting.odds,
        scores=state.scores,
    )
