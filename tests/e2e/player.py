"""A person at the client with screens: reads what is asked, and presses the keys that the screen names.

Knows nothing but what can be read: the line of keys, the question, the rows. A person reads before pressing, so a key
is pressed a moment after its question is seen; one that did nothing is pressed again.
"""

import random
import re
import select
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from tests.e2e.stage import ROBBY, START_SECONDS, environment
from tests.e2e.terminal import Condition, ScreenTimeoutError, Terminal

READING = 0.2
"""Seconds between seeing a question and answering it: in the first moment keys do nothing."""
AGAIN = 2.0
"""Seconds after which a key that did nothing is pressed again."""
PATIENCE = 40.0
"""Seconds for one step of a test on a slow machine."""

FIELD_AFTER = 28
"""Cells from the beginning of a label to well inside its field."""

MOVED = 4
"""Differences between two screens that a blinking cursor alone does not make."""

DOWN = "\x1b[B"
LEFT = "\x1b[D"
RIGHT = "\x1b[C"
ESC = "\x1b"
F2 = "\x1bOQ"

_ASKED = re.compile(r"^ ▸ (\S.*)$", re.MULTILINE)
_HEAD = re.compile(r"round (\d+)/\d+.*Gentleman: (.+?)$", re.MULTILINE)
_LETTERS = re.compile(r"((?:\b[a-z] )+)(?:lay|name the bank)\b")
_TIME_LEFT = re.compile(r"(?:(\d+):(\d\d)|(\d+) s)")
_PLACE = re.compile(r"^ ?[★▸ ] (\d+)\. (.+?) +([\d,]+)$", re.MULTILINE)


