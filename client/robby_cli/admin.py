"""`robby admin`: asks a running server on this machine, and shows the answer in columns or as JSON.

Names, titles and reasons are other people's words: they are made harmless before they are shown.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from robby_cli.admin_client import AdminRefused, ask, socket_path
from robby_client import exit_codes
from robby_client.safe import cells, fit, safe
from robby_protocol.i18n import _, ngettext

WIDEST = 40
"""Columns of one value in a table."""


def admin(request: Mapping[str, Any], *, data: Path | None, socket: Path | None, as_json: bool) -> int:
    """Send one request and show its answer. Returns the exit code; raises CommandError where no server answers."""
    try:
        result = ask(socket_path(data, socket), request)
    except AdminRefused as refused:
        if as_json:
            print(json.dumps({"ok": False, "code": refused.code, "text": refused.text}))
        else:
            print(safe(refused.text), file=sys.stderr)
        return exit_codes.REFUSED
    lines = [json.dumps({"ok": True, "result": result}, indent=2)] if as_json else SHOWN[request["do"]](result)
    for line in lines:
        print(line)
    # A script that renews a certificate must notice that the old one is still used.
    return exit_codes.REFUSED if request["do"] == "reload" and result["problems"] else exit_codes.WELL


def columns(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines with everything below each other, by what characters really take in a terminal."""
    table = [[fit(value, WIDEST) for value in row] for row in (heads, *rows)]
    widths = [max(cells(row[number]) for row in table) for number in range(len(heads))]
    return [
        "  ".join(value + " " * (width - cells(value)) for value, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def _status(found: Mapping[str, Any]) -> list[str]:
    tables, matches = found["tables"], found["matches"]
    facts = [
        (_("server"), f"{found['name']} · {found['version']} · {found['server_id']}"),
        (_("up for"), _span(found["uptime_s"])),
        (_("connections"), str(found["connections"])),
        (_("people"), str(found["people"])),
        (
            _("tables"),
            _("{playing} playing, {waiting} waiting, {finished} finished").format(
                playing=tables["playing"], waiting=tables["waiting"], finished=tables["finished"]
            ),
        ),
        (
            _("matches"),
            _("{started} started, {finished} finished, {broken} broken off, {aborted} starts aborted").format(
                started=matches["started"],
                finished=matches["finished"],
                broken=matches["broken_off"],
                aborted=matches["starts_aborted"],
            ),
        ),
        (_("bans"), str(found["bans"])),
        (_("memory"), "?" if found["memory_bytes"] is None else f"{found['memory_bytes'] / 2**20:.0f} MiB"),
        (_("store"), found["store_trouble"] or _("well")),
    ]
    if found["draining"]:
        facts.append((_("draining"), _("nothing new begins; stops when the last match is over")))
    facts += [(_("parked"), f"{parked['table']}: {parked['reason']}") for parked in found["parked"]]
    width = max(cells(name) for name, _value in facts)
    return [f"{name}{' ' * (width - cells(name))}  {safe(value)}" for name, value in facts]


def _span(seconds: int) -> str:
    minutes, hours, days = seconds // 60 % 60, seconds // 3600 % 24, seconds // 86_400
    if days:
        return ngettext("{days} day {hours} h", "{days} days {hours} h", days).format(days=days, hours=hours)
    return _("{hours} h {minutes} min").format(hours=hours, minutes=minutes)


def _tables(found: Sequence[Mapping[str, Any]]) -> list[str]:
    if not found:
        return [_("There are no tables.")]
    rows = [
        (
            table["table"],
            table["phase"],
            f"{len(table['seats'])}/{table['capacity']}",
            table["host"] or "",
            ", ".join(_seat(seat) for seat in table["seats"]),
            str(table["watchers"]),
            _("private") if table["private"] else "",
            table["title"],
        )
        for table in found
    ]
    heads = (_("table"), _("phase"), _("seats"), _("host"), _("who"), _("watchers"), "", _("title"))
    return columns(heads, rows)


def _seat(seat: Mapping[str, Any]) -> str:
    name = f"{seat['name']} ({seat['bot']})" if seat["bot"] else str(seat["name"])
    return name if seat["state"] == "here" else f"{name} [{seat['state']}]"


def _players(found: Sequence[Mapping[str, Any]]) -> list[str]:
    if not found:
        return [_("Nobody is here.")]
    rows = [
        (
            player["name"],
            _("connected") if player["connected"] else _("away"),
            player["table"] or "",
            player["address"],
            _("guest") if player["key"] is None else f"{player['key'][:16]}…",
        )
        for player in found
    ]
    return columns((_("name"), _("state"), _("table"), _("address"), _("key")), rows)


def _bans(found: Sequence[Mapping[str, Any]]) -> list[str]:
    if not found:
        return [_("Nobody is banned.")]
    rows = [
        (
            ban["kind"],
            ban["value"],
            time.strftime("%Y-%m-%d %H:%M", time.localtime(ban["since"])) if ban["since"] else "",
            ban["reason"],
        )
        for ban in found
    ]
    return columns((_("kind"), _("who"), _("since"), _("reason")), rows)


def _said(found: Mapping[str, Any]) -> list[str]:
    return [ngettext("{n} person was told.", "{n} people were told.", found["told"]).format(n=found["told"])]


def _reloaded(found: Mapping[str, Any]) -> list[str]:
    if found["problems"]:
        nothing = _("Nothing was read anew; everything stays as it was.")
        return [*(safe(problem) for problem in found["problems"]), nothing]
    return [_("Read anew."), *(safe(warning) for warning in found.get("warnings", ()))]


def _drained(found: Mapping[str, Any]) -> list[str]:
    playing = found["playing"]
    if not playing:
        return [_("Nothing new begins. No match is played, so the server stops.")]
    return [
        ngettext(
            "Nothing new begins. The server stops after the {n} match that is played.",
            "Nothing new begins. The server stops after the {n} matches that are played.",
            playing,
        ).format(n=playing)
    ]


SHOWN: Mapping[str, Callable[[Any], list[str]]] = {
    "status": _status,
    "tables": _tables,
    "players": _players,
    "bans": _bans,
    "say": _said,
    "kick": lambda found: [_("{name} was disconnected.").format(name=safe(found["name"]))],
    "ban": lambda found: [_("Banned: {who}.").format(who=safe(found["value"]))],
    "unban": lambda found: [_("No longer banned: {who}.").format(who=safe(found["value"]))],
    "unbind": lambda found: [_("Free again: {names}.").format(names=safe(", ".join(found["names"])))],
    "discard": lambda found: [_("Table {table} is gone for good.").format(table=safe(found["table"]))],
    "close": lambda found: [_("Table {table} closes.").format(table=safe(found["table"]))],
    "drain": _drained,
    "undrain": lambda _found: [_("Everything goes on as usual.")],
    "stop": lambda _found: [_("The server stops.")],
    "reload": _reloaded,
}
