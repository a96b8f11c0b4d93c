"""The plain client against a real server: lobby, table, a game to its end, and everything that may go wrong."""

import re

import trio
import trio.testing

from robby_client import codes
from robby_client.quick import QuickTable
from tests.client.plain.stage import Person, stage

CHOICE = re.compile(r"  (\d+): (.+)")


def bank_loot(line: str) -> str:
    return line.split(": ", 2)[2]


async def play_to_the_end(person: Person) -> None:
    """Answer every question with its first choice, until the result is told."""
    while True:
        line = await person.wait_for(lambda line: bool(CHOICE.match(line)) or "the game is over" in line)
        found = CHOICE.match(line)
        if found is None:
            return
        await trio.testing.wait_all_tasks_blocked()
        if not person.unread or not CHOICE.match(person.unread[0]):
            pass
        person.type(found.group(1))
        while person.unread and CHOICE.match(person.unread[0]):
            person.unread.popleft()


async def test_a_whole_game_with_bots(autojump_clock: trio.testing.MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana")
        await ana.wait_for("Connected to Robby as Ana")
        await ana.wait_for("There is no table yet")
        ana.type("create title=Friday seats=3 time=blitz bots=greedy,random")
        await ana.pick("start the game")
        await ana.wait_for("The game begins")
        await play_to_the_end(ana)
        assert "total: " in await ana.wait_for("total: ")
        await ana.wait_for("The table stays for a rematch")
        ana.type("rematch")
        await ana.wait_for("Round 1")
        ana.type("quit")
        assert (await scene.ended(ana)).code == codes.STOPPED


async def test_quick_table_starts_at_once(autojump_clock: trio.testing.MockClock) -> None:
    async with stage() as scene:
        ana = scene.enter("Ana", quick=QuickTable(options={"time": "blitz"}, bots=["greedy", "greedy", "greedy"]))
        await ana.wait_for("The game begins")
        await ana.wait_for("Round 1")
        ana.close()
        assert (await scene.ended(ana)).code == codes.STOPPED
