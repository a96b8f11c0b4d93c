"""One whole game of each kind, told in full: every input with all that it led to, as lines of text.

Played from a fixed seed and kept under tests/rules/golden. A game that is told otherwise than before is another game:
raise the rules' `version`, as journals of the old one would be replayed otherwise, and write the file anew with
`python -m tests.rules.transcript`.
"""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from robby_rules.entries import Act, Entry, Expire
from robby_rules.interface import Stamp
from robby_rules.match import Change, Match
from robby_rules.registry import RULES
from tests.rules.game_kit import Setting
from tests.rules.games import KITS
from tests.rules.wild_wild_pattern_kit import promising

FOLDER = Path(__file__).parent / "golden"
SEED = bytes(range(32))
SILENCE = 0.04
"""How often the clock decides."""
RELUCTANCE = 0.7
"""How often an action that ends much is not even thought of."""
SETTINGS = {
    "robby-solo": Setting({"junior": True, "money_copies": 3}, 3),
    "tresor-diebe": Setting({}, 2),
    "wild-wild-pattern": Setting({"rounds": 2}, 3),
}
"""What is played; else the first that the conformance suite plays."""
RELUCTANT = {"tresor-diebe": ("pass",)}
PROMISING = {"wild-wild-pattern": promising}
"""By game: which of the actions do not come to nothing; the others are as little thought of."""


def transcript(game: str) -> str:
    """The game as it is told today."""
    return "".join(f"{line}\n" for line in _lines(game))


def path_of(game: str) -> Path:
    """Where it is kept."""
    return FOLDER / f"{game}.txt"


def _lines(game: str) -> Iterator[str]:
    setting = SETTINGS.get(game, KITS[game].settings[0])
    rng = random.Random(game)
    match = Match.start("golden", game, setting.options, setting.seats, SEED)
    start = match.start_entry
    yield f"{game}, rules version {start.rules_version}, {setting.seats} seats, {_json(start.options)}"
    yield from _told(match.events, match.start_private)
    at = 0
    while match.result() is None:
        at += rng.randrange(1, 1_500)
        change = _next(match, at, rng)
        at = match.now
        yield _input(change.entry)
        yield from _told(change.public, change.private)
    yield f"results {_json(match.result())}, random words used {match.chance_position}"


def _next(match: Match, at: int, rng: random.Random) -> Change:
    due = match.deadline()
    if due is not None and (at >= due or rng.random() < SILENCE):
        change: Change | None = match.expire(Stamp(max(at, due)))
    else:
        seat = rng.choice(match.pending())
        decision = match.decision(seat)
        assert decision is not None
        change = match.submit(seat, decision.id, _choose(match, decision.legal, rng), Stamp(at))
    assert change is not None
    match.adopt(change)
    return change


def _choose(match: Match, legal: Sequence[Any], rng: random.Random) -> Any:
    """A kind of action first, so that what comes in many forms is not all that is done."""
    promising_ones = PROMISING.get(match.start_entry.game)
    if promising_ones is not None and rng.random() < RELUCTANCE:
        legal = promising_ones(match.state, legal)
    kinds = list(dict.fromkeys(action["type"] for action in legal))
    if rng.random() < RELUCTANCE:
        kinds = [kind for kind in kinds if kind not in RELUCTANT.get(match.start_entry.game, ())] or kinds
    kind = rng.choice(kinds)
    return rng.choice([action for action in legal if action["type"] == kind])


def _input(entry: Entry) -> str:
    if isinstance(entry, Act):
        return f"{entry.at} ms, seat {entry.seat}: {_json(entry.action)}"
    assert isinstance(entry, Expire)
    return f"{entry.at} ms: the clock"


def _told(public: Sequence[Any], private: Any) -> Iterator[str]:
    for event in public:
        yield f"    {_json(event)}"
    for seat in sorted(private):
        for event in private[seat]:
            yield f"    to seat {seat}: {_json(event)}"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def main() -> None:
    """Write all files anew."""
    FOLDER.mkdir(exist_ok=True)
    for game in RULES:
        path_of(game).write_text(transcript(game), encoding="utf-8")


if __name__ == "__main__":
    main()
