"""Tresor Diebe in words: its events as sentences, its results, its options, its rules in brief."""

from collections.abc import Sequence
from typing import Any

from robby_client.stories.base import Story
from robby_client.words.common import amount, name_list, name_of, yours
from robby_games.tresor_diebe import (
    DICE,
    LAST_FIELD,
    NAME,
    Failed,
    GameOver,
    GameStarted,
    Limits,
    Opened,
    Options,
    Passed,
    RoundBegan,
    RoundEnded,
    Score,
    Thrown,
    TurnBegan,
    limits_of,
)
from robby_protocol.i18n import N_, _, ngettext

_WHY: dict[str, str] = {
    "passes": N_("everybody passed, one after another"),
    "open": N_("all safes are open"),
    "idle": N_("no safe was opened for too long"),
}
_RULES: tuple[str, ...] = (
    N_(
        "Five dice, 26 safes: the sum of the dice, 5 to 30, names the safe. In your turn pass, or throw up to three "
        "times; after each throw stop, or choose which dice to throw again. The third throw counts as it lies."
    ),
    N_(
        "If the safe is still free, you open it: your marker goes there, and your thief moves one field for each 100 € "
        "in it. If it is open already, whoever opened it, your thief goes one field back."
    ),
    N_(
        "The rare sums are worth most: safes 5, 6, 29 and 30 hold 500 €, those in the middle, 13 to 22, 100 €. Each "
        "player has eleven markers a round."
    ),
    N_(
        "A round ends when a thief reaches field 20, when everybody passes one after another, when all safes are open, "
        "or when nobody opens one for four circles. Everybody gets as many points as the thief has fields."
    ),
    N_("After the last round the most points win; equal totals share the win."),
    N_("When time runs out before the first throw, you pass; after it, you stop with the dice as they lie."),
)


class TresorDiebeStory(Story):
    """See `Story`."""

    game = NAME
    pitch = N_("dice to press your luck")
    over = GameOver
    labels = {
        "time": N_("Time"),
        "decision_ms": N_("each decision"),
        "rounds": N_("rounds"),
        "odds": N_("the odds may be shown"),
    }
    briefs = {"odds": N_("no odds")}

    def sentence(self, event: Any, names: Sequence[str], me: int | None) -> str | None:
        match event:
            case GameStarted():
                players = name_list([name_of(names, seat) for seat in range(event.players)])
                rounds = ngettext("{count} round", "{count} rounds", event.rounds).format(count=event.rounds)
                return _("The game begins: {names}, {rounds}.").format(names=players, rounds=rounds)
            case RoundBegan(starter=starter) if starter == me:
                return _("Round {round}: you begin.").format(round=event.round)
            case RoundBegan():
                return _("Round {round}: {name} begins.").format(round=event.round, name=name_of(names, event.starter))
            case TurnBegan():
                return None  # whoever's turn it is, throws or passes next
            case Passed():
                return _passed(event, names, me)
            case Thrown():
                return _thrown(event, names, me)
            case Opened():
                return _opened(event, names, me)
            case Failed():
                return _failed(event, names, me)
            case RoundEnded():
                return _round_ended(event, names, me)
            case GameOver():
                return _game_over(event, names, me)
            case _unknown:
                return None

    def explained(self, score: Score, names: Sequence[str], me: int | None = None) -> list[str]:
        who = name_of(names, score.seat)
        if score.seat == me:
            who = yours(who)
        heading = _("{place}. {name}: {total} – wins") if score.winner else _("{place}. {name}: {total}")
        rounds = " + ".join(amount(points) for points in score.points)
        return [
            heading.format(place=score.place, name=who, total=amount(score.total)),
            _("fields by round: {rounds} = {total}").format(rounds=rounds, total=amount(score.total)),
        ]

    def limits(self, options: Options) -> Limits:
        return limits_of(options)

    def rules(self) -> list[str]:
        return [_(line) for line in _RULES]


def dice_text(dice: Sequence[int]) -> str:
    """Dice as they lie, and their sum: `5 6 2 3 2 = 18`."""
    return f"{' '.join(map(str, dice))} = {sum(dice)}"


def _passed(event: Passed, names: Sequence[str], me: int | None) -> str:
    mine, name = event.seat == me, name_of(names, event.seat)
    if event.no_markers:
        return _("You have no marker left and pass.") if mine else _("{name} has no marker left.").format(name=name)
    if event.auto:
        return _("Time ran out: you pass.") if mine else _("Time ran out: {name} passes.").format(name=name)
    return _("You pass.") if mine else _("{name} passes.").format(name=name)


def _thrown(event: Thrown, names: Sequence[str], me: int | None) -> str:
    dice, mine, name = dice_text(event.dice), event.seat == me, name_of(names, event.seat)
    if len(event.again) == DICE:
        text = _("You throw {throw}: {dice}.") if mine else _("{name} throws {throw}: {dice}.")
        return text.format(name=name, throw=_("all dice"), dice=dice)
    count = ngettext("{n} die again", "{n} dice again", len(event.again)).format(n=len(event.again))
    text = _("You throw {throw}: {dice}.") if mine else _("{name} throws {throw}: {dice}.")
    return text.format(name=name, throw=count, dice=dice)


def _opened(event: Opened, names: Sequence[str], me: int | None) -> str:
    start = _("Time ran out.") + " " if event.auto else ""
    text = (
        _("You open safe {safe}: {value} €, to field {field}.")
        if event.seat == me
        else _("{name} opens safe {safe}: {value} €, to field {field}.")
    )
    return start + text.format(
        name=name_of(names, event.seat), safe=event.safe, value=amount(event.value), field=event.field
    )


def _failed(event: Failed, names: Sequence[str], me: int | None) -> str:
    start = _("Time ran out.") + " " if event.auto else ""
    owner = _("you") if event.owner == me else name_of(names, event.owner)
    text = (
        _("Safe {safe} is open already (by {owner}): you go to field {field}.")
        if event.seat == me
        else _("Safe {safe} is open already (by {owner}): {name} goes to field {field}.")
    )
    return start + text.format(safe=event.safe, owner=owner, name=name_of(names, event.seat), field=event.field)


def _round_ended(event: RoundEnded, names: Sequence[str], me: int | None) -> str:
    why = _why(event, names, me)
    start = (
        _("Round {round} is over.").format(round=event.round)
        if why is None
        else _("Round {round} is over: {why}.").format(round=event.round, why=why)
    )
    points = ", ".join(
        _("{name} +{fields} = {total}").format(name=name_of(names, seat), fields=fields, total=total)
        for seat, (fields, total) in enumerate(zip(event.fields, event.totals, strict=False))
    )
    return f"{start} {points}."


def _why(event: RoundEnded, names: Sequence[str], me: int | None) -> str | None:
    if event.why == "field" and LAST_FIELD in event.fields:
        seat = event.fields.index(LAST_FIELD)
        text = _("you have reached the last field") if seat == me else _("{name} has reached the last field")
        return text.format(name=name_of(names, seat))
    known = _WHY.get(event.why)
    return None if known is None else _(known)


def _game_over(event: GameOver, names: Sequence[str], me: int | None) -> str:
    winners = [score for score in event.scores if score.winner]
    if not winners:
        return _("The game is over.")
    total = amount(winners[0].total)
    if len(winners) > 1:
        who = name_list([name_of(names, score.seat) for score in winners])
        return _("The game is over: {names} share the win with {total}.").format(names=who, total=total)
    if winners[0].seat == me:
        return _("The game is over: you win with {total}!").format(total=total)
    return _("The game is over: {name} wins with {total}.").format(name=name_of(names, winners[0].seat), total=total)
