"""Robby Solo's things in words: banks, cards, actions, declarations, phases, options, scores, and what is asked.

A bank is always told by shape, name and letter, never by colour. Knows no screens; texts are looked up when shown.
"""

from collections.abc import Sequence

from msgspec import Struct

from robby_client.safe import safe
from robby_client.words.common import amount, duration, name_list, name_of, preset_name, yours
from robby_games.robby_solo import (
    BANK_LETTERS,
    BANK_NAMES,
    BANK_SHAPES,
    ITEM_NAMES,
    Action,
    Confirm,
    Declaration,
    Declare,
    Give,
    Lay,
    Options,
    OwnView,
    ParticipantView,
    PublicView,
    Reveal,
    Score,
    Supply,
    TakeBack,
    is_item,
    limits_of,
)
from robby_protocol.i18n import N_, _, ngettext

_PHASES: dict[str, str] = {
    "supply": N_("supply"),
    "plays": N_("secret plays"),
    "gentleman": N_("the Gentleman's play"),
    "revision": N_("revision"),
    "police": N_("police"),
    "over": N_("the end"),
}
_CARD_STATES: dict[str, str] = {
    "none": N_("thinks"),
    "laid": N_("laid"),
    "taken_back": N_("took the card back"),
    "laid_again": N_("laid again"),
    "confirmed": N_("confirmed"),
}


def bank_name(bank: int) -> str:
    """`blue`."""
    return _(BANK_NAMES[bank])


def bank_letter(bank: int) -> str:
    """`B`: the key to press too, in every language."""
    return BANK_LETTERS[bank]


def bank_shape(bank: int) -> str:
    """`◆`."""
    return BANK_SHAPES[bank]


def bank_label(bank: int) -> str:
    """`◆ blue (B)`."""
    return f"{BANK_SHAPES[bank]} {bank_name(bank)} ({BANK_LETTERS[bank]})"


def card_label(card: int) -> str:
    """A loot card: `9,000`, or `gold bar (item)`."""
    if not is_item(card):
        return amount(card)
    return _("{item} (item)").format(item=_(ITEM_NAMES[card - 1]))


def loot_text(cards: Sequence[int]) -> str:
    """Loot cards in order: `7,000 + 2,000`; `nothing` if there are none."""
    return " + ".join(card_label(card) for card in cards) if cards else _("nothing")


def declaration_text(declaration: Declaration | Declare) -> str:
    """`„I will not rob ■ red (R)“`."""
    if declaration.robs:
        return _("„I will rob {bank}“").format(bank=bank_label(declaration.bank))
    return _("„I will not rob {bank}“").format(bank=bank_label(declaration.bank))


def phase_label(phase: str) -> str:
    """A phase's name; one of a newer server as it is."""
    known = _PHASES.get(phase)
    return safe(phase) if known is None else _(known)


def participant_state(participant: ParticipantView) -> str:
    """What a participant's heist card does: `laid`, `took the card back`; once revealed, the bank it named."""
    if participant.paying:
        return _("must return an item")
    if participant.revealed is not None:
        return bank_label(participant.revealed)
    known = _CARD_STATES.get(participant.card)
    return safe(participant.card) if known is None else _(known)


def action_label(action: Struct) -> str:
    """An action as a choice to take."""
    match action:
        case Supply(side="left"):
            return _("Deal the loot from the left")
        case Supply():
            return _("Deal the loot from the right")
        case Lay():
            return _("Lay {bank}").format(bank=bank_label(action.bank))
        case Declare():
            return _("Declare {declaration}").format(declaration=declaration_text(action))
        case TakeBack():
            return _("Take the card back")
        case Confirm():
            return _("Confirm: the card counts")
        case Reveal():
            return _("Reveal: end the revision now")
        case Give():
            return _("Return {card}").format(card=card_label(action.card))
        case _other:
            raise TypeError(f"not an action of Robby Solo: {type(action).__name__}")


