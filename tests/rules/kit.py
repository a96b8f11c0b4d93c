"""What the rules' tests share: a small driver for Robby Solo, and bytes of what somebody is shown."""

import random
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from robby_games.robby_solo import Confirm, Declare, Give, Lay, Options, Reveal, Supply, TakeBack
from robby_rules.chance import Chance
from robby_rules.interface import IllegalActionError, Stamp, Step
from robby_rules.match import Change, Match
from robby_rules.robby_solo import RobbySolo
from robby_rules.robby_solo.state import State
from tests.rules.game_kit import Stepped

SOLO = RobbySolo()
KEY = bytes(range(32))

Y, G, R, B, X, P, K = range(7)
"""The banks by their letters."""


def shown(*things: Any) -> bytes:
    """Structs, maps and tuples of them as the bytes that would travel."""
    return msgspec.msgpack.encode([msgspec.to_builtins(thing) for thing in things])


def all_loot(state: State) -> list[int]:
    """Every loot card of the game, wherever it is, sorted."""
    loot = state.loot
    cards = list(loot.deck)
    for pile in loot.banks:
        cards += pile
    for pile in loot.stacks:
        cards += pile
    return sorted(cards)


class Play(Stepped):
    """A game of Robby Solo that a test plays by hand, straight on the rules."""

    def __init__(self, seats: int = 4, *, key: bytes = KEY, gentleman: int | None = 0, **options: Any) -> None:
        self.chance = Chance(key)
        self.at = 0
        self.options = Options(**options)
        self.step: Step[State] = SOLO.setup(self.options, seats, self.chance)
        if gentleman is not None:
            self.rig(gentleman=gentleman)

    @property
    def state(self) -> State:
        return self.step.state

    def rig(
        self,
        *,
        gentleman: int | None = None,
        deck: Iterable[int] | None = None,
        banks: Iterable[tuple[int, ...]] | None = None,
        stacks: Iterable[tuple[int, ...]] | None = None,
        junior: tuple[int, ...] | None = None,
        round_number: int | None = None,
    ) -> None:
        """Put the cards where the case needs them."""
        loot = self.state.loot
        changes: dict[str, Any] = {}
        if gentleman is not None:
            changes["gentleman"] = gentleman
        if deck is not None:
            changes["deck"] = tuple(deck)
        if banks is not None:
            changes["banks"] = tuple(banks)
        if stacks is not None:
            changes["stacks"] = tuple(stacks)
        if junior is not None:
            changes["junior"] = junior
        if round_number is not None:
            changes["round"] = round_number
        state = msgspec.structs.replace(self.state, loot=msgspec.structs.replace(loot, **changes))
        if gentleman is not None and state.phase == "supply":
            state = msgspec.structs.replace(state, pending=(gentleman,))
        self.step = Step(state, self.step.public, self.step.private)

    def act(self, seat: int, action: Struct) -> "Play":
        self.step = SOLO.apply(self.state, seat, action, Stamp(self.at), self.chance)
        return self

    def supply(self, side: Any = "left") -> "Play":
        return self.act(self.state.loot.gentleman, Supply(side))

    def lay(self, seat: int, bank: int) -> "Play":
        return self.act(seat, Lay(bank))

    def declare(self, robs: bool, bank: int) -> "Play":
        return self.act(self.state.loot.gentleman, Declare(robs, bank))

    def confirm(self, *seats: int) -> "Play":
        for seat in seats:
            self.act(seat, Confirm())
        return self

    def take_back(self, seat: int) -> "Play":
        return self.act(seat, TakeBack())

    def reveal(self) -> "Play":
        return self.act(self.state.loot.gentleman, Reveal())

    def give(self, seat: int, card: int) -> "Play":
        return self.act(seat, Give(card))

    def expire(self, at: int | None = None) -> "Play":
        """Let the next deadline come, or let it be carried out only at this time."""
        due = SOLO.deadline(self.state)
        assert due is not None
        self.at = due if at is None else at
        self.step = SOLO.expire(self.state, Stamp(self.at), self.chance)
        return self

    def absent(self, seat: int, absent: bool = True) -> "Play":
        self.step = Step(SOLO.presence(self.state, seat, absent, Stamp(self.at)), ())
        return self

    def revision(self, *cards: int) -> "Play":
        """Supply, and these cards laid by seat; the Gentleman says truly what he will do."""
        gentleman = self.state.loot.gentleman
        self.supply()
        for seat, bank in enumerate(cards):
            if seat != gentleman:
                self.lay(seat, bank)
        return self.lay(gentleman, cards[gentleman]).declare(True, cards[gentleman])

    def round(self, *cards: int) -> "Play":
        """A whole round in which everybody confirms at once. The last step's events are those of the reveal."""
        self.revision(*cards)
        gentleman = self.state.loot.gentleman
        return self.confirm(*[seat for seat in SOLO.pending(self.state) if seat != gentleman])

    def refused(self, seat: int, action: Struct) -> str:
        """The code with which the rules refuse this; nothing may have changed, chance included."""
        before, position = msgspec.msgpack.encode(self.state), self.chance.position
        try:
            SOLO.apply(self.state, seat, action, Stamp(self.at), self.chance)
        except IllegalActionError as error:
            assert msgspec.msgpack.encode(self.state) == before
            assert self.chance.position == position
            return error.code
        raise AssertionError(f"{action} was not refused")


def start(seats: int = 4, *, seed: int = 1, **options: Any) -> Match:
    """A match of Robby Solo."""
    return Match.start("m1", "robby-solo", options, seats, random.Random(seed).randbytes(32))


def do(match: Match, change: Change | None) -> Change:
    """Adopt a change that there must be."""
    assert change is not None
    match.adopt(change)
    return change


def answer(match: Match, seat: int, action: Struct | None = None, *, at: int = 0) -> Change:
    """Let the seat answer what it is asked: with this action, or with the first legal one."""
    decision = match.decision(seat)
    assert decision is not None, f"seat {seat} is asked nothing"
    payload = decision.legal[0] if action is None else msgspec.to_builtins(action)
    return do(match, match.submit(seat, decision.id, payload, Stamp(at)))


def random_match(match: Match, rng: random.Random, *, steps: int = 100_000, silence: float = 0.1) -> list[Change]:
    """Play on at random with rising stamps, a part of the time letting the next deadline come. What was adopted.

    Each seat's connection has a credit of its own, so that races stay open for a while.
    """
    changes: list[Change] = []
    at = 0
    while match.result() is None and len(changes) < steps:
        due = match.deadline()
        at += rng.randrange(3)
        if due is not None and (at >= due or rng.random() < silence):
            at = max(at, due)
            changes.append(do(match, match.expire(Stamp(at))))
            continue
        seat = rng.choice(match.pending())
        decision = match.decision(seat)
        assert decision is not None
        changes.append(
            do(match, match.submit(seat, decision.id, rng.choice(decision.legal), Stamp(at, seat * 40, 150)))
        )
    return changes
