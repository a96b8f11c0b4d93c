"""What the tests of Wild Wild Pattern share: a driver that lays out cases, and the game's part in the suite."""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from robby_games.wild_wild_pattern import (
    ATTRIBUTE_NAMES,
    CARDS,
    COLOURS,
    OBJECTS,
    PATTERN_CARDS,
    PLACES,
    Click,
    Cover,
    Declare,
    Grab,
    NoPattern,
    Options,
    Pattern,
    Ready,
    Side,
    Take,
    is_challenge,
    is_suit,
)
from robby_games.wild_wild_patterns import all_plays, listed, look_for, number_of, present
from robby_rules.chance import Chance
from robby_rules.interface import IllegalActionError, Stamp, Step
from robby_rules.wild_wild_pattern import WildWildPattern
from robby_rules.wild_wild_pattern.state import DECLARE, GRAB, NO_PLACE, READY, SHOOTOUT, TAKE, Entry, State
from tests.rules.game_kit import GameKit, Setting, Stepped, Twin, phase_of

WILD = WildWildPattern()
CHALLENGES = tuple(range(PATTERN_CARDS, CARDS))


def card(name: str) -> int:
    """A pattern card by its name, like `red gun`."""
    colour, thing = name.split()
    return COLOURS.index(colour) * len(OBJECTS) + OBJECTS.index(thing)


def cards(*names: str) -> tuple[int, ...]:
    """Pattern cards by name."""
    return tuple(map(card, names))


def pattern(side: Side, a: str, b: str) -> Pattern:
    """A pattern by its attributes' names."""
    return Pattern(side, ATTRIBUTE_NAMES.index(a), ATTRIBUTE_NAMES.index(b))


def all_cards(state: State) -> list[int]:
    """Every card, wherever it is, sorted."""
    held = state.cards
    found = [*held.deck, *held.discard, *held.removed]
    for pile in (*held.won, *held.challenges):
        found += pile
    found += [one for one in (*held.wheel, *held.hands, held.covered, held.prize) if one is not None]
    return sorted(found)


def wild_conserved(options: Options, state: State) -> None:
    """47 cards and 35 coins."""
    assert all_cards(state) == list(range(CARDS))
    assert state.bank + sum(state.coins) == 35
    assert state.bank >= 0


class Wild(Stepped):
    """A game that a test plays by hand, straight on the rules."""

    def __init__(self, seats: int = 3, *, key: bytes = bytes(range(32)), **options: Any) -> None:
        self.chance = Chance(key)
        self.at = 0
        self.options = Options(**options)
        self.step: Step[State] = WILD.setup(self.options, seats, self.chance)

    @property
    def state(self) -> State:
        return self.step.state

    def one(self, kind: type[Struct]) -> Any:
        """The last step's only public event of a kind."""
        (event,) = self.told(kind)
        return event

    def lay(self, wheel: Sequence[int], hands: Sequence[int], deck: Iterable[int] | None = None) -> "Wild":
        """Put these cards on the Wheel, into the hands and (the top one first) onto the deck; all others lie aside.

        With no deck given all the others are the deck, pattern cards first.
        """
        named = [*wheel, *hands, *(deck or ())]
        others = [one for one in range(CARDS) if one not in named]
        assert len(named) + len(others) == CARDS
        aside = [] if deck is None else others
        held = msgspec.structs.replace(
            self.state.cards,
            wheel=tuple(wheel),
            hands=tuple(hands),
            deck=tuple(others) if deck is None else tuple(deck),
            discard=tuple(one for one in aside if not is_challenge(one)),
            removed=tuple(one for one in aside if is_challenge(one)),
        )
        return self.rig(cards=held)

    def rig(self, **changes: Any) -> "Wild":
        """Change parts of the state as the case needs them."""
        self.step = Step(msgspec.structs.replace(self.state, **changes), ())
        return self

    def act(self, seat: int, action: Struct, credit: int = 0, rival: int = 0) -> "Wild":
        self.step = WILD.apply(self.state, seat, action, Stamp(self.at, credit, rival), self.chance)
        wild_conserved(self.options, self.state)
        return self

    def look(self) -> "Wild":
        """All are ready."""
        for seat in self.state.pending:
            self.act(seat, Ready())
        return self

    def cover(self, seat: int, place: int, credit: int = 0, rival: int = 0) -> "Wild":
        return self.act(seat, Cover(place), credit, rival)

    def grab(self, seat: int, credit: int = 0, rival: int = 0) -> "Wild":
        return self.act(seat, Grab(), credit, rival)

    def shoot(self, seat: int, place: int) -> "Wild":
        """The seat alone covers a place, and nobody is quicker."""
        return self.cover(seat, place).expire()

    def declare(self, wanted: Pattern) -> "Wild":
        return self.act(self.state.shooter, Declare(wanted.side, wanted.a, wanted.b))

    def say_none(self) -> "Wild":
        return self.act(self.state.shooter, NoPattern())

    def click(self, *seats: int) -> "Wild":
        for seat in seats:
            self.act(seat, Click())
        return self

    def take(self, place: int) -> "Wild":
        return self.act(self.state.pending[0], Take(place))

    def expire(self, at: int | None = None) -> "Wild":
        """Let the next deadline come, or let it be carried out only at this time."""
        due = WILD.deadline(self.state)
        assert due is not None
        self.at = max(self.at, due) if at is None else at
        self.step = WILD.expire(self.state, Stamp(self.at), self.chance)
        wild_conserved(self.options, self.state)
        return self

    def refused(self, seat: int, action: Struct) -> str:
        """The code with which the rules refuse this; nothing may have changed, chance included."""
        before, position = msgspec.msgpack.encode(self.state), self.chance.position
        try:
            WILD.apply(self.state, seat, action, Stamp(self.at), self.chance)
        except IllegalActionError as error:
            assert msgspec.msgpack.encode(self.state) == before
            assert self.chance.position == position
            return error.code
        raise AssertionError(f"{action} was not refused")


