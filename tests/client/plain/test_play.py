"""The plain client against a real server in this process: a game to its end, and what may go wrong on the way."""

import re

from trio.testing import MockClock

from robby_client import codes
from robby_client.quick import QuickTable
from robby_games.robby_solo import ITEM_NAMES, Confirmed, Declared, Laid
from robby_protocol import errors
from tests.client.plain.stage import Person, stage

CHOICE = re.compile(r"  (\d+): (.+)")
BLITZ = QuickTable("robby-solo", options={"time": "blitz"}, bots=["greedy", "greedy"])
STANDARD = QuickTable("robby-solo", options={"time": "standard"}, bots=["greedy", "greedy"])


async def play_to_the_end(person: Person) -> None:
    """Answer every question with its first choice, until the end is told."""
    asked = ""
    while True:
        line = await person.wait_for(lambda line: bool(CHOICE.match(line)) or "the game is over" in line)
        found = CHOICE.match(line)
        if found is None:
            return
        decision = person.game.decision
        if decision is not None and asked != (asked := repr(decision)):
            person.type(found.group(1))


async def next_lay(person: Person) -> str:
    """Wait until a bank is asked for (dealing as Gentleman on the way). Returns the first choice's number."""
    while True:
        line = await person.wait_for(lambda line: "which bank do you rob?" in line or "shall the loot be dealt" in line)
        number = (await person.wait_for("  ")).split(":")[0].strip()
        if "which bank" in line:
            return number
        person.type(number)


async def test_a_whole_game_with_bots_and_a_rematch(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        await ana.wait_for("Connected to Robby as Ana")
        await ana.wait_for("There is no table yet")
        ana.type("create title=Friday seats=3 time=blitz bots=greedy,random")
        await ana.pick("start the game")
        await ana.wait_for("The game begins")
        await play_to_the_end(ana)
        for _participant in range(3):
            await ana.wait_for("  total: ")
            await ana.wait_for("  cards: ")
        await ana.wait_for("The game has ended.")
        await ana.wait_for("The table stays for a rematch")
        ana.type("rematch")
        await ana.wait_for("Round 1")
        ana.type("quit")
        assert (await scene.ended(ana)).code == codes.STOPPED


async def test_every_question_of_a_whole_game_has_numbers_that_the_one_before_had_not(
    autojump_clock: MockClock,
) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=BLITZ)
        await play_to_the_end(ana)
        ana.close()
        await scene.ended(ana)
    before: set[int] = set()
    now: set[int] = set()
    for line in ana.heard:
        found = CHOICE.match(line)
        if found is not None:
            now.add(int(found.group(1)))
        elif now:
            assert not before & now
            before, now = now, set()
    assert before


async def test_an_answer_to_an_earlier_question_is_not_applied_to_the_next(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=BLITZ)
        old = await next_lay(ana)
        # The clock lays a card; later the next round asks the same question anew.
        await ana.wait_for("Time ran out: a card was laid for you")
        await ana.wait_for("Round 2")
        await next_lay(ana)
        laid = sum(isinstance(event, Laid) and event.seat == 0 for event in ana.game.events)
        ana.type(old)
        await ana.wait_for("belonged to an earlier question")
        assert sum(isinstance(event, Laid) and event.seat == 0 for event in ana.game.events) == laid
        assert ana.game.own.card is None
        ana.close()
        await scene.ended(ana)


async def test_a_number_that_was_never_offered_is_told_with_those_that_are(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=STANDARD)
        first = int(await next_lay(ana))
        ana.type("98")
        assert str(first) in await ana.wait_for("Choose from ")
        ana.close()
        await scene.ended(ana)


async def test_the_time_left_is_said_at_a_few_moments_and_no_more_once_answered(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=STANDARD)
        await next_lay(ana)
        await ana.wait_for("Time ran out")
        left = [line for line in ana.heard if "seconds left" in line]
        ana.close()
        await scene.ended(ana)
    assert left[-3:] == ["30 seconds left.", "10 seconds left.", "5 seconds left."]


async def test_commands_in_a_game(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=STANDARD)
        await next_lay(ana)
        ana.type("view")
        await ana.wait_for("Round 1, secret plays")
        await ana.wait_for(lambda line: line.startswith("Ana (you): 0 cards"))
        await ana.wait_for("0 cards, plays last")
        await ana.wait_for("which bank do you rob?")
        ana.type("hand")
        await ana.wait_for("You have not laid a heist card")
        await ana.wait_for("You have no loot yet")
        ana.type("time")
        await ana.wait_for("seconds left")
        ana.type("log 3")
        await ana.wait_for("New loot")
        ana.type("rules")
        await ana.wait_for("Rob banks")
        ana.type("help")
        await ana.wait_for("  hand: ")
        ana.type("dance")
        await ana.wait_for("There is no command dance")
        ana.type("create")
        await ana.wait_for("create cannot be done here")
        ana.type('bad "quote')
        await ana.wait_for("There is no command bad")
        ana.close()
        await scene.ended(ana)


async def test_a_lost_connection_is_said_and_the_question_asked_again_with_new_numbers(
    autojump_clock: MockClock,
) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=STANDARD)
        old = await next_lay(ana)
        await ana.lose_connection()
        await ana.wait_for("Trying again")
        ana.type("time")
        await ana.wait_for("Connected again")
        new = await next_lay(ana)
        assert new != old
        ana.type(old)
        await ana.wait_for("belonged to an earlier question")
        ana.type(new)
        await ana.wait_for("Your card is ")
        assert sum("The game begins" in line for line in ana.heard) == 1
        ana.close()
        await scene.ended(ana)


