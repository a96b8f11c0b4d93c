"""What must hold for every game, whichever it is."""

import random
from collections import Counter
from itertools import permutations
from typing import Any

import msgspec
import pytest

from robby_games.registry import GAMES
from robby_protocol.errors import CODES
from robby_rules.chance import Chance
from robby_rules.interface import IllegalActionError, Rules, Stamp, Step
from robby_rules.journal import decode_entry, encode_entry, replay
from robby_rules.match import Match, read_options
from robby_rules.registry import RULES
from tests.rules.games import KITS, Setting, Twin, new_chance
from tests.rules.kit import random_match, shown

SETTINGS = [
    pytest.param(game, setting, id=f"{game}-{number}")
    for game in RULES
    for number, setting in enumerate(KITS[game].settings)
]
SILENT = [
    pytest.param(game, setting, id=f"{game}-{number}")
    for game in RULES
    for number, setting in enumerate(KITS[game].silent)
]


def frozen(state: Any) -> bytes:
    """A state as bytes, to see that it has not changed."""
    return msgspec.msgpack.encode(state)


def new_match(game: str, setting: Setting, rng: random.Random) -> Match:
    return Match.start("m", game, setting.options, setting.seats, rng.randbytes(32))


def test_every_game_has_types_and_a_kit() -> None:
    assert set(RULES) == set(GAMES) == set(KITS)
    for name, rules in RULES.items():
        assert rules.name == name
        assert rules.version == GAMES[name].version


@pytest.mark.parametrize(("game", "setting"), SETTINGS)
def test_random_play_ends_with_nothing_lost(game: str, setting: Setting) -> None:
    rules, kit, rng = RULES[game], KITS[game], random.Random(f"end {game} {setting}")
    options = read_options(game, setting.options)
    for _game in range(8):
        chance = new_chance(rng)
        state = rules.setup(options, setting.seats, chance).state
        phase = rules.phase(state)
        while pending := rules.pending(state):
            kit.conserved(options, state)
            assert list(pending) == sorted(set(pending))
            assert rules.outcome(state) is None
            for seat in range(setting.seats):
                legal = rules.legal(state, seat)
                assert bool(legal) == (seat in pending)
                assert len({shown(action) for action in legal}) == len(legal)
            seat = rng.choice(pending)
            state = rules.apply(state, seat, rng.choice(rules.legal(state, seat)), Stamp(0), chance).state
            assert rules.phase(state) >= phase
            phase = rules.phase(state)
        kit.conserved(options, state)
        results = rules.outcome(state)
        assert results is not None
        assert rules.deadline(state) is None
        best, at_once = max(result.score for result in results), kit.at_once(state)
        for result in results:
            assert result.winner == (result.score == best if at_once is None else result.seat == at_once)


@pytest.mark.parametrize(("game", "setting"), SETTINGS)
def test_every_legal_action_is_accepted_and_no_other(game: str, setting: Setting) -> None:
    """All actions that were ever legal for anybody are tried by everybody, all the time."""
    rules, rng = RULES[game], random.Random(f"illegal {game} {setting}")
    options = read_options(game, setting.options)
    known: list[Any] = []
    codes: Counter[str] = Counter()
    for _game in range(2):
        chance = new_chance(rng)
        state = rules.setup(options, setting.seats, chance).state
        while pending := rules.pending(state):
            before, position = frozen(state), chance.position
            for seat in range(setting.seats):
                legal = rules.legal(state, seat)
                known += [action for action in legal if action not in known]
                for action in rng.sample(known, min(len(known), 8)):
                    if action in legal:
                        rules.apply(state, seat, action, Stamp(0), chance)
                    else:
                        with pytest.raises(IllegalActionError) as refused:
                            rules.apply(state, seat, action, Stamp(0), chance)
                        codes[refused.value.code] += 1
                        assert chance.position == position
                    chance.position = position
                    assert frozen(state) == before
            seat = rng.choice(pending)
            state = rules.apply(state, seat, rng.choice(rules.legal(state, seat)), Stamp(0), chance).state
    assert set(codes) <= CODES
    assert sum(codes.values()) > 100


