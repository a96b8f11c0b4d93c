"""Wild Wild Pattern's chapters of the help: the rules in our own words, how to read the Wheel, the keys, the race."""

from robby_client.stories.wild_wild_pattern import attribute_name
from robby_games.wild_wild_pattern import (
    ATTRIBUTE_LETTERS,
    FIRST_COLOUR,
    SET_WORTH,
)
from robby_protocol.i18n import _
from robby_tui.wild_wild_pattern.cards import shape


def chapters() -> list[tuple[str, str]]:
    """(heading, text) of each part of the help, in the language in use."""
    letters = [f"{letter} {attribute_name(attribute)}" for attribute, letter in enumerate(ATTRIBUTE_LETTERS)]
    signs = [
        f"{shape(attribute)} {attribute_name(attribute)}" for attribute in range(FIRST_COLOUR, len(ATTRIBUTE_LETTERS))
    ]
    worth = ", ".join(f"{count}: {coins} $" for count, coins in enumerate(SET_WORTH) if coins)
    return [
        (
            _("What it is about"),
            _(
                "Eight cards lie in a circle, the Wheel. Be the first to cover one of them with your own card so that "
                "a pattern comes to be that was not there before, and name it. Win cards, be paid for them; the most "
                "money wins."
            ),
        ),
        (
            _("What a pattern is"),
            _(
                "„After every star always coin“: each card with the first thing (a star) has a card with the second "
                "(a coin) as its very next neighbour. After is clockwise, before is counter-clockwise; after place 8 "
                "comes place 1. One of both is an object, the other a colour or a suit. At least two cards must have "
                "the first thing. It is new if it was not there before the card was played; growing from two to three "
                "is not new."
            ),
        ),
        (
            _("A turn"),
            _(
                "1. Everybody has a card, face down. When all are ready, all look at the same moment.\n"
                "2. The first to cover a card must declare a new pattern. Who sees none may click, which is final.\n"
                "3. Valid with a suit: you win the covered card; with three or more, the played one too. Valid with a "
                "colour: a card of your choice, not the one played; with three or more, any two. All eight cards "
                "involved: a Wild Wild Pattern, which wins the game at once.\n"
                "4. Not valid, or nothing said in time: your card is lost, and every opponent takes a card.\n"
                "5. Cards that were not played fill the Wheel, then the deck does."
            ),
        ),
        (
            _("Challenge cards and Clementine"),
            _(
                "If somebody is dealt a challenge card, the turn is a duel. The first to grab Clementine names a "
                "pattern that lies on the Wheel, or says that there is none. If that is right, the challenge card is "
                "won. If not, you may not cover in the first two seconds of the next shoot-out."
            ),
        ),
        (
            _("What is paid"),
            _(
                "At the end of a round, as long as the bank has coins. Cards of one object: {worth}. Your target: 1 $ "
                "for every two cards of a colour, or every four of a suit. Each challenge card: 1 $. In the row of a "
                "player „3 $ +2“ means 3 $ paid, and 2 $ that the cards won in this round are worth so far."
            ).format(worth=worth),
        ),
        (
            _("Reading the Wheel"),
            _(
                "Place 1 is at the top, as on a clock; the arrows show the way. Signs: {signs}. [ ] a card of the "
                "judged pattern, ( ) a card without the neighbour it needs, {{ }} the card played, ▸ ◂ the place "
                "chosen. Your own card is in the middle. The letter of each word is its capital: bOttle, waNted. "
                "Cards won for which words have no room are told by these letters: DDD OO N."
            ).format(signs=", ".join(signs)),
        ),
        (
            _("Keys"),
            _(
                "Enter ready   1–8 cover, or take   k click\n"
                "Arrows choose a place, Enter takes or covers it\n"
                "Space grab Clementine   0 there is no pattern\n"
                "A pattern: ← before or → after, then two letters; Esc one back\n"
                "{letters}\n"
                "e leave the table   p people (l and u are letters here)\n"
                "Mouse: click a card of the Wheel."
            ).format(letters=", ".join(letters)),
        ),
        (
            _("Who was first"),
            _(
                "The server decides, by when your key arrived less the time that the way takes, at most 150 ms, so "
                "that a far player has no handicap. If it was close, all see who was how many milliseconds later, and "
                "what was taken off for the way (credit). Equal: drawn. Who delays the answers on purpose gains at "
                "most those 150 ms. A key pressed in the first tenth of a second does nothing."
            ),
        ),
    ]
