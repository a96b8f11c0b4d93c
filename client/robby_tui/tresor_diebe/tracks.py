"""All thieves on the score track, a line each: from the start field to field 20, and what it comes to in all.

Draws what it is given and knows no rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from robby_client.words.common import amount, yours
from robby_games.tresor_diebe import LAST_FIELD
from robby_protocol.i18n import _, ngettext
from robby_tui.cells import cut, fit, width
from robby_tui.signs import BOT, MUTED, YOU
from robby_tui.tresor_diebe.marks import colour, shape
from robby_tui.widgets.lines import Line, line_width, pad

LONGEST_NAME = 20
LEAST_NAME = 9
_MARKS = 4
"""Cells before the name: who one is, the shape, and air."""
_SCALE = 5
"""Fields from one number of the scale to the next."""
Form = Literal["long", "middle", "short"]
_FORMS: tuple[Form, ...] = ("long", "middle", "short")


@dataclass(frozen=True)
class Thief:
    """One player as the track shows them. total: points of all rounds, this one as it stands. more: said of them."""

    seat: int
    name: str
    field: int
    total: int
    markers: int
    mine: bool = False
    bot: bool = False
    turn: bool = False
    more: tuple[tuple[str, str], ...] = ()


def track_lines(thieves: Sequence[Thief], cells: int, *, scale: bool = False) -> list[Line]:
    """One line for each thief, in so many cells, the longer form where it fits. scale: the fields' numbers above."""
    longest = min(LONGEST_NAME, max((width(_label(thief)) for thief in thieves), default=0))
    for form in _FORMS:
        room = cells - max((line_width(_thief(thief, 0, form)) for thief in thieves), default=0)
        if room >= longest or form is _FORMS[-1]:
            names = min(longest, max(LEAST_NAME, room))
            numbers = "".join(f"{field:<{_SCALE}}" for field in range(0, LAST_FIELD + 1, _SCALE))
            above: Line = [(" " * (_MARKS + names + 1) + numbers, MUTED)]
            return [
                pad(line, cells) for line in ([above] if scale else []) + [_thief(one, names, form) for one in thieves]
            ]
    raise AssertionError("the last form is always taken")


def track(field: int, seat: int) -> Line:
    """The track with one thief on it, the way behind the thief drawn double."""
    return [
        ("═" * field, colour(seat)),
        (shape(seat), colour(seat)),
        ("╌" * (LAST_FIELD - field) + ("┤" if field < LAST_FIELD else "║"), MUTED),
    ]


def _label(thief: Thief) -> str:
    name = yours(thief.name) if thief.mine else thief.name
    return f"{name} {BOT}" if thief.bot else name


def _thief(thief: Thief, names: int, form: Form) -> Line:
    label = _label(thief)
    if width(label) > names and thief.mine:
        label = cut(thief.name, names)
    style = "bold" if thief.mine or thief.turn else ""
    line: Line = [
        (YOU if thief.mine else " ", "bold $accent"),
        (f" {shape(thief.seat)} ", colour(thief.seat)),
        (fit(label, names) + " ", style),
        *track(thief.field, thief.seat),
        (_points(thief, form), style),
    ]
    for text, how in thief.more:
        line.append(("  " + text, how))
    return line


def _points(thief: Thief, form: Form) -> str:
    if form == "short":
        return _("{field:>3} all {total:>3}").format(field=thief.field, total=amount(thief.total))
    if form == "middle":
        return _("{field:>3} · in all {total:>3}").format(field=thief.field, total=amount(thief.total))
    markers = ngettext("{n:>2} marker", "{n:>2} markers", thief.markers).format(n=thief.markers)
    text = _("{field:>3} · in all {total:>3} · {markers}")
    return text.format(field=thief.field, total=amount(thief.total), markers=fit(markers, 10))
