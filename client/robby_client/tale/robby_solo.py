"""Robby Solo's events as sentences, for me and about others. Knows no screens and no rules: it tells what was sent."""

from collections.abc import Iterable, Sequence
from typing import Any

from robby_client.safe import safe
from robby_client.words.common import amount, name_list, name_of
from robby_client.words.robby_solo import (
    bank_label,
    card_label,
    declaration_text,
    loot_text,
)
from robby_games.robby_solo import (
    JUNIOR_NAME,
    Chose,
    Clashed,
    Confirmed,
    Declaration,
    Declared,
    GameOver,
    GameStarted,
    Given,
    Laid,
    Police,
    Returned,
    RevealCalled,
    Revealed,
    Robbed,
    RoundStarted,
    Supplied,
    TakenBack,
    YouLaid,
)
from robby_protocol.i18n import _, ngettext


def names_of(names: Sequence[str], *, junior: bool) -> list[str]:
    """The participants' names in order of seats, harmless to show, with Robby Junior last where he plays."""
    return [*map(safe, names), *([_(JUNIOR_NAME)] if junior else [])]


def _all_names(names: Sequence[str], seats: Iterable[int], me: int | None) -> str:
    return name_list([_("you") if seat == me else name_of(names, seat) for seat in seats])


def sentence(event: Any, names: Sequence[str], me: int | None) -> str | None:
    """The event as one sentence, or a few where it is a whole scene. None for one that this client does not know.

    names: from `names_of`. me: the own seat, told as "you"; None: as a spectator sees it.
    """
    match event:
        case GameStarted():
            return _game_started(event, names, me)
        case RoundStarted():
            return _round_started(event, names, me)
        case Supplied():
            return _supplied(event)
        case Laid():
            return _laid(event, names, me)
        case YouLaid(auto=True):
            return _("Time ran out: your card is {bank}.").format(bank=bank_label(event.bank))
        case YouLaid():
            return _("Your card is {bank}.").format(bank=bank_label(event.bank))
        case Declared():
            return _declared(event, names, me)
        case TakenBack(seat=seat) if seat == me:
            return _("You took your card back.")
        case TakenBack():
            return _("{name} took the card back.").format(name=name_of(names, event.seat))
        case Returned(seat=seat) if seat == me:
            return _("Time ran out: your card lies again as it was.")
        case Returned():
            return _("Time ran out: {name}'s card lies again as it was.").format(name=name_of(names, event.seat))
        case Confirmed(seat=seat, auto=True) if seat == me:
            return _("Time ran out: your card is confirmed.")
        case Confirmed(auto=True):
            return _("Time ran out: {name}'s card is confirmed.").format(name=name_of(names, event.seat))
        case Confirmed(seat=seat) if seat == me:
            return _("You confirmed.")
        case Confirmed():
            return _("{name} confirmed.").format(name=name_of(names, event.seat))
        case RevealCalled(seat=seat) if seat == me:
            return _("You call: reveal!")
        case RevealCalled():
            return _("{name} calls: reveal!").format(name=name_of(names, event.seat))
        case Revealed():
            return _revealed(event, names, me)
        case Robbed(seat=seat) if seat == me:
            return _("You robbed {bank}: {loot}.").format(bank=bank_label(event.bank), loot=loot_text(event.loot))
        case Robbed():
            return _("{name} robbed {bank}: {loot}.").format(
                name=name_of(names, event.seat), bank=bank_label(event.bank), loot=loot_text(event.loot)
            )
        case Clashed():
            return _("{names} clashed at {bank}: it keeps {loot}.").format(
                names=_sentence_start(_all_names(names, event.seats, me), me in event.seats[:1]),
                bank=bank_label(event.bank),
                loot=loot_text(event.loot),
            )
        case Police():
            return _police(event, names, me)
        case Chose():
            return _chose(event, names, me)
        case Given(seat=seat) if seat == me:
            return _("You returned {card}.").format(card=card_label(event.card))
        case Given():
            return _("{name} returned {card}.").format(name=name_of(names, event.seat), card=card_label(event.card))
        case GameOver():
            return _game_over(event, names, me)
        case _unknown:
            return None


def _sentence_start(text: str, capital: bool) -> str:
    """A sentence that begins with our own "you" begins with a capital; a name is left as its owner writes it."""
    return text[:1].upper() + text[1:] if capital else text


