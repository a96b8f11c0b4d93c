"""Wild Wild Pattern in words: its events as sentences, its results, its options, its rules in brief."""

from collections.abc import Sequence
from typing import Any

from robby_client.stories.base import Story
from robby_client.words.common import name_list, name_of, preset_name, yours
from robby_games.wild_wild_pattern import (
    ATTRIBUTE_NAMES,
    NAME,
    PRESETS,
    Clicked,
    Covered,
    Dealt,
    Discarded,
    DuelOver,
    Filled,
    GameOver,
    GameStarted,
    Grabbed,
    Judged,
    Judgement,
    Limits,
    Looked,
    NobodyShot,
    Options,
    Pattern,
    Payment,
    Race,
    RoundOver,
    RoundStarted,
    SaidReady,
    Score,
    Taken,
    YouGrabbed,
    YouLook,
    YouShot,
    attributes_of,
)
from robby_protocol.i18n import N_, _, ngettext

MANY = 3
"""Cards with A from which a valid pattern wins more."""
_VERDICTS: dict[str, str] = {
    "valid": N_("valid"),
    "too_few": N_("invalid, fewer than two such cards"),
    "not_always": N_("invalid, it is not always so"),
    "not_new": N_("invalid, it was there before"),
    "none": N_("right, there is no pattern"),
}
_ROUND_OVER: dict[str, str] = {
    "deck": N_("The round is over: the deck has no card for everybody."),
    "wheel": N_("The round is over: the deck cannot fill the Wheel."),
}
_OVER: dict[str, str] = {
    "rounds": N_("The last round is played: the game is over."),
    "bank": N_("The bank is empty: the game is over."),
    "wild": N_("A Wild Wild Pattern: the game is over."),
}
_RULES: tuple[str, ...] = (
    N_(
        "Eight cards lie in a circle, the Wheel, each with an object, a colour and a suit. A pattern says: immediately "
        "before (or after) every card with A there is always a card with B, where one of both is an object and the "
        "other a colour or a suit. After is clockwise. At least two cards must have A."
    ),
    N_(
        "Everybody looks at one card at the same moment. Whoever is first to cover a card of the Wheel must then "
        "declare a pattern that was not there before. Who sees none may click, which is final."
    ),
    N_(
        "Valid with a suit: you win the covered card, with three or more cards of A the played one too. Valid with a "
        "colour: one card of your choice, with three or more two. Invalid, or nothing in time: every opponent takes a "
        "card. If all eight cards are involved, you win the game at once."
    ),
    N_(
        "Challenge cards make a duel: whoever is first to grab Clementine must name a pattern that is there, or say "
        "rightly that there is none."
    ),
    N_(
        "Who was first is found by the server, less the time that the way takes, at most 150 ms; whoever delays the "
        "answers gains no more than that."
    ),
    N_("At the end of a round objects, targets and challenge cards are paid. The most money wins; equals share."),
)


