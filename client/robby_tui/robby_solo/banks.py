"""The row of banks: each a column with shape, letter, name, all its loot, what is said of it, and the own heist card.

Below the loot stand two lines of news: the declaration while it counts, else what the last reveal led to.
"""

from typing import Literal

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from robby_client.words import robby_solo as words
from robby_games.robby_solo import ITEM_NAMES, POLICE_AT, is_item
from robby_protocol.i18n import _
from robby_tui.cells import ELLIPSIS, cut, fit, width
from robby_tui.robby_solo.picture import Picture
from robby_tui.robby_solo.recap import loot_sum
from robby_tui.signs import ALERT, ARROW, BAD, BANK_COLORS, CLASH, FACE_DOWN, GENTLEMAN, GOOD, INK, MUTED, POLICE
from robby_tui.widgets.lines import Line, content

LOOT_ROWS = POLICE_AT
"""Four cards are the most that ever lie on a bank: then the police come."""
ITEM_STYLE = "italic $text-accent "
WIDEST_COLUMN = 19
"""Wider columns would only tear the row apart."""
ROOM_FOR_ITEM = 8
"""Cells from which an item's name, or enough of it, has room."""
LEAST_OF_NAME = 3
"""Cells of a shortened name: fewer letters tell nobody apart."""
TIGHT_HEIGHT = 1 + LOOT_ROWS + 2
COMPACT_HEIGHT = 1 + LOOT_ROWS + 3
BIG_HEIGHT = 2 + 2 * LOOT_ROWS + 1 + 3


