"""Wild Wild Pattern's table in the middle of a game, for tests: what can be asked, and how it is put."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, structs

from robby_games.wild_wild_pattern import (
    Click,
    Cover,
    Covered,
    Dealt,
    Declare,
    Entrant,
    GameStarted,
    Grab,
    Judged,
    Judgement,
    Looked,
    NoPattern,
    OwnView,
    ParticipantView,
    Pattern,
    PlaceView,
    PublicView,
    Race,
    Ready,
    RoundStarted,
    Take,
)
from robby_games.wild_wild_patterns import ALL
from robby_tui.screens.table import TableScreen
from tests.tui.fakes import NAMES, table_state
from tests.tui.kit import Stage

GUN, LOOT, STAR, BOTTLE, HORSESHOE, DYNAMITE, BARREL, WANTED = range(8)
RED, BLUE, YELLOW, GREY, WHITE, COIN, BULLETS = range(8, 15)

WHEEL = (34, 0, 25, 21, 3, 14, 36, 31)
"""White star, red gun, grey loot, yellow dynamite, red bottle, blue barrel, white horseshoe, grey wanted."""
MINE = 18
"""Yellow star: over place 4 it makes *after every star always coin*."""
PLAYED = 3
DECLARES = tuple(Declare(one.side, one.a, one.b) for one in ALL)
COVERS = tuple(Cover(place) for place in range(8))
TAKES = tuple(Take(place) for place in range(8))
RACE = Race(0, False, (Entrant(0, 2_050, 40, 2_010), Entrant(1, 2_044, 22, 2_022)))
CLOSE = "It was close: you +0 ms (credit 40 ms), Ben +12 ms (credit 22 ms)."
PATTERN = Pattern("after", STAR, COIN)
VALID = Judgement(0, PATTERN, "valid", 2, (0, 1, 3, 4))
WRONG = Judgement(0, Pattern("before", STAR, BULLETS), "not_always", 2, (0, 7), (3,))

START = (GameStarted(4, 3, 35), RoundStarted(1, WHEEL, 0, (2, 0, 5, 6), 39), Dealt(1, 35))
LOOKED = Looked()
COVERED = Covered(0, PLAYED, MINE, WHEEL[PLAYED], RACE)


def played(card: int | None = MINE) -> tuple[PlaceView, ...]:
    """The Wheel with the own card over place 4."""
    wheel = list(map(PlaceView, WHEEL))
    wheel[PLAYED] = PlaceView(card, WHEEL[PLAYED])
    return tuple(wheel)


def people(count: int = 4, **changes: Any) -> tuple[ParticipantView, ...]:
    """changes: a field, by seat."""
    won = ((2, 10, 9), (3,), (), (21, 37, 5))
    return tuple(
        ParticipantView(
            coins=(3, 5, 0, 12)[seat],
            target=(2, 0, 5, 6)[seat],
            won=won[seat],
            challenges=(1, 0, 0, 0)[seat],
            **{name: seat in seats for name, seats in changes.items()},
        )
        for seat in range(count)
    )


def view(phase: str, **fields: Any) -> PublicView:
    base: dict[str, Any] = {
        "round": 1,
        "rounds": 3,
        "turn": 1,
        "phase": phase,
        "wheel": tuple(map(PlaceView, WHEEL)),
        "deck": 35,
        "discard": (),
        "removed": 0,
        "bank": 15,
        "participants": people(),
    }
    return PublicView(**(base | fields))


def mine(card: int | None = None, **fields: Any) -> OwnView:
    return OwnView(seat=0, card=card, **fields)


SHOT: dict[str, Any] = {"shooter": 0, "played": PLAYED, "race": RACE, "wheel": played()}

Case = tuple[PublicView, OwnView | None, Sequence[Struct], dict[str, Any]]

ASKED: dict[str, Case] = {
    "ready": (view("ready"), mine(), (Ready(),), {"clock": (10_000, 10_000, None), "events": START}),
    "shoot": (
        view("shootout", participants=people(clicked=(2,))),
        mine(MINE),
        (*COVERS, Click()),
        {"clock": (80_000, 90_000, None), "events": (*START, LOOKED)},
    ),
    "slowed": (
        view("shootout", participants=people(slowed=(0,))),
        mine(MINE),
        (Click(),),
        {"clock": (89_500, 90_000, 1_500), "events": (*START, LOOKED)},
    ),
    "declare": (
        view("declare", active=0, **SHOT),
        mine(),
        DECLARES,
        {"clock": (8_000, 8_000, None), "events": (*START, LOOKED, COVERED)},
    ),
    "take": (
        view("take", active=0, takes=1, forbidden=PLAYED, judgement=VALID, **SHOT),
        mine(),
        tuple(take for take in TAKES if take.place != PLAYED),
        {"clock": (15_000, 15_000, None), "events": (*START, LOOKED, COVERED)},
    ),
    "grab": (
        view("grab", duel=True),
        mine(),
        (Grab(),),
        {"clock": (30_000, 30_000, None), "events": (*START, Looked((1,)))},
    ),
    "name": (
        view("name", duel=True, active=0, shooter=0, race=structs.replace(RACE)),
        mine(),
        (*DECLARES, NoPattern()),
        {"clock": (8_000, 8_000, None), "events": (*START, Looked((1,)))},
    ),
}


async def sit(stage: Stage, case: Case | str) -> None:
    """A game in which this is shown and asked."""
    public, own, legal, fields = ASKED[case] if isinstance(case, str) else case
    names = NAMES[: len(public.participants)]
    state = table_state(you=None if own is None else 0, game="wild-wild-pattern", names=names, capacity=4)
    await stage.feed(state, stage.match.update(public, own, *legal, **fields))
    await stage.at(TableScreen)


def acted(stage: Stage) -> list[Any]:
    return [action for action, _decision in stage.client.acted]


async def judged(stage: Stage, judgement: Judgement = VALID, *more: Struct, **fields: Any) -> None:
    """The declaration was looked at; the next turn has begun."""
    after = view("ready", turn=2, **fields)
    await stage.feed(stage.match.update(after, mine(), Ready(), events=(Judged(judgement), *more)))
