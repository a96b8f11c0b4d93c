"""A server with a password: over TCP, since peers inside the process need none."""

import pytest
import trio

from robby_protocol import errors
from robby_server.listeners import address_of, open_listeners
from robby_server.settings import Settings
from tests.server.kit import LoginRefused, running


async def test_the_password_is_asked_of_everyone_from_outside() -> None:
    listeners = await open_listeners("127.0.0.1", 0)
    async with running(Settings(password="swordfish", wrong_password_seconds=0.01), listeners=listeners) as host:

        async def attempt(password: str | None) -> str:
            peer = host.peer(await trio.open_tcp_stream(*address_of(listeners[0])))
            assert (await peer.hello()).password_required
            try:
                await peer.login("Ana", password=password)
            except LoginRefused as refused:
                return refused.code
            assert b"swordfish" not in peer.bytes_received
            await peer.drop()
            return "welcome"

        assert await attempt(None) == errors.PASSWORD_WRONG
        assert await attempt("") == errors.PASSWORD_WRONG
        assert await attempt("Swordfish") == errors.PASSWORD_WRONG
        assert await attempt("swordfish") == "welcome"
        await host.guest("Bea")  # from inside the process


@pytest.mark.parametrize("password", [None, "x"])
def test_settings_do_not_show_the_password_by_accident(password: str | None) -> None:
    assert "swordfish" not in repr(Settings(password="swordfish"))
    assert Settings(password=password).password == password
