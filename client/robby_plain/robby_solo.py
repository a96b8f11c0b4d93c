"""Robby Solo said in lines: the table, the hand, the choices with what one should know for them."""

from collections.abc import Sequence
from typing import Any

from robby_client.stories.robby_solo import RobbySoloStory
from robby_client.words import robby_solo as words
from robby_client.words.common import amount, yours
from robby_client.world import GameState
from robby_games.robby_solo import (
    BANKS,
    Declaration,
    Declare,
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
from robby_plain.games import GameTexts
from robby_protocol.i18n import _, ngettext


class RobbySoloTexts(GameTexts):
    """See `games.GameTexts`."""

    story = RobbySoloStory()

    def sentences(self, event: Any, names: Sequence[str], me: int | None) -> list[str]:
        if isinstance(event, Laid) and event.seat == me and not event.auto:
            return []  # "Your card is …" says more
        return super().sentences(event, names, me)

    def spoken(self, text: str) -> str:
        """Each bank's label (`◆ blue (B)`) shortened to its name; shape and letter are for the eye."""
        for bank in range(len(BANKS)):
            text = text.replace(words.bank_label(bank), words.bank_name(bank))
        return text

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

    def read(self, text: str, game: GameState | None) -> Any | None:
        return robby_solo_answers.read(text)

    def words(self) -> str:
        return _("left, right, a bank by name or letter, rob red, not red, confirm, take back, reveal, an item's name")

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
                name = yours(name)
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
                ).format(money=amount(money_of(own.stack)), items=items, total=amount(total_of(own.stack)))
            )
        else:
            lines.append(_("You have no loot yet."))
        return lines


def _cards(count: int) -> str:
    return ngettext("{count} card", "{count} cards", count).format(count=count)
