"""Everything the table's widgets draw from, in one value. Knows no widgets and no network."""

from dataclasses import dataclass, field
from functools import cached_property

from robby_client.stories.wild_wild_pattern import WildWildPatternStory
from robby_games.wild_wild_pattern import Cover, Declare, OwnView, PublicView, Take
from robby_protocol.i18n import _
from robby_tui.moment import Moment
from robby_tui.wild_wild_pattern.composing import Composing
from robby_tui.wild_wild_pattern.told import Scene, Told

STORY = WildWildPatternStory()


@dataclass(frozen=True, kw_only=True)
class Picture(Moment):
    """One moment of the table.

    told: what the events tell beyond the view. staged: the judgement that is being shown on the Wheel as it lay then.
    composing: what of a declaration was chosen. cursor: the place that the arrows are at.
    """

    public: PublicView
    own: OwnView | None
    told: Told = field(default_factory=Told)
    staged: Scene | None = None
    composing: Composing = field(default_factory=Composing)
    cursor: int | None = None

    def called(self, seat: int | None) -> str:
        """A participant's name, or that it is oneself; empty for nobody."""
        if seat is None:
            return ""
        return _("you") if seat == self.me else self.name(seat)

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
