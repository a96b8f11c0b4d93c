"""Everything the table's widgets draw from, in one value. Knows no widgets and no network."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from robby_client.stories.wild_wild_pattern import WildWildPatternStory
from robby_client.world import GameState, RunningClock
from robby_games.wild_wild_pattern import Cover, Declare, OwnView, PublicView, Take
from robby_protocol.messages import SeatInfo, TableInfo
from robby_tui.cells import plain
from robby_tui.wild_wild_pattern.composing import Composing
from robby_tui.wild_wild_pattern.told import Scene, Told

STORY = WildWildPatternStory()


def names_of(game: GameState) -> list[str]:
    """All participants' names in order, harmless, as they were when the match began."""
    return [plain(name) for name in STORY.names_in(game)]


@dataclass(frozen=True)
class Picture:
    """One moment of the table.

    names: of all, harmless. decision: the id of what is asked, None if nothing. legal: what may be done. staged: the
    judgement that is being shown on the Wheel as it lay then. composing: what of a declaration was chosen. cursor: the
    place that the arrows are at. sent: an answer is on its way. offline: the server is away.
    """

    table: TableInfo | None
    public: PublicView
    own: OwnView | None
    names: tuple[str, ...]
    decision: int | None = None
    legal: tuple[Any, ...] = ()
    clock: RunningClock | None = None
    told: Told = field(default_factory=Told)
    staged: Scene | None = None
    composing: Composing = field(default_factory=Composing)
    cursor: int | None = None
    sent: bool = False
    offline: bool = False

    @property
    def me(self) -> int | None:
        """The own seat; None for a spectator."""
        return None if self.own is None else self.own.seat

    def seat_info(self, seat: int) -> SeatInfo | None:
        """What the lobby knows of a participant."""
        if self.table is None or seat >= len(self.table.seats):
            return None
        return self.table.seats[seat]

    def name(self, seat: int | None) -> str:
        """A participant's name."""
        return self.names[seat] if seat is not None and seat < len(self.names) else f"#{(seat or 0) + 1}"

    def may(self, kind: type) -> bool:
        """Whether an action of this kind is offered."""
        return any(isinstance(action, kind) for action in self.legal)

    @cached_property
    def declarable(self) -> tuple[Declare, ...]:
        """The declarations that are offered."""
        return tuple(action for action in self.legal if isinstance(action, Declare))

    @cached_property
    def places(self) -> dict[int, Cover | Take]:
        """The places that may be covered, or taken from, with what is answered then."""
        return {action.place: action for action in self.legal if isinstance(action, Cover | Take)}

    @property
    def card(self) -> int | None:
        """The own card, as long as it is in the hand and known."""
        return None if self.own is None else self.own.card