# The game's part in the conformance suite.

SHOWS = frozenset({"Looked", "Covered", "Grabbed", "Filled", "RoundStarted"})
"""What shows cards, or who was drawn among equals."""


def valid_play(state: State, card: int, rng: random.Random, *, colour: bool) -> tuple[int, Pattern] | None:
    """A place to cover with this card and the new pattern made by it, with or without a colour; None: there is none."""
    found = [
        (place, one)
        for place, made in enumerate(all_plays(state.cards.wheel, card))
        for one in listed(made)
        if colour != (is_suit(one.a) or is_suit(one.b))
    ]
    return rng.choice(found) if found else None


def rare(rng: random.Random) -> Iterator[tuple[State, Setting]]:
    """Duels and shoot-outs of many, choices after valid patterns, a bank and a deck that are nearly empty."""
    for setting in (Setting({}, 4), Setting({"time": "relaxed"}, 3), Setting({"rounds": 1}, 3)):
        play = Wild(setting.seats, key=rng.randbytes(32), **setting.options)
        deck = [*play.state.cards.deck, *play.state.cards.hands]
        challenge = next(one for one in deck if one is not None and is_challenge(one))
        patterns = [one for one in deck if one is not None and one != challenge and not is_challenge(one)]
        hands = patterns[: setting.seats]
        yield play.lay(play.state.cards.wheel, (challenge, *hands[1:])).look().state, setting  # type: ignore[arg-type]
        play = Wild(setting.seats, key=rng.randbytes(32), **setting.options)
        yield play.rig(slowed=(True, *play.state.slowed[1:])).look().state, setting
        yield _taking(setting, rng), setting


def _taking(setting: Setting, rng: random.Random) -> State:
    """The shooter takes the first of two cards; the deck is short, and so is the bank."""
    while True:
        play = Wild(setting.seats, key=rng.randbytes(32), **setting.options)
        if any(map(is_challenge, play.state.cards.hands)):  # type: ignore[arg-type]
            continue
        play.look()
        held = play.state.cards
        found = valid_play(play.state, held.hands[0] or 0, rng, colour=True)
        if found is None:
            continue
        place, made = found
        play.shoot(0, place)
        if look_for(play.state.cards.wheel, made).count > 2:
            play.declare(made)
            held = play.state.cards
            short = msgspec.structs.replace(held, deck=held.deck[:1], removed=(*held.removed, *held.deck[1:]))
            coins = (play.state.bank - 1, *play.state.coins[1:])
            return play.rig(cards=short, bank=1, coins=coins).state


