"""What an operator may ask of a server: every request, what it answers, and that no answer tells a secret."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from robby_protocol import identity
from robby_protocol.messages import Goodbye, Notice, TableClosed, TableLeave, TableState, Welcome
from robby_server import admin as admin_module
from robby_server.admin import LONGEST_TEXT, Admin
from robby_server.restore import Parked
from robby_server.settings import Settings
from robby_server.store import MemoryStore
from tests.server.kit import Host, LoginRefused, begin, play_all, running, settled


class Operator:
    def __init__(self, host: Host, admin: Admin) -> None:
        self.host = host
        self.admin = admin

    async def reply(self, do: str, **fields: Any) -> dict[str, Any]:
        return await self.admin.answer(json.dumps({"do": do, **fields}).encode())

    async def ask(self, do: str, **fields: Any) -> Any:
        reply = await self.reply(do, **fields)
        assert reply["ok"] is True, reply
        json.dumps(reply)
        await settled()
        return reply["result"]

    async def refused(self, do: str, **fields: Any) -> str:
        reply = await self.reply(do, **fields)
        assert reply["ok"] is False
        assert reply["text"]
        return str(reply["code"])


@asynccontextmanager
async def operated(**options: Any) -> AsyncIterator[Operator]:
    reload = options.pop("reload", None)
    async with running(**options) as host, trio.open_nursery() as nursery:
        yield Operator(host, Admin(host.server, nursery, reload))
        nursery.cancel_scope.cancel()


async def test_status(autojump_clock: Any) -> None:
    async with operated(settings=Settings(server_name="Tavern")) as operator:
        await operator.host.seated(2)
        await begin(await operator.host.seated(3, names=("Dora", "Emil", "Fred")))
        await trio.sleep(90)
        status = await operator.ask("status")
        assert status["name"] == "Tavern"
        assert status["server_id"] == operator.host.server.server_id.hex()
        assert status["uptime_s"] == 90
        assert status["connections"] == 5
        assert status["people"] == 5
        assert status["tables"] == {"waiting": 1, "playing": 1, "finished": 0}
        assert status["matches"]["started"] == 1
        assert status["draining"] is False
        assert status["store_trouble"] is None
        assert status["parked"] == []
        assert status["bans"] == 0
        assert status["memory_bytes"] > 10_000_000


async def test_status_tells_trouble_and_parked_tables(autojump_clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async with operated() as operator:
        operator.host.server.parked.append(Parked("PARKED12", "rules 9"))
        monkeypatch.setattr(MemoryStore, "trouble", property(lambda _self: "no space"))
        status = await operator.ask("status")
        assert status["parked"] == [{"table": "PARKED12", "reason": "rules 9"}]
        assert status["store_trouble"] == "no space"
        monkeypatch.undo()


async def test_tables_and_players(autojump_clock: Any) -> None:
    async with operated() as operator:
        ana, ben = await operator.host.seated(2, title="Friday")
        await operator.host.guest("Xenia")
        await ben.drop()
        await settled()
        (table,) = await operator.ask("tables")
        assert (table["table"], table["title"], table["phase"], table["host"]) == (
            ana.table,
            "Friday",
            "waiting",
            "Ana",
        )
        assert [(seat["name"], seat["state"]) for seat in table["seats"]] == [("Ana", "here"), ("Ben", "away")]
        players = await operator.ask("players")
        assert [(p["name"], p["connected"], p["table"]) for p in players] == [
            ("Ana", True, ana.table),
            ("Ben", False, ana.table),
            ("Xenia", True, None),
        ]


async def test_say_reaches_everybody(autojump_clock: Any) -> None:
    async with operated() as operator:
        peers = [*await operator.host.seated(2), await operator.host.guest("Xenia")]
        assert await operator.ask("say", text="Back in  a minute ☕") == {"told": 3}
        for peer in peers:
            assert peer.last(Notice) == Notice(code="operator", text="Back in  a minute ☕")


@pytest.mark.parametrize(
    "text", ["", "   ", "x" * (LONGEST_TEXT + 1), "a\nb", "\x1b[2J", "a\u202eb", "a\u200bb", "\x9b1m"]
)
async def test_what_cannot_be_said(text: str, autojump_clock: Any) -> None:
    async with operated() as operator:
        ana = await operator.host.guest("Ana")
        assert await operator.refused("say", text=text) == admin_module.BAD_TEXT
        assert await operator.refused("ban", value="Xenia", reason=text or "\x00") == admin_module.BAD_TEXT
        await settled()
        assert not ana.all(Notice)


async def test_kick_keeps_the_seat_as_after_a_loss(autojump_clock: Any) -> None:
    async with operated() as operator:
        ana, ben, _cleo = await operator.host.playing(3)
        await operator.ask("kick", name="Ben")
        assert ben.last(Goodbye).code == "removed"
        assert ben.last(Goodbye).reconnect is False
        await ben.until_closed()
        await settled()
        assert ana.state.table.seats[1].state == "away"
        back = await operator.host.again(ben)
        await back.expect(TableState)
        assert back.seat == 1


async def test_kick_finds_a_name_as_it_looks_and_nobody_else(autojump_clock: Any) -> None:
    async with operated() as operator:
        ana = await operator.host.guest("Ana")
        assert await operator.refused("kick", name="Ben") == admin_module.NO_SUCH_PLAYER
        assert await operator.ask("kick", name="ANA") == {"name": "Ana"}
        await ana.until_closed()
        assert await operator.refused("kick", name="Ana") == admin_module.NO_SUCH_PLAYER


async def test_bans_by_name_key_and_address(autojump_clock: Any) -> None:
    seed = bytes(range(32))
    async with operated() as operator:
        assert await operator.ask("ban", value="Xenia", reason="rude") == {"kind": "name", "value": "Xenia"}
        await operator.ask("ban", kind="address", value="192.0.2.7")
        await operator.ask("ban", kind="key", value=identity.public_key(seed).hex().upper())
        assert [(ban["kind"], ban["reason"]) for ban in await operator.ask("bans")] == [
            ("name", "rude"),
            ("address", ""),
            ("key", ""),
        ]
        assert await operator.refused("ban", kind="address", value="nowhere") == admin_module.BAD_BAN
        assert await operator.refused("ban", kind="key", value="abc") == admin_module.BAD_BAN
        assert await operator.refused("unban", kind="key", value="abc") == admin_module.BAD_BAN
        assert await operator.refused("unban", value="Ana") == admin_module.NO_SUCH_BAN
        await operator.ask("unban", kind="address", value="192.0.2.7")
        assert len(await operator.ask("bans")) == 2
        assert (await operator.ask("status"))["bans"] == 2


async def test_unbind_frees_a_name(autojump_clock: Any) -> None:
    async with operated() as operator:
        ana = operator.host.peer()
        await ana.hello()
        await ana.login_key("Ana", bytes(range(32)))
        (player,) = await operator.ask("players")
        assert player["key"] == identity.public_key(bytes(range(32))).hex()
        await ana.drop()
        await settled()
        with pytest.raises(LoginRefused):
            await operator.host.guest("Ana")
        assert await operator.ask("unbind", name="Ana") == {"names": ["Ana"]}
        await operator.host.guest("Ana")
        assert await operator.refused("unbind", name="Nobody") == admin_module.NO_SUCH_PLAYER


async def test_close_a_table_whatever_is_played_there(autojump_clock: Any) -> None:
    async with operated() as operator:
        peers = await operator.host.playing(3)
        table = peers[0].table
        await operator.ask("close", table=f"{table[:4]}-{table[4:]}".lower())
        for peer in peers:
            assert (await peer.expect(TableClosed)).code == "table_closed"
        assert await operator.ask("tables") == []
        assert await operator.refused("close", table=table) == "no_such_table"
        assert (await operator.ask("status"))["matches"]["broken_off"] == 1


async def test_only_a_parked_table_is_discarded(autojump_clock: Any) -> None:
    async with operated() as operator:
        peers = await operator.host.playing(3)
        assert await operator.refused("discard", table=peers[0].table) == "no_such_table"
        operator.host.server.parked.append(Parked("ABCD2345", "from an older version"))
        with capture_logs() as logs:
            assert await operator.ask("discard", table="abcd-2345") == {"table": "ABCD2345"}
        assert [entry["table"] for entry in logs if entry["event"] == "table_discarded"] == ["ABCD2345"]
        assert (await operator.ask("status"))["parked"] == []
        assert [table["table"] for table in await operator.ask("tables")] == [peers[0].table]


async def test_a_table_is_closed_once_that_is_kept(autojump_clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator is told that it is done when no crash can bring the table back."""
    async with operated() as operator, trio.open_nursery() as nursery:
        store = operator.host.server.store
        drop_table = store.drop_table

        async def slowly(table: str) -> None:
            await trio.sleep(3)
            await drop_table(table)

        async def close() -> None:
            replies.append((await operator.reply("close", table=table), trio.current_time() - began))

        monkeypatch.setattr(store, "drop_table", slowly)
        table = (await operator.host.seated(2))[0].table
        assert list((await store.load()).tables) == [table]
        began = trio.current_time()
        replies: list[tuple[dict[str, Any], float]] = []
        nursery.start_soon(close)
        nursery.start_soon(close)
        await trio.sleep(4)
        assert replies == [({"ok": True, "result": {"table": table}}, 3)] * 2
        assert (await store.load()).tables == {}


