"""Chat: what can be said, how often, and the last lines for those who come later.

A line is passed on literally; what could steer a terminal or turn a line around is refused here, and what remains is
for clients to show as text. Nothing that anybody says is written to a log or kept across restarts. Knows neither
tables nor connections.
"""

import unicodedata
from collections import deque
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from robby_protocol import errors
from robby_protocol.i18n import _
from robby_protocol.messages import ChatSaid
from robby_server.rejected import Rejected
from robby_server.settings import Settings

# Control characters (C0, C1, so escapes, tabs, U+009B and U+0085), surrogates, line and paragraph separators.
_REFUSED_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})

# Overrides, embeddings and isolates of the writing direction: they show letters in an order in which they were not
# written, and reach beyond the line in terminals that forget to end them. The marks that only say which way a letter
# goes (U+200E, U+200F, U+061C) are needed in right-to-left languages, as are the joiners there and in emoji; they
# stay. Interlinear annotations (U+FFF9 … U+FFFB) hide text.
_REFUSED = frozenset(
    map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x2070), *range(0xFFF9, 0xFFFC))),
)

# Letters and symbols that show nothing.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")

_MARKS = 10
"""Combining marks in a row: Tibetan stacks eight or so. More grow over the lines around in some terminals, and putting
thousands into their canonical order takes time that grows with the square of their number."""

HOUSEHOLD = 10
"""What is said from one address counts as that of so many people: a class has enough of it, and who logs in under a new
name for every few lines does not drown the others."""

_FULL_AGAIN = 1000
"""How many speakers are remembered before those who may say everything again are forgotten."""


def check_line(text: str, settings: Settings) -> str:
    """The line as everybody gets it, in its NFC form. Raises Rejected (BAD_CHAT) with the reason for a person."""
    if _piles_up(text):
        raise Rejected(errors.BAD_CHAT, _("A line of chat cannot pile up accents. Leave some out."), most=_MARKS)
    line = unicodedata.normalize("NFC", text)
    for character in line:
        if unicodedata.category(character) in _REFUSED_CATEGORIES:
            raise Rejected(
                errors.BAD_CHAT,
                _("A line of chat cannot have line breaks, tabs or control characters. Leave them out."),
                character=f"U+{ord(character):04X}",
            )
        if character in _REFUSED:
            raise Rejected(
                errors.BAD_CHAT,
                _("A line of chat cannot have characters that turn the direction of others around. Leave them out."),
                character=f"U+{ord(character):04X}",
            )
    if len(line) > settings.chat_characters:
        raise Rejected(
            errors.BAD_CHAT,
            _("A line of chat can have at most {most} characters; this one has {count}. Say it in several.").format(
                most=settings.chat_characters, count=len(line)
            ),
            most=settings.chat_characters,
        )
    if not any(_shows(character) for character in line):
        raise Rejected(errors.BAD_CHAT, _("There is nothing to see in this line. Type something."))
    return line


def _piles_up(text: str) -> bool:
    run = 0
    for character in text:
        run = run + 1 if unicodedata.category(character)[0] == "M" else 0
        if run > _MARKS:
            return True
    return False


def _shows(character: str) -> bool:
    category = unicodedata.category(character)
    # Unassigned ones may be emoji that are newer than our tables.
    return (category[0] in "LNPS" or category in ("Co", "Cn")) and character not in _BLANK


class Pace:
    """How much everybody may say: `chat_rate` lines a second for long, `chat_burst` at once, in all places together;
    from one address `HOUSEHOLD` times as much.

    now: gives the time in seconds, on any clock that does not jump.
    """

    def __init__(self, settings: Settings, now: Callable[[], float]) -> None:
        self._rate = settings.chat_rate
        self._burst = max(1, settings.chat_burst)
        self._now = now
        self._full_at: dict[tuple[int, str], float] = {}  # by whom: when the whole burst is there again

    def take(self, who: str, address: str = "") -> None:
        """Somebody says a line. address: empty for somebody who has none, and is not counted with others there.

        Raises Rejected (CHAT_TOO_FAST, details `wait_ms`) if that is too early; then it does not count.
        """
        now = self._now()
        full_at: dict[tuple[int, str], float] = {}
        wait = 0.0
        for times, key in ((1, who), (HOUSEHOLD, address)) if address else ((1, who),):
            full = max(now, self._full_at.get((times, key), now))
            rate = self._rate * times
            wait = max(wait, full - now - (self._burst * times - 1) / rate)
            full_at[times, key] = full + 1 / rate
        if wait > 1e-6:
            raise Rejected(errors.CHAT_TOO_FAST, wait_ms=max(1, round(wait * 1000)))
        if len(self._full_at) >= _FULL_AGAIN:
            self._full_at = {one: full for one, full in self._full_at.items() if full > now}
        self._full_at |= full_at


class ChatLog:
    """The last lines said in one place."""

    def __init__(self, settings: Settings) -> None:
        self._lines: deque[ChatSaid] = deque(maxlen=settings.chat_kept)

    def add(self, said: ChatSaid) -> None:
        """Remember a line."""
        self._lines.append(said)

    def past(self) -> Iterator[ChatSaid]:
        """The lines for somebody who comes now, oldest first."""
        for said in self._lines:
            yield replace(said, past=True)
