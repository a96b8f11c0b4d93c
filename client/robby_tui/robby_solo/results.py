"""Robby Solo's results: each score explained, card by card."""

from collections import Counter

from robby_client.words.common import amount
from robby_client.world import GameState
from robby_games.robby_solo import ITEM_WORTH, Score, is_item
from robby_protocol.i18n import _, ngettext
from robby_tui.moment import names_of
from robby_tui.robby_solo.loot import item_name
from robby_tui.robby_solo.picture import STORY
from robby_tui.widgets.explained import place_line, wrapped
from robby_tui.widgets.lines import Line


def results(game: GameState, cells: int) -> list[Line]:
    """All results of a finished match, best first, in lines of so many cells."""
    names = names_of(STORY, game)
    me = None if game.own is None else game.own.seat
    lines = [line for score in game.public.scores for line in _explained(score, names, me, cells)]
    worth = [f"{n} → {amount(worth)}" for n, worth in enumerate(ITEM_WORTH) if n]
    return lines + wrapped(_("Items count together"), worth, cells)


def _explained(score: Score, names: list[str], me: int | None, cells: int) -> list[Line]:
    """One participant: place and total; money; items; every card."""
    name = names[score.seat] if score.seat < len(names) else f"#{score.seat + 1}"
    head = place_line(score.place, name, score.total, winner=score.winner, mine=score.seat == me)
    money = sorted((card for card in score.stack if not is_item(card)), reverse=True)
    sums = ngettext("{sum} in {n} money card", "{sum} in {n} money cards", len(money)).format(
        sum=amount(score.money), n=len(money)
    )
    items = [card for card in score.stack if is_item(card)]
    worth = ngettext("{worth} for {n} item", "{worth} for {n} items", score.items).format(
        worth=amount(score.items_worth), n=score.items
    )
    counts = Counter(money)
    cards = [amount(card) if n == 1 else f"{n}×{amount(card)}" for card, n in counts.items()]
    lines: list[Line] = [head]
    lines += wrapped("  " + sums, cards, cells)
    lines += wrapped("+ " + worth, [item_name(card) for card in items], cells)
    return lines
