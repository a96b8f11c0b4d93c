"""A form for a game's options, built from their type and the game's story: nothing about a single option is known here.

Times are asked in seconds; an empty field leaves the preset's limit, which it shows.
"""

from typing import Any

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Input, RadioSet, Static

from robby_client.options import OptionField, fields_of
from robby_client.stories.base import Story
from robby_client.words.common import TIME_NAMES
from robby_protocol.i18n import _
from robby_tui.widgets.toggles import Choice, Choices, Tick

LONGEST_NUMBER = 9
"""Digits and a point: more than any option needs."""


class FormError(Exception):
    """A field holds what cannot be. field: its option; str(): a plain sentence."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


class OptionsForm(Widget):
    """All options of a game as fields. options: what they hold at first, of the game's type."""

    DEFAULT_CSS = """
    OptionsForm { height: auto; layout: horizontal; }
    OptionsForm > Vertical { height: auto; width: 1fr; }
    OptionsForm Horizontal { height: 1; }
    OptionsForm Horizontal > Static { width: 1fr; max-width: 26; text-wrap: nowrap; text-overflow: ellipsis; }
    OptionsForm Horizontal > Input { width: 10; }
    OptionsForm Horizontal > .unit { width: 2; color: $text-muted; }
    OptionsForm Choices { height: auto; width: 1fr; border: none; padding: 0; background: transparent; }
    """

    def __init__(self, story: Story, options: Any) -> None:
        super().__init__()
        self._story = story
        self._options = options
        self._fields = fields_of(story.types.options)

    def compose(self) -> ComposeResult:
        """Choices and switches on the left, limits on the right."""
        story = self._story
        with Vertical(id="options-choices"):
            for field in self._fields:
                if field.kind == "choice":
                    yield Static(story.label(field.name), classes="label", markup=False)
                    value = getattr(self._options, field.name)
                    with Choices(id=f"opt-{field.name}", compact=True):
                        for choice in _in_order(field):
                            yield Choice(story.choice(field, choice), value == choice, name=choice)
            for field in self._fields:
                if field.kind == "yes_no":
                    ticked = getattr(self._options, field.name)
                    yield Tick(story.label(field.name), ticked, id=f"opt-{field.name}", compact=True)
            for field in self._fields:
                if field.kind == "number" and not field.is_limit:
                    yield from self._number(field)
        limits = [field for field in self._fields if field.is_limit]
        if limits:
            with Vertical(id="options-limits"):
                yield Static(_("Limits in seconds, if not the preset's"), classes="label", markup=False)
                for field in limits:
                    yield from self._number(field)

    def _number(self, field: OptionField) -> ComposeResult:
        value = getattr(self._options, field.name)
        with Horizontal():
            yield Static(self._story.label(field.name), markup=False)
            yield Input(
                "" if value is None else _shown(field, value),
                id=f"opt-{field.name}",
                placeholder=self._preset(field, self._options.time) if field.is_limit else _("as usual"),
                max_length=LONGEST_NUMBER,
                restrict=r"[0-9.,]*",
                compact=True,
                select_on_focus=True,
            )
            yield Static(" s" if field.is_limit else "", classes="unit", markup=False)

    def _preset(self, field: OptionField, preset: str) -> str:
        """The limit that a preset gives."""
        value = self._story.limit(field, msgspec.convert({"time": preset}, self._story.types.options))
        return _("none") if value is None else f"{value / 1_000:g}"

    @on(RadioSet.Changed)
    def preset_changed(self) -> None:
        """Show the limits of the preset that was chosen."""
        chosen = self._choice("time")
        if chosen is None:
            return
        for field in self._fields:
            if field.is_limit:
                self.query_one(f"#opt-{field.name}", Input).placeholder = self._preset(field, chosen)

    def _choice(self, name: str) -> str | None:
        button = self.query_one(f"#opt-{name}", RadioSet).pressed_button
        return None if button is None else button.name

    def read(self) -> dict[str, Any]:
        """What the fields hold, but for what is at its default. Raises FormError."""
        values: dict[str, Any] = {}
        for field in self._fields:
            value: Any
            if field.kind == "choice":
                value = self._choice(field.name)
            elif field.kind == "yes_no":
                value = self.query_one(f"#opt-{field.name}", Tick).value
            else:
                value = self._read_number(field)
            if value is not None and value != field.default:
                values[field.name] = value
        return values

    def _read_number(self, field: OptionField) -> int | None:
        text = self.query_one(f"#opt-{field.name}", Input).value.strip().replace(",", ".")
        if not text:
            return None
        factor = 1_000 if field.is_limit else 1
        low, high = field.low or 0, field.high or 0
        wrong = FormError(
            field.name,
            _("{field}: a number from {low} to {high}, please.").format(
                field=self._story.label(field.name), low=f"{low / factor:g}", high=f"{high // factor}"
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


def _shown(field: OptionField, value: int) -> str:
    return f"{value / 1_000:g}" if field.is_limit else str(value)


def _in_order(field: OptionField) -> tuple[str, ...]:
    """The choices, those that are presets of time limits from quick to slow."""
    known = [choice for choice in TIME_NAMES if choice in field.values]
    return (*known, *(choice for choice in field.values if choice not in known))
