"""What may be asked of a new or changed table: game, options, number of seats, title, bots. Knows no tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from robby_games.registry import GAMES
from robby_protocol import codec, errors
from robby_protocol.i18n import _
from robby_rules.interface import BadOptionsError
from robby_rules.match import UnknownGameError, read_options, rules_of
from robby_server.names import title_problem
from robby_server.rejected import Rejected
from robby_server.settings import Settings


def check_game(game: str) -> None:
    """Raise Rejected for a game that this server does not play."""
    try:
        rules_of(game)
    except UnknownGameError:
        raise Rejected(errors.UNKNOWN_GAME, games=sorted(GAMES)) from None


def full_options(game: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a table, defaults filled in, as a plain map. Raises Rejected with the option's name."""
    try:
        plain: dict[str, Any] = codec.plain(read_options(game, options))
    except BadOptionsError as error:
        raise Rejected(errors.BAD_OPTIONS, error.reason, field=error.field) from None
    return plain


def seats_problem(game: str, options: Mapping[str, Any], seats: int) -> BadOptionsError | None:
    """Why so many seats cannot play with these options; None if they can."""
    try:
        rules_of(game).check(read_options(game, options), seats)
    except BadOptionsError as error:
        return error
    return None


def full_capacity(game: str, options: Mapping[str, Any], capacity: int | None) -> int:
    """The number of seats of a table: as asked, or as many as can play with these options. Raises Rejected."""
    fewest, most = GAMES[game].seats
    if capacity is not None:
        if not fewest <= capacity <= most:
            text = _("A table of this game has {fewest} to {most} seats. Choose a number among these.")
            raise Rejected(
                errors.BAD_OPTIONS, text.format(fewest=fewest, most=most), field="capacity", fewest=fewest, most=most
            )
        problem = seats_problem(game, options, capacity)
        if problem is not None:
            field = "capacity" if problem.field == "seats" else problem.field
            raise Rejected(errors.BAD_OPTIONS, problem.reason, field=field)
        return capacity
    problems = []
    for seats in range(most, fewest - 1, -1):
        problem = seats_problem(game, options, seats)
        if problem is None:
            return seats
        problems.append(problem)
    # What stands in the way at most numbers of seats is not the number of seats.
    fields = [problem.field for problem in problems]
    problem = max(problems, key=lambda problem: fields.count(problem.field))
    raise Rejected(errors.BAD_OPTIONS, problem.reason, field=problem.field)


def check_start(game: str, options: Mapping[str, Any], seats: int, capacity: int) -> None:
    """Raise Rejected where so many seats cannot start: TOO_FEW_PLAYERS if more could, else BAD_OPTIONS."""
    problem = seats_problem(game, options, seats)
    if problem is None:
        return
    for more in range(seats + 1, capacity + 1):
        if seats_problem(game, options, more) is None:
            raise Rejected(errors.TOO_FEW_PLAYERS, needed=more)
    raise Rejected(errors.BAD_OPTIONS, problem.reason, field=problem.field)


def check_title(title: str, settings: Settings) -> str:
    """The title as it will be shown. Raises Rejected."""
    title = title.strip()
    problem = title_problem(title, settings.title_cells)
    if problem is not None:
        raise Rejected(errors.BAD_OPTIONS, problem, field="title")
    return title


def check_bots(offered: Sequence[str], bots: Sequence[str], room: int) -> None:
    """Raise Rejected where these bots cannot all be seated."""
    for bot in bots:
        if bot not in offered:
            raise Rejected(errors.UNKNOWN_BOT, bots=list(offered))
    if len(bots) > room:
        raise Rejected(errors.TABLE_FULL)
