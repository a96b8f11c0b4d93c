"""What the conformance suite must be told about each game: settings to try, what is conserved, and what is hidden.

A game in `RULES` without an entry here fails the suite.
"""

import random
from collections.abc import Iterator
from typing import Any

import msgspec

from robby_games.robby_solo import FIRST_MONEY, Lay, Options, loot_deck
from robby_rules.interface import Stamp
from robby_rules.robby_solo.state import GENTLEMAN, LAID, NO_BANK, PLAYS, POLICE, REVISION, SUPPLY, State
from tests.rules.game_kit import GameKit, Setting, Twin, new_chance, phase_of
from tests.rules.kit import SOLO, all_loot
from tests.rules.tresor_diebe_kit import diebe_conserved
from tests.rules.wild_wild_pattern_kit import WILD_KIT

__all__ = ["KITS", "Setting", "Twin", "new_chance"]


REVEALS = frozenset({"Revealed"})
DEALS = frozenset({"Supplied"})
PAYS = frozenset({"Given"})


def _conserved(options: Options, state: State) -> None:
    assert all_loot(state) == sorted(loot_deck(options))


def _rare(rng: random.Random) -> Iterator[tuple[State, Setting]]:
    """Rounds just before the reveal after which several must choose an item, at one or two banks."""
    for setting in (Setting({}, 3), Setting({}, 5), Setting({"junior": True, "time": "untimed"}, 4)):
        options = Options(**setting.options)
        state = SOLO.setup(options, setting.seats, new_chance(rng)).state
        money = [card for card in loot_deck(options) if card >= FIRST_MONEY]
        rng.shuffle(money)
        items = rng.sample(range(1, 8), 7)
        count = state.setting.participants
        stacks = [(items.pop(), items.pop()) if seat < 3 else () for seat in range(count)]
        banks = [tuple(money.pop() for _card in range(3)) if bank < 2 else () for bank in range(count + 1)]
        loot = msgspec.structs.replace(
            state.loot, deck=(*money, *items), banks=tuple(banks), stacks=tuple(stacks), gentleman=1
        )
        state = msgspec.structs.replace(state, loot=loot, pending=(1,))
        chance = new_chance(rng)
        # All clash at the last bank, so the first two are left with four cards and three hold two items each.
        while state.phase in (SUPPLY, PLAYS, GENTLEMAN):
            legal = SOLO.legal(state, state.pending[0])
            action = legal[0] if state.phase == SUPPLY or not isinstance(legal[0], Lay) else legal[count]
            state = SOLO.apply(state, state.pending[0], action, Stamp(0), chance).state
        if state.loot.junior:
            order = (count, *[bank for bank in state.loot.junior if bank != count])
            cards = (*state.cards[:-1], count)
            state = msgspec.structs.replace(state, loot=msgspec.structs.replace(state.loot, junior=order), cards=cards)
        while state.phase == REVISION:
            seat = state.pending[0]
            state = SOLO.apply(state, seat, SOLO.legal(state, seat)[0], Stamp(0), chance).state
        assert state.phase == POLICE
        assert len(state.pending) == 3
        yield state, setting


def _other_bank(state: State, seat: int, rng: random.Random) -> int | None:
    """Another bank that the seat's card could name by all that has been said; None if it must be this one."""
    declaration = state.declaration
    banks = [bank for bank in range(state.setting.banks) if bank != state.cards[seat]]
    if declaration is not None and seat == state.loot.gentleman:
        if declaration.robs:
            return None
        banks.remove(declaration.bank)
    return rng.choice(banks)


def _twins(state: State, rng: random.Random) -> Iterator[Twin]:
    setting, loot = state.setting, state.loot
    replace = msgspec.structs.replace
    if state.phase in (PLAYS, GENTLEMAN, REVISION):
        changed = list(state.cards)
        for seat in range(setting.seats):
            other = None if state.cards[seat] == NO_BANK else _other_bank(state, seat, rng)
            if other is not None:
                changed[seat] = other
                cards = (*state.cards[:seat], other, *state.cards[seat + 1 :])
                yield Twin("one card", replace(state, cards=cards), frozenset({seat}), REVEALS)
        entitled = frozenset(seat for seat in range(setting.seats) if changed[seat] != state.cards[seat])
        if entitled:
            yield Twin("all cards", replace(state, cards=tuple(changed)), entitled, REVEALS)
    # The last card is one that was put there openly, once the police have been; the order above it stays hidden.
    deck = list(loot.deck)
    rng.shuffle(deck)
    yield Twin("deck", replace(state, loot=replace(loot, deck=tuple(deck))), frozenset(), DEALS)
    if loot.junior and loot.round <= 1 and state.phase != POLICE:
        order = list(loot.junior)
        rng.shuffle(order)
        cards = state.cards
        if state.marks[-1] == LAID:
            cards = (*cards[:-1], order[0])
        twin = replace(state, loot=replace(loot, junior=tuple(order)), cards=cards)
        yield Twin("Junior", twin, frozenset(), REVEALS)
    visit = state.visit
    if visit is not None:
        for seat, card in enumerate(visit.chosen):
            others = [item for item in loot.stacks[seat] if item != card]
            if card and others:
                chosen = (*visit.chosen[:seat], rng.choice(others), *visit.chosen[seat + 1 :])
                twin = replace(state, visit=replace(visit, chosen=chosen))
                yield Twin("chosen item", twin, frozenset({seat}), PAYS)


def _none(*_asked: Any) -> Iterator[Any]:
    return iter(())


KITS: dict[str, GameKit] = {
    "robby-solo": GameKit(
        settings=(
            Setting({}, 3),
            Setting({"time": "blitz"}, 4),
            Setting({"time": "untimed"}, 5),
            Setting({"revision_min_ms": 0}, 6),
            Setting({"junior": True}, 2),
            Setting({"junior": True, "time": "untimed"}, 3),
            Setting({"junior": True, "time": "relaxed"}, 4),
            Setting({"junior": True, "open_loot": True, "time": "blitz"}, 5),
            # Few money cards, so that items alone are held and chosen now and then.
            Setting({"money_copies": 1, "max_rounds": 12}, 3),
            Setting({"money_copies": 1, "max_rounds": 12, "junior": True, "time": "untimed"}, 2),
        ),
        silent=(
            Setting({}, 3),
            Setting({"time": "blitz", "revision_min_ms": 12_000}, 6),
            Setting({"junior": True, "time": "relaxed"}, 5),
            Setting({"time": "untimed"}, 4),
            Setting({"time": "untimed", "play_ms": 1_000, "revision_max_ms": 2_000}, 4),
            Setting({"money_copies": 1, "max_rounds": 12, "junior": True}, 2),
        ),
        conserved=_conserved,
        rare=_rare,
        twins=_twins,
        phase_of=phase_of,
        phases=frozenset({"supply", "plays", "gentleman", "revision", "police", "over"}),
    ),
    "tresor-diebe": GameKit(
        settings=(
            Setting({}, 2),
            Setting({"time": "blitz", "rounds": 5}, 3),
            Setting({"time": "untimed"}, 4),
            Setting({"time": "untimed", "decision_ms": 2_000, "rounds": 1}, 4),
        ),
        silent=(Setting({}, 2), Setting({"time": "untimed", "rounds": 5}, 4)),
        conserved=diebe_conserved,
        rare=_none,
        twins=_none,
        phase_of=phase_of,
        phases=frozenset(),
        simultaneous=False,
    ),
    "wild-wild-pattern": WILD_KIT,
}
