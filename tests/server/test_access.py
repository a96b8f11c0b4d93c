"""Private tables: who gets in by invite, by password or by having a seat, and what the host decides."""

import random
from functools import cache
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from robby_protocol import errors, identity
from robby_protocol.messages import (
    ChatSend,
    Command,
    LobbyList,
    LobbyTables,
    LobbyWatch,
    TableClose,
    TableClosed,
    TableConfigure,
    TableCreate,
    TableJoin,
    TableKick,
    TableLeave,
    TableMute,
    TableState,
    TableWatch,
)
from robby_server.access import INVITE_LENGTH
from robby_server.directory import ALPHABET
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.server.kit import Host, Peer, begin, bot_of, play_all, running, settled, sit_down
from tests.server.lives import Lives, person, seated

WORD = "open sesame"


_key = cache(identity.table_password_key)  # slow on purpose


def key(peer: Peer, word: str = WORD) -> bytes:
    assert peer.greeting is not None
    return _key(word, peer.greeting.server_id)


def proof(peer: Peer, table: str, word: str = WORD) -> bytes:
    """What a client sends that was told the table's password."""
    return identity.password_proof(key(peer, word), peer.connection.table_password_payload(table))


async def private(host: Host, **create: Any) -> tuple[Peer, str, str]:
    """A private table: its host, its id and its invite code."""
    ana = await host.guest("Ana")
    table = await sit_down([ana], private=True, **create)
    assert ana.state.invite is not None
    return ana, table, ana.state.invite


