"""The whole of the fair deal: real clients that keep receipts, a real server, and the record that they are given."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import trio
from anyio.abc import ByteStream

from robby_bots.registry import BOTS
from robby_bots.runner import run_bot
from robby_cli.receipt_check import compare
from robby_client.client import Client, LoginPlan
from robby_client.keeper import Keeper
from robby_client.receipt import Receipt, from_bytes
from robby_client.streams import over_trio
from robby_protocol.messages import TableCreate
from robby_rules.record import FINISHED
from robby_rules.record_check import examine
from robby_server.app import Server
from robby_server.records import MemoryRecords
from robby_server.settings import Settings
from robby_server.store import MemoryStore

NAMES = ("Ana", "Ben", "Cleo")


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds, by the test's clock."""
    with trio.fail_after(600):
        while not holds():  # noqa: ASYNC110 - nothing here could set an event
            await trio.sleep(0.1)


def receipts(folder: Path) -> list[Receipt]:
    """All that a client has kept."""
    return [from_bytes(path.read_bytes()) for path in (folder / "receipts").glob("*.json")]


def has_secret(folder: Path) -> bool:
    """Whether the end has reached a client."""
    return any(receipt.secret for receipt in receipts(folder))


async def test_the_receipts_of_all_who_played_fit_the_record(autojump_clock: Any, tmp_path: Path) -> None:
    records = MemoryRecords()
    server = Server(Settings(message_burst=10**6), MemoryStore(), key=bytes(range(32)), records=records)
    clients: list[Client] = []

    async def dial() -> ByteStream:
        return over_trio(server.connect_memory())

    async with trio.open_nursery() as nursery:
        await nursery.start(server.serve)
        table: str | None = None
        for seat, name in enumerate(NAMES):
            client = Client(dial, LoginPlan(name=name), keeper=Keeper(tmp_path / name))
            clients.append(client)

            async def play(client: Client = client, seat: int = seat, table: str | None = table) -> None:
                bot = BOTS["robby-solo"]["greedy"]()
                await run_bot(client, bot, random.Random(seat), table=table, start=len(NAMES))

            nursery.start_soon(play)
            await until(lambda: client.world.welcome is not None)  # noqa: B023 - waited for at once
            if table is None:
                options = {"max_rounds": 4}
                made = await client.call(TableCreate, game="robby-solo", capacity=len(NAMES), options=options)
                table = made["table"]
            await until(lambda: client.world.seat is not None)  # noqa: B023 - as above
        await until(lambda: bool(records.kept))
        await until(lambda: all(has_secret(tmp_path / name) for name in NAMES))
        (match, data), *_more = records.kept.items()
        saved = await clients[1].save_record(match)
        assert saved.read_bytes() == data
        nursery.cancel_scope.cancel()

    examined = examine(data)
    assert examined.holds
    assert examined.record.ending == FINISHED
    assert examined.record.deal is not None
    assert all(examined.record.deal.nonces)
    for seat, name in enumerate(NAMES):
        (receipt,) = [one for one in receipts(tmp_path / name) if one.match == match]
        assert receipt.seat == seat
        assert [(check.name, check.state) for check in compare(examined, receipt) if check.state != "ok"] == []
