"""A game's options as fields to be asked for, read from their type. Knows no option by name, and no game.

By name alone: `…_ms` is a time limit in milliseconds, None where the preset `time` decides.
"""

from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec import inspect as shapes

MILLIS = "_ms"
"""What the names of time limits end in."""


@dataclass(frozen=True)
class OptionField:
    """One option. kind: `choice` (one of `values`), `yes_no` or `number` (`low` to `high`, None: no bound).

    default: as the game has it. optional: a number that may be left out, where another option then decides.
    """

    name: str
    kind: Literal["choice", "yes_no", "number"]
    default: Any
    values: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    optional: bool = False

    @property
    def is_limit(self) -> bool:
        """Whether it is a time limit, in milliseconds."""
        return self.name.endswith(MILLIS)


def fields_of(options: type[Struct]) -> list[OptionField]:
    """The options of a game that can be asked for, in their order."""
    info = shapes.type_info(options)
    assert isinstance(info, shapes.StructType), "options are a Struct"
    found = (_field(field.name, field.type, field.default) for field in info.fields)
    return [field for field in found if field is not None]


def _field(name: str, shape: Any, default: Any) -> OptionField | None:
    if isinstance(shape, shapes.LiteralType):
        return OptionField(name, "choice", default, tuple(str(value) for value in shape.values))
    if isinstance(shape, shapes.BoolType):
        return OptionField(name, "yes_no", default)
    whole = shape
    if isinstance(shape, shapes.UnionType):
        whole = next((one for one in shape.types if isinstance(one, shapes.IntType)), None)
    if isinstance(whole, shapes.IntType):
        return OptionField(name, "number", default, low=whole.ge, high=whole.le, optional=whole is not shape)
    return None


def changed(options: Struct) -> dict[str, Any]:
    """The options that are not at their default, by name."""
    default = msgspec.to_builtins(type(options)())
    return {name: value for name, value in msgspec.to_builtins(options).items() if default[name] != value}
