"""Robby Solo's chapters of the help: the rules in our own words, how to read the table, the keys."""

from robby_client.words import robby_solo as words
from robby_client.words.common import amount
from robby_games.robby_solo import BANKS, ITEM_WORTH
from robby_protocol.i18n import _


def chapters() -> list[tuple[str, str]]:
    """(heading, text) of each part of the help, in the language in use."""
    worth = ", ".join(f"{n}: {amount(worth)}" for n, worth in enumerate(ITEM_WORTH) if n)
    banks = ", ".join(words.bank_label(bank) for bank in range(len(BANKS)))
    return [
        (
            _("What it is about"),
            _(
                "Everybody robs a bank in secret. Alone at a bank you take all its loot; two or more at the same bank "
                "get nothing, and the loot stays. The richest robber wins."
            ),
        ),
        (
            _("A round"),
            _(
                "1. The Gentleman or Lady of the round chooses an end of the row; from there one loot card is dealt on "
                "every bank.\n"
                "2. All others lay a heist card face down: the bank they mean to rob.\n"
                "3. The Gentleman lays last and declares „I will rob …“ or „I will not rob …“. It is always true.\n"
                "4. Revision: the others may confirm their card, which is final, or take it back and lay again, the "
                "same card or another. All see that you took a card back, nobody sees what you laid. That is the "
                "bluff. The Gentleman may call „reveal“ once the shortest revision is over and all cards lie.\n"
                "5. All cards are turned. Whoever is alone at a bank takes all its loot.\n"
                "6. A bank on which four cards are left is emptied by the police, who then take one card from everyone "
                "who holds the most loot cards: the dearest money, or an item of their choice if they have nothing "
                "else. What the police take goes under the deck and may come again.\n"
                "7. The next player is the Gentleman. When the deck cannot fill the row any more, or after as many "
                "rounds as the table allows (mostly 100), the game is over. Equal totals share the win.\n"
                "There is one bank more than participants."
            ),
        ),
        (
            _("What loot is worth"),
            _("Money is worth what it says. Items (◊) count together: {worth}.").format(worth=worth),
        ),
        (
            _("When time runs out"),
            _(
                "The clock decides for you: loot is dealt from the left; a card drawn by lot is laid; the Gentleman "
                "says a true „I will not rob …“ drawn by lot; after the revision the cards count as they lie, and one "
                "in your hand lies again as it was; the police get your oldest item. Untimed games have a limit for "
                "the revision alone, five minutes, as long as nobody is away."
            ),
        ),
        (
            _("Robby Junior"),
            _(
                "If he plays, he is a robber without a person: he plays his cards in an order that is shuffled once "
                "and never changes. Whoever remembers it, knows where he goes."
            ),
        ),
        (
            _("The table"),
            _(
                "The banks are {banks}. The newest loot lies on top. Under each bank is your heist card for it: [Y] is "
                "in your hand, ▒ Y ▒ lies face down, (Y) was taken back. ♛ is the Gentleman, ⚙ a bot, ▸ you. Of the "
                "others' loot you see how many cards they hold and the top one: remember what they took."
            ).format(banks=banks),
        ),
        (
            _("Keys"),
            _(
                "Letters y g r b x p k, or 1–7 from the left: a bank\n"
                "← → the end to deal from   1–7 the item for the police\n"
                "c confirm   t take back   v reveal\n"
                "w „I will rob“   n „I will not rob“   Enter say it   Esc no\n"
                "Mouse: click a bank."
            ),
        ),
    ]
