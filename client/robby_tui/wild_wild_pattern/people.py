"""All participants: money, target, what they have won, and what they do."""

from collections import Counter

from textual.content import Content
from textual.widget import Widget

from robby_client.stories.wild_wild_pattern import attribute_name
from robby_games.wild_wild_pattern import ParticipantView, attributes_of, object_of, worth_of_objects, worth_of_target
from robby_protocol.i18n import _, ngettext
from robby_tui.cells import fit
from robby_tui.signs import ALERT, DONE, GOOD, MUTED, YOU
from robby_tui.widgets.lines import Line, content, pad
from robby_tui.wild_wild_pattern.cards import shape, target_line
from robby_tui.wild_wild_pattern.picture import Picture


class Shooters(Widget):
    """One line for each participant, in the order of sitting; two where there is room."""

    DEFAULT_CSS = "Shooters { height: auto; padding: 0 1; background: $surface; }"

    def __init__(self) -> None:
        super().__init__()
        self._picture: Picture | None = None
        self._roomy = False

    def show(self, picture: Picture, *, roomy: bool) -> None:
        """Draw this; roomy: a second line for each."""
        before = self.rows
        self._picture = picture
        self._roomy = roomy
        self.refresh(layout=self.rows != before)

    @property
    def rows(self) -> int:
        """Lines needed."""
        count = 0 if self._picture is None else len(self._picture.public.participants)
        return count * 2 if self._roomy else count

    def get_content_height(self, *_args: object) -> int:
        """Lines needed, whatever the width."""
        return self.rows

    def render(self) -> Content:
        """Draw all lines."""
        picture = self._picture
        if picture is None:
            return Content()
        cells = self.content_size.width
        names = picture.label_cells(cells)
        lines: list[Line] = []
        for seat, one in enumerate(picture.public.participants):
            lines.append(pad(_line(picture, seat, one, names, roomy=self._roomy), cells))
            if self._roomy:
                lines.append(pad([(" " * 4, ""), *_cards(one)], cells))
        return content(lines)


def _line(picture: Picture, seat: int, one: ParticipantView, names: int, *, roomy: bool) -> Line:
    style = "bold" if seat == picture.me else ""
    # Once it is over all is paid that will be.
    worth = 0 if picture.over else worth_of_objects(one.won) + worth_of_target(one.target, one.won) + one.challenges
    money = _("{coins} $").format(coins=one.coins) + (f" +{worth}" if worth else "")
    line: Line = [
        (f"{YOU if seat == picture.me else ' '} ", "bold $accent"),
        (picture.label(seat, names), style),
        (" " + fit(money, 8), style),
        *pad(target_line(one.target, style), 10),
        ("  ", ""),
    ]
    state = _state(picture, seat, one)
    return [*line, *state] if state or roomy else [*line, *_won(one)]


def _won(one: ParticipantView) -> Line:
    """What was won: objects by how many, then challenge cards."""
    counts = Counter(object_of(card) for card in one.won)
    parts = [f"{count} {attribute_name(thing)}" for thing, count in sorted(counts.items(), key=lambda it: -it[1])]
    return [(", ".join([*parts, *_duels(one)]) or _("nothing won"), MUTED)]


def _cards(one: ParticipantView) -> Line:
    """Every card won, by objects: `star ◆$ ■!`; then challenge cards."""
    by_object: dict[int, list[str]] = {}
    for card in one.won:
        thing, colour, suit = attributes_of(card)
        by_object.setdefault(thing, []).append(shape(colour) + shape(suit))
    most = sorted(by_object.items(), key=lambda it: -len(it[1]))
    parts = [f"{attribute_name(thing)} {' '.join(signs)}" for thing, signs in most]
    return [(" · ".join([*parts, *_duels(one)]) or _("nothing won"), MUTED)]


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
