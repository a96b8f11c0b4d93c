"""What each seat receives, and deals that nobody can foresee: small sizes of the trials in `trials.secrecy`."""

from typing import Any

import pytest

from tests.e2e.trials import secrecy
from tests.e2e.trials.served import Served


async def test_nobody_receives_anything_hidden_before_its_time(served: Served) -> None:
    await secrecy.whole_games(served, 4)


async def test_other_hidden_cards_give_all_others_the_same_bytes(autojump_clock: Any) -> None:
    await secrecy.other_hidden_cards(4)


def test_the_auditor_finds_a_leak() -> None:
    """The trial itself can fail: a card of somebody else, a field nobody has thought of, a card shown too early."""
    participant = {"card": "laid", "revealed": None, "stack": 0, "top": None, "loot": None, "paying": False}
    view = {
        "round": 1,
        "phase": "plays",
        "gentleman": 0,
        "deck": 50,
        "banks": [[], [], [], []],
        "participants": [participant] * 3,
        "junior": False,
        "declaration": None,
        "reveal_open": False,
        "scores": None,
    }
    update: dict[str, Any] = {
        "type": "game.update",
        "table": "T",
        "match": "M",
        "seq": 1,
        "public": {"view": view, "first": 0, "events": []},
        "own": {"seat": 1, "card": None, "stack": [], "giving": None},
        "own_events": [],
        "decision": None,
        "clock": None,
    }
    secrecy.Auditor(1, participants=3).audit([update])
    leaks: list[dict[str, Any]] = [
        {**update, "hint": 1},
        {**update, "own": {**update["own"], "seat": 2}},
        {**update, "public": {**update["public"], "view": {**view, "deck": [1, 2]}}},
        {**update, "public": {**update["public"], "events": [{"type": "laid", "seat": 0, "bank": 2}]}},
        {
            **update,
            "public": {
                **update["public"],
                "view": {**view, "participants": [{**participant, "revealed": 2}, participant, participant]},
            },
        },
    ]
    for leak in leaks:
        with pytest.raises(AssertionError):
            secrecy.Auditor(1, participants=3).audit([leak])
    spectator = {**update, "own": None}
    secrecy.Auditor(None, participants=3).audit([spectator])
    for leak in (update, {**spectator, "decision": {"id": 1, "legal": []}}):
        with pytest.raises(AssertionError):
            secrecy.Auditor(None, participants=3).audit([leak])


async def test_no_deal_comes_twice_among_tables_that_start_together(autojump_clock: Any) -> None:
    await secrecy.deals_at_once(30)


def test_restarts_deal_differently() -> None:
    secrecy.restarts_differ(20)


def test_cards_and_gentlemen_come_evenly() -> None:
    secrecy.cards_lie_evenly(2000)


def test_dice_fall_evenly_and_each_as_if_alone() -> None:
    secrecy.dice_fall_evenly(4000)
