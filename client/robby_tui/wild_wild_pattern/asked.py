"""What is asked of a person at the table, and which keys answer. Knows no widgets."""

from robby_client.stories.wild_wild_pattern import attribute_name, judgement_text
from robby_client.words.common import name_list
from robby_games.wild_wild_pattern import (
    ATTRIBUTE_LETTERS,
    Click,
    Cover,
    Grab,
    NoPattern,
    Race,
    Ready,
    RoundOver,
    Take,
    worth_of_objects,
    worth_of_target,
)
from robby_protocol.i18n import _, ngettext
from robby_tui.hints import KeyHint
from robby_tui.moment import no_connection
from robby_tui.signs import ALERT, GOOD, MUTED
from robby_tui.widgets.lines import Line
from robby_tui.wild_wild_pattern.cards import keyed, target_line
from robby_tui.wild_wild_pattern.composing import Composing
from robby_tui.wild_wild_pattern.picture import Picture

NO_PATTERN_KEY = "0"


def sentence(picture: Picture) -> str:
    """The one line that says what is asked now, or for whom everybody waits."""
    public = picture.public
    if picture.offline:
        return no_connection()
    if picture.sent:
        return _("Sent; waiting for the server …")
    if picture.declarable:
        return _declaring(picture)
    if picture.may(Ready):
        return _("Ready to look at your card? Press Enter.")
    if picture.may(Cover):
        if picture.cursor is not None:
            return _("Cover place {place} with your card? Enter shoots.").format(place=picture.cursor + 1)
        return _("Which card do you cover with yours? Press its number.")
    if picture.may(Click):
        return _("You grabbed in vain, so you may not cover yet. Look!")
    if picture.may(Take):
        return _taking(picture)
    if picture.may(Grab):
        return _duel(picture) + " " + _("Space grabs Clementine!")
    if public.phase == "over":
        return _("The game is over. Enter shows the results.")
    if picture.clock is not None and picture.clock.paused:
        return _("The game waits until everybody is back.")
    return _waiting(picture)


def _declaring(picture: Picture) -> str:
    composing = picture.composing
    if composing.side is None:
        if picture.may(NoPattern):
            return _("You have Clementine: ← before, → after every …, 0 none.")
        return _("First! Your new pattern: ← before or → after every …")
    if composing.a is None:
        every = _("before every …") if composing.side == "before" else _("after every …")
        return every + " " + _("Press the letter, a capital on the Wheel.")
    always = (_("before every {a} always …") if composing.side == "before" else _("after every {a} always …")).format(
        a=attribute_name(composing.a)
    )
    return always + " " + _("Its letter declares it.")


def _taking(picture: Picture) -> str:
    public = picture.public
    what = ngettext("Take {count} card: press its number.", "Take {count} cards: press a number.", public.takes)
    what = what.format(count=public.takes)
    if public.shooter != picture.me and public.judgement is not None and public.judgement.verdict == "silent":
        return _("{name} said nothing in time.").format(name=picture.called(public.shooter)) + " " + what
    if public.shooter != picture.me:
        return _("{name}'s pattern does not hold.").format(name=picture.called(public.shooter)) + " " + what
    if public.forbidden is not None:
        return what + " " + _("(Not {place}.)").format(place=public.forbidden + 1)
    return what


def _duel(picture: Picture) -> str:
    dealt = picture.told.duel
    if not dealt:
        return _("A duel for a challenge card.")
    if picture.me in dealt and len(dealt) == 1:
        return _("You have a challenge card.")
    who = name_list([picture.called(seat) for seat in dealt])
    text = ngettext("{names} has a challenge card.", "{names} have challenge cards.", len(dealt))
    text = text.format(names=who)
    return text[:1].upper() + text[1:] if dealt[0] == picture.me else text


def _waiting(picture: Picture) -> str:
    public, own = picture.public, picture.own
    if own is not None and own.shot is not None:
        return _("Your shot at {place} is out: who was first shows in a moment.").format(place=own.shot + 1)
    if own is not None and own.grabbed:
        return _("Your hand is out: who was first shows in a moment.")
    active = picture.called(public.active)
    match public.phase:
        case "ready":
            missing = name_list([picture.name(seat) for seat, one in enumerate(public.participants) if not one.ready])
            return _("All look at the same moment; waiting for {names}.").format(names=missing)
        case "shootout" if own is not None:
            return _("You clicked; the others look for a new pattern.")
        case "shootout":
            return _("All look for a card to cover that makes a new pattern.")
        case "declare":
            return _("{name} was first and declares a new pattern …").format(name=active)
        case "take":
            return _("{name} takes a card of the Wheel …").format(name=active)
        case "grab":
            return _duel(picture)
        case "name":
            return _("{name} has Clementine and names a pattern …").format(name=active)
        case _other:
            return _("The others are choosing …")


