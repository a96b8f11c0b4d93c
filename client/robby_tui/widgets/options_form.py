"""A form for a game's options, built from their type: nothing about a single option is known here but its label.

Times are asked in seconds; an empty field leaves the preset's limit, which it shows.
"""

from typing import Any

import msgspec
from msgspec import inspect as shapes
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Input, RadioSet, Static

from robby_client.words.robby_solo import TIME_NAMES
from robby_games.robby_solo import Limits, Options, limits_of
from robby_protocol.i18n import N_, _
from robby_tui.widgets.toggles import Choice, Choices, Tick

LONGEST_NUMBER = 9
"""Digits and a point: more than any option needs."""

_LABELS: dict[str, str] = {
    "time": N_("Time"),
    "supply_ms": N_("supply side"),
    "play_ms": N_("secret play"),
    "gentleman_ms": N_("Gentleman's play"),
    "revision_min_ms": N_("revision, shortest"),
    "revision_max_ms": N_("revision, longest"),
    "item_ms": N_("item for the police"),
    "junior": N_("Robby Junior plays too"),
    "open_loot": N_("open loot: all stacks are seen"),
    "max_rounds": N_("rounds at most"),
    "money_copies": N_("money cards of each value"),
    "items": N_("items in the deck"),
}


class FormError(Exception):
    """A field holds what cannot be. field: its option; str(): a plain sentence."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def label_of(name: str) -> str:
    """An option's label; one of a newer version as it is called in the protocol."""
    known = _LABELS.get(name)
    return name.replace("_", " ") if known is None else _(known)


def _shapes() -> dict[str, Any]:
    info = shapes.type_info(Options)
    assert isinstance(info, shapes.StructType)
    return {field.name: field.type for field in info.fields}


def _integer(shape: Any) -> shapes.IntType | None:
    """The integer in a shape that is one, or one or none."""
    if isinstance(shape, shapes.IntType):
        return shape
    if isinstance(shape, shapes.UnionType):
        return next((one for one in shape.types if isinstance(one, shapes.IntType)), None)
    return None


class OptionsForm(Widget):
    """All options as fields. options: what they hold at first."""

    DEFAULT_CSS = """
    OptionsForm { height: auto; layout: horizontal; }
    OptionsForm > Vertical { height: auto; width: 1fr; }
    OptionsForm Horizontal { height: 1; }
    OptionsForm Horizontal > Static { width: 26; }
    OptionsForm Horizontal > Input { width: 10; }
    OptionsForm Horizontal > .unit { width: 1fr; color: $text-muted; }
    OptionsForm Choices { height: auto; width: 1fr; border: none; padding: 0; background: transparent; }
    """

    def __init__(self, options: Options) -> None:
        super().__init__()
        self._options = options

    def compose(self) -> ComposeResult:
        """Choices and switches on the left, numbers on the right."""
        kinds = _shapes()
        with Vertical(id="options-choices"):
            for name, shape in kinds.items():
                value = getattr(self._options, name)
                if isinstance(shape, shapes.LiteralType):
                    yield Static(label_of(name), classes="label", markup=False)
                    with Choices(id=f"opt-{name}", compact=True):
                        for choice in _in_order(shape):
                            yield Choice(_(TIME_NAMES.get(choice, choice)), value == choice, name=choice)
            for name, shape in kinds.items():
                if isinstance(shape, shapes.BoolType):
                    yield Tick(label_of(name), getattr(self._options, name), id=f"opt-{name}", compact=True)
            for name, shape in kinds.items():
                if isinstance(shape, shapes.IntType):
                    yield from self._number(name, shape)
        with Vertical(id="options-limits"):
            yield Static(_("Limits in seconds, if not the preset's"), classes="label", markup=False)
            for name, shape in kinds.items():
                if isinstance(shape, shapes.UnionType) and _integer(shape) is not None:
                    yield from self._number(name, shape)

    def _number(self, name: str, _shape: Any) -> ComposeResult:
        value = getattr(self._options, name)
        with Horizontal():
            yield Static(label_of(name), markup=False)
            yield Input(
                "" if value is None else _shown(name, value),
                id=f"opt-{name}",
                placeholder=self._preset_text(name),
                max_length=LONGEST_NUMBER,
                restrict=r"[0-9.,]*",
                compact=True,
                select_on_focus=True,
            )
            yield Static(" s" if name.endswith("_ms") else "", classes="unit", markup=False)

    def _preset_text(self, name: str) -> str:
        if not name.endswith("_ms"):
            return ""
        return _preset(self._options, name)

    @on(RadioSet.Changed)
    def preset_changed(self) -> None:
        """Show the limits of the preset that was chosen."""
        chosen = self._choice("time")
        if chosen is None:
            return
        options = msgspec.convert({"time": chosen}, Options)
        for name in _shapes():
            if name.endswith("_ms"):
                self.query_one(f"#opt-{name}", Input).placeholder = _preset(options, name)

    def _choice(self, name: str) -> str | None:
        button = self.query_one(f"#opt-{name}", RadioSet).pressed_button
        return None if button is None else button.name

    def read(self) -> dict[str, Any]:
        """What the fields hold, but for what is at its default. Raises FormError."""
        values: dict[str, Any] = {}
        for name, shape in _shapes().items():
            if isinstance(shape, shapes.LiteralType):
                choice = self._choice(name)
                if choice is not None:
                    values[name] = choice
            elif isinstance(shape, shapes.BoolType):
                values[name] = self.query_one(f"#opt-{name}", Tick).value
            else:
                number = self._read_number(name, shape)
                if number is not None:
                    values[name] = number
        default = msgspec.to_builtins(Options())
        return {name: value for name, value in values.items() if default[name] != value}

    def _read_number(self, name: str, shape: Any) -> int | None:
        text = self.query_one(f"#opt-{name}", Input).value.strip().replace(",", ".")
        bounds = _integer(shape)
        if not text:
            if isinstance(shape, shapes.UnionType):
                return None
            return int(getattr(Options(), name))
        factor = 1_000 if name.endswith("_ms") else 1
        low = 0 if bounds is None or bounds.ge is None else bounds.ge
        high = 0 if bounds is None or bounds.le is None else bounds.le
        wrong = FormError(
            name,
            _("{field}: a number from {low} to {high}, please.").format(
                field=label_of(name), low=f"{low / factor:g}", high=f"{high // factor}"
            ),
        )
        try:
            value = round(float(text) * factor)
        except ValueError:
            raise wrong from None
        if (factor == 1 and "." in text) or not low <= value <= high:
            raise wrong
        return value

    def focus_field(self, name: str) -> None:
        """Go to the field of this option, if there is one."""
        for field in self.query(f"#opt-{name}"):
            field.focus()


def _shown(name: str, value: int) -> str:
    return f"{value / 1_000:g}" if name.endswith("_ms") else str(value)


def _in_order(shape: Any) -> tuple[str, ...]:
    """The literal's choices in the order of the presets, which goes from quick to slow."""
    known = [choice for choice in TIME_NAMES if choice in shape.values]
    return (*known, *(choice for choice in shape.values if choice not in known))


def _preset(options: Options, name: str) -> str:
    limits: Limits = limits_of(msgspec.convert({"time": options.time}, Options))
    value = getattr(limits, name.removesuffix("_ms"), None)
    return _("none") if value is None else f"{value / 1_000:g}"
