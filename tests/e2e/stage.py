"""What a test of the real program needs around it: a server process, and the environment of a person's terminal."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self

ROBBY = [sys.executable, "-P", "-m", "robby_cli"]
START_SECONDS = 40.0
"""A slow machine that measures coverage in every process, with all its cores busy."""
_LISTENS = re.compile(r"listens on 127\.0\.0\.1:(\d+)\.")


def environment(home: Path, **more: str) -> dict[str, str]:
    """A person's environment: nothing of this machine's but where programs are; UTF-8, English, own files in `home`."""
    kept = {name: value for name, value in os.environ.items() if name == "PATH" or name.startswith("COV")}
    return {**kept, "HOME": str(home), "ROBBY_HOME": str(home), "LANG": "C.UTF-8", "COLORTERM": "truecolor", **more}


class ServerProcess:
    """A real `robby serve` on the loopback. port: 0 takes a free one; `port` then tells which."""

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / "server.log"
        self._errors: IO[bytes] = self.log.open("ab")
        self.process = subprocess.Popen(
            [*ROBBY, "serve", "--host", "127.0.0.1", "--port", str(port), "--data", str(folder), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment(folder),
            start_new_session=True,
        )
        self.port = self._read_port()

    def _read_port(self) -> int:
        assert self.process.stdout is not None
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            line = self.process.stdout.readline().decode()
            if found := _LISTENS.search(line):
                return int(found[1])
            if not line:
                break
        raise AssertionError(f"the server did not start: {self.log.read_text()}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def address(self) -> str:
        """As it is typed."""
        return f"127.0.0.1:{self.port}"

    def freeze(self) -> None:
        """Let the whole process stand still, its sockets open, as a hanging machine does."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Go on."""
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> int:
        """End it in good order. Returns its exit code."""
        if self.process.poll() is None:
            self.thaw()
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._errors.close()
        return self.process.wait()


def run_robby(
    *arguments: str, home: Path, given: str | bytes = b"", seconds: float = 60.0, env: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[bytes]":
    """Run the command with pipes for all three streams."""
    return subprocess.run(
        [*ROBBY, *arguments],
        input=given.encode() if isinstance(given, str) else given,
        capture_output=True,
        env={**environment(home), **(env or {})},
        timeout=seconds,
        check=False,
    )
