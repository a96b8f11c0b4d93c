"""The house rules: everything that the published text does not say, in one place, so that it can be changed.

Clicking, duels for challenge cards, what becomes of cards that were covered, the choice of the clock, the end of a
turn, of a round and of the game, and what is paid. `shootout` calls in here; nothing here calls back.
"""

import msgspec

from robby_games.wild_wild_pattern import (
    BANK,
    CARDS,
    FEWEST_SEATS,
    MOST_SEATS,
    PLACES,
    PRESETS,
    TARGETS,
    Clicked,
    Dealt,
    Discarded,
    DuelOver,
    Filled,
    GameOver,
    GameStarted,
    Grabbed,
    Judgement,
    Laid,
    NobodyShot,
    Options,
    Pattern,
    Payment,
    RoundOver,
    RoundStarted,
    Score,
    YouGrabbed,
    is_challenge,
    rounds_of,
    worth_of_objects,
    worth_of_target,
)
from robby_games.wild_wild_patterns import FEWEST, Finding, look_for, patterns_on
from robby_protocol.i18n import _
from robby_rules.chance import Chance
from robby_rules.interface import BadOptionsError, Stamp
from robby_rules.wild_wild_pattern.race import decide, enter
from robby_rules.wild_wild_pattern.state import (
    GRAB,
    NAMING,
    NO_PLACE,
    NOBODY,
    OVER,
    READY,
    Cards,
    Run,
    Setting,
    State,
    WildStep,
    new_run,
    with_seat,
)

# Setting up.


def check(seats: int) -> None:
    """Raise BadOptionsError where so many cannot play."""
    if not FEWEST_SEATS <= seats <= MOST_SEATS:
        raise BadOptionsError("seats", _("Wild Wild Pattern is for two to four players."))


def set_up(options: Options, seats: int, chance: Chance) -> WildStep:
    """The game at match time 0. Chance shuffles, for each round, the cards and then the target cards."""
    check(seats)
    setting = Setting(seats, rounds_of(options, seats), PRESETS[options.time])
    nobody = (False,) * seats
    before = State(
        setting=setting,
        cards=Cards(deck=(), wheel=(), hands=(), won=(), challenges=()),
        phase=READY,
        serial=0,
        began=0,
        round=0,
        turn=0,
        pending=(),
        absent=nobody,
        coins=(0,) * seats,
        bank=BANK,
        targets=(),
        slowed=nobody,
        ready=nobody,
        clicked=nobody,
    )
    run = new_run(0, chance)
    run.public.append(GameStarted(seats, setting.rounds, BANK))
    return run.step(_begin_round(before, run))


def _begin_round(state: State, run: Run) -> State:
    """All 47 cards are shuffled and the Wheel is laid; challenge cards met are out of the round. Targets anew."""
    seats = state.setting.seats
    deck = list(run.chance.shuffled(range(CARDS)))
    targets = run.chance.shuffled(range(TARGETS))[:seats]
    wheel: list[int] = []
    removed: list[int] = []
    while len(wheel) < PLACES:
        card = deck.pop(0)
        (removed if is_challenge(card) else wheel).append(card)
    state = msgspec.structs.replace(
        state,
        cards=Cards(
            deck=tuple(deck),
            wheel=tuple(wheel),
            hands=(None,) * seats,
            won=((),) * seats,
            challenges=((),) * seats,
            removed=tuple(removed),
        ),
        round=state.round + 1,
        turn=0,
        targets=targets,
        last_shooter=NOBODY,
    )
    run.public.append(RoundStarted(state.round, tuple(wheel), len(removed), targets, len(deck)))
    return _begin_turn(state, run)


def _begin_turn(state: State, run: Run) -> State:
    """Everybody is dealt a card. The deck has too few: the round is over."""
    seats = state.setting.seats
    cards = state.cards
    if len(cards.deck) < seats:
        return _end_round(state, "deck", run)
    nobody = (False,) * seats
    cards = msgspec.structs.replace(cards, deck=cards.deck[seats:], hands=cards.deck[:seats])
    run.public.append(Dealt(state.turn + 1, len(cards.deck)))
    return msgspec.structs.replace(
        state,
        cards=cards,
        phase=READY,
        serial=state.serial + 1,
        began=run.at,
        turn=state.turn + 1,
        pending=tuple(range(seats)),
        ready=nobody,
        clicked=nobody,
        race=None,
        shooter=NOBODY,
        played=NO_PLACE,
        judgement=None,
        takers=(),
        forbidden=NO_PLACE,
    )


