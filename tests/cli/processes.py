"""The command as a process of its own: what it writes is read line by line, and it never outlives its test."""

import os
import re
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

ROBBY = [sys.executable, "-P", "-m", "robby_cli"]
SECONDS = 45.0
"""No single step takes so long, even on a busy machine."""


class Robby:
    """A running command. stdin: a file; None: a pipe to write to."""

    def __init__(self, arguments: list[str], env: dict[str, str], stdin: IO[bytes] | None = None) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        self.process = subprocess.Popen(
            [*ROBBY, *arguments],
            env=env,
            stdin=subprocess.PIPE if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
        )
        self._pending = b""
        self._seen: list[str] = []

    def until(self, pattern: str) -> re.Match[str]:
        """The next line of its output that has the pattern in it."""
        deadline = time.monotonic() + SECONDS
        while True:
            line, end, rest = self._pending.partition(b"\n")
            if end:
                self._pending = rest
                text = line.decode("utf-8")
                self._seen.append(text)
                if (found := re.search(pattern, text)) is not None:
                    return found
            elif not self._read(deadline - time.monotonic()):
                seen = "\n".join(self._seen)
                raise AssertionError(f"{pattern!r} did not come; seen:\n{seen}\nerrors:\n{self.errors()}")

    def _read(self, seconds: float) -> bool:
        """Whether something more came in time."""
        out = self.process.stdout
        assert out is not None
        if seconds <= 0 or not select.select([out], [], [], seconds)[0]:
            return False
        chunk = os.read(out.fileno(), 65_536)
        self._pending += chunk
        return bool(chunk)

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def end(self) -> str:
        """The rest of its output, once it has ended by itself."""
        deadline = time.monotonic() + SECONDS
        while self._read(deadline - time.monotonic()):
            pass
        self.process.wait(max(0.1, deadline - time.monotonic()))
        rest, self._pending = self._pending, b""
        return rest.decode("utf-8")

    @property
    def code(self) -> int | None:
        return self.process.returncode

    def errors(self) -> str:
        """What it has written to standard error so far."""
        self._errors.seek(0)
        return self._errors.read().decode("utf-8")

    def kill(self) -> None:
        """End it whatever it does, and close all that is open."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        self._errors.close()


def environment(home: Path, **more: str) -> dict[str, str]:
    """This process's environment, with a home of its own."""
    return {**os.environ, "ROBBY_HOME": str(home), **more}
