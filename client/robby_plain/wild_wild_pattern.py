"""Wild Wild Pattern said in lines: the Wheel place by place, the own card, and a pattern named in three steps."""

from collections.abc import Callable, Sequence
from typing import Any

from robby_client.stories.wild_wild_pattern import (
    WildWildPatternStory,
    attribute_name,
    card_text,
    judgement_text,
    pattern_text,
    race_text,
)
from robby_client.words.common import name_list, name_of, yours
from robby_client.world import GameState
from robby_games.wild_wild_pattern import (
    ATTRIBUTE_NAMES,
    PLACES,
    Click,
    Cover,
    Declare,
    Grab,
    NoPattern,
    OwnView,
    ParticipantView,
    Pattern,
    PlaceView,
    PublicView,
    Ready,
    Take,
    YouLook,
    target_attribute,
    worth_of_objects,
    worth_of_target,
)
from robby_games.wild_wild_patterns import well_formed
from robby_plain.games import GameTexts
from robby_protocol.i18n import _, ngettext

_LIKE_A_COMMAND = "ready"
"""Also what is said at a table before a match and after it; then it is not this game's."""
_FILLERS = frozenset(("every", "always", "there", "is", "the", "a", "an", "card", "with"))


class WildWildPatternTexts(GameTexts):
    """See `games.GameTexts`."""

    story = WildWildPatternStory()

    def sentences(self, event: Any, names: Sequence[str], me: int | None) -> list[str]:
        if isinstance(event, YouLook) and event.card is not None:
            return []  # the question names it, and in a race each line costs time
        return super().sentences(event, names, me)

    def question(self, game: GameState, names: Sequence[str]) -> str:
        public: PublicView = game.public
        own: OwnView | None = game.own
        if public.phase == "over":
            return _("The game is over.")
        if game.decision is None:
            paused = game.clock is not None and game.clock.paused
            return _("The game waits.") if paused else _waiting(public, own, names)
        match public.phase:
            case "ready":
                return _("Ready to look at your card?")
            case "shootout" if any(isinstance(action, Cover) for action in game.decision.legal):
                return _("{card} Which card of the Wheel do you cover with it?").format(card=_own_card(own))
            case "shootout":
                return _("{card} You may not cover yet, after your wrong grab.").format(card=_own_card(own))
            case "declare":
                return _("Your shot counts: which new pattern is on the Wheel now?")
            case "take":
                return ngettext(
                    "You take {count} card: from which place?",
                    "You take {count} cards: from which place first?",
                    public.takes,
                ).format(count=public.takes)
            case "grab":
                return _("A duel: do you grab Clementine? {wheel}").format(wheel=_wheel(public))
            case _name:
                return _("You have Clementine: which pattern is on the Wheel?")

    def choice(self, action: Any, game: GameState) -> str:
        public: PublicView = game.public
        match action:
            case Ready():
                return _("ready")
            case Cover(place=place):
                return _("cover place {place}: {card}").format(place=place + 1, card=_top(public, place))
            case Click():
                return _("click: the gun is empty")
            case Declare(side=side, a=a, b=b):
                return pattern_text(Pattern(side, a, b))
            case NoPattern():
                return _("there is no pattern")
            case Take(place=place):
                return _("take place {place}: {card}").format(place=place + 1, card=_top(public, place))
            case Grab():
                return _("grab Clementine")
            case _unknown:
                return str(action)

    def menu(self, actions: Sequence[Any], game: GameState) -> list[tuple[str, tuple[Any, ...]]]:
        """A pattern in three steps: the side, then A, then B, always in the same order, so that it can be learnt."""
        declared = [action for action in actions if isinstance(action, Declare)]
        declared.sort(key=lambda one: (one.side != "before", one.a, one.b))
        others = super().menu([action for action in actions if not isinstance(action, Declare)], game)
        if len({action.side for action in declared}) > 1:
            return [*_narrowed(declared, lambda one: one.side, _before_label), *others]
        if len({action.a for action in declared}) > 1:
            return [*_narrowed(declared, lambda one: one.a, _first_label), *others]
        return [*super().menu(declared, game), *others]

    def read(self, text: str, game: GameState | None) -> Any | None:
        """`ready`, `cover 4`, `click`, `grab`, `take 3`, `none`, `before every star always coin`.

        The small words may be left out: `before star coin`.
        """
        word, *rest = text.casefold().replace(",", " ").split() or [""]
        if word == _LIKE_A_COMMAND and (game is None or game.public.phase == "over"):
            return None
        plain = {"ready": Ready(), "click": Click(), "grab": Grab(), "none": NoPattern()}
        if not rest:
            return plain.get(word)
        if word in ("cover", "take"):
            place = _place(rest)
            return None if place is None else Cover(place) if word == "cover" else Take(place)
        if word in ("before", "after"):
            named = [_attribute(one) for one in rest if one not in _FILLERS]
            return _declaration(word, named)
        return None

    def words(self) -> str:
        return _("ready, cover 4, click, grab, take 3, before star coin, after blue loot, none for no pattern")

    def view(self, game: GameState, names: Sequence[str], me: int | None) -> list[str]:
        public: PublicView = game.public
        lines = [
            _("Round {round} of {rounds}, turn {turn}. {deck} in the deck, {bank} $ in the bank.").format(
                round=public.round, rounds=public.rounds, turn=public.turn, deck=_cards(public.deck), bank=public.bank
            ),
            _("The Wheel, clockwise from the top; after place 8 comes place 1:"),
        ]
        lines += [_place_line(number, place) for number, place in enumerate(public.wheel, start=1)]
        lines += [
            _participant(name_of(names, seat), one, public.phase, me=seat == me)
            for seat, one in enumerate(public.participants)
        ]
        if public.duel:
            lines.append(_("This turn is a duel for a challenge card."))
        if public.race is not None:
            first = name_of(names, public.race.winner)
            told = _("You were first.") if public.race.winner == me else _("{name} was first.").format(name=first)
            lines.append(told + race_text(public.race, names, me))
        if public.judgement is not None:
            lines.append(judgement_text(public.judgement, names, me))
        if public.forbidden is not None:
            lines.append(_("From place {place} nothing may be taken now.").format(place=public.forbidden + 1))
        return lines

    def hand(self, game: GameState) -> list[str]:
        own: OwnView | None = game.own
        if own is None:
            return [_("You only watch; you have no cards.")]
        public: PublicView = game.public
        lines = [_own_card(own)]
        if own.shot is not None:
            lines.append(
                _("You have shot at place {place}; who was first shows in a moment.").format(place=own.shot + 1)
            )
        if own.grabbed:
            lines.append(_("Your hand is out; who was first shows in a moment."))
        mine = public.participants[own.seat]
        target = attribute_name(target_attribute(mine.target))
        lines.append(_("Your target card: {attribute}.").format(attribute=target))
        lines.append(_("You have won: {cards}.").format(cards=_won(mine)))
        return lines