async def test_drain_and_undrain(autojump_clock: Any) -> None:
    async with operated() as operator:
        peers = await operator.host.playing(3)
        assert await operator.ask("drain") == {"playing": 1}
        assert (await operator.ask("status"))["draining"] is True
        assert peers[0].last(Notice).code == "draining"
        await operator.ask("undrain")
        assert (await operator.ask("status"))["draining"] is False


async def test_stop_is_answered_and_then_done(autojump_clock: Any) -> None:
    async with operated() as operator:
        ana = await operator.host.guest("Ana")
        assert await operator.ask("stop") == {}
        await ana.until_closed()
        assert ana.last(Goodbye).code == "server_stopping"


async def test_reload(autojump_clock: Any) -> None:
    async def reload() -> admin_module.Reloaded:
        return admin_module.Reloaded(["It is not TOML."], ["The certificate has expired."])

    async with operated(reload=reload) as operator:
        assert await operator.ask("reload") == {
            "problems": ["It is not TOML."],
            "warnings": ["The certificate has expired."],
        }
    async with operated() as operator:
        assert await operator.refused("reload") == admin_module.NOT_POSSIBLE


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"status",
        b"{}",
        b"[]",
        b'{"do": "dance"}',
        b'{"do": "status", "more": 1}',
        b'{"do": "kick"}',
        b'{"do": "kick", "name": 3}',
        b'{"do": "kick", "name": ""}',
        b'{"do": "ban", "kind": "shoe", "value": "x"}',
        b"\xff\xfe",
        b"[" * 16_000,
        b'{"do": "kick", "name": "' + b"x" * 10_000 + b'"}',
    ],
)
async def test_what_is_no_request(line: bytes, autojump_clock: Any) -> None:
    async with operated() as operator:
        answer = await operator.admin.answer(line)
        assert answer["code"] == admin_module.BAD_REQUEST
        assert answer["text"]


