"""What is told beside the dice: the running throw and where it leads, or what the last turn and round came to."""

from robby_client.words.common import amount
from robby_games.tresor_diebe import NOBODY, THROWS, field_after, value_of
from robby_protocol.i18n import _, ngettext
from robby_tui.signs import ALERT, ARROW, GOOD, MUTED
from robby_tui.tresor_diebe.marks import colour, shape
from robby_tui.tresor_diebe.odds import any_chance
from robby_tui.tresor_diebe.picture import STORY, Picture
from robby_tui.tresor_diebe.safes import percent
from robby_tui.widgets.lines import Line, wrap


def panel_lines(picture: Picture, cells: int, rows: int) -> list[Line]:
    """At most so many lines of at most so many cells, the most wanted first."""
    odds = wrap(_odds(picture), cells, "") if picture.odds else []
    room = rows - len(odds)
    told = _running(picture) if picture.public.dice else _last(picture)
    lines = [line for one in told for line in wrap(one, cells, "")]
    if picture.public.dice and len(lines) > room:
        del lines[1]  # the sum alone: the safe has its number
    return [*lines[:room], *odds]


def _running(picture: Picture) -> list[Line]:
    """The throw, its sum, and what comes of stopping now."""
    public = picture.public
    safe = sum(public.dice)
    throw = _("Your throw {n} of {most}") if public.turn == picture.me else _("{name}: throw {n} of {most}")
    before = public.fields[public.turn]
    field = field_after(before, safe, picture.owner == NOBODY)
    moves = _("to field {field}") if picture.owner == NOBODY else _("back to field {field}")
    style = f"bold {GOOD}" if picture.owner == NOBODY else f"bold {ALERT}"
    heading: Line = [(throw.format(name=picture.name(public.turn), n=public.throws, most=THROWS), "bold")]
    if picture.rolling:
        return [heading]
    return [
        heading,
        [(" + ".join(map(str, public.dice)) + f" = {safe}", "bold")],
        _safe(picture, safe),
        [(f"{ARROW} " + moves.format(field=field), style)],
    ]


def _safe(picture: Picture, safe: int) -> Line:
    if picture.owner == NOBODY:
        text = _("Safe {safe} is free: {value} €").format(safe=safe, value=amount(value_of(safe)))
        return [(text, f"bold {GOOD}")]
    return [
        (_("Safe {safe} is open:").format(safe=safe) + " ", f"bold {ALERT}"),
        (shape(picture.owner), colour(picture.owner)),
        (" " + picture.name(picture.owner), f"bold {ALERT}"),
    ]


def _last(picture: Picture) -> list[Line]:
    """The round that the last turn ended; else that turn, and who passed."""
    recap, public = picture.recap, picture.public
    if recap.last is None:
        return [[(_("Nothing has been thrown yet."), MUTED)]]
    if recap.ended is not None:
        return [[(round_text(picture), "bold $accent")]]
    lines: list[Line] = [[(last_text(picture), "bold")]]
    if public.passes:
        passed = ngettext(
            "{n} of {all} passed one after another.", "{n} of {all} passed one after another.", public.passes
        )
        lines.append([(passed.format(n=public.passes, all=len(public.fields)), ALERT)])
    return lines


def round_text(picture: Picture) -> str:
    """The round that the last turn ended, and what it brought; empty if it ended none."""
    ended = picture.recap.ended
    return "" if ended is None else STORY.sentence(ended, picture.names, picture.me) or ""


def last_text(picture: Picture, *, dice: bool = True) -> str:
    """The last turn in a sentence, and the dice as they lay; empty before the first."""
    last = picture.recap.last
    if last is None:
        return ""
    told = STORY.sentence(last.end, picture.names, picture.me) or ""
    return f"{' '.join(map(str, last.dice))} = {sum(last.dice)}. {told}" if dice and last.dice else told


def _odds(picture: Picture) -> Line:
    chance = percent(any_chance(picture))
    if picture.chosen:
        text = _("If thrown, any free: {chance}").format(chance=chance)
    else:
        text = _("Any free safe: {chance}").format(chance=chance)
    return [(text, f"bold {GOOD}")]
