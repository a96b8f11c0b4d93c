"""Which games there are, by name, with their wire types. Server, clients and bots look games up here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from robby_games import robby_solo, robby_solo_sound
from robby_protocol.i18n import N_


@dataclass(frozen=True)
class GameTypes:
    """One game's wire types.

    name: as in messages (`robby-solo`). version: of the rules and these types together.
    title: for people, to be translated. seats: (fewest, most) seats at a table.
    action, event: unions of tagged Structs. public, own: the two parts of a view.
    sound_view, sound_event, sound_action: whether a view (public, own), an event, an offered action (with the public
    view) names nothing that there cannot be; for who must not trust the sender.
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
    sound_view: Callable[[Any, Any], bool]
    sound_event: Callable[[Any], bool]
    sound_action: Callable[[Any, Any], bool]


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
        sound_view=robby_solo_sound.sound_view,
        sound_event=robby_solo_sound.sound_event,
        sound_action=robby_solo_sound.sound_action,
    ),
}