@pytest.mark.parametrize(("game", "setting"), SETTINGS)
def test_a_replayed_match_is_identical_at_any_moment(game: str, setting: Setting) -> None:
    """Cut in the middle, written, read, replayed; then both go on alike."""
    rng = random.Random(f"replay {game} {setting}")
    for _game in range(3):
        match = new_match(game, setting, rng)
        first = random_match(match, rng, steps=rng.randrange(150))
        written = [encode_entry(entry) for entry in (match.start_entry, *[change.entry for change in first])]
        again = replay(decode_entry(data) for data in written)
        assert_same(match, again)
        second = random_match(match, rng, steps=50)
        for change in second:
            entry = decode_entry(encode_entry(change.entry))
            again = replay([*[decode_entry(data) for data in written], entry])
            written.append(encode_entry(entry))
        assert_same(match, again)


def assert_same(one: Match, other: Match) -> None:
    """In everything that anybody can see, and in what nobody may."""
    assert one.start_entry == other.start_entry
    assert one.state == other.state
    assert one._standing == other._standing
    assert one.events == other.events
    assert one.chance_position == other.chance_position
    assert (one.seq, one.deadline(), one.result()) == (other.seq, other.deadline(), other.result())
    for seat in (None, *range(one.seats)):
        assert shown(*one.view(seat)) == shown(*other.view(seat))
        assert one.timer(seat) == other.timer(seat)
        if seat is not None:
            assert one.decision(seat) == other.decision(seat)


@pytest.mark.parametrize(("game", "setting"), SETTINGS)
def test_a_state_survives_being_encoded_and_decoded(game: str, setting: Setting) -> None:
    rng = random.Random(f"state {game} {setting}")
    match = new_match(game, setting, rng)
    while random_match(match, rng, steps=7):
        state = match.state
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=type(state)) == state


@pytest.mark.parametrize(("game", "setting"), SILENT)
def test_a_game_in_which_everybody_is_silent_ends(game: str, setting: Setting) -> None:
    rng = random.Random(f"silent {game} {setting}")
    match = new_match(game, setting, rng)
    for seat in range(setting.seats):
        change = match.presence(seat, True, Stamp(0))
        assert change is not None
        match.adopt(change)
    before = -1
    steps = 0
    while match.result() is None:
        due = match.deadline()
        assert due is not None, "somebody is waited for without a limit"
        assert due >= before
        before = due
        state = match.state
        match.adopt(match.expire(Stamp(due)))
        assert match.state != state, "a deadline made no progress"
        steps += 1
        assert steps < 20_000
    assert match.deadline() is None


@pytest.mark.parametrize(("game", "setting"), SETTINGS)
def test_every_deadline_makes_progress(game: str, setting: Setting) -> None:
    """However late it is carried out, the next one lies after it."""
    rng = random.Random(f"progress {game} {setting}")
    match = new_match(game, setting, rng)
    for seat in range(setting.seats):
        match.adopt(match.presence(seat, True, Stamp(0)))  # type: ignore[arg-type]
    expired = 0
    while match.result() is None:
        due = match.deadline()
        assert due is not None
        if rng.random() < 0.5:
            late = due + rng.choice((0, 0, 1, 3_000, 100_000))
            match.adopt(match.expire(Stamp(late)))
            for _more in range(setting.seats + 2):
                due = match.deadline()
                if due is None or due > late:
                    break
                match.adopt(match.expire(Stamp(late)))
            else:
                raise AssertionError("deadlines stay due however often they are carried out")
            expired += 1
        else:
            random_match(match, rng, steps=1, silence=0)
    assert expired


def orders(items: tuple[int, ...], rng: random.Random) -> list[tuple[int, ...]]:
    """The items as they are, backwards, and shuffled."""
    return [items, items[::-1], tuple(rng.sample(items, len(items)))]


@pytest.mark.parametrize("game", RULES)
def test_simultaneous_answers_of_rare_moments_give_the_same_in_any_order(game: str) -> None:
    rules, rng = RULES[game], random.Random(f"rare order {game}")
    tried = 0
    for state, setting in KITS[game].rare(rng):
        pending = rules.pending(state)
        for _choices in range(10):
            chosen = {seat: rng.choice(rules.legal(state, seat)) for seat in pending}
            results: set[bytes] = set()
            for order in permutations(pending):
                chance, after = Chance(bytes(32)), state
                told: list[bytes] = []
                for seat in order:
                    step = rules.apply(after, seat, chosen[seat], Stamp(5), chance)
                    after = step.state
                    told += [shown(event) for event in step.public]
                KITS[game].conserved(read_options(game, setting.options), after)
                results.add(frozen((after, sorted(told), chance.position)))
                tried += 1
            assert len(results) == 1
    assert tried > 100 or not KITS[game].simultaneous


