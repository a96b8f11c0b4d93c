"""Standard streams that cannot fail on a character, whatever the locale.

Where the stream's encoding lacks a character it is spelt in ASCII (… becomes three dots, a bank's shape is left out,
since its name says the same), never an error and never a stray question mark where something better is known.
The same on a terminal whose locale is C, as on the screens; `ROBBY_ASCII` forces it everywhere.
"""

import codecs
import io
import os
import sys
import unicodedata
from typing import TextIO

from robby_client.characters import ascii_asked, ascii_forced

HANDLER = "robby-spell"
_SPELLINGS = str.maketrans(
    {
        "…": "...",
        "–": "-",
        "—": "-",
        "−": "-",
        "·": "-",
        "×": "x",
        "„": '"',
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "→": "->",
        "€": "EUR",
        "≥": ">=",
        "≤": "<=",
        "♛": "*",
        "⚙": "*",
        **dict.fromkeys("●▲■◆✖★▼○", ""),
    }
)


def spell(text: str) -> str:
    """The text in ASCII alone: known signs spelt, accents dropped, the rest as question marks."""
    plain = unicodedata.normalize("NFKD", text.translate(_SPELLINGS))
    return "".join(c if c.isascii() else "?" for c in plain if not unicodedata.combining(c))


def _handle(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    spelt, end = spell(error.object[error.start : error.end]), error.end
    if not spelt and error.object[end : end + 1] == " ":
        end += 1  # the sign is left out with the space that set it off
    return spelt, end


def prepare_streams() -> None:
    """Make the standard streams safe. A stream that is closed altogether becomes the null device."""
    codecs.register_error(HANDLER, _handle)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - open as long as the process
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as above
        elif isinstance(stream, io.TextIOWrapper):
            plain = ascii_forced() or (stream.isatty() and ascii_asked())
            stream.reconfigure(encoding="ascii" if plain else None, errors=HANDLER, line_buffering=True)


def abandon(stream: TextIO) -> None:
    """Nobody is at the other end of this stream: let what is still buffered go nowhere, so that the exit is silent."""
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, stream.fileno())
    except (OSError, ValueError):
        pass  # it has no file behind it: nothing can be left to flush
    finally:
        os.close(null)
