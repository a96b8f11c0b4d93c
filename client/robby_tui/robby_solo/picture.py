"""Everything the table's widgets draw from, in one value. Knows no widgets and no network."""

from dataclasses import dataclass
from typing import Any, Literal

from robby_client.stories.robby_solo import RobbySoloStory
from robby_client.world import GameState, RunningClock
from robby_games.robby_solo import (
    Declare,
    Give,
    Lay,
    OwnView,
    PublicView,
    Supply,
)
from robby_protocol.messages import SeatInfo, TableInfo
from robby_tui.cells import plain
from robby_tui.robby_solo.recap import Recap

STORY = RobbySoloStory()


def names_of(game: GameState) -> list[str]:
    """All participants' names in order, harmless, as they were when the match began; Robby Junior last."""
    return [plain(name) for name in STORY.names_in(game)]


Saying = Literal["will", "will_not"]
"""Which kind of declaration is being made, before its bank is named."""


@dataclass(frozen=True)
class Picture:
    """One moment of the table.

    names: of all participants, harmless. decision: the id of what is asked, None if nothing. legal: what may be done.
    sent: an answer is on its way. offline: the server is away. staged: how many banks of the newest reveal are shown by
    now, None: all.
    """

    table: TableInfo | None
    public: PublicView
    own: OwnView | None
    names: tuple[str, ...]
    decision: int | None = None
    legal: tuple[Any, ...] = ()
    clock: RunningClock | None = None
    recap: Recap | None = None
    staged: int | None = None
    saying: Saying | None = None
    sent: bool = False
    offline: bool = False

    @property
    def me(self) -> int | None:
        """The own seat; None for a spectator."""
        return None if self.own is None else self.own.seat

    @property
    def i_am_gentleman(self) -> bool:
        """Whether the own seat is the Gentleman's."""
        return self.me == self.public.gentleman

    @property
    def junior(self) -> int | None:
        """Robby Junior's number, if he plays."""
        return len(self.public.participants) - 1 if self.public.junior else None

    def seat_info(self, seat: int) -> SeatInfo | None:
        """What the lobby knows of a participant; None for Junior."""
        if self.table is None or seat >= len(self.table.seats):
            return None
        return self.table.seats[seat]

    def name(self, seat: int) -> str:
        """A participant's name."""
        return self.names[seat] if 0 <= seat < len(self.names) else f"#{seat + 1}"

    def may(self, kind: type) -> bool:
        """Whether an action of this kind is offered."""
        return any(isinstance(action, kind) for action in self.legal)

    @property
    def layable(self) -> frozenset[int]:
        """Banks whose heist card may be laid now."""
        return frozenset(action.bank for action in self.legal if isinstance(action, Lay))

    def declarable(self, robs: bool) -> frozenset[int]:
        """Banks that may be named in this kind of declaration."""
        return frozenset(a.bank for a in self.legal if isinstance(a, Declare) and a.robs is robs)

    @property
    def items(self) -> tuple[int, ...]:
        """Items of which one must go to the police, in the order offered."""
        return tuple(action.card for action in self.legal if isinstance(action, Give))

    @property
    def sides(self) -> tuple[str, ...]:
        """Ends of the row from which the loot may be dealt."""
        return tuple(action.side for action in self.legal if isinstance(action, Supply))

    @property
    def in_hand(self) -> bool:
        """Whether the own card was taken back and lies no more."""
        return self.me is not None and self.public.participants[self.me].card == "taken_back"
