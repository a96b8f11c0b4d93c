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
from robby_rules.interface import IllegalActionError, Step
from robby_rules.robby_solo.robbery import turn_cards
from robby_rules.robby_solo.state import (
    CONFIRMED,
    LAID,
    LAID_AGAIN,
    REVISION,
    TAKEN_BACK,
    SoloStep,
    State,
    Tale,
    new_tale,
)


def revise(state: State, seat: int, action: object, at: int) -> SoloStep:
    """A seat's action in the revision. Raises IllegalActionError."""
    if seat == state.loot.gentleman:
        # Pending only once the shortest time has passed and no card is in a hand.
        if type(action) is not Reveal:
            raise IllegalActionError
        tale = new_tale()
        tale.public.append(RevealCalled(seat))
        return tale.step(turn_cards(state, state.marks, at, tale))
    in_hand = state.marks[seat] == TAKEN_BACK
    if type(action) is Lay:
        if not in_hand or not 0 <= action.bank < state.setting.banks:
            raise IllegalActionError
        cards = list(state.cards)
        cards[seat] = action.bank
        after = _revised(state, tuple(cards), seat, LAID_AGAIN)
        return Step(after, (Laid(seat, True),), ((seat, YouLaid(action.bank)),))
    if type(action) is TakeBack:
        if in_hand:
            raise IllegalActionError
        return Step(_revised(state, state.cards, seat, TAKEN_BACK), (TakenBack(seat),))
    if type(action) is Confirm:
        if in_hand:
            raise IllegalActionError(CARD_IN_HAND)
        tale = new_tale()
        return tale.step(confirm(state, (seat,), at, False, tale))
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
            return _go_on(state, state.cards, marks, state.reveal_open, _asked(state, marks, state.reveal_open))
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
    return _go_on(state, state.cards, state.marks, True, _asked(state, state.marks, True))


def _marked(marks: tuple[str, ...], seat: int, mark: str) -> tuple[str, ...]:
    marked = list(marks)
    marked[seat] = mark
    return tuple(marked)


def _go_on(
    state: State, cards: tuple[int, ...], marks: tuple[str, ...], reveal_open: bool, pending: tuple[int, ...]
) -> State:
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


def _asked(state: State, marks: tuple[str, ...], reveal_open: bool) -> tuple[int, ...]:
    """Who has not confirmed; and the Gentleman, who may call once that is open and no card is in a hand."""
    gentleman = state.loot.gentleman
    may_call = reveal_open and TAKEN_BACK not in marks
    return tuple(
        [seat for seat in range(state.setting.seats) if (may_call if seat == gentleman else marks[seat] != CONFIRMED)]
    )


def _revised(state: State, cards: tuple[int, ...], seat: int, mark: str) -> State:
    """The seat's card was taken back or laid again. Only whether the Gentleman may call can depend on that."""
    marks = _marked(state.marks, seat, mark)
    reveal_open = state.reveal_open
    return _go_on(state, cards, marks, reveal_open, _asked(state, marks, True) if reveal_open else state.pending)
