"""Which characters a person wants to be shown."""

import os
from collections.abc import Mapping

_CATEGORY = ("LC_ALL", "LC_CTYPE", "LANG")
"""What names the locale of characters, the strongest first."""


def ascii_forced(environ: Mapping[str, str] | None = None) -> bool:
    """Whether `ROBBY_ASCII` asks for plain characters, whatever the locale."""
    return bool((os.environ if environ is None else environ).get("ROBBY_ASCII"))


def ascii_asked(environ: Mapping[str, str] | None = None) -> bool:
    """Whether plain characters are asked for: by `ROBBY_ASCII`, or by the locale C or POSIX.

    Python itself turns C into UTF-8; the terminal is what was asked for. No locale at all says nothing.
    """
    environ = os.environ if environ is None else environ
    locale = next((environ[name] for name in _CATEGORY if environ.get(name)), "")
    return ascii_forced(environ) or locale in ("C", "POSIX")
