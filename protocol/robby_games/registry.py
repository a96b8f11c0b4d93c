"""Which games there are, by name, with their wire types. Server, clients and bots look games up here."""

from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from robby_games import robby_solo
from robby_protocol.i18n import N_


@dataclass(frozen=True)
class GameTypes:
    """One game's wire types.

    name: as in messages (`robby-solo`). version: of the rules and these types together.
    title: for people, to be translated. seats: (fewest, most) seats at a table.
    action, event: unions of tagged Structs. public, own: the two parts of a view.
    """

    name: str
    version: int
    title: str
    seats: tuple[int, int]
    options: type[Struct]
    action: Any
    event: Any
    public: type[Struct]
    own: type[Struct]


GAMES: dict[str, GameTypes] = {
    "robby-solo": GameTypes(
        name="robby-solo",
        version=1,
        title=N_("Robby Solo"),
        seats=(2, 6),
        options=robby_solo.Options,
        action=robby_solo.Action,
        event=robby_solo.Event,
        public=robby_solo.PublicView,
        own=robby_solo.OwnView,
    ),
}
