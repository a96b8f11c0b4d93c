"""The numbers of choices: a late answer is never taken for another."""

from collections.abc import AsyncIterator

import pytest
from anyio.abc import ByteStream

from robby_client.client import Client, LoginPlan
from robby_plain.numbers import LAST, Answer, Choice, Numbers
from robby_plain.output import Printer
from robby_plain.session import Cancelled, Session


def choices(*labels: str) -> list[Choice[str]]:
    return [Choice(label, label) for label in labels]


def test_numbers_go_on_counting() -> None:
    numbers: Numbers[str] = Numbers()
    assert list(numbers.ask("first", choices("a", "b"))) == [1, 2]
    assert list(numbers.ask("second", choices("a", "b", "c"))) == [3, 4, 5]


def test_a_number_of_an_earlier_question_is_stale() -> None:
    numbers: Numbers[str] = Numbers()
    numbers.ask("first", choices("a", "b"))
    numbers.ask("second", choices("c"))
    assert numbers.look_up(2) is Answer.STALE
    assert numbers.look_up(3) == Choice("c", "c")
    assert numbers.look_up(57) is Answer.UNKNOWN


def test_a_closed_question_takes_no_answer() -> None:
    numbers: Numbers[str] = Numbers()
    numbers.ask("first", choices("a"))
    numbers.close()
    assert numbers.look_up(1) is Answer.STALE
    assert numbers.key is None


def test_numbers_stay_below_the_last_and_two_questions_never_share_one() -> None:
    numbers: Numbers[str] = Numbers()
    before: set[int] = set()
    for question in range(5_000):
        opened = numbers.ask(question, choices(*"abcdefg"[: question % 7 + 1]))
        assert max(opened) <= LAST
        assert len(opened) == question % 7 + 1
        assert list(opened) == sorted(opened)
        assert not before & set(opened)
        before = set(opened)


def test_numbers_are_not_used_again_for_a_long_time() -> None:
    numbers: Numbers[str] = Numbers()
    seen: set[int] = set()
    for question in range(1_000):
        opened = numbers.ask(question, choices(*"abcdefg"))
        assert not seen & set(opened)
        seen |= set(opened)
    assert numbers.look_up(1) is Answer.STALE


def test_a_choice_added_later_gets_a_free_number() -> None:
    numbers: Numbers[str] = Numbers()
    numbers.ask("lobby", choices(*(["table"] * 60)))
    added = [numbers.add(Choice("new", "new")) for _ in range(30)]
    assert len({*added, *range(1, 61)}) == 90


async def test_a_cancelled_dialog_leaves_no_numbers_behind() -> None:
    """What its numbers stand for only the dialog could take; typed later they ended the program."""

    async def lines() -> AsyncIterator[str]:
        yield "7"
        yield "cancel"

    async def dial() -> ByteStream:
        raise AssertionError("nobody connects")

    typed = lines()
    session = Session(Client(dial, LoginPlan(name="Ana")), typed, Printer(lambda _line: None))
    with pytest.raises(Cancelled):
        await session.choose("How many?", [(2, "two"), (3, "three")])
    assert session.numbers.look_up(1) is Answer.STALE
    await typed.aclose()  # type: ignore[attr-defined]
