"""Talks to a running server's admin socket: one request, one answer. Knows nothing of what they mean."""

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robby_cli.exits import CommandError
from robby_client import exit_codes
from robby_protocol.i18n import _
from robby_server.admin_socket import SOCKET_FILE, NoSocket, check_path

SECONDS = 20.0
"""For the whole answer: the server allows itself ten."""
LONGEST_ANSWER = 8 * 1024 * 1024
"""Bytes: hundreds of tables and people are some hundred kilobytes."""


class AdminRefused(Exception):  # noqa: N818 - an answer, not a fault
    """The server refused. code, text: its own."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(code)
        self.code = code
        self.text = text


def socket_path(data: Path | None, path: Path | None) -> Path:
    """Where the socket is: as given, or in the server's data folder, or in the usual one."""
    if path is not None:
        return path
    if data is None:
        from robby_cli.server_folder import data_folder

        data = data_folder()
    return data / SOCKET_FILE


def ask(path: Path, request: Mapping[str, Any]) -> Any:
    """The result of one request. Raises AdminRefused, and CommandError where there is no server to ask."""
    try:
        check_path(path)
        answer = _exchange(path, json.dumps(dict(request)).encode() + b"\n")
    except NoSocket as problem:
        raise CommandError(problem.sentence, exit_codes.CANNOT_CONNECT) from problem
    except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError) as problem:
        raise CommandError(
            _("No server runs there: nobody listens at {path}. Start it, or say where with --data or --socket.").format(
                path=path
            ),
            exit_codes.CANNOT_CONNECT,
        ) from problem
    except PermissionError as problem:
        raise CommandError(
            _("You may not steer this server: {path} is its user's alone. Run this as that user, or as root.").format(
                path=path
            ),
            exit_codes.CANNOT_CONNECT,
        ) from problem
    except TimeoutError as problem:
        raise CommandError(
            _("The server did not answer in time. Try again, and look at its log."), exit_codes.CANNOT_CONNECT
        ) from problem
    except OSError as problem:
        raise CommandError(
            _("The server at {path} cannot be asked: {cause}.").format(path=path, cause=problem.strerror or problem),
            exit_codes.CANNOT_CONNECT,
        ) from problem
    try:
        found = json.loads(answer)
        if found["ok"] is True:
            return found["result"]
        refused = AdminRefused(str(found["code"]), str(found["text"]))
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise CommandError(
            _("What answers at {path} is no Robby server, or stopped in the middle. See its log.").format(path=path),
            exit_codes.CANNOT_CONNECT,
        ) from problem
    raise refused


def _exchange(path: Path, line: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(SECONDS)
        sock.connect(os.fspath(path))
        sock.sendall(line)
        found = bytearray()
        while not found.endswith(b"\n") and len(found) < LONGEST_ANSWER:
            data = sock.recv(65536)
            if not data:
                break
            found += data
        return bytes(found)
