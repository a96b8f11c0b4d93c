"""A table's options, asked one by one or written as `name=value`, for any game whose options are a Struct.

Knows the options' types alone; whether they fit together is the server's to say.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any

from robby_client.options import OptionField, fields_of
from robby_client.stories.base import Story
from robby_protocol.i18n import N_, _

_TABLE_LABELS: dict[str, str] = {
    "private": N_("Private"),
    "spectators": N_("Others may watch"),
    "delay": N_("Seconds by which watchers are behind"),
}
_OF_THE_TABLE = ("title", "seats", "bots", "private", "password", "spectators", "delay")
YES = frozenset(("yes", "y", "true", "on", "1"))
NO = frozenset(("no", "n", "false", "off", "0"))


class OptionError(ValueError):
    """A value that does not fit; str() is a plain sentence."""


def text_of(story: Story, field: OptionField) -> str:
    """An option as it is asked for."""
    label = story.label(field.name)
    return _("Time limit in milliseconds: {limit}").format(limit=label) if field.is_limit else label


def read_value(field: OptionField, text: str, label: str) -> Any:
    """A value as typed. label: the option for people. Raises OptionError."""
    text = text.strip().casefold()
    if field.kind == "choice":
        if text in field.values:
            return text
        raise OptionError(_("{option} is one of: {values}.").format(option=label, values=", ".join(field.values)))
    if field.kind == "yes_no":
        if text in YES or text in NO:
            return text in YES
        raise OptionError(_("{option} is yes or no.").format(option=label))
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise OptionError(_("{option} is a whole number.").format(option=label))
    value = int(text)
    if (field.low is not None and value < field.low) or (field.high is not None and value > field.high):
        raise OptionError(
            _("{option} is a number from {low} to {high}.").format(option=label, low=field.low, high=field.high)
        )
    return value


@dataclass
class TablePlan:
    """What `create` or `options` was asked for. options: the game's. bots: names of bots to seat.

    access: who may come and watch: `private`, `spectators`, `delay_s` and `new_invite`, those that were given.
    password: of a private table; "" takes it away.
    """

    title: str
    capacity: int | None
    options: dict[str, Any]
    bots: list[str]
    access: dict[str, Any] = dataclasses.field(default_factory=dict)
    password: str | None = None


def read_plan(story: Story, words: list[str]) -> TablePlan:
    """A plan from `name=value` words: the game's options, and title, seats and bots (comma-separated); and who may come
    and watch: private, password, spectators, delay (in seconds) and invite=new.

    Raises OptionError.
    """
    plan = TablePlan(title="", capacity=None, options={}, bots=[])
    fields = {field.name: field for field in fields_of(story.types.options)}
    for word in words:
        name, sign, value = word.partition("=")
        name = name.strip().casefold()
        if not sign:
            raise OptionError(_("Write options as name=value, for instance seats=4 time=blitz."))
        if name == "title":
            plan.title = value
        elif name == "seats":
            seats = read_value(OptionField("seats", "number", None), value, _("Seats"))
            plan.capacity = int(seats)
        elif name == "bots":
            plan.bots = [bot.strip() for bot in value.split(",") if bot.strip()]
        elif name in ("private", "spectators"):
            plan.access[name] = read_value(OptionField(name, "yes_no", None), value, _(_TABLE_LABELS[name]))
        elif name == "delay":
            plan.access["delay_s"] = read_value(OptionField(name, "number", None), value, _(_TABLE_LABELS[name]))
        elif name == "password":
            plan.password = value
            if value:
                plan.access["private"] = True
        elif name == "invite":
            plan.access["new_invite"] = True
        elif name in fields:
            plan.options[name] = read_value(fields[name], value, text_of(story, fields[name]))
        else:
            known = ", ".join([*_OF_THE_TABLE, *fields])
            raise OptionError(_("There is no option {name}. Options are: {known}.").format(name=name, known=known))
    return plan
