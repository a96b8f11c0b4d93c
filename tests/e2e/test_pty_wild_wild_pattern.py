"""Two people at two terminals play a whole game of Wild Wild Pattern by keys and by what their screens show.

Both read the Wheel from the screen: what they cover and declare they know from nowhere else.
"""

import re
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from robby_games.wild_wild_pattern import ATTRIBUTE_LETTERS, COLOURS, OBJECTS, PLACES, Pattern
from robby_games.wild_wild_patterns import covering, listed, look_for, new_patterns, patterns_on
from tests.e2e.player import F2, LEFT, PATIENCE, RIGHT, Person, play, wait_all
from tests.e2e.stage import START_SECONDS, ServerProcess

TITLE = "Friday"
LONGEST_GAME = 200.0
"""Seconds, on a machine that has other things to do: it takes some twenty turns."""
_TURN = re.compile(r"round (\d+)/\d+ · turn (\d+) ")
_KINDS = (
    ("Enter ready", "ready"),
    ("1–8 cover", "shoot"),
    ("1–8 take", "take"),
    ("Space grab", "grab"),
    ("0 none  ", "name"),
    ("← before", "declare"),
)
"""What the line of keys offers, and what is asked then."""
_THING = re.compile(r"([1-8]) ([A-Za-z]+)")
_BELOW = re.compile(r"([■◆●✖○]) (?:X )?([A-Za-z]+) [$!]([A-Za-z]+)")


class Shooter(Person):
    """Somebody who plays Wild Wild Pattern. wrong: wants to declare something wrong the next time."""

    wrong = False

    @property
    def question(self) -> tuple[int, str, str] | None:
        """Turn, kind, and the question itself where there can be several of a kind."""
        turn = _TURN.search(self.text)
        kind = next((kind for sign, kind in _KINDS if sign in self.keys), None)
        if turn is None or kind is None:
            return None
        return int(turn[1]) * 100 + int(turn[2]), kind, self.asked if kind == "take" else ""

    @property
    def wheel(self) -> tuple[int | None, ...]:
        """The cards as they are drawn, by place."""
        found: list[int | None] = [None] * PLACES
        lines = self.lines
        for upper, lower in pairwise(lines):
            for thing in _THING.finditer(upper):
                below = _BELOW.search(lower, max(0, thing.start() - 3), thing.start() + 22)
                if below is not None and thing[2].casefold() in OBJECTS:
                    found[int(thing[1]) - 1] = card_of(thing[2], below[2])
        return tuple(found)

    def middle(self, heading: str) -> int | None:
        """The card that is drawn in the middle of the Wheel under this heading."""
        lines = self.lines
        for number, line in enumerate(lines):
            if found := re.search(heading, line):
                near = " ".join(
                    one[max(0, found.start() - 12) : found.end() + 14] for one in lines[number : number + 3]
                )
                thing = next((word for word in re.findall("[A-Za-z]+", near) if word.casefold() in OBJECTS), None)
                colour = _BELOW.search(near)
                return None if thing is None or colour is None else card_of(thing, colour[2])
        return None

    def answer(self, kind: str) -> str | None:
        """The keys for what is asked; None: nothing now, or something is not painted yet."""
        wheel = self.wheel
        if kind == "ready":
            return "\r"
        if kind == "grab":
            return " "
        if kind == "take":
            return next(str(place + 1) for place in reversed(range(PLACES)) if f"(Not {place + 1}.)" not in self.asked)
        if None in wheel:
            return None
        if kind == "shoot":
            return self._shot(wheel)
        if kind == "name":
            there = patterns_on(wheel)
            return keys_of(there[0]) if there else "0"
        if self.wrong:
            self.wrong = False
            return keys_of(nonsense(wheel))
        return self._declaration(wheel)

    def _shot(self, wheel: tuple[int | None, ...]) -> str | None:
        card = self.middle("yours:")
        if card is None:
            return None
        if self.wrong:
            return "1"
        for place in range(PLACES):
            if new_patterns(wheel, place, card):
                return str(place + 1)
        return "k"

    def _declaration(self, wheel: tuple[int | None, ...]) -> str | None:
        """A pattern that was not there with the card that lies under the one played, as the middle names it."""
        found = re.search(r"under (\d):", self.text)
        if found is None:
            return None
        place, under = int(found[1]) - 1, self.middle(r"under \d:")
        card = wheel[place]
        if under is None or card is None:
            return None
        new = list(listed(new_patterns(covering(wheel, place, under), place, card)))
        return keys_of(new[0]) if new else None


def card_of(thing: str, colour: str) -> int:
    """A card by its words."""
    return COLOURS.index(colour.casefold()) * len(OBJECTS) + OBJECTS.index(thing.casefold())


def keys_of(pattern: Pattern) -> str:
    """The three keys that declare it."""
    side = LEFT if pattern.side == "before" else RIGHT
    return side + ATTRIBUTE_LETTERS[pattern.a].lower() + ATTRIBUTE_LETTERS[pattern.b].lower()


def nonsense(wheel: tuple[int | None, ...]) -> Pattern:
    """A pattern that is not there."""
    return next(one for thing in range(len(OBJECTS)) if not look_for(wheel, one := Pattern("after", thing, 8)).present)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_people_play_a_whole_game(tmp_path: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(ServerProcess(tmp_path / "server"))
        join = ("join", server.address, "--name")
        ana = stack.enter_context(Shooter("Ana", *join, "Ana", home=tmp_path / "ana"))
        ben = stack.enter_context(Shooter("Ben", *join, "Ben", home=tmp_path / "ben", columns=60, rows=18))
        for person in (ana, ben):
            person.wait_for("create a table", START_SECONDS)
        begin(ana, ben)

        ben.wrong = True
        seen: set[str] = set()

        def over() -> bool:
            for person in (ana, ben):
                text = person.text
                seen.update(sign for sign in ("VALID", "INVALID", "fewer than two", "not always so") if sign in text)
                if "VALID" in text and "INVALID" not in text and re.search(r"\[[1-8] \w+\]", text):
                    seen.add(f"{person.name} sees it lit")
            return all("final scores" in person.text for person in (ana, ben))

        def answer(person: Person, kind: str) -> str | None:
            assert isinstance(person, Shooter)
            if ben.wrong and person is ana and kind == "shoot":
                return None  # so that Ben is the first
            return person.answer(kind)

        play([ana, ben], over, answer, seconds=LONGEST_GAME)
        assert {"VALID", "INVALID", "Ana sees it lit", "Ben sees it lit"} <= seen, seen
        assert seen & {"fewer than two", "not always so"}

        results = [person.final_places(2) for person in (ana, ben)]
        assert results[0] == results[1]
        assert {name for _place, name, _coins in results[0]} == {"Ana", "Ben"}
        for person in (ana, ben):
            person.press("l", "create a table")
            assert person.leave() == 0


def begin(ana: Person, ben: Person) -> None:
    """A table of one round for two, with time enough for a slow machine."""
    ana.open_form("Wild Wild Pattern")
    ana.type("\x15", TITLE)
    ana.fill("Seats (2–4)", "2")
    ana.choose("random bots", "relaxed")
    ana.fill("rounds", "1")
    ana.press(F2, "id to join by:")
    ben.wait_for(TITLE)
    ben.press("\r", "id to join by:")
    ben.press("r", "You are ready.", again=False)
    ana.wait_for("All are ready: s starts the game.", PATIENCE)
    ana.press("s", "round 1/", again=False)
    wait_all([ana, ben], "round 1/")
