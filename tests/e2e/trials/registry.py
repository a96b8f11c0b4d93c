"""All trials with their full sizes, for `scripts/soak`. The small sizes are in the test modules."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import trio
from trio.testing import MockClock

from robby_client.login import Timings
from robby_server.settings import Settings
from tests.e2e.trials import (
    absence,
    abuse,
    answers,
    breaks,
    comebacks,
    dice_and_races,
    endurance,
    flood,
    kills,
    programs,
    secrecy,
    secure,
    social,
)
from tests.e2e.trials.measured import Measured
from tests.e2e.trials.served import Served

USUAL = Timings()
MANY = Settings(connections_per_address=500)


@dataclass(frozen=True)
class Trial:
    """One trial in full size.

    row: of the table of failure kinds. expected: in words. fake_clock: it runs on a clock that jumps.
    limit: seconds after which it counts as failed. name: a short one, where it is run by itself.
    """

    row: str
    title: str
    function: Callable[..., Measured | Awaitable[Measured]]
    expected: str
    sizes: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    fake_clock: bool = False
    limit: float = 600.0
    name: str = ""

    def run(self) -> Measured:
        """Run it in full. Raises whatever the product made it raise."""
        if not inspect.iscoroutinefunction(self.function):
            found = self.function(**self.sizes)
            assert isinstance(found, Measured)
            return found
        if self.fake_clock:
            return trio.run(self._run, clock=MockClock(autojump_threshold=0))
        return trio.run(self._limited)

    async def _limited(self) -> Measured:
        with trio.fail_after(self.limit):
            return await self._run()

    async def _run(self) -> Measured:
        if "served" not in inspect.signature(self.function).parameters:
            return await self._call()
        with Served("--quiet") as served:
            return await self._call(served)

    async def _call(self, *served: Served) -> Measured:
        found = self.function(*served, **self.sizes)
        assert not isinstance(found, Measured)
        return await found


TRIALS: tuple[Trial, ...] = (
    Trial(
        "PR-03", "the same card twice", answers.same_card_twice, "one card, the repeat answered alike", {"rounds": 10}
    ),
    Trial("PR-03", "ten joins in one segment", answers.joins_in_one_segment, "one seat", {"rounds": 50}),
    Trial("PR-03", "a race for the last seat", answers.race_for_the_last_seat, "one winner each time", {"rounds": 500}),
    Trial(
        "PR-03",
        "the last answer again after a resume",
        answers.last_answer_again_after_a_resume,
        "the same answer, done once",
        {"rounds": 15},
    ),
    Trial(
        "PR-03",
        "five throws and a pass in one segment",
        dice_and_races.throws_in_one_segment,
        "one throw, its answer each time, no pass",
        {"rounds": 300},
    ),
    Trial("PR-04", "all lay at one moment", answers.barrier, "all accepted", {"rounds": 500}),
    Trial("PR-04", "held into a later phase", answers.held_into_the_next_round, "refused and told", {"rounds": 40}),
    Trial(
        "PR-05",
        "choices at the deadline ± 15 ms",
        answers.choices_at_the_deadline,
        "acknowledged if and only if it counts; the automatic move once",
        {"tables": 12, "rounds": 20, "matches": 4},
    ),
    Trial(
        "PR-07",
        "drops in each phase",
        absence.drops_in_each_phase,
        "each phase ends in time by the automatic action",
        {"moments": absence.MOMENTS * 5},
    ),
    Trial(
        "PR-06",
        "four claim within 2 ms, one of them 150 ms away",
        dice_and_races.claims_at_once,
        "one winner, the same for all; everybody answered",
        {"rounds": 150},
    ),
    Trial(
        "PR-07",
        "who is on turn at the dice drops",
        dice_and_races.the_thief_drops,
        "a pass, or the dice as they lie, in time",
        {"drops": 40, "slack": 0.5},
    ),
    Trial(
        "PR-08",
        "the time left behind 300 ms",
        programs.clock_through_delay,
        "within 0.3 s and the delay",
        {"rounds": 10},
    ),
    Trial(
        "PR-09",
        "ten drops and resumes in one phase",
        absence.drop_and_resume_in_one_phase,
        "no deadline moves",
        {"times": 10, "play_ms": 5000},
    ),
    Trial(
        "PR-10",
        "51 vanish without FIN, 5 frozen",
        absence.vanished,
        "away within 30 s; tasks and sockets as before; told when thawed",
        {"tables": 17, "frozen": 5, "settings": MANY},
    ),
    Trial("PR-13", "look-alike and harmful names", social.names, "all refused with a reason"),
    Trial("PR-14", "the host goes", social.host_goes, "the one longest here, told to all", {"rounds": 20}),
    Trial("PR-14", "kicks that race", social.kick_races, "one clean end each", {"rounds": 200}),
    Trial("PR-14", "the last person leaves", social.last_person_leaves, "the table closes"),
    Trial(
        "PR-14",
        "tables come and go: memory",
        social.tables_come_and_go,
        "memory +< 5 MB, descriptors as before",
        {"count": 200, "growth": 5.0},
    ),
    Trial("PR-14", "tables come and go: tasks", social.tasks_come_back, "tasks and list as before", {"count": 200}),
    Trial("PR-17", "everything each seat receives", secrecy.whole_games, "nothing before its time", {"games": 60}),
    Trial(
        "PR-17",
        "games that differ in hidden cards",
        secrecy.other_hidden_cards,
        "equal bytes for all others",
        {"pairs": 100},
        fake_clock=True,
    ),
    Trial("PR-18", "1,000 tables at once", secrecy.deals_at_once, "no deal twice", {"matches": 1000}, fake_clock=True),
    Trial("PR-18", "restarts at one moment", secrecy.restarts_differ, "all deals differ", {"restarts": 1000}),
    Trial("PR-18", "sides of dice", secrecy.dice_fall_evenly, "chi-square passes", {"throws": 200_000}),
    Trial("PR-18", "places of cards", secrecy.cards_lie_evenly, "chi-square passes", {"deals": 100_000}),
    Trial(
        "PR-19",
        "strangers at the port",
        abuse.strangers,
        "closed at once; memory +< 20 MB; p99 beside < 100 ms",
        {"rounds": 20, "slow_connections": 200, "slow_seconds": 20.0, "silence": True},
    ),
    Trial(
        "PR-19",
        "a flood beside tables of bots",
        flood.flood,
        "all games end; p99 < 100 ms beyond alone; memory +< 64 MiB",
        {"tables": 20, "silent": 500, "trickling": 50, "deaf": 20, "garbage": 10},
        name="flood",
    ),
    Trial(
        "PR-20",
        "crafted messages",
        abuse.crafted,
        "one way of refusing; memory +< 20 MB; p99 beside < 100 ms",
        {"rounds": 20},
    ),
    Trial(
        "PR-23",
        "descriptors run out",
        abuse.descriptors_run_out,
        "games go on; quiet log; recovers",
        {"connections": 200, "seconds": 30.0},
    ),
    Trial("PR-23", "resets during send", abuse.resets_during_send, "only that connection ends", {"times": 1000}),
    Trial(
        "PR-23",
        "a fault in one table",
        programs.one_table_fails,
        "this table alone ends",
        {"after": 30},
        fake_clock=True,
    ),
    Trial("PR-25", "SIGTERM", programs.stop_by_sigterm, "exit 0 in 5 s, all told", {"games": 3, "twice": False}),
    Trial("PR-25", "SIGTERM twice", programs.stop_by_sigterm, "exit 0 at once", {"games": 3, "twice": True}),
    Trial(
        "PR-25",
        "SIGINT while starting",
        programs.interrupted_at_start,
        "no traceback of ours",
        {"delays": [number / 40 for number in range(1, 41)]},
    ),
    Trial(
        "PR-25",
        "SIGKILL at random instants under tables of bots",
        kills.kills,
        "every acknowledged input is kept, every game ends, records verify",
        {"count": 200, "tables": 20},
        limit=3600.0,
        name="kill",
    ),
    # With the wait for the next try shorter than the grace time, after which bots would lay; the long one is the last.
    Trial(
        "PR-26",
        "the network refuses for 20 s",
        comebacks.network_away,
        "all resume by themselves, nothing sent late",
        {"count": 30, "seconds": 20.0, "timings": USUAL, "blackhole": False},
    ),
    Trial(
        "PR-26",
        "the network is silent for 50 s",
        comebacks.network_away,
        "noticed in 30 s, all resume by themselves",
        {"count": 30, "seconds": 50.0, "timings": USUAL, "blackhole": True},
    ),
    Trial(
        "PR-26",
        "the server dies and returns",
        comebacks.server_away,
        "all in again by themselves",
        {"count": 30, "seconds": 300.0, "timings": USUAL},
    ),
    Trial(
        "PR-27",
        "a bot is killed in each phase",
        comebacks.bot_killed,
        "played for by the clock, no process left",
        {"phases": ("supply", "plays", "gentleman", "revision")},
    ),
    Trial("PR-27", "a bot starts again", comebacks.bot_restarted, "in its seat again", {"grace": 60.0}),
    Trial("PR-27", "a bot starts again too late", comebacks.bot_restarted, "in its seat again", {"grace": 0.0}),
    Trial("PR-27", "bad answers", comebacks.bad_answers, "refused with a reason, others not harmed", {"answers": 1000}),
    Trial(
        "PR-27",
        "the server's bots misbehave",
        programs.server_bots_misbehave,
        "the game ends, no task left",
        fake_clock=True,
    ),
    Trial("PR-34", "addresses", programs.addresses, "started, or one plain line and code 3"),
    Trial("PR-34", "restart and IPv6", programs.restarts, "again on the same port"),
    Trial(
        "PR-35",
        "TLS handshakes that stop, and another certificate",
        secure.stalled_handshakes,
        "gone within 12 s, answers beside them within 0.2 s; who is in stays in",
        {"connections": 100, "handshake_seconds": 10.0, "most_wait": 0.2},
    ),
    Trial(
        "PR-36",
        "ten minutes of everything",
        endurance.endurance,
        "memory and descriptors level; phase error < 50 ms",
        {"seconds": 600.0, "tables": 16, "storm_every": 60.0, "growth": 10.0, "most_error": endurance.MOST_ERROR},
        limit=800.0,
    ),
    *(
        Trial("PR-37", f"broken on purpose: {name}", breaks.turns_red, "the suite turns red", {"name": name})
        for name in breaks.BREAKS
    ),
    Trial("PR-37", "the sound product", breaks.stays_green, "the same tests are green", {"times": 5}),
)
