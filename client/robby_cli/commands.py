"""The command line: every command with its options and their texts. What the commands do is imported only when run.

The commands are built when the program starts, not at import, so that their texts are in the person's language.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from robby_cli.admin_commands import build_admin
from robby_cli.backup import build_backup
from robby_cli.options import HELP
from robby_cli.record_commands import build_replay, build_verify
from robby_protocol import distribution
from robby_protocol.i18n import _

Decorator = Callable[[Any], Any]


class _OfGames(click.Command):
    """A command with options that depend on the games, which are loaded only if it is run or asked about.

    of_games: the function of `game_options` that makes them.
    """

    def __init__(self, *args: Any, of_games: str, **more: Any) -> None:
        super().__init__(*args, **more)
        self._of_games: str | None = of_games

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        if self._of_games is not None:
            from robby_cli import game_options

            of_games, self._of_games = getattr(game_options, self._of_games), None
            self.params = [*of_games(), *self.params]
        return super().get_params(ctx)


def version() -> str:
    """This distribution's version."""
    from importlib import metadata

    try:
        return metadata.version(distribution.NAME)
    except metadata.PackageNotFoundError:
        return "0"


def build() -> click.Group:
    """The command `robby` with all its subcommands."""
    group = click.Group(
        "robby",
        callback=_client,
        invoke_without_command=True,
        help=_(
            "Robby: games of thieves and gunslingers for the terminal, over the network.\n\n"
            "Without a command the client starts, and asks for a server."
        ),
        context_settings=HELP,
        params=[
            click.Option(["--version"], is_flag=True, help=_("Show the version and exit.")),
            *_identity_options(),
        ],
    )
    group.add_command(_play())
    group.add_command(_serve())
    group.add_command(_join())
    group.add_command(_bot())
    group.add_command(build_admin())
    group.add_command(build_backup())
    group.add_command(build_verify())
    group.add_command(build_replay())
    return group


def _identity_options() -> list[click.Parameter]:
    return [
        click.Option(["--name"], metavar="NAME", help=_("Your name; else the one used last.")),
        click.Option(["--profile"], metavar="NAME", help=_("Be somebody else on this machine: own keys, own servers.")),
    ]


def _server_options() -> list[click.Parameter]:
    """How to connect, and to whom: for every command that connects to a server."""
    return [
        click.Option(
            ["--password-file"],
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE",
            help=_("The server's password is the first line of this file."),
        ),
        click.Option(
            ["--tls/--no-tls"],
            default=None,
            help=_("Connect by TLS, or without.  [default: as the last time]"),
        ),
        click.Option(
            ["--tls-ca"],
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE",
            help=_("Trust the authorities in this PEM file instead of the system's; by TLS, then."),
        ),
        click.Option(
            ["--tls-name"],
            metavar="NAME",
            help=_("The certificate must be for this name instead of the host's; by TLS, then."),
        ),
        click.Option(
            ["--trust-new-server"],
            is_flag=True,
            help=_("Go on although another server than before answers at this address."),
        ),
    ]


def _client(version: bool, name: str | None, profile: str | None) -> int:
    context = click.get_current_context()
    if version:
        click.echo(f"robby {globals()['version']()}")
        return 0
    if context.invoked_subcommand is not None:
        if name or profile:
            raise click.UsageError(_("Give --name and --profile after the command."))
        return 0
    from robby_cli.join import start_client

    return start_client(name=name, profile=profile)


def _play() -> click.Command:
    def callback(**options: Any) -> int:
        from robby_cli.play import play

        return play(**options)

    return _OfGames(
        "play",
        of_games="play_options",
        callback=callback,
        context_settings=HELP,
        short_help=_("A table on this machine at once: you against bots."),
        help=_(
            "A table on this machine at once: you against bots, no network needed.\n\n"
            "Without a terminal, bots alone play a whole game over the machine's own network, and it is told in text."
        ),
        params=[
            click.Option(["--fast"], is_flag=True, help=_("The bots do not wait before they play.")),
            click.Option(["--plain"], is_flag=True, help=_("Lines of text and numbered choices instead of screens.")),
            click.Option(["--watch"], is_flag=True, help=_("Only watch: bots play, the game is told in text.")),
            click.Option(["--seed"], metavar="TEXT", help=_("The same seed gives the same cards and the same bots.")),
            *_identity_options(),
        ],
    )