async def test_a_fault_and_a_hanging_disk_are_answered(autojump_clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(*_arguments: Any) -> None:
        await trio.sleep_forever()

    async with operated() as operator:
        monkeypatch.setattr(operator.host.server.bans, "add", hang)
        assert await operator.refused("ban", value="Xenia") == admin_module.TIMED_OUT
        monkeypatch.setattr(operator.host.server.bans, "all", lambda: 1 / 0)
        with capture_logs() as logs:
            assert await operator.refused("bans") == "internal"
        assert [entry["event"] for entry in logs] == ["admin_failed"]


async def test_no_answer_tells_a_secret(autojump_clock: Any) -> None:
    """In the middle of a match with hidden cards, at a private table, on a server with a password."""
    seed = b"\x07secret-seed-of-the-match-------"[:32]
    password, table_password = "correct-horse", "battery-staple"
    async with operated(settings=Settings(password=password), match_seed=lambda: seed) as operator:
        peers = []
        for name in ("Ana", "Ben", "Cleo"):
            peer = operator.host.peer()
            await peer.hello()
            await peer.login(name, password=password)
            peers.append(peer)
        from tests.server.kit import sit_down

        await sit_down(peers)
        table = operator.host.server.directory.find(peers[0].table)
        table.private, table.invite, table.password_key = True, "INVITE-CODE-77", table_password.encode()  # type: ignore[union-attr]
        await begin(peers)
        text = ""
        for moment in range(3):
            for what in ("status", "tables", "players", "bans"):
                text += json.dumps(await operator.ask(what))
            if moment == 0:
                await play_all(peers)
            elif moment == 1:
                await peers[2].call(TableLeave)
        assert "Ana" in text
        tokens = [welcome.resume for peer in peers for welcome in peer.all(Welcome)]
        for secret in (seed, *tokens):
            assert secret.hex() not in text
            assert repr(secret)[2:-1] not in text
        for word in (password, table_password, "INVITE", "seed", "bank", "hand", "loot", "token", "resume"):
            assert word not in text
