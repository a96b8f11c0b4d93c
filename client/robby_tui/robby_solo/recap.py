"""What the last reveal led to, gathered from the public events. Knows no widgets.

The next round begins in the same moment, so the view no longer shows it; people still want to see it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from robby_games.robby_solo import Clashed, Given, Police, Revealed, Robbed, is_item, money_of


@dataclass
class Recap:
    """One reveal. named: each participant's bank. robbed: bank → who took what. police: banks emptied, in order."""

    named: tuple[int, ...]
    robbed: dict[int, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    clashed: dict[int, tuple[int, ...]] = field(default_factory=dict)
    police: list[int] = field(default_factory=list)
    given: list[tuple[int, int]] = field(default_factory=list)

    def at(self, bank: int) -> list[int]:
        """Who named this bank."""
        return [seat for seat, named in enumerate(self.named) if named == bank]


def gather(recap: Recap | None, events: Iterable[Any]) -> Recap | None:
    """The newest recap once these events have happened too."""
    for event in events:
        if isinstance(event, Revealed):
            recap = Recap(event.banks)
        elif recap is None:
            continue
        elif isinstance(event, Robbed):
            recap.robbed[event.bank] = (event.seat, event.loot)
        elif isinstance(event, Clashed):
            recap.clashed[event.bank] = event.seats
        elif isinstance(event, Police):
            recap.police.append(event.bank)
        elif isinstance(event, Given):
            recap.given.append((event.seat, event.card))
    return recap


def loot_sum(loot: Iterable[int]) -> str:
    """Loot in few cells: `+16,000`, `+9,000 +2◊`, `+1◊`."""
    cards = tuple(loot)
    items = sum(1 for card in cards if is_item(card))
    money = money_of(cards)
    parts = []
    if money:
        parts.append(f"+{money:,}")
    if items:
        parts.append(f"+{items}◊")
    return " ".join(parts) or "+0"
