"""A table's options, asked one by one or written as `name=value`, for any game whose options are a Struct.

Knows the options' types alone; whether they fit together is the server's to say.
"""

import dataclasses
import types
import typing
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from msgspec import Struct

from robby_protocol.i18n import N_, _

_TEXTS: dict[str, str] = {
    "time": N_("Time limits"),
    "supply_ms": N_("Time for the supply side, in milliseconds"),
    "play_ms": N_("Time for the secret play, in milliseconds"),
    "gentleman_ms": N_("Time for the Gentleman's play and declaration, in milliseconds"),
    "revision_min_ms": N_("Shortest revision, in milliseconds"),
    "revision_max_ms": N_("Longest revision, in milliseconds"),
    "item_ms": N_("Time to choose an item, in milliseconds"),
    "junior": N_("Robby Junior plays"),
    "open_loot": N_("All loot is open"),
    "max_rounds": N_("Most rounds"),
    "money_copies": N_("Cards of each money value in the loot deck"),
    "items": N_("Items in the loot deck"),
    "private": N_("Private"),
    "spectators": N_("Others may watch"),
    "delay": N_("Seconds by which watchers are behind"),
}

_OF_THE_TABLE = ("title", "seats", "bots", "private", "password", "spectators", "delay")
YES = frozenset(("yes", "y", "true", "on", "1"))
NO = frozenset(("no", "n", "false", "off", "0"))


class OptionError(ValueError):
    """A value that does not fit; str() is a plain sentence."""


@dataclass(frozen=True)
class OptionField:
    """One option. kind: `choice` (one of `values`), `yes_no` or `number`. default: as the game has it."""

    name: str
    kind: Literal["choice", "yes_no", "number"]
    default: Any
    values: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The option for people; one that is not known here by its name."""
        known = _TEXTS.get(self.name)
        return self.name if known is None else _(known)


def fields_of(options: type[Struct]) -> list[OptionField]:
    """The options of a game that can be asked for."""
    hints = typing.get_type_hints(options)
    found = []
    for field in msgspec.structs.fields(options):
        hint = hints[field.name]
        if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
            hint = next(part for part in typing.get_args(hint) if part is not type(None))
        if typing.get_origin(hint) is Literal:
            found.append(OptionField(field.name, "choice", field.default, tuple(typing.get_args(hint))))
        elif hint is bool:
            found.append(OptionField(field.name, "yes_no", field.default))
        elif hint is int:
            found.append(OptionField(field.name, "number", field.default))
    return found


def read_value(field: OptionField, text: str) -> Any:
    """A value as typed. Raises OptionError."""
    text = text.strip().casefold()
    if field.kind == "choice":
        if text in field.values:
            return text
        raise OptionError(_("{option} is one of: {values}.").format(option=field.text, values=", ".join(field.values)))
    if field.kind == "yes_no":
        if text in YES or text in NO:
            return text in YES
        raise OptionError(_("{option} is yes or no.").format(option=field.text))
    if text.isascii() and text.isdigit() and len(text) <= 9:
        return int(text)
    raise OptionError(_("{option} is a whole number.").format(option=field.text))


def check(options: type[Struct], values: dict[str, Any]) -> None:
    """Whether each value is within its bounds. Raises OptionError."""
    for name, value in values.items():
        try:
            msgspec.convert({name: value}, options, strict=True)
        except msgspec.ValidationError as problem:
            text = str(problem).split(" - at")[0]
            known = {field.name: field.text for field in fields_of(options)}
            raise OptionError(
                _("{option} does not fit: {problem}").format(option=known.get(name, name), problem=text)
            ) from None


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


def read_plan(options: type[Struct], words: list[str]) -> TablePlan:
    """A plan from `name=value` words: the game's options, and title, seats and bots (comma-separated); and who may come
    and watch: private, password, spectators, delay (in seconds) and invite=new.

    Raises OptionError.
    """
    plan = TablePlan(title="", capacity=None, options={}, bots=[])
    fields = {field.name: field for field in fields_of(options)}
    for word in words:
        name, sign, value = word.partition("=")
        name = name.strip().casefold()
        if not sign:
            raise OptionError(_("Write options as name=value, for instance time=blitz junior=yes."))
        if name == "title":
            plan.title = value
        elif name == "seats":
            seats = read_value(OptionField("seats", "number", None), value)
            plan.capacity = int(seats)
        elif name == "bots":
            plan.bots = [bot.strip() for bot in value.split(",") if bot.strip()]
        elif name in ("private", "spectators"):
            plan.access[name] = read_value(OptionField(name, "yes_no", None), value)
        elif name == "delay":
            plan.access["delay_s"] = read_value(OptionField(name, "number", None), value)
        elif name == "password":
            plan.password = value
            if value:
                plan.access["private"] = True
        elif name == "invite":
            plan.access["new_invite"] = True
        elif name in fields:
            plan.options[name] = read_value(fields[name], value)
        else:
            known = ", ".join([*_OF_THE_TABLE, *fields])
            raise OptionError(_("There is no option {name}. Options are: {known}.").format(name=name, known=known))
    check(options, plan.options)
    return plan