def hints(picture: Picture) -> list[KeyHint]:
    """The keys that answer what is asked, most wanted first."""
    if picture.sent:
        return []
    if picture.declarable:
        return _composing_hints(picture)
    found: list[KeyHint] = []
    if picture.may(Ready):
        found.append(KeyHint("Enter", _("ready"), "enter"))
    if picture.may(Cover):
        found += [KeyHint("1–8", _("cover"), ""), KeyHint("←↑→↓ Enter", _("cover"), "")]
    if picture.may(Take):
        found += [KeyHint("1–8", _("take"), ""), KeyHint("←↑→↓ Enter", _("take"), "")]
    if picture.may(Click):
        found.insert(min(1, len(found)), KeyHint("k", _("click: no pattern"), "click"))
    if picture.may(Grab):
        found.append(KeyHint("Space", _("grab Clementine"), "grab"))
    return found


def _composing_hints(picture: Picture) -> list[KeyHint]:
    composing = picture.composing
    found: list[KeyHint] = []
    if composing.side is None:
        sides = composing.keys(picture.declarable)
        if "left" in sides:
            found.append(KeyHint("←", _("before …"), "arrow('left')"))
        if "right" in sides:
            found.append(KeyHint("→", _("after …"), "arrow('right')"))
    else:
        step = _("every …") if composing.a is None else _("always …")
        found += [KeyHint(_("letter"), step, ""), KeyHint("Esc", _("back"), "back")]
    if picture.may(NoPattern):
        found.append(KeyHint(NO_PATTERN_KEY, _("none"), "no_pattern"))
    return found


def notice(picture: Picture) -> tuple[Line, bool]:
    """The line under the question, and whether it is worth a line of a tight window."""
    if picture.declarable and picture.composing.side is not None:
        return _letters(picture.composing, picture), True
    if picture.staged is None and picture.told.paid is not None:
        return [(_paid(picture.told.paid, picture), f"bold {GOOD}")], True
    scene = picture.staged or picture.told.judged
    if scene is not None:
        right = scene.judgement.right
        return [(judgement_text(scene.judgement, picture.names, picture.me), f"bold {GOOD if right else ALERT}")], True
    race = picture.public.race
    if race is not None and len(race.entrants) > 1:
        return [(close_race(race, picture), f"bold {ALERT}")], True
    reminder = {
        "grab": _("Then name a pattern on the Wheel, or say there is none."),
        "name": _("Right wins the challenge card; wrong slows the next shot."),
        "shootout": _("A suit wins the covered card, a colour one of your choice."),
    }.get(picture.public.phase)
    if reminder is not None:
        return [(reminder, MUTED)], True
    if picture.me is None:
        return [], False
    return _own_business(picture, picture.me), True


def close_race(race: Race, picture: Picture) -> str:
    """Who raced, how much later than the first, and with which credit; in few cells."""
    first = race.entrants[0].moment
    told: list[str] = []
    for one in race.entrants:
        text = _("{name} +{late} (credit {credit})") if told else _("{name} +{late} ms (credit {credit} ms)")
        told.append(text.format(name=picture.called(one.seat), late=one.moment - first, credit=one.credit))
    text = _("Close, and drawn: {entrants}") if race.drawn else _("Close: {entrants}")
    return text.format(entrants=", ".join(told))


def _paid(over: RoundOver, picture: Picture) -> str:
    told = ", ".join(
        _("{name} +{paid} $").format(name=picture.called(one.seat), paid=one.paid) for one in over.payments
    )
    return _("The round is over: {payments}").format(payments=told)


def _letters(composing: Composing, picture: Picture) -> Line:
    """The words whose letters may be pressed."""
    keys = composing.keys(picture.declarable)
    line: Line = []
    for attribute, letter in enumerate(ATTRIBUTE_LETTERS):
        if letter.lower() in keys:
            line += [(" " if line else "", ""), *keyed(attribute)]
    return line


def _own_business(picture: Picture, me: int) -> Line:
    mine = picture.public.participants[me]
    worth = worth_of_objects(mine.won) + worth_of_target(mine.target, mine.won) + mine.challenges
    line: Line = [(_("your target:") + " ", MUTED), *target_line(mine.target)]
    won = ngettext("{count} card won", "{count} cards won", len(mine.won)).format(count=len(mine.won))
    return [*line, (" · " + _("{won}, worth {worth} $ so far").format(won=won, worth=worth), MUTED)]
