"""The published part of the rules: looking at the cards, the shoot-out, and what a declaration is worth.

What happens around it (challenge cards, the end of a turn, rounds) is `house`'s.
"""

import msgspec

from robby_games.wild_wild_pattern import (
    Covered,
    Discarded,
    Judged,
    Judgement,
    Looked,
    Pattern,
    SaidReady,
    Taken,
    YouLook,
    YouShot,
    is_challenge,
    is_suit,
)
from robby_games.wild_wild_patterns import Finding, look_for
from robby_rules.interface import Stamp
from robby_rules.wild_wild_pattern import house
from robby_rules.wild_wild_pattern.race import decide, enter
from robby_rules.wild_wild_pattern.state import (
    DECLARE,
    NO_PLACE,
    SHOOTOUT,
    TAKE,
    Cards,
    Run,
    State,
    WildStep,
    with_seat,
)

ONCE = 2
"""So many cards with A: the pattern repeats once. More: twice or more."""


def say_ready(state: State, seat: int, run: Run) -> State:
    """The seat is ready; when all are, all look."""
    run.public.append(SaidReady(seat))
    pending = tuple(other for other in state.pending if other != seat)
    state = msgspec.structs.replace(state, pending=pending, ready=with_seat(state.ready, seat))
    return state if pending else look(state, run)


def look(state: State, run: Run) -> State:
    """All see their own cards at the same moment. A challenge card among them makes it a duel."""
    hands = state.cards.hands
    duel = tuple(seat for seat, card in enumerate(hands) if card is not None and is_challenge(card))
    run.public.append(Looked(duel, run.auto))
    for seat, card in enumerate(hands):
        run.private.append((seat, YouLook(None if seat in duel else card)))
    if duel:
        return house.begin_duel(state, duel, run)
    return msgspec.structs.replace(
        state,
        phase=SHOOTOUT,
        serial=state.serial + 1,
        began=run.at,
        pending=tuple(range(state.setting.seats)),
        opened=not any(state.slowed),
    )


def shoot(state: State, seat: int, place: int, stamp: Stamp, run: Run) -> WildStep:
    """The seat has shot at a place. Nobody else notices until it is decided who was first."""
    state = enter(state, seat, place, stamp)
    run.private.append((seat, YouShot(place)))
    if state.pending:
        return run.step(state, only=seat)
    return run.step(end_race(state, run))


def end_race(state: State, run: Run) -> State:
    """The first has covered a card and must declare; the others keep theirs."""
    first, state = decide(state, run)
    cards, seat, place = state.cards, first.seat, first.place
    card, covered = cards.hands[seat], cards.wheel[place]
    if card is None or covered is None:
        raise AssertionError("in a shoot-out all hold a card and the Wheel is full")
    if state.race is None:
        raise AssertionError("it has just been decided")
    run.public.append(Covered(seat, place, card, covered, state.race))
    return msgspec.structs.replace(
        state,
        cards=msgspec.structs.replace(
            cards,
            hands=(*cards.hands[:seat], None, *cards.hands[seat + 1 :]),
            wheel=(*cards.wheel[:place], card, *cards.wheel[place + 1 :]),
            covered=covered,
        ),
        phase=DECLARE,
        serial=state.serial + 1,
        began=run.at,
        pending=(seat,),
        shooter=seat,
        played=place,
        last_shooter=seat,
        slowed=(False,) * state.setting.seats,
    )


def declare(state: State, pattern: Pattern | None, run: Run) -> State:
    """The shooter's declaration; None: there was none in time."""
    if pattern is None:
        judgement, found = Judgement(state.shooter, None, "silent"), None
    else:
        judgement, found = judge(state, pattern)
    run.public.append(Judged(judgement))
    state = msgspec.structs.replace(state, judgement=judgement)
    if found is None or pattern is None or not judgement.right:
        return _invalid(state, run)
    if judgement.wild:
        return house.win_at_once(state, run)
    shooter, twice = state.shooter, found.count > ONCE
    if not (is_suit(pattern.a) or is_suit(pattern.b)):
        # Of the shooter's choice: any two cards, or one that is not the card played.
        return _ask(state, (shooter,) * (2 if twice else 1), NO_PLACE if twice else state.played, run)
    if not twice:
        return house.end_turn(_won_covered(state, run), run)
    # Both: the card played, and the one that then lies open.
    for _card in range(2):
        state = _won_top(state, shooter, state.played, run, chosen=False)
    return house.end_turn(state, run)


