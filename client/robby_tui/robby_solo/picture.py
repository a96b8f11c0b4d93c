"""Everything the table's widgets draw from, in one value. Knows no widgets and no network."""

from dataclasses import dataclass
from typing import Literal

from robby_client.stories.robby_solo import RobbySoloStory
from robby_games.robby_solo import (
    Declare,
    Give,
    Lay,
    OwnView,
    PublicView,
    Supply,
)
from robby_tui.moment import Moment
from robby_tui.robby_solo.recap import Recap

STORY = RobbySoloStory()


Saying = Literal["will", "will_not"]
"""Which kind of declaration is being made, before its bank is named."""


@dataclass(frozen=True, kw_only=True)
class Picture(Moment):
    """One moment of the table.

    staged: how many banks of the newest reveal are shown by now, None: all. saying: the declaration that is begun.
    """

    public: PublicView
    own: OwnView | None
    recap: Recap | None = None
    staged: int | None = None
    saying: Saying | None = None

    @property
    def i_am_gentleman(self) -> bool:
        """Whether the own seat is the Gentleman's."""
        return self.me == self.public.gentleman

    @property
    def junior(self) -> int | None:
        """Robby Junior's number, if he plays."""
        return len(self.public.participants) - 1 if self.public.junior else None

    def is_bot(self, seat: int) -> bool:
        """Whether no person plays there; Robby Junior is none."""
        return seat == self.junior or super().is_bot(seat)

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
