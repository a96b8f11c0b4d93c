"""One moment of a table, whatever the game: what its widgets draw from. Knows no widgets and no network."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from robby_client.stories.base import Story
from robby_client.words.common import yours
from robby_client.world import GameState, RunningClock
from robby_protocol.i18n import _
from robby_protocol.messages import SeatInfo, TableInfo
from robby_tui.cells import cut, fit, plain, width
from robby_tui.signs import BOT
from robby_tui.widgets.lines import Line

LONGEST_NAME = 20
SHORTEST_NAME = 8


def names_of(story: Story, game: GameState) -> list[str]:
    """All participants' names in order, harmless, as they were when the match began."""
    return [plain(name) for name in story.names_in(game)]


def no_connection() -> str:
    """What is said in place of the question: in one line of the smallest window, where a second costs a player's."""
    return _("No connection: keys do nothing now; your seat is kept.")


@dataclass(frozen=True, kw_only=True)
class Moment:
    """What is so at a table, and what this person may do. A game's own `Picture` says the rest.

    public, own: the game's views. names: of all participants, harmless. decision: the id of what is asked, None if
    nothing. legal: what may be done. sent: an answer is on its way. offline: the server is away.
    """

    table: TableInfo | None
    public: Any
    own: Any
    names: tuple[str, ...]
    decision: int | None = None
    legal: tuple[Any, ...] = ()
    clock: RunningClock | None = None
    sent: bool = False
    offline: bool = False

    @classmethod
    def of(cls, game: GameState, names: Sequence[str], table: TableInfo | None, **more: Any) -> Self:
        """A match as it is known now."""
        decision = game.decision
        return cls(
            table=table,
            public=game.public,
            own=game.own,
            names=tuple(names),
            decision=None if decision is None else decision.id,
            legal=() if decision is None else decision.legal,
            clock=game.clock,
            **more,
        )

    @property
    def me(self) -> int | None:
        """The own seat; None for a spectator."""
        return None if self.own is None else self.own.seat

    @property
    def over(self) -> bool:
        """Whether the game is."""
        return bool(self.public.phase == "over")

    def may(self, kind: type) -> bool:
        """Whether an action of this kind is offered."""
        return any(isinstance(action, kind) for action in self.legal)

    def name(self, seat: int) -> str:
        """A participant's name."""
        return self.names[seat] if 0 <= seat < len(self.names) else f"#{seat + 1}"

    def seat_info(self, seat: int) -> SeatInfo | None:
        """What the lobby knows of a participant; None for one who has no seat."""
        if self.table is None or seat >= len(self.table.seats):
            return None
        return self.table.seats[seat]

    def is_bot(self, seat: int) -> bool:
        """Whether no person plays there."""
        info = self.seat_info(seat)
        return info is not None and info.kind == "bot"

    def label(self, seat: int, cells: int | None = None) -> str:
        """A participant's name with what marks bots and oneself; filled and cut to so many cells, if any are given."""
        own = seat == self.me
        name = self.name(seat)
        whole = yours(name) if own else f"{name} {BOT}" if self.is_bot(seat) else name
        if cells is None:
            return whole
        return fit(cut(name, cells) if own and width(whole) > cells else whole, cells)

    def label_cells(self, cells: int) -> int:
        """How many cells the names get of a line of so many."""
        longest = max((width(self.label(seat)) for seat in range(len(self.names))), default=0)
        return max(SHORTEST_NAME, min(LONGEST_NAME, longest, cells // 4))

    def absence(self, seat: int) -> Line:
        """That somebody is away, and who plays meanwhile; empty for who is here."""
        info = self.seat_info(seat)
        if info is None or info.state == "here":
            return []
        texts = {"away": _("away"), "stand_in": _("away, a bot plays"), "left": _("left, a bot plays")}
        return [(f"({texts.get(info.state, info.state)}) ", "italic $error")]
