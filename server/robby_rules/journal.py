"""A match's journal: its entries, their bytes, and how a match is made from them again.

`replay` gives the identical match: the same state, events, decision ids, last accepted answers and position of chance.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from robby_rules.entries import (
    JOURNAL_VERSION,
    Act,
    Deal,
    Entry,
    EntryFormatError,
    Expire,
    JournalError,
    Presence,
    Start,
    decode_entry,
    encode_entry,
)
from robby_rules.interface import BadOptionsError, IllegalActionError, Stamp
from robby_rules.match import Change, Match, NotDueError, UnknownGameError, rules_of

__all__ = [
    "JOURNAL_VERSION",
    "Act",
    "Deal",
    "Entry",
    "EntryFormatError",
    "Expire",
    "JournalError",
    "Presence",
    "ReplayError",
    "RulesVersionError",
    "Start",
    "UnplayableGameError",
    "decode_entry",
    "encode_entry",
    "replay",
    "steps",
]


class ReplayError(JournalError):
    """An entry does not follow from those before it. index: which, counted from 0. reason: for the log."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(f"journal entry {index}: {reason}")
        self.index = index
        self.reason = reason


class UnplayableGameError(ReplayError):
    """The journal is of a game that this program does not know."""


class RulesVersionError(ReplayError):
    """The journal was written under another version of the game's rules than this program has."""


def replay(entries: Iterable[Entry]) -> Match:
    """The match that these entries are.

    Raises:
        UnplayableGameError, RulesVersionError: this program cannot play the journal.
        ReplayError: the journal is empty, does not begin with its start, or has an entry that the rules refuse.
    """
    last = deque(steps(entries), maxlen=1)
    if not last:
        raise ReplayError(0, "the journal is empty")
    return last[0][0]


def steps(entries: Iterable[Entry]) -> Iterator[tuple[Match, Change | None]]:
    """The match after each of these entries, always the same object, and the change that it was; None for the start.

    Raises as `replay` does, but for no entries at all.
    """
    match: Match | None = None
    for index, entry in enumerate(entries):
        if match is None:
            match = _begin(index, entry)
            yield match, None
            continue
        change = _again(match, index, entry)
        if change.entry != entry:
            raise ReplayError(index, f"the rules make another entry of it: {type(entry).__name__}")
        match.adopt(change)
        yield match, change


def _begin(index: int, entry: Entry) -> Match:
    if not isinstance(entry, Start):
        raise ReplayError(index, "the journal does not begin with a start")
    try:
        rules = rules_of(entry.game)
        if entry.rules_version != rules.version:
            reason = f"rules version {entry.rules_version} of {entry.game}; this program has {rules.version}"
            raise RulesVersionError(index, reason)
        match = Match.start(
            entry.match, entry.game, entry.options, entry.seats, entry.seed, deal=entry.deal, began=entry.began
        )
    except UnknownGameError as error:
        raise UnplayableGameError(index, f"unknown game {entry.game}") from error
    except (BadOptionsError, ValueError) as error:
        raise ReplayError(index, str(error)) from error
    if match.start_entry != entry:
        # Options left out would take today's defaults, which need not be those that were played with.
        raise ReplayError(index, "the start does not name all options")
    return match


def _again(match: Match, index: int, entry: Entry) -> Change:
    change: Change | None
    try:
        if isinstance(entry, Act):
            change = match.submit(entry.seat, entry.decision, entry.action, Stamp(entry.at, entry.credit, entry.rival))
        elif isinstance(entry, Expire):
            change = match.expire(Stamp(entry.at))
        elif isinstance(entry, Presence):
            change = match.presence(entry.seat, entry.absent, Stamp(entry.at))
        else:
            raise ReplayError(index, "a second start")
    except IllegalActionError as error:
        raise ReplayError(index, f"refused: {error.code}") from error
    except (NotDueError, ValueError) as error:
        raise ReplayError(index, str(error)) from error
    if change is None:
        raise ReplayError(index, "it changes nothing")
    return change
