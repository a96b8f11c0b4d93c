"""Words that every game needs: sums, lists of names, lengths of time, the presets of time limits. Knows no game."""

from collections.abc import Sequence

from robby_client.safe import safe
from robby_protocol.i18n import N_, _

TIME_NAMES: dict[str, str] = {
    "blitz": N_("blitz"),
    "standard": N_("standard"),
    "relaxed": N_("relaxed"),
    "untimed": N_("untimed"),
}
"""The presets of time limits, from quick to slow."""


def amount(number: int) -> str:
    """A sum: `9,000`."""
    return f"{number:,}"


def duration(millis: int) -> str:
    """A length of time: `45 s`, `2.5 s`."""
    seconds = millis / 1_000
    return _("{seconds} s").format(seconds=f"{seconds:g}")


def name_list(names: Sequence[str]) -> str:
    """`Ana`, `Ana and Ben`, `Ana, Ben and Cleo`."""
    if len(names) < 2:
        return "".join(names)
    return _("{names} and {last}").format(names=", ".join(names[:-1]), last=names[-1])


def name_of(names: Sequence[str], seat: int) -> str:
    """A participant's name, harmless to show; one that is not known by its number."""
    return safe(names[seat]) if 0 <= seat < len(names) else _("seat {number}").format(number=seat + 1)


def yours(name: str) -> str:
    """The name of whoever reads it, in lists of all."""
    return _("{name} (you)").format(name=name)


def preset_name(preset: str) -> str:
    """A preset of time limits; one of a newer version as it is called in the protocol."""
    known = TIME_NAMES.get(preset)
    return safe(preset) if known is None else _(known)
