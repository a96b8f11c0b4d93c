"""Tresor Diebe's greedy bot: no legal action is worth more than the one it takes, by an independent reckoning."""

import random
import time
from fractions import Fraction
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from robby_bots.interface import Bot, BotView
from robby_bots.random_bot import RandomBot
from robby_bots.registry import BOTS
from robby_bots.runner import run_bot
from robby_bots.tresor_diebe.greedy import GreedyThief, gains
from robby_client.quick import QuickTable, sit_down
from robby_games.tresor_diebe import (
    NAME,
    NOBODY,
    Again,
    Failed,
    GameOver,
    Opened,
    Options,
    OwnView,
    Pass,
    Passed,
    PublicView,
    Stop,
    Throw,
)
from robby_rules.interface import Stamp
from tests.client.test_runner import memory_client, spawn, until
from tests.rules.game_kit import new_chance
from tests.rules.tresor_diebe_kit import DIEBE, Heist, reckoning
from tests.server.kit import running


def asked(heist: Heist) -> BotView:
    """What whoever is on turn sees."""
    seat = heist.state.turn
    return view_of(DIEBE.view(heist.state, seat), tuple(DIEBE.legal(heist.state, seat)), seat)


def view_of(views: tuple[Any, Any], legal: tuple[Any, ...], seat: int) -> BotView:
    public, own = views
    assert isinstance(public, PublicView)
    assert isinstance(own, OwnView)
    return BotView(NAME, seat, public, own, legal, public, ())


def choice(heist: Heist) -> Any:
    return GreedyThief().choose(asked(heist), random.Random(0))


def free_only(*safes: int) -> dict[int, int]:
    return {safe: 1 for safe in range(5, 31) if safe not in safes}


def test_each_game_has_its_greedy_bot() -> None:
    assert BOTS[NAME]["greedy"] is GreedyThief
    assert BOTS[NAME]["random"] is RandomBot


def test_gains_go_from_one_back_to_what_the_safe_holds_within_the_track() -> None:
    safes = (NOBODY, 0, *[NOBODY] * 24)
    assert gains(safes, 7)[:4] == (5, -1, 4, 4)
    assert gains(safes, 0)[:4] == (5, 0, 4, 4)
    assert gains(safes, 18)[:4] == (2, -1, 2, 2)


def test_an_open_board_is_worth_a_throw_and_a_full_one_is_not() -> None:
    assert choice(Heist()) == Throw()
    assert choice(Heist().rig(opened=free_only(5), fields=(8, 0))) == Pass()
    # 0.0133 · 5 fields gained against as good as one lost; on the start field nothing can be lost.
    assert choice(Heist().rig(opened=free_only(5), fields=(0, 8))) == Throw()


def test_it_stops_on_the_best_safe_and_goes_for_what_it_can_reach() -> None:
    assert choice(Heist().throw(1, 1, 1, 1, 1)) == Stop()
    assert choice(Heist().rig(opened=free_only(30), fields=(9, 0)).throw(6, 1, 6, 6, 2)) == Again((1, 4))
    # 30 is worth five fields, but a sure 25 is worth three: a sixth of five is not.
    heist = Heist().rig(opened=free_only(25, 30), fields=(9, 0)).throw(6, 6, 6, 6, 1)
    assert choice(heist) == Stop()


def test_what_goes_beyond_the_last_field_counts_for_nothing() -> None:
    """Three sixes and a sure field: throwing the others gives 3.2 fields, but not where one is left to go."""
    heist = Heist().rig(opened=free_only(22, *range(25, 31))).throw(6, 1, 6, 3, 6)
    assert choice(heist) == Again((1, 3))
    assert choice(heist.rig(fields=(19, 0))) == Stop()


@pytest.mark.parametrize("seed", range(6))
def test_no_action_is_worth_more_than_the_one_taken(seed: int) -> None:
    rng = random.Random(seed)
    taken = rng.sample(range(5, 31), 4 * seed + 4)
    field = rng.choice((0, 1, 4, 9, 15, 18, 19))
    heist = Heist(4).rig(opened={safe: rng.randint(1, 3) for safe in taken}, fields=(field, 0, 0, 0))
    start = heist.state
    worth, keeping = reckoning(gains(start.owners, field))
    assert choice(heist) == (Throw() if keeping((), 3) > 0 else Pass())

    def value(action: Any) -> Fraction:
        dice = heist.state.dice
        if isinstance(action, Stop):
            return worth(tuple(sorted(dice)), 0)
        kept = tuple(sorted(die for place, die in enumerate(dice) if place not in action.dice))
        return keeping(kept, 3 - heist.state.throws)

    for _turn in range(40):
        heist.rig(dice=tuple(rng.randint(1, 6) for _die in range(5)), throws=rng.randint(1, 2))
        view = asked(heist)
        action = GreedyThief().choose(view, rng)
        assert action in view.legal
        assert value(action) == max(value(other) for other in view.legal)


def test_a_decision_is_quick() -> None:
    choice(Heist())
    quickest = float("inf")
    for safe in range(5, 10):
        heist = Heist().rig(opened={safe: 1, 20: 0}, fields=(safe, 0))
        began = time.process_time()
        choice(heist)
        quickest = min(quickest, time.process_time() - began)
    assert quickest < 0.5  # of the processor: nobody waits for it, not even on a slow machine


def test_it_beats_random_play() -> None:
    rng = random.Random(3)
    wins = 0
    for game in range(8):
        bots: list[Bot] = [GreedyThief(), RandomBot()]
        if game % 2:
            bots.reverse()
        chance = new_chance(rng)
        state = DIEBE.setup(Options(rounds=1), 2, chance).state
        while DIEBE.pending(state):
            seat = state.turn
            view = view_of(DIEBE.view(state, seat), tuple(DIEBE.legal(state, seat)), seat)
            state = DIEBE.apply(state, seat, bots[seat].choose(view, rng), Stamp(0), chance).state
        outcome = DIEBE.outcome(state)
        assert outcome is not None
        wins += outcome[game % 2].winner
    assert wins >= 7


async def test_bots_play_a_whole_game_on_the_real_server(autojump_clock: MockClock) -> None:
    async with running(spawn_bot=spawn, bots={NAME: list(BOTS[NAME])}) as host, trio.open_nursery() as nursery:
        client = memory_client(host, "Ana")
        nursery.start_soon(run_bot, client, GreedyThief(), random.Random(1))
        await until(lambda: client.connected)
        await sit_down(client, QuickTable(NAME, bots=["greedy", "random", "greedy"], options={"rounds": 1}))
        await until(lambda: client.world.table is not None and client.world.table.phase == "finished")
        game = client.world.game
        assert game is not None
        assert not any(event.auto for event in game.events if isinstance(event, Passed | Opened | Failed))
        assert isinstance(game.events[-1], GameOver)
        assert {event.seat for event in game.events if isinstance(event, Opened)} >= {0, 1, 3}
        assert client.world.trouble is None
        client.stop()
