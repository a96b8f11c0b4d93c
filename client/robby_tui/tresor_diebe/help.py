"""Tresor Diebe's chapters of the help: the rules in our own words, how to read the table, the keys."""

from robby_games.tresor_diebe import BOARD, FIRST_SAFE, IDLE_CIRCLES, LAST_FIELD, MARKERS
from robby_protocol.i18n import _


def chapters() -> list[tuple[str, str]]:
    """(heading, text) of each part of the help, in the language in use."""
    return [
        (
            _("What it is about"),
            _(
                "Five dice, 26 safes. The sum of your dice, 5 to 30, names the safe that you crack. The first to come "
                "there takes what is in it; whoever comes later goes one field back. Stop in time, or throw again?"
            ),
        ),
        (
            _("Your turn"),
            _(
                "1. Pass, or throw all five dice.\n"
                "2. After the first and the second throw: go to the safe that the dice name, or throw again any of the "
                "dice you like, those too that you left lying before. The third throw counts as it lies.\n"
                "3. The safe is free: your marker goes on it, and your thief moves one field for every 100 €.\n"
                "4. It is open already, whoever opened it, you too: your thief goes one field back, but never below "
                "the start.\n"
                "You have {markers} markers a round; without one you pass unasked."
            ).format(markers=MARKERS),
        ),
        (_("What the safes hold"), _held()),
        (
            _("Passing"),
            _(
                "A pass holds for that turn alone: if somebody throws after you, you may throw again when your turn "
                "comes. Once everybody has passed, one after another, the round is over at once. So whoever leads "
                "passes, and the others must throw."
            ),
        ),
        (
            _("The end of a round, and of the game"),
            _(
                "A round is over when a thief reaches field {field} (what goes beyond is lost), when everybody passed "
                "one after another, when all safes are open, or when nobody opened one for {circles} circles. All get "
                "as many points as their thief has fields; markers and thieves go back. Whoever has the fewest points "
                "begins the next round. After the last one most points win; equals share the win."
            ).format(field=LAST_FIELD, circles=IDLE_CIRCLES),
        ),
        (
            _("When time runs out"),
            _("The clock decides for you: before your first throw you pass; later you go where the dice point."),
        ),
        (
            _("The table"),
            _(
                "Under each safe stands what it holds, then the shape and the name of who opened it: ● ▲ ■ ◆, by seat. "
                "[21] is the safe that the dice name as they lie. A die in a double frame, with „again“ under it, will "
                "be thrown again. The thieves run from left to right to field {field}; „in all“ counts the rounds "
                "before as well. ▸ is you, ⚙ a bot. Dice in grey are those of the turn before; what came of it stays "
                "in the line above the clock until the next turn ends."
            ).format(field=LAST_FIELD),
        ),
        (
            _("The odds"),
            _(
                "o shows, where the table allows it, how likely each free safe is if you aim at it with all throws "
                "that are left and choose the dice as well as can be; once dice are chosen, if just these are thrown "
                "now. „Any free“ is the chance that the turn opens one at all."
            ),
        ),
        (
            _("Keys"),
            _(
                "t throw   p pass   s go to the safe   Enter the plain thing: throw, or take a free safe\n"
                "1–5 a die to throw again, or not   a all of them   Esc none\n"
                "o the odds, or no longer\n"
                "Mouse: click a die."
            ),
        ),
    ]


def _held() -> str:
    """The board in a few lines: neighbours that hold the same together."""
    runs: list[tuple[int, int, int]] = []
    for safe, value in enumerate(BOARD, FIRST_SAFE):
        if runs and runs[-1][2] == value:
            runs[-1] = (runs[-1][0], safe, value)
        else:
            runs.append((safe, safe, value))
    return ", ".join(
        _("{first}–{last}: {value} €").format(first=one, last=two, value=value) for one, two, value in runs
    )