def _game_started(event: GameStarted, names: Sequence[str], me: int | None) -> str:
    players = name_list([name_of(names, seat) for seat in range(event.participants)])
    start = _("The game begins: {names} rob {banks} banks; {deck} loot cards.").format(
        names=players, banks=event.banks, deck=event.deck
    )
    if event.gentleman == me:
        return start + " " + _("You are the first Gentleman.")
    return start + " " + _("{name} is the first Gentleman.").format(name=name_of(names, event.gentleman))


def _round_started(event: RoundStarted, names: Sequence[str], me: int | None) -> str:
    deck = ngettext("{count} card in the deck", "{count} cards in the deck", event.deck).format(count=event.deck)
    if event.gentleman == me:
        return _("Round {round}: you are the Gentleman; {deck}.").format(round=event.round, deck=deck)
    return _("Round {round}: {name} is the Gentleman; {deck}.").format(
        round=event.round, name=name_of(names, event.gentleman), deck=deck
    )


def _supplied(event: Supplied) -> str:
    loot = ", ".join(f"{bank_label(bank)} {card_label(card)}" for bank, card in enumerate(event.cards))
    if event.auto:
        return _("Time ran out: new loot is dealt from the left: {loot}.").format(loot=loot)
    if event.side == "left":
        return _("New loot, dealt from the left: {loot}.").format(loot=loot)
    return _("New loot, dealt from the right: {loot}.").format(loot=loot)


def _laid(event: Laid, names: Sequence[str], me: int | None) -> str:
    name = name_of(names, event.seat)
    if event.auto:
        if event.seat == me:
            return _("Time ran out: a card was laid for you.")
        return _("Time ran out: a card was laid for {name}.").format(name=name)
    if event.again:
        return _("You laid a card again.") if event.seat == me else _("{name} laid a card again.").format(name=name)
    return _("You laid a card.") if event.seat == me else _("{name} laid a card.").format(name=name)


def _declared(event: Declared, names: Sequence[str], me: int | None) -> str:
    text = declaration_text(Declaration(robs=event.robs, bank=event.bank))
    name = name_of(names, event.seat)
    if event.auto:
        if event.seat == me:
            return _("Time ran out: declared for you: {declaration}.").format(declaration=text)
        return _("Time ran out: declared for {name}: {declaration}.").format(name=name, declaration=text)
    if event.seat == me:
        return _("You declare: {declaration}.").format(declaration=text)
    return _("{name} declares: {declaration}.").format(name=name, declaration=text)


def _revealed(event: Revealed, names: Sequence[str], me: int | None) -> str:
    cards = ", ".join(
        _("{name} {bank}").format(name=_("you") if seat == me else name_of(names, seat), bank=bank_label(bank))
        for seat, bank in enumerate(event.banks)
    )
    return _("The cards are turned: {cards}.").format(cards=cards)


def _police(event: Police, names: Sequence[str], me: int | None) -> str:
    start = _("Police at {bank}: {loot} go under the deck.").format(
        bank=bank_label(event.bank), loot=loot_text(event.cards)
    )
    if not event.payers:
        return start + " " + _("Nobody holds loot; nobody pays.")
    most = ngettext("{count} card", "{count} cards", event.most).format(count=event.most)
    return (
        start
        + " "
        + _("Most loot, {most}, and one to return: {names}.").format(
            most=most, names=_all_names(names, event.payers, me)
        )
    )


def _chose(event: Chose, names: Sequence[str], me: int | None) -> str:
    name = name_of(names, event.seat)
    if event.auto:
        if event.seat == me:
            return _("Time ran out: your oldest item is returned.")
        return _("Time ran out: {name}'s oldest item is returned.").format(name=name)
    return _("You chose an item.") if event.seat == me else _("{name} chose an item.").format(name=name)


def _game_over(event: GameOver, names: Sequence[str], me: int | None) -> str:
    winners = [score for score in event.scores if score.winner]
    if event.reason == "rounds":
        start = _("The last round is played: the game is over.")
    else:
        start = _("The deck has run out: the game is over.")
    if not winners:
        return start
    total = amount(winners[0].total)
    if len(winners) > 1:
        who = _all_names(names, [score.seat for score in winners], me)
        return (
            start + " " + _("{names} share the win with {total}.").format(names=_capital(who, me, winners), total=total)
        )
    if winners[0].seat == me:
        return start + " " + _("You win with {total}!").format(total=total)
    return start + " " + _("{name} wins with {total}.").format(name=name_of(names, winners[0].seat), total=total)


def _capital(text: str, me: int | None, winners: Sequence[Any]) -> str:
    return _sentence_start(text, winners[0].seat == me)
