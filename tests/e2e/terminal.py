"""A real program in a real pseudo-terminal, its screen read with a terminal emulator (pyte).

Blocking and free of any event loop: the tests that use it talk to real processes and wait for what a person would see.
"""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

import pyte

# pyte takes the final letters of these (keyboard protocol, mode queries) for text or for cursor commands.
_UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[(?:[<>=][0-9;:]*[ -/]*[@-~]|\?[0-9;]*\$[@-~])")
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;:<>=?]*[ -/]*)?\Z")

_MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
_MODES: dict[bytes, tuple[str, bool]] = {
    b"1049": ("alternate screen", True),
    b"25": ("no cursor", False),
    b"7": ("no wrap", False),
    b"1000": ("mouse", True),
    b"1002": ("mouse", True),
    b"1003": ("mouse", True),
    b"1006": ("mouse", True),
    b"1015": ("mouse", True),
    b"1016": ("mouse", True),
    b"1004": ("focus", True),
    b"2004": ("paste", True),
}
"""Private modes: a name, and whether *set* is the unusual state."""
_KEYBOARD_PUSHED = re.compile(rb"\x1b\[>[0-9]+u")
_KEYBOARD_POPPED = re.compile(rb"\x1b\[<[0-9]*u")

SEND_SECONDS = 30.0
"""A program that has not read what was typed by then never will."""

PAINTED = 0.02
"""Seconds without anything new after which a screen, which comes in several pieces, is whole."""

Condition = str | re.Pattern[str] | Callable[[str], bool]


def _holds(condition: Condition, text: str) -> bool:
    if isinstance(condition, str):
        return condition in text
    if isinstance(condition, re.Pattern):
        return condition.search(text) is not None
    return condition(text)


class ScreenTimeoutError(AssertionError):
    """The screen never showed what was waited for."""


class Terminal:
    """A child process on its own pseudo-terminal.

    argv: the command. env: its whole environment. columns, rows: the window's size in cells.
    """

    def __init__(
        self, argv: Sequence[str], *, env: Mapping[str, str], columns: int = 80, rows: int = 24, cwd: str | None = None
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._kept = b""
        self._lines: list[str] = []
        self._seen: tuple[int, ...] = ()
        self.raw = bytearray()
        self.master, slave = os.openpty()
        self._set_size(columns, rows)
        self.initial_modes = termios.tcgetattr(slave)
        self.slave = slave

        def take_terminal() -> None:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            list(argv),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={"TERM": "xterm-256color", **env},
            cwd=cwd,
            start_new_session=True,
            preexec_fn=take_terminal,  # noqa: PLW1509 - no threads here, and only this takes the terminal
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int) -> None:
        """Change the window's size; the program is told as by a real terminal."""
        self._set_size(columns, rows)
        self.screen.resize(max(rows, 1), max(columns, 1))

    def send(self, keys: str | bytes) -> None:
        """Type; text of any length, for what the program writes meanwhile is read. Raises ScreenTimeoutError."""
        data = keys.encode() if isinstance(keys, str) else keys
        deadline = time.monotonic() + SEND_SECONDS
        while data:
            if time.monotonic() > deadline:
                raise ScreenTimeoutError(f"the program does not read: {len(data)} bytes are left to type")
            readable, writable, _ = select.select([self.master], [self.master], [], 0.2)
            if readable:
                self.pump(0)
            if writable:
                # A terminal's line holds 4,096 bytes: more at once would block while the program waits for us.
                data = data[os.write(self.master, data[:512]) :]

    def pump(self, seconds: float) -> bool:
        """Read what the program writes within this time. False: nothing came, or the terminal is gone."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the child closed its side: EIO on Linux
            return False
        self.raw += data
        data = self._kept + data
        unfinished = _UNFINISHED.search(data)
        cut = unfinished.start() if unfinished else len(data)
        data, self._kept = data[:cut], data[cut:]
        self._stream.feed(_UNKNOWN_TO_PYTE.sub(b"", data))
        return bool(data)

    def pump_for(self, seconds: float) -> None:
        """Read for the whole of this time: for what must not happen, and for the moment in which keys do nothing."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if not self.pump(left) and self.process.poll() is not None:
                return

    def pump_until_quiet(self, quiet: float = 0.15, seconds: float = 3.0) -> None:
        """Read until nothing came for a moment: one change of the screen may arrive in several pieces."""
        deadline = time.monotonic() + seconds
        while self.pump(quiet) and time.monotonic() < deadline:
            pass

    @property
    def text(self) -> str:
        """The screen as lines of text."""
        return "\n".join(line.rstrip() for line in self.lines)

    @property
    def lines(self) -> list[str]:
        """The screen's lines; kept until something comes, for making them takes longer than reading a screen."""
        seen = (len(self.raw), self.screen.columns, self.screen.lines)
        if self._seen != seen:
            self._lines = self.screen.display
            self._seen = seen
        return self._lines

    def cells(self, row: int) -> list[str]:
        """What each cell of a row shows; a wide character has an empty string in its second cell."""
        return [self.screen.buffer[row][column].data for column in range(self.screen.columns)]

    @property
    def modes(self) -> list[object]:
        """The terminal's settings now (echo, line mode, …), to be compared with `initial_modes`."""
        return list(termios.tcgetattr(self.slave))

    @property
    def left_on(self) -> set[str]:
        """What the program switched on in the terminal and did not switch off again.

        Names: `alternate screen`, `no cursor`, `mouse`, `paste`, `focus`, `no wrap`, `keyboard`.
        """
        on: dict[str, bool] = {}
        for found in _MODE.finditer(self.raw):
            for number in found[1].split(b";"):
                if number in _MODES:
                    name, switched_on = _MODES[number]
                    on[number.decode() + name] = (found[2] == b"h") is switched_on
        pushed = len(_KEYBOARD_PUSHED.findall(self.raw)) - len(_KEYBOARD_POPPED.findall(self.raw))
        names = {name.lstrip("0123456789") for name, value in on.items() if value}
        return names | ({"keyboard"} if pushed > 0 else set())

    def wait_for(self, condition: Condition, seconds: float = 20.0) -> str:
        """Wait until the screen shows a text, matches a pattern, or satisfies a function, and what is painted together
        with it has come. Returns the screen."""
        deadline = time.monotonic() + seconds
        while not _holds(condition, self.text):
            left = deadline - time.monotonic()
            if left <= 0 or (self.process.poll() is not None and not self.pump(0)):
                raise ScreenTimeoutError(
                    f"never saw {condition!r} (exit {self.process.poll()}); the screen shows:\n{self.text}"
                )
            self.pump(min(left, 0.2))
        text = self.text
        self.pump_until_quiet(PAINTED, seconds=0.5)
        return self.text if _holds(condition, self.text) else text

    def wait_exit(self, seconds: float = 10.0) -> int:
        """Wait for the program's end, reading all it still writes. Returns its exit code."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                raise ScreenTimeoutError(f"it did not end within {seconds} s; the screen shows:\n{self.text}")
            self.pump(0.1)
        while self.pump(0):
            pass
        return self.process.wait()

    def kill(self) -> None:
        """End the program as `kill -9` does."""
        self.process.kill()
        self.process.wait()

    def hang_up(self) -> None:
        """Take the terminal away, as when a window is closed."""
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = -1

    def close(self) -> None:
        """End the program if it still runs, and the terminal."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        if self.master >= 0:
            self.hang_up()
