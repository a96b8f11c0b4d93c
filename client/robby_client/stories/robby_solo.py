"""Robby Solo in words. Its sentences are in `tale.robby_solo`, its things in `words.robby_solo`."""

from collections.abc import Mapping, Sequence
from typing import Any

from robby_client.stories.base import Story, Telling
from robby_client.tale import robby_solo as tale
from robby_client.words import robby_solo as words
from robby_games.robby_solo import (
    NAME,
    Chose,
    Confirmed,
    GameOver,
    GameStarted,
    Laid,
    Limits,
    Options,
    Police,
    Returned,
    Robbed,
    RoundStarted,
    Supplied,
    TakenBack,
    limits_of,
)
from robby_protocol.i18n import N_, _

_TOGETHER = (Laid, TakenBack, Returned, Confirmed, Chose)
"""What several seats may do at the same time."""
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


class RobbySoloStory(Story):
    """See `Story`."""

    game = NAME
    pitch = N_("bluff at the banks")
    over = GameOver
    labels = {
        "time": N_("Time"),
        "supply_ms": N_("supply side"),
        "play_ms": N_("secret play"),
        "gentleman_ms": N_("Gentleman's play"),
        "revision_min_ms": N_("revision, shortest"),
        "revision_max_ms": N_("revision, longest"),
        "item_ms": N_("item for the police"),
        "junior": N_("Robby Junior plays too"),
        "open_loot": N_("open loot: all stacks are seen"),
        "max_rounds": N_("rounds at most"),
        "money_copies": N_("money cards of each value"),
        "items": N_("items in the deck"),
    }
    briefs = {"junior": N_("Junior"), "open_loot": N_("open loot")}

    def participants(self, names: Sequence[str], public: Any) -> list[str]:
        return tale.names_of(names, junior=public is not None and public.junior)

    def unseated(self, options: Mapping[str, Any]) -> int:
        return int(bool(options.get("junior")))

    def fewest_seats(self, options: Mapping[str, Any]) -> int:
        return 3 - self.unseated(options)

    def sentence(self, event: Any, names: Sequence[str], me: int | None) -> str | None:
        return tale.sentence(event, names, me)

    def explained(self, score: Any, names: Sequence[str], me: int | None = None) -> list[str]:
        return [*words.score_lines(score, names, me), _("cards: {loot}").format(loot=words.loot_text(score.stack))]

    def limits(self, options: Options) -> Limits:
        return limits_of(options)

    def rules(self) -> list[str]:
        return [_(line) for line in _RULES]

    def option_lines(self, options: Options) -> list[str]:
        return words.option_lines(options)

    def together(self, event: Any) -> bool:
        return isinstance(event, _TOGETHER)

    def telling(self) -> Telling:
        return _Telling()


class _Telling:
    """Tells a match, and after each deal what lies on the banks."""

    def __init__(self) -> None:
        self._banks: list[list[int]] = []

    def __call__(self, event: Any, names: Sequence[str], me: int | None) -> list[str]:
        told = tale.sentence(event, names, me)
        lines = [] if told is None else [told]
        if isinstance(event, RoundStarted):
            lines.insert(0, "")
        elif isinstance(event, GameStarted):
            self._banks = [[] for _bank in range(event.banks)]
        elif isinstance(event, Supplied):
            for bank, card in zip(self._banks, event.cards, strict=True):
                bank.append(card)
            loot = "; ".join(
                _("{bank} {loot}").format(bank=words.bank_label(bank), loot=words.loot_text(cards))
                for bank, cards in enumerate(self._banks)
            )
            lines.append(_("On the banks: {loot}.").format(loot=loot))
        elif isinstance(event, Robbed | Police):
            self._banks[event.bank] = []
        return lines
