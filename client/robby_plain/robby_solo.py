"""Robby Solo said in lines: the table, the hand, the choices with what one should know for them."""

from collections.abc import Sequence
from typing import Any

from robby_client.tale import robby_solo as tale
from robby_client.words import robby_solo as words
from robby_client.world import GameState
from robby_games.robby_solo import (
    Declaration,
    Declare,
    GameOver,
    Laid,
    Lay,
    OwnView,
    PublicView,
    Reveal,
    items_of,
    money_of,
    total_of,
)
from robby_plain import robby_solo_answers
from robby_protocol.i18n import N_, _, ngettext

_RULES: tuple[str, ...] = (
    N_(
        "Rob banks; there is one more than participants. Each round a new loot card is dealt to every bank, on top of "
        "what lies there; the Gentleman says from which end."
    ),
    N_("Everybody secretly lays a card that names a bank; the Gentleman lays last, and then declares something true."),
    N_(
        "Then, as long as the clock runs, the others may confirm their card, which is final, or take it back and lay "
        "again, the same card or another: nobody sees which. The Gentleman may reveal once the shortest revision is "
        "over and nobody holds a card taken back."
    ),
    N_("The cards are turned. Who is alone at a bank takes all its loot. Where two or more meet, it stays."),
    N_(
        "A bank left with exactly four cards is emptied by the police; then everyone who holds the most loot cards "
        "returns the dearest money card, or an item of their choice if they hold no money. All these cards go under "
        "the deck and may come again."
    ),
    N_(
        "When time runs out: the loot is dealt from the left, a card of a bank by chance is laid, something true by "
        "chance that will not be robbed is declared, a card taken back lies again as it was, the oldest item goes."
    ),
    N_(
        "The game ends when the deck has too few cards for all banks, or after the table's last round, the hundredth "
        "as usual. The highest total wins; equal totals share the win."
    ),
    N_("Money counts its value; 1 to 7 items are worth 1,000, 10,000, 20,000, 40,000, 60,000, 80,000 and 100,000."),
)


class RobbySoloTexts:
    """See `games.GameTexts`."""

    def names(self, game: GameState) -> list[str]:
        return tale.names_in(game)

    def sentences(self, event: Any, names: Sequence[str], me: int | None) -> list[str]:
        if isinstance(event, Laid) and event.seat == me and not event.auto:
            return []  # "Your card is …" says more
        if isinstance(event, GameOver):
            over = tale.sentence(event, names, me)
            return [*([] if over is None else [over]), *_results(event, names, me)]
        told = tale.sentence(event, names, me)
        return [] if told is None else [told]

    def question(self, game: GameState, names: Sequence[str]) -> str:
        legal = () if game.decision is None else game.decision.legal
        return words.prompt(game.public, game.own, legal, names)

    def choice(self, action: Any, game: GameState) -> str:
        label = words.action_label(action)
        public: PublicView = game.public
        if isinstance(action, Lay) and action.bank < len(public.banks):
            label = _("{bank}: {loot}").format(
                bank=words.bank_label(action.bank), loot=words.loot_text(public.banks[action.bank])
            )
        elif isinstance(action, Declare):
            label = words.declaration_text(Declaration(robs=action.robs, bank=action.bank))
        return label

    def read(self, text: str) -> Any | None:
        return robby_solo_answers.read(text)

    def can_be_passed(self, legal: Sequence[Any]) -> bool:
        return all(isinstance(action, Reveal) for action in legal)

    def view(self, game: GameState, names: Sequence[str], me: int | None) -> list[str]:
        public: PublicView = game.public
        lines = [
            _("Round {round}, {phase}. {deck} in the deck. Gentleman: {name}.").format(
                round=public.round,
                phase=words.phase_label(public.phase),
                deck=_cards(public.deck),
                name=names[public.gentleman] if public.gentleman < len(names) else "?",
            )
        ]
        lines += [
            _("{bank}: {loot}").format(bank=words.bank_label(bank), loot=words.loot_text(loot))
            for bank, loot in enumerate(public.banks)
        ]
        for seat, one in enumerate(public.participants):
            name = names[seat] if seat < len(names) else str(seat + 1)
            parts = [_cards(one.stack)]
            if one.loot is not None and one.loot:
                parts.append(words.loot_text(one.loot))
            elif one.top is not None:
                parts.append(_("top {card}").format(card=words.card_label(one.top)))
            if public.phase == "plays" and seat == public.gentleman and one.card == "none":
                parts.append(_("plays last"))
            else:
                parts.append(words.participant_state(one))
            if seat == me:
                name = _("{name} (you)").format(name=name)
            lines.append(_("{name}: {state}").format(name=name, state=", ".join(parts)))
        if public.declaration is not None:
            lines.append(_("Declared: {declaration}").format(declaration=words.declaration_text(public.declaration)))
        return lines

    def hand(self, game: GameState) -> list[str]:
        own: OwnView | None = game.own
        if own is None:
            return [_("You only watch; you have no cards.")]
        lines = []
        if own.card is None:
            lines.append(_("You have not laid a heist card; you hold one for each bank."))
        else:
            lines.append(_("Your heist card is {bank}.").format(bank=words.bank_label(own.card)))
        if own.stack:
            lines.append(_("Your loot, oldest first: {loot}.").format(loot=words.loot_text(own.stack)))
            items = items_of(own.stack)
            lines.append(
                ngettext(
                    "Money {money} and {items} item: worth {total} now.",
                    "Money {money} and {items} items: worth {total} now.",
                    items,
                ).format(money=words.amount(money_of(own.stack)), items=items, total=words.amount(total_of(own.stack)))
            )
        else:
            lines.append(_("You have no loot yet."))
        return lines

    def options(self, options: dict[str, Any]) -> str:
        typed = words.typed_options(options)
        return _("options of a newer version") if typed is None else words.option_summary(typed)

    def option_lines(self, options: dict[str, Any]) -> list[str]:
        typed = words.typed_options(options)
        return [_("options of a newer version")] if typed is None else words.option_lines(typed)

    def rules(self) -> list[str]:
        return [_(line) for line in _RULES]


def _cards(count: int) -> str:
    return ngettext("{count} card", "{count} cards", count).format(count=count)


def _results(event: GameOver, names: Sequence[str], me: int | None) -> list[str]:
    """Everybody's result, best first, and below it what it is made of."""
    lines = []
    for score in event.scores:
        place, *parts = words.score_lines(score, names, me)
        lines.append(place)
        lines += [f"  {part}" for part in (*parts, _("cards: {loot}").format(loot=words.loot_text(score.stack)))]
    return lines