def _serve() -> click.Command:
    def callback(check_config: bool, example_config: bool, **options: Any) -> int:
        from robby_cli import serve

        if example_config:
            return serve.example_config()
        if check_config:
            for hidden in ("parent_pipe", "seed", "bot_think"):
                del options[hidden]
            return serve.check_config(**options)
        return serve.serve(**options)

    return click.Command(
        "serve",
        callback=callback,
        context_settings=HELP,
        short_help=_("The server."),
        help=_(
            "The server: tables for everybody who can reach this machine. Ctrl-C or SIGTERM ends it in good order; "
            "SIGHUP reads configuration and certificate again.\n\n"
            "All options can stand in the configuration file; one on the command line wins."
        ),
        params=[
            click.Option(
                ["--config"],
                type=click.Path(path_type=Path, dir_okay=False),
                metavar="FILE",
                help=_("The configuration file, TOML."),
            ),
            click.Option(
                ["--check-config"], is_flag=True, help=_('Only look whether it would work: say "ok", or what is wrong.')
            ),
            click.Option(
                ["--example-config"], is_flag=True, help=_("Write a configuration file with every key, and exit.")
            ),
            click.Option(
                ["--host"],
                metavar="ADDRESS",
                help=_("The address to listen on, or a name of this machine.  [default: all, IPv4 and IPv6]"),
            ),
            click.Option(
                ["--port"],
                type=click.IntRange(0, 65_535),
                help=_("The port; 0 takes any that is free.  [default: 7622]"),
            ),
            click.Option(["--name"], metavar="TEXT", help=_("The server's name.  [default: Robby]")),
            click.Option(
                ["--tls-cert"],
                type=click.Path(path_type=Path, dir_okay=False),
                metavar="FILE",
                help=_("The server's certificate, PEM: whoever joins must speak TLS."),
            ),
            click.Option(
                ["--tls-key"],
                type=click.Path(path_type=Path, dir_okay=False),
                metavar="FILE",
                help=_("The certificate's key, PEM."),
            ),
            click.Option(
                ["--max-connections"],
                type=click.IntRange(min=1),
                metavar="N",
                help=_("Connections at a time.  [default: 500]"),
            ),
            click.Option(
                ["--max-per-address"],
                type=click.IntRange(min=1),
                metavar="N",
                help=_("Connections at a time from one address.  [default: 32]"),
            ),
            click.Option(
                ["--max-tables"], type=click.IntRange(min=0), metavar="N", help=_("Tables at a time.  [default: 500]")
            ),
            click.Option(
                ["--password-file"],
                type=click.Path(path_type=Path, dir_okay=False),
                metavar="FILE",
                help=_("Only who knows the password in the first line of this file may log in."),
            ),
            click.Option(
                ["--data"],
                type=click.Path(path_type=Path, file_okay=False),
                metavar="FOLDER",
                help=_("Where the server keeps its key, its tables and people.  [default: the user's data folder]"),
            ),
            click.Option(
                ["--durability"],
                type=click.Choice(("process", "power")),
                help=_("What an answered move survives: the server's end, or a loss of power too.  [default: process]"),
            ),
            click.Option(["--quiet"], is_flag=True, help=_("Log only what went wrong.")),
            click.Option(["--parent-pipe"], is_flag=True, hidden=True),
            click.Option(["--seed"], hidden=True),
            click.Option(["--bot-think"], type=click.FloatRange(min=0), hidden=True),
        ],
    )


def _join() -> click.Command:
    def callback(**options: Any) -> int:
        from robby_cli.join import join

        return join(**options)

    return click.Command(
        "join",
        callback=callback,
        context_settings=HELP,
        short_help=_("The client, straight to a server."),
        help=_("The client, straight to a server: robby join example.org, robby join 192.168.1.5:7622."),
        params=[
            click.Argument(["address"], metavar="HOST[:PORT]"),
            click.Option(["--plain"], is_flag=True, help=_("Lines of text and numbered choices instead of screens.")),
            click.Option(["--guest"], is_flag=True, help=_("Log in without a key: nothing is kept for the next time.")),
            *_server_options(),
            *_identity_options(),
        ],
    )


def _bot() -> click.Command:
    def callback(**options: Any) -> int:
        from robby_cli.bot import bot

        return bot(**options)

    return _OfGames(
        "bot",
        of_games="bot_options",
        callback=callback,
        context_settings=HELP,
        short_help=_("A bot as a client of its own."),
        help=_(
            "A bot as a client of its own: robby bot greedy example.org.\n\n"
            "BOT is the name of one that comes with Robby (robby play --help lists them), or your own: my_bot.py, or "
            "module:Class. Without --table or --create it sits down at any table that waits."
        ),
        params=[
            click.Argument(["spec"], metavar="BOT"),
            click.Argument(["address"], metavar="HOST[:PORT]"),
            click.Option(["--table"], metavar="ID", help=_("Sit down at this table.")),
            click.Option(["--create"], is_flag=True, help=_("Make a table, and start as soon as all seats are ready.")),
            click.Option(
                ["--name"], metavar="NAME", help=_("Its name at the server, by which it finds its seat again.")
            ),
            *_server_options(),
            click.Option(
                ["--think"],
                type=click.FloatRange(0, 60),
                metavar="SECONDS",
                help=_("Wait so long before each answer; 0: not at all.  [default: as the bot likes]"),
            ),
            click.Option(["--seed"], metavar="TEXT", help=_("Where its chance comes from, to repeat what it does.")),
        ],
    )
