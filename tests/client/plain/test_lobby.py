"""Lobby and waiting table in the plain client, with a real server in this process."""

from trio.testing import MockClock

from robby_client import codes
from tests.client.plain.stage import Person, stage


async def friday(person: Person, options: str = "") -> str:
    """Make a table called Friday. Returns its id."""
    person.type(f"create title=Friday {options}")
    said = await person.wait_for("Its id is ")
    return said.split("Its id is ")[1].rstrip(".")


async def test_two_people_meet_get_ready_and_start(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        await friday(ana, "seats=3 junior=yes bots=greedy")
        ben = scene.enter("Ben")
        await ben.pick("Friday")
        await ben.wait_for("You have a seat")
        await ana.wait_for("Ben sat down")
        ana.type("start")
        await ana.wait_for("not ready")
        await ben.pick("I am ready")
        await ana.wait_for("Ben is ready")
        ben.type("unready")
        await ana.wait_for("Ben is not ready")
        ben.type("ready")
        await ana.wait_for("Ben is ready")
        ana.type("start")
        for person in (ana, ben):
            said = await person.wait_for("The game begins")
            assert "Robby Junior" in said
            person.close()
            assert (await scene.ended(person)).code == codes.STOPPED


async def test_the_list_tells_of_tables_that_come_and_go(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ben = scene.enter("Ben")
        await ben.wait_for("There is no table yet")
        ana = scene.enter("Ana")
        await friday(ana)
        number = (await ben.wait_for("New table: ")).split(": ")[1]
        ana.type("leave")
        await ana.wait_for("You left the table")
        await ben.wait_for("Table closed: Friday")
        # The number is still that table's, and that table is gone: it is refused, and nothing else is joined.
        ben.type(number)
        await ben.wait_for("There is no such table")
        ana.close()
        ben.close()
        await scene.ended(ana)
        await scene.ended(ben)


async def test_join_by_title_and_by_id_and_a_full_table(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        table = await friday(ana, "seats=3 bots=greedy")
        ben = scene.enter("Ben")
        await ben.wait_for("create a table")
        ben.type("join friday")
        await ben.wait_for("You have a seat")
        cleo = scene.enter("Cleo")
        await cleo.wait_for("create a table")
        cleo.type(f"join {table}")
        await cleo.wait_for("The table is full")
        cleo.type("join nowhere")
        await cleo.wait_for("There is no such table")
        cleo.type("join")
        await cleo.wait_for("join cannot be done here")
        for person in (ana, ben, cleo):
            person.close()
            await scene.ended(person)


async def test_the_hosts_rights(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        table = await friday(ana, "seats=5")
        ben = scene.enter("Ben")
        await ben.wait_for("create a table")
        ben.type(f"join {table}")
        await ana.wait_for("Ben sat down")
        ben.type("bot greedy")
        await ben.wait_for("Only the host")
        ana.type("view")
        await ana.pick("seat the bot random")
        await ben.wait_for("The bot ")
        ana.type("bot nobody")
        await ana.wait_for("no such bot")
        ana.type("options time=relaxed open_loot=yes seats=4")
        await ben.wait_for("changed the table's options")
        ben.type("options")
        assert "all loot is open" in await ben.wait_for("time: relaxed")
        ana.type("options time=slow")
        await ana.wait_for("is one of: blitz")
        ana.type("kick Nobody")
        await ana.wait_for("Nobody called Nobody")
        ana.type("host Ben")
        await ben.wait_for("is the host now")
        await ben.number_of("start the game")
        ben.type("kick Ana")
        await ana.wait_for("removed you from the table")
        await ana.wait_for("Tables.")
        await ana.wait_for("Friday")
        for person in (ana, ben):
            person.close()
            await scene.ended(person)


async def test_creating_a_table_by_questions(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        await ana.pick("create a table")
        await ana.wait_for("Which game?")
        await ana.pick("Robby Solo")
        await ana.wait_for("A title for the table")
        ana.type("Sunday")
        await ana.wait_for("How many seats?")
        await ana.pick(": 4")
        await ana.wait_for("Who may come?")
        await ana.pick("as usual")
        await ana.wait_for("Who may watch?")
        await ana.pick("as usual")
        await ana.wait_for("Time?")
        await ana.pick("relaxed")
        await ana.wait_for("Robby Junior plays too?")
        await ana.pick("yes")
        await ana.wait_for("open loot: all stacks are seen?")
        await ana.pick("no, as usual")
        await ana.wait_for("Change limits and numbers, too?")
        await ana.pick("yes, one by one")
        for said in ("supply", "secret play", "Gentleman's play", "revision, shortest"):
            await ana.wait_for(said)
            ana.type("")
        await ana.wait_for("revision, longest")
        ana.type("soon")
        await ana.wait_for("is a whole number")
        ana.type("5")
        await ana.wait_for("is a number from")
        await ana.wait_for("revision, longest")
        ana.type("20000")
        for said in ("item for the police", "rounds at most", "money cards of each value", "items in the deck"):
            await ana.wait_for(said)
            ana.type("")
        await ana.wait_for("Seat a bot?")
        await ana.pick("greedy")
        await ana.wait_for("Seat another bot?")
        await ana.pick("no")
        await ana.wait_for("Its id is ")
        assert "Table Sunday" in await ana.wait_for("2 of 4 seats")
        said = await ana.wait_for("time: relaxed")
        assert "Robby Junior plays" in said
        assert "revision, longest: 20 s" in said
        ana.close()
        await scene.ended(ana)


async def test_cancelling_the_questions_makes_no_table(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        await ana.wait_for("create a table")
        ana.type("create")
        await ana.wait_for("Which game?")
        await ana.pick("Tresor Diebe")
        await ana.wait_for("A title for the table")
        ana.type("")
        await ana.wait_for("How many seats?")
        ana.type("nonsense")
        await ana.wait_for("Choose from")
        ana.type("cancel")
        await ana.wait_for("no table was made")
        await ana.wait_for("There is no table yet")
        ana.type("create")
        await ana.wait_for("Which game?")
        ana.close()
        assert (await scene.ended(ana)).code == codes.STOPPED


async def test_options_that_the_server_refuses_are_said(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        await ana.wait_for("create a table")
        ana.type("create seats=6 junior=yes bots=greedy,greedy,greedy,greedy,greedy")
        refused = await ana.wait_for(lambda line: "options do not fit" in line or "Junior" in line)
        assert "  " not in refused
        ana.type("create junior=perhaps")
        await ana.wait_for("is yes or no")
        ana.type("create speed=high")
        await ana.wait_for("There is no option speed")
        ana.type("create blitz")
        await ana.wait_for("name=value")
        ana.close()
        await scene.ended(ana)