# In a shoot-out.


def click(state: State, seat: int, run: Run) -> State:
    """The seat's gun is empty. All have clicked: the turn ends with no winner."""
    run.public.append(Clicked(seat))
    pending = tuple(other for other in state.pending if other != seat)
    return msgspec.structs.replace(state, pending=pending, clicked=with_seat(state.clicked, seat))


def nobody_shot(state: State, run: Run) -> State:
    """All have clicked, or time is up. Who was slowed has had the time to be."""
    run.public.append(NobodyShot(run.auto))
    return end_turn(msgspec.structs.replace(state, slowed=(False,) * state.setting.seats), run)


def why_absent(found: Finding) -> str:
    """The verdict on a pattern that is not on the Wheel: too few cards with A comes before a missing neighbour."""
    return "too_few" if found.count < FEWEST else "not_always"


def first_permitted(played: int, permitted: tuple[int, ...]) -> int:
    """What the clock takes: the first permitted place clockwise from the one played, which itself comes last."""
    return min(permitted, key=lambda place: (place - played - 1) % PLACES)


def end_turn(state: State, run: Run) -> State:
    """A covered card is discarded; unplayed cards and then the deck fill the Wheel."""
    seats, cards = state.setting.seats, state.cards
    discard = list(cards.discard)
    if cards.covered is not None:
        # No piles: whatever lies under a played card leaves the Wheel.
        run.public.append(Discarded(state.played, cards.covered, "covered"))
        discard.append(cards.covered)
    # Without a shooter from the seat whose number, from 1, is the turn's.
    first = (state.turn - 1) % seats if state.shooter == NOBODY else state.shooter
    wheel = list(cards.wheel)
    laid: list[Laid] = []
    left: list[int] = []
    for step in range(seats):
        seat = (first + step) % seats
        card = cards.hands[seat]
        if card is None:
            continue
        if None in wheel:
            place = wheel.index(None)
            wheel[place] = card
            laid.append(Laid(place, card, seat))
        else:
            left.append(card)
    deck, removed = list(cards.deck), list(cards.removed)
    while None in wheel and deck:
        card = deck.pop(0)
        if is_challenge(card):
            removed.append(card)
        else:
            place = wheel.index(None)
            wheel[place] = card
            laid.append(Laid(place, card))
    run.public.append(Filled(tuple(laid), tuple(left), len(removed) - len(cards.removed), len(deck)))
    cards = msgspec.structs.replace(
        cards,
        deck=tuple(deck),
        wheel=tuple(wheel),
        hands=(None,) * seats,
        discard=(*discard, *left),
        removed=tuple(removed),
        covered=None,
    )
    state = msgspec.structs.replace(state, cards=cards)
    return _end_round(state, "wheel", run) if None in wheel else _begin_turn(state, run)


# Duels.


def begin_duel(state: State, duel: tuple[int, ...], run: Run) -> State:
    """One challenge card, the first by seat, is played for; others are removed. Pattern cards go under the deck."""
    cards = state.cards
    challenges = [card for card in cards.hands if card is not None and is_challenge(card)]
    patterns = [card for card in cards.hands if card is not None and not is_challenge(card)]
    return msgspec.structs.replace(
        state,
        cards=msgspec.structs.replace(
            cards,
            deck=(*cards.deck, *patterns),
            hands=(None,) * state.setting.seats,
            prize=challenges[0],
            removed=(*cards.removed, *challenges[1:]),
        ),
        phase=GRAB,
        serial=state.serial + 1,
        began=run.at,
        pending=tuple(range(state.setting.seats)),
    )


def grab(state: State, seat: int, stamp: Stamp, run: Run) -> WildStep:
    """The seat reaches for Clementine. Nobody else notices until it is decided who was first."""
    state = enter(state, seat, NO_PLACE, stamp)
    run.private.append((seat, YouGrabbed()))
    if state.pending:
        return run.step(state, only=seat)
    return run.step(end_grab(state, run))


def end_grab(state: State, run: Run) -> State:
    """The first has Clementine and must name a pattern."""
    first, state = decide(state, run)
    if state.race is None:
        raise AssertionError("it has just been decided")
    run.public.append(Grabbed(first.seat, state.race))
    return msgspec.structs.replace(
        state, phase=NAMING, serial=state.serial + 1, began=run.at, pending=(first.seat,), shooter=first.seat
    )