@pytest.mark.parametrize(("game", "setting"), SETTINGS)
def test_simultaneous_answers_give_the_same_in_any_order(game: str, setting: Setting) -> None:
    rules, rng = RULES[game], random.Random(f"order {game} {setting}")
    options = read_options(game, setting.options)
    tried = 0
    chance = new_chance(rng)
    state = rules.setup(options, setting.seats, chance).state
    while pending := rules.pending(state):
        phase = rules.phase(state)
        chosen = {seat: rng.choice(rules.legal(state, seat)) for seat in pending}
        results: set[bytes] = set()
        for order in orders(pending, rng):
            trial = Chance(chance._key, chance.position)
            after, told = state, []
            for seat in order:
                # Once the phase is over (or an answer takes another's place) the rest would answer another question.
                if rules.phase(after) == phase and chosen[seat] in rules.legal(after, seat):
                    step = rules.apply(after, seat, chosen[seat], Stamp(5), trial)
                    after = step.state
                    told += [shown(event) for event in step.public]
            if rules.phase(after) != phase and len(pending) > 1 and order is pending:
                tried += 1
            results.add(frozen((after, sorted(told), trial.position)))
        if all_answers_are_independent(rules, state, chosen):
            assert len(results) == 1
        seat = rng.choice(pending)
        state = rules.apply(state, seat, chosen[seat], Stamp(0), chance).state
    assert tried or setting.seats < 3 or not KITS[game].simultaneous, "no phase was ever ended by simultaneous answers"


def all_answers_are_independent(rules: Rules[Any], state: Any, chosen: dict[int, Any]) -> bool:
    """Whether none of these answers makes another impossible (the Gentleman's *reveal* does)."""
    return not any(type(action).__name__ == "Reveal" for action in chosen.values())


# Non-interference.


def seen(rules: Rules[Any], state: Any, seat: int | None) -> bytes:
    """Everything that a seat (None: a spectator) can know of a state by looking."""
    asked: tuple[Any, ...] = ()
    if seat is not None:
        asked = tuple(rules.legal(state, seat))
    facts: tuple[Any, ...] = (seat in rules.pending(state), rules.phase(state), rules.timer(state, seat))
    if not KITS[rules.name].races:
        # Nobody is told these two, so an open race may change them; in other games nothing hidden ever does.
        facts += (rules.pending(state), rules.deadline(state))
    return shown(*rules.view(state, seat), asked, facts)


def heard(step: Step[Any], seat: int | None) -> bytes:
    """Everything that a seat is told of a step."""
    return shown(step.public, tuple(event for who, event in step.private if who == seat))


def assert_hidden(rules: Rules[Any], one: Any, other: Any, outsiders: list[int | None], what: str) -> None:
    for seat in outsiders:
        assert seen(rules, one, seat) == seen(rules, other, seat), f"{what} shows to {seat}"


def go_on_alike(rules: Rules[Any], state: Any, twin: Twin, seats: int, rng: random.Random) -> int:
    """Play both states on with the same open actions until the difference shows by right. How many steps that were.

    The seats entitled may act differently in hidden ways: the same kind of action with another hidden part.
    """
    outsiders: list[int | None] = [None, *[seat for seat in range(seats) if seat not in twin.entitled]]
    one, other = state, twin.state
    assert_hidden(rules, one, other, outsiders, twin.what)
    chances = new_chance(rng), new_chance(rng)
    steps = 0
    while pending := rules.pending(one):
        seat = rng.choice(pending)
        action = rng.choice(rules.legal(one, seat))
        also = action
        if seat in twin.entitled:
            alike = [found for found in rules.legal(other, seat) if open_part(found) == open_part(action)]
            if not alike:
                break
            also = rng.choice(alike)
        first = rules.apply(one, seat, action, Stamp(steps), chances[0])
        second = rules.apply(other, seat, also, Stamp(steps), chances[1])
        if twin.until & {type(event).__name__ for event in first.public}:
            break
        for outsider in outsiders:
            assert heard(first, outsider) == heard(second, outsider), f"{twin.what} is told to {outsider}"
        one, other = first.state, second.state
        assert_hidden(rules, one, other, outsiders, twin.what)
        steps += 1
    return steps


