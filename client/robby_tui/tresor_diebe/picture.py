"""Everything the table is drawn from, in one value. Knows no widgets and no network."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from robby_client.stories.tresor_diebe import TresorDiebeStory
from robby_games.tresor_diebe import NOBODY, THROWS, Again, OwnView, PublicView, Stop, owner_of
from robby_tui.moment import Moment
from robby_tui.tresor_diebe.recap import Recap

STORY = TresorDiebeStory()


@dataclass(frozen=True, kw_only=True)
class Picture(Moment):
    """One moment of the table.

    chosen: the places of the dice to throw again. rolling: for a moment what these dice show, by place. odds: they are
    shown.
    """

    public: PublicView
    own: OwnView | None
    recap: Recap
    chosen: frozenset[int] = frozenset()
    rolling: Mapping[int, int] = field(default_factory=dict)
    odds: bool = False

    @property
    def places(self) -> frozenset[int]:
        """Places of dice that may be thrown again."""
        return frozenset(place for action in self.legal if isinstance(action, Again) for place in action.dice)

    @property
    def again(self) -> Again | None:
        """The throw of the chosen dice, if it is offered."""
        action = Again(dice=tuple(sorted(self.chosen)))
        return action if action in self.legal else None

    @property
    def target(self) -> int | None:
        """The safe that the dice name as they lie; None before the first throw."""
        return sum(self.public.dice) if self.public.dice else None

    @property
    def owner(self) -> int:
        """Whose marker lies on that safe; NOBODY if it is free."""
        return NOBODY if self.target is None else owner_of(self.public.safes, self.target)

    @property
    def stop_opens(self) -> bool:
        """Whether stopping is offered, and opens a safe."""
        return self.may(Stop) and self.owner == NOBODY

    @property
    def left(self) -> int:
        """Throws left in this turn."""
        return THROWS - self.public.throws

    @property
    def fresh(self) -> tuple[int, ...]:
        """Places of the dice that were thrown again just now; none after a first throw, which is of all."""
        thrown = self.recap.thrown
        return () if thrown is None or thrown.throw == 1 or not self.public.dice else thrown.again

    @property
    def passed(self) -> frozenset[int]:
        """Who passed, one after another, until now."""
        public = self.public
        players = len(public.fields)
        return frozenset((public.turn - back) % players for back in range(1, public.passes + 1))

    def total(self, seat: int) -> int:
        """A player's points of all rounds, the running one as it stands."""
        public = self.public
        return public.totals[seat] + (0 if self.over else public.fields[seat])
