"""Chat, watching, private tables, the host's rights, records and the fair deal in lines, with a real server."""

from pathlib import Path

import pytest
from trio.testing import MockClock

from robby_cli.verify import verify
from robby_client import exit_codes
from robby_client.keeper import Keeper
from robby_client.receipt import from_bytes
from tests.client.plain.stage import Person, Stage, stage
from tests.client.plain.test_lobby import friday

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"


async def at_table(scene: Stage, *names: str, options: str = "") -> tuple[str, list[Person]]:
    """People at one table; the first is its host."""
    host = scene.enter(names[0])
    table = await friday(host, options)
    people = [host]
    for name in names[1:]:
        person = scene.enter(name)
        await person.wait_for("create a table")
        person.type(f"join {table}")
        await person.wait_for("You have a seat")
        people.append(person)
    return table, people


async def leave(scene: Stage, *people: Person) -> None:
    for person in people:
        person.close()
        await scene.ended(person)


async def test_what_is_said_is_heard_literally_in_one_line(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        _table, (ana, ben) = await at_table(scene, "Ana", "Ben")
        ana.type(f"/say [b]hi[/b] \"it's {FAMILY} \u25c6 blue (B) $(x) ; bot greedy")
        line = await ben.wait_for("[b]")
        assert line == f"Ana: [b]hi[/b] \"it's {FAMILY} \u25c6 blue (B) $(x) ; bot greedy"
        await ana.wait_for(line)
        await leave(scene, ana, ben)


async def test_nothing_is_chat_but_what_says_so(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        _table, (ana, ben) = await at_table(scene, "Ana", "Ben")
        for typed in (
            "hello Ben",
            "say hello Ben",
            "/saying hello Ben",
            "17",
            "secret pasted words",
            "//say hello Ben",
        ):
            ana.type(typed)
        ana.type("/say")
        await ana.wait_for("/say hello")
        ana.type("/say that is all")
        await ben.wait_for("Ana: that is all")
        assert not [line for line in ben.heard if "hello" in line or "pasted" in line]
        await leave(scene, ana, ben)


async def test_the_lobby_talks_too_and_who_comes_later_hears_what_was_said(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        await ana.wait_for("create a table")
        ana.type("/say anybody here?")
        await ana.wait_for("Ana: anybody here?")
        ben = scene.enter("Ben")
        await ben.wait_for("Earlier: Ana: anybody here?")
        ben.type("chat")
        await ben.wait_for(lambda line: line == "Ana: anybody here?")
        await leave(scene, ana, ben)


async def test_muting_for_oneself_and_by_the_host(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        _table, (ana, ben, cleo) = await at_table(scene, "Ana", "Ben", "Cleo")
        cleo.type("/mute BEN")
        await cleo.wait_for("do not hear")
        ben.type("/say one")
        await ana.wait_for("Ben: one")
        cleo.type("/unmute Ben")
        await cleo.wait_for("again")
        ben.type("/say two")
        await cleo.wait_for("Ben: two")
        assert "Ben: one" not in cleo.heard
        ana.type("silence Ben")
        await ben.wait_for("muted by the host")
        ben.type("/say three")
        await ben.wait_for("has muted you")
        ana.type("unsilence Ben")
        await ben.wait_for("may speak again")
        ben.type("/say four")
        await cleo.wait_for("Ben: four")
        assert not [line for line in cleo.heard if "three" in line]
        await leave(scene, ana, ben, cleo)


async def test_saying_something_in_the_middle_of_questions(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        ben = scene.enter("Ben")
        await ben.wait_for("create a table")
        ana = scene.enter("Ana")
        await ana.pick("create a table")
        await ana.wait_for("Which game?")
        ana.type("/say a moment")
        await ben.wait_for("Ana: a moment")
        await ana.pick("Robby Solo")
        await ana.wait_for("A title for the table")
        ana.type("Sunday")
        await ana.wait_for("How many seats?")
        ana.type("cancel")
        await ana.wait_for("no table was made")
        await leave(scene, ana, ben)


async def test_watching_a_game_to_its_end_and_sitting_down(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        table, (ana,) = await at_table(scene, "Ana", options="seats=4 time=blitz max_rounds=1 bots=greedy,random")
        ana.type("start")
        await ana.wait_for("The game begins")
        ben = scene.enter("Ben")
        await ben.pick("watch Friday")
        await ben.wait_for("You watch the table")
        await ben.wait_for("A game is played here")
        ben.type("hand")
        await ben.wait_for("You only watch")
        ben.type("ready")
        await ben.wait_for("no seat at a table")
        ben.type("/say nice")
        await ana.wait_for("Ben (watching): nice")
        ana.type("/say thanks")
        await ben.wait_for("Ana: thanks")
        await ben.wait_for("The game has ended")
        assert not [line for line in ben.heard if "your card" in line]
        await ana.wait_for("The table stays for a rematch")
        ana.type("kick nobody")
        ben.type("leave")
        await ben.wait_for("You watch no longer")
        ben.type(f"watch {table}")
        await ben.wait_for("no game is played now")
        ben.type("sit")
        await ben.wait_for("You have a seat")
        await ana.wait_for("Ben sat down")
        await leave(scene, ana, ben)


async def test_a_watcher_comes_back_after_a_loss(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        table, (ana,) = await at_table(scene, "Ana", options="seats=3")
        ben = scene.enter("Ben")
        await ben.wait_for("create a table")
        ben.type(f"watch {table}")
        await ben.wait_for("no game is played now")
        await ben.lose_connection()
        await ben.wait_for("Connected again")
        ana.type("/say still there?")
        await ben.wait_for("Ana: still there?")
        ana.type("leave")
        await ben.wait_for("closed")
        await ben.wait_for("There is no table yet")
        await leave(scene, ana, ben)


async def test_nobody_watches_where_the_host_forbids_it(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        table, (ana,) = await at_table(scene, "Ana", options="spectators=no")
        ana.type("view")
        await ana.wait_for("Nobody may watch")
        ben = scene.enter("Ben")
        await ben.wait_for("create a table")
        ben.type(f"watch {table}")
        await ben.wait_for("lets nobody watch")
        ana.type("options spectators=yes delay=5")
        await ana.wait_for("changed the table's options")
        ana.type("view")
        await ana.wait_for("5 seconds later")
        ben.type(f"watch {table}")
        await ben.wait_for("You watch the table")
        await leave(scene, ana, ben)


async def test_the_own_words_of_a_watcher_are_taken_at_once_and_heard_with_the_delay(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        table, (ana,) = await at_table(scene, "Ana", options="spectators=yes delay=5")
        ben = scene.enter("Ben")
        await ben.wait_for("create a table")
        ben.type(f"watch {table}")
        await ben.wait_for("5 seconds later")
        ben.type("/say hello")
        await ana.wait_for("Ben (watching): hello")
        await ben.wait_for("5 s later")
        assert not [line for line in ben.heard if line.startswith("Ben")]
        await ben.wait_for("Ben (watching): hello")
        await leave(scene, ana, ben)


async def test_a_private_table_by_its_invite_code(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        table, (ana,) = await at_table(scene, "Ana", options="private=yes")
        code = (await ana.wait_for("invite code is")).split("is ")[-1].rstrip(".")
        ben = scene.enter("Ben")
        await ben.wait_for(lambda line: "Friday" in line and "private" in line)
        ben.type(f"join {table}")
        await ben.wait_for("private")
        await ben.pick("by an invite code")
        await ben.wait_for("Type the invite code")
        ben.type("WRONG")
        await ben.wait_for("is wrong")
        await ben.pick("not at all")
        await ben.wait_for("Cancelled")
        ben.type(f"join friday invite={code}")
        await ben.wait_for("You have a seat")
        # Coming back needs nothing more.
        ben.type("leave")
        await ben.wait_for("You left the table")
        ben.type(f"join {table}")
        await ben.wait_for("You have a seat")
        ana.type("close")
        await ben.wait_for("closed")
        await leave(scene, ana, ben)


async def test_a_script_is_never_asked_for_an_invite(autojump_clock: MockClock) -> None:
    async with stage() as scene:
        _table, (ana,) = await at_table(scene, "Ana", options="private=yes")
        ben = scene.enter("Ben", script="join friday\n/say I could not come in")
        await ben.wait_for("private")
        await ben.wait_for("Ben: I could not come in")
        await leave(scene, ana, ben)


async def test_the_deal_is_told_in_a_line_and_kept(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with stage(fair=True) as scene:
        ana = scene.enter("Ana", keeper=Keeper(tmp_path / "ana"))
        table = await friday(ana, "seats=3 time=blitz max_rounds=1 bots=greedy")
        ben = scene.enter("Ben", keeper=Keeper(tmp_path / "ben"))
        await ben.wait_for("create a table")
        ben.type(f"join {table}")
        await ben.wait_for("You have a seat")
        ben.type("ready")
        await ana.wait_for("Ben is ready")
        ana.type("start")
        for person in (ana, ben):
            await person.wait_for("The deal is fair: 2 of 2 opened")
        for person in (ana, ben):
            await person.wait_for("The deal is checked")
            assert not [line for line in person.heard if "WARNING" in line]
        ben.type("record")
        path = Path((await ben.wait_for("The record is saved as ")).split("saved as ")[1].removesuffix("."))
        assert path.parent == tmp_path / "ben" / "records"
        [file] = (tmp_path / "ben" / "receipts").iterdir()
        receipt = from_bytes(file.read_bytes())
        assert receipt.finished
        assert receipt.secret
        assert (receipt.seat, len(receipt.nonce)) == (2, 64)
        [other] = (tmp_path / "ana" / "receipts").iterdir()
        mine, hers = receipt, from_bytes(other.read_bytes())
        assert mine.nonces == hers.nonces
        assert mine.events_digest == hers.events_digest
        assert mine.nonce != hers.nonce
        # The record fits what both have seen, and no other nonce than their own.
        for kept in (file, other):
            assert verify(path, kept, as_json=False) == exit_codes.WELL
        file.write_bytes(file.read_bytes().replace(mine.nonce.encode(), b"0" * 64))
        assert verify(path, file, as_json=False) == exit_codes.NOT_VERIFIED
        await leave(scene, ana, ben)


def _end_or_check(line: str) -> bool:
    return line.startswith(("The table stays for a rematch", "The deal is checked"))


async def test_a_rematch_is_dealt_anew(autojump_clock: MockClock) -> None:
    async with stage(fair=True) as scene:
        _table, (ana,) = await at_table(scene, "Ana", options="seats=3 time=blitz max_rounds=1 bots=greedy,random")
        matches = set()
        for _game in range(2):
            ana.type("start")
            await ana.wait_for("The deal is fair: 1 of 1 opened")
            # In either order: the secret follows the results at once, and lines are said of the newest picture.
            said = [await ana.wait_for(_end_or_check), await ana.wait_for(_end_or_check)]
            assert len({line.split()[1] for line in said}) == 2
            deal = ana.client.world.deal
            assert deal is not None
            matches.add((deal.match, deal.server, deal.nonce))
        assert len(matches) == 2
        await leave(scene, ana)


@pytest.mark.parametrize("command", ["record", "close", "silence Nobody", "sit"])
async def test_what_cannot_be_done_is_said(command: str, autojump_clock: MockClock) -> None:
    async with stage() as scene:
        _table, (ana, ben) = await at_table(scene, "Ana", "Ben")
        await ben.number_of("leave the table")
        ben.type(command)
        ben.type("/say done")
        said = await ben.wait_for(lambda line: True)
        assert said.endswith(".")
        assert await ben.wait_for(lambda line: True) == "Ben: done"
        await leave(scene, ana, ben)