def twins(state: State, rng: random.Random) -> Iterator[Twin]:
    """What differs in the deck, in one hand, in all hands before they are looked at, in a shot that is on its way."""
    replace = msgspec.structs.replace
    held = state.cards
    deck = list(held.deck)
    rng.shuffle(deck)
    yield Twin("deck", replace(state, cards=replace(held, deck=tuple(deck))), frozenset(), SHOWS)
    if state.phase == READY:
        everywhere = [*held.deck, *[one for one in held.hands if one is not None]]
        rng.shuffle(everywhere)
        count = len(held.deck)
        other = replace(held, deck=tuple(everywhere[:count]), hands=tuple(everywhere[count:]))
        yield Twin("cards dealt", replace(state, cards=other), frozenset(), SHOWS)
    elif state.phase in (SHOOTOUT, DECLARE, TAKE):
        for seat, own in enumerate(held.hands):
            places = [place for place, one in enumerate(held.deck) if not is_challenge(one)]
            if own is None or not places:
                continue
            place = rng.choice(places)
            hands = (*held.hands[:seat], held.deck[place], *held.hands[seat + 1 :])
            changed = (*held.deck[:place], own, *held.deck[place + 1 :])
            yield Twin(
                "one hand",
                replace(state, cards=replace(held, deck=changed, hands=hands)),
                frozenset({seat}),
                SHOWS,
            )
    if state.phase == SHOOTOUT:
        for entry in state.entries:
            elsewhere = replace(entry, place=(entry.place + rng.randrange(1, PLACES)) % PLACES)
            entries = tuple(elsewhere if one is entry else one for one in state.entries)
            yield Twin("a shot", replace(state, entries=entries), frozenset({entry.seat}), SHOWS)
    if state.phase in (SHOOTOUT, GRAB) and state.entries:
        yield Twin("who is racing", _other_racer(state, rng), frozenset(range(state.setting.seats)), SHOWS)


def _other_racer(state: State, rng: random.Random) -> State:
    """The same race, entered by one seat more and one less, which only a spectator must not see."""
    one = rng.choice(state.entries)
    place = NO_PLACE if state.phase == GRAB else one.place
    racing = {entry.seat for entry in state.entries}
    free = [seat for seat in state.pending if seat not in racing]
    if not free:
        return state
    instead = rng.choice(free)
    entries = [entry for entry in state.entries if entry is not one]
    entries.append(Entry(instead, place, one.at, one.credit, one.moment))
    pending = sorted({*state.pending, one.seat} - {instead})
    return msgspec.structs.replace(
        state, entries=tuple(sorted(entries, key=lambda entry: entry.seat)), pending=tuple(pending)
    )


def won_at_once(state: State) -> int | None:
    """Who has made a Wild Wild Pattern."""
    judged = state.judgement
    return judged.seat if judged is not None and judged.wild else None


WILD_KIT = GameKit(
    settings=(
        Setting({}, 2),
        Setting({"time": "relaxed", "rounds": 1}, 3),
        Setting({"rounds": 2}, 4),
    ),
    silent=(Setting({}, 2), Setting({"time": "relaxed", "rounds": 5}, 4)),
    conserved=wild_conserved,
    rare=rare,
    twins=twins,
    phase_of=phase_of,
    phases=frozenset({"ready", "shootout", "declare", "take", "grab", "name", "over"}),
    races=True,
    at_once=won_at_once,
)


def promising(state: State, legal: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of the declarations asked for those that hold; all, if none does or something else is asked."""
    wheel = state.cards.wheel
    found = present(wheel)
    if state.phase == DECLARE:
        found &= ~present((*wheel[: state.played], state.cards.covered, *wheel[state.played + 1 :]))
    hold = [
        action
        for action in legal
        if action["type"] == "declare" and found >> number_of(Pattern(action["side"], action["a"], action["b"])) & 1
    ]
    return hold or list(legal)
