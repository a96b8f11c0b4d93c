"""Tresor Diebe said in lines: the safes, the thieves, the dice, and which of them to throw again."""

from collections.abc import Sequence
from typing import Any

from robby_client.stories.tresor_diebe import TresorDiebeStory, dice_text
from robby_client.words.common import amount, name_of, yours
from robby_client.world import GameState
from robby_games.tresor_diebe import (
    DICE,
    FIRST_SAFE,
    LAST_FIELD,
    NOBODY,
    THROWS,
    Again,
    Pass,
    PublicView,
    Stop,
    Throw,
    free_safes,
    owner_of,
    value_of,
)
from robby_plain.games import GameTexts
from robby_protocol.i18n import _, ngettext


class TresorDiebeTexts(GameTexts):
    """See `games.GameTexts`."""

    story = TresorDiebeStory()

    def question(self, game: GameState, names: Sequence[str]) -> str:
        public: PublicView = game.public
        if public.phase == "over":
            return _("The game is over.")
        if game.decision is None:
            return _("It is {name}'s turn.").format(name=name_of(names, public.turn))
        if public.phase == "turn":
            return _("Your turn: throw the dice, or pass?")
        left = THROWS - public.throws
        return ngettext(
            "{dice}. Stop, or throw some of them again? {count} throw left.",
            "{dice}. Stop, or throw some of them again? {count} throws left.",
            left,
        ).format(dice=dice_text(public.dice), count=left)

    def choice(self, action: Any, game: GameState) -> str:
        public: PublicView = game.public
        match action:
            case Throw():
                return _("throw all five dice")
            case Pass():
                return _("pass")
            case Stop():
                return _("stop: {safe}").format(safe=_safe(public, sum(public.dice)))
            case Again(dice=places) if len(places) == DICE:
                return _("throw all five dice again")
            case Again(dice=places):
                thrown = " ".join(str(place + 1) for place in places)
                shown = ", ".join(str(public.dice[place]) for place in places if place < len(public.dice))
                return ngettext(
                    "throw again the die in place {places} ({shown})",
                    "throw again the dice in places {places} ({shown})",
                    len(places),
                ).format(places=thrown, shown=shown)
            case _unknown:
                return str(action)

    def menu(self, actions: Sequence[Any], game: GameState) -> list[tuple[str, tuple[Any, ...]]]:
        """First how many dice to throw again, then which."""
        some = [action for action in actions if isinstance(action, Again) and len(action.dice) < DICE]
        if len({len(action.dice) for action in some}) <= 1:
            return super().menu(actions, game)
        menu = super().menu([action for action in actions if action not in some], game)
        for count in range(1, DICE):
            fitting = tuple(action for action in some if len(action.dice) == count)
            if fitting:
                label = ngettext("throw {count} die again …", "throw {count} dice again …", count)
                menu.append((label.format(count=count), fitting))
        return menu

    def read(self, text: str, game: GameState | None) -> Any | None:
        """`throw`, `pass`, `stop`, `again 1 3 5` (places from the left), `again` for all."""
        word, *rest = text.casefold().split() or [""]
        plain = {"throw": Throw(), "pass": Pass(), "stop": Stop()}
        if not rest and word in plain:
            return plain[word]
        if word != "again":
            return None
        wanted = "".join(rest).replace(",", "") or "12345"
        if not all(digit in "12345" for digit in wanted) or len(set(wanted)) != len(wanted):
            return None
        return Again(dice=tuple(sorted(int(digit) - 1 for digit in wanted)))

    def words(self) -> str:
        return _("throw, pass, stop, again 1 3 5 for these dice from the left, again for all")

    def view(self, game: GameState, names: Sequence[str], me: int | None) -> list[str]:
        public: PublicView = game.public
        lines = [_("Round {round} of {rounds}.").format(round=public.round, rounds=public.rounds)]
        free = [f"{safe} ({amount(value_of(safe))} €)" for safe in free_safes(public.safes)]
        lines.append(_("Free safes: {safes}.").format(safes=", ".join(free) if free else _("none")))
        for seat, field in enumerate(public.fields):
            name = name_of(names, seat)
            if seat == me:
                name = yours(name)
            opened = [str(safe) for safe in _opened_by(public, seat)]
            lines.append(
                _("{name}: field {field} of {last}, {total} points before; opened {safes}.").format(
                    name=name,
                    field=field,
                    last=LAST_FIELD,
                    total=amount(public.totals[seat]),
                    safes=", ".join(opened) if opened else _("nothing"),
                )
            )
        if public.dice:
            lines.append(_("The dice: {dice}.").format(dice=dice_text(public.dice)))
        if public.passes:
            lines.append(
                ngettext(
                    "{count} player has passed one after another.",
                    "{count} players have passed one after another.",
                    public.passes,
                ).format(count=public.passes)
            )
        return lines

    def hand(self, game: GameState) -> list[str]:
        if game.own is None:
            return [_("You only watch.")]
        public: PublicView = game.public
        left = public.markers[game.own.seat]
        return [ngettext("You have {count} marker left.", "You have {count} markers left.", left).format(count=left)]


def _opened_by(public: PublicView, seat: int) -> list[int]:
    return [safe for safe, owner in enumerate(public.safes, FIRST_SAFE) if owner == seat]


def _safe(public: PublicView, safe: int) -> str:
    """A safe, and what comes of going there."""
    if owner_of(public.safes, safe) == NOBODY:
        return _("safe {safe} is free and holds {value} €").format(safe=safe, value=amount(value_of(safe)))
    return _("safe {safe} is open already, one field back").format(safe=safe)