class WildWildPatternStory(Story):
    """See `Story`."""

    game = NAME
    pitch = N_("a race of quick eyes")
    over = GameOver
    labels = {"time": N_("Time"), "rounds": N_("rounds")}

    def sentence(self, event: Any, names: Sequence[str], me: int | None) -> str | None:
        match event:
            case GameStarted():
                players = name_list([name_of(names, seat) for seat in range(event.seats)])
                rounds = ngettext("{count} round", "{count} rounds", event.rounds).format(count=event.rounds)
                return _("The game begins: {names}, at most {rounds}.").format(names=players, rounds=rounds)
            case RoundStarted():
                cards = ", ".join(map(card_text, event.wheel))
                return _("Round {round}. On the Wheel, clockwise: {cards}.").format(round=event.round, cards=cards)
            case Dealt():
                return _("Turn {turn}: everybody has a card; {deck} in the deck.").format(
                    turn=event.turn, deck=event.deck
                )
            case SaidReady():
                return None  # all look as soon as all are, and until then the table shows who is not
            case Looked():
                if event.duel:
                    return _duel(event.duel, names, me)
                return _("All look: who shoots first?")
            case YouLook(card=None):
                return _("Your card is a challenge card.")
            case YouLook(card=int() as card):
                return _("Your card: {card}.").format(card=card_text(card))
            case YouShot():
                return _("Your shot has arrived.")
            case YouGrabbed():
                return _("Your hand is out.")
            case Clicked():
                return _("You click.") if event.seat == me else _("{name} clicks.").format(name=_who(event, names))
            case Covered():
                return _covered(event, names, me)
            case NobodyShot():
                return _("Time ran out: nobody shot.") if event.auto else _("All have clicked: nobody shot.")
            case Judged():
                return judgement_text(event.judgement, names, me)
            case Taken():
                text = (
                    _("You take {card} from place {place}.")
                    if event.seat == me
                    else _("{name} takes {card} from place {place}.")
                )
                return _auto(event.auto) + text.format(
                    name=_who(event, names), card=card_text(event.card), place=event.place + 1
                )
            case Discarded():
                return _("{card} is discarded from place {place}.").format(
                    card=card_text(event.card), place=event.place + 1
                )
            case Filled(laid=()):
                return None
            case Filled():
                laid = ", ".join(
                    _("place {place}: {card}").format(place=one.place + 1, card=card_text(one.card))
                    for one in event.laid
                )
                return _("The Wheel is filled: {cards}.").format(cards=laid)
            case Grabbed():
                text = _("You have Clementine.") if event.seat == me else _("{name} has Clementine.")
                return text.format(name=_who(event, names)) + race_text(event.race, names, me)
            case DuelOver():
                return _duel_over(event, names, me)
            case RoundOver():
                paid = "; ".join(_paid(one, names) for one in event.payments)
                known = _ROUND_OVER.get(event.reason)
                start = _("The round is over.") if known is None else _(known)
                return start + " " + _("{paid}. In the bank: {bank} $.").format(paid=paid, bank=event.bank)
            case GameOver():
                return _game_over(event, names, me)
            case _unknown:
                return None

    def explained(self, score: Score, names: Sequence[str], me: int | None = None) -> list[str]:
        who = name_of(names, score.seat)
        if score.seat == me:
            who = yours(who)
        heading = _("{place}. {name}: {coins} $ – wins") if score.winner else _("{place}. {name}: {coins} $")
        return [heading.format(place=score.place, name=who, coins=score.coins)]

    def limits(self, options: Options) -> Limits:
        return PRESETS[options.time]

    def option_lines(self, options: Options) -> list[str]:
        rounds = _("as many as usual") if options.rounds is None else str(options.rounds)
        return [
            _("time: {preset}").format(preset=preset_name(options.time)),
            _("rounds: {rounds}").format(rounds=rounds),
        ]

    def rules(self) -> list[str]:
        return [_(line) for line in _RULES]

    def together(self, event: Any) -> bool:
        return isinstance(event, SaidReady | Clicked)


def attribute_name(attribute: int) -> str:
    """`gun`, `red`, `coin`."""
    return _(ATTRIBUTE_NAMES[attribute])


def card_text(card: int) -> str:
    """A pattern card: `red gun (coin)`."""
    thing, colour, suit = map(attribute_name, attributes_of(card))
    return _("{colour} {object} ({suit})").format(colour=colour, object=thing, suit=suit)


def pattern_text(pattern: Pattern) -> str:
    """`before every star always coin`."""
    text = _("before every {a} always {b}") if pattern.side == "before" else _("after every {a} always {b}")
    return text.format(a=attribute_name(pattern.a), b=attribute_name(pattern.b))


def race_text(race: Race, names: Sequence[str], me: int | None) -> str:
    """Who else raced, and by how much they were later; nothing if nobody did. Begins with a space."""
    if len(race.entrants) < 2:
        return ""
    first = race.entrants[0].moment
    told = ", ".join(
        _("{name} +{late} ms (credit {credit} ms)").format(
            name=_("you") if one.seat == me else name_of(names, one.seat), late=one.moment - first, credit=one.credit
        )
        for one in race.entrants
    )
    text = _("It was close, and drawn: {entrants}.") if race.drawn else _("It was close: {entrants}.")
    return " " + text.format(entrants=told)


