"""What the plain client needs to say about a game, and where it finds that for each game."""

from collections.abc import Sequence
from typing import Any, Protocol

from robby_client.world import GameState
from robby_plain import robby_solo


class GameTexts(Protocol):
    """One game in words. names: the participants', in order of seats. me: the own seat."""

    def names(self, game: GameState) -> list[str]:
        """The participants' names."""
        ...

    def sentences(self, event: Any, names: Sequence[str], me: int | None) -> list[str]:
        """An event told; nothing for one that is not known or not worth a line."""
        ...

    def question(self, game: GameState, names: Sequence[str]) -> str:
        """What is asked of the own seat, or for whom everybody waits."""
        ...

    def choice(self, action: Any, game: GameState) -> str:
        """An action as a choice, with what one should know to choose it."""
        ...

    def read(self, text: str) -> Any | None:
        """The action that typed words mean, whether it is offered or not; None if they mean none."""
        ...

    def can_be_passed(self, legal: Sequence[Any]) -> bool:
        """Whether the game goes on without an answer to this decision, so that nobody need give one."""
        ...

    def view(self, game: GameState, names: Sequence[str], me: int | None) -> list[str]:
        """The whole table, as all see it."""
        ...

    def hand(self, game: GameState) -> list[str]:
        """What only the own seat sees."""
        ...

    def options(self, options: dict[str, Any]) -> str:
        """A table's options in a few words."""
        ...

    def option_lines(self, options: dict[str, Any]) -> list[str]:
        """A table's options, all of them."""
        ...

    def rules(self) -> list[str]:
        """The rules, briefly."""
        ...


TEXTS: dict[str, GameTexts] = {"robby-solo": robby_solo.RobbySoloTexts()}
