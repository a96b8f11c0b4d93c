"""Answers on their way, and the keys that wait behind them. Knows no widgets and no game.

A key press answers the decision that is on the screen. Keys typed faster than the server answers wait for the next
decision of the same phase, and are dropped at its end or with the connection.
"""

MOST_AHEAD = 3
"""Keys that may wait for the server's answer."""


class Answers:
    """What was sent and not yet answered, for one table."""

    def __init__(self) -> None:
        self._sent: int | None = None
        self._ahead: list[str] = []
        self._last = ""

    @property
    def sent(self) -> bool:
        """Whether an answer is on its way."""
        return self._sent is not None

    def send(self, decision: int) -> None:
        """The answer to this decision leaves now."""
        self._sent = decision

    def asked(self, decision: int | None) -> None:
        """This is asked now, None: nothing. An answer to another decision has arrived, or is of no use any more."""
        if decision is None or decision != self._sent:
            self._sent = None

    def drop(self) -> None:
        """The phase is over, the connection gone or the answer refused: what was typed ahead was meant for before."""
        self._sent = None
        self._ahead.clear()

    def may_act(self, action: str) -> bool:
        """Whether a key may act at once. While an answer is on its way its action waits, a repeat does not."""
        if self._sent is None:
            self._last = action
            return True
        if action != self._last and len(self._ahead) < MOST_AHEAD:
            self._ahead.append(action)
            self._last = action
        return False

    def take_ahead(self) -> list[str]:
        """The actions that waited and may be done now, in the order typed."""
        if self._sent is not None:
            return []
        ahead, self._ahead = self._ahead, []
        return ahead
