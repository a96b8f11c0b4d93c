"""Games of Wild Wild Pattern between bots, played directly on the rules: no network, and time is a number.

Whoever has the shortest pause shoots first, as at a table where all connections are alike.
"""

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from robby_bots.interface import Bot, BotView
from robby_bots.registry import BOTS
from robby_games.wild_wild_pattern import NAME, Dealt, DuelOver, GameOver, Judged, NobodyShot, Options, RoundOver
from robby_rules.chance import Chance
from robby_rules.interface import Stamp, Step
from robby_rules.wild_wild_pattern.state import State
from tests.rules.wild_wild_pattern_kit import WILD, wild_conserved


@dataclass
class Figures:
    """What came of games.

    turns: how many rounds had so many turns. dues: how often a seat was due so many $ at the end of a round. empty: how
    often the bank was empty after a round, by that round; last: how often that round was the last anyway. verdicts: of
    declarations, and of duels with `duel` before; `nobody` shot. ends: why games ended. steps: of the rules.
    """

    games: int = 0
    steps: int = 0
    turns: Counter[int] = field(default_factory=Counter)
    dues: Counter[int] = field(default_factory=Counter)
    empty: Counter[int] = field(default_factory=Counter)
    last: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Figures") -> None:
        """Count other games too."""
        self.games += other.games
        self.steps += other.steps
        self.last += other.last
        for name in ("turns", "dues", "empty", "verdicts", "ends"):
            getattr(self, name).update(getattr(other, name))

    def note(self, event: Any, rounds: int, number: int) -> None:
        """Count an event of round `number`."""
        match event:
            case Judged():
                self.verdicts[event.judgement.verdict] += 1
            case NobodyShot():
                self.verdicts["nobody"] += 1
            case DuelOver():
                self.verdicts["duel " + ("nobody" if event.judgement is None else event.judgement.verdict)] += 1
            case RoundOver():
                for payment in event.payments:
                    self.dues[payment.due] += 1
                if event.bank == 0:
                    self.empty[number] += 1
                    self.last += number == rounds
            case GameOver():
                self.ends[event.reason] += 1


NEVER = 10**12
"""Milliseconds."""


class _Seat:
    """A bot and the moment at which it will answer the question that it is asked."""

    def __init__(self, bot: Bot, rng: random.Random) -> None:
        self.bot, self.rng = bot, rng
        self.asked: tuple[int, bool] | None = None
        self.due = 0

    def view(self, state: State, seat: int, public: Any, own: Any) -> BotView:
        return BotView(NAME, seat, public, own, tuple(WILD.legal(state, seat)), public, ())


def play(seats: int, bots: tuple[str, ...], seed: str) -> Figures:
    """One game. bots: their names, taken in turn. Raises AssertionError if a card or a coin is lost or made."""
    rng = random.Random(seed)
    chance, figures, options = Chance(rng.randbytes(32)), Figures(games=1), Options()
    players = [_Seat(BOTS[NAME][bots[seat % len(bots)]](), rng) for seat in range(seats)]
    step: Step[State] = WILD.setup(options, seats, chance)
    at = number = turn = 0
    told: Step[State] | None = None
    while True:
        state = step.state
        if step is not told:
            told = step
            wild_conserved(options, state)
            figures.steps += 1
            for event in step.public:
                if isinstance(event, Dealt):
                    turn = event.turn
                if isinstance(event, RoundOver):
                    number += 1
                    figures.turns[turn] += 1
                figures.note(event, state.setting.rounds, number)
        if not state.pending:
            return figures
        answer = _next_answer(state, players, at)
        due = WILD.deadline(state)
        assert due is not None
        if answer is None or players[answer].due >= due:
            at = max(at, due)
            step = WILD.expire(state, Stamp(at), chance)
            continue
        at = max(at, players[answer].due)
        action = players[answer].bot.choose(_view(state, players, answer), rng)
        if action is None:
            # Nothing now: asked again once the handicap is over, which is a new question.
            players[answer].due = NEVER
            continue
        step = WILD.apply(state, answer, action, Stamp(at), chance)


def _view(state: State, players: list[_Seat], seat: int) -> BotView:
    public, own = WILD.view(state, seat)
    return players[seat].view(state, seat, public, own)


def _next_answer(state: State, players: list[_Seat], at: int) -> int | None:
    """Who answers next; whoever is asked something new thinks from now on."""
    for seat in state.pending:
        player, question = players[seat], (state.serial, state.opened)
        if player.asked != question:
            player.asked = question
            pause = player.bot.pause(_view(state, players, seat), player.rng)
            player.due = at + max(1, round((pause or 0) * 1_000))
    return min(state.pending, key=lambda seat: (players[seat].due, seat), default=None)


def play_many(task: tuple[int, tuple[str, ...], str]) -> Figures:
    """One game in a worker process."""
    seats, bots, seed = task
    return play(seats, bots, seed)
