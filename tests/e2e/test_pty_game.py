"""Three people at three terminals play a whole game of Robby Solo by keys and by what their screens show."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.player import F2, PATIENCE, Person, at_lobby, play, pump_all, usual_answer, wait_all
from tests.e2e.stage import START_SECONDS, ServerProcess

TITLE = "Friday"
BLUFF_ROUND = 1
KILL_ROUND = 2
LONGEST_REVISION = 90
"""Seconds, as *relaxed* has it: a client must be started again in it, on a slow machine."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path / "server", "--bot-think", "0") as running:
        yield running


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_three_people_play_a_whole_game(server: ServerProcess, tmp_path: Path) -> None:
    with ExitStack() as stack:
        ana = stack.enter_context(at_lobby("Ana", server.address, tmp_path / "ana"))
        ben = stack.enter_context(Person("Ben", home=tmp_path / "ben", columns=120, rows=40))
        cleo = stack.enter_context(at_lobby("Cleo", server.address, tmp_path / "cleo", columns=100, rows=30))
        connect_by_hand(ben, server.address)
        table = create(ana)
        join_from_list(ben)
        join_by_id(cleo, table)
        for person in (ben, cleo):
            person.wait_for("Press r when you are ready.")
            person.press("r", "You are ready.", again=False)
        ana.wait_for("All are ready: s starts the game.", PATIENCE)
        ana.press("s", "round 1/", again=False)
        people = [ana, ben, cleo]
        wait_all(people, "round 1/")

        play(people, lambda: all_in_revision(people, BLUFF_ROUND), answers_until(BLUFF_ROUND))
        bluff(people)
        play(people, lambda: all_in_revision(people, KILL_ROUND), answers_until(KILL_ROUND))
        killed = next(person for person in people if person.gentleman != "you")
        others = [person for person in people if person is not killed]
        again = stack.enter_context(killed_and_back(killed, others))
        people[people.index(killed)] = again

        play(people, lambda: all("final scores" in person.text for person in people))
        results = [person.final_places(3) for person in people]
        assert results[0] == results[1] == results[2]
        assert {name for _place, name, _total in results[0]} == {"Ana", "Ben", "Cleo"}
        assert [place for place, _name, _total in results[0]] == places([total for _place, _name, total in results[0]])
        for person in people:
            check_sums(person)
            person.press("l", "create a table")
            assert person.leave() == 0


def connect_by_hand(person: Person, server: str) -> None:
    """From the connect screen, by typing where to and who one is."""
    person.wait_for("Your name", START_SECONDS)
    person.type("\x1b[Z", "\x15", server, "\t", person.name)
    person.wait_for(re.compile(rf"{server}.*{person.name}", re.DOTALL), PATIENCE)
    person.press("\r", "create a table")


def create(host: Person) -> str:
    """A table with sixteen loot cards, four rounds' worth, and long limits. Returns its id."""
    host.open_form()
    host.type("\x15", TITLE)
    host.fill("Seats (2–6)", "3")
    host.choose("random bots", "relaxed")
    host.fill("money cards of each value", "1")
    host.press(F2, "id to join by:")
    found = re.search(r"id to join by: (\S+)", host.text)
    assert found is not None
    return found[1]


def join_from_list(person: Person) -> None:
    """The only table of the list."""
    person.wait_for(TITLE)
    person.press("\r", "id to join by:")


def join_by_id(person: Person, table: str) -> None:
    """By an id that a friend has told."""
    person.press("i", "Type its id")
    person.type("\x15", table)
    person.press("\r", "id to join by:")


def all_in_revision(people: list[Person], number: int) -> bool:
    """Whether everybody sees the revision of this round, nobody having done anything in it."""
    asked = [person.question for person in people]
    return sum(1 for one in asked if one == (number, "revise", "")) == len(people) - 1


def answers_until(number: int):  # type: ignore[no-untyped-def]
    """Play as usual, but for the revision of this round."""

    def answer(person: Person, kind: str) -> str | None:
        question = person.question
        if question is not None and question[:2] == (number, "revise"):
            return None
        return usual_answer(person, kind)

    return answer


def own_letter(person: Person) -> str:
    """The bank of the own card, as the question names it."""
    found = re.search(r"Your card is .*?\(([A-Z])\)", person.asked)
    assert found is not None, person.text
    return found[1].lower()


def bluff(people: list[Person]) -> None:
    """One takes the card back and lays the same again: all others see these two things and nothing more."""
    bluffer = next(person for person in people if person.gentleman != "you")
    others = [person for person in people if person is not bluffer]
    letter = own_letter(bluffer)
    bluffer.press("t", "Your card is in your hand")
    wait_all(others, f"{bluffer.name} took the card back.")
    for person in others:
        assert re.search(r"TOOK THE CARD BACK$", person.row_of(bluffer.name)), person.text
    bluffer.press(letter, lambda _text: bool(bluffer.asked) and own_letter(bluffer) == letter)
    wait_all(others, f"{bluffer.name} laid a card again.")
    for person in others:
        assert re.search(r"took back and laid again$", person.row_of(bluffer.name)), person.text
        told = person.text.partition(f"{bluffer.name} took the card back.")[2]
        assert not re.search(rf"{bluffer.name}[^.]*\([YGRB]\)", told), person.text


def killed_and_back(killed: Person, others: list[Person]) -> Person:
    """Killed in the middle of the revision and started again: the seat, the card and the time are as they were."""
    letter = own_letter(killed)
    killed.wait_for(lambda _text: (killed.seconds_left or LONGEST_REVISION) < LONGEST_REVISION - 2, PATIENCE)
    before = killed.seconds_left
    assert before is not None
    killed.kill()
    wait_all(others, lambda text: bool(re.search(rf"{killed.name}\b.*away", text)))
    again = killed.start_again()
    try:
        if not again.arguments:  # the connect screen has remembered where and who
            again.wait_for("Connect", START_SECONDS)
            again.press("\r", lambda _text: again.question is not None)
        again.wait_for(lambda _text: again.question is not None, PATIENCE)
        assert again.question == (KILL_ROUND, "revise", "")
        assert own_letter(again) == letter
        wait_all(others, lambda text: not re.search(rf"{killed.name}\b.*away", text))
        pump_all(others)
        left, told = again.seconds_left, others[0].seconds_left
        assert left is not None
        assert told is not None
        assert left <= before
        assert abs(left - told) <= 2
    except BaseException:
        again.close()
        raise
    return again


def places(totals: list[int]) -> list[int]:
    """The places that totals, best first, give: equal ones share theirs."""
    return [1 + sum(1 for other in totals if other > total) for total in totals]


def check_sums(person: Person) -> None:
    """Each total is the sum of what the lines below it say."""
    parts = re.findall(r"([\d,]+) in \d+ money cards?\b|\+ ([\d,]+) for \d+ items?\b", person.text)
    numbers = [int((money or items).replace(",", "")) for money, items in parts]
    totals = [total for _place, _name, total in person.places]
    assert [sum(numbers[at : at + 2]) for at in range(0, len(numbers), 2)] == totals
