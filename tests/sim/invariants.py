"""What must hold after every simulated evening."""

from collections import Counter
from dataclasses import dataclass

import msgspec

from robby_rules.entries import Act
from robby_rules.journal import replay
from robby_rules.record_check import examine
from tests.rules.games import KITS
from tests.sim.town import Town


@dataclass(frozen=True)
class Findings:
    """Figures of one run. games: that ended. kinds: how many of each. accepted: acknowledged answers, all found in the
    journal. audited: frames in which nothing was that their receiver may not know. missed: people who were away at an
    end and never saw it."""

    games: int
    kinds: dict[str, int]
    accepted: int
    audited: int
    missed: int
    faults: dict[str, int]


def check(town: Town) -> Findings:
    """Raise AssertionError for anything that must not be."""
    accepted = missed = 0
    kinds: Counter[str] = Counter()
    matches = {match: replay(entries) for match, entries in town.disk.entries.items()}
    for player in town.players:
        for answer in player.accepted:
            assert any(
                isinstance(entry, Act)
                and (entry.seat, entry.decision) == (answer.seat, answer.decision)
                and entry.action == answer.action
                for entry in town.disk.entries[answer.match]
            ), f"accepted and lost: {answer}"
            accepted += 1
    for match in matches.values():
        KITS[match.start_entry.game].conserved(match.options, match.state)
    for group in town.groups:
        seen = {match for player in group.players for match in player.results}
        assert len(seen) >= group.matches, "a table did not finish"
        for match_id in seen:
            match = matches[match_id]
            results = match.result()
            assert results is not None, "told as finished, and is not"
            scores = sorted((result.score, result.winner) for result in results)
            assert examine(town.records.kept[match_id]).holds, "the record does not hold"
            for player in group.players:
                lines = player.results.get(match_id)
                missed += lines is None
                if lines is not None:
                    assert sorted((line.score, line.winner) for line in lines) == scores, "another result than played"
            kinds[match.start_entry.game] += 1
    assert town.left_behind == 0, f"{town.left_behind} connections and tables were left behind"
    audited = sum(player.audited for player in town.players)
    return Findings(kinds.total(), dict(kinds), accepted, audited, missed, dict(town.faults))


def fingerprint(town: Town) -> bytes:
    """All that was journaled, as bytes: equal for equal runs."""
    return msgspec.msgpack.encode(sorted(town.disk.entries.items()))