def judgement_text(judgement: Judgement, names: Sequence[str], me: int | None) -> str:
    """What was declared, what became of it, and where it does not hold."""
    mine = judgement.seat == me
    who = _("You") if mine else name_of(names, judgement.seat)
    if judgement.verdict == "silent":
        return _("You said nothing in time.") if mine else _("{name} said nothing in time.").format(name=who)
    if judgement.pattern is None:
        return _("{name}: {verdict}.").format(name=who, verdict=_verdict(judgement))
    if judgement.verdict == "some":
        text = _("{name}: there is no pattern; wrong: {pattern}.")
        return text.format(name=who, pattern=pattern_text(judgement.pattern))
    return _("{name}: {pattern}; {verdict}.").format(
        name=who, pattern=pattern_text(judgement.pattern), verdict=_verdict(judgement)
    )


def _verdict(judgement: Judgement) -> str:
    known = _VERDICTS.get(judgement.verdict)
    text = judgement.verdict if known is None else _(known)
    if judgement.lacking and not judgement.right:
        places = name_list([str(place + 1) for place in judgement.lacking])
        text += " " + _("(not at {places})").format(places=places)
    elif judgement.verdict == "valid" and judgement.count >= MANY:
        text += " " + _("({count} such cards)").format(count=judgement.count)  # why more cards are won
    return text


def _paid(payment: Payment, names: Sequence[str]) -> str:
    parts = (
        (payment.objects, _("objects {coins}")),
        (payment.target, _("target {coins}")),
        (payment.challenges, _("challenge cards {coins}")),
    )
    told = [text.format(coins=coins) for coins, text in parts if coins]
    if payment.paid < payment.due:
        told.append(_("{coins} $ were due, but the bank was empty").format(coins=payment.due))
    text = _("{name} +{paid} = {coins} $").format(
        name=name_of(names, payment.seat), paid=payment.paid, coins=payment.coins
    )
    return text + (f" ({', '.join(told)})" if told else "")


def _who(event: Any, names: Sequence[str]) -> str:
    return name_of(names, event.seat)


def _auto(auto: bool) -> str:
    return _("Time ran out.") + " " if auto else ""


def _duel(dealt: Sequence[int], names: Sequence[str], me: int | None) -> str:
    who = name_list([_("you") if seat == me else name_of(names, seat) for seat in dealt])
    text = ngettext("a challenge card for {names}", "challenge cards for {names}", len(dealt)).format(names=who)
    return _("A duel, {cards}: who grabs Clementine first?").format(cards=text)


def _covered(event: Covered, names: Sequence[str], me: int | None) -> str:
    text = (
        _("You shoot first: {card} over {covered}, place {place}.")
        if event.seat == me
        else _("{name} shoots first: {card} over {covered}, place {place}.")
    )
    told = text.format(
        name=_who(event, names), card=card_text(event.card), covered=card_text(event.covered), place=event.place + 1
    )
    return told + race_text(event.race, names, me)


def _duel_over(event: DuelOver, names: Sequence[str], me: int | None) -> str:
    start = _("Nobody grabs Clementine.") if event.judgement is None else judgement_text(event.judgement, names, me)
    if event.winner is None:
        return start + " " + _("The challenge card is removed.")
    text = _("You win the challenge card.") if event.winner == me else _("{name} wins the challenge card.")
    return start + " " + text.format(name=name_of(names, event.winner))


def _game_over(event: GameOver, names: Sequence[str], me: int | None) -> str:
    known = _OVER.get(event.reason)
    start = _("The game is over.") if known is None else _(known)
    winners = [score for score in event.scores if score.winner]
    if not winners:
        return start
    if len(winners) > 1:
        who = name_list([name_of(names, score.seat) for score in winners])
        return start + " " + _("{names} share the win with {coins} $.").format(names=who, coins=winners[0].coins)
    text = _("You win with {coins} $!") if winners[0].seat == me else _("{name} wins with {coins} $.")
    return start + " " + text.format(name=name_of(names, winners[0].seat), coins=winners[0].coins)