async def test_the_code_or_the_password_opens_a_private_table(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        table = await sit_down([ana], private=True, password_key=key(ana))
        code = ana.state.invite
        assert code is not None
        assert len(code) == INVITE_LENGTH
        assert set(code) <= set(ALPHABET)
        ben, cleo, xenia = [await host.guest(name) for name in ("Ben", "Cleo", "Xenia")]
        typed = f"{code[:6].lower()}-{code[6:]}".replace("1", "l").replace("0", "o")
        assert (await ben.do(TableJoin, table=table, invite=typed))["seat"] == 1
        assert (await cleo.do(TableJoin, table=table, password_proof=proof(cleo, table)))["seat"] == 2
        await xenia.do(TableWatch, table=table, password_proof=proof(xenia, table))
        assert [peer.state.invite for peer in (ana, ben, cleo, xenia)] == [code, code, code, None]


@pytest.mark.parametrize("kind", [TableJoin, TableWatch])
async def test_who_brings_nothing_and_who_brings_the_wrong_thing(kind: type[Command], autojump_clock: Any) -> None:
    async with running(Settings(attempts=100)) as host:
        ana, table, code = await private(host)
        ben = await host.guest("Ben")
        assert (await ben.refused(kind, table=table)).code == errors.TABLE_PRIVATE
        for invite in ("X", code[:-1], code + "0", "0" * INVITE_LENGTH, table, "é", "-"):
            refused = await ben.refused(kind, table=table, invite=invite)
            assert (refused.code, refused.details) == (errors.ACCESS_DENIED, {})
        # There is no password, so none is right.
        for word in (WORD, ""):
            refused = await ben.refused(kind, table=table, password_proof=proof(ben, table, word))
            assert refused.code == errors.ACCESS_DENIED
        await ana.do(TableConfigure, password_key=key(ana))
        for wrong in (
            proof(ben, table, "wrong"),
            proof(ben, "ANOTHER0"),
            key(ben),
            proof(ana, table),  # what was sent on another connection
            identity.password_proof(identity.password_key(WORD, host.server.server_id), b""),
        ):
            assert (await ben.refused(kind, table=table, password_proof=wrong)).code == errors.ACCESS_DENIED
        assert [seat.name for seat in ana.state.table.seats] == ["Ana"]
        assert len(ana.all(TableState)) == 2
        await ben.call(kind, table=table, invite="wrong", password_proof=proof(ben, table))


async def test_guessing_is_slowed_for_a_household_and_for_it_alone(autojump_clock: Any) -> None:
    async with running(Settings(attempts=3, attempts_seconds=600)) as host:
        _ana, table, code = await private(host)
        ben, cleo = await host.guest("Ben"), await host.guest("Cleo")
        for session in host.server._sessions:
            if session.who is not None and session.who.name == "Ben":
                session.address, session.trusted = "192.0.2.1", False
            if session.who is not None and session.who.name == "Cleo":
                session.address, session.trusted = "192.0.2.2", False
        for _ in range(3):
            assert (await ben.refused(TableJoin, table=table, invite="WRONG")).code == errors.ACCESS_DENIED
        for kind in (TableJoin, TableWatch):
            assert (await ben.refused(kind, table=table, invite=code)).code == errors.TOO_MANY_ATTEMPTS
        await cleo.call(TableJoin, table=table, invite=code)
        await trio.sleep(601)
        await ben.call(TableJoin, table=table, invite=code)


async def test_nothing_secret_is_shown_to_anybody_else_or_logged(autojump_clock: Any) -> None:
    seen: list[Any] = []
    with capture_logs() as logs:
        async with running(spawn_bot=bot_of(delay=1, seen=seen)) as host:
            ana = await host.guest("Ana")
            table = await sit_down([ana], private=True, password_key=key(ana), bots=["greedy"])
            code = ana.state.invite
            assert code is not None
            ben, xenia, yan = [await host.guest(name) for name in ("Ben", "Xenia", "Yan")]
            await yan.do(LobbyWatch, on=True)
            await ben.do(TableJoin, table=table, invite=code)
            await xenia.do(TableWatch, table=table, invite=code)
            await begin([ana, ben])
            await trio.sleep(1)
            assert yan.last(LobbyTables).tables[0].private
            await yan.call(LobbyList)
            ((_ticket, bot),) = seen
            assert bot.state.table.private
            for peer in (xenia, yan, bot):
                assert code.encode() not in peer.bytes_received
            for peer in (ana, ben, xenia, yan, bot):
                assert key(ana) not in peer.bytes_received
    assert code not in repr(logs)
    assert key(ana).hex() not in repr(logs)


async def test_the_host_renews_the_code_and_changes_the_password(autojump_clock: Any) -> None:
    async with running(Settings(attempts=100)) as host:
        ana, table, old = await private(host, password_key=b"")
        ben, cleo = await host.guest("Ben"), await host.guest("Cleo")
        await ana.do(TableConfigure, new_invite=True, password_key=key(ana))
        new = ana.state.invite
        assert new not in (old, None)
        assert (await ben.refused(TableJoin, table=table, invite=old)).code == errors.ACCESS_DENIED
        await ben.do(TableJoin, table=table, invite=new)
        await ana.do(TableConfigure, password_key=key(ana, "another"))
        assert ana.state.invite == new
        assert (
            await cleo.refused(TableJoin, table=table, password_proof=proof(cleo, table))
        ).code == errors.ACCESS_DENIED
        await cleo.call(TableJoin, table=table, password_proof=proof(cleo, table, "another"))
        await cleo.do(TableLeave)
        await ana.do(TableConfigure, password_key=b"")
        assert (
            await cleo.refused(TableJoin, table=table, password_proof=proof(cleo, table, "another"))
        ).code == errors.ACCESS_DENIED
        await ana.do(TableConfigure, private=False)
        state = ana.last(TableState)
        assert state.invite is None
        assert not state.table.private
        await cleo.call(TableJoin, table=table)
        await ana.do(TableConfigure, private=True)
        assert ana.state.invite not in (old, new, None)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"password_key": b"k" * 32}, "password_key"),
        ({"private": False, "password_key": b"k" * 32}, "password_key"),
        ({"delay_s": 901}, "delay_s"),
    ],
)
async def test_settings_of_access_that_do_not_go_together(
    fields: dict[str, Any], field: str, autojump_clock: Any
) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        for kind in (TableCreate, TableConfigure):
            refused = await ana.refused(kind, **({"game": "robby-solo"} if kind is TableCreate else {}), **fields)
            assert (refused.code, refused.details["field"]) == (errors.BAD_OPTIONS, field)
            assert refused.text != errors.text_for(errors.BAD_OPTIONS)
            if kind is TableCreate:
                await ana.do(TableCreate, game="robby-solo")
        assert (await ana.refused(TableConfigure, new_invite=True)).details["field"] == "new_invite"
        assert len(ana.all(TableState)) == 1


