"""The commands about records of matches: their options and texts. What they do is imported only when they run."""

from pathlib import Path
from typing import Any

import click

from robby_cli.options import HELP
from robby_protocol.i18n import _

MOST_SEATS = 64


def build_verify() -> click.Command:
    """The command `robby verify`."""

    def callback(**options: Any) -> int:
        from robby_cli.verify import verify

        return verify(**options)

    return click.Command(
        "verify",
        callback=callback,
        context_settings=HELP,
        short_help=_("Check the record of a match."),
        help=_(
            "Check the record of a match: who signed it, the fair deal, every action by the rules, the results.\n\n"
            "FILE may also be a server's data folder: then all its records are checked. "
            "With the receipt that the own client kept: whether it is the match that was played. Exit code 0: all "
            "holds; 11: something does not; 12: a file is none or cannot be read."
        ),
        params=[
            _file(),
            click.Option(
                ["--receipt"],
                type=click.Path(path_type=Path),
                metavar="FILE",
                help=_("What the own client saw of the match, below `receipts` in its folder."),
            ),
            click.Option(["--json", "as_json"], is_flag=True, help=_("Print the result as JSON.")),
        ],
    )


def build_replay() -> click.Command:
    """The command `robby replay`."""

    def callback(**options: Any) -> int:
        from robby_cli.replay import replay

        return replay(**options)

    return click.Command(
        "replay",
        callback=callback,
        context_settings=HELP,
        short_help=_("Tell a match again from its record."),
        help=_("Tell a match again from its record."),
        params=[
            _file(),
            click.Option(["--step"], is_flag=True, help=_("Wait for Enter after each step; q ends.")),
            click.Option(
                ["--seat"],
                type=click.IntRange(0, MOST_SEATS - 1),
                metavar="N",
                help=_("As this seat saw it, counted from 0."),
            ),
            click.Option(["--json", "as_json"], is_flag=True, help=_("Print the whole match as JSON.")),
        ],
    )


def _file() -> click.Argument:
    return click.Argument(["file"], type=click.Path(path_type=Path), metavar="FILE")
