"""The own loot, every card, and what it would be worth now."""

from textual.content import Content
from textual.widgets import Static

from robby_client.words.common import amount
from robby_games.robby_solo import ITEM_NAMES, ITEM_WORTH, is_item, items_of, money_of, total_of
from robby_protocol.i18n import _, ngettext
from robby_tui.cells import width
from robby_tui.signs import GOOD, MUTED

MOST_ITEMS = len(ITEM_WORTH) - 1


class OwnLoot(Static):
    """The own stack, newest first, as a paragraph."""

    DEFAULT_CSS = "OwnLoot { height: auto; padding: 0 1; }"

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._stack: tuple[int, ...] | None = None

    def show(self, stack: tuple[int, ...]) -> None:
        """Draw this stack."""
        if stack == self._stack:
            return
        self._stack = stack
        count = ngettext("Your loot: {n} card, newest first", "Your loot: {n} cards, newest first", len(stack))
        pieces: list[str | tuple[str, str]] = [(count.format(n=len(stack)), "bold"), "\n"]
        pieces.append((in_short(stack), "") if stack else (_("none yet"), MUTED))
        pieces += ["\n", (worth_text(stack), GOOD)]
        self.update(Content.assemble(*pieces))


def in_short(stack: tuple[int, ...]) -> str:
    """All cards, newest first; items with their sign."""
    return " · ".join(f"◊ {item_name(card)}" if is_item(card) else amount(card) for card in reversed(stack))


def in_one_line(stack: tuple[int, ...], cells: int) -> str:
    """What the stack is worth, and as many of its newest cards as fit, each whole."""
    if not stack:
        return _("your loot: none yet")
    items = items_of(stack)
    parts = _("money {money}").format(money=amount(money_of(stack)))
    if items:
        parts += ", " + ngettext("{n} item", "{n} items", items).format(n=items)
    text = _("your loot: worth {total}").format(total=amount(total_of(stack))) + f" ({parts})"
    cards = [f"◊ {item_name(card)}" if is_item(card) else amount(card) for card in reversed(stack)]
    for number, card in enumerate(cards):
        longer = text + ("; " + _("newest") + " " if number == 0 else " · ") + card
        # Where more are to follow, there must be room to say so.
        if width(longer) + (0 if number == len(cards) - 1 else 2) > cells:
            return text + (" …" if number and width(text) + 2 <= cells else "")
        text = longer
    return text


def item_name(card: int) -> str:
    """What an item is called; one of a newer server has only its number."""
    return _(ITEM_NAMES[card - 1]) if 1 <= card <= len(ITEM_NAMES) else _("item {number}").format(number=card)


def worth_text(stack: tuple[int, ...]) -> str:
    """What a stack would be worth now: `worth 21,000: money 20,000 + 1 item worth 1,000`."""
    items = items_of(stack)
    parts = ngettext("money {money} + {n} item worth {worth}", "money {money} + {n} items worth {worth}", items).format(
        money=amount(money_of(stack)), n=items, worth=amount(ITEM_WORTH[min(items, MOST_ITEMS)])
    )
    return _("worth {total}: {parts}").format(total=amount(total_of(stack)), parts=parts)
