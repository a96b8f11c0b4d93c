"""What everybody on the server was told and this person has not put away yet. Knows no widgets."""

from dataclasses import dataclass

from robby_client.tale.table import notice_sentence
from robby_protocol.messages import Notice

MOST = 5
"""Kept at a time, the newest; an operator who says more repeats himself."""
_TAKEN_BACK = {"kept": "not_kept", "undrained": "draining"}
"""A notice by code, and the one that it makes untrue."""


@dataclass(frozen=True)
class Shown:
    """One line. loud: it must not be overlooked."""

    code: str
    text: str
    loud: bool = False


class Notices:
    """Those that are still shown, the newest first of all but for the loud ones."""

    def __init__(self) -> None:
        self._shown: list[Shown] = []

    @property
    def first(self) -> Shown | None:
        """The one to be seen."""
        loud = [one for one in self._shown if one.loud]
        shown = loud or self._shown
        return shown[-1] if shown else None

    @property
    def more(self) -> int:
        """How many wait behind it."""
        return max(0, len(self._shown) - 1)

    def tell(self, notice: Notice) -> None:
        """A notice came."""
        untrue = {notice.code, _TAKEN_BACK.get(notice.code)} - {"operator"}
        self._shown = [one for one in self._shown if one.code not in untrue]
        self._add(Shown(notice.code, notice_sentence(notice)))

    def remember(self, code: str, text: str) -> None:
        """Something of this client's own that is to be read at leisure."""
        self._shown = [one for one in self._shown if one.code != code]
        self._add(Shown(code, text))

    def warn(self, code: str, text: str) -> None:
        """Something that must not be overlooked."""
        self._shown = [one for one in self._shown if one.code != code]
        self._add(Shown(code, text, loud=True))

    def put_away(self) -> None:
        """The first one was read."""
        first = self.first
        self._shown = [one for one in self._shown if one is not first]

    def clear(self) -> None:
        """Another server."""
        self._shown.clear()

    def _add(self, shown: Shown) -> None:
        self._shown.append(shown)
        while len(self._shown) > MOST:
            # A warning outlives what an operator says.
            self._shown.remove(next((one for one in self._shown if not one.loud), self._shown[0]))
