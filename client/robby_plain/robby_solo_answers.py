"""Robby Solo's actions as words that a person or a script may type instead of a number.

Knows no question: whether the action is offered now is for whoever asked.
"""

from robby_client.words import robby_solo as words
from robby_games.robby_solo import (
    BANK_LETTERS,
    BANK_NAMES,
    ITEM_NAMES,
    Action,
    Confirm,
    Declare,
    Give,
    Lay,
    Reveal,
    Supply,
    TakeBack,
)
from robby_protocol.i18n import _

_DEAL = frozenset(("deal", "from", "the"))
_DECLARE = frozenset(("i", "will", "not", "rob", "declare"))
_TAKE_BACK = frozenset(("take", "the", "card", "back", "takeback"))
_RETURN = frozenset(("return", "give", "the"))


def read(text: str) -> Action | None:
    """The action that these words mean: `left`, `yellow` or `y`, `rob red`, `not red`, `confirm`, `take back`,
    `reveal`, an item's name. None for anything else."""
    said = text.casefold().split()
    if not said:
        return None
    *before, last = said
    bank = _bank(last)
    if bank is not None:
        if before in ([], ["lay"]):
            return Lay(bank=bank)
        if _DECLARE.issuperset(before) and ("rob" in before or "not" in before):
            return Declare(robs="not" not in before, bank=bank)
        return None
    if _DEAL.issuperset(before):
        if last == "left":
            return Supply(side="left")
        if last == "right":
            return Supply(side="right")
    if said == ["confirm"]:
        return Confirm()
    if said == ["reveal"]:
        return Reveal()
    if _TAKE_BACK.issuperset(said) and not {"take", "takeback"}.isdisjoint(said):
        return TakeBack()
    return _item(said)


def _bank(word: str) -> int | None:
    """A bank by its letter or its name, in English or the person's language."""
    if len(word) == 1 and word.upper() in BANK_LETTERS:
        return BANK_LETTERS.index(word.upper())
    for bank, name in enumerate(BANK_NAMES):
        if word in (name, words.bank_name(bank).casefold()):
            return bank
    return None


def _item(said: list[str]) -> Give | None:
    while said and said[0] in _RETURN:
        said = said[1:]
    wanted = " ".join(said)
    for number, name in enumerate(ITEM_NAMES, start=1):
        if wanted and wanted in (name.casefold(), _(name).casefold()):
            return Give(card=number)
    return None
