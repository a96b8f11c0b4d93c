"""Lines of text on standard output."""

import errno
import os
import sys

from robby_client.safe import cells

LEAST_COLUMNS = 20
"""A window that is narrower, or says that it has none, is left to break lines as it likes."""
_INDENT = "    "


def folded(line: str, columns: int) -> list[str]:
    """A line in pieces that fit a window, cut between words.

    All but the first are indented: nobody's words, however chosen, can look like a line of the game.
    """
    if columns < LEAST_COLUMNS:
        return [line]
    pieces: list[str] = []
    piece, *words = line.split(" ")
    for word in words:
        longer = f"{piece} {word}"
        if cells(longer) <= columns or not piece.strip():
            piece = longer
        else:
            pieces.append(piece)
            piece = _INDENT + word
    return [*pieces, piece]


def _columns() -> int:
    """How many the terminal of standard output has; 0: it is none, or does not say."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return 0


def write_line(line: str) -> None:
    """One line to standard output, at once; folded where that is a terminal."""
    try:
        print(*folded(line, _columns()), sep="\n", flush=True)
    except OSError as problem:
        if problem.errno == errno.EIO:
            # The terminal has gone: as if whoever read had gone.
            raise BrokenPipeError from problem
        raise
