"""The admin's local socket: who may open the file may steer the server. One JSON object a line each way.

Knows nothing of what is asked. Whatever is wrong with the socket or with whoever connects never touches the games.
"""

import json
import os
import socket
import stat
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import structlog
import trio

from robby_protocol.i18n import _

log = structlog.get_logger("robby.admin")

SOCKET_FILE = "admin.sock"
LONGEST_PATH = 103
"""Bytes of a socket's path that every system takes: 104 with its end on the BSDs and macOS, 108 on Linux."""
LONGEST_LINE = 16 * 1024
"""Bytes of one request."""
LINE_SECONDS = 60.0
"""For a request to come, and for an answer to be read. A person may think between two of them, but not for ever."""
CLIENTS = 8
"""At a time; more wait."""

Answer = Callable[[bytes], Awaitable[dict[str, Any]]]


class NoSocket(Exception):  # noqa: N818 - reads as the sentence that it is
    """The socket cannot be offered. sentence: why, for a person."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def check_path(path: Path) -> None:
    """Raises NoSocket where no socket can have this path."""
    if not hasattr(socket, "AF_UNIX"):
        raise NoSocket(_("This system has no Unix sockets, so the server cannot be steered by robby admin."))
    length = len(os.fsencode(path))
    if length > LONGEST_PATH:
        raise NoSocket(
            _(
                "The path of the admin socket is {length} bytes long, more than {most}: {path}. Use a shorter one."
            ).format(length=length, most=LONGEST_PATH, path=path)
        )


def open_socket(path: Path) -> tuple[socket.socket, os.stat_result]:
    """Listen at this path, which only the server's own user may open. Replaces a socket that a dead server left.

    Returns it, and what its file is, to know it again. Raises NoSocket.
    """
    check_path(path)
    try:
        folder = path.parent.stat()
        if folder.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise NoSocket(
                _("Others may write in {folder}, and could put a socket of their own there. Make it 0700.").format(
                    folder=path.parent
                )
            )
        _clear(path)
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)  # never, not even for a moment, may others open it
        try:
            sock.setblocking(False)
            sock.bind(os.fspath(path))
            sock.listen(CLIENTS)
            file = path.lstat()
        except BaseException:  # whatever it was, it is raised again
            sock.close()
            raise
        finally:
            os.umask(before)
    except OSError as error:
        raise NoSocket(
            _("The admin socket {path} cannot be opened: {cause}.").format(path=path, cause=error.strerror or error)
        ) from error
    return sock, file


def _clear(path: Path) -> None:
    """Remove a socket that nobody listens at any more. Raises NoSocket for anything else that is there."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise NoSocket(_("{path} is there and is no socket. Move it away.").format(path=path))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(os.fspath(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError:  # alive, but busy
            pass
    raise NoSocket(_("Another server listens at {path}. Use a data folder of its own for each.").format(path=path))


async def serve_socket(path: Path, answer: Answer, *, tried: trio.Event | None = None) -> None:
    """Answer requests until cancelled; then remove the file. Where the socket cannot be offered, say so and return.

    tried: is set once it is open, or cannot be.
    """
    try:
        sock, file = open_socket(path)
    except NoSocket as problem:
        log.warning("admin_not_offered", reason=problem.sentence)
        return
    finally:
        if tried is not None:
            tried.set()
    try:
        async with trio.open_nursery() as nursery:
            limit = trio.CapacityLimiter(CLIENTS)
            listener = trio.SocketListener(trio.socket.from_stdlib_socket(sock))
            while True:
                try:
                    stream = await listener.accept()
                except OSError as error:
                    log.warning("admin_accept_failed", error=error.strerror)
                    await trio.sleep(1)
                    continue
                nursery.start_soon(_attend, stream, answer, limit)
    finally:
        sock.close()
        _remove(path, file)


def _remove(path: Path, ours: os.stat_result) -> None:
    try:
        now = path.lstat()
        if (now.st_dev, now.st_ino) == (ours.st_dev, ours.st_ino):
            path.unlink()
    except OSError:
        return  # gone already, or its folder: nothing is left to remove


async def _attend(stream: trio.SocketStream, answer: Answer, limit: trio.CapacityLimiter) -> None:
    async with stream:
        try:
            if not _is_allowed(stream):
                return
            async with limit:
                await _talk(stream, answer)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return  # whoever asked has gone
        except Exception:  # a fault of ours here must stop neither the server nor the next operator
            log.exception("admin_connection_failed")


async def _talk(stream: trio.SocketStream, answer: Answer) -> None:
    held = bytearray()
    while True:
        with trio.move_on_after(LINE_SECONDS) as limit:
            while b"\n" not in held:
                if len(held) > LONGEST_LINE:
                    return
                data = await stream.receive_some(LONGEST_LINE)
                if not data:
                    return
                held += data
        if limit.cancelled_caught:
            return
        line, _end, rest = bytes(held).partition(b"\n")
        held = bytearray(rest)
        if len(line) > LONGEST_LINE:
            return
        reply = json.dumps(await answer(line), ensure_ascii=True) + "\n"
        with trio.move_on_after(LINE_SECONDS) as limit:
            await stream.send_all(reply.encode())
        if limit.cancelled_caught:
            return


def _is_allowed(stream: trio.SocketStream) -> bool:
    """Beside the file's mode, where the system tells who is at the other end: the server's own user and root."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    _pid, uid, _gid = struct.unpack("iII", stream.socket.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("iII")))
    if uid in (0, os.geteuid()):
        return True
    log.warning("admin_refused", uid=uid)
    return False
