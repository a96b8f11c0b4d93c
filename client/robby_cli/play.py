"""`robby play`: a table on this machine at once. Its server is a child process, all else ordinary clients."""

import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import anyio

from robby_bots.registry import BOTS
from robby_cli.child import ServerChild
from robby_cli.exits import CommandError
from robby_cli.game_options import options_of
from robby_cli.join import open_store, run_plain, run_screens, starting
from robby_client import exit_codes
from robby_client.quick import QuickTable
from robby_client.store import Store
from robby_client.stories.registry import STORIES
from robby_protocol.i18n import _

THINK = (0.8, 2.5)
"""Seconds a bot of a told game waits before it answers, so that one can read along."""


def play(
    *,
    players: int,
    time: str | None,
    bots: Sequence[str],
    fast: bool,
    plain: bool,
    watch: bool,
    seed: str | None,
    game: str,
    name: str | None,
    profile: str | None,
    **settings: Any,
) -> int:
    """Play, or tell a game where nobody can play. settings: see `options_of`. Returns the exit code."""
    kinds = list(bots) or [next(iter(BOTS[game]))]
    for kind in kinds:
        if kind not in BOTS[game]:
            raise CommandError(
                _("{game} has no bot {bot}. There are: {bots}.").format(
                    game=STORIES[game].title, bot=kind, bots=", ".join(BOTS[game])
                ),
                exit_codes.USAGE,
            )
    options = options_of(game, time, settings)
    seats = seats_of(game, players, options)
    if watch or not (plain or has_terminal()):
        return tell(game, seats, options, kinds, fast=fast, seed=seed)
    _check_shown(game, plain=plain)
    quick = QuickTable(game=game, options=options, bots=[kinds[number % len(kinds)] for number in range(seats - 1)])
    name = name or open_store(profile).last_name or _("Stranger")
    # What is remembered of a server that ends with this game helps nobody: it goes into a folder that ends as well.
    with (
        tempfile.TemporaryDirectory(prefix="robby-") as folder,
        ServerChild(seed=seed, bot_think=0.0 if fast else None) as server,
    ):
        store = Store.open(environ={"ROBBY_HOME": folder})
        store.keeps = open_store(profile).path  # the records of games outlive this one
        start = run_plain if plain else run_screens
        return start(store, server.address, name=name, guest=True, quick=quick)


def _check_shown(game: str, *, plain: bool) -> None:
    """Raise CommandError where this way of playing cannot show the game."""
    if plain:
        from robby_plain.registry import TEXTS

        shown: Collection[str] = TEXTS
        text = _("{game} cannot be played in lines yet. --watch shows bots playing it.")
    else:
        with starting():
            from robby_tui.screens.games import SCREENS
        shown = SCREENS
        text = _("{game} has no screens yet. --plain plays it in lines, --watch shows bots playing it.")
    if game not in shown:
        raise CommandError(text.format(game=STORIES[game].title), exit_codes.USAGE)


def seats_of(game: str, players: int, options: Mapping[str, Any]) -> int:
    """The seats of a table at which so many take part. Raises CommandError where so many cannot."""
    story = STORIES[game]
    unseated = story.unseated(options)
    fewest, most = story.fewest_seats(options) + unseated, story.types.seats[1]
    if not fewest <= players <= most:
        text = _("{game}, as you want it, is for {fewest} to {most} players. Choose --players among these.")
        raise CommandError(text.format(game=story.title, fewest=fewest, most=most), exit_codes.USAGE)
    return players - unseated


def has_terminal() -> bool:
    """Whether a person can play here: both ends of the conversation are a terminal."""
    try:
        return sys.stdin.isatty() and sys.stdout.isatty()
    except ValueError:
        return False


def tell(game: str, seats: int, options: dict[str, Any], bots: Sequence[str], *, fast: bool, seed: str | None) -> int:
    """A whole game between bots, told in text."""
    from robby_cli.teller import Teller
    from robby_cli.told import ToldPlan, tell_game
    from robby_client.lines import write_line

    plan = ToldPlan(game=game, seats=seats, options=options, bots=bots, think=(0.0, 0.0) if fast else THINK, seed=seed)
    with ServerChild(seed=seed) as server:
        teller = Teller(STORIES[game], write_line)
        anyio.run(tell_game, plan, server.address, teller, backend="trio")
    return exit_codes.WELL
