"""What is asked of a person at the table, and which keys answer. Knows no widgets."""

from robby_client.words.common import amount
from robby_games.tresor_diebe import NOBODY, Again, Pass, Stop, Throw, value_of
from robby_protocol.i18n import _, ngettext
from robby_tui.hints import KeyHint
from robby_tui.moment import no_connection
from robby_tui.tresor_diebe.picture import Picture


def sentence(picture: Picture) -> str:
    """The one line that says what is asked now, or for whom everybody waits."""
    if picture.over:
        return _("The game is over. Enter shows the results.")
    if picture.offline:
        if picture.own is None:
            return _("No connection: this is how the table stood.")
        return no_connection()
    if picture.sent:
        return _("Sent; waiting for the server …")
    if picture.may(Throw):
        if picture.public.passes >= len(picture.public.fields) - 1:
            return _("Your turn: t throws all five dice, p passes and ends the round.")
        return _("Your turn: t throws all five dice, p passes.")
    if picture.may(Stop):
        return _thrown(picture)
    name = picture.name(picture.public.turn)
    if picture.public.phase == "turn":
        return _("{name} is to throw, or to pass.").format(name=name)
    return ngettext(
        "{name}: safe {safe}, or throw again? {n} throw left.",
        "{name}: safe {safe}, or throw again? {n} throws left.",
        picture.left,
    ).format(name=name, safe=picture.target, n=picture.left)


def _thrown(picture: Picture) -> str:
    safe, left, count = picture.target or 0, picture.left, len(picture.chosen)
    if count:
        return ngettext(
            "t throws {n} die again ({left} left). Esc: none. s: safe {safe}.",
            "t throws {n} dice again ({left} left). Esc: none. s: safe {safe}.",
            count,
        ).format(n=count, left=left, safe=safe)
    if picture.owner == NOBODY:
        return _("s takes safe {safe}: {value} €. Or 1–5 choose dice, t throws them again ({left} left).").format(
            safe=safe, value=amount(value_of(safe)), left=left
        )
    return _("Safe {safe} is open already. 1–5 choose dice, t throws them again ({left} left).").format(
        safe=safe, left=left
    )


def hints(picture: Picture) -> list[KeyHint]:
    """The keys that answer what is asked, most wanted first; Enter does the plain thing."""
    found: list[KeyHint] = []
    if picture.over:
        return [KeyHint("Enter", _("results"), "plain")]
    if picture.may(Throw) and not picture.sent:
        found.append(KeyHint("t/Enter", _("throw"), "throw"))
    if picture.may(Pass) and not picture.sent:
        found.append(KeyHint("p", _("pass"), "pass"))
    if picture.may(Stop) and not picture.sent:
        found += _thrown_hints(picture)
    if picture.public.odds:
        found.append(KeyHint("o", _("no odds") if picture.odds else _("odds"), "odds"))
    return found


def _thrown_hints(picture: Picture) -> list[KeyHint]:
    found: list[KeyHint] = []
    safe = picture.target
    stop = _("take safe {safe}").format(safe=safe) if picture.stop_opens else _("one field back")
    take = KeyHint("s/Enter" if picture.stop_opens and not picture.chosen else "s", stop, "stop")
    if picture.chosen:
        again = ngettext("throw {n} again", "throw {n} again", len(picture.chosen)).format(n=len(picture.chosen))
        found.append(KeyHint("t/Enter", again, "throw"))
    elif picture.stop_opens:
        found.append(take)
    if picture.may(Again):
        found.append(KeyHint("1–5", _("choose"), ""))
    if take not in found:
        found.append(take)
    if picture.may(Again):
        found.append(KeyHint("Esc", _("none"), "none") if picture.chosen else KeyHint("a", _("all"), "all"))
    return found
