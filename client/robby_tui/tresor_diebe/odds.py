"""The chances of the safes still free, for whoever's turn it is. Knows no widgets."""

from collections.abc import Sequence
from fractions import Fraction

from robby_games.tresor_diebe import free_safes
from robby_games.tresor_diebe_odds import Outlook, aiming_at
from robby_tui.tresor_diebe.picture import Picture


def chances(picture: Picture) -> dict[int, Fraction]:
    """The chance of each free safe for a turn that aims at it alone: with the chosen dice thrown now, else the best."""
    return {safe: _chance(picture, (safe,)) for safe in free_safes(picture.public.safes)}


def any_chance(picture: Picture) -> Fraction:
    """The chance that the turn opens a safe at all, if it is played for that."""
    return _chance(picture, free_safes(picture.public.safes))


def _chance(picture: Picture, safes: Sequence[int]) -> Fraction:
    aim: Outlook = aiming_at(safes)
    dice = picture.public.dice
    if not dice:
        return aim.at_start(picture.left)
    if picture.chosen:
        return aim.throwing(dice, picture.chosen, picture.left)
    return aim.worth(dice, picture.left)
