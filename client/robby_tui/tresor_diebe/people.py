"""The players as the score track shows them, and where there is room a second line about each."""

from robby_games.tresor_diebe import FIRST_SAFE
from robby_protocol.i18n import _
from robby_tui.signs import ALERT, GOOD, MUTED, WINNER
from robby_tui.tresor_diebe.picture import Picture
from robby_tui.tresor_diebe.tracks import Thief, track_lines
from robby_tui.widgets.lines import Line, Piece, pad


def people_lines(picture: Picture, cells: int, *, roomy: bool) -> list[Line]:
    """One line for each player, in the order of sitting; roomy: two, under a scale."""
    seats = range(len(picture.public.fields))
    lines = track_lines([_thief(picture, seat) for seat in seats], cells, scale=roomy)
    if not roomy:
        return lines
    head, *lines = lines
    return [head, *(one for seat in seats for one in (lines[seat], pad([(_more(picture, seat), MUTED)], cells)))]


def rows_of(players: int, *, roomy: bool) -> int:
    """Lines that so many players take."""
    return 1 + 2 * players if roomy else players


def _thief(picture: Picture, seat: int) -> Thief:
    public = picture.public
    return Thief(
        seat=seat,
        name=picture.name(seat),
        field=public.fields[seat],
        total=picture.total(seat),
        markers=public.markers[seat],
        mine=seat == picture.me,
        bot=picture.is_bot(seat),
        turn=seat == public.turn and not picture.over,
        more=tuple(_state(picture, seat)),
    )


def _state(picture: Picture, seat: int) -> list[Piece]:
    """What is so of this player now, in words, the most wanted first."""
    public, ended = picture.public, picture.recap.ended
    told: list[Piece] = []
    if picture.over:
        if any(score.winner and score.seat == seat for score in public.scores or ()):
            told.append((f"{WINNER} " + _("wins"), f"bold {GOOD}"))
    elif seat == public.turn:
        told.append((_("on turn"), "bold $accent"))
    elif seat in picture.passed:
        told.append((_("passed"), ALERT))
    elif ended is not None and seat < len(ended.fields):
        told.append((f"+{ended.fields[seat]}", f"bold {GOOD}"))
    told += [(text.strip(), style) for text, style in picture.absence(seat)]
    return told


def _more(picture: Picture, seat: int) -> str:
    """What was opened in this round, and the points of each round before."""
    opened = [str(safe) for safe, owner in enumerate(picture.public.safes, FIRST_SAFE) if owner == seat]
    text = _("opened: {safes}").format(safes=" ".join(opened) if opened else _("nothing"))
    rounds = [str(fields[seat]) for fields in picture.recap.fields if seat < len(fields)]
    if rounds:
        text += " · " + _("rounds before: {rounds}").format(rounds=" + ".join(rounds))
    return "     " + text