# Menus.


def _narrowed(
    declared: Sequence[Declare], key: Callable[[Declare], Any], label: Callable[[Declare], str]
) -> list[tuple[str, tuple[Any, ...]]]:
    groups: dict[Any, list[Declare]] = {}
    for action in declared:
        groups.setdefault(key(action), []).append(action)
    return [(label(fitting[0]), tuple(fitting)) for fitting in groups.values()]


def _before_label(action: Declare) -> str:
    return _("before every …") if action.side == "before" else _("after every …")


def _first_label(action: Declare) -> str:
    text = _("before every {a} always …") if action.side == "before" else _("after every {a} always …")
    return text.format(a=attribute_name(action.a))


# Words that are typed.


def _place(words: Sequence[str]) -> int | None:
    """A place as it is said, counted from 1."""
    number = words[-1]
    if len(words) > 2 or (len(words) == 2 and words[0] != "place"):
        return None
    known = number.isascii() and number.isdigit() and len(number) == 1 and 1 <= int(number) <= PLACES
    return int(number) - 1 if known else None


def _attribute(word: str) -> int | None:
    """By its name, in English or as it is shown."""
    for attribute, name in enumerate(ATTRIBUTE_NAMES):
        if word in (name, attribute_name(attribute).casefold()):
            return attribute
    return None


def _declaration(side: Any, named: Sequence[int | None]) -> Declare | None:
    match named:
        case [int() as a, int() as b] if well_formed(Pattern(side, a, b)):
            return Declare(side, a, b)
        case _other:
            return None


# The table.


def _waiting(public: PublicView, own: OwnView | None, names: Sequence[str]) -> str:
    """For what everybody waits, where nothing is asked of the own seat."""
    if own is not None and (own.shot is not None or own.grabbed):
        return _("Who was first shows in a moment.")
    if public.phase == "ready":
        missing = [name_of(names, seat) for seat, one in enumerate(public.participants) if not one.ready]
        return _("All look at the same moment; waiting for {names}.").format(names=name_list(missing))
    if public.active is not None:
        return _("It is {name}'s turn to choose.").format(name=name_of(names, public.active))
    waits = {
        "shootout": _("The others look for a pattern."),
        "grab": _("Who grabs Clementine?"),
    }
    return waits.get(public.phase, _("The others are choosing."))


def _wheel(public: PublicView) -> str:
    """All places in one line, for who has to find a pattern in them."""
    cards = ", ".join(f"{number} {_top(public, place)}" for place, number in enumerate(range(1, PLACES + 1)))
    return _("On the Wheel, clockwise: {cards}.").format(cards=cards)


def _own_card(own: OwnView | None) -> str:
    if own is None or own.card is None:
        return _("You see no card of your own now.")
    return _("Your card: {card}.").format(card=card_text(own.card))


def _top(public: PublicView, place: int) -> str:
    card = public.wheel[place].card if place < len(public.wheel) else None
    return _("empty") if card is None else card_text(card)


def _place_line(number: int, place: PlaceView) -> str:
    if place.card is None:
        return _("Place {place}: empty.").format(place=number)
    if place.covered is None:
        return _("Place {place}: {card}.").format(place=number, card=card_text(place.card))
    return _("Place {place}: {card}, played over {covered}.").format(
        place=number, card=card_text(place.card), covered=card_text(place.covered)
    )


def _participant(name: str, one: ParticipantView, phase: str, *, me: bool) -> str:
    if me:
        name = yours(name)
    parts = [
        _("{coins} $").format(coins=one.coins),
        _("target {attribute}").format(attribute=attribute_name(target_attribute(one.target))),
        _("won {cards}").format(cards=_won(one)),
    ]
    worth = worth_of_objects(one.won) + worth_of_target(one.target, one.won) + one.challenges
    if worth and phase != "over":
        parts.append(_("worth {worth} $ so far").format(worth=worth))
    if one.ready and phase == "ready":
        parts.append(_("ready"))
    if one.clicked:
        parts.append(_("has clicked"))
    if one.slowed:
        parts.append(_("may not cover at once in the next shoot-out"))
    return _("{name}: {state}").format(name=name, state="; ".join(parts))


def _won(one: ParticipantView) -> str:
    told = [card_text(card) for card in one.won]
    if one.challenges:
        told.append(
            ngettext("{count} challenge card", "{count} challenge cards", one.challenges).format(count=one.challenges)
        )
    return ", ".join(told) if told else _("nothing")


def _cards(count: int) -> str:
    return ngettext("{count} card", "{count} cards", count).format(count=count)
