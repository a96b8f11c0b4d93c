"""`robby serve` as a process of its own on a free port of the loopback, with what can be measured from outside."""

import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")
START_LIMIT = 30.0
STOP_LIMIT = 8.0
"""Seconds: the server allows itself five, and the machine may be busy."""


class Served:
    """The process; use it as a context manager. Leaving it stops the server and checks that it stopped well.

    arguments: further ones of `robby serve`. descriptors: its limit of open files, if it shall have its own.
    """

    def __init__(self, *arguments: str, descriptors: int | None = None, port: int = 0) -> None:
        self.arguments = arguments
        self.descriptors = descriptors
        self.port = port
        self.checked = False
        self._folder = tempfile.TemporaryDirectory()
        self._log = Path(self._folder.name) / "log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The running process."""
        assert self._process is not None, "the server has been started"
        return self._process

    @property
    def folder(self) -> Path:
        """Its data."""
        return Path(self._folder.name)

    def start(self) -> Self:
        """Start it and wait until it listens; after `kill` again on the same port, with the same data."""
        self.launch()
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode()
        found = re.search(r":(\d+)\.$", line.strip())
        if found is None:
            self.process.wait(START_LIMIT)
            raise AssertionError(f"the server did not start: {line!r} {self.log()}")
        self.port = int(found.group(1))
        return self

    def launch(self) -> None:
        """Start it without waiting for anything."""
        if self._process is not None and self._process.stdout is not None:
            self._process.stdout.close()
        command = [sys.executable, "-P", "-m", "robby_cli", "serve", "--host", "127.0.0.1", "--port", str(self.port)]
        command += ["--data", self._folder.name, "--max-per-address", "500", "--bot-think", "0", *self.arguments]
        limit = self.descriptors

        def lower() -> None:
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment(self._folder.name),
                preexec_fn=lower,  # noqa: PLW1509 - sets a limit and nothing else
            )

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.stop()
        except AssertionError:
            if error is None:
                raise
        log = self.log()
        self.close()
        if error is None and not self.checked:
            assert self.process.returncode in (0, -signal.SIGKILL), (self.process.returncode, log[-2000:])
            assert "Traceback" not in log, log[-3000:]

    def stop(self) -> None:
        """Stop it in good order, if it runs."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_LIMIT)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("the server did not stop") from None

    def close(self) -> None:
        """Give back the files."""
        if self._process is not None and self._process.stdout is not None:
            self._process.stdout.close()
        self._folder.cleanup()

    # What it does.

    def signal(self, number: int) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def wait(self, seconds: float = STOP_LIMIT) -> int:
        """Wait for its end; its exit code."""
        return self.process.wait(seconds)

    def check_alive(self) -> None:
        """Raise AssertionError if it has ended."""
        assert self.process.poll() is None, self.log()[-2000:]

    def kill(self) -> None:
        """End it as `kill -9` does."""
        self.process.kill()
        self.process.wait()

    def log(self) -> str:
        """Everything it has logged."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def log_lines(self) -> int:
        """How many lines it has logged."""
        return self.log().count("\n")

    # What it uses.

    def memory(self) -> float:
        """Resident memory in megabytes."""
        return memory_of(self.process.pid)

    def cpu(self) -> float:
        """Processor time used so far, in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def open_files(self) -> int:
        """How many descriptors are open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def children(self) -> list[int]:
        """Process ids of its children."""
        return children_of(self.process.pid)


def memory_of(pid: int) -> float:
    """Resident memory of a process in megabytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE / 1e6


def children_of(pid: int) -> list[int]:
    """Process ids of a process's children."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def environment(home: str) -> dict[str, str]:
    """The environment for a program under trial: its own home, English, no colours; the rest as it is."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("ROBBY_", "LC_", "LANG"))}
    return {**kept, "ROBBY_HOME": home, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
