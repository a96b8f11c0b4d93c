"""Simulated evenings: a few seeds at each run; `scripts/simulate` runs as many as one likes."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import structlog

from robby_games.registry import GAMES
from robby_server.log import set_up_logging
from robby_server.play import Play
from robby_server.session import Session
from tests.sim.deterministic import run, source
from tests.sim.invariants import check, fingerprint
from tests.sim.network import CALM
from tests.sim.simulate import evening, plan_of
from tests.sim.town import Plan
from tests.sim.wishes import wish

pytestmark = pytest.mark.usefixtures("quiet")
SEEDS = range(6)
SMALL = Plan(tables=1, matches=1, kills=0, weather=CALM)


@pytest.fixture
def quiet() -> Iterator[None]:
    """What a killed server logs fills the screen and says nothing."""
    set_up_logging(level=logging.CRITICAL)
    yield
    structlog.reset_defaults()


@pytest.mark.parametrize("seed", SEEDS)
def test_an_evening_ends_well(seed: int) -> None:
    plan = replace(plan_of(seed), tables=1 + seed % 2, matches=3)  # a night is too long for every run
    findings = check(evening(seed, plan))
    assert findings.games >= plan.tables
    assert findings.accepted > 5 * findings.games
    assert findings.audited > 0


def test_the_seeds_do_all_that_they_are_meant_to() -> None:
    plans = [plan_of(seed) for seed in SEEDS]
    assert {wish(seed, 0, source(seed)).game for seed in SEEDS} == set(GAMES)
    assert any(plan.kills for plan in plans)
    assert any(plan.weather is CALM for plan in plans)


def test_one_seed_is_one_evening() -> None:
    plan = Plan(tables=1, matches=20, kills=2)
    first, again, other = (evening(seed, plan) for seed in (3, 3, 4))
    assert fingerprint(first) == fingerprint(again) != fingerprint(other)
    assert first.faults == again.faults
    assert first.faults["kill"] > 0
    assert first.faults["cut"] > 0


def test_a_seed_decides_the_order_of_tasks() -> None:
    """Depends on two private names of trio: where a new version has changed them, mend `deterministic`."""
    import trio

    async def order() -> list[int]:
        found: list[int] = []

        async def task(number: int) -> None:
            for _step in range(3):
                await trio.lowlevel.checkpoint()
            found.append(number)

        async with trio.open_nursery() as nursery:
            for number in range(20):
                nursery.start_soon(task, number)
        return found

    assert run(1, order) == run(1, order)
    assert run(1, order) != run(2, order)
    assert source(1, "a").random() == source(1, "a").random() != source(1, "b").random()


# A simulation that cannot fail would prove nothing.


def test_an_input_that_was_not_kept_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def forgetful(self: Play, change: Any) -> None:
        self.match.adopt(change)

    monkeypatch.setattr(Play, "take", forgetful)
    failure = attempt_small()
    assert failure is not None
    assert "accepted and lost" in failure


def test_a_second_answer_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = Session.answer

    def twice(self: Session, *arguments: Any) -> None:
        answer(self, *arguments)
        answer(self, *arguments)

    monkeypatch.setattr(Session, "answer", twice)
    failure = attempt_small()
    assert failure is not None
    assert "answered twice" in failure


def test_a_leak_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    update = Play._update

    def leaking(self: Play, seat: int | None, *arguments: Any) -> Any:
        return {**update(self, seat, *arguments), "own": update(self, 0, *arguments)["own"]}

    monkeypatch.setattr(Play, "_update", leaking)
    failure = attempt_small()
    assert failure is not None
    assert "somebody else's own view" in failure


def attempt_small() -> str | None:
    """What is wrong with one small evening."""
    try:
        check(evening(1, SMALL))
    except BaseException as problem:  # noqa: BLE001 - whatever it is, its words are looked at
        return "\n".join(words(problem))
    return None


def words(problem: BaseException) -> list[str]:
    """The messages of all exceptions in a group."""
    if isinstance(problem, BaseExceptionGroup):
        return [word for one in problem.exceptions for word in words(one)]
    return [str(problem)]
