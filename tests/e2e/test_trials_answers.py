"""Answers that come twice, at once, late, or on the very deadline: small sizes of the trials in `trials.answers`."""

from tests.e2e.trials import answers
from tests.e2e.trials.served import Served


async def test_the_same_card_twice_in_one_segment_lies_once(served: Served) -> None:
    await answers.same_card_twice(served, 3)


async def test_ten_joins_in_one_segment_give_one_seat(served: Served) -> None:
    await answers.joins_in_one_segment(served, 2)


async def test_a_race_for_the_last_seat_has_one_winner(served: Served) -> None:
    await answers.race_for_the_last_seat(served, 10)


async def test_the_last_answer_again_after_a_resume_is_done_once(served: Served) -> None:
    await answers.last_answer_again_after_a_resume(served, 2)


async def test_all_who_lay_at_one_moment_are_accepted(served: Served) -> None:
    await answers.barrier(served, 5)


async def test_a_choice_held_back_into_a_later_phase_is_refused(served: Served) -> None:
    await answers.held_into_the_next_round(served, 2)


async def test_a_choice_at_the_deadline_is_acknowledged_if_and_only_if_it_counts() -> None:
    await answers.choices_at_the_deadline(3, 2, spread=0.05, both=False)