def open_part(action: Any) -> bytes:
    """What everybody learns of an action: its kind alone, for those that lay or choose something face down."""
    name = type(action).__name__
    return name.encode() if name in ("Lay", "Give") else shown(action)


@pytest.mark.parametrize("game", RULES)
def test_what_a_seat_may_not_know_changes_nothing_that_it_sees(game: str) -> None:
    rules, kit, rng = RULES[game], KITS[game], random.Random(f"hidden {game}")
    phases: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    steps: Counter[str] = Counter()
    for setting in kit.settings * 2:
        match = new_match(game, setting, rng)
        while True:
            for twin in kit.twins(match.state, rng):
                steps[twin.what] += go_on_alike(rules, match.state, twin, setting.seats, rng)
                phases[kit.phase_of(match.state)] += 1
                kinds[twin.what] += twin.state != match.state
            if not random_match(match, rng, steps=rng.choice((1, 3, 6, 12)), silence=0.15):
                break
    for _round in range(12):
        for state, setting in kit.rare(rng):
            chance = new_chance(rng)
            for _step in range(10):
                for twin in kit.twins(state, rng):
                    steps[twin.what] += go_on_alike(rules, state, twin, setting.seats, rng)
                    phases[kit.phase_of(state)] += 1
                    kinds[twin.what] += twin.state != state
                if not rules.pending(state):
                    break
                seat = rng.choice(rules.pending(state))
                state = rules.apply(state, seat, rng.choice(rules.legal(state, seat)), Stamp(0), chance).state
    assert set(phases) == kit.phases
    assert all(count > 20 for count in kinds.values()), kinds
    assert all(count > 20 for count in steps.values()), steps


@pytest.mark.parametrize(("game", "setting"), SETTINGS)
def test_a_step_for_one_seat_alone_shows_to_nobody_else(game: str, setting: Setting) -> None:
    rules, rng = RULES[game], random.Random(f"only {game} {setting}")
    match = new_match(game, setting, rng)
    alone = 0
    while match.result() is None:
        before, ids = match.state, [match.decision(seat) for seat in range(setting.seats)]
        (change,) = random_match(match, rng, steps=1)
        if change.only is None:
            continue
        alone += 1
        assert change.public == ()
        assert set(change.private) <= {change.only}
        outsiders: list[int | None] = [None, *[seat for seat in range(setting.seats) if seat != change.only]]
        assert_hidden(rules, before, match.state, outsiders, "what one seat did alone")
        for seat in range(setting.seats):
            if seat != change.only:
                assert match.decision(seat) == ids[seat]
    assert bool(alone) == KITS[game].races


@pytest.mark.parametrize(("game", "setting"), SETTINGS)
def test_what_the_clock_draws_shows_to_nobody_else(game: str, setting: Setting) -> None:
    """Two sources of chance, the same deadline: what is told differs only where the draw itself is public."""
    rules, rng = RULES[game], random.Random(f"clock {game} {setting}")
    match = new_match(game, setting, rng)
    for seat in range(setting.seats):
        match.adopt(match.presence(seat, True, Stamp(0)))  # type: ignore[arg-type]
    compared = 0
    while match.result() is None:
        due = match.deadline()
        assert due is not None
        if due >= match.state.began:
            steps = [rules.expire(match.state, Stamp(due), new_chance(rng)) for _twice in range(2)]
            touched = {seat for step in steps for seat, _event in step.private}
            hidden = [any(type(event).__name__ in ("Declared",) for event in step.public) for step in steps]
            if touched and not any(hidden):
                outsiders = [None, *[seat for seat in range(setting.seats) if seat not in touched]]
                assert_hidden(rules, steps[0].state, steps[1].state, outsiders, "the draw")
                assert heard(steps[0], None) == heard(steps[1], None)
                compared += 1
        random_match(match, rng, steps=1, silence=0.5)
    assert compared or not KITS[game].phases
