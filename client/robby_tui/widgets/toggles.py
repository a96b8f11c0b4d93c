"""Switches and choices whose state is told by a sign, not by colour alone."""

from textual.content import Content
from textual.widgets import Checkbox, RadioButton, RadioSet


class Tick(Checkbox):
    """[x] on, [ ] off."""

    def render(self) -> Content:
        """Draw the sign for the state, and the label."""
        return _drawn("[x]" if self.value else "[ ]", self.label, self.has_focus)


class Choice(RadioButton):
    """(●) chosen, ( ) not."""

    def render(self) -> Content:
        """Draw the sign for the state, and the label."""
        return _drawn("(●)" if self.value else "( )", self.label, self.has_class("-selected"))


class Choices(RadioSet):
    """Several choices; the cursor starts at the one that is chosen."""

    _entered = False

    def on_focus(self) -> None:
        """Bring the cursor to the choice that holds."""
        if not self._entered:
            self._entered = True
            for _step in range(self.pressed_index):  # it starts at the first
                self.action_next_button()


def _drawn(sign: str, label: Content, here: bool) -> Content:
    return Content.assemble((sign, "bold"), " ", (label.plain, "bold underline" if here else ""), " ")
