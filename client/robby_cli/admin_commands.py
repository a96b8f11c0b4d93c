"""The options and texts of `robby admin` and its subcommands."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from robby_cli.options import HELP, server_folder
from robby_protocol.i18n import _


def build_admin() -> click.Group:
    """The group `admin`."""
    group = click.Group(
        "admin",
        callback=_remember,
        context_settings=HELP,
        short_help=_("Look at a server that runs on this machine, and steer it."),
        help=_(
            "Look at a server that runs on this machine, and steer it: through a socket in its data folder that its "
            "own user alone may open.\n\n"
            "Exit codes: 0 done, 2 the command line is wrong, 4 no server runs there or it may not be asked, "
            "5 the server refused."
        ),
        params=_whom(),
    )
    for command in _commands():
        group.add_command(command)
    return group


def _whom() -> list[click.Parameter]:
    """Which server, and how it is told: before or after the command, as people type it."""
    return [
        server_folder(),
        click.Option(
            ["--socket"], type=click.Path(path_type=Path), metavar="FILE", help=_("The socket itself, instead.")
        ),
        click.Option(["--json", "as_json"], is_flag=True, help=_("Answers as JSON, for programs.")),
    ]


def _remember(data: Path | None, socket: Path | None, as_json: bool) -> None:
    click.get_current_context().obj = {"data": data, "socket": socket, "as_json": as_json}


def _commands() -> list[click.Command]:
    return [
        _command("status", _("How the server is.")),
        _command("tables", _("All tables.")),
        _command("players", _("All people who are connected or have a seat.")),
        _command("say", _("Tell everybody something."), [click.Argument(["text"], nargs=-1, required=True)], _text),
        _command("kick", _("End somebody's connection; a seat is kept as after a loss."), [click.Argument(["name"])]),
        _command("ban", _("Keep somebody out: a name and what looks like it, a key, or an address."), _who(), _ban),
        _command("unban", _("Let somebody in again."), _who()[:3], _unban),
        _command("bans", _("All bans.")),
        _command("unbind", _("Free a name that is bound to a key."), [click.Argument(["name"])]),
        _command("close", _("Close a table, whatever is played there."), [click.Argument(["table"])]),
        _command(
            "discard",
            _("Throw away, for good, a table that is kept and that this version cannot go on with."),
            [click.Argument(["table"])],
        ),
        _command("drain", _("Begin nothing new, and stop when the last match is over.")),
        _command("undrain", _("Go on as usual after all.")),
        _command("stop", _("Stop now, in good order.")),
        _command("reload", _("Read certificates and configuration anew, as SIGHUP does.")),
    ]


def _who() -> list[click.Parameter]:
    return [
        click.Argument(["name"], required=False),
        click.Option(["--key"], metavar="HEX", help=_("A whole key, as players --json shows it.")),
        click.Option(["--address"], metavar="ADDRESS", help=_("An IPv4 or IPv6 address.")),
        click.Option(["--reason"], metavar="TEXT", default="", help=_("Shown to whoever is refused.")),
    ]


def _command(
    name: str,
    text: str,
    params: list[click.Parameter] | None = None,
    fields: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
) -> click.Command:
    def callback(**options: Any) -> int:
        from robby_cli.admin import admin

        before = click.get_current_context().obj
        whom = {option: options.pop(option) or value for option, value in before.items()}
        return admin({"do": name, **fields(options)}, **whom)

    return click.Command(name, callback=callback, context_settings=HELP, help=text, params=[*(params or []), *_whom()])


def _text(options: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"text": " ".join(options["text"])}


def _unban(options: Mapping[str, Any]) -> Mapping[str, Any]:
    given = [(kind, options[kind]) for kind in ("name", "key", "address") if options[kind]]
    if len(given) != 1:
        raise click.UsageError(_("Give one of NAME, --key and --address."))
    ((kind, value),) = given
    return {"kind": kind, "value": value}


def _ban(options: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**_unban(options), "reason": options["reason"]}