def name_pattern(state: State, pattern: Pattern, run: Run) -> State:
    """Whoever grabbed says that this well-formed pattern is on the Wheel."""
    found = look_for(state.cards.wheel, pattern)
    verdict = "valid" if found.present else why_absent(found)
    judgement = Judgement(state.shooter, pattern, verdict, found.count, found.involved, found.lacking)
    return _end_duel(state, judgement, run)


def name_none(state: State, run: Run) -> State:
    """Whoever grabbed says that there is no pattern. If there is one, it is shown."""
    wheel = state.cards.wheel
    there = patterns_on(wheel)
    if not there:
        return _end_duel(state, Judgement(state.shooter, None, "none"), run)
    found = look_for(wheel, there[0])
    judgement = Judgement(state.shooter, there[0], "some", found.count, found.involved, found.lacking)
    return _end_duel(state, judgement, run)


def name_nothing(state: State, run: Run) -> State:
    """Whoever grabbed said nothing in time: as good as wrong, or grabbing would be a free way to spoil a duel."""
    return _end_duel(state, Judgement(state.shooter, None, "silent"), run)


def nobody_grabbed(state: State, run: Run) -> State:
    """Time is up: the challenge card is out of the round."""
    return _end_duel(state, None, run)


def _end_duel(state: State, judgement: Judgement | None, run: Run) -> State:
    cards, prize, seat = state.cards, state.cards.prize, state.shooter
    if prize is None:
        raise AssertionError("a duel is about a challenge card")
    if judgement is not None and judgement.right:
        challenges = (*cards.challenges[:seat], (*cards.challenges[seat], prize), *cards.challenges[seat + 1 :])
        cards = msgspec.structs.replace(cards, challenges=challenges, prize=None)
        winner, slowed = seat, None
    else:
        cards = msgspec.structs.replace(cards, removed=(*cards.removed, prize), prize=None)
        winner, slowed = None, (None if judgement is None else seat)
    run.public.append(DuelOver(judgement, winner, slowed, len(cards.removed), len(cards.deck)))
    state = msgspec.structs.replace(state, cards=cards)
    if slowed is not None:
        state = msgspec.structs.replace(state, slowed=with_seat(state.slowed, slowed))
    return _begin_turn(state, run)


# Paying, and the end.


def _end_round(state: State, reason: str, run: Run) -> State:
    """Everybody is paid, the seat after the last shooter first; then the next round, or the end."""
    seats = state.setting.seats
    coins, bank = list(state.coins), state.bank
    payments: list[Payment] = []
    for step in range(1, seats + 1):
        # Nobody has shot in this round: from the first seat, as if the last had.
        seat = (state.last_shooter + step) % seats
        won = state.cards.won[seat]
        objects, target = worth_of_objects(won), worth_of_target(state.targets[seat], won)
        challenges = len(state.cards.challenges[seat])
        due = objects + target + challenges
        paid = min(due, bank)
        bank -= paid
        coins[seat] += paid
        payments.append(Payment(seat, objects, target, challenges, due, paid, coins[seat]))
    run.public.append(RoundOver(reason, tuple(payments), bank))
    state = msgspec.structs.replace(state, coins=tuple(coins), bank=bank)
    if bank == 0:
        return _end_game(state, "bank", None, run)
    if state.round >= state.setting.rounds:
        return _end_game(state, "rounds", None, run)
    return _begin_round(state, run)


def win_at_once(state: State, run: Run) -> State:
    """A Wild Wild Pattern: the shooter has won, whatever anybody has. Nothing more is paid."""
    return _end_game(state, "wild", state.shooter, run)


def _end_game(state: State, reason: str, wild: int | None, run: Run) -> State:
    scores = score(state.coins, wild)
    run.public.append(GameOver(reason, scores))
    return msgspec.structs.replace(state, phase=OVER, serial=state.serial + 1, began=run.at, pending=(), scores=scores)


def score(coins: tuple[int, ...], wild: int | None) -> tuple[Score, ...]:
    """Everybody's result, best first: whoever made a Wild Wild Pattern, then by money; equals share the place."""
    ranks = [(seat == wild, own) for seat, own in enumerate(coins)]
    places = [1 + sum(1 for other in ranks if other > rank) for rank in ranks]
    scores = [Score(seat, coins[seat], place, place == 1) for seat, place in enumerate(places)]
    return tuple(sorted(scores, key=lambda line: line.place))
