"""Logging in: guests and keys, names, resume tokens, the password, and the newest of two connections."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from robby_games.registry import GAMES
from robby_protocol import errors, identity
from robby_protocol.messages import Goodbye, Login, TableCreate, TableState
from robby_server.identities import Identities, LoginError
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.server.kit import SERVER_KEY, Host, LoginRefused, Peer, running

SEED = bytes(range(1, 33))
OTHER_SEED = bytes(range(2, 34))


async def refusal(host: Host, name: str, **fields: Any) -> str:
    peer = host.peer()
    await peer.hello()
    with pytest.raises(LoginRefused) as caught:
        await peer.login(name, **fields)
    await peer.until_closed()
    assert caught.value.refused.text
    return caught.value.code


async def keyed(host: Host, name: str, seed: bytes = SEED, **fields: Any) -> Peer:
    peer = host.peer()
    await peer.hello()
    await peer.login_key(name, seed, **fields)
    return peer


async def test_the_server_proves_its_id(autojump_clock: Any) -> None:
    async with running() as host:
        peer = host.peer()
        greeting = await peer.hello(nonce=b"n" * 32)
        assert greeting.server_id == host.server.server_id == identity.public_key(SERVER_KEY)
        payload = peer.connection.server_proof_payload(greeting.server_id, greeting.challenge)
        assert identity.verify(greeting.server_id, payload, greeting.proof)
        other = await host.peer().hello()
        assert other.proof == b""
        assert other.challenge != greeting.challenge
        assert [(game.name, game.bots) for game in greeting.games] == [(name, []) for name in GAMES]
        assert greeting.methods == ["guest", "key"]


async def test_a_name_is_free_again_once_its_guest_has_gone(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        assert await refusal(host, "ANA") == errors.NAME_TAKEN
        assert await refusal(host, "Аnа".replace("А", "A")) == errors.NAME_INVALID
        await ana.drop()
        await host.guest("ana")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Bob ", errors.NAME_INVALID),
        ("B\u200bob", errors.NAME_INVALID),
        ("a\nb", errors.NAME_INVALID),
        ("", errors.NAME_INVALID),
        ("x" * 200, errors.NAME_INVALID),
        ("Server", errors.NAME_RESERVED),
    ],
)
async def test_names_are_checked(name: str, code: str, autojump_clock: Any) -> None:
    async with running() as host:
        assert await refusal(host, name) == code


async def test_bots_names_are_refused(autojump_clock: Any) -> None:
    async def no_bot(*_: Any) -> None:
        return

    async with running(spawn_bot=no_bot) as host:
        assert await refusal(host, "Greedy 7") == errors.NAME_RESERVED


async def test_a_token_brings_the_same_guest_back(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        assert ana.welcome is not None
        assert len(ana.welcome.resume) == 32
        await ana.drop()
        again = await host.again(ana)
        assert again.welcome is not None
        assert again.welcome.identity == ana.welcome.identity
        assert again.welcome.name == "Ana"


async def test_wrong_tokens_change_nothing_for_the_owner(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        await ana.do(TableCreate, game="robby-solo")
        assert ana.welcome is not None
        for token in (b"x", b"x" * 32, ana.welcome.resume[:-1], ana.welcome.resume[:-1] + b"\0\0"):
            assert await refusal(host, "Ana", resume=token) == errors.RESUME_UNKNOWN
        assert not ana.closed
        await ana.drop()
        assert (await host.again(ana)).welcome is not None


async def test_the_newest_connection_wins(autojump_clock: Any) -> None:
    async with running() as host:
        first = await host.guest("Ana")
        second = await host.again(first)
        await first.until_closed()
        assert first.last(Goodbye).code == errors.REPLACED
        assert not first.last(Goodbye).reconnect
        await second.do(TableCreate, game="robby-solo")
        third = await host.again(first)
        await second.until_closed()
        assert third.welcome is not None
        assert third.welcome.table == second.table
        assert (await third.expect(TableState)).you == 0
        await trio.sleep(100)
        assert third.state.table.seats[0].state == "here"


async def test_a_guest_without_a_seat_may_change_the_name(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        ben = await host.guest("Ben")
        assert ana.welcome is not None
        assert await refusal(host, "Bеn".replace("е", "e"), resume=ana.welcome.resume) == errors.NAME_TAKEN
        assert await refusal(host, "Host", resume=ana.welcome.resume) == errors.NAME_RESERVED
        assert not ana.closed
        renamed = await host.guest("Anita", resume=ana.welcome.resume)
        assert renamed.welcome is not None
        assert renamed.welcome.name == "Anita"
        await renamed.do(TableCreate, game="robby-solo")
        seated = await host.guest("Ben", resume=ana.welcome.resume)
        assert seated.welcome is not None
        assert seated.welcome.name == "Anita"
        await ben.drop()
        await host.guest("Ana")


async def test_a_name_stays_with_a_seat(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        await ana.do(TableCreate, game="robby-solo")
        await ana.drop()
        assert await refusal(host, "Ana") == errors.NAME_TAKEN
        await host.again(ana)


async def test_an_unused_token_expires(mock_clock: MockClock) -> None:
    mock_clock.autojump_threshold = 0
    settings = Settings(guest_hours=0.1)  # a server does something each second
    async with running(settings) as host:
        ana = await host.guest("Ana")
        assert ana.welcome is not None
        await ana.drop()
        await trio.sleep(settings.guest_hours * 3600 - 60)
        again = await host.again(ana)
        await again.drop()
        await trio.sleep(settings.guest_hours * 3600 + 60)
        assert await refusal(host, "Ana", resume=ana.welcome.resume) == errors.RESUME_UNKNOWN


async def test_guests_are_not_remembered_without_limit(autojump_clock: Any) -> None:
    identities = Identities(Settings(guests=50), store=MemoryStore())
    tokens = []
    for number in range(200):
        tokens.append((await identities.guest(f"Guest {number}"))[1])
        await trio.sleep(1)
    assert len(identities) <= 50
    assert (await identities.resumed(tokens[-1], "Guest 199")).name == "Guest 199"
    with pytest.raises(LoginError):
        await identities.resumed(tokens[0], "Guest 0")


async def test_a_key_owns_its_name(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await keyed(host, "Ana")
        assert ana.welcome is not None
        assert ana.welcome.resume == b""
        await ana.drop()
        assert await refusal(host, "ana") == errors.NAME_TAKEN
        with pytest.raises(LoginRefused) as caught:
            await keyed(host, "Ana", OTHER_SEED)
        assert caught.value.code == errors.NAME_TAKEN
        again = await keyed(host, "Ana")
        assert again.welcome is not None
        assert again.welcome.identity == ana.welcome.identity


async def test_a_key_may_take_another_name(autojump_clock: Any) -> None:
    async with running() as host:
        await (await keyed(host, "Ana")).drop()
        renamed = await keyed(host, "Anita")
        await renamed.do(TableCreate, game="robby-solo")
        seated = await keyed(host, "Xenia")
        assert seated.welcome is not None
        assert seated.welcome.name == "Anita"
        await host.guest("Ana")


async def test_a_key_cannot_take_a_guests_name(autojump_clock: Any) -> None:
    async with running() as host:
        await host.guest("Ana")
        with pytest.raises(LoginRefused) as caught:
            await keyed(host, "Ana")
        assert caught.value.code == errors.NAME_TAKEN


async def test_proofs_are_checked(autojump_clock: Any) -> None:
    async with running() as host:
        with pytest.raises(LoginRefused) as caught:
            await keyed(host, "Ana", signing=OTHER_SEED)
        assert caught.value.code == errors.BAD_PROOF
        recorded = host.peer()
        await recorded.hello()
        key = identity.public_key(SEED)
        login = Login(
            method="key",
            name="Ana",
            key=key,
            proof=identity.sign(SEED, recorded.connection.login_proof_payload("Ana", key)),
        )
        await recorded.log_in(login)
        thief = host.peer()
        await thief.hello()
        with pytest.raises(LoginRefused) as caught:
            await thief.log_in(login)
        assert caught.value.code == errors.BAD_PROOF
        for bad_key in (b"", b"\0" * 32, b"\xff" * 32):
            peer = host.peer()
            await peer.hello()
            with pytest.raises(LoginRefused) as caught:
                await peer.log_in(Login(method="key", name="Eve", key=bad_key, proof=b"\0" * 64))
            assert caught.value.code == errors.BAD_KEY


async def test_an_unknown_method(autojump_clock: Any) -> None:
    async with running() as host:
        peer = host.peer()
        await peer.hello()
        with pytest.raises(LoginRefused) as caught:
            await peer.log_in(Login(method="oauth", name="Ana"))
        assert caught.value.code == errors.UNKNOWN_METHOD
        assert caught.value.refused.accepts["methods"] == ["guest", "key"]


async def test_bindings_outlive_the_process(autojump_clock: Any) -> None:
    store = MemoryStore()
    first = Identities(Settings(), store=store)
    who = await first.keyed(identity.public_key(SEED), "Ana")
    second = Identities(Settings(), store=store)
    second.load((await store.load()).identities)
    assert (await second.keyed(identity.public_key(SEED), "Ana")).id == who.id
    with pytest.raises(LoginError) as caught:
        await second.guest("Ana")
    assert caught.value.code == errors.NAME_TAKEN