class BankRow(Widget):
    """All banks of the row."""

    DEFAULT_CSS = "BankRow { height: auto; padding: 0 1; }"

    class Picked(Message):
        """A bank's column was clicked."""

        def __init__(self, bank: int) -> None:
            super().__init__()
            self.bank = bank

    def __init__(self) -> None:
        super().__init__()
        self._picture: Picture | None = None
        self._scale: Literal["tight", "compact", "big"] = "compact"

    def show(self, picture: Picture, size: Literal["tight", "compact", "big"]) -> None:
        """Draw this. size: big: cards with frames, where there is room; tight: one line of news instead of two."""
        self._picture = picture
        resized = size != self._scale
        self._scale = size
        self.refresh(layout=resized)

    @property
    def rows(self) -> int:
        """Lines needed."""
        return {"tight": TIGHT_HEIGHT, "compact": COMPACT_HEIGHT, "big": BIG_HEIGHT}[self._scale]

    def get_content_height(self, *_args: object) -> int:
        """Lines needed, whatever the width."""
        return self.rows

    def _columns(self) -> tuple[int, int]:
        """(cells of a column, cells between two)."""
        banks = 1 if self._picture is None else len(self._picture.public.banks)
        available = max(banks * 3, self.content_size.width)
        column = min(WIDEST_COLUMN, (available - (banks - 1)) // banks)
        return column, 1

    def on_click(self, event: Click) -> None:
        """Tell which column was clicked."""
        if self._picture is None:
            return
        offset = event.get_content_offset(self)
        if offset is None:
            return
        column, gap = self._columns()
        bank, inside = divmod(offset.x, column + gap)
        if inside < column and bank < len(self._picture.public.banks):
            self.post_message(self.Picked(bank))

    def render(self) -> Content:
        """Draw all columns side by side."""
        picture = self._picture
        if picture is None:
            return Content()
        column, gap = self._columns()
        columns = [self._column(picture, bank, column) for bank in range(len(picture.public.banks))]
        lines: list[Line] = []
        for parts in zip(*columns, strict=True):
            line: Line = []
            for number, part in enumerate(parts):
                if number:
                    line.append((" " * gap, ""))
                line.extend(part)
            lines.append(line)
        return content(lines)

    def _column(self, picture: Picture, bank: int, cells: int) -> list[Line]:
        loot = picture.public.banks[bank]
        news = self._news(picture, bank, cells)
        lines = [_head(bank, cells)]
        lines += _framed(loot, cells) if self._scale == "big" else _listed(loot, cells)
        lines += news[:1] if self._scale == "tight" else news
        lines.append(_own_card(picture, bank, cells))
        return lines

    def _news(self, picture: Picture, bank: int, cells: int) -> list[Line]:
        declaration = picture.public.declaration
        if declaration is not None:
            if declaration.bank != bank:
                return _two("", "", "", cells)
            says = _("will rob") if declaration.robs else _("will not")
            style = f"bold {GOOD}" if declaration.robs else f"bold {ALERT}"
            return _two(f"{GENTLEMAN} {says}", "", style, cells)
        recap = picture.recap
        if recap is None or (picture.staged is not None and bank >= picture.staged):
            return _two("", "", "", cells)
        newest = picture.staged is not None and bank == picture.staged - 1
        flash = " reverse" if newest else ""
        here = recap.at(bank)
        who = _named([_("you") if seat == picture.me else picture.name(seat) for seat in here], cells - 2)
        if bank in recap.robbed:
            _seat, taken = recap.robbed[bank]
            return _two(f"{ARROW} {who}", loot_sum(taken), f"bold {GOOD}" + flash, cells)
        if bank in recap.clashed:
            return _two(f"{CLASH} {who}", _("clash"), BAD + flash, cells)
        if bank in recap.police:
            return _two(f"{POLICE} " + _("police"), _("emptied"), "bold $accent" + flash, cells)
        return _two("", "", "", cells)


def _named(names: list[str], cells: int) -> str:
    """All names, each shortened to its share where they are too long; the last resort is how many more there are."""
    text = " ".join(names)
    if width(text) <= cells or len(names) < 2:
        return text
    share = (cells - len(names) + 1) // len(names)
    if share >= LEAST_OF_NAME:
        return " ".join(
            name if width(name) <= share else cut(name + ELLIPSIS, share + 1).removesuffix(ELLIPSIS) for name in names
        )
    return f"{cut(names[0], cells - 3)} +{len(names) - 1}"


def _two(first: str, second: str, style: str, cells: int) -> list[Line]:
    return [[(fit(first, cells, "center"), style)], [(fit(second, cells, "center"), style)]]


def _head(bank: int, cells: int) -> Line:
    shape, letter, name = words.bank_shape(bank), words.bank_letter(bank), words.bank_name(bank)
    text = f"{shape} {letter} {name}"
    if width(text) > cells:
        text = f"{shape} {letter}" if cells < 8 else f"{shape} {letter} {name}"
    return [(fit(text, cells, "center"), f"bold {INK} on {BANK_COLORS[bank]}")]


def _card_text(card: int, cells: int) -> str:
    if not is_item(card):
        return f"{card:,}"
    # By the column alone, so that all items of one picture are shown alike; of a longer name the whole words that fit.
    if cells < ROOM_FOR_ITEM:
        return "◊ " + _("ITEM")
    text = f"◊ {_(ITEM_NAMES[card - 1])}"
    while width(text) > cells and text.count(" ") > 1:
        text = text.rpartition(" ")[0]
    return text


def _listed(loot: tuple[int, ...], cells: int) -> list[Line]:
    lines: list[Line] = []
    for row in range(LOOT_ROWS):
        if row >= len(loot):
            lines.append([(" " * cells, "on $surface")])
            continue
        # What does not fit is told as one line; it cannot happen with four rows but for a newer server's rules.
        card = loot[-1 - row]
        style = ("bold " if row == 0 else "") + (ITEM_STYLE if is_item(card) else "") + "on $surface"
        lines.append([(fit(_card_text(card, cells), cells, "center"), style)])
    return lines


def _framed(loot: tuple[int, ...], cells: int) -> list[Line]:
    inside = cells - 2
    lines: list[Line] = []
    frame = "$foreground 60%"
    for row, card in enumerate(reversed(loot[-LOOT_ROWS:])):
        left, right = ("╭", "╮") if row == 0 else ("├", "┤")
        lines.append([(left + "─" * inside + right, frame)])
        style = "bold" if row == 0 else ""
        if is_item(card):
            style += " " + ITEM_STYLE
        lines.append([("│", frame), (fit(_card_text(card, inside), inside, "center"), style), ("│", frame)])
    if lines:
        lines.append([("╰" + "─" * inside + "╯", frame)])
    while len(lines) < 2 * LOOT_ROWS + 1:
        lines.append([(" " * cells, "")])
    lines.append([(" " * cells, "")])
    return lines


def _own_card(picture: Picture, bank: int, cells: int) -> Line:
    """The own heist card of this bank: in the hand with its key, or lying face down."""
    own = picture.own
    if own is None:
        return [(" " * cells, "")]
    letter = words.bank_letter(bank)
    lies = own.card == bank
    if lies and picture.in_hand:
        text, style = f"({letter})", f"bold {ALERT}"
    elif lies:
        text, style = f"{FACE_DOWN} {letter} {FACE_DOWN}", f"bold {INK} on {BANK_COLORS[bank]}"
    elif picture.public.phase == "over":
        text, style = "", ""
    else:
        text, style = f"[{letter}]", MUTED
    may_name = picture.saying is not None and bank in picture.declarable(picture.saying == "will")
    if bank in picture.layable or may_name:
        text, style = f"({letter})" if lies and picture.in_hand else f"[{letter}]", "bold reverse"
    return [(fit(text, cells, "center"), style)]
