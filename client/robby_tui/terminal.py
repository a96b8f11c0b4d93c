"""The terminal itself: whether it will do, which characters it shows, and leaving it as it was. Knows no game.

Textual's own driver restores the terminal on every orderly exit. What it does not see to: signals that end the process,
a terminal that goes away, and encodings without box-drawing characters.
"""

import asyncio
import locale
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from rich.cells import cell_len
from textual.driver import Driver

from robby_client.characters import ascii_asked
from robby_protocol.i18n import _

GONE_GRACE = 1.5
"""Seconds for an orderly exit once the terminal is gone; after them the process ends at once."""
HANG_UP = 129
"""Exit code once the terminal is gone: 128 + SIGHUP."""
_PLAIN_TERMS = ("vt", "linux", "ansi", "cons")
"""Terminals that rarely have more than letters and lines."""


def check_terminal(
    stdin: TextIO | None = None, stdout: TextIO | None = None, environ: Mapping[str, str] | None = None
) -> str | None:
    """None if the screens can be shown here, else one sentence that says why not and what to do."""
    stdin = sys.stdin if stdin is None else stdin
    stdout = sys.stdout if stdout is None else stdout
    environ = os.environ if environ is None else environ
    if not _is_terminal(stdin) or not _is_terminal(stdout):
        return _("This is no terminal. Use --plain to play in lines of text.")
    # The screens are drawn on standard error, so that has to be the terminal as well.
    if not _is_terminal(sys.__stderr__):
        return _("Standard error is no terminal, and the screens are drawn there. Leave it, or use --plain.")
    if environ.get("TERM", "") in ("", "dumb", "unknown"):
        return _("This terminal cannot place text on the screen (TERM={term}). Use --plain.").format(
            term=environ.get("TERM", "")
        )
    return None


def _is_terminal(stream: Any) -> bool:
    try:
        return stream is not None and bool(stream.isatty())
    except ValueError:  # a closed stream
        return False


def shows_unicode(environ: Mapping[str, str] | None = None, encoding: str | None = None) -> bool:
    """Whether shapes and box-drawing characters can be shown.

    ROBBY_ASCII set to anything says no. A locale that names another encoding than UTF-8, C and POSIX among them if
    they are asked for, says no as well; no locale at all says nothing.
    """
    environ = os.environ if environ is None else environ
    if ascii_asked(environ) or environ.get("TERM", "").startswith(_PLAIN_TERMS):
        return False
    if encoding is None:
        encoding = getattr(sys.__stderr__, "encoding", None) or locale.getencoding()
    return encoding.lower().replace("-", "").replace("_", "") == "utf8"


_STAND_INS: dict[int, str] = {
    **dict.fromkeys(map(ord, "─━╌╍┄┅▁▂▔‾⎯–—▄▀"), "-"),
    **dict.fromkeys(map(ord, "│┃▏▎▍▌▐▕▊▋"), "|"),
    **dict.fromkeys(map(ord, "╭╮╰╯┌┐└┘├┤┬┴┼╔╗╚╝"), "+"),
    **dict.fromkeys(map(ord, "█▉║"), "#"),
    ord("═"): "=",  # a double frame says something, so it must not look like a plain one
    ord("▓"): "+",
    ord("▚"): "!",
    ord("▒"): "%",
    ord("○"): "~",
    ord("░"): ".",
    **dict(zip(map(ord, "●▲■◆✖★▼"), "o^#<x*v", strict=True)),
    # Few letters: those are keys, and name things.
    ord("♛"): "@",
    ord("⚙"): "&",
    ord("◊"): "*",
    **dict.fromkeys(map(ord, "→▶▸›»"), ">"),
    **dict.fromkeys(map(ord, "←◀◂‹«"), "<"),
    **dict.fromkeys(map(ord, "“”„"), '"'),
    **dict.fromkeys(map(ord, "‘’"), "'"),
    **dict.fromkeys(map(ord, "•·"), "*"),
    **dict.fromkeys(map(ord, "△⭡↑"), "^"),
    **dict.fromkeys(map(ord, "▽⭣↓"), "v"),
    ord("…"): ".",
    ord("−"): "-",
    ord("€"): "E",
    ord("↶"): "<",
    ord("✓"): "+",
    ord("✗"): "x",
    ord("\u00a0"): " ",
}


