"""What the plain client needs to say about a game besides its story, and where it finds that for each game."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from robby_client.stories.base import Story
from robby_client.world import GameState


class GameTexts(ABC):
    """One game in lines. story: the same game's. names: the participants', in order. me: the own seat."""

    story: Story

    @abstractmethod
    def question(self, game: GameState, names: Sequence[str]) -> str:
        """What is asked of the own seat, or for whom everybody waits."""

    @abstractmethod
    def choice(self, action: Any, game: GameState) -> str:
        """An action as a choice, with what one should know to choose it."""

    @abstractmethod
    def view(self, game: GameState, names: Sequence[str], me: int | None) -> list[str]:
        """The whole table, as all see it."""

    @abstractmethod
    def hand(self, game: GameState) -> list[str]:
        """What only the own seat sees."""

    def menu(self, actions: Sequence[Any], game: GameState) -> list[tuple[str, tuple[Any, ...]]]:
        """What is offered by number, each with the actions behind it: one is done, among several is asked next.

        For games with more actions than anybody wants to hear at once. actions: all that are legal, or those behind
        what was chosen.
        """
        return [(self.choice(action, game), (action,)) for action in actions]

    def read(self, text: str, game: GameState | None) -> Any | None:
        """The action that typed words mean, whether it is offered or not; None if they mean none.

        game: the match; None: none is played yet.
        """
        return None

    def words(self) -> str:
        """What `help` says of the words that `read` takes; nothing where it takes none."""
        return ""

    def can_be_passed(self, legal: Sequence[Any]) -> bool:
        """Whether the game goes on without an answer to this decision, so that nobody need give one."""
        return False

    def sentences(self, event: Any, names: Sequence[str], me: int | None) -> list[str]:
        """An event told; nothing for one that is not known or not worth a line. The last one with all results."""
        told = self.story.sentence(event, names, me)
        lines = [] if told is None else [told]
        if isinstance(event, self.story.over):
            for score in getattr(event, "scores", ()):
                place, *parts = self.story.explained(score, names, me)
                lines += [place, *(f"  {part}" for part in parts)]
        return lines

    def spoken(self, text: str) -> str:
        """A text without what is for the eye alone, where the game's words have such signs."""
        return text
