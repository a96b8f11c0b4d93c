"""Who sees what. Everything that leaves the rules about a state goes through here.

The public view is made from what all may see and from nothing else: no hand, no order of the deck, and no trace of a
race that is not decided.
"""

from robby_games.wild_wild_pattern import OwnView, ParticipantView, PlaceView, PublicView
from robby_rules.wild_wild_pattern.state import (
    DECLARE,
    GRAB,
    NAMING,
    NO_PLACE,
    NOBODY,
    READY,
    SHOOTOUT,
    TAKE,
    State,
)


def public_view(state: State) -> PublicView:
    """What everybody sees."""
    cards = state.cards
    alone = state.phase in (DECLARE, TAKE, NAMING)
    return PublicView(
        state.round,
        state.setting.rounds,
        state.turn,
        state.phase,
        tuple(
            [
                PlaceView(card, cards.covered if place == state.played else None)
                for place, card in enumerate(cards.wheel)
            ]
        ),
        len(cards.deck),
        cards.discard,
        len(cards.removed),
        state.bank,
        tuple(
            [
                ParticipantView(
                    state.coins[seat],
                    state.targets[seat],
                    cards.won[seat],
                    len(cards.challenges[seat]),
                    state.ready[seat],
                    state.clicked[seat],
                    state.slowed[seat],
                )
                for seat in range(state.setting.seats)
            ]
        ),
        state.phase in (GRAB, NAMING),
        state.pending[0] if alone else None,
        len([seat for seat in state.takers if seat == state.pending[0]]) if state.phase == TAKE else 0,
        None if state.shooter == NOBODY else state.shooter,
        None if state.played == NO_PLACE else state.played,
        None if state.forbidden == NO_PLACE else state.forbidden,
        state.race,
        state.judgement,
        state.scores,
    )


def own_view(state: State, seat: int) -> OwnView:
    """What the seat sees besides: its card from the moment at which all look, and its own shot."""
    entry = next((one for one in state.entries if one.seat == seat), None)
    return OwnView(
        seat,
        None if state.phase == READY else state.cards.hands[seat],
        entry.place if entry is not None and state.phase == SHOOTOUT else None,
        entry is not None and state.phase == GRAB,
    )
