"""All participants: whose turn, how much loot with which card on top, and what their heist card does."""

from robby_client.words import robby_solo as words
from robby_client.words.common import amount
from robby_games.robby_solo import ParticipantView, is_item
from robby_protocol.i18n import _, ngettext
from robby_tui.cells import fit
from robby_tui.robby_solo.picture import Picture
from robby_tui.robby_solo.recap import loot_sum
from robby_tui.signs import ALERT, ARROW, BAD, CLASH, DONE, FACE_DOWN, GENTLEMAN, GOOD, MUTED, YOU
from robby_tui.widgets.lines import Line, line_width, spread
from robby_tui.widgets.seats import Seats

ROOM_FOR_LONG = 72
"""Cells from which what somebody does is told in the longer form."""


class People(Seats[Picture]):
    """The robbers."""

    def row(self, picture: Picture, seat: int, cells: int, *, roomy: bool) -> Line:
        """A robber's line; at its end, where there is no other place for it, what the last reveal brought."""
        one = picture.public.participants[seat]
        line = _line(picture, seat, one, picture.label_cells(cells), cells, "bold" if seat == picture.me else "")
        last = [] if roomy or cells < ROOM_FOR_LONG else _last_in_short(picture, seat)
        if last and line_width(line) + line_width(last) + 2 <= cells:
            line = spread(line, last, cells)
        return line

    def more(self, picture: Picture, seat: int) -> Line:
        """An open stack, or what the last reveal brought while the next round is played."""
        one = picture.public.participants[seat]
        if one.loot is not None:
            return [("     " + words.loot_text(tuple(reversed(one.loot))), MUTED)]
        if picture.public.phase in ("plays", "gentleman", "revision") and _last(picture, seat):
            return [("     " + _("last round:") + " ", MUTED), *_last(picture, seat)]
        return []


def _line(picture: Picture, seat: int, one: ParticipantView, names: int, cells: int, style: str) -> Line:
    gentleman = seat == picture.public.gentleman
    marks = (YOU if seat == picture.me else " ") + (GENTLEMAN if gentleman else " ")
    count = ngettext("{n} card", "{n} cards", one.stack).format(n=f"{one.stack:2}")
    top = "" if one.top is None else _top(one.top)
    head: Line = [
        (f"{marks} ", f"bold $accent{' ' + style if style else ''}"),
        (picture.label(seat, names), style),
        (" " + fit(count, 8) + "  ", style),
    ]
    if cells >= 56:
        head.append((fit(top, 11) + " ", MUTED))
    return [*head, *_state(picture, seat, one, cells)]


def _top(card: int) -> str:
    return _("top {card}").format(card=_("ITEM") if is_item(card) else amount(card))


def _state(picture: Picture, seat: int, one: ParticipantView, cells: int) -> Line:
    """What this participant does, in signs and words."""
    public = picture.public
    away = picture.absence(seat)
    if one.paying:
        return [*away, (_("chooses an item for the police"), f"bold {ALERT}")]
    said: Line = []
    if seat == public.gentleman and public.declaration is not None:
        style = f"bold {GOOD}" if public.declaration.robs else f"bold {ALERT}"
        said = [(f"{FACE_DOWN} " + words.declaration_text(public.declaration), style)]
    if said:
        return [*away, *said]
    if public.phase in ("plays", "gentleman", "revision"):
        return [*away, *_card(picture, seat, one, cells)]
    return [*away, *_last(picture, seat)]


def _card(picture: Picture, seat: int, one: ParticipantView, cells: int) -> Line:
    if one.card == "none":
        if picture.public.phase == "plays" and seat == picture.public.gentleman:
            return [(_("plays last"), MUTED)]
        return [("… " + _("thinks"), MUTED)]
    if one.card == "laid":
        return [(f"{FACE_DOWN} " + _("laid"), "")]
    if one.card == "taken_back":
        return [("↶ " + (_("TOOK THE CARD BACK") if cells >= ROOM_FOR_LONG else _("TOOK IT BACK")), f"bold {ALERT}")]
    if one.card == "laid_again":
        again = _("took back and laid again") if cells >= ROOM_FOR_LONG else _("laid again")
        return [(f"{FACE_DOWN} {again}", ALERT)]
    if one.card == "confirmed":
        return [(f"{DONE} " + _("confirmed"), GOOD)]
    return [(words.participant_state(one), "")]


def _last(picture: Picture, seat: int) -> Line:
    """What the last reveal brought this participant, between two rounds."""
    recap = picture.recap
    if recap is None or seat >= len(recap.named):
        return []
    bank = recap.named[seat]
    if picture.staged is not None and bank >= picture.staged:
        return []
    where = words.bank_label(bank)
    if bank in recap.robbed:
        return [(f"{ARROW} {where} {loot_sum(recap.robbed[bank][1])}", GOOD), *_paid(picture, seat)]
    return [(f"{CLASH} {where} " + _("clash"), BAD), *_paid(picture, seat)]


def _last_in_short(picture: Picture, seat: int) -> Line:
    """The last reveal at the end of a row, while the next card is chosen; later the row tells more of this round."""
    recap = picture.recap
    if picture.public.phase not in ("plays", "gentleman") or recap is None or seat >= len(recap.named):
        return []
    if picture.staged is not None and recap.named[seat] >= picture.staged:
        return []
    bank = recap.named[seat]
    where = f"{words.bank_shape(bank)} {words.bank_letter(bank)}"
    took = f"{ARROW} {where} {loot_sum(recap.robbed[bank][1])}" if bank in recap.robbed else f"{CLASH} {where}"
    return [(_("last: {what}").format(what=took), MUTED)]


def _paid(picture: Picture, seat: int) -> Line:
    recap = picture.recap
    given = [] if recap is None else [card for who, card in recap.given if who == seat]
    if not given:
        return []
    return [("  " + _("police: {loot}").format(loot=" ".join(f"−{_short(card)}" for card in given)), "$accent")]


def _short(card: int) -> str:
    return "1◊" if is_item(card) else amount(card)
