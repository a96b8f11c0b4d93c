"""A key and what it does, as the line of keys shows it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class KeyHint:
    """A key as it is written on screen, what it does, and the action behind it."""

    key: str
    does: str
    action: str
