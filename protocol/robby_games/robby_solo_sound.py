"""Whether what somebody sent about Robby Solo makes sense: every bank, seat and card named is one that there can be.

The types alone do not say it: a tuple of integers may name the 500th bank. A client asks before it keeps anything, so
that whatever draws, tells or plays by it may rely on it. Knows no rules: whether it is true only the server knows.
"""

from collections.abc import Iterable
from itertools import chain
from typing import Any

from robby_games.robby_solo import (
    BANKS,
    FIRST_MONEY,
    ITEM_NAMES,
    Clashed,
    Declare,
    GameOver,
    GameStarted,
    Give,
    Given,
    Lay,
    OwnView,
    Police,
    PublicView,
    Revealed,
    Robbed,
    RoundStarted,
    Score,
    Supplied,
    is_item,
)

FEWEST, MOST = 2, 7
"""Participants, Junior included."""
MOST_CARDS = 200
"""Loot cards anywhere: the largest deck has 187."""
MOST_NUMBER = 1_000_000
"""Rounds and counts of cards; what is above is no game, and too wide to be shown."""
MOST_MONEY = 1_000_000_000
"""A result."""
DEAREST = 1_000_000
"""A money card."""


def _card(card: int) -> bool:
    return 1 <= card <= len(ITEM_NAMES) or FIRST_MONEY <= card <= DEAREST


def _cards(cards: Iterable[int]) -> bool:
    held = tuple(cards)
    return len(held) <= MOST_CARDS and all(map(_card, held))


def _stack(cards: Iterable[int]) -> bool:
    held = tuple(cards)
    return _cards(held) and sum(map(is_item, held)) <= len(ITEM_NAMES)


def _seats(seats: Iterable[int], participants: int = MOST) -> bool:
    held = tuple(seats)
    return len(held) <= MOST and all(0 <= seat < participants for seat in held)


def _count(*numbers: int) -> bool:
    return all(0 <= number <= MOST_NUMBER for number in numbers)


def _score(score: Score, participants: int) -> bool:
    return (
        _seats((score.seat,), participants)
        and _stack(score.stack)
        and _count(score.items, score.place)
        and all(abs(money) <= MOST_MONEY for money in (score.money, score.items_worth, score.total))
    )


def _scores(scores: tuple[Score, ...], participants: int = MOST) -> bool:
    return len(scores) <= MOST and all(_score(score, participants) for score in scores)


def sound_view(public: PublicView, own: OwnView | None) -> bool:
    """Whether a view names nothing that there cannot be."""
    people, banks = len(public.participants), len(public.banks)
    if not (FEWEST <= people <= MOST and 1 <= banks <= len(BANKS) and public.gentleman < people):
        return False
    named = [] if public.declaration is None else [public.declaration.bank]
    for one in public.participants:
        named += [] if one.revealed is None else [one.revealed]
        if not (_count(one.stack) and (one.top is None or _card(one.top)) and _stack(one.loot or ())):
            return False
    if own is not None:
        named += [] if own.card is None else [own.card]
        giving = () if own.giving is None else (own.giving,)
        if not (own.seat < people and _stack(own.stack) and _cards(giving)):
            return False
    return (
        all(0 <= bank < banks for bank in named)
        and _count(public.round, public.deck)
        and _cards(chain.from_iterable(public.banks))
        and _scores(public.scores or (), people)
    )


def sound_event(event: Any) -> bool:
    """Whether an event names nothing that there cannot be. What its type says already is not asked again."""
    match event:
        case GameStarted():
            return FEWEST <= event.participants <= MOST and 0 <= event.banks <= len(BANKS) and _count(event.deck)
        case RoundStarted():
            return _count(event.round, event.deck)
        case Supplied():
            return len(event.cards) <= len(BANKS) and _cards(event.cards) and _count(event.deck)
        case Revealed():
            return len(event.banks) <= MOST and all(0 <= bank < len(BANKS) for bank in event.banks)
        case Robbed():
            return _cards(event.loot)
        case Clashed():
            return _seats(event.seats) and _cards(event.loot)
        case Police():
            return _seats(event.payers) and _seats(event.choosing) and _cards(event.cards) and _count(event.most)
        case Given():
            return _card(event.card)
        case GameOver():
            return _scores(event.scores)
        case _:
            return True


def sound_action(action: Any, public: PublicView) -> bool:
    """Whether an action that is offered in this view names nothing that there cannot be."""
    match action:
        case Give():
            return _card(action.card)
        case Lay() | Declare():
            return action.bank < len(public.banks)
        case _:
            return True
