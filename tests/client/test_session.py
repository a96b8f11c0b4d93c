"""A client put together from the store, on the real server over TCP: keys, guests, profiles, a changed server."""

from pathlib import Path
from typing import Any

import pytest
import trio

from robby_client.address import Address
from robby_client.client import Client, Refused
from robby_client.codes import PASSWORD_NEEDED, SERVER_ID_CHANGED
from robby_client.events import Connected, Ended
from robby_client.login import Timings
from robby_client.quick import QuickTable, sit_down
from robby_client.session import open_client
from robby_client.store import Store
from robby_client.world import World
from robby_protocol import errors
from robby_protocol.messages import TableCreate
from robby_server.listeners import open_listeners
from robby_server.settings import Settings
from tests.client.fakes import FakeServer, next_event, table_state
from tests.server.kit import running

LIMIT = 20
"""Seconds that a real run may take; it takes one."""


async def log_in(client: Client, nursery: trio.Nursery) -> Connected:
    nursery.start_soon(client.run)
    return await next_event(client, Connected)


async def test_a_key_is_the_same_person_again_and_a_profile_another(tmp_path: Path) -> None:
    listeners = await open_listeners("127.0.0.1", 0)
    address = Address("127.0.0.1", listeners[0].getsockname()[1])
    with trio.fail_after(LIMIT):
        async with running(listeners=listeners), trio.open_nursery() as nursery:
            one = open_client(Store(tmp_path), address, "Ana")
            first = await log_in(one, nursery)
            one.stop()
            await next_event(one, Ended)
            again = open_client(Store(tmp_path), address, "Ana")
            second = await log_in(again, nursery)
            assert second.welcome.identity == first.welcome.identity
            assert Store(tmp_path).plan(address, "Ana").known_server_id is not None
            stranger = open_client(Store(tmp_path / "profiles" / "two"), address, "Ana")
            nursery.start_soon(stranger.run)
            assert (await next_event(stranger, Ended)).code == errors.NAME_TAKEN
            again.stop()


async def test_a_guest_comes_back_by_the_token_that_was_kept(tmp_path: Path) -> None:
    listeners = await open_listeners("127.0.0.1", 0)
    address = Address("127.0.0.1", listeners[0].getsockname()[1])
    with trio.fail_after(LIMIT):
        async with running(listeners=listeners), trio.open_nursery() as nursery:
            one = open_client(Store(tmp_path), address, "Ana", guest=True)
            first = await log_in(one, nursery)
            await one.call(TableCreate, game="robby-solo")
            one.stop()
            await next_event_of(one, Ended)
            again = open_client(Store(tmp_path), address, "Ana", guest=True)
            second = await log_in(again, nursery)
            assert second.welcome.identity == first.welcome.identity
            again.stop()


async def next_event_of(client: Client, kind: type[Any]) -> Any:
    async for event in client.events:
        if isinstance(event, kind):
            return event
    raise AssertionError("the events ended")


async def test_the_password_is_needed_and_must_be_right(tmp_path: Path) -> None:
    listeners = await open_listeners("127.0.0.1", 0)
    address = Address("127.0.0.1", listeners[0].getsockname()[1])
    with trio.fail_after(LIMIT):
        async with running(Settings(password="swordfish"), listeners=listeners), trio.open_nursery() as nursery:
            codes = []
            for password in (None, "herring", "swordfish"):
                client = open_client(Store(tmp_path), address, "Ana", password=password)
                nursery.start_soon(client.run)
                event = await client.events.__anext__()
                codes.append(event.code if isinstance(event, Ended) else "in")
                client.stop()
            assert codes == [PASSWORD_NEEDED, errors.PASSWORD_WRONG, "in"]


async def test_a_server_set_up_anew_is_noticed_and_can_be_accepted(tmp_path: Path) -> None:
    listeners = await open_listeners("127.0.0.1", 0)
    address = Address("127.0.0.1", listeners[0].getsockname()[1])
    store = Store(tmp_path)
    with trio.fail_after(LIMIT):
        async with running(listeners=listeners), trio.open_nursery() as nursery:
            client = open_client(store, address, "Ana")
            await log_in(client, nursery)
            client.stop()
        known = store.recent()[0]
        fake = FakeServer(seed=b"n" * 32)
        plan = store.plan(known.address, "Ana")
        async with trio.open_nursery() as nursery:
            client = Client(fake.dial, plan)
            nursery.start_soon(client.run)
            peer = await fake.accept()
            with pytest.raises(AssertionError):
                await peer.greet()
            ended = await next_event(client, Ended)
            assert ended.code == SERVER_ID_CHANGED
            assert ended.new_id is not None
            assert ended.known_id == store.known_server_id(known.address)
            store.trust(known.address, ended.new_id)
            client = Client(fake.dial, store.plan(known.address, "Ana"))
            nursery.start_soon(client.run)
            await (await fake.accept()).welcome()
            await next_event(client, Connected)
            client.stop()


async def test_sitting_down_at_once_makes_a_table_with_bots_and_starts() -> None:
    client = ScriptedCaller()
    await sit_down(client, QuickTable("robby-solo", bots=["greedy", "random"], options={"junior": True}, title="Mine"))
    assert [name for name, _fields in client.calls] == ["TableCreate", "TableStart"]
    assert client.calls[0][1] == {
        "game": "robby-solo",
        "title": "Mine",
        "capacity": 3,
        "options": {"junior": True},
        "bots": ["greedy", "random"],
    }


async def test_who_has_a_seat_already_keeps_it() -> None:
    client = ScriptedCaller()
    client.world.apply(table_state())
    await sit_down(client, QuickTable("robby-solo"))
    assert client.calls == []


async def test_a_table_that_is_refused_is_not_started() -> None:
    client = ScriptedCaller(refuse=errors.TOO_MANY_TABLES)
    with pytest.raises(Refused):
        await sit_down(client, QuickTable("robby-solo"))
    assert len(client.calls) == 1


class ScriptedCaller:
    """What `sit_down` needs of a client, and what it was called with."""

    def __init__(self, refuse: str | None = None) -> None:
        self.world = World()
        self.refuse = refuse
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def call(self, command: type[Any], /, **fields: Any) -> dict[str, Any]:
        await trio.lowlevel.checkpoint()
        self.calls.append((command.__name__, fields))
        if self.refuse is not None:
            raise Refused(self.refuse)
        return {}


def test_the_timings_notice_a_dead_server_within_thirty_seconds() -> None:
    timings = Timings()
    assert timings.silence + timings.ping <= 30
    assert timings.longest_wait <= 30