def to_ascii(text: str) -> str:
    """The text in ASCII, every character replaced by one of the same width in cells."""
    if text.isascii():
        return text
    out: list[str] = []
    for char in text.translate(_STAND_INS):
        if "\u2500" <= char <= "\u259f":  # frames, bars and scroll bars
            out.append("+" if char <= "\u257f" else "#")
        else:
            out.append(char if char.isascii() else "?" * cell_len(char))
    return "".join(out)


def driver_class(unicode: bool, lost: Callable[[], None]) -> type[Driver] | None:
    """The driver for this platform with what it lacks; None where only Textual's own exists (Windows).

    lost: called from another thread when the terminal is gone.
    """
    if sys.platform == "win32":
        return None
    from textual.drivers.linux_driver import LinuxDriver

    class TableDriver(LinuxDriver):
        """Textual's driver; it notices the end of the terminal, and can write plain characters alone."""

        def write(self, data: str) -> None:
            writer = self._writer_thread
            if writer is None or not writer.is_alive():
                # The thread that writes has ended because the terminal is gone; its queue would fill and block us.
                return
            super().write(data if unicode else to_ascii(data))

        def start_application_mode(self) -> None:
            reader, before = self._key_thread, self.attrs_before
            if reader is None or not reader.is_alive():
                super().start_application_mode()  # type: ignore[no-untyped-call]
                return
            # Continued without our having suspended (kill -STOP, kill -CONT, or continued twice): a second reader
            # would share the keys with the first and outlive it, and take the shell's input after the end.
            self.disable_input()
            if self._writer_thread is not None:
                self._writer_thread.stop()
            super().start_application_mode()  # type: ignore[no-untyped-call]
            self.attrs_before = before

        def run_input_thread(self) -> None:
            over = threading.Event()
            watch = threading.Thread(target=self._watch, args=(over,), name="robby-terminal", daemon=True)
            watch.start()
            try:
                while True:
                    try:
                        super().run_input_thread()
                        return
                    except UnicodeDecodeError:
                        # Bytes that are no UTF-8, from a terminal of another encoding or a paste of anything: that
                        # piece is dropped and reading begins anew. Textual would end the program with a traceback.
                        continue
            finally:
                over.set()

        def _watch(self, over: threading.Event) -> None:
            import select

            poller = select.poll()
            poller.register(self.fileno, 0)  # hang-ups and errors are told without being asked for
            while not over.is_set():
                if any(what & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _fd, what in poller.poll(300)):
                    self.exit_event.set()  # ends Textual's reader, which would spin on the end of the file
                    lost()
                    return

    return TableDriver


def end_soon(code: int, seconds: float = GONE_GRACE) -> None:
    """Make sure that the process is over by then: an orderly exit may wait for ever on its output."""
    timer = threading.Timer(seconds, os._exit, (code,))
    timer.daemon = True
    timer.start()


class Signals:
    """Makes SIGINT, SIGTERM and SIGHUP end the app in order, for as long as it runs.

    ended: called in the app's loop with the exit code, 128 plus the signal's number as shells have it.
    """

    def __init__(self, ended: Callable[[int, bool], None]) -> None:
        self._ended = ended
        self._installed: list[signal.Signals] = []

    def install(self) -> None:
        """Begin. Where signals cannot be handled (another thread, another platform) nothing changes."""
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is None or signal.getsignal(number) is signal.SIG_IGN:
                continue
            try:
                loop.add_signal_handler(number, self._ended, 128 + number, name == "SIGHUP")
            except (NotImplementedError, RuntimeError, ValueError):
                return
            self._installed.append(number)

    def remove(self) -> None:
        """Leave the signals as they were."""
        loop = asyncio.get_running_loop()
        for number in self._installed:
            loop.remove_signal_handler(number)
        self._installed.clear()
