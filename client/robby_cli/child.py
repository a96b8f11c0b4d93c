"""A server as a child process on this machine, for local play. It ends when its pipe closes, whatever becomes of us."""

import json
import subprocess
import sys
import tempfile
import threading
from types import TracebackType
from typing import IO

from robby_cli.exits import CommandError
from robby_client import exit_codes
from robby_client.address import Address
from robby_protocol.i18n import _

START_SECONDS = 30.0
"""A server is there within one or two seconds; a slow machine with a cold disk may need ten."""
STOP_SECONDS = 10.0
"""Twice what a server allows itself for stopping."""


class ServerChild:
    """A running server; use it as a context manager. address: where it listens."""

    def __init__(self, *, seed: str | None = None, bot_think: float | None = None) -> None:
        self._command = [sys.executable, "-P", "-m", "robby_cli", "serve", "--host", "127.0.0.1", "--port", "0"]
        self._command += ["--parent-pipe"]
        if seed is not None:
            self._command += ["--seed", seed]
        if bot_think is not None:
            self._command += ["--bot-think", str(bot_think)]
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self.address = Address("127.0.0.1", 0)

    def __enter__(self) -> "ServerChild":
        # Its log must not get into the screen of the game; it is read only if the server does not start.
        self._errors = tempfile.TemporaryFile()
        # A group of its own: Ctrl-C is for the client, which then ends the server.
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )
        try:
            self.address = self._read_address()
        except BaseException:  # also when interrupted: no child may be left behind
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _read_address(self) -> Address:
        process = self._process
        assert process is not None, "the child has been started"
        assert process.stdout is not None, "it has been started with pipes"
        too_slow = threading.Timer(START_SECONDS, process.kill)
        too_slow.start()
        try:
            line = process.stdout.readline()
        finally:
            too_slow.cancel()
        try:
            ready = json.loads(line)
            return Address(str(ready["host"]), int(ready["port"]))
        except (ValueError, KeyError, TypeError):
            reason = self._last_words()
            raise CommandError(
                _("The server for this game did not start: {reason}").format(reason=reason or _("no reason given.")),
                exit_codes.CANNOT_LISTEN,
            ) from None

    def _last_words(self) -> str:
        """The last line of what the child complained about."""
        process, errors = self._process, self._errors
        assert process is not None, "the child has been started"
        assert errors is not None, "it has been started with a file for its log"
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
        errors.seek(0)
        lines = errors.read().decode("utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def stop(self) -> None:
        """End the server and wait for its end."""
        process = self._process
        if process is None:
            return
        self._process = None
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._errors is not None:
            self._errors.close()
