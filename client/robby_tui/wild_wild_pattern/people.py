"""All participants: money, target, what they have won, and what they do."""

from collections import Counter

from robby_client.stories.wild_wild_pattern import attribute_name
from robby_games.wild_wild_pattern import (
    ATTRIBUTE_LETTERS,
    ParticipantView,
    attributes_of,
    object_of,
    worth_of_objects,
    worth_of_target,
)
from robby_protocol.i18n import _, ngettext
from robby_tui.cells import fit, width
from robby_tui.signs import ALERT, DONE, GOOD, MUTED, YOU
from robby_tui.widgets.lines import Line, pad
from robby_tui.widgets.seats import Seats
from robby_tui.wild_wild_pattern.cards import shape, target_line
from robby_tui.wild_wild_pattern.picture import Picture


class Shooters(Seats[Picture]):
    """The gunslingers."""

    def row(self, picture: Picture, seat: int, cells: int, *, roomy: bool) -> Line:
        """Money, with what this round is worth so far; target; what the player does, or else has won."""
        one = picture.public.participants[seat]
        style = "bold" if seat == picture.me else ""
        # Once it is over all is paid that will be.
        worth = 0 if picture.over else worth_of_objects(one.won) + worth_of_target(one.target, one.won) + one.challenges
        money = _("{coins} $").format(coins=one.coins) + (f" +{worth}" if worth else "")
        line: Line = [
            (f"{YOU if seat == picture.me else ' '} ", "bold $accent"),
            (picture.label(seat, picture.label_cells(cells)), style),
            (" " + fit(money, 8), style),
            *pad(target_line(one.target, style), 10),
            ("  ", ""),
        ]
        state = _state(picture, seat, one)
        if state or roomy:
            return [*line, *state]
        return [*line, *_won(one, cells - sum(width(text) for text, _style in line))]

    def more(self, picture: Picture, seat: int) -> Line:
        """Every card won, by objects: `star ◆$ ■!`; then challenge cards."""
        one = picture.public.participants[seat]
        by_object: dict[int, list[str]] = {}
        for card in one.won:
            thing, colour, suit = attributes_of(card)
            by_object.setdefault(thing, []).append(shape(colour) + shape(suit))
        most = sorted(by_object.items(), key=lambda it: -len(it[1]))
        parts = [f"{attribute_name(thing)} {' '.join(signs)}" for thing, signs in most]
        return [("    " + (" · ".join([*parts, *_duels(one)]) or _("nothing won")), MUTED)]


def _won(one: ParticipantView, cells: int) -> Line:
    """What was won: objects by how many, by a letter for each where words have no room; then challenge cards."""
    counts = Counter(object_of(card) for card in one.won).most_common()
    text = ", ".join([*(f"{count} {attribute_name(thing)}" for thing, count in counts), *_duels(one)])
    if width(text) > cells:
        text = " ".join([*(ATTRIBUTE_LETTERS[thing] * count for thing, count in counts), *_duels(one)])
    return [(text or _("nothing won"), MUTED)]


def _duels(one: ParticipantView) -> list[str]:
    text = ngettext("{count} duel", "{count} duels", one.challenges).format(count=one.challenges)
    return [text] if one.challenges else []


def _state(picture: Picture, seat: int, one: ParticipantView) -> Line:
    """What this participant does, in signs and words."""
    public = picture.public
    away = picture.absence(seat)
    if seat == public.active:
        if public.phase == "declare":
            return [*away, (_("FIRST, declares"), f"bold {ALERT}")]
        if public.phase == "name":
            return [*away, (_("has CLEMENTINE, names"), f"bold {ALERT}")]
        text = ngettext("takes {count} card", "takes {count} cards", public.takes).format(count=public.takes)
        return [*away, (text, f"bold {ALERT}")]
    if public.phase == "ready":
        return [*away, (f"{DONE} " + _("ready"), GOOD)] if one.ready else away
    if public.phase == "shootout":
        if one.clicked:
            return [*away, (_("clicked: no pattern"), MUTED)]
        if one.slowed:
            return [*away, (_("slowed: grabbed in vain"), ALERT)]
    if public.phase == "grab" and seat in picture.told.duel:
        return [*away, (_("has the challenge card"), f"bold {ALERT}")]
    return away
