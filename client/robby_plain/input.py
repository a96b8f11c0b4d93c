"""Lines from a person or a script: from a terminal, a pipe or a file, without ever holding up the network.

A thread waits in `os.read`, since files cannot be waited for otherwise. It is left behind when the client ends, and
ends with the process; what it still reads is not lost to whoever asks for the next line.
"""

import os
import select
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import anyio.to_thread

LONGEST_INPUT = 1_000
"""Bytes of one line; the longest that makes sense, a `create` with every option, has some two hundred."""
_CHUNK = 4_096

try:
    import termios
except ImportError:  # a system whose terminals are of another kind; what is typed is shown there
    _HAS_TERMIOS = False
else:
    _HAS_TERMIOS = True


class TooLong(str):
    """Stands for a line that was longer than allowed; its text is dropped."""


class LineReader:
    """All lines of a file descriptor, without their ends, until its end. A line too long comes as `TooLong`."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lines: deque[str] = deque()
        self._pending = b""
        self._dropping = False
        self._ended = False
        self._reading = threading.Lock()
        self._chunks: deque[bytes] = deque()

    @contextmanager
    def unseen(self) -> Iterator[bool]:
        """While in it, a terminal does not show what is typed; gives whether that is so.

        Lines that were typed before are kept, and the end of the line is still shown.
        """
        before = _shows(self._fd, False)
        try:
            yield before is not None
        finally:
            if before:
                _shows(self._fd, True)

    def __aiter__(self) -> "LineReader":
        return self

    async def __anext__(self) -> str:
        while not self._lines:
            if self._ended:
                raise StopAsyncIteration
            await anyio.to_thread.run_sync(self._fill, abandon_on_cancel=True)
            if self._chunks:
                self._take(self._chunks.popleft())
        return self._lines.popleft()

    def _fill(self) -> None:
        """In a thread: read, unless one that was left behind has done so or does it now."""
        with self._reading:
            if not self._chunks:
                self._chunks.append(_read(self._fd))

    def _take(self, chunk: bytes) -> None:
        if not chunk:
            self._ended = True
            if self._pending and not self._dropping:
                self._lines.append(_text(self._pending))
            return
        *lines, self._pending = (self._pending + chunk).split(b"\n")
        for line in lines:
            if self._dropping or len(line) > LONGEST_INPUT:
                self._dropping = False
                self._lines.append(TooLong())
            else:
                self._lines.append(_text(line))
        if len(self._pending) > LONGEST_INPUT:
            self._pending = b""
            self._dropping = True


def _shows(fd: int, wanted: bool) -> bool | None:
    """Let a terminal show what is typed, or not. Returns whether it did so before; None if this is no terminal."""
    if not _HAS_TERMIOS:
        return None
    try:
        modes = termios.tcgetattr(fd)
        before = bool(modes[3] & termios.ECHO)
        modes[3] |= termios.ECHONL
        modes[3] = modes[3] | termios.ECHO if wanted else modes[3] & ~termios.ECHO
        termios.tcsetattr(fd, termios.TCSADRAIN, modes)
    except termios.error:
        return None
    return before


def _read(fd: int) -> bytes:
    """Some bytes, none at the end. A terminal that has gone is an end."""
    while True:
        try:
            return os.read(fd, _CHUNK)
        except BlockingIOError:
            # Somebody else made the shared descriptor non-blocking.
            select.select([fd], [], [])
        except OSError:
            return b""


def _text(line: bytes) -> str:
    return line.decode("utf-8", errors="replace").strip()
