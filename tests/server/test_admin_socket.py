"""The admin's socket: who may open it, what it bears, and that a stale one is no obstacle."""

import json
import os
import re
import socket
import stat
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from robby_server import admin_socket
from robby_server.admin_socket import LONGEST_LINE, SOCKET_FILE, NoSocket, check_path, open_socket, serve_socket


async def echo(line: bytes) -> dict[str, Any]:
    if line == b"fail":
        raise RuntimeError("a fault of ours")
    if line == b"hang":
        await trio.sleep_forever()
    return {"ok": True, "result": line.decode("utf-8", "replace")}


@asynccontextmanager
async def offered(folder: Path) -> AsyncIterator[Path]:
    path = folder / SOCKET_FILE
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_socket, path, echo)
        with trio.fail_after(10):
            while not path.exists():  # noqa: ASYNC110 - the file is what a client waits for, too
                await trio.sleep(0.001)
        try:
            yield path
        finally:
            for caller in callers:
                await trio.aclose_forcefully(caller.stream)
            callers.clear()
        nursery.cancel_scope.cancel()


class Caller:
    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.held = bytearray()

    async def ask(self, line: bytes) -> Any:
        await self.stream.send_all(line + b"\n")
        return await self.answer()

    async def answer(self) -> Any:
        with trio.fail_after(10):
            while b"\n" not in self.held:
                data = await self.stream.receive_some()
                if not data:
                    return None
                self.held += data
        line, _, rest = bytes(self.held).partition(b"\n")
        self.held = bytearray(rest)
        return json.loads(line)


callers: list[Caller] = []


async def call(path: Path) -> Caller:
    """A caller whose connection ends with the socket's offer."""
    callers.append(Caller(await trio.open_unix_socket(path)))
    return callers[-1]


async def test_requests_one_after_the_other_and_in_pieces(tmp_path: Path) -> None:
    async with offered(tmp_path) as path:
        caller = await call(path)
        assert (await caller.ask(b"one"))["result"] == "one"
        for byte in b"two\nthree\nfour":
            await caller.stream.send_all(bytes([byte]))
        await caller.stream.send_all(b"\n")
        assert [(await caller.answer())["result"] for _ in range(3)] == ["two", "three", "four"]


async def test_the_file_is_its_users_alone_and_gone_at_the_end(tmp_path: Path) -> None:
    async with offered(tmp_path) as path:
        mode = path.stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
    assert not path.exists()


async def test_a_socket_of_a_dead_server_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / SOCKET_FILE
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(os.fspath(path))
    sock, file = open_socket(path)
    with sock:
        assert file.st_ino == path.stat().st_ino
        assert stat.S_IMODE(file.st_mode) == 0o600  # the old one had another mode


async def test_a_living_servers_socket_is_left_alone(tmp_path: Path) -> None:
    async with offered(tmp_path) as path:
        with pytest.raises(NoSocket):
            open_socket(path)
        assert (await (await call(path)).ask(b"still"))["result"] == "still"


def test_what_is_no_socket_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / SOCKET_FILE
    path.write_text("mine")
    with pytest.raises(NoSocket, match=re.escape(str(path))):
        open_socket(path)
    assert path.read_text() == "mine"


def test_a_folder_where_others_write_is_not_trusted(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(NoSocket):
        open_socket(tmp_path / SOCKET_FILE)


def test_a_path_too_long_is_said_with_its_length(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 120) / SOCKET_FILE
    with pytest.raises(NoSocket, match=str(len(os.fsencode(path)))):
        check_path(path)


def test_a_system_without_unix_sockets_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delattr(socket, "AF_UNIX")
    with pytest.raises(NoSocket):
        check_path(tmp_path / SOCKET_FILE)


async def test_where_it_cannot_be_offered_the_server_says_so_and_goes_on(tmp_path: Path) -> None:
    with capture_logs() as logs:
        await serve_socket(tmp_path / "missing" / SOCKET_FILE, echo)
    assert [entry["event"] for entry in logs] == ["admin_not_offered"]


async def test_a_line_without_end_and_a_fault_end_that_connection_alone(tmp_path: Path) -> None:
    async with offered(tmp_path) as path:
        long, broken, well = await call(path), await call(path), await call(path)
        try:
            for _ in range(4 * LONGEST_LINE // 1024):
                await long.stream.send_all(b"x" * 1024)
        except trio.BrokenResourceError:
            pass  # it was closed meanwhile, as it should be
        assert await ended(long)
        with capture_logs() as logs:
            assert await broken.ask(b"fail") is None
        assert [entry["event"] for entry in logs] == ["admin_connection_failed"]
        assert (await well.ask(b"well"))["result"] == "well"


async def ended(caller: Caller) -> bool:
    try:
        return await caller.answer() is None
    except trio.BrokenResourceError:
        return True


async def test_one_that_waits_holds_up_nobody(tmp_path: Path) -> None:
    async with offered(tmp_path) as path:
        hanging = await call(path)
        await hanging.stream.send_all(b"hang\n")
        silent = [await call(path) for _ in range(admin_socket.CLIENTS - 2)]
        assert (await (await call(path)).ask(b"well"))["result"] == "well"
        assert all(not one.held for one in silent)


async def test_a_silent_caller_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_socket, "LINE_SECONDS", 0.05)
    async with offered(tmp_path) as path:
        assert await (await call(path)).answer() is None


async def test_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(struct, "unpack", lambda *_: (1, os.geteuid() + 12345, 1))
    async with offered(tmp_path) as path:
        with capture_logs() as logs:
            caller = await call(path)
            assert await caller.answer() is None
    assert [entry["event"] for entry in logs] == ["admin_refused"]


async def test_the_file_of_a_successor_is_not_removed(tmp_path: Path) -> None:
    async with offered(tmp_path) as path:
        path.unlink()
        path.write_text("another's")
    assert path.read_text() == "another's"
