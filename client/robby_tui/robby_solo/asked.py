"""What is asked of a person at the table, and which keys answer. Knows no widgets."""

from robby_client.words import robby_solo as words
from robby_games.robby_solo import Confirm, Declare, Give, Lay, Reveal, Supply, TakeBack
from robby_protocol.i18n import _
from robby_tui.hints import KeyHint
from robby_tui.moment import no_connection
from robby_tui.robby_solo.picture import Picture


def sentence(picture: Picture) -> str:
    """The one line that says what is asked now, or for whom everybody waits."""
    mine = None if picture.own is None else picture.own.card
    if picture.offline:
        return no_connection()
    if picture.sent:
        return _("Sent; waiting for the server …")
    if picture.own is None:
        return words.waiting_line(picture.public, None, picture.names)
    if picture.may(Supply):
        return _("You are the Gentleman. From which end of the row shall the loot be dealt?")
    if picture.may(Declare):
        if picture.saying == "will" and mine is not None:
            return _("Say „I will rob {bank}“? Its letter or Enter says it; Esc: not yet.").format(
                bank=words.bank_label(mine)
            )
        if picture.saying == "will_not":
            return _("„I will not rob …“ – which bank? Press its letter. Esc: not yet.")
        return _("Declare: w „I will rob {bank}“, or n „I will not rob …“ another.").format(
            bank=_("it") if mine is None else words.bank_label(mine)
        )
    if picture.may(Lay):
        if picture.public.phase == "revision":
            if mine is None:
                return _("Your card is in your hand. Lay one: press a bank's letter.")
            return _("Your card is in your hand: lay by letter, else {bank} lies again.").format(
                bank=words.bank_label(mine)
            )
        if picture.public.phase == "gentleman":
            return _("You are the Gentleman, the others have laid: lay your card by a bank's letter.")
        return _("Which bank do you rob? Lay its card face down: press the bank's letter.")
    if picture.may(Confirm) or picture.may(TakeBack):
        if mine is None:
            return _("Does your card stay? c confirms it for good, t takes it back.")
        return _("Your card is {bank}. c confirms it for good, t takes it back.").format(bank=words.bank_label(mine))
    if picture.may(Reveal):
        return _("The others think it over. v reveals at once, or let them think.")
    if picture.may(Give):
        return _("The police! Which item do you return? Press its number.")
    return _waiting(picture)


def _waiting(picture: Picture) -> str:
    public = picture.public
    if public.phase == "over":
        return _("The game is over. Enter shows the results.")
    mine = None if picture.own is None else picture.own.card
    rest = words.waiting_line(public, picture.own, picture.names)
    if picture.i_am_gentleman and public.phase == "plays":
        return _("You are the Gentleman and play last.") + " " + rest
    if picture.i_am_gentleman and public.phase == "revision":
        return _("The others think it over.") + " " + rest
    if mine is not None and public.phase in ("plays", "gentleman", "revision") and picture.me is not None:
        if public.participants[picture.me].card == "confirmed":
            return _("You confirmed {bank}.").format(bank=words.bank_label(mine)) + " " + rest
        return _("You laid {bank}.").format(bank=words.bank_label(mine)) + " " + rest
    return rest


def hints(picture: Picture) -> list[KeyHint]:
    """The keys that answer what is asked, most wanted first."""
    found: list[KeyHint] = []
    letters = "".join(words.bank_letter(bank) for bank in sorted(picture.layable)).lower()
    if picture.sent:
        return found
    if picture.may(Supply):
        found += [
            KeyHint("←", _("from the left"), "supply('left')"),
            KeyHint("→", _("from the right"), "supply('right')"),
        ]
    if picture.may(Declare):
        if picture.saying is None:
            found.append(KeyHint("w", _("I will rob …"), "say('will')"))
            if picture.declarable(False):
                found.append(KeyHint("n", _("I will not rob …"), "say('will_not')"))
        else:
            named = picture.declarable(picture.saying == "will")
            keys = "".join(words.bank_letter(bank) for bank in sorted(named)).lower()
            found.append(KeyHint(" ".join(keys), _("name the bank"), ""))
            if picture.saying == "will":
                found.append(KeyHint("Enter", _("say it"), "say_it"))
            found.append(KeyHint("Esc", _("not yet"), "unsay"))
    if picture.may(Confirm):
        found.append(KeyHint("c", _("confirm"), "confirm"))
    if picture.may(TakeBack):
        found.append(KeyHint("t", _("take back"), "take_back"))
    if letters:
        found.append(KeyHint(" ".join(letters), _("lay"), ""))
    if picture.may(Reveal):
        found.append(KeyHint("v", _("reveal"), "reveal"))
    if picture.may(Give):
        found.append(KeyHint(f"1–{len(picture.items)}", _("return it"), ""))
    return found
