"""What several commands have in common: how help looks, and options that mean the same everywhere."""

from pathlib import Path
from typing import Any

import click

from robby_protocol.i18n import _

HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""Context settings of every command."""


def server_folder() -> click.Option:
    """Which server of this machine is meant."""
    return click.Option(
        ["--data"],
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help=_("The server's data folder.  [default: the user's data folder]"),
    )
