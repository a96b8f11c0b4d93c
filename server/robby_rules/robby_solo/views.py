"""Who sees what. Everything that leaves the rules about a state goes through here.

The public view is made from what all may see and from nothing else: no face-down heist card, no order of the deck or of
Junior's cards, no chosen item.
"""

from robby_games.robby_solo import OwnView, ParticipantView, PublicView
from robby_rules.robby_solo.state import NO_BANK, NO_CARD, State


def public_view(state: State) -> PublicView:
    """What everybody sees."""
    loot, setting = state.loot, state.setting
    if state.revealed or setting.open_loot:
        paying: tuple[int, ...] = () if state.visit is None else state.pending
        participants = [
            ParticipantView(
                mark,
                card if state.revealed else None,
                len(stack),
                stack[-1] if stack else None,
                stack if setting.open_loot else None,
                who in paying,
            )
            for who, (mark, card, stack) in enumerate(zip(state.marks, state.cards, loot.stacks, strict=True))
        ]
    else:
        # The same, for the most frequent case by far.
        participants = [
            ParticipantView(mark, None, len(stack), stack[-1] if stack else None)
            for mark, stack in zip(state.marks, loot.stacks, strict=True)
        ]
    return PublicView(
        loot.round,
        state.phase,
        loot.gentleman,
        len(loot.deck),
        loot.banks,
        tuple(participants),
        setting.junior,
        state.declaration,
        state.reveal_open,
        state.scores,
    )


def own_view(state: State, seat: int) -> OwnView:
    """What the seat sees besides."""
    card = state.cards[seat]
    visit = state.visit
    chosen = NO_CARD if visit is None else visit.chosen[seat]
    return OwnView(
        seat,
        None if card == NO_BANK else card,
        state.loot.stacks[seat],
        None if chosen == NO_CARD else chosen,
    )
