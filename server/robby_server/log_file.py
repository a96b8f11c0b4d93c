"""A log file that stays under its limit and never stops whoever logs: when it cannot be written, lines are lost and
counted, and it is tried again."""

import os
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

RETRY_SECONDS = 2.0
"""Between two tries to write after one that failed."""

MODE = 0o640
"""Of log files: names and addresses of people are not for everybody on the machine."""

PIECE = 1024
"""Characters written at a time, so at most 4,096 bytes: what a pipe that says that it can be written to takes whole."""


class LogFile:
    """A stream for whole lines. file: where; most_bytes: of one file; files: how many are kept, this one included.

    FILE.1 is the one before, FILE.2 the one before that. Opens the file at once; raises OSError where it cannot, so
    that a server says so when it starts. Later nothing is raised.
    """

    encoding = "utf-8"

    def __init__(self, file: Path, *, most_bytes: int, files: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = file
        self._most = most_bytes
        self._files = max(1, files)
        self._clock = clock
        self._fd: int | None = None
        self._size = 0
        self._again_at = 0.0
        self.lost = 0
        self._open()

    def isatty(self) -> bool:
        """It is no terminal."""
        return False

    def write(self, text: str) -> int:
        """Write one line with its end, or count it as lost."""
        if self._fd is None and self._clock() < self._again_at:
            self.lost += 1
            return len(text)
        try:
            self._put(text.encode("utf-8", "backslashreplace"))
        except OSError:
            self.lost += 1
            self._again_at = self._clock() + RETRY_SECONDS
            self.close()
        return len(text)

    def flush(self) -> None:
        """Every line is handed to the system at once."""

    def close(self) -> None:
        """Give the descriptor back. What is written afterwards opens the file again."""
        fd, self._fd = self._fd, None
        if fd is not None:
            try:
                os.close(fd)
            except OSError:
                return  # what it still held is lost; there is nobody to tell

    def _put(self, line: bytes) -> None:
        if self._fd is None:
            self._open()
        if self._size and self._size + len(line) > self._most:
            self._rotate()
        if self.lost:
            self._append(_lost(self.lost).encode())
            self.lost = 0
        self._append(line)

    def _append(self, line: bytes) -> None:
        assert self._fd is not None, "the file is open"
        written = os.write(self._fd, line)
        self._size += written
        if written < len(line):  # the disk is full in the middle of a line: no half line may stay
            self._size -= written
            os.ftruncate(self._fd, self._size)
            raise OSError("the line did not fit")

    def _open(self) -> None:
        self._fd = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), MODE)
        self._size = os.fstat(self._fd).st_size

    def _rotate(self) -> None:
        self.close()
        if self._files == 1:
            self._path.unlink(missing_ok=True)
        else:
            for number in range(self._files - 1, 0, -1):
                older = self._path if number == 1 else self._numbered(number - 1)
                if older.exists():
                    older.replace(self._numbered(number))
        self._open()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")


class Unbreakable:
    """A stream that may be gone (a closed terminal, a full disk behind it) or stand still (a stopped terminal, a pipe
    that nobody reads): what cannot be written at once is lost and counted. A server must not wait for its log."""

    encoding = "utf-8"

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.lost = 0
        self._cut = False

    def isatty(self) -> bool:
        """As the stream itself."""
        try:
            return self._stream.isatty()
        except ValueError:
            return False  # closed

    def write(self, text: str) -> int:
        """Write, or not."""
        if not self._is_ready():
            self.lost += 1
            return len(text)
        if self.lost:
            text = f"{_lost(self.lost)}{text}"
        if self._cut:
            text = f"\n{text}"
        self.lost, self._cut = 0, False
        for start in range(0, len(text), PIECE):
            if start and not self._is_ready():
                self.lost, self._cut = 1, True
                break
            self._put(text[start : start + PIECE])
        return len(text)

    def flush(self) -> None:
        """Every piece is flushed as it is written."""

    def _put(self, piece: str) -> None:
        try:
            self._stream.write(piece)
            self._stream.flush()
        except (OSError, ValueError):
            self.lost += 1

    def _is_ready(self) -> bool:
        """Whether a piece can be written without waiting, as far as the system tells."""
        try:
            return bool(select.select((), (self._stream,), (), 0)[1])
        except (OSError, ValueError):
            return True  # no file behind it, or more of them than select can bear: nothing to ask


def _lost(lines: int) -> str:
    return f'{{"event": "log_lost", "level": "error", "lines": {lines}}}\n'


def standard_error() -> Unbreakable:
    """The usual place of a log."""
    return Unbreakable(sys.stderr)
