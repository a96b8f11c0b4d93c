"""Every target with its seeds, its kept corpus, and with generated and damaged bytes."""

import random
from collections.abc import Sequence
from pathlib import Path

import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robby_client.world import GameState
from robby_plain.registry import TEXTS
from tests.fuzz.seeds import exchange, seeds
from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
EXAMPLES = 150


@pytest.mark.parametrize("target", TARGETS)
def test_seeds_and_kept_inputs_break_no_promise(target: str) -> None:
    inputs = list(seeds(target))
    assert inputs
    kept = sorted((CORPUS / target).glob("*"))
    assert kept, "the corpus is in the repository"
    for data in [*inputs, *(path.read_bytes() for path in kept)]:
        TARGETS[target](data)


@pytest.mark.parametrize("target", TARGETS)
def test_damaged_inputs_break_no_promise(target: str) -> None:
    rng = random.Random(7)
    for data in seeds(target):
        for _copy in range(4):
            TARGETS[target](damaged(data, rng))


@pytest.mark.parametrize("target", TARGETS)
def test_any_bytes_break_no_promise(target: str) -> None:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(st.binary(max_size=300))
    def run(data: bytes) -> None:
        TARGETS[target](data)

    run()


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The bytes with a few changed, left out, put in or doubled."""
    found = bytearray(data)
    for _change in range(rng.randint(1, 4)):
        at = rng.randrange(len(found) + 1)
        match rng.randrange(4):
            case 0 if at < len(found):
                found[at] = rng.randrange(256)
            case 1:
                del found[at : at + rng.randint(1, 8)]
            case 2:
                found[at:at] = rng.randbytes(rng.randint(1, 8))
            case _:
                found[at:at] = found[at : at + 16]
    return bytes(found)


def test_what_is_told_with_one_thing_in_it_changed_breaks_no_promise() -> None:
    """Changed bytes seldom mean anything; a view with one number, text or list exchanged for another mostly does."""
    rng = random.Random(9)
    for data in seeds("told"):
        for _copy in range(60):
            said = msgpack.unpackb(data)
            exchange(said, rng)
            TARGETS["told"](msgpack.packb(said))


def test_what_is_true_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the target would try nothing."""
    shown: list[GameState] = []

    def question(game: GameState, _names: Sequence[str]) -> str:
        shown.append(game)
        return ""

    for texts in TEXTS.values():
        monkeypatch.setattr(texts, "question", question)
    for data in seeds("told"):
        TARGETS["told"](data)
    assert len(shown) == len(list(seeds("told")))
    assert {game.name for game in shown} == set(TEXTS)
    assert all(game.decision is not None for game in shown)


def test_a_target_that_breaks_its_promise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.targets.decode_entry", lambda data: data[1_000])
    with pytest.raises(IndexError):
        TARGETS["entry"](b"abc")
