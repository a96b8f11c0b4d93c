"""One game being played, whichever it is: decisions and their ids, repeats, deadlines, journal entries, events.

A `Match` is synchronous and knows no clock: all time comes in as stamps. Nothing changes before `adopt`: `submit`,
`expire` and `presence` make a `Change`, the caller keeps its entry, and then adopts it. So what was not kept has not
happened, the random source's position included.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from robby_games.registry import GAMES, GameTypes
from robby_protocol.errors import MALFORMED_ACTION, NO_DECISION, STALE_DECISION, TOO_LATE
from robby_protocol.i18n import _
from robby_protocol.messages.game import Decision
from robby_rules.chance import Chance
from robby_rules.entries import SEED_BYTES, Act, Deal, Entry, Expire, Presence, Start
from robby_rules.interface import BadOptionsError, IllegalActionError, Result, Rules, Stamp, Step, Timer
from robby_rules.registry import RULES


class UnknownGameError(LookupError):
    """There are no rules for a game of this name."""


class NotDueError(ValueError):
    """`expire` was called before any deadline was due."""


class OutdatedChangeError(ValueError):
    """The change was not made on the state that the match is in now, so it cannot be adopted."""


class _Accepted(NamedTuple):
    """The last answer accepted from a seat."""

    decision: int
    action: Struct


class _Standing(NamedTuple):
    """All that changes in a match, as one immutable value.

    ids: each seat's decision id. last: each seat's last accepted answer. lapsed: the id of each seat's last decision
    that the clock took over, 0 for none. position: the chance's. now: the latest stamp taken. told: how many public
    events there were. alone: how many changes each seat alone was told of.
    """

    state: Any
    seq: int
    ids: tuple[int, ...]
    last: tuple[_Accepted | None, ...]
    lapsed: tuple[int, ...]
    position: int
    now: int
    told: int
    alone: tuple[int, ...]


class Change(NamedTuple):
    """What an input would do, not yet done.

    entry: for the journal. public: the new public events in order; the first of them is number `first` of the match
    (from 0). private: each seat's own new events. seq: the match's sequence number once adopted.
    only: the one seat that may notice; None: all are told. before, after: the match's own business.
    """

    entry: Entry
    public: tuple[Struct, ...]
    private: Mapping[int, tuple[Struct, ...]]
    first: int
    seq: int
    before: _Standing
    after: _Standing
    only: int | None = None


def read_options(game: str, options: Mapping[str, Any]) -> Any:
    """A game's options from a plain map, defaults filled in.

    Raises:
        UnknownGameError: no such game.
        BadOptionsError: an option does not exist or has a value that it cannot have. Whether the options fit a number
            of seats is asked of the rules' own `check`.
    """
    types = _types(game)
    try:
        return msgspec.convert(dict(options), types.options, strict=True)
    except msgspec.ValidationError as error:
        found = re.search(r"unknown field `([^`]*)`|at `\$\.([^`.\[]+)", str(error))
        field = (found.group(1) or found.group(2)) if found else ""
        if found and found.group(1):
            reason = _("There is no option {name}. Leave it out.").format(name=field)
        else:
            reason = _("The option {name} cannot have this value. Choose another.").format(name=field)
        raise BadOptionsError(field, reason) from error


class Match:
    """One game being played. Made by `Match.start` or by `journal.replay`."""

    def __init__(self, start: Start, rules: Rules[Any], types: GameTypes, options: Any) -> None:
        """Not for use outside this module: `start` checks what is taken for granted here."""
        self.start_entry = start
        self.rules = rules
        self.types = types
        self.options = options
        chance = Chance(start.seed)
        step = rules.setup(options, start.seats, chance)
        self.start_private = _by_seat(step)
        self._events: list[Struct] = list(step.public)
        self._standing = _Standing(
            state=step.state,
            seq=0,
            ids=(1,) * start.seats,
            last=(None,) * start.seats,
            lapsed=(0,) * start.seats,
            position=chance.position,
            now=0,
            told=len(step.public),
            alone=(0,) * start.seats,
        )

    @classmethod
    def start(
        cls,
        match_id: str,
        game: str,
        options: Mapping[str, Any],
        seats: int,
        seed: bytes,
        *,
        deal: Deal | None = None,
        began: int = 0,
    ) -> "Match":
        """Begin a match at match time 0. `start_entry` is to be kept before anybody sees it.

        Args:
            match_id: its id, for the journal alone.
            options: the game's options as a plain map; left-out ones have their default.
            seats: how many seats are taken.
            seed: 32 secret bytes that nobody can guess.
            deal: what the seed was made of, if it was a fair deal. Whether it holds is for whoever checks the record.
            began: when, in seconds since 1970, for the record alone.

        Raises:
            UnknownGameError: no such game.
            BadOptionsError: see `read_options`; or the options do not fit this number of seats.
        """
        if len(seed) != SEED_BYTES:
            raise ValueError(f"the seed must have {SEED_BYTES} bytes")
        rules = rules_of(game)
        typed = read_options(game, options)
        rules.check(typed, seats)
        entry = Start(
            match=match_id,
            game=game,
            rules_version=rules.version,
            options=_plain(typed),
            seats=seats,
            seed=seed,
            deal=deal,
            began=began,
        )
        return cls(entry, rules, _types(game), typed)

    # What is so now.

    @property
    def seq(self) -> int:
        """Grows by one with every adopted change; 0 at the start."""
        return self._standing.seq

    def told_seq(self, seat: int | None) -> int:
        """The sequence number as the seat (None: a spectator) is told it: without what others alone were told of, or
        the gap would show that there was something."""
        alone = self._standing.alone
        return self.seq - sum(alone) + (0 if seat is None else alone[seat])

    @property
    def now(self) -> int:
        """The latest stamp taken, in milliseconds of match time."""
        return self._standing.now

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return self.start_entry.seats

    @property
    def events(self) -> Sequence[Struct]:
        """All public events so far, in order. Not to be changed."""
        return self._events

    @property
    def state(self) -> Any:
        """The game's whole state, hidden cards included: for tests and for the record of a finished match alone."""
        return self._standing.state

    @property
    def chance_position(self) -> int:
        """How far the match's random source has been used. Secret like the state."""
        return self._standing.position

    def deadline(self) -> int | None:
        """The match time, in milliseconds, at which `expire` is to be called; None where no limit runs."""
        return self.rules.deadline(self._standing.state)

    def pending(self) -> tuple[int, ...]:
        """The seats that are asked something, sorted."""
        return self.rules.pending(self._standing.state)

    def decision(self, seat: int) -> Decision | None:
        """What the seat is asked, its legal actions as plain maps; None if nothing."""
        self._check_seat(seat)
        standing = self._standing
        if seat not in self.rules.pending(standing.state):
            return None
        legal = [_plain(action) for action in self.rules.legal(standing.state, seat)]
        return Decision(id=standing.ids[seat], legal=legal)

    def view(self, seat: int | None) -> tuple[Struct, Struct | None]:
        """(public, own) views as the game's types; None: a spectator's, whose own part is None."""
        if seat is not None:
            self._check_seat(seat)
        return self.rules.view(self._standing.state, seat)

    def timer(self, seat: int | None) -> Timer | None:
        """The running limit as the seat (None: a spectator) is to be shown it, in match time."""
        if seat is not None:
            self._check_seat(seat)
        return self.rules.timer(self._standing.state, seat)

    def result(self) -> tuple[Result, ...] | None:
        """The results by participant once the game has ended."""
        return self.rules.outcome(self._standing.state)

    # What may come in.

    def submit(self, seat: int, decision: int, action_payload: Mapping[str, Any], stamp: Stamp) -> Change | None:
        """A seat's answer to its decision.

        Returns:
            The change; None if this repeats the seat's last accepted answer, which is to be answered as it was then.

        Raises:
            IllegalActionError: with one of these codes; nothing has changed.
                malformed_action: not an action of this game.
                too_late: the clock has decided in the seat's place, or should have by this stamp; or a race was
                    decided without it, with `late_ms` and `credit_ms` in the details.
                stale_decision: the id is not that of the decision now open.
                no_decision: nothing is asked of the seat.
                illegal_action, or a game's own code: the rules refuse.
        """
        self._check_seat(seat)
        try:
            action = msgspec.convert(action_payload, self.types.action, strict=True)
        except msgspec.ValidationError as error:
            raise IllegalActionError(MALFORMED_ACTION) from error
        standing = self._standing
        if standing.last[seat] == (decision, action):
            return None
        asked = standing.ids[seat]
        if 0 < decision == standing.lapsed[seat]:
            late = self.rules.late_by(standing.state, action, stamp)
            raise IllegalActionError(TOO_LATE, **({} if late is None else {"late_ms": late, "credit_ms": stamp.credit}))
        if decision < asked:
            raise IllegalActionError(STALE_DECISION)
        if seat not in self.rules.pending(standing.state):
            raise IllegalActionError(NO_DECISION)
        if decision != asked:
            raise IllegalActionError(STALE_DECISION)
        timer = self.rules.timer(standing.state, seat)
        if timer is not None and stamp.at >= timer.ends_at:
            raise IllegalActionError(TOO_LATE)
        at = max(stamp.at, standing.now)
        chance = Chance(self.start_entry.seed, standing.position)
        step = self.rules.apply(standing.state, seat, action, stamp._replace(at=at), chance)
        entry = Act(seat, decision, _plain(action), at, stamp.credit, stamp.rival)
        last = _with(standing.last, seat, _Accepted(decision, action))
        return self._change(entry, step, chance.position, at, actor=seat, last=last, lapsed=standing.lapsed)

    def expire(self, stamp: Stamp) -> Change:
        """Carry out the deadline that is due. Raises NotDueError if none is by this stamp."""
        standing = self._standing
        due = self.rules.deadline(standing.state)
        at = max(stamp.at, standing.now)
        if due is None or at < due:
            raise NotDueError(f"no deadline is due at {at} ms (the next: {due})")
        chance = Chance(self.start_entry.seed, standing.position)
        step = self.rules.expire(standing.state, Stamp(at), chance)
        before = self.rules.pending(standing.state)
        after = self.rules.pending(step.state)
        moved = self.rules.phase(step.state) != self.rules.phase(standing.state)
        lapsed = tuple(
            standing.ids[seat] if seat in before and (moved or seat not in after) else lapsed
            for seat, lapsed in enumerate(standing.lapsed)
        )
        return self._change(Expire(at), step, chance.position, at, actor=None, last=standing.last, lapsed=lapsed)

    def presence(self, seat: int, absent: bool, stamp: Stamp) -> Change | None:
        """Nobody plays this seat any more (absent), or somebody does again. None if it is so already."""
        self._check_seat(seat)
        standing = self._standing
        at = max(stamp.at, standing.now)
        state = self.rules.presence(standing.state, seat, absent, Stamp(at))
        if state == standing.state:
            return None
        step: Step[Any] = Step(state, ())
        entry = Presence(seat, absent, at)
        return self._change(entry, step, standing.position, at, actor=None, last=standing.last, lapsed=standing.lapsed)

    def adopt(self, change: Change) -> None:
        """Let the change happen. Raises OutdatedChangeError if it was made on another state than the present one."""
        if change.before is not self._standing:
            raise OutdatedChangeError(f"change {change.seq} was not made on the present state ({self.seq})")
        self._standing = change.after
        self._events.extend(change.public)

    def _change(
        self,
        entry: Entry,
        step: Step[Any],
        position: int,
        at: int,
        *,
        actor: int | None,
        last: tuple[_Accepted | None, ...],
        lapsed: tuple[int, ...],
    ) -> Change:
        standing = self._standing
        # One id for one question: the actor's next question is another, and so is everybody's in a new phase. Both
        # count apart, so that ids do not depend on who of several was the last to answer.
        ids = standing.ids
        if actor is not None:
            ids = _with(ids, actor, ids[actor] + 1)
        if self.rules.phase(step.state) != self.rules.phase(standing.state):
            ids = tuple(number + 1 for number in ids)
        alone = standing.alone
        if step.only is not None:
            alone = _with(alone, step.only, alone[step.only] + 1)
        after = _Standing(
            state=step.state,
            seq=standing.seq + 1,
            ids=ids,
            last=last,
            lapsed=lapsed,
            position=position,
            now=at,
            told=standing.told + len(step.public),
            alone=alone,
        )
        return Change(entry, step.public, _by_seat(step), standing.told, after.seq, standing, after, step.only)

    def _check_seat(self, seat: int) -> None:
        if not 0 <= seat < self.start_entry.seats:
            raise ValueError(f"there is no seat {seat}")


def rules_of(game: str) -> Rules[Any]:
    """The game's rules. Raises UnknownGameError."""
    try:
        return RULES[game]
    except KeyError:
        raise UnknownGameError(game) from None


def _types(game: str) -> GameTypes:
    try:
        return GAMES[game]
    except KeyError:
        raise UnknownGameError(game) from None


def _plain(value: Struct) -> dict[str, Any]:
    """A map as it comes back from bytes, lists for tuples: what is kept must equal what is read again."""
    plain: dict[str, Any] = msgspec.msgpack.decode(msgspec.msgpack.encode(value))
    return plain


def _with(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _by_seat(step: Step[Any]) -> dict[int, tuple[Struct, ...]]:
    own: dict[int, tuple[Struct, ...]] = {}
    for seat, event in step.private:
        own[seat] = (*own.get(seat, ()), event)
    return own
