"""What bots that the server seats are called: outlaws' first names, told apart from everybody else at the table."""

from collections.abc import Sequence

from robby_server.names import skeletons

NAMES = (
    *("Dusty", "Hattie", "Rufus", "Mabel", "Clem", "Opal", "Jasper", "Della", "Silas", "Minnie", "Otis", "Pearl"),
    *("Amos", "Lottie", "Virgil", "Nell", "Zeke", "Flora", "Wyatt", "Ida", "Enoch", "Belle", "Levi", "Cora"),
)
"""More than a table has seats several times over; a person may be called so too, at another table."""


def bot_name(taken: Sequence[str]) -> str:
    """The first name of the list that looks like none of those taken; with a number once all are."""
    looks = frozenset().union(*(skeletons(name) for name in taken))
    numbers = ("", *(f" {number}" for number in range(2, len(taken) + 3)))
    return next(name + number for number in numbers for name in NAMES if not skeletons(name + number) & looks)