async def test_a_refused_setting_changes_none_of_the_others(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        await sit_down([ana])
        for wrong in ({"delay_s": 901}, {"capacity": 99}, {"options": {"nonsense": 1}}):
            await ana.refused(TableConfigure, **{"title": "New", "private": True, "spectators": False, **wrong})
            info = ana.state.table
            assert (info.title, info.private, info.spectators, info.delay_s) == ("", False, True, 0)
        await ana.do(TableConfigure, title="New", private=True, spectators=False, delay_s=30)
        info = ana.state.table
        assert (info.title, info.private, info.spectators, info.delay_s) == ("New", True, False, 30)


# PR-14: a person of the table needs neither, whatever was changed meanwhile; a kicked one stays out.


async def test_pr14_in_a_room_with_a_password_one_comes_back_without_it(autojump_clock: Any) -> None:
    async with running() as host:
        ana = await host.guest("Ana")
        table = await sit_down([ana], private=True, password_key=key(ana))
        ben = await host.guest("Ben")
        await ben.do(TableJoin, table=table, password_proof=proof(ben, table))
        await ben.drop()
        await settled()
        ben = await host.again(ben)
        await settled()
        assert (ben.table, ben.seat) == (table, 1)
        await ana.do(TableConfigure, password_key=key(ana, "changed"), new_invite=True)
        await ben.drop()
        await settled()
        ben = await host.again(ben)
        await settled()
        assert (ben.table, ben.seat) == (table, 1)
        assert ben.state.invite == ana.state.invite
        # In the match too, also for whoever gave the seat up; not for anybody else.
        cleo = await host.guest("Cleo")
        await cleo.do(TableJoin, table=table, invite=ana.state.invite)
        await begin([ana, ben, cleo])
        await cleo.do(TableLeave)
        assert (await cleo.call(TableJoin, table=table)) == {"table": table, "seat": 2}
        dora = await host.guest("Dora")
        assert (await dora.refused(TableJoin, table=table)).code == errors.TABLE_PRIVATE


async def test_pr14_a_kicked_player_who_tries_a_resume_stays_out(autojump_clock: Any) -> None:
    async with running() as host:
        ana, table, code = await private(host)
        ben = await host.guest("Ben")
        await ben.do(TableJoin, table=table, invite=code)
        await ben.drop()
        await settled()
        await ana.do(TableKick, seat=1, name="Ben")
        again = await host.again(ben)
        await settled()
        assert again.welcome is not None
        assert again.welcome.table is None
        assert not again.all(TableState)
        for kind in (TableJoin, TableWatch):
            assert (await again.refused(kind, table=table, invite=code)).code == errors.KICKED
            assert (await again.refused(kind, table=table)).code == errors.KICKED


async def test_pr14_a_kick_that_races_with_a_resume_of_a_private_table(autojump_clock: Any) -> None:
    rng = random.Random(14)
    async with running(Settings(message_burst=10**6, guests=10**6)) as host:
        ana, table, code = await private(host)
        for _ in range(60):
            ben = await host.guest("Ben")
            await ben.do(TableJoin, table=table, invite=code)
            await ben.drop()
            again: list[Peer] = []

            async def come_back(old: Peer, found: list[Peer]) -> None:
                for _turn in range(rng.randrange(6)):
                    await trio.lowlevel.checkpoint()
                found.append(await host.again(old))

            async with trio.open_nursery() as nursery:
                nursery.start_soon(come_back, ben, again)
                for _turn in range(rng.randrange(6)):
                    await trio.lowlevel.checkpoint()
                await ana.call(TableKick, seat=1, name="Ben")
            await settled()
            (peer,) = again
            assert [seat.name for seat in ana.state.table.seats] == ["Ana"]
            assert not peer.closed
            assert len(peer.all(TableClosed)) == (0 if peer.welcome is None or peer.welcome.table is None else 1)
            assert (await peer.refused(TableJoin, table=table, invite=code)).code == errors.KICKED
            await peer.bye()
            await settled()


class SlowStore(MemoryStore):
    """Takes a second for each snapshot."""

    async def save_table(self, table: str, snapshot: bytes) -> None:
        await trio.sleep(1)
        await super().save_table(table, snapshot)


@pytest.mark.parametrize("kick", [True, False])
async def test_pr14_whoever_loses_the_seat_while_logging_in_is_told_once_and_stays(
    kick: bool, autojump_clock: Any
) -> None:
    """The welcome still named the table: it had not got to the host's command yet."""
    async with running(journal=SlowStore()) as host:
        ana = await host.guest("Ana")
        table = await sit_down([ana])
        ben = await host.guest("Ben")
        await ben.call(TableJoin, table=table)
        await trio.sleep(5)
        await ben.drop()
        await settled()  # the table is busy keeping that he is away
        if kick:
            await ana.send(TableKick(id=900, seat=1, name="Ben"))
        else:
            await ana.send(TableClose(id=900))
        await settled()
        again = await host.again(ben)
        assert again.welcome is not None
        assert again.welcome.table == table
        await trio.sleep(5)
        assert await ana.answer(900) == {}
        (closed,) = again.all(TableClosed)
        assert (closed.table, closed.code) == (table, errors.KICKED if kick else errors.TABLE_CLOSED)
        assert not again.all(TableState)
        await again.call(TableCreate, game="robby-solo")


# The host closes the table.


async def test_the_host_closes_the_table_and_everybody_is_told_once(autojump_clock: Any) -> None:
    async with running() as host:
        ana, ben = await host.seated(2)
        xenia = await host.guest("Xenia")
        await xenia.do(TableWatch, table=ana.table)
        assert (await ben.refused(TableClose)).code == errors.NOT_HOST
        before = len(ana.got)
        await ana.do(TableClose)
        assert [type(message).__name__ for message in ana.got[before:]] == ["Ok", "TableClosed"]
        for peer in (ana, ben, xenia):
            (closed,) = peer.all(TableClosed)
            assert (closed.table, closed.code) == (ana.table, errors.TABLE_CLOSED)
        assert (await ana.call(LobbyList))["tables"] == []
        assert (await ben.refused(TableJoin, table=ana.table)).code == errors.NO_SUCH_TABLE
        for peer in (ana, ben, xenia):  # nobody sits or watches there any more
            table = await sit_down([peer])
            assert table != ana.table or peer is ana


async def test_a_table_is_not_closed_in_a_match(autojump_clock: Any) -> None:
    async with running() as host:
        peers = await host.playing(3, options={"max_rounds": 2})
        assert (await peers[0].refused(TableClose)).code == errors.TABLE_PLAYING
        for fields in ({"private": True}, {"spectators": False}, {"delay_s": 1}, {"new_invite": True}):
            assert (await peers[0].refused(TableConfigure, **fields)).code == errors.TABLE_PLAYING
        await play_all(peers)
        await peers[0].do(TableClose)
        assert all(len(peer.all(TableClosed)) == 1 for peer in peers)


# Idle tables and people.


async def test_a_table_where_nobody_does_anything_closes(autojump_clock: Any) -> None:
    async with running(Settings(idle_table_seconds=600)) as host:
        ana, ben = await host.seated(2)
        await trio.sleep(500)
        await ben.do(TableLeave)
        await trio.sleep(500)
        assert not ana.all(TableClosed)
        await trio.sleep(101)
        assert ana.last(TableClosed).code == errors.TABLE_CLOSED
        assert (await ana.call(LobbyList))["tables"] == []


async def test_a_match_however_long_is_not_idle(autojump_clock: Any) -> None:
    async with running(Settings(idle_table_seconds=60)) as host:
        peers = await host.playing(3, options={"time": "untimed"})
        await trio.sleep(200)
        assert not peers[0].all(TableClosed)


async def test_idle_people_without_a_seat_are_sent_away(autojump_clock: Any) -> None:
    async with running(Settings(idle_seconds=600)) as host:
        ana, ben = await host.guest("Ana"), await host.guest("Ben")
        await sit_down([ana])
        await trio.sleep(500)
        await ben.call(LobbyList)
        await trio.sleep(500)
        assert not ben.closed
        await ben.until_closed()
        goodbye = ben.got[-1]
        assert getattr(goodbye, "code", None) == errors.IDLE
        assert getattr(goodbye, "reconnect", None) is False
        assert trio.current_time() == pytest.approx(1_100, abs=2)
        assert not ana.closed
        await ana.do(TableLeave)
        await trio.sleep(590)
        assert not ana.closed
        await ana.until_closed()


async def test_a_parked_table_is_told_from_one_that_never_was(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        (ana,) = await seated(host, "Ana")
        table = ana.table
    lives.store._tables[table] = b"rubbish"
    async with lives.life() as host:
        ben = await person(host, "Ben")
        for kind in (TableJoin, TableWatch):
            assert (await ben.refused(kind, table=table.lower())).code == errors.TABLE_PARKED
            assert (await ben.refused(kind, table="NOSUCH00")).code == errors.NO_SUCH_TABLE


async def test_access_and_mutes_outlive_a_crash(autojump_clock: Any) -> None:
    lives = Lives()
    async with lives.life() as host:
        ana = await person(host, "Ana")
        await sit_down([ana], private=True, password_key=key(ana), spectators=False, delay_s=30)
        table, code = ana.table, ana.state.invite
        ben, cleo = await person(host, "Ben"), await person(host, "Cleo")
        await ben.do(TableJoin, table=table, invite=code)
        await cleo.do(TableJoin, table=table, password_proof=proof(cleo, table))
        await ana.do(TableMute, name="Ben", on=True)
        await ana.do(TableKick, seat=2, name="Cleo")
    async with lives.life() as host:
        ana, ben, cleo = [await person(host, name) for name in ("Ana", "Ben", "Cleo")]
        await settled()
        assert (ana.state.invite, ben.state.invite) == (code, code)
        info = ana.state.table
        assert (info.private, info.spectators, info.delay_s) == (True, False, 30)
        assert (await ben.refused(ChatSend, table=table, text="x")).code == errors.MUTED
        assert (await cleo.refused(TableJoin, table=table, invite=code)).code == errors.KICKED
        dora = await person(host, "Dora")
        assert (await dora.refused(TableJoin, table=table)).code == errors.TABLE_PRIVATE
        await dora.call(TableJoin, table=table, password_proof=proof(dora, table))