def prompt(
    public: PublicView,
    own: OwnView | None,
    legal: Sequence[Action],
    names: Sequence[str],
) -> str:
    """The one line that says what is asked of the own seat, or for whom everybody waits.

    legal: the open decision's actions, none if nothing is asked. names: from `tale.robby_solo.names_of`.
    """
    kinds = {type(action) for action in legal}
    if Supply in kinds:
        return _("You are the Gentleman: from which end of the row shall the loot be dealt?")
    if Declare in kinds:
        return _("Declare something true about your card.")
    if Lay in kinds:
        if public.phase == "revision":
            return _("Your card is in your hand: lay it again, or another.")
        if public.phase == "gentleman":
            return _("You are the Gentleman: lay a heist card; then you declare.")
        return _("Lay a heist card: which bank do you rob?")
    if Confirm in kinds or TakeBack in kinds:
        if own is not None and own.card is not None:
            return _("Your card is {bank}: confirm it, or take it back.").format(bank=bank_label(own.card))
        return _("Confirm your card, or take it back.")
    if Reveal in kinds:
        return _("All cards lie: reveal now, or let them think.")
    if Give in kinds:
        return _("The police: choose the item that you return.")
    return waiting_line(public, own, names)


def waiting_line(public: PublicView, own: OwnView | None, names: Sequence[str]) -> str:
    """For whom everybody waits, when nothing is asked of the own seat."""
    me = None if own is None else own.seat
    gentleman = name_of(names, public.gentleman)
    if public.phase == "over":
        return _("The game is over.")
    if public.phase == "supply":
        return _("{name} is the Gentleman and chooses from which end to deal.").format(name=gentleman)
    if public.phase == "gentleman":
        return _("{name} is the Gentleman and plays and declares.").format(name=gentleman)
    if public.phase == "plays":
        open_seats = [seat for seat, one in enumerate(public.participants) if one.card == "none"]
        waiting = [seat for seat in open_seats if seat not in (public.gentleman, me)]
    elif public.phase == "revision":
        last = len(public.participants) - 1
        waiting = [
            seat
            for seat, one in enumerate(public.participants)
            if one.card != "confirmed" and seat not in (public.gentleman, me) and not (public.junior and seat == last)
        ]
    else:
        waiting = [seat for seat, one in enumerate(public.participants) if one.paying and seat != me]
    if not waiting:
        return _("Wait a moment.")
    return _("Waiting for {names}.").format(names=name_list([name_of(names, seat) for seat in waiting]))


def score_lines(score: Score, names: Sequence[str], me: int | None = None) -> list[str]:
    """One participant's result explained: who, each part, the total."""
    count = sum(1 for card in score.stack if not is_item(card))
    who = name_of(names, score.seat)
    if score.seat == me:
        who = yours(who)
    if score.winner:
        heading = _("{place}. {name}: {total} – wins").format(place=score.place, name=who, total=amount(score.total))
    else:
        heading = _("{place}. {name}: {total}").format(place=score.place, name=who, total=amount(score.total))
    money = ngettext("money: {count} card, {sum}", "money: {count} cards, {sum}", count)
    items = ngettext("items: {count} item, worth {worth}", "items: {count} items, worth {worth}", score.items)
    parts = [money.format(count=count, sum=amount(score.money))]
    if not score.items:
        return [heading, *parts, _("total: {total}").format(total=amount(score.total))]
    return [
        heading,
        *parts,
        items.format(count=score.items, worth=amount(score.items_worth)),
        _("total: {money} + {worth} = {total}").format(
            money=amount(score.money), worth=amount(score.items_worth), total=amount(score.total)
        ),
    ]


def option_lines(options: Options) -> list[str]:
    """A table's options, one line each, for people who think of joining."""
    limits = limits_of(options)
    lines = [_("time: {preset}").format(preset=preset_name(options.time))]
    for name, limit in (
        (_("supply side"), limits.supply),
        (_("secret play"), limits.play),
        (_("the Gentleman's play"), limits.gentleman),
        (_("revision, shortest"), limits.revision_min),
        (_("revision, longest"), limits.revision_max),
        (_("item to return"), limits.item),
    ):
        lines.append(_("{limit}: {time}").format(limit=name, time=_("no limit") if limit is None else duration(limit)))
    lines.append(_("Robby Junior plays") if options.junior else _("without Robby Junior"))
    lines.append(_("all loot is open") if options.open_loot else _("loot is hidden but for the top card"))
    lines.append(
        ngettext("at most {count} round", "at most {count} rounds", options.max_rounds).format(count=options.max_rounds)
    )
    return lines
