"""What a record must fulfil: signature, fair deal, every entry by the rules, what was told in public, the results.

Each check has a name that programs may match; what a person is told of it is the command's business (`robby verify`).
Pure: knows no files.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from robby_protocol import fair
from robby_protocol.codec import plain
from robby_protocol.messages import ScoreLine
from robby_rules.entries import Deal, Entry, EntryFormatError, Start, decode_entry
from robby_rules.journal import ReplayError, RulesVersionError, UnplayableGameError, replay
from robby_rules.match import Match
from robby_rules.record import BROKEN_OFF, FINISHED, Record, decode_record

State = Literal["ok", "failed", "absent", "unchecked"]

SIGNATURE = "signature"
JOURNAL = "journal"
COMMITMENT = "commitment"
NONCES = "nonces"
SEED = "seed"
RULES = "rules"
ENDING = "ending"
EVENTS = "events"
RESULTS = "results"
CHECKS = (SIGNATURE, JOURNAL, COMMITMENT, NONCES, SEED, RULES, ENDING, EVENTS, RESULTS)


class Check(NamedTuple):
    """One check.

    state: `ok`; `failed`; `absent`: the record has nothing to check (no fair deal); `unchecked`: what it rests on has
    failed, or this program does not know the game or its rules. detail: what exactly, for programs and for whoever
    looks into it; empty if ok.
    """

    name: str
    state: State
    detail: str = ""


class Examined(NamedTuple):
    """A record that was checked. match: played again to its end, if the rules allowed every entry."""

    record: Record
    match: Match | None
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing failed."""
        return all(check.state in ("ok", "absent") for check in self.checks)


class _FailedError(Exception):
    """A check failed; its text says what."""


class _CannotError(Exception):
    """This program cannot make the check; its text says why."""


def examine(data: bytes) -> Examined:
    """Check the bytes of a record file. Raises RecordError where they are none."""
    record, signed = decode_record(data)
    examination = _Examination(record, signed)
    checks: list[Check] = []
    for name in CHECKS:
        needs, check = examination.checks[name]
        if needs & {done.name for done in checks if done.state != "ok"}:
            state: State = "unchecked"
            detail = ""
        else:
            try:
                state, detail = check(), ""
            except _FailedError as failure:
                state, detail = "failed", str(failure)
            except _CannotError as reason:
                state, detail = "unchecked", str(reason)
        checks.append(Check(name, state, detail))
    return Examined(record, examination.match, tuple(checks))


def scores(match: Match, names: tuple[str, ...]) -> tuple[ScoreLine, ...]:
    """A match's results, best first, as everybody was told them; none while it is not over."""
    # Who wins need not have the highest score: a Wild Wild Pattern wins whatever the others have.
    results = sorted(match.result() or (), key=lambda result: (not result.winner, -result.score))
    return tuple(
        ScoreLine(
            name=result.name if result.seat is None else names[result.seat],
            seat=result.seat,
            score=result.score,
            winner=result.winner,
        )
        for result in results
    )


class _Examination:
    """One record's checks, each with the names of those that it rests on."""

    def __init__(self, record: Record, signed: bool) -> None:
        self.match: Match | None = None
        self._record = record
        self._signed = signed
        self._entries: tuple[Entry, ...] = ()
        played = {JOURNAL, RULES}
        self.checks: dict[str, tuple[set[str], Callable[[], State]]] = {
            SIGNATURE: (set(), self._signature),
            JOURNAL: (set(), self._journal),
            COMMITMENT: (set(), self._commitment),
            NONCES: (set(), self._nonces),
            SEED: ({JOURNAL}, self._seed),
            RULES: ({JOURNAL}, self._rules),
            ENDING: (played, self._ending),
            EVENTS: (played, self._events),
            RESULTS: (played, self._results),
        }

    def _signature(self) -> State:
        if not self._signed:
            raise _FailedError("not by the key that the record names")
        return "ok"

    def _journal(self) -> State:
        """The entries can be read, and their start says what the record says."""
        record = self._record
        try:
            self._entries = tuple(decode_entry(entry) for entry in record.entries)
        except EntryFormatError as error:
            raise _FailedError(str(error)) from None
        start = self._entries[0]
        if not isinstance(start, Start):
            raise _FailedError("it does not begin with a start")
        deal = record.deal
        dealt = None if deal is None else Deal(deal.secret, deal.commitments, deal.nonces)
        for what, said, journaled in (
            ("match", record.match, start.match),
            ("game", record.game, start.game),
            ("rules_version", record.rules_version, start.rules_version),
            ("options", record.options, start.options),
            ("seats", len(record.seats), start.seats),
            ("deal", dealt, start.deal),
            ("began", record.began, start.began),
        ):
            if said != journaled:
                raise _FailedError(f"its start has another {what}")
        return "ok"

    def _commitment(self) -> State:
        deal = self._record.deal
        if deal is None:
            return "absent"
        if fair.server_commitment(self._record.match, deal.secret) != deal.commitment:
            raise _FailedError("the secret is not what the server was committed to")
        return "ok"

    def _nonces(self) -> State:
        deal = self._record.deal
        if deal is None:
            return "absent"
        if not len(deal.commitments) == len(deal.nonces) == len(self._record.seats):
            raise _FailedError("not as many as there are seats")
        for seat, (commitment, nonce) in enumerate(zip(deal.commitments, deal.nonces, strict=True)):
            if (fair.seat_commitment(nonce) if commitment else b"") != commitment or bool(nonce) != bool(commitment):
                raise _FailedError(f"seat {seat} opened something else than it was committed to")
        return "ok"

    def _seed(self) -> State:
        deal, start = self._record.deal, self._entries[0]
        if deal is None:
            return "absent"
        if not isinstance(start, Start) or fair.seed(self._record.match, deal.secret, deal.nonces) != start.seed:
            raise _FailedError("it does not follow from the secret and the nonces")
        return "ok"

    def _rules(self) -> State:
        try:
            self.match = replay(self._entries)
        except (UnplayableGameError, RulesVersionError) as error:
            raise _CannotError(str(error)) from None
        except ReplayError as error:
            raise _FailedError(str(error)) from None
        return "ok"

    def _ending(self) -> State:
        over = self._played().result() is not None
        if self._record.ending not in (FINISHED, BROKEN_OFF) or over != (self._record.ending == FINISHED):
            raise _FailedError("the match did not end as the record says")
        return "ok"

    def _events(self) -> State:
        if digest_of(self._played()) != (self._record.events, self._record.events_digest):
            raise _FailedError("what was told in public is not what was played")
        return "ok"

    def _results(self) -> State:
        names = tuple(seat.name for seat in self._record.seats)
        if scores(self._played(), names) != self._record.results:
            raise _FailedError("they are not those of the match")
        return "ok"

    def _played(self) -> Match:
        assert self.match is not None, "checked only where the rules allowed every entry"
        return self.match


def digest_of(match: Match) -> tuple[int, bytes]:
    """Number and digest of a match's public events."""
    return len(match.events), fair.events_digest(plain(event) for event in match.events)