def judge(state: State, pattern: Pattern) -> tuple[Judgement, Finding]:
    """Whether a well-formed pattern is a new one on the Wheel as it now is."""
    cards, played = state.cards, state.played
    found = look_for(cards.wheel, pattern)
    before = (*cards.wheel[:played], cards.covered, *cards.wheel[played + 1 :])
    if found.present:
        verdict = "not_new" if look_for(before, pattern).present else "valid"
    else:
        verdict = house.why_absent(found)
    wild = verdict == "valid" and found.wild
    return Judgement(state.shooter, pattern, verdict, found.count, found.involved, found.lacking, wild), found


def take(state: State, place: int, run: Run) -> State:
    """The taker takes the top card of a permitted place. The next one takes, or the turn ends."""
    taker, rest = state.takers[0], state.takers[1:]
    state = _won_top(state, taker, place, run, chosen=True)
    return _ask(state, rest, state.forbidden, run)


def permitted(state: State) -> tuple[int, ...]:
    """The places from which may be taken now."""
    return tuple(place for place, card in enumerate(state.cards.wheel) if card is not None and place != state.forbidden)


def _invalid(state: State, run: Run) -> State:
    """The card played is discarded, the one under it lies open again, every opponent takes a card."""
    cards, played = state.cards, state.played
    card = cards.wheel[played]
    if card is None:
        raise AssertionError("the card played lies there")
    run.public.append(Discarded(played, card, "invalid"))
    state = msgspec.structs.replace(
        state,
        cards=msgspec.structs.replace(
            cards,
            wheel=(*cards.wheel[:played], cards.covered, *cards.wheel[played + 1 :]),
            covered=None,
            discard=(*cards.discard, card),
        ),
    )
    seats = state.setting.seats
    # From the shooter's right, counter-clockwise; seats are numbered clockwise.
    takers = tuple((state.shooter - step) % seats for step in range(1, seats))
    return _ask(state, takers, NO_PLACE, run)


def _ask(state: State, takers: tuple[int, ...], forbidden: int, run: Run) -> State:
    """The first of the takers chooses; nobody left: the turn ends."""
    state = msgspec.structs.replace(state, takers=takers, forbidden=forbidden)
    if not takers:
        return house.end_turn(state, run)
    return msgspec.structs.replace(state, phase=TAKE, serial=state.serial + 1, began=run.at, pending=(takers[0],))


def _won_covered(state: State, run: Run) -> State:
    """The shooter wins the card under the one played."""
    cards = state.cards
    if cards.covered is None:
        raise AssertionError("there is a card under the one played")
    run.public.append(Taken(state.shooter, state.played, cards.covered))
    won = _won(cards, state.shooter, cards.covered)
    return msgspec.structs.replace(state, cards=msgspec.structs.replace(cards, won=won, covered=None))


def _won_top(state: State, seat: int, place: int, run: Run, *, chosen: bool) -> State:
    """The seat wins the top card of a place. A card under it lies open then."""
    cards = state.cards
    card = cards.wheel[place]
    if card is None:
        raise AssertionError("only from places with a card")
    run.public.append(Taken(seat, place, card, chosen, run.auto and chosen))
    under = cards.covered if place == state.played else None
    cards = msgspec.structs.replace(
        cards,
        wheel=(*cards.wheel[:place], under, *cards.wheel[place + 1 :]),
        covered=None if place == state.played else cards.covered,
        won=_won(cards, seat, card),
    )
    return msgspec.structs.replace(state, cards=cards)


def _won(cards: Cards, seat: int, card: int) -> tuple[tuple[int, ...], ...]:
    return (*cards.won[:seat], (*cards.won[seat], card), *cards.won[seat + 1 :])