async def test_coming_back_to_a_running_game_shows_how_it_stands_and_keeps_the_story_in_the_log(
    autojump_clock: MockClock,
) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=STANDARD)
        await next_lay(ana)
        assert ana.client.world.welcome is not None
        token = ana.client.world.welcome.resume
        ana.type("quit")
        await scene.ended(ana)
        again = scene.enter("Ana", resume=token)
        await again.wait_for("You are in the middle of a game")
        await again.wait_for("Round 1, secret plays")
        assert not any("The game begins" in line for line in again.heard)
        again.type("log 50")
        await again.wait_for("The game begins")
        again.type(await next_lay_after_view(again))
        await again.wait_for("Your card is ")
        again.close()
        await scene.ended(again)


async def next_lay_after_view(person: Person) -> str:
    person.type("view")
    return await next_lay(person)


async def test_leaving_a_running_game_returns_to_the_lobby(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=STANDARD)
        await next_lay(ana)
        ana.type("leave")
        await ana.wait_for("A bot plays on for you")
        ana.type("list")
        await ana.wait_for(lambda line: "Tables." in line or "no table" in line)
        ana.type("time")
        await ana.wait_for("time cannot be done here")
        ana.close()
        assert (await scene.ended(ana)).code == codes.STOPPED


async def test_leaving_the_table_and_then_the_program_says_nothing_of_a_connection(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", script="create seats=3\nleave\nquit")
        await scene.ended(ana)
        assert "You left the table." in ana.heard
        assert codes.text_for(codes.NOT_CONNECTED) not in ana.heard


async def test_a_number_of_many_digits_is_not_taken_for_its_first_ones(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        await ana.wait_for("create a table")
        ana.type("1" + "0" * 4)
        await ana.wait_for("Choose from")
        ana.type("0" * 500 + "7")
        await ana.wait_for("Choose from")
        ana.close()
        await scene.ended(ana)


ONE_ROUND = [*ITEM_NAMES, "left", "yellow", "rob yellow", "not yellow", "confirm"]
"""Words for whatever a round may ask; those that are not asked are passed over."""


async def test_a_script_of_words_plays_a_whole_game_without_knowing_what_is_asked_when(
    autojump_clock: MockClock,
) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=BLITZ, script="\n".join([*ONE_ROUND * 40, "view"]))
        await ana.wait_for("the game is over")
        ana.close()
        await scene.ended(ana)
        assert sum("Nothing is asked now" in line for line in ana.heard) <= 1
        events = ana.game.events
        laid = [event for event in events if isinstance(event, Laid) and event.seat == 0]
        assert len(laid) > 3
        assert not any(event.auto for event in laid)
        assert not any(isinstance(event, Confirmed | Declared) and event.seat == 0 and event.auto for event in events)


async def test_a_scripts_first_number_waits_for_the_first_question(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=STANDARD, script="1")
        await ana.wait_for(lambda line: "Your card is " in line or "New loot" in line)
        assert not any("Nothing is asked" in line for line in ana.heard)
        ana.close()
        await ana.wait_for("The input has ended in the middle of the game")
        await scene.ended(ana)


async def test_a_scripts_answer_waits_for_the_host_to_start(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        ana.type("create title=Friday seats=3 time=standard bots=greedy")
        await ana.wait_for("Your table is made")
        ben = scene.enter("Ben", script="join Friday\nready\nleft\nred")
        await ben.wait_for("You have a seat")
        await ana.wait_for("Ben is ready")
        ana.type("start")
        await ben.wait_for("Your card is red.")
        ana.type("quit")
        ben.close()
        await scene.ended(ana)
        await scene.ended(ben)


async def test_a_persons_words_answer_what_is_asked_and_never_wait(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        await ana.wait_for("create a table")
        ana.type("yellow")
        await ana.wait_for("There is no command yellow")
        ana.type("create seats=3 time=standard bots=greedy,greedy")
        await ana.wait_for("Your table is made")
        ana.type("yellow")
        await ana.wait_for("Nothing is asked now")
        ana.type("start")
        await next_lay(ana)
        ana.type("confirm")
        await ana.wait_for("That is not asked now")
        ana.type("Y")
        await ana.wait_for("Your card is yellow.")
        ana.close()
        await scene.ended(ana)


async def test_the_end_of_the_input_before_the_login_ends_the_client(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        ana.close()
        assert (await scene.ended(ana)).code == codes.STOPPED


async def test_a_refused_login_is_said_and_ends(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana\u200b")
        ended = await scene.ended(ana)
        assert ended.code == "name_invalid"
        assert ana.heard[-1:] == [ended.text]


async def test_the_servers_reason_is_said_and_not_that_there_is_one(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        for name in ("x" * 28, "a  b", "a\tb", "Аna", "😀"):
            ended = await scene.ended(scene.enter(name))
            assert ended.code == errors.NAME_INVALID
            assert not errors.is_general(ended.code, ended.text)
        ana = scene.enter("Ana")
        await ana.wait_for("There is no table yet")
        for line, wanted in (
            ("create seats=9", "2 to 6 seats"),
            ("create seats=1", "2 to 6 seats"),
            ("create seats=2", "three players"),
            ("create seats=6 junior=yes", "a free place"),
            ("create bots=x", "greedy, random"),
        ):
            ana.type(line)
            await ana.wait_for(wanted)
        ana.close()
        await scene.ended(ana)
