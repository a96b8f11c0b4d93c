"""The revision: confirm, or take the card back and lay again; and how it ends."""

from robby_games.robby_solo import (
    Confirm,
    Confirmed,
    Laid,
    Lay,
    Returned,
    Reveal,
    RevealCalled,
    TakeBack,
    TakenBack,
    YouLaid,
)
from robby_protocol.errors import CARD_IN_HAND
from robby_rules.interface import IllegalActionError
from robby_rules.robby_solo.robbery import turn_cards
from robby_rules.robby_solo.state import CONFIRMED, LAID, LAID_AGAIN, REVISION, TAKEN_BACK, State, Tale


def revise(state: State, seat: int, action: object, at: int, tale: Tale) -> State:
    """A seat's action in the revision. Raises IllegalActionError."""
    if seat == state.loot.gentleman:
        # Pending only once the shortest time has passed and no card is in a hand.
        if type(action) is not Reveal:
            raise IllegalActionError
        tale.public.append(RevealCalled(seat))
        return turn_cards(state, state.marks, at, tale)
    in_hand = state.marks[seat] == TAKEN_BACK
    if type(action) is Lay:
        if not in_hand or not 0 <= action.bank < state.setting.banks:
            raise IllegalActionError
        tale.public.append(Laid(seat, True))
        tale.private.append((seat, YouLaid(action.bank)))
        cards = state.cards
        return _go_on(state, (*cards[:seat], action.bank, *cards[seat + 1 :]), _marked(state.marks, seat, LAID_AGAIN))
    if type(action) is TakeBack:
        if in_hand:
            raise IllegalActionError
        tale.public.append(TakenBack(seat))
        return _go_on(state, state.cards, _marked(state.marks, seat, TAKEN_BACK))
    if type(action) is Confirm:
        if in_hand:
            raise IllegalActionError(CARD_IN_HAND)
        return confirm(state, (seat,), at, False, tale)
    raise IllegalActionError


def confirm(state: State, seats: tuple[int, ...], at: int, auto: bool, tale: Tale) -> State:
    """These seats' cards shall count; a card in the hand lies again as it was. All have confirmed: the reveal."""
    marks = state.marks
    for seat in seats:
        if marks[seat] == TAKEN_BACK:
            tale.public.append(Returned(seat))
        tale.public.append(Confirmed(seat, auto))
        marks = _marked(marks, seat, CONFIRMED)
    gentleman = state.loot.gentleman
    for seat in range(state.setting.seats):
        if marks[seat] != CONFIRMED and seat != gentleman:
            return _go_on(state, state.cards, marks)
    return turn_cards(state, marks, at, tale)


def time_is_up(state: State, at: int, tale: Tale) -> State:
    """The longest revision is over: cards in hands lie again as they were, and all are turned."""
    marks = state.marks
    for seat in range(state.setting.seats):
        if marks[seat] == TAKEN_BACK:
            tale.public.append(Returned(seat))
            marks = _marked(marks, seat, LAID)
    return turn_cards(state, marks, at, tale)


def open_reveal(state: State) -> State:
    """The shortest revision is over: from now on the Gentleman may call *reveal*."""
    return _go_on(state, state.cards, state.marks, True)


def _marked(marks: tuple[str, ...], seat: int, mark: str) -> tuple[str, ...]:
    return (*marks[:seat], mark, *marks[seat + 1 :])


def _go_on(state: State, cards: tuple[int, ...], marks: tuple[str, ...], opening: bool = False) -> State:
    reveal_open = opening or state.reveal_open
    gentleman = state.loot.gentleman
    may_call = reveal_open and TAKEN_BACK not in marks
    pending = tuple(
        [seat for seat in range(state.setting.seats) if (may_call if seat == gentleman else marks[seat] != CONFIRMED)]
    )
    return State(
        state.setting,
        state.loot,
        REVISION,
        state.serial,
        state.began,
        cards,
        marks,
        pending,
        state.absent,
        state.declaration,
        reveal_open,
    )