class Person(Terminal):
    """Somebody at a terminal of their own. home: what their machine remembers, kept when the client is started anew."""

    def __init__(
        self,
        name: str,
        *arguments: str,
        home: Path,
        columns: int = 80,
        rows: int = 24,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.home = home
        self.arguments = arguments
        self.random = random.Random(name)
        super().__init__([*ROBBY, *arguments], env=environment(home, **(environ or {})), columns=columns, rows=rows)

    # Reading.

    @property
    def keys(self) -> str:
        """The line of keys, the last of the screen."""
        return self.lines[-1].rstrip()

    @property
    def asked(self) -> str:
        """The question to this person; empty if nothing is asked."""
        found = _ASKED.findall(self.text)
        return str(found[-1]) if found else ""

    @property
    def question(self) -> tuple[int, str, str] | None:
        """What is asked: round, kind of question, and the question itself where there can be several of a kind."""
        keys = self.keys
        head = _HEAD.search(self.text)
        if head is None or not self.asked:
            return None
        number = int(head[1])
        for sign, kind in (
            ("from the left", "supply"),
            ("I will rob", "declare"),
            ("name the bank", "name"),
            ("confirm", "revise"),
            ("reveal", "reveal"),
            ("return it", "give"),
        ):
            if sign in keys:
                return number, kind, self.asked if kind == "give" else ""
        return (number, "lay", "") if _LETTERS.search(keys) else None

    @property
    def letters(self) -> list[str]:
        """The banks' letters that the line of keys names."""
        found = _LETTERS.search(self.keys)
        return found[1].split() if found else []

    @property
    def gentleman(self) -> str:
        """Whom the screen calls Gentleman: a name, or `you`."""
        found = _HEAD.search(self.text)
        return "" if found is None else found[2].strip()

    @property
    def seconds_left(self) -> int | None:
        """The time left as the bar tells it."""
        for line in self.lines:
            if "▐" in line and (found := _TIME_LEFT.search(line[line.index("▌") if "▌" in line else 0 :])):
                return int(found[3]) if found[3] else int(found[1]) * 60 + int(found[2])
        return None

    def row_of(self, name: str) -> str:
        """The line of a participant: marks for oneself and the Gentleman, the name, the rest; not the log beside."""
        for line in self.lines:
            if re.match(rf"^ [▸ ][♛ ] {re.escape(name)}\b", line):
                return line.partition("▏")[0].rstrip()
        return ""

    @property
    def places(self) -> list[tuple[int, str, int]]:
        """The result screen: place, name and total of each."""
        return [
            (int(place), name.removesuffix(" (you)"), int(total.replace(",", "")))
            for place, name, total in _PLACE.findall(self.text)
        ]

    def final_places(self, count: int) -> list[tuple[int, str, int]]:
        """`places`, once all of so many are there: a screen is painted in several steps."""
        self.wait_for(lambda _text: len(self.places) == count, PATIENCE)
        return self.places

    # Doing.

    def press(self, key: str, until: Condition, *, again: bool = True, seconds: float = PATIENCE) -> str:
        """Press a key, once more every two seconds if nothing came of it. Returns the screen that was waited for."""
        deadline = time.monotonic() + seconds
        self.pump_for(READING)
        self.send(key)
        while True:
            try:
                return self.wait_for(until, AGAIN if again else seconds)
            except ScreenTimeoutError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                self.send(key)

    def type(self, *pieces: str) -> None:
        """Type these, looking at the screen after each: keys that move the focus work a moment later."""
        for piece in pieces:
            self.pump_for(READING)
            self.send(piece)
        self.pump_for(READING)

    def leave(self) -> int:
        """Quit by the key where no game is played. Returns the exit code."""
        self.press("q", lambda _text: self.process.poll() is not None)
        return self.wait_exit()

    def start_again(self) -> "Person":
        """The same person at a new terminal, by the same command."""
        return Person(self.name, *self.arguments, home=self.home, columns=self.screen.columns, rows=self.screen.lines)

    def _styles(self) -> set[tuple[int, int, str, bool]]:
        """How every cell looks: what has the focus looks different."""
        return {
            (row, column, cell.bg, cell.bold)
            for row, line in self.screen.buffer.items()
            for column, cell in line.items()
        }

    def open_form(self, game: str = "Robby Solo") -> None:
        """In the lobby: open the form of a new table of this game, which is asked for where there are several."""
        self.press("c", re.compile(r"Which game\?|OK \(F2\)"))
        if "Which game?" in self.text:
            self.wait_for(game)
            rows = [number for number, line in enumerate(self.lines) if "Which game?" in line or game in line]
            # The first game stands in the second row under the question, and is chosen at first.
            self.type(DOWN * (rows[1] - rows[0] - 2))
            self.press("\r", "OK (F2)")
        assert f"A new table of {game}" in self.text, self.text

    def fill(self, label: str, text: str) -> None:
        """In a form: go by Tab to the field behind a label, and type over it."""
        self.go_to(label, FIELD_AFTER)
        self.type(text)
        assert re.search(rf"{re.escape(label)} +{re.escape(text)}\b", self.text), self.text

    def _looks_different(self) -> Callable[[str], bool]:
        """A condition: more than the cursor has changed since now."""
        before = self._styles()
        return lambda _text: len(before ^ self._styles()) > MOVED

    def choose(self, before: str, label: str) -> None:
        """In a form: take a choice of the group that comes after the field with the label `before`."""
        self.go_to(before, FIELD_AFTER)
        self.type("\t")
        for _ in range(10):
            if f"(●) {label}" in self.text:
                return
            self.type(DOWN, " ")
        raise AssertionError(f"there is no choice {label!r}:\n{self.text}")

    def go_to(self, label: str, after: int) -> None:
        """Press Tab until the cell so far after the beginning of a label looks different: the focus is there."""
        row = next(number for number, line in enumerate(self.lines) if label in line)
        column = self.lines[row].index(label) + after
        before_all = self.screen.buffer[row][column]
        for _ in range(40):
            self.press("\t", self._looks_different())
            self.pump_until_quiet()
            if self.screen.buffer[row][column] != before_all:
                return
        raise AssertionError(f"Tab never came to {label!r}:\n{self.text}")


def pump_all(people: Iterable[Terminal], seconds: float = 0.05) -> None:
    """Read what any of them has to show."""
    by_file = {person.master: person for person in people}
    ready, _, _ = select.select(list(by_file), [], [], seconds)
    for file in ready:
        by_file[file].pump(0)


def wait_all(people: Sequence[Terminal], condition: Condition, seconds: float = PATIENCE) -> None:
    """Wait until every screen shows it."""
    for person in people:
        deadline = time.monotonic() + seconds
        while True:
            pump_all(people, 0.02)
            try:
                person.wait_for(condition, 0.0)
                break
            except ScreenTimeoutError:
                if time.monotonic() > deadline:
                    raise


Answer = Callable[[Person, str], str | None]
"""The key for a question of this kind; None: not now."""


def usual_answer(person: Person, kind: str) -> str | None:
    """Play along: a bank at random, either kind of declaration, and confirm."""
    match kind:
        case "supply":
            return LEFT
        case "lay" | "name":
            return person.random.choice(person.letters)
        case "declare":
            return person.random.choice("wn")
        case "revise":
            return "c"
        case "give":
            return "1"
        case _:
            return None


Question = tuple[int, str, str]
"""Round, kind of question, and the question itself where there can be several of a kind."""


def usual_question(person: Person) -> Question | None:
    """What a person reads at a table of Robby Solo."""
    return person.question


def play(
    people: Sequence[Person],
    until: Callable[[], bool],
    answer: Answer = usual_answer,
    seconds: float = 60.0,
    question_of: Callable[[Person], Question | None] = usual_question,
) -> None:
    """Let all answer what they are asked, until something is so, also a moment later: a screen is painted in several
    pieces, and the first may be of the next question. Raises ScreenTimeoutError."""
    seen: dict[str, tuple[Question, float]] = {}
    pressed: dict[str, float] = {}
    deadline = time.monotonic() + seconds
    held = 0.0
    while held < READING:
        now = time.monotonic()
        if now > deadline:
            screens = "\n".join(f"{person.name} (exit {person.process.poll()}):\n{person.text}" for person in people)
            raise ScreenTimeoutError(f"it never came so far; the screens:\n{screens}")
        pump_all(people)
        if until():
            held += time.monotonic() - now
            continue
        held = 0.0
        for person in people:
            question = question_of(person)
            if question is None:
                seen.pop(person.name, None)
                continue
            if person.name not in seen or seen[person.name][0] != question:
                seen[person.name] = (question, now)
                pressed.pop(person.name, None)
                continue
            reading = now - seen[person.name][1] < READING
            if reading or now - pressed.get(person.name, 0.0) < AGAIN:
                continue
            key = answer(person, question[1])
            if key is not None:
                person.send(key)
                pressed[person.name] = now


def at_lobby(name: str, server: str, home: Path, *, columns: int = 80, rows: int = 24) -> Person:
    """Somebody who has just joined a server by `robby join`."""
    person = Person(name, "join", server, "--name", name, home=home, columns=columns, rows=rows)
    try:
        person.wait_for("create a table", START_SECONDS)
    except BaseException:
        person.close()
        raise
    return person
