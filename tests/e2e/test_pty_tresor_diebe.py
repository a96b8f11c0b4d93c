"""Two people at two terminals play a whole game of Tresor Diebe by keys and by what their screens show."""

import re
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from tests.e2e.player import ESC, F2, PATIENCE, Person, Question, at_lobby, play, wait_all
from tests.e2e.stage import START_SECONDS, ServerProcess

TURNS = {1: 2, 2: 1}
"""Turns that each throws in, by round; then all pass, which ends the round."""
_HEAD = re.compile(r"round (\d)/2")
_KINDS = {
    "Your turn: t throws": "turn",
    "s takes safe": "thrown",
    "is open already": "thrown",
    "t throws": "chosen",
}


def question_of(person: Person) -> Question | None:
    """What a person reads at the table; the own row begins with the same sign as a question, but asks nothing."""
    head = _HEAD.search(person.text)
    kind = next((kind for words, kind in _KINDS.items() if words in person.asked), None)
    return None if head is None or kind is None else (int(head[1]), kind, person.asked)


class Plan:
    """Each throws in some turns, three times or twice, and takes what falls; then passes."""

    def __init__(self) -> None:
        self._thrown: Counter[tuple[str, int]] = Counter()

    def answer(self, person: Person, kind: str) -> str | None:
        """The key for a question of this kind."""
        question = question_of(person)
        if question is None or question[1] != kind:
            return None
        number = question[0]
        thrown = self._thrown[person.name, number]
        if kind == "turn":
            if thrown == TURNS[number]:
                return "p"
            return "t" if thrown else "\r"
        if kind == "chosen":
            return "\r" if thrown else "t"
        if "(1 left)" in person.text:  # in a narrow window on a second line
            self._thrown[person.name, number] += 1
            if thrown:
                return "s"
        return str(person.random.randint(1, 5))


def test_two_people_play_a_whole_game(tmp_path: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(ServerProcess(tmp_path / "server"))
        ana = stack.enter_context(at_lobby("Ana", server.address, tmp_path / "ana"))
        ben = stack.enter_context(at_lobby("Ben", server.address, tmp_path / "ben", columns=60, rows=18))
        people = [ana, ben]
        ana.open_form("Tresor Diebe")
        ana.fill("Seats (2–4)", "2")
        ana.fill("rounds", "2")
        ana.press(F2, "id to join by:")
        ben.wait_for("waiting", PATIENCE)
        ben.press("\r", "Press r when you are ready.")
        ben.press("r", "You are ready.", again=False)
        ana.wait_for("All are ready: s starts the game.", PATIENCE)
        ana.press("s", "round 1/2", again=False)
        wait_all(people, "26 of 26 safes free")
        chooses_and_thinks_again(people)
        plan = Plan()
        play(people, lambda: all("round 2/2" in person.text for person in people), plan.answer, question_of=question_of)
        wait_all(people, "Round 1 is over: everybody")
        play(
            people,
            lambda: all("final scores" in person.text for person in people),
            lambda person, kind: "\r" if kind == "over" else plan.answer(person, kind),
            question_of=lambda person: (
                (2, "over", "") if "Enter shows the results" in person.text else question_of(person)
            ),
        )
        results = [person.final_places(2) for person in people]
        assert results[0] == results[1]
        assert {name for _place, name, _total in results[0]} == {"Ana", "Ben"}
        for person in people:
            sums = re.findall(r"fields by round: (\d+) \+ (\d+) = (\d+)", person.text)
            assert [int(first) + int(second) for first, second, _total in sums] == [int(total) for *_, total in sums]
            assert [int(total) for *_, total in sums] == [total for *_, total in person.places]
            person.press("l", "create a table")
            assert person.leave() == 0


def chooses_and_thinks_again(people: list[Person]) -> None:
    """Whoever begins throws, looks at the odds, chooses and thinks again: the others see the dice and nothing else."""
    wait_all(people, lambda text: "Your turn" in text or "is to throw, or to pass." in text)
    first = next(person for person in people if "Your turn" in person.asked)
    other = next(person for person in people if person is not first)
    first.press("t", "throw 1 of 3")
    other.wait_for("throw 1 of 3", PATIENCE)
    first.press("o", "Any free safe: 100%")
    first.press("a", "t throws 5 dice again")
    first.press("3", "t throws 4 dice again")
    first.press(ESC, lambda _text: "s takes safe" in first.asked)
    first.press("o", lambda text: "%" not in text)
    assert "again" not in other.text.replace("or throw again?", "")


def test_the_local_table_is_played_at_once(tmp_path: Path) -> None:
    arguments = ["play", "--game", "tresor-diebe", "--players", "2", "--fast", "--time", "relaxed", "--name", "Ana"]
    with Person("Ana", *arguments, home=tmp_path) as ana:
        ana.wait_for("Your turn", START_SECONDS)
        ana.press("t", "Your throw 1 of 3")
        ana.press("s", "last:")
