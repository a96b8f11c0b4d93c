"""Other settings while the server serves: they count for whoever comes from then on."""

from dataclasses import replace
from typing import Any

import trio

from robby_protocol import errors
from robby_protocol.messages import LobbyList, Refused
from robby_server.listeners import address_of, open_listeners
from robby_server.settings import Settings
from tests.server.kit import running


async def test_a_password_and_a_name_are_for_the_next_who_comes() -> None:
    listeners = await open_listeners("127.0.0.1", 0)
    with trio.fail_after(20):
        async with running(Settings(server_name="Before"), listeners=listeners) as host:

            async def asked() -> tuple[str, bool]:
                peer = host.peer(await trio.open_tcp_stream(*address_of(listeners[0])))
                greeting = await peer.hello()
                return greeting.server_name, greeting.password_required

            ana = await host.guest("Ana", stream=await trio.open_tcp_stream(*address_of(listeners[0])))
            assert await asked() == ("Before", False)
            usual = host.server.settings
            host.server.use(replace(usual, server_name="After", password="Friday"))
            assert await asked() == ("After", True)
            host.server.use(usual)
            assert await asked() == ("Before", False)
            await ana.call(LobbyList)


async def test_a_time_limit_is_for_the_next_who_comes(autojump_clock: Any) -> None:
    async with running(Settings(handshake_seconds=50)) as host:
        old = host.peer()
        await old.hello()
        host.server.use(replace(host.server.settings, handshake_seconds=5))
        new = host.peer()
        began = trio.current_time()
        await new.until_closed()
        assert new.last(Refused).code == errors.HANDSHAKE_TIMEOUT
        assert trio.current_time() - began < 10
        assert not old.closed


async def test_a_limit_of_connections_counts_those_that_are_there() -> None:
    listeners = await open_listeners("127.0.0.1", 0)
    with trio.fail_after(20):
        async with running(Settings(), listeners=listeners) as host:
            await host.guest("Ana", stream=await trio.open_tcp_stream(*address_of(listeners[0])))
            host.server.use(replace(host.server.settings, connections_per_address=1))
            peer = host.peer(await trio.open_tcp_stream(*address_of(listeners[0])))
            await peer.until_closed()
            assert peer.last(Refused).code == errors.SERVER_FULL
