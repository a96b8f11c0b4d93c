"""Names, hosts, kicks, and tables that come and go: small sizes of the trials in `trials.social`."""

from tests.e2e.trials import social
from tests.e2e.trials.served import Served


async def test_names_that_look_like_others_or_do_harm_are_refused(served: Served) -> None:
    await social.names(served)


async def test_the_host_goes_and_the_one_longest_here_is_host() -> None:
    await social.host_goes(2)


async def test_a_kick_that_races_has_one_clean_end(served: Served) -> None:
    await social.kick_races(served, 10)


async def test_a_table_without_people_closes(served: Served) -> None:
    await social.last_person_leaves(served)


async def test_tasks_are_back_at_the_baseline_after_many_tables() -> None:
    await social.tasks_come_back(5)
