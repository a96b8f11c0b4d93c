"""The server as a program, and faults put into it on purpose: small sizes of the trials in `trials.programs`."""

from typing import Any

import pytest

from tests.e2e.trials import programs
from tests.e2e.trials.served import Served


async def test_the_time_left_is_right_behind_a_slow_network(served: Served) -> None:
    await programs.clock_through_delay(served, 1)


@pytest.mark.parametrize("twice", [False, True], ids=["once", "twice"])
async def test_sigterm_ends_the_server_in_time(twice: bool) -> None:
    await programs.stop_by_sigterm(2, twice=twice)


def test_sigint_at_the_start_ends_without_a_traceback() -> None:
    programs.interrupted_at_start([0.05, 0.1, 0.3, 0.6])


def test_a_server_that_cannot_listen_says_so_in_one_line() -> None:
    programs.addresses()


def test_a_server_starts_again_at_once_on_the_same_port() -> None:
    programs.restarts()


@pytest.mark.parametrize("after", [3, 20])
async def test_a_fault_in_one_table_ends_this_table_alone(after: int, autojump_clock: Any) -> None:
    await programs.one_table_fails(after)


async def test_bots_of_the_server_that_misbehave_harm_nobody(autojump_clock: Any) -> None:
    await programs.server_bots_misbehave()
