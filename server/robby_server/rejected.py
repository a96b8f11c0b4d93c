"""How a command is refused: raised where the reason is known, answered by whoever took the command."""

from typing import Any

from robby_protocol.errors import text_for


class Rejected(Exception):  # noqa: N818 - an answer, not a fault
    """A command is refused and nothing has changed.

    code: stable. text: for a person, with a remedy. details: what a program may want besides.
    """

    def __init__(self, code: str, text: str | None = None, **details: Any) -> None:
        super().__init__(code)
        self.code = code
        self.text = text_for(code) if text is None else text
        self.details = details
