"""The told bot game, as a person sees it: a whole process tree, real TCP, text that adds up and is the same again."""

import os
import re
import subprocess
import sys

import pytest

from tests.cli.tale import Told, work_out

ROBBY = [sys.executable, "-P", "-m", "robby_cli"]
SECONDS = 60.0


def tell(*options: str, **env: str) -> str:
    done = subprocess.run(
        [*ROBBY, "play", "--fast", *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
        env={**os.environ, **env},
    )
    assert done.stderr == ""
    assert done.returncode == 0
    return done.stdout


def check(told: Told, participants: int) -> None:
    assert len(told.names) == participants
    assert told.rounds >= 3
    assert told.reveals == told.declarations == told.rounds
    assert told.printed == told.totals
    assert {name: sorted(stack) for name, stack in told.printed_stacks.items()} == {
        name: sorted(stack) for name, stack in told.stacks.items()
    }
    best = max(told.totals.values())
    assert told.winners == {name for name, total in told.totals.items() if total == best}


@pytest.fixture(scope="module")
def seeded() -> str:
    return tell("--seed", "old mine", PYTHONHASHSEED="1")


def test_the_plays_add_up_to_the_scores(seeded: str) -> None:
    check(work_out(seeded), 4)


def test_a_seed_tells_the_same_tale_line_by_line(seeded: str) -> None:
    assert tell("--seed", "old mine", PYTHONHASHSEED="2", LC_ALL="C", TERM="dumb") == seeded


@pytest.mark.parametrize(("participants", "junior"), [(3, True), (6, True)])
def test_other_numbers_of_participants_add_up_too(participants: int, junior: bool) -> None:
    options = ["--players", str(participants), "--bot", "random", "--bot", "greedy", "--time", "blitz"]
    told = work_out(tell(*options, *(["--junior"] if junior else [])))
    check(told, participants)
    assert ("Robby Junior" in told.names) is junior


def test_the_reader_of_tales_notices_a_play_that_is_left_out(seeded: str) -> None:
    lines = seeded.splitlines()
    del lines[next(number for number, line in enumerate(lines) if "The cards are turned" in line)]
    with pytest.raises(AssertionError):
        check(work_out("\n".join(lines)), 4)


def test_the_reader_of_tales_notices_a_wrong_total(seeded: str) -> None:
    wrong = re.sub(r"^1\. (\w+): [\d,]+", r"1. \1: 1", seeded, flags=re.MULTILINE)
    assert wrong != seeded
    with pytest.raises(AssertionError):
        check(work_out(wrong), 4)
